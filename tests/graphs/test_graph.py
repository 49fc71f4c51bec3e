"""Laws of packed graphs, against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import GraphError
from algolens.graphs import LOCATIONS, Graph, from_networkx
from algolens.graphs.directions import undirected
from tests.strategies import batches, parts, simple_graphs, streams


@given(batches())
def test_counts_and_owners(graph):
    alone = parts(graph)
    assert graph.node_counts.tolist() == [part.number_of_nodes() for part in alone]
    assert graph.edge_counts.tolist() == [part.number_of_edges() for part in alone]
    assert (graph.node_owner[graph.edges] == graph.edge_owner).all()
    assert (graph.edges[0] < graph.edges[1]).all()
    assert (graph.arcs[1].diff() >= 0).all()
    for location in LOCATIONS:
        assert (
            len(graph.owner(location)) == graph.count(location) == int(graph.counts(location).sum())
        )
        # a link has its edge's place, and the links of a graph do not stand together
        if location == "link":
            continue
        assert np.array_equal(
            graph.first(location)[graph.owner(location)] + graph.place(location),
            np.arange(graph.count(location)),
        )


@given(batches())
def test_arcs_are_the_edges_both_ways_and_self_loops(graph):
    wanted = {(u, v) for u, v in graph.edges.T.tolist()}
    wanted |= {(v, u) for u, v in wanted} | {(v, v) for v in range(graph.num_nodes)}
    assert sorted(map(tuple, graph.arcs.T.tolist())) == sorted(wanted)


@given(batches(), st.data())
def test_reductions_over_neighbours(graph, data):
    size = {"min_size": graph.num_nodes, "max_size": graph.num_nodes}
    mask = data.draw(st.lists(st.booleans(), **size))
    found = graph.any_over_neighbours(np.array(mask))
    found_or_self = graph.any_over_neighbours(np.array(mask), with_self=True)
    for i, part in enumerate(parts(graph)):
        first = int(graph.first_node[i])
        for node in part:
            neighbours = [first + other for other in part[node]]
            assert found[first + node] == any(mask[j] for j in neighbours)
            assert found_or_self[first + node] == any(mask[j] for j in [*neighbours, first + node])


@given(batches(), st.data())
def test_reductions_over_graphs(graph, data):
    for location in ("node", "edge"):
        size = {"min_size": graph.count(location), "max_size": graph.count(location)}
        mask = data.draw(st.lists(st.booleans(), **size))
        least = data.draw(st.sampled_from([0, 2**52 - 6, 2**62 - 6]))  # numbers have up to 62 bits
        values = data.draw(st.lists(st.integers(least, least + 5), **size))
        found = graph.any_per_graph(np.array(mask, dtype=bool), location)
        place, there = graph.argmin_per_graph(
            np.array(values, dtype=np.int64),
            location,
            where=np.array(mask, dtype=bool),
        )
        for i in range(graph.num_graphs):
            first, count = int(graph.first(location)[i]), int(graph.counts(location)[i])
            marked = [j for j in range(count) if mask[first + j]]
            assert found[i] == there[i] == bool(marked)
            if marked:
                assert place[i] == min(marked, key=lambda j: (values[first + j], j))


@given(batches(), st.data())
def test_taking_and_joining(graph, data):
    order = data.draw(st.permutations(range(graph.num_graphs)))
    taken = graph.take(order)
    joined = Graph.join([graph.take([i]).graph for i in order])
    assert np.array_equal(taken.graph.edges, joined.edges)
    assert np.array_equal(taken.graph.node_counts, joined.node_counts)
    assert np.array_equal(graph.node_owner[taken.nodes], taken.graphs[taken.graph.node_owner])
    assert np.array_equal(graph.place("edge")[taken.edges], taken.graph.place("edge"))


@given(batches(), streams())
def test_relabelling_keeps_the_graphs_but_for_names(graph, rng):
    again = graph.relabelled(rng)
    for one, other in zip(parts(graph), parts(again), strict=True):
        assert sorted(d for _, d in one.degree) == sorted(d for _, d in other.degree)


@given(simple_graphs())
def test_packing_ignores_loops_and_doubles(graph):
    edges = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    doubled = np.concatenate(
        [edges, edges[:, ::-1], np.repeat(np.arange(len(graph)), 2).reshape(-1, 2)]
    )
    assert np.array_equal(Graph.pack([len(graph)], doubled).edges, from_networkx(graph).edges)


def test_misuse_is_refused_with_a_hint():
    with pytest.raises(GraphError, match="unknown node: nodes are numbered 0 to 2"):
        Graph.pack([3], [(0, 3)])
    with pytest.raises(GraphError, match="joins graph 0 to graph 1"):
        Graph.pack([2, 2], [(1, 2)])
    with pytest.raises(GraphError, match="has no nodes"):
        Graph.pack([2, 0], [])
    with pytest.raises(GraphError, match="at least one"):
        Graph.join([])


@pytest.mark.parametrize(
    ("counts", "edges", "complaint"),
    [
        (
            [3],
            np.array([[0, 1, 2], [1, 2, 0]]),
            r"edges came as \[2, 3\]: give pairs of nodes, \[E, 2\]",
        ),
        ([3], [0, 1], r"edges came as \[2\]"),
        ([3], [(0.7, 1.0)], "edges came as float64: give whole numbers"),
        ([3], [(False, True)], "edges came as bool"),
        ([2.5], [(0, 1)], "numbers of nodes came as float64"),
    ],
)
def test_what_would_be_another_graph_is_refused(counts, edges, complaint):
    with pytest.raises(GraphError, match=complaint):
        Graph.pack(counts, edges)


def test_a_mask_is_not_taken_for_numbers_of_graphs():
    with pytest.raises(GraphError, match=r"graphs are named by bool: .*nonzero"):
        Graph.pack([1, 1, 1], []).take(np.array([True, False, True]))
    assert Graph.pack([1, 1, 1], []).take([]).graph.num_graphs == 0


def test_self_loops_and_parallel_edges_stay_known_in_any_company():
    source = nx.MultiDiGraph([(0, 0), (0, 1), (1, 2), (1, 2), (2, 1)])
    one = from_networkx(source)
    batch = Graph.join([one, from_networkx(nx.DiGraph([(0, 1)])), one]).to("cpu")
    assert (batch.loops, batch.parallel) == ((0, 5), (1, 5))
    taken = batch.take([2, 1]).graph
    assert (taken.loops, taken.parallel) == ((0,), (1,))
    assert taken.edges[:, 1].tolist() == [1, 2]
    joined = undirected(one)
    assert (joined.loops, joined.parallel, joined.edges.T.tolist()) == (
        (0,),
        (1,),
        [[0, 1], [1, 2]],
    )
    assert undirected(from_networkx(nx.DiGraph([(0, 1), (1, 0)]))).parallel == ()
