"""A graph gives the same run wherever it comes from."""

from __future__ import annotations

import json
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx as pyg_of_networkx

import algolens as al
from algolens.errors import AlgoLensError, GraphError
from algolens.graphs import Graph, from_networkx, from_pandas, from_scipy, to_networkx


@st.composite
def weighted(draw, directed: bool = False) -> nx.Graph:
    """A graph of nodes 0, 1, ... with a whole weight at every edge."""
    count = draw(st.integers(1, 7))
    pairs = [(u, v) for u in range(count) for v in range(count) if (u != v if directed else u < v)]
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(count))
    for u, v in draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []:
        graph.add_edge(u, v, weight=draw(st.integers(1, 200)))
    return graph


def forms(graph: nx.Graph, folder) -> dict[str, tuple[Any, Any]]:
    """The same graph in every form that is read, nodes being their numbers."""
    rows = pd.DataFrame(
        [(u, v, data["weight"]) for u, v, data in graph.edges(data=True)],
        columns=["source", "target", "weight"],
    )
    lone = pd.DataFrame({"node": list(graph)})
    rows.to_csv(folder / "edges.csv", index=False)
    lone.to_csv(folder / "nodes.csv", index=False)
    rows.to_parquet(folder / "edges.parquet")
    lone.to_parquet(folder / "nodes.parquet")
    data = pyg_of_networkx(graph, group_edge_attrs=["weight"] if graph.edges else None)
    data.num_nodes = len(graph)
    matrix = nx.to_scipy_sparse_array(graph, nodelist=range(len(graph)))
    return {
        "networkx": (graph, None),
        "pyg": (data, None),
        "scipy": (matrix, None),
        "scipy matrix": (sparse.csc_matrix(matrix), None),
        "pandas": (rows, lone),
        "arrow": (pa.Table.from_pandas(rows), pa.Table.from_pandas(lone)),
        "parquet": (folder / "edges.parquet", folder / "nodes.parquet"),
        "path": (folder / "edges.csv", folder / "nodes.csv"),
        "text": (str(folder / "edges.csv"), str(folder / "nodes.csv")),
        "own": (from_networkx(graph), None),
    }


@given(weighted())
@settings(max_examples=6)
def test_a_run_is_the_same_from_every_form(tmp_path_factory, graph):
    found = {}
    for name, (form, nodes) in forms(graph, tmp_path_factory.mktemp("forms")).items():
        ran = al.execute("dijkstra", form, source=0, nodes=nodes)
        found[name] = (
            {str(node): value for node, value in ran.result["distance"].items()},
            ran.steps,
        )
    distances = nx.single_source_dijkstra_path_length(graph, 0)
    assert found["networkx"][0] == {str(node): distances.get(node) for node in graph}
    assert all(each == found["networkx"] for each in found.values()), found


@given(weighted(directed=True))
@settings(max_examples=6)
def test_directions_are_the_same_from_every_form(tmp_path_factory, graph):
    distances = nx.single_source_dijkstra_path_length(graph, 0)
    for form, nodes in forms(graph, tmp_path_factory.mktemp("forms")).values():
        ran = al.execute("dijkstra", form, source=0, nodes=nodes, directed=True)
        assert {str(node): value for node, value in ran.result["distance"].items()} == {
            str(node): distances.get(node) for node in graph
        }


def test_nodes_are_what_the_user_has():
    grid = nx.grid_2d_graph(2, 3)
    found = al.execute("bfs_tree", grid, source=(0, 0))
    assert found.nodes == tuple(grid)
    assert found.result["parent"][(1, 2)] in grid
    table = pd.DataFrame(
        {"source": ["Mill", "Well"], "target": ["Well", "Bridge"], "open": [True, False]}
    )
    assert al.execute("bfs", table, source="Mill").nodes == ("Mill", "Well", "Bridge")
    assert al.execute("bfs", sparse.csr_array([[0, 1], [1, 0]])).nodes == (0, 1)
    assert al.execute("bfs", "nx:petersen").nodes[0] == "0"
    assert al.execute("bfs", "grid:4").nodes == (0, 1, 2, 3)
    assert al.execute("bfs", Graph.pack([2], [(0, 1)])).nodes == (0, 1)


def test_names_are_matched_letter_by_letter():
    for graph in (
        nx.path_graph(["a", " a", "a "]),
        pd.DataFrame({"source": ["a", " a"], "target": [" a", "a "]}),
    ):
        for source in ("a", " a", "a "):
            found = al.execute("bfs_tree", graph, source=source)
            assert [node for node, parent in found.result["parent"].items() if parent is None] == [
                source
            ]
    with pytest.raises(AlgoLensError, match="no node is called 'a  '"):
        al.execute("bfs", nx.path_graph(["a", "a "]), source="a  ")


def test_parallel_edges_of_every_form_are_told_or_refused(tmp_path):
    pairs = [("0", "1"), ("0", "1"), ("1", "2")]
    (tmp_path / "g.csv").write_text("".join(f"{u},{v}\n" for u, v in pairs))
    multi = nx.MultiGraph(pairs)
    nx.write_graphml(multi, tmp_path / "g.graphml")
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(multi, edges="edges")))
    ends = torch.tensor([[0, 0, 1, 1, 1, 2], [1, 1, 0, 0, 2, 1]])
    matrix = sparse.coo_array((np.ones(6), (ends[0].numpy(), ends[1].numpy())), shape=(3, 3))
    table = pd.DataFrame(pairs, columns=["source", "target"])
    files = [str(tmp_path / name) for name in ("g.csv", "g.graphml", "g.json")]
    for graph in (
        multi,
        table,
        matrix,
        Data(edge_index=ends, num_nodes=3),
        from_networkx(multi),
        *files,
    ):
        told = al.execute("bfs", graph, source=0)
        assert "edge (0, 1) stands more than once, and is read as one edge." in told.notes
        with pytest.raises(
            GraphError,
            match=r"edge \(0, 1\) stands more than once, which changes what bridges finds",
        ):
            al.execute("bridges", graph)
    simple = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    assert al.execute("bridges", simple).result["is_bridge"] == {(0, 1): True, (1, 2): True}


def test_a_sparse_matrix_is_read_as_it_is_stored():
    symmetric = from_scipy(
        sparse.coo_array(([2.5, 2.5, 0.0, 0.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    )
    assert not symmetric.directed
    # an entry that is stored is an edge
    assert symmetric.edge_attributes["weight"].tolist() == [2.5, 0.0]
    upper = from_scipy(sparse.csr_array(np.triu(np.ones((3, 3)), 1)))
    assert upper.directed
    assert upper.num_edges == 3
    assert not from_scipy(sparse.csr_array(np.triu(np.ones((3, 3)), 1)), directed=False).directed
    twice = sparse.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(2, 2))
    assert from_scipy(twice).edge_attributes["weight"].tolist() == [3]  # as SciPy has it
    assert from_scipy(twice).parallel == (0,)
    assert twice.nnz == 2  # and it is left as it was
    loops = from_scipy(sparse.csr_array(np.eye(2, dtype=bool)))
    assert (loops.loops, loops.edge_attributes) == ((0, 1), {})


def test_a_large_matrix_is_symmetric_whatever_its_indices_are():
    # whose places row * count + column differ by 2 ** 32
    ends = np.array([[0, 42_950], [40_000, 7_296]], dtype=np.int32)
    both = np.hstack([ends, ends[::-1]])
    found = from_scipy(
        sparse.coo_array(([1, 2, 1, 2], (both[0], both[1])), shape=(100_000, 100_000))
    )
    assert not found.directed
    assert found.edges.T.tolist() == [[0, 40_000], [7_296, 42_950]]
    assert found.edge_attributes["weight"].tolist() == [1, 2]


def test_parallel_edges_may_carry_arrays():
    twice = nx.MultiGraph([(0, 1, {"feature": np.ones(2)}), (0, 1, {"feature": np.ones(2)})])
    assert from_networkx(twice).num_edges == 1
    twice.add_edge(0, 1, feature=np.ones(3))
    with pytest.raises(GraphError, match="stands twice"):
        from_networkx(twice)


@given(weighted())
@settings(max_examples=6)
def test_a_matrix_and_a_table_hold_what_networkx_holds(graph):
    matrix = nx.to_scipy_sparse_array(graph, nodelist=range(len(graph)))
    assert nx.utils.graphs_equal(to_networkx(from_scipy(matrix)), graph)
    rows = pd.DataFrame(
        [(u, v, d["weight"]) for u, v, d in graph.edges(data=True)],
        columns=["source", "target", "weight"],
    )
    named = nx.relabel_nodes(graph, str)
    assert nx.utils.graphs_equal(
        to_networkx(from_pandas(rows, pd.DataFrame({"node": list(graph)}))), named
    )


def test_a_table_of_nodes_gives_attributes_and_lone_nodes():
    edges = pd.DataFrame({"source": [0], "target": [1]})
    nodes = pd.DataFrame({"node": [0, 1, 2], "priority": [5, 9, 1]})
    found = al.execute("coloring", edges, nodes=nodes)
    assert found.notes == ()
    assert found.run.graph.node_attributes["priority"].tolist() == [5, 9, 1]
    assert found.result["color"] == {0: "2", 1: "1", 2: "1"} or found.result["color"] == {
        0: 2,
        1: 1,
        2: 1,
    }


ONE = pd.DataFrame({"source": ["a"], "target": ["b"]})


@pytest.mark.parametrize(
    ("graph", "more", "complaint"),
    [
        (3, {}, "a graph is a NetworkX graph, .*; a int of builtins came"),
        (np.eye(3), {}, "a ndarray of numpy came"),
        (None, {}, "a NoneType of builtins came"),
        (nx.Graph(), {}, "is empty"),
        (sparse.csr_array((0, 0)), {}, "the matrix is empty"),
        (sparse.csr_array((2, 3)), {}, "a square sparse matrix, and a csr_array of shape"),
        (pd.DataFrame({"from": [1], "to": [2]}), {}, "no column 'source'; it has from, to"),
        (
            pd.DataFrame({"source": [1, None], "target": [2, 3]}),
            {},
            "row 1 of the table of edges: the source is missing",
        ),
        (
            pd.DataFrame({"source": [1, 1], "target": [2, 2], "weight": [1, 2]}),
            {},
            "edge .* stands twice",
        ),
        (ONE, {"nodes": pd.DataFrame({"name": ["a"]})}, "the table of nodes has no column 'node'"),
        (ONE, {"nodes": pd.DataFrame({"node": ["a", "a"]})}, "node 'a' stands twice"),
        (ONE, {"nodes": 3}, "nodes= came as a int"),
        (
            ONE,
            {"nodes": "nowhere.csv"},
            "nowhere.csv: there is no such file. Give a table of nodes",
        ),
        (
            nx.path_graph(2),
            {"nodes": "nowhere.txt"},
            "nowhere.txt: there is no such file. Give a table of nodes",
        ),
        (nx.Graph([(1, "1")]), {}, r"different nodes that read alike as text \('1'\)"),
        (ONE, {"directed": "no"}, "directed='no' is neither True nor False"),
        (
            Data(edge_index=torch.tensor([[0], [1]]), edge_weight=torch.ones(2), num_nodes=2),
            {},
            "edge_weight has not as many",
        ),
        (
            sparse.csr_array((2, 2)),
            {"nodes": ONE},
            "nodes= goes with a file, a NetworkX graph or a table",
        ),
        (
            "nx:petersen",
            {"nodes": ONE},
            "nodes= came as a DataFrame, and nx:petersen is read from a file",
        ),
        ("nowhere.csv", {}, "there is no such file"),
        (nx.path_graph(2), {"directed": True}, "is undirected and cannot be read as directed"),
        (Graph.pack([1, 1], []), {}, "one graph is run at a time, and 2 came"),
    ],
)
def test_what_is_no_graph_is_refused_in_one_line(graph, more, complaint):
    with pytest.raises(GraphError, match=complaint) as refused:
        al.execute("bfs", graph, **more)
    assert "\n" not in str(refused.value)
