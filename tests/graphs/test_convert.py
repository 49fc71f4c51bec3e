"""Graphs come and go without loss."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx as pyg_from_networkx

from algolens.errors import GraphError
from algolens.graphs import Graph, from_networkx, from_pyg, to_networkx, to_pyg
from tests.strategies import directed_graphs, nameless, simple_graphs


@given(simple_graphs() | directed_graphs())
def test_networkx_round_trip(graph):
    named = nx.relabel_nodes(graph, {node: f"n{node}" for node in graph})
    for i, (u, v) in enumerate(named.edges):
        named.edges[u, v]["weight"] = i + 0.5
    for i, node in enumerate(named):
        named.nodes[node]["priority"] = i
    again = to_networkx(from_networkx(named))
    assert again.is_directed() == named.is_directed()
    assert nx.utils.graphs_equal(again, named)
    assert list(again) == list(named)


@given(simple_graphs())
def test_pyg_round_trip(graph):
    packed = nameless(graph)
    weight, priority = (
        np.random.default_rng(0).random(packed.num_edges),
        np.arange(packed.num_nodes),
    )
    ours = Graph(
        packed.node_counts,
        packed.edge_counts,
        packed.edges,
        None,
        {"priority": priority},
        {"weight": weight},
    )
    data = to_pyg(ours)
    again = from_pyg(data)
    assert data.is_undirected()
    assert np.array_equal(again.edges, ours.edges)
    assert again.edge_attributes["weight"].tolist() == weight.tolist()
    assert again.node_attributes["priority"].tolist() == priority.tolist()


@given(directed_graphs())
def test_pyg_round_trip_with_directions(graph):
    packed = from_networkx(graph)
    weight = np.arange(packed.num_edges)
    ours = replace(packed, names=None, edge_attributes={"weight": weight})
    data = to_pyg(ours)
    again = from_pyg(data, directed=True)
    assert again.directed
    assert set(map(tuple, data.edge_index.T.tolist())) == set(graph.edges)
    assert np.array_equal(again.edges, ours.edges)
    assert np.array_equal(again.edge_attributes.get("weight", weight), weight)


@given(simple_graphs())
def test_pyg_made_by_pyg(graph):
    assert np.array_equal(from_pyg(pyg_from_networkx(graph)).edges, nameless(graph).edges)


def test_self_loops_are_left_out_and_names_kept():
    graph = nx.Graph([("a", "b"), ("b", "b"), ("b", "c")])
    packed = from_networkx(graph)
    assert packed.num_edges == 2
    assert packed.names == ("a", "b", "c")


def test_misuse_is_refused_with_a_hint():
    with pytest.raises(GraphError, match="empty"):
        from_networkx(nx.Graph())
    with pytest.raises(GraphError, match="read alike"):
        from_networkx(nx.Graph([(1, "1")]))
    parallel = nx.MultiGraph()
    parallel.add_edge("x", "y", weight=1)
    parallel.add_edge("x", "y", weight=2)
    with pytest.raises(GraphError, match=r"edge \(x, y\) stands twice"):
        from_networkx(parallel)
    with pytest.raises(GraphError, match="2 came"):
        to_networkx(Graph.pack([1, 1], []))
    twice = Data(
        edge_index=torch.tensor([[0, 0], [1, 1]]), edge_weight=torch.tensor([1.0, 2.0]), num_nodes=2
    )
    with pytest.raises(GraphError, match=r"edge \(0, 1\) stands twice, once with weight 1.0"):
        from_pyg(twice, directed=True)
