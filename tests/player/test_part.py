"""A page of a part of a graph: what it shows is what the whole run has there."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.engines import Run
from algolens.errors import AlgoLensWarning, GraphError
from algolens.evaluation import Side
from algolens.graphs import Graph
from algolens.logic import GoOn, Quantifier, parse
from algolens.player import part, steps
from algolens.player.data import page_data
from algolens.player.page import player_page
from algolens.reports.layout import Drawn
from tests.other_runs import by_changes, long_run
from tests.player.in_node import in_node, needs_node
from tests.player.runs import drawn_run, trace_rows


@pytest.fixture(autouse=True)
def _without_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are not what is tested here, and finding them takes long."""
    monkeypatch.setattr(
        "algolens.reports.layout.laid_out",
        lambda graph, *_: Drawn(np.zeros((graph.num_nodes, 2)), "a graph"),
    )


def side_of(run: Run) -> Side:
    return Side("algorithm", run, run.algorithm.declaration.rule_set)


def named(page: dict[str, Any], at: str, number: int, between: str) -> str:
    """What a page calls an element, be it shown or outside."""
    nodes, edges = page["graph"]["nodes"], page["graph"]["edges"]
    if at == "node" and number < len(nodes):
        return nodes[number]
    if at == "edge" and number < len(edges):
        return between.join(nodes[end] for end in edges[number])
    shown = {"node": len(nodes), "edge": len(edges)}[at]
    return page["graph"]["outside"][at][number - shown]


@pytest.mark.parametrize("name", algorithms())
def test_a_part_holds_what_the_whole_run_has_there(name, monkeypatch):
    monkeypatch.setattr(part, "MOST_NEAR", 5)
    for seed in range(2):
        run = drawn_run(algorithm(name), "erdos_renyi:14", seed)
        for made in (run, by_changes(run)):
            node = random.Random(seed).randrange(14)
            page = page_data([side_of(made)], "a graph", around=node)
            assert run.graph.name_of(node) in page["graph"]["nodes"]
            assert 1 <= len(page["graph"]["nodes"]) <= 5
            assert "--around NODE" in page["part"]["told"]
            check_part(page, run)


def check_part(page: dict[str, Any], run: Run) -> None:
    graph, declaration = run.graph, run.algorithm.declaration
    between = " -> " if graph.directed else " - "
    nodes = [graph.place_of[name] for name in page["graph"]["nodes"]]
    pairs = {pair: i for i, pair in enumerate(map(tuple, graph.edges.T.tolist()))}
    edges = [pairs[nodes[u], nodes[v]] for u, v in page["graph"]["edges"]]
    inside = [pair for pair in pairs if set(pair) <= set(nodes)]
    assert sorted(edges) == sorted(pairs[pair] for pair in inside)
    links = edges if graph.directed else [*edges, *(edge + graph.num_edges for edge in edges)]
    places = {
        "node": nodes,
        "edge": edges,
        "link": links,
        "graph": [0],
    }
    (side,) = page["sides"]
    for field, written in side["trace"].items():
        known = declaration.predicted[field]
        expected = run[field].dense()[:, places[known.at]].astype(int).tolist()
        rows = trace_rows(written, run.num_steps)
        to = known.to
        if to is not None:
            expected = [[graph.name_at(to, value) for value in row] for row in expected]
            rows = [[named(page, to, value, between) for value in row] for row in rows]
        assert rows == expected, field
    for field, values in page["given"].items():
        assert len(values) == len(places[declaration.inputs[field].at])


@needs_node
def test_a_run_of_many_nodes_and_steps_is_opened_by_a_part():
    run = long_run(10_000, 100_000)
    with pytest.warns(AlgoLensWarning, match=r"200 of 10,000 nodes, around 17; .*--around NODE"):
        page = player_page([side_of(run)], "a large graph")
    assert len(page.encode()) < 2_000_000
    shown = page_data([side_of(run)], "a large graph", around=17)
    assert "17" in shown["graph"]["nodes"]
    places = torch.tensor([run.graph.place_of[name] for name in shown["graph"]["nodes"]])
    rng = random.Random(0)
    steps = [rng.randrange(100_000) for _ in range(50)]  # forth and back
    answer = """function answer({ page, steps }) {
      const side = Side.read(page, page.sides[0]);
      return steps.map((step) => {
        const told = new Moment(side, step + 1).inSentences.length;
        return [side.at("visited", step + 1), told, side.machine];
      });
    }"""
    (found,) = in_node(answer, [{"page": shown, "steps": steps}])
    for step, (visited, told, machine) in zip(steps, found, strict=True):
        assert visited == run["visited"][step][places].astype(int).tolist()
        assert told > 0
        assert machine is None  # those in view are not all there
    other = page_data([side_of(run)], "a large graph", around=4_000)
    assert "4000" in other["graph"]["nodes"]
    assert "around 4000" in other["part"]["told"]


def test_what_changes_too_often_is_shown_in_a_smaller_part_or_refused(monkeypatch):
    run = drawn_run(algorithm("bfs"), "grid:25", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        player_page([side_of(run)], "a grid")  # all of it, and nothing is to be told
    monkeypatch.setattr(part, "MOST_CHANGES", 6)
    with pytest.warns(AlgoLensWarning, match="this is a part of the graph"):
        page = player_page([side_of(run)], "a grid")
    assert "of 25 nodes" in page
    monkeypatch.setattr(part, "MOST_CHANGES", -1)
    with pytest.raises(GraphError, match="more than a page holds") as refused:
        player_page([side_of(run)], "a grid")
    assert "\n" not in str(refused.value)


def test_a_part_lies_around_the_first_mistake(monkeypatch):
    from algolens.evaluation import first_mistakes
    from tests.other_runs import with_field

    monkeypatch.setattr(part, "MOST_NODES", 10)
    monkeypatch.setattr(part, "MOST_NEAR", 4)
    run = drawn_run(algorithm("bfs"), "grid:25", 0)
    rows = run["visited"].dense().copy()
    rows[1, 13] = ~rows[1, 13]
    spoilt = with_field(run, "visited", rows)
    (mistake,) = first_mistakes(spoilt, run)[1]
    side = replace(side_of(spoilt), compare=lambda: mistake)
    page = page_data([side], "a grid")
    (written,) = page["sides"]
    assert page["graph"]["nodes"][written["difference"]["element"]] == run.graph.name_of(13)


@pytest.mark.parametrize("quantifier", list(Quantifier))
def test_going_on_against_a_rule_is_found_by_changes(quantifier):
    """Against the rule evaluated on all concepts of all steps."""
    for seed, text in enumerate(
        (
            "has_visited_neighbours",
            "~has_been_visited",
            "has_visited_neighbours & ~has_been_visited",
        )
    ):
        rule = GoOn(parse(text), quantifier)
        runs = [
            drawn_run(algorithm("bfs"), "erdos_renyi:12", seed),
            long_run(9, 40, changes_a_step=3),
        ]
        for run in runs:
            rule_set = replace(run.algorithm.declaration.rule_set, continues=rule)
            expected = rule_set.goes_on(run.patterns_ahead())
            for made in (run, by_changes(run)):
                assert np.array_equal(steps._asks(made, rule), expected)


def test_a_node_that_is_not_there_is_refused(tmp_path):
    import algolens as al

    execution = al.execute("bfs", "grid:9", source=0)
    with pytest.raises(al.AlgoLensError, match="node of this graph"):
        execution.save_html(tmp_path / "run.html", around="nowhere")
    assert "9 of 9 nodes, around 3" in execution.page(around=3)


def test_an_empty_part_is_one_node():
    run = long_run(2, 3)
    alone = replace(run, graph=Graph.pack([2], []))
    page = page_data([side_of(alone)], "two", around=1)
    assert page["graph"]["nodes"] == ["1"]
    assert page["graph"]["edges"] == []
