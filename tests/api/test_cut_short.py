"""A run that asks for more steps than it may take says so, wherever it is shown; and no other run
does.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import networkx as nx
import numpy as np
import pytest
from msgspec.structs import replace

import algolens as al
from algolens.algorithms import algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensWarning
from algolens.player.data import page_data
from algolens.text.outcome import count_in_words
from tests.cli.conftest import run  # noqa: F401  (a fixture)
from tests.player.in_node import in_node, needs_node

TOLD = """
function answer({ page, most }) {
  const side = Side.read(page, page.sides[0]);
  page.algorithm.most_steps = most;
  const again = side.whatIf(0, [], side.inputs, side.given, "what if");
  const lastStep = (each) => new Moment(each, each.steps).inSentences;
  return [side, again].map((each) => lastStep(each).map(({ text }) => text).join(" "));
}
"""


def limited(most: int) -> Program:
    """Breadth-first search that may take so many steps."""
    bfs = Program.of(algorithm("bfs"))
    return replace(bfs, program=replace(bfs.program, times=most, per="graph"))


def graph_and_most(seed: int) -> tuple[nx.Graph, int]:
    rng = np.random.default_rng(seed)
    return nx.path_graph(int(rng.integers(3, 9))), int(rng.integers(1, 9))


CASES = [graph_and_most(seed) for seed in range(12)]
# a path from its first node: a step for each edge
CUT = [len(graph) - 1 > most for graph, most in CASES]


def executed(graph: nx.Graph, most: int) -> tuple[al.Execution, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = al.execute(limited(most), graph, source=0)
    return found, [
        str(each.message) for each in caught if issubclass(each.category, AlgoLensWarning)
    ]


def test_both_kinds_of_runs_are_tried():
    assert 3 <= sum(CUT) <= len(CUT) - 3


@pytest.mark.parametrize(("case", "is_cut"), list(zip(CASES, CUT, strict=True)))
def test_python_says_so_in_a_warning_and_wherever_the_run_is_shown(case, is_cut):
    found, warned = executed(*case)
    assert found.steps == min(case[1], len(case[0]) - 1)
    assert found.is_cut_short is is_cut
    assert len(warned) == is_cut
    for shown in (
        repr(found),
        str(found),
        found.table(),
        found._repr_html_(),
        " ".join(found.notes),
        *warned,
    ):
        assert (f"cut short after {count_in_words(found.steps, 'step')}" in shown) is is_cut


def test_what_stands_beside_a_run_that_is_cut_short_says_only_its_own():
    """One that never sees a visited neighbour, and asks for no step, stands beside the algorithm
    itself, which is cut short.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = al.execute(
            limited(2), nx.path_graph(5), source=0, set={"has_visited_neighbours": False}
        )
    assert not any("cut short" in note for note in found.notes)
    assert sum("cut short" in note for note in found.truth.notes) == 1
    assert "cut short" in repr(found.truth)


@pytest.mark.parametrize(("case", "is_cut"), list(zip(CASES, CUT, strict=True))[:4])
def test_the_command_says_so_in_words_in_json_and_beside_a_page(run, tmp_path, case, is_cut):  # noqa: F811
    graph, most = case
    limited(most).save(tmp_path / "program.json")
    nx.write_graphml(graph, tmp_path / "path.graphml")
    words = (
        "execute",
        str(tmp_path / "program.json"),
        str(tmp_path / "path.graphml"),
        "--source",
        "0",
    )
    status, out, err = run(*words)
    assert status == 0
    assert ("Cut short after" in out, "Finished after" in out, "cut short" in err) == (
        is_cut,
        not is_cut,
        is_cut,
    )
    told = json.loads(run(*words, "--json")[1])
    assert told["stopped"] == ("limit" if is_cut else "rule")
    assert any("cut short" in note for note in told["notes"]) is is_cut
    assert ("cut short" in run(*words, "--html", str(tmp_path / "page.html"))[2]) is is_cut


@needs_node
def test_the_page_says_so_of_runs_that_are_written_and_of_those_that_it_finds():
    asked: list[dict[str, Any]] = []
    for (graph, most), (_, other) in zip(CASES, CASES[::-1], strict=True):
        asked.append({"page": page_data([executed(graph, most)[0]], "a graph"), "most": other})
    for (graph, most), each, told in zip(CASES, asked, in_node(TOLD, asked), strict=True):
        for words, limit in zip(told, (most, each["most"]), strict=True):
            is_cut = len(graph) - 1 > limit
            assert ("Cut short after" in words, "Finished after" in words) == (is_cut, not is_cut)


@pytest.mark.parametrize(("case", "is_cut"), list(zip(CASES, CUT, strict=True)))
def test_the_program_in_python_warns(case, is_cut):
    graph, most = case
    module: dict[str, Any] = {}
    exec(limited(most).to_python_source(), module)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        steps, _ = module["run"](module["graph_of"](len(graph), list(graph.edges)), {"source": [0]})
    assert len(steps) == min(most, len(graph) - 1)
    assert [f"cut short after {most} steps" in str(each.message) for each in caught] == [
        True
    ] * is_cut
