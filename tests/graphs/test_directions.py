"""Directions of edges: the same from every form, forgotten on demand, never made up."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from algolens.algorithms import algorithm
from algolens.errors import GraphError
from algolens.graphs import (
    from_networkx,
    from_pyg,
    load_graph,
    read_graph_file,
    stream,
    to_networkx,
    undirected,
)
from tests.effort import examples
from tests.forms import every_form
from tests.strategies import directed_graphs, simple_graphs

with_files = settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])


def weighted(graph: nx.Graph) -> nx.Graph:
    """Every edge has a weight of its own, also where one leads back."""
    for i, edge in enumerate(graph.edges):
        graph.edges[edge]["weight"] = i + 1
    return graph


@given(directed_graphs().map(weighted))
@with_files
def test_every_form_keeps_directions_and_what_belongs_to_them(tmp_path, graph):
    expected = {(str(u), str(v)): weight for u, v, weight in graph.edges(data="weight")}
    for form, found in every_form(graph, tmp_path):
        assert found.directed, form
        named = [(found.name_of(u), found.name_of(v)) for u, v in found.edges.T.tolist()]
        weights = map(int, found.edge_attributes["weight"].tolist()) if named else ()
        assert dict(zip(named, weights, strict=True)) == expected, form


@given(directed_graphs())
@with_files
def test_without_directions_it_is_what_networkx_makes_undirected(tmp_path, graph):
    for u, v in graph.edges:
        graph.edges[u, v]["weight"] = u + v + 1  # the same both ways
    names = {node: str(node) for node in graph}
    expected = nx.relabel_nodes(graph.to_undirected(), names)
    for form, found in every_form(graph, tmp_path):
        plain = undirected(found)
        assert not plain.directed, form
        assert {
            frozenset((plain.name_of(u), plain.name_of(v))) for u, v in plain.edges.T.tolist()
        } == {frozenset(edge) for edge in expected.edges}, form
        for (u, v), weight in zip(
            plain.edges.T.tolist(), plain.edge_attributes.get("weight", np.zeros(0)), strict=True
        ):
            assert int(weight) == u + v + 1
        assert undirected(plain) is plain


@given(simple_graphs().map(weighted))
@with_files
def test_an_undirected_file_says_so_and_is_not_read_as_directed(tmp_path, graph):
    for form, found in every_form(graph, tmp_path):
        assert not found.directed, form
    for name in ("g.json", "g.graphml"):
        with pytest.raises(
            GraphError, match="is undirected and cannot be read as directed"
        ) as caught:
            read_graph_file(tmp_path / name, directed=True)
        assert "\n" not in str(caught.value)


def test_both_ways_with_different_weights_are_two_edges_or_one_with_a_way_back(tmp_path):
    (tmp_path / "g.csv").write_text("a,b,1\nb,a,2\n")
    assert read_graph_file(tmp_path / "g.csv", directed=True).edges.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(
        GraphError, match=r"stands twice.*say both ways in one, as weight and weight_b"
    ):
        read_graph_file(tmp_path / "g.csv")
    graph = nx.DiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": 2})])
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    nx.write_graphml(graph, tmp_path / "g.graphml")
    for name in ("g.json", "g.graphml"):
        assert nx.utils.graphs_equal(to_networkx(read_graph_file(tmp_path / name)), graph)
    data = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), edge_weight=torch.tensor([1, 2]))
    data.num_nodes = 2
    named = [read_graph_file(tmp_path / f"g.{end}", directed=False) for end in ("csv", "json")]
    for one in (*named, read_graph_file(tmp_path / "g.graphml", directed=False), from_pyg(data)):
        values = {name: list(map(int, value)) for name, value in one.edge_attributes.items()}
        assert (one.edges.tolist(), values) == ([[0], [1]], {"weight": [1], "weight_back": [2]})
        with pytest.raises(GraphError, match=r"kruskal reads one weight for every edge, and edge"):
            algorithm("kruskal").read(one, stream(0))


@given(st.sampled_from(["grid:9", "tree:7", "erdos_renyi:8"]), st.integers(0, 5))
def test_a_family_gets_directions_where_asked(name, seed):
    plain, directed = load_graph(name, seed), load_graph(name, seed, directed=True)
    assert (plain.directed, directed.directed) == (False, True)
    assert np.array_equal(undirected(directed).edges, plain.edges)


def test_a_built_in_is_as_networkx_has_it(monkeypatch):
    assert not load_graph("nx:petersen").directed
    with pytest.raises(GraphError, match="nx:petersen is undirected"):
        load_graph("nx:petersen", directed=True)
    monkeypatch.setattr(nx, "petersen_graph", lambda: nx.DiGraph([(1, 0), (0, 2)]))
    assert (
        load_graph("nx:petersen").edges.tolist()
        == from_networkx(nx.DiGraph([(1, 0), (0, 2)])).edges.tolist()
    )
    assert load_graph("nx:petersen").directed
    assert not load_graph("nx:petersen", directed=False).directed
