"""Graphs from NetworkX, SciPy and PyTorch Geometric, and to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from algolens.arrays import NUMPY, Array, is_array, to
from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, at_both_links, column, picked, turned
from algolens.graphs.builder import GraphBuilder
from algolens.graphs.directions import undirected
from algolens.graphs.graph import Graph
from algolens.lazy import nx, require, sparse

if TYPE_CHECKING:
    from torch_geometric.data import Data

WEIGHTS = ("edge_weight", "edge_attr")

# ---- NetworkX


def from_networkx(source: nx.Graph, what: str = "the graph") -> Graph:
    """One NetworkX graph, directed or not.

    Node names are kept as text, and attributes as they are. Self-loops are left out, and parallel
    edges, which must agree, become one. The graph remembers both: an algorithm that would find
    something else with them refuses it, and otherwise the user is told.

    Parameters
    ----------
    source
        The graph.
    what
        What messages call it.

    Raises
    ------
    GraphError
        Where it has no nodes, nodes that read alike as text, or parallel edges that disagree.

    Examples
    --------
    >>> from_networkx(nx.petersen_graph())
    Graph(10 nodes, 15 edges)
    """
    return GraphBuilder.of_networkx(source, what).build().graph


def edges_as_named(graph: Graph) -> tuple[Array, dict[str, Attribute]]:
    """[2, E] the edges of one graph in the user's order and direction, and their attributes."""
    order = graph.named_order("edge")
    attributes = turned(graph.edge_attributes, to(graph.is_turned, NUMPY))
    named = {name: picked(values, order) for name, values in attributes.items()}
    return graph.ends("edge")[:, order], named


def to_networkx(graph: Graph) -> nx.Graph:
    """One graph as a NetworkX graph (a DiGraph where it is directed), with names and attributes."""
    only_one(graph, "to_networkx")
    result = nx.DiGraph() if graph.directed else nx.Graph()
    names: list[Any] = list(range(graph.num_nodes)) if graph.names is None else list(graph.names)
    for name, attributes in zip(names, _rows(graph.node_attributes, graph.num_nodes), strict=True):
        result.add_nodes_from([(name, attributes)])  # any name may be an attribute's
    edges, at_edges = edges_as_named(graph)
    for (u, v), attributes in zip(edges.T.tolist(), _rows(at_edges, graph.num_edges), strict=True):
        result.add_edges_from([(names[u], names[v], attributes)])
    result.graph.update(*_rows(graph.graph_attributes, 1))
    return result


def _rows(attributes: Mapping[str, Attribute], count: int) -> list[dict[str, Any]]:
    """The attributes of each node or edge by name, without those that it does not have."""
    values = {name: column.tolist() for name, column in attributes.items()}
    return [
        {name: column[place] for name, column in values.items() if column[place] is not None}
        for place in range(count)
    ]


def only_one(graph: Graph, what: str) -> None:
    """Refuses a batch of several graphs."""
    if graph.num_graphs != 1:
        raise GraphError(
            f"{what} converts one graph and {graph.num_graphs} came: take one with "
            "graph.take([i]).graph."
        )


# ---- SciPy


def from_scipy(matrix: Any, *, directed: bool | None = None) -> Graph:
    """One sparse matrix or array: an edge for each entry that is stored, from row to column.

    Its weight is the entry; entries that are true or false are edges without weights. Self-loops
    are left out. A place that is stored twice holds the sum, as in SciPy, and is a parallel edge.

    Parameters
    ----------
    matrix
        A square one.
    directed
        None means as the matrix is: undirected where it is symmetric, else directed. False joins
        both directions, which must then agree.

    Examples
    --------
    >>> from_scipy(sparse.csr_array([[0, 4, 0], [4, 0, 2], [0, 2, 0]]))
    Graph(3 nodes, 2 edges)
    """
    if not sparse.issparse(matrix) or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = getattr(matrix, "shape", None)
        raise GraphError(
            f"a graph is a square sparse matrix, and a {type(matrix).__name__} of shape {shape} "
            "came."
        )
    if not matrix.shape[0]:
        raise GraphError(
            "the matrix is empty: it has no rows; give a graph with at least one node."
        )
    entries = sparse.csr_array(matrix).copy()
    # triplets have an order of their own; other matrices go row by row
    stored = matrix if matrix.format == "coo" else entries.tocoo()
    ends = np.stack([stored.row, stored.col]).astype(np.int64)
    entries.sum_duplicates()
    summed = entries.tocoo()
    keys = summed.row.astype(np.int64) * len(entries.indptr) + summed.col
    weight = column(
        summed.data[np.searchsorted(keys, ends[0] * len(entries.indptr) + ends[1])].tolist()
    )
    at_edges = {} if weight.dtype == bool else {"weight": weight}
    graph = GraphBuilder("the matrix", True, range(matrix.shape[0]), ends, at_edges).build().graph
    if graph.parallel:
        graph = replace(
            graph,
            notes=("entries that the matrix stores at one place are added, as SciPy adds them.",),
        )
    back = np.lexsort(graph.edges)  # where each edge's reverse is, if the matrix is symmetric
    is_symmetric = np.array_equal(graph.edges[::-1, back], graph.edges) and all(
        np.array_equal(values[back], values) for values in graph.edge_attributes.values()
    )
    return graph if directed or (directed is None and not is_symmetric) else undirected(graph)


# ---- PyTorch Geometric


def from_pyg(data: Data, *, directed: bool = False) -> Graph:
    """One PyTorch Geometric ``Data``: ``edge_index`` both ways or one way.

    A column that stands twice is a parallel edge. Attributes with a row for each node, or for each
    column of ``edge_index``, are kept: ``wall`` under its name, ``edge_open`` as ``open`` of edges,
    and ``edge_weight`` or ``edge_attr`` as their weight. Where both directions of an undirected
    edge differ in ``edge_open``, the edge has ``open``, from the lower node to the higher, and
    ``open_back``. What is one value is kept as the graph's. Of other attributes a note says that
    they are left out.

    Parameters
    ----------
    data
        With ``edge_index`` and nodes.
    directed
        Whether every column of ``edge_index`` is an edge from its first node to its second.
    """
    require("torch_geometric")
    if data.num_nodes is None or data.num_nodes == 0 or data.edge_index is None:
        raise GraphError(f"{data} has no nodes or no edge_index; give a Data with both.")
    ends = data.edge_index.cpu().numpy()
    Graph.pack([data.num_nodes], ends.T)  # refuses ends that are no nodes
    at_nodes: dict[str, Attribute] = {}
    at_edges: dict[str, Attribute] = {}
    of_graph: dict[str, Attribute] = {}
    left_out: list[str] = []
    for key, value in data.to_dict().items():
        if key in ("edge_index", "num_nodes") or (key == "edge_attr" and "edge_weight" in data):
            continue
        is_list = isinstance(value, list | tuple) or (is_array(value) and value.ndim > 0)
        if is_list and is_array(value):
            values = to(value, NUMPY)
        else:
            values = column(list(value) if is_list else [value])
        rows = len(values) if is_list else -1
        if values.size == 1:
            of_graph[key] = column(values.reshape(-1).tolist())
        if rows == data.num_nodes and not key.startswith("edge_"):
            at_nodes[key] = values
        elif rows == ends.shape[1]:
            name = "weight" if key == "edge_attr" else key.removeprefix("edge_")
            if name in at_edges:
                raise GraphError(
                    f"{data} has two attributes that give the {name} of edges; keep one."
                )
            if values[:1].size > 1:
                raise GraphError(
                    f"{data} has {values[0].size} numbers for each edge; an edge has one {name}: "
                    "keep one column."
                )
            at_edges[name] = values.reshape(-1)
        elif key in WEIGHTS:
            raise GraphError(
                f"{data} has {ends.shape[1]} columns in edge_index, and {key} has not as many "
                "rows: give each one."
            )
        elif key not in of_graph:
            left_out.append(key)
    note = "left out is what has a row neither for each node nor for each edge: "
    builder = GraphBuilder(
        str(data),
        True,  # an undirected edge stands both ways
        range(data.num_nodes),
        ends,
        at_edges,
        at_nodes,
        of_graph,
        notes=[f"{note}{', '.join(left_out)}."] if left_out else [],
    )
    return builder.build(directed=directed).graph


def to_pyg(graph: Graph) -> Data:
    """One graph as PyTorch Geometric ``Data``, with its attributes by name.

    Every edge stands both ways, a directed one as it leads.
    """
    made = require("torch_geometric.data").Data
    only_one(graph, "to_pyg")
    attributes = {**graph.graph_attributes, **graph.node_attributes}
    at_links = graph.edge_attributes if graph.directed else at_both_links(graph.edge_attributes)
    graph = graph.to("cpu")
    order = graph.named_order("link")
    attributes |= {f"edge_{name}": picked(values, order) for name, values in at_links.items()}
    return made(
        edge_index=graph.links[:, order],
        num_nodes=graph.num_nodes,
        **{
            name: values.tolist() if values.dtype == object else to(values, "cpu")
            for name, values in attributes.items()
        },
    )
