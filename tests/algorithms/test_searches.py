"""What depth-first searches find out, against NetworkX."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.engines import Run, Stopped, run_algorithm
from algolens.errors import InputError
from algolens.graphs import Graph
from tests.strategies import batches, parts


@given(batches())
def test_articulation_points_are_those_of_networkx(graph):
    run = run_algorithm(algorithm("articulation_points"), graph, {})
    assert (run.stopped == Stopped.BY_RULE).all()
    for i, part in enumerate(parts(graph)):
        assert marked(run.take([i]), "is_cut") == set(nx.articulation_points(part))


@given(batches())
def test_bridges_are_those_of_networkx(graph):
    run = run_algorithm(algorithm("bridges"), graph, {})
    assert (run.stopped[graph.edge_counts > 0] == Stopped.BY_RULE).all()
    for i, part in enumerate(parts(graph)):
        alone = run.take([i])
        found = alone.graph.edges.T[alone.final("is_bridge")].tolist()
        assert {tuple(edge) for edge in found} == {tuple(sorted(edge)) for edge in nx.bridges(part)}


@st.composite
def directed_graphs(draw: st.DrawFn, max_nodes: int = 8, acyclic: bool = False) -> Graph:
    num_nodes = draw(st.integers(1, max_nodes))
    pairs = [
        (u, v) for u in range(num_nodes) for v in range(num_nodes) if (u < v if acyclic else u != v)
    ]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=24)) if pairs else []
    order = draw(st.permutations(range(num_nodes)))
    return Graph.pack([num_nodes], [(order[u], order[v]) for u, v in edges], directed=True)


def as_networkx(graph: Graph) -> nx.DiGraph:
    found = nx.empty_graph(graph.num_nodes, create_using=nx.DiGraph)
    found.add_edges_from(graph.edges.T.tolist())
    return found


@given(directed_graphs())
def test_strong_components_are_those_of_networkx(graph):
    run = run_algorithm(algorithm("strong_components"), graph, {})
    assert (run.stopped == Stopped.BY_RULE).all()
    component = run.final("component")
    found = {frozenset(np.flatnonzero(component == root).tolist()) for root in component}
    assert found == {
        frozenset(each) for each in nx.strongly_connected_components(as_networkx(graph))
    }
    assert (component[component] == component).all()  # all point to one of their own


@given(directed_graphs(acyclic=True))
def test_in_the_order_of_a_search_every_edge_leads_forward(graph):
    run = run_algorithm(algorithm("dfs_topological_sort"), graph, {})
    assert not run.final("is_cyclic").any()
    place = {node: i for i, node in enumerate(chain(run))}
    assert sorted(place) == list(range(graph.num_nodes))
    assert all(place[u] < place[v] for u, v in graph.edges.T.tolist())


@given(directed_graphs())
def test_a_cycle_is_told(graph):
    run = run_algorithm(algorithm("dfs_topological_sort"), graph, {})
    assert bool(run.final("is_cyclic")) != nx.is_directed_acyclic_graph(as_networkx(graph))


def chain(run: Run) -> list[int]:
    """The nodes in the order that a run gave."""
    follower, node = run.final("follower").tolist(), int(np.flatnonzero(run.final("is_first"))[0])
    found = [node]
    while follower[node] != node:
        node = follower[node]
        found.append(node)
    return found


def marked(run: Run, name: str) -> set[int]:
    return set(run.final(name).nonzero().flatten().tolist())


@given(st.lists(st.integers(0, 7), min_size=1, max_size=12))
def test_minimum_and_order_are_python_s_own_with_equals_in_their_order(numbers):
    graph, inputs = Graph.pack([len(numbers)], []), {"key": torch.tensor(numbers)}
    least = run_algorithm(algorithm("minimum"), graph, inputs)
    assert marked(least, "is_least") == {numbers.index(min(numbers))}
    order = sorted(range(len(numbers)), key=lambda i: numbers[i])
    predecessor = run_algorithm(algorithm("selection_sort"), graph, inputs).final(
        "predecessor_in_order"
    )
    assert predecessor[order].tolist() == [order[0], *order[:-1]]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), min_size=1, max_size=8))
def test_selected_activities_do_not_overlap_and_none_could_be_added(activities):
    begin = torch.tensor([begin for begin, _ in activities])
    end = begin + torch.tensor([length for _, length in activities])
    run = run_algorithm(
        algorithm("activity_selection"),
        Graph.pack([len(activities)], []),
        {"begin": begin, "end": end},
    )
    chosen = [(int(begin[i]), int(end[i])) for i in marked(run, "selected")]
    assert compatible(chosen)
    most = max(
        len(some)
        for code in range(2 ** len(activities))
        if compatible(
            some := [
                (int(b), int(e))
                for i, (b, e) in enumerate(zip(begin, end, strict=True))
                if code >> i & 1
            ]
        )
    )
    assert len(chosen) == most


def test_an_activity_that_ends_before_it_begins_is_refused():
    with pytest.raises(InputError, match="begins at 5 and ends at 3"):
        run_algorithm(
            algorithm("activity_selection"),
            Graph.pack([1], []),
            {"begin": torch.tensor([5]), "end": torch.tensor([3])},
        )


def compatible(times: list[tuple[int, int]]) -> bool:
    ordered = sorted(times)
    return all(one[1] <= other[0] for one, other in pairwise(ordered))
