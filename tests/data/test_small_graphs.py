"""Small graphs that are tried: all there are, such as the algorithm takes, with inputs that it
takes.
"""

from __future__ import annotations

from itertools import islice, product
from math import comb

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import Node, algorithm, algorithms, check_inputs, number
from algolens.algorithms.bfs import Bfs
from algolens.algorithms.dijkstra import Dijkstra
from algolens.data import small_graphs
from algolens.data.small_graphs import (
    DIRECTIONS,
    MOST_NODES,
    WAYS,
    Trial,
    drawn,
    numbered_graphs,
    small_trials,
    with_ties_and_extremes,
)
from algolens.errors import GraphError
from algolens.graphs import Graph, to_networkx
from tests.effort import examples, in_proportion, is_thorough

ORDERS_WITH_TIES = (1, 1, 3, 13, 75, 541)  # of 0, 1, 2, ... elements (the Fubini numbers)


def edge_sets(graph: Graph) -> list[frozenset[tuple[int, int]]]:
    ends = (graph.edges - graph.first_node[graph.node_owner[graph.edges]]).T.tolist()
    pairs = iter(map(tuple, ends))
    return [frozenset(islice(pairs, count)) for count in graph.edge_counts.tolist()]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("nodes", [1, 2, 3, 4])
def test_all_graphs_are_there_in_every_numbering(nodes, directed):
    graph = numbered_graphs(nodes, directed=directed)
    pairs = [(u, v) for u, v in product(range(nodes), repeat=2) if (u != v if directed else u < v)]
    every = edge_sets(graph)
    assert len(every) == len(set(every)) == 2 ** len(pairs)
    assert graph.directed is directed
    sizes = [len(each) for each in every]
    assert sizes == sorted(sizes)
    if not directed:  # up to numbering they are those of NetworkX's atlas
        kinds: list[nx.Graph] = []
        for place in range(graph.num_graphs):
            one = to_networkx(graph.take([place]).graph)
            if not any(nx.is_isomorphic(one, other) for other in kinds):
                kinds.append(one)
        assert len(kinds) == sum(len(each) == nodes for each in nx.graph_atlas_g())


def taken(name: str) -> tuple[object, ...]:
    """What an algorithm takes, and how it draws and checks that."""
    cls, inputs = algorithms()[name], algorithm(name).declaration.inputs
    return cls.graphs, cls.loops_matter, cls.sample, cls.check, cls.checks, repr(inputs)


# of algorithms that take the same, one is tried
TAKEN = sorted({taken(name): name for name in sorted(algorithms(), reverse=True)}.values())


@pytest.mark.parametrize("name", TAKEN)
def test_no_trial_is_one_that_the_algorithm_refuses(name, monkeypatch):
    """On every graph of its kinds, with inputs as a user may give them; nothing is left out."""
    monkeypatch.setattr(small_graphs, "MOST_RUNS", in_proportion(8_000))
    most = MOST_NODES if is_thorough() else {False: 4, True: 3}
    monkeypatch.setattr(small_graphs, "MOST_NODES", most)
    chosen = algorithm(name)
    kinds = {"undirected": {False}, "directed": {True}, "any": {False, True}}[chosen.graphs]
    seen: dict[bool, set[tuple[int, frozenset[tuple[int, int]]]]] = {
        directed: set() for directed in kinds
    }
    for trial in small_trials(chosen):
        assert trial.num_refused == 0
        for run in trial.runs:
            check_inputs(chosen, run.graph, run.inputs)
            assert run.graph.directed is trial.directed
            seen[trial.directed] |= {(trial.nodes, each) for each in edge_sets(run.graph)}
    for directed, graphs in seen.items():
        sizes = range(1, most[directed] + 1)
        assert len(graphs) == sum(2 ** (comb(n, 2) * (1 + directed)) for n in sizes)


@pytest.mark.parametrize(
    "name",
    ["dijkstra", "bellman_ford", "activity_selection", "order_statistic", "kruskal", "coloring"],
)
def test_draws_have_ties_and_extremes_where_numbers_may_be_equal(name):
    chosen = algorithm(name)
    numbers = {
        each: field for each, field in chosen.declaration.inputs.items() if field.kind == "number"
    }
    ties: set[str] = set()
    values: dict[str, set[int]] = {each: set() for each in numbers}
    for trial in small_trials(chosen):
        for run in trial.runs if not trial.has_every_input else ():
            for each, field in numbers.items():
                given, owner = run.inputs[each], run.graph.owner(field.at)
                values[each] |= set(given.tolist())
                pairs = torch.stack([owner, given], 1)
                ties |= {each} if len(pairs.unique(dim=0)) < len(pairs) else set()
    per_element = {each for each, field in numbers.items() if field.at != "graph"}
    assert ties == per_element
    for each in per_element:
        assert {*numbers[each].bounds} <= values[each]


@examples(20)
@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3, 24, 62]), st.booleans())
def test_moved_numbers_keep_their_order_or_become_equal(seed, bits, signed):
    rng = np.random.default_rng(seed)
    graph = Graph.pack([3] * 40, []).to("cpu")
    fields = {name: Node(number(bits, signed=signed)) for name in ("mine", "theirs")}
    sampled = drawn(fields, graph, rng)
    moved = with_ties_and_extremes(fields, graph, sampled, torch.arange(40) % WAYS, rng)
    for name, field in fields.items():
        assert not field.outside(graph, moved[name]).any()
    below = (sampled["mine"] <= sampled["theirs"], moved["mine"] <= moved["theirs"])
    above = (sampled["mine"] >= sampled["theirs"], moved["mine"] >= moved["theirs"])
    assert not (below[0] & ~below[1]).any()
    assert not (above[0] & ~above[1]).any()
    assert (moved["mine"] == moved["theirs"]).float().mean() > 0.3  # a game of two: some draw


def test_numbers_that_must_differ_do():
    rng = np.random.default_rng(0)
    graph = Graph.pack([5] * 40, []).to("cpu")
    fields = {"key": Node(number(10, distinct="graph"))}
    sampled = drawn(fields, graph, rng)
    moved = with_ties_and_extremes(fields, graph, sampled, torch.arange(40) % WAYS, rng)
    check = moved["key"].view(40, 5)
    assert all(len(set(row.tolist())) == 5 for row in check)
    assert (check.argsort(1) == sampled["key"].view(40, 5).argsort(1)).all()
    assert {0, 1023} <= set(moved["key"].tolist())


# ---- every input


def with_every_input(name: str) -> dict[tuple[bool, int], Trial]:
    return {
        (each.directed, each.nodes): each
        for each in small_trials(algorithm(name))
        if each.has_every_input
    }


def test_every_source_is_tried_on_every_graph():
    trials = with_every_input("bfs")
    assert set(trials) == {(False, n) for n in range(1, 6)} | {(True, n) for n in range(1, 5)}
    for (directed, nodes), trial in trials.items():
        pairs = [
            (graph, source)
            for run in trial.runs
            for graph, source in zip(
                edge_sets(run.graph), run.inputs["source"].tolist(), strict=True
            )
        ]
        assert len(pairs) == len(set(pairs)) == nodes * 2 ** (comb(nodes, 2) * (1 + directed))


def test_every_order_is_tried_ties_among_them():
    for (directed, nodes), trial in with_every_input("minimum").items():
        tried = [
            (graph, tuple(keys))
            for run in trial.runs
            for graph, keys in zip(
                edge_sets(run.graph), run.inputs["key"].view(-1, nodes).tolist(), strict=True
            )
        ]
        assert (
            len(tried)
            == len(set(tried))
            == ORDERS_WITH_TIES[nodes] * 2 ** (comb(nodes, 2) * (1 + directed))
        )


def test_an_order_has_no_ties_where_neighbours_must_differ():
    """As many orders of a triangle's nodes as there are permutations, and all orders where no edge
    is.
    """
    (trial,) = (each for each in small_trials(algorithm("coloring")) if each.nodes == 3)
    assert trial.has_every_input
    counts: dict[int, int] = {}
    for run in trial.runs:
        for edges in run.graph.edge_counts.tolist():
            counts[edges] = counts.get(edges, 0) + 1
    assert counts[0] == ORDERS_WITH_TIES[3]
    assert counts[3] == 6
    # three graphs of one edge; its ends are equal in 3 of 13 orders
    assert counts[1] == 3 * (13 - 3)


# ---- what is refused


class Busy(Bfs):
    """Takes graphs of two edges and more."""

    name = "busy"

    def check(self, graph, inputs):
        if bool((graph.edge_counts < 2).any()):
            raise GraphError("too few edges: give more.")


class BusyByDraws(Dijkstra):
    """And has more inputs than can be gone through."""

    name = "busy_by_draws"
    check = Busy.check


@pytest.mark.parametrize("cls", [Busy, BusyByDraws])
def test_what_is_refused_is_left_out_and_counted(cls):
    for trial in small_trials(cls()):
        pairs = comb(trial.nodes, 2) * (1 + trial.directed)
        assert trial.has_every_input is (cls is Busy)
        each = trial.nodes if trial.has_every_input else WAYS
        assert trial.num_refused == (1 + pairs) * each
        assert sum(run.graph.num_graphs for run in trial.runs) == (2**pairs - 1 - pairs) * each
        assert all(int(run.graph.edge_counts.min()) >= 2 for run in trial.runs)


def test_an_algorithm_takes_the_graphs_it_says():
    assert DIRECTIONS[algorithm("topological_sort").graphs] == (True,)
    assert DIRECTIONS[algorithm("bfs").graphs] == (False, True)
    assert DIRECTIONS[algorithm("kruskal").graphs] == (False,)
