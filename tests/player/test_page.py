"""The page and its JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.engines import perceive_truly, run_algorithm
from algolens.engines.parts import Sureness
from algolens.errors import AlgoLensError, GraphError
from algolens.evaluation.rightness import Side
from algolens.graphs import Graph, load_graph
from algolens.player.data import page_data
from algolens.player.page import player_page
from algolens.reports.layout import Drawn, laid_out
from tests.effort import covering
from tests.player.runs import data_of, drawn_run, read_run, trace_rows

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--",
    "]]>",
    "\u2028'\"&amp;",
    "$data",
    "\ud83e",
]


def test_the_trace_is_the_run():
    for name in ("bfs_tree", "coloring", "kruskal", "dijkstra"):
        run = drawn_run(algorithm(name), "erdos_renyi:12", 3)
        (side,) = data_of(run)["sides"]
        for field, changes in side["trace"].items():
            assert trace_rows(changes, run.num_steps) == run[field].dense().astype(int).tolist(), (
                field
            )
        assert set(side["trace"]) == set(run.algorithm.declaration.predicted)


def test_no_name_leaves_its_place_in_the_page():
    graph = replace(Graph.pack([7], [(i, i + 1) for i in range(6)]), names=tuple(HOSTILE))
    page = player_page([as_side(read_run("bfs", graph, source=HOSTILE[0]))], HOSTILE[0])
    assert page.count("<script") == page.count("</script") == 2
    assert "<img" not in page
    (written,) = re.findall(
        r'<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL
    )
    assert json.loads(written)[0]["graph"]["nodes"] == HOSTILE


def test_the_page_asks_nothing_of_the_network_and_allows_its_own_script_alone():
    page = player_page(
        [as_side(read_run("bfs", load_graph("examples/village.csv", 0), source="Mill"))], "village"
    )
    assert not re.findall(r'(?:src|href|url\()\s*=?\s*["\']?(?:https?:|//)', page)
    assert "default-src 'none'" in page
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for part in (script, style):
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in page
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", script)


@pytest.mark.parametrize("name", covering(algorithms()))
def test_a_page_of_a_hundred_nodes_is_small(name, monkeypatch):
    # places take as much room wherever they are, and finding them takes long
    monkeypatch.setattr(
        "algolens.reports.layout.laid_out",
        lambda graph, *_: Drawn(np.full((graph.num_nodes, 2), 12.345), "a graph"),
    )
    run = drawn_run(algorithm(name), "erdos_renyi:100", 0)
    page = player_page([as_side(run)], "a graph")
    # some sorts take thousands of steps
    assert len(page.encode()) < max(500_000, 150 * run.num_steps)


def test_what_cannot_be_shown_is_refused():
    bfs = algorithm("bfs")
    two = run_algorithm(bfs, Graph.pack([2, 2], []), {"source": torch.tensor([0, 0])})
    with pytest.raises(GraphError, match="is of 2: take one of them"):
        page_data([as_side(two)], "two")
    with pytest.raises(AlgoLensError, match="no run to show"):
        page_data([], "none")
    sides = [
        as_side(run_algorithm(bfs, Graph.pack([2], []), {"source": torch.tensor([start])}))
        for start in (0, 1)
    ]
    with pytest.raises(AlgoLensError, match="one set of"):
        page_data(sides, "two sources")


def test_how_sure_a_network_is_of_a_concept_is_kept_in_percent():
    bfs = algorithm("bfs")
    rule_set, sureness = bfs.declaration.rule_set, Sureness(bfs.declaration.concepts)
    look = perceive_truly(bfs)

    def perceive(*given):
        seen = look(*given)
        return replace(seen, concepts=seen.concepts * 0.8 + 0.1)

    graph, inputs = Graph.pack([3], [(0, 1), (1, 2)]), {"source": torch.tensor([0])}
    run = run_algorithm(
        bfs, graph, inputs, **sureness.noting({"perceive": perceive, "decide": rule_set.decide})
    )
    (side,) = page_data([Side("network", run, rule_set, sureness=sureness.noted)], "a path")[
        "sides"
    ]
    found = {name: trace_rows(changes, run.num_steps) for name, changes in side["sureness"].items()}
    assert found == {
        name: (80 * run[name].dense().long() + 10).tolist() for name in bfs.declaration.concepts
    }


def test_where_a_network_stops_against_its_rule_is_kept():
    bfs = algorithm("bfs")
    graph, inputs = Graph.pack([4], [(0, 1), (1, 2), (2, 3)]), {"source": torch.tensor([0])}
    stops_early = run_algorithm(
        bfs, graph, inputs, continues=lambda *_: torch.zeros(1, dtype=torch.bool)
    )
    assert data_of(stops_early)["sides"][0]["goes_on_against"] == [1]
    assert data_of(run_algorithm(bfs, graph, inputs))["sides"][0]["goes_on_against"] == []


def as_side(run):
    return Side("algorithm", run, run.algorithm.declaration.rule_set)


# ---- where nodes are drawn


@pytest.mark.parametrize(
    ("made", "form"),
    [
        (nx.path_graph(5), "a path"),
        (nx.path_graph(40), "a path"),
        (nx.cycle_graph(7), "a cycle"),
        (nx.grid_2d_graph(4, 7), "a grid"),
        (nx.ladder_graph(9), "a grid"),
        (nx.balanced_tree(2, 3), "a tree"),
        (nx.star_graph(30), "a tree"),
        (nx.complete_graph(6), "a complete graph"),
        (nx.wheel_graph(8), "a graph"),
        (nx.petersen_graph(), "a graph"),
        (nx.empty_graph(4), "a path"),
    ],
)
def test_forms_are_recognised_and_nodes_lie_apart(made, form):
    shuffled = np.random.default_rng(0).permutation(len(made)).tolist()
    made = nx.relabel_nodes(made, dict(zip(made, shuffled, strict=True)))
    graph = Graph.pack([len(made)], list(made.edges))
    drawn = laid_out(graph)
    assert drawn.form == form
    assert drawn.places.min() >= 0
    assert nearest(drawn.places) > 0.5
    assert np.array_equal(laid_out(graph).places, drawn.places)


@pytest.mark.parametrize(
    "made",
    [
        nx.path_graph(30),
        nx.grid_2d_graph(5, 6),
        nx.balanced_tree(3, 3),
        nx.star_graph(20),
        nx.cycle_graph(9),
    ],
)
def test_no_edges_cross_where_a_form_is_recognised(made):
    made = nx.convert_node_labels_to_integers(made)
    places = laid_out(Graph.pack([len(made)], list(made.edges))).places
    edges = list(made.edges)
    crossing = [
        (e, f)
        for i, e in enumerate(edges)
        for f in edges[:i]
        if not set(e) & set(f) and cross(*places[[*e, *f]])
    ]
    assert not crossing


@pytest.mark.parametrize("seed", range(5))
def test_nodes_of_a_tree_stand_apart_and_above_their_children(seed):
    tree = nx.random_labeled_tree(60, seed=seed)
    drawn = laid_out(Graph.pack([60], list(tree.edges)), root=0)
    depth = nx.single_source_shortest_path_length(tree, 0)
    for level in set(depth.values()):
        across = sorted(drawn.places[[node for node in tree if depth[node] == level], 0])
        assert all(b - a > 1 - 1e-9 for a, b in pairwise(across))
    for node in tree:
        below = [drawn.places[child, 0] for child in tree[node] if depth[child] > depth[node]]
        if below:
            assert min(below) - 1e-9 <= drawn.places[node, 0] <= max(below) + 1e-9


def test_many_nodes_are_drawn_with_neighbours_near_each_other():
    made = nx.random_geometric_graph(1100, 0.06, seed=0)
    graph = Graph.pack([1100], list(made.edges))
    places = laid_out(graph).places
    ends = places[graph.edges.T]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    spread = np.linalg.norm(places - places.mean(0), axis=1)
    assert np.median(lengths) < np.median(spread) / 3


def test_parts_of_a_graph_do_not_overlap():
    graph = Graph.pack(
        [20], [(0, 1), (1, 2), (2, 0), (3, 4), (5, 6), (6, 7), (7, 8), (8, 5), (5, 7)]
    )
    assert nearest(laid_out(graph).places) > 0.5


def nearest(places):
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    return distance[~np.eye(len(places), dtype=bool)].min()


def cross(a, b, c, d):
    def side(p, q, r):
        return np.sign(round((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]), 9))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
