"""Long runs: whatever shows a run reads what changed, and shows no more than a person can read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import networkx as nx
import pytest

import algolens as al
from algolens.api.execution import Outputs, run_as_json
from algolens.cli.output import print_json
from algolens.text import steps as steps_module
from tests.cli.conftest import run  # noqa: F401  (a fixture)
from tests.other_runs import by_changes, long_run


@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "coloring"])
def test_all_that_shows_a_run_reads_changes_as_frames(name):
    execution = al.execute(name, "erdos_renyi:8", seed=3)
    kept = replace(execution, run=by_changes(execution.run))
    assert kept.table(everything=True) == execution.table(everything=True)
    assert kept.table() == execution.table()
    assert kept.to_pandas().equals(execution.to_pandas())
    assert kept.result == execution.result
    assert run_as_json(kept, trace=True) == run_as_json(execution, trace=True)
    assert kept.page() == execution.page()
    for step in (execution.steps, 1, (execution.steps + 1) // 2):  # forth and back
        for element in execution.elements[::5]:
            assert kept.explain(element, step) == execution.explain(element, step)


@pytest.mark.parametrize("name", ["bfs", "kruskal", "dijkstra"])
def test_the_command_prints_the_document_that_python_gives(name, run, capsys):  # noqa: F811
    asked = [name, "examples/village.csv", *(["--source", "Mill"] if name != "kruskal" else [])]
    options: dict[str, Any] = {"source": "Mill"} if name != "kruskal" else {}
    for trace in (False, True):
        _, printed, _ = run("execute", *asked, "--json", *["--trace"] * trace)
        execution = al.execute(name, "examples/village.csv", **options)
        print_json(execution.to_json(trace=trace))
        assert printed == capsys.readouterr().out


def test_values_of_an_output_are_made_when_they_are_asked_for():
    paths = al.execute("dijkstra", "examples/village.csv", source="Mill")
    assert isinstance(paths.result, Outputs)
    assert not paths.result._made
    assert paths.result["distance"]["Mill"] == 0
    assert list(paths.result._made) == ["distance"]
    assert "distance" in paths.result
    assert list(paths.result) == list(paths.run.outputs)


def test_the_command_says_why_as_python_does(run):  # noqa: F811
    paths = al.execute("dijkstra", "examples/village.csv", source="Mill")
    for step in (1, 3, -1):
        asked = ["dijkstra", "examples/village.csv", "--source", "Mill", "--why", "Well"]
        _, told, _ = run("execute", *asked, "--step", str(step))
        assert told.strip() == paths.explain("Well", step)
    assert run("execute", *asked)[1].strip() == paths.explain("Well")
    _, edge, _ = run("execute", "kruskal", "examples/village.csv", "--why", "Mill - Bridge")
    assert edge.startswith("Mill - Bridge, step ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--step", "2"], "--step says more of what --why asks about: give --why NODE too."),
        (["--why", "Mill", "--json"], "--why says it in sentences, of one run"),
        (["--why", "Nowhere"], "Nowhere"),
        (["--why", "Mill", "--step", "99"], "step 99 does not exist"),
        (["--html", "page.html", "--around", "Nowhere"], "Nowhere"),
        (["--around", "Mill"], "--around says what a page shows: give --html run.html too."),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_line(run, options, complaint, tmp_path):  # noqa: F811
    placed = [str(tmp_path / option) if option.endswith(".html") else option for option in options]
    words = ["bfs", "examples/village.csv", "--source", "Mill", *placed]
    status, _, told = run("execute", *words)
    assert status != 0
    (line,) = told.strip().splitlines()
    assert complaint in line


def test_of_many_steps_a_table_shows_the_first_and_the_last(monkeypatch):
    execution = al.execute("bfs", nx.path_graph(30), source=0)
    whole = execution.table()
    monkeypatch.setattr(steps_module, "MOST_STEPS", 10)
    told = execution.table()
    assert "steps 6 to 24 are left out: --trace shows them" in told
    assert [number for number in range(1, 30) if f"step {number}\n" in told] == [
        *range(1, 6),
        *range(25, 30),
    ]
    assert "left out" not in execution.table(everything=True)
    assert "left out" not in whole


def test_a_long_run_is_read_without_its_frames(monkeypatch):
    """Reasons, tables and pictures of 100,000 steps on 10,000 nodes; all frames are never made."""
    from algolens.engines import Timeline

    def refused(_):
        raise AssertionError("all frames are asked for")

    monkeypatch.setattr(Timeline, "dense", refused)
    made = long_run(10_000, 100_000)
    execution = al.execute("bfs", "grid:4", source=0)
    rule_set = made.algorithm.declaration.rule_set
    given = replace(execution.given, graph=made.graph, nodes=tuple(range(10_000)))
    long = replace(execution, run=made, rule_set=rule_set, given=given)
    for step in (77_777, 5, 99_999):
        assert f"step {step} of 100000" in long.explain("4711", step)
        frame = made["visited"][step - 1]
        is_told = re.search(
            "4711 is visited|visited (stays|becomes) yes", long.explain("4711", step)
        )
        assert (is_told is not None) == bool(frame[4711])
    assert "steps 51 to 99,950 are left out" in long.table()
    assert "around 4711" in long.page(around="4711")
    with pytest.raises(al.AlgoLensError, match="has too many rows"):
        long.to_pandas()
