"""Figures beside the published ones are marked rightly, and tables show what there is."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from algolens.protocol import Departure
from algolens.reports import scores_table
from algolens.reports.accuracies import accuracy_table, error_size
from algolens.reports.comparison import BETTER, EQUAL, UNKNOWN, WORSE
from algolens.reports.departures import departures_table
from algolens.reports.material import ShownRun, departures_note, published

SIZES = ("20", "50", "100")
METRICS = ("mean_step", "last_step", "termination", "graphs_right")
EPOCHS, RATE = Departure("epochs", 3, {"text": 500}), Departure("learning rate", 0.004, {"text": 0.001, "code": 0.001})


def shown(name: str, preset: str, mean: float, departures: tuple[Departure, ...] = (), spread: float | None = 2.0) -> ShownRun:
    """A run with one figure everywhere. spread: over graphs."""
    cell = {"mean": mean, "std": 0.25}
    measured = {} if spread is None else {"spread": dict.fromkeys(METRICS, spread)}
    sizes = {size: {"graphs": 80, **dict.fromkeys(METRICS, cell), **measured} for size in SIZES}
    scores: dict[str, Any] = {"algorithm": name, "preset": preset, "seeds": [0, 1], "sizes": sizes}
    return ShownRun(Path(), {"algorithm": name, "preset": preset, "architecture": {}}, scores, [], [], {}, "", departures)


def test_every_cell_has_its_published_figure_and_mark():
    table = accuracy_table("coloring", [shown("coloring", "paper", 97.2, (EPOCHS,))])
    theirs = published()["coloring"]["bottleneck"]["mean_step"]
    marks = {99.71: WORSE, 99.23: WORSE, 98.92: WORSE}
    cells = [f"97.20 ± 0.25 {marks[mean]} ({mean:.2f} ± {std:.2f})" for mean, std in theirs]
    assert list(table.rows[0]) == ["bottleneck, 1 departure", "mean-step", *cells]
    assert list(table.rows[-1]) == [
        "bottleneck, 1 departure",
        "graphs right in every step",
        *["97.20 ± 0.25"] * 3,
    ]  # the paper has none


def test_an_exact_network_stands_beside_the_published_bottleneck():
    table = accuracy_table("coloring", [shown("coloring", "exact", 100.0)])
    assert table.rows[0][2] == f"100.00 ± 0.25 {EQUAL} (99.71 ± 0.11)"  # 80 graphs are too few to tell
    assert any("The paper has no exact networks" in note for note in table.notes)


def test_how_large_an_error_is_comes_from_the_networks_that_err():
    right, wrong = shown("coloring", "exact", 100.0), shown("coloring", "standard", 99.0)
    assert error_size([right], "mean_step") == 1
    # the mean square of an error by its mean: spread over graphs, deviation over seeds, and the mean itself
    assert error_size([right, wrong], "mean_step") == pytest.approx((0.02**2 + 0.0025**2 + 0.01**2) / 0.01)
    both = [shown("kruskal", "exact", 100.0), shown("kruskal", "paper", 99.0)]
    assert BETTER in str(accuracy_table("kruskal", both).rows[0][2])


def test_what_was_not_measured_on_single_graphs_is_not_compared_and_says_so():
    table = accuracy_table("coloring", [shown("coloring", "paper", 97.2, spread=None)])
    assert f"97.20 ± 0.25 {UNKNOWN} (99.71 ± 0.11)" in table.rows[0]
    assert any(note.startswith(UNKNOWN) for note in table.notes)


def test_a_seed_that_misses_what_others_reach_is_named():
    run = shown("bfs", "paper", 99.9)
    scores = {
        **run.scores,
        "by_seed": {"100": [{"termination": 1.0, "mean_step": 1.0}, {"termination": 0.998, "mean_step": 1.0}]},
    }
    table = accuracy_table("bfs", [replace(run, scores=scores)])
    assert (
        "Seeds below a published mean that others of their run reach: bfs (bottleneck), termination at 100 nodes: seed 1 99.80."
        in (table.notes)
    )
    assert not any("Seeds below" in note for note in accuracy_table("bfs", [run]).notes)


@pytest.mark.parametrize("departing", [0, 1, 2])
def test_the_note_on_departures_names_those_that_depart(departing):
    runs = [shown("bfs", preset, 100.0, (EPOCHS,) if i < departing else ()) for i, preset in enumerate(["paper", "standard"])]
    note = departures_note(runs)
    assert bool(note) == bool(departing)
    assert ("bfs (bottleneck)" in note) == (departing == 1)
    assert ("epochs: 3 (text: 500)" in note) == (departing > 0)


def test_what_all_have_in_common_is_said_once_and_the_rest_of_each():
    runs = [shown("bfs", "paper", 100.0, (EPOCHS, RATE)), shown("bfs", "standard", 100.0, (EPOCHS,))]
    note = departures_note(runs)
    assert note.count(str(EPOCHS)) == note.count(str(RATE)) == 1
    assert note == f"Departures from the paper, all of these: {EPOCHS}. bfs (bottleneck): {RATE}."
    table = departures_table("bfs", runs)
    assert [list(row) for row in table.rows] == [
        ["epochs", "500", "", "3", "3"],
        ["learning rate", "0.001", "0.001", "0.004", ""],
    ]


def test_the_table_in_a_terminal_shows_what_there_is():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(scores_table(shown("bfs", "paper", 87.5).scores))
    text = console.export_text()
    assert text.count("87.50 ± 0.25") == len(METRICS) * len(SIZES)
    assert "concepts" not in text
