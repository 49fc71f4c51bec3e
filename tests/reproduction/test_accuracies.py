"""Figures beside the published ones are marked rightly, and tables show what there is."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import to_builtins
from msgspec.structs import replace as changed
from rich.console import Console

from algolens.evaluation import Scores
from algolens.evaluation.metrics import ScoresRecord, TestGraphs
from algolens.protocol import Departure
from algolens.reading import as_record
from algolens.reports.material import Material, ShownModel, departures_note
from algolens.reports.tables import Table, aligned
from algolens.reproduction.accuracies import (
    accuracies,
    error_size,
    fresh_accuracies,
    fresh_table,
    published,
    tables_json,
)
from algolens.reproduction.accuracies import accuracy_table as table_of
from algolens.reproduction.departures import departures_table
from algolens.reproduction.headline import headline
from algolens.reproduction.significance import BETTER, UNKNOWN, WORSE, interval, read_figure
from algolens.text.learnt import scores_table
from tests.refusals import experiment_record

SIZES = ("20", "50", "100")
METRICS = ("mean_step", "last_step", "termination", "graphs_right")
EPOCHS, RATE = (
    Departure("epochs", 3, {"text": 500}),
    Departure("learning rate", 0.004, {"text": 0.001, "code": 0.001}),
)


def shown(
    name: str,
    preset: str,
    mean: float,
    departures: tuple[Departure, ...] = (),
    spread: float | None = 2.0,
) -> ShownModel:
    """A run with one figure everywhere. spread: over graphs."""
    cell = {"mean": mean, "std": 0.25}
    measured = {} if spread is None else {"spread": dict.fromkeys(METRICS, spread)}
    sizes = {size: {"graphs": 80, **dict.fromkeys(METRICS, cell), **measured} for size in SIZES}
    scores = {"algorithm": name, "preset": preset, "seeds": [0, 1], "sizes": sizes}
    return ShownModel(
        Path(),
        experiment_record(name, preset),
        as_record(scores, ScoresRecord, "scores"),
        [],
        [],
        None,
        "",
        departures,
    )


def material(runs: list[ShownModel]) -> Material:
    return Material("runs", runs, {}, {})


def accuracy_table(name: str, runs: list[ShownModel]) -> Table:
    return table_of(name, accuracies(runs))


def bracketed(run: ShownModel, metric: str, size: str) -> str:
    figure = read_figure(run.scores, size, metric)
    assert figure is not None
    low, high = interval(figure) or (0.0, 0.0)
    return f"{aligned(figure.mean)} [{low:.2f}, {high:.2f}]"


def test_every_cell_has_its_published_figure_and_mark():
    run = shown("coloring", "paper", 95.2, (EPOCHS,))
    table = accuracy_table("coloring", [run])
    theirs = published()["coloring"]["bottleneck"]["mean_step"]
    marks = {99.71: WORSE, 99.23: WORSE, 98.92: WORSE}
    ours = bracketed(run, "mean_step", "20")
    cells = [f"{ours} {marks[mean]} ({mean:.2f} ± {std:.2f})" for mean, std in theirs]
    assert list(table.rows[0]) == ["bottleneck, 1 departure", "mean-step", *cells]
    assert list(table.rows[-1]) == [
        "bottleneck, 1 departure",
        "graphs right in every step",
        *[ours] * 3,
    ]  # the paper has none


def test_an_exact_network_stands_beside_the_published_bottleneck():
    run = shown("coloring", "exact", 100.0)
    table = accuracy_table("coloring", [run])
    # it is compared with none of its own
    assert table.rows[0][2] == f"{bracketed(run, 'mean_step', '20')} (99.71 ± 0.11)"
    assert any("The paper has no exact networks" in note for note in table.notes)


def test_how_large_an_error_is_comes_from_the_networks_that_err():
    right, wrong = shown("coloring", "exact", 100.0), shown("coloring", "standard", 99.0)
    assert error_size([right], "mean_step") == 1
    # the mean square of an error by its mean: spread over graphs, deviation over seeds, and the
    # mean itself
    assert error_size([right, wrong], "mean_step") == pytest.approx(
        (0.02**2 + 0.0025**2 + 0.01**2) / 0.01
    )


def test_a_network_as_in_the_paper_is_compared_and_told_of_apart():
    runs = [shown("coloring", "paper-literal", 90.0), shown("coloring", "paper", 100.0)]
    table = accuracy_table("coloring", runs)
    assert f" {WORSE} (99.71 ± 0.11)" in str(table.rows[0][2])
    told = headline(material(runs))
    assert told.title.startswith(
        "Of 9 published figures, 0 significantly better, 9 statistically indistinguishable"
    )
    assert (
        "trained as in the paper, of 9, 0 significantly better, 0 statistically "
        "indistinguishable, 9 significantly" in told.found
    )
    assert "for all 18 comparisons together" in told.found
    assert (
        "9 figures, trained as in the paper, are significantly worse than published" in told.short
    )


def test_scores_on_fresh_graphs_have_a_table_of_their_own():
    run = shown("coloring", "paper", 97.2)
    run = replace(run, scores=changed(run.scores, seeds=list(range(5))))
    assert fresh_accuracies([run]) == []
    sizes = {size: changed(cells, graphs=1000) for size, cells in run.scores.sizes.items()}
    fresh = replace(run, fresh=changed(run.scores, sizes=sizes, test_graphs=TestGraphs(2026)))
    table = fresh_table("coloring", fresh_accuracies([fresh]))
    assert list(table.columns[2:]) == [f"{size} nodes (1,000 graphs)" for size in SIZES]
    assert any("data seed 2026" in note for note in table.notes)
    assert str(table.rows[0][2]).startswith(
        bracketed(replace(fresh, scores=fresh.fresh or fresh.scores), "mean_step", "20")
    )
    written = tables_json(material([fresh]))
    wide, narrow = (
        each["coloring"]["bottleneck"]["mean_step"]["20"]["interval"]
        for each in (written, written["fresh"])
    )
    assert narrow[1] - narrow[0] < wide[1] - wide[0]


def test_with_a_published_figure_that_is_far_off_a_better_one_is_marked():
    both = [shown("kruskal", "exact", 100.0), shown("kruskal", "paper", 99.0)]
    table = accuracy_table("kruskal", both)
    assert BETTER not in str(table.rows[0][2])
    assert any(BETTER in str(row[2]) for row in table.rows)


def test_what_was_not_measured_on_single_graphs_is_not_compared_and_says_so():
    table = accuracy_table("coloring", [shown("coloring", "paper", 97.2, spread=None)])
    assert f"{aligned(97.2)} {UNKNOWN} (99.71 ± 0.11)" in table.rows[0]
    assert any(note.startswith(UNKNOWN) for note in table.notes)


def test_a_seed_that_misses_what_others_reach_is_named():
    run = shown("bfs", "paper", 99.9)
    right = Scores(graphs=80, mean_step=1.0, last_step=1.0, graphs_right_last=1.0, graphs_right=1.0)
    seeds = [changed(right, termination=share) for share in (1.0, 0.998)]
    scores = changed(run.scores, by_seed={"100": seeds})
    table = accuracy_table("bfs", [replace(run, scores=scores)])
    assert (
        "Seeds below a published mean that others of their run reach: bfs (bottleneck), "
        "termination at 100 nodes: seed 1 99.80." in (table.notes)
    )
    assert not any("Seeds below" in note for note in accuracy_table("bfs", [run]).notes)


@pytest.mark.parametrize("departing", [0, 1, 2])
def test_the_note_on_departures_names_those_that_depart(departing):
    runs = [
        shown("bfs", preset, 100.0, (EPOCHS, RATE) if i < departing else ())
        for i, preset in enumerate(["paper", "standard"])
    ]
    note = departures_note(runs)
    assert bool(note) == bool(departing)
    words = "2 departures from the paper, among them epochs: 3 (text: 500)."
    assert (f"bfs (bottleneck): {words}" in note) == (departing > 0)
    assert (f"bfs (standard): {words}" in note) == (departing > 1)


def test_the_table_of_departures_says_once_what_several_have_in_common():
    runs = [
        shown("bfs", "paper", 100.0, (EPOCHS, RATE)),
        shown("bfs", "standard", 100.0, (EPOCHS,)),
    ]
    assert [list(row) for row in departures_table("bfs", runs).rows] == [
        ["epochs", "500", "", "3", "3"],
        ["learning rate", "0.001", "0.001", "0.004", ""],
    ]


def test_the_table_in_a_terminal_shows_what_there_is():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(scores_table(to_builtins(shown("bfs", "paper", 87.5).scores)))
    text = console.export_text()
    assert text.count("87.50 ± 0.25") == len(METRICS) * len(SIZES)
    assert "concepts" not in text
