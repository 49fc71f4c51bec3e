"""Figures beside the published ones are marked rightly, and tables show what there is."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from algolens.reports import scores_table
from algolens.reports.accuracies import BETTER, EQUAL, WORSE, accuracy_table, compared
from algolens.reports.material import ShownRun, protocol_note, published

SIZES = ("20", "50", "100")
METRICS = ("mean_step", "last_step", "termination", "graphs_right")
percents, deviations = st.floats(0, 100), st.floats(0, 10)


def shown(name: str, preset: str, mean: float, departures: tuple[str, ...] = ()) -> ShownRun:
    """A run with one figure everywhere."""
    cell = {"mean": mean, "std": 0.25}
    sizes = {size: {"graphs": 80, **dict.fromkeys(METRICS, cell)} for size in SIZES}
    scores: dict[str, Any] = {"algorithm": name, "preset": preset, "seeds": [0, 1], "sizes": sizes}
    return ShownRun(Path(), {"algorithm": name, "preset": preset, "architecture": {}}, scores, [], [], {}, "", departures)


@given(percents, deviations, percents, deviations)
def test_a_mark_says_where_a_mean_lies(mean, std, theirs, deviation):
    mark = compared({"mean": mean, "std": std}, (theirs, deviation))
    if mark == EQUAL:
        assert abs(mean - theirs) <= max(deviation, 0.005)
    else:
        assert mark == (BETTER if mean > theirs + deviation else WORSE)
        assert (mean > theirs) == (mark == BETTER)
    # a mark does not depend on our own deviation, which could hide that we are worse
    assert mark == compared({"mean": mean, "std": 0.0}, (theirs, deviation))


def test_every_cell_has_its_published_figure_and_mark():
    table = accuracy_table("coloring", [shown("coloring", "paper", 99.2)])
    theirs = published()["coloring"]["bottleneck"]["mean_step"]
    marks = {99.71: WORSE, 99.23: EQUAL, 98.92: EQUAL}
    cells = [f"99.20 ± 0.25 {marks[mean]} ({mean:.2f} ± {std:.2f})" for mean, std in theirs]
    assert list(table.rows[0]) == ["bottleneck", "mean-step", *cells]
    assert list(table.rows[-1]) == ["", "graphs right in every step", *["99.20 ± 0.25"] * 3]  # the paper has none


def test_an_exact_network_stands_beside_the_published_bottleneck():
    table = accuracy_table("coloring", [shown("coloring", "exact", 100.0)])
    assert table.rows[0][2] == f"100.00 ± 0.25 {BETTER} (99.71 ± 0.11)"
    assert any("The paper has no exact networks" in note for note in table.notes)


@pytest.mark.parametrize("departing", [0, 1, 2])
def test_the_note_on_the_protocol_names_those_that_depart(departing):
    runs = [
        shown("bfs", preset, 100.0, ("epochs 3 (full: 500)",) if i < departing else ())
        for i, preset in enumerate(["paper", "standard"])
    ]
    note = protocol_note(runs)
    assert bool(note) == bool(departing)
    assert ("bfs (bottleneck)" in note) == (departing == 1)
    assert ("epochs 3 (full: 500)" in note) == (departing > 0)


def test_the_table_in_a_terminal_shows_what_there_is():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(scores_table(shown("bfs", "paper", 87.5).scores))
    text = console.export_text()
    assert text.count("87.50 ± 0.25") == len(METRICS) * len(SIZES)
    assert "concepts" not in text
