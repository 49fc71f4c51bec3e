"""Graphs from arrays of edges: SciPy, PyTorch Geometric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from algolens.arrays import NUMPY, is_array, to
from algolens.errors import AlgoLensError, GraphError
from algolens.graphs.attributes import (
    Attribute,
    at_both_links,
    column,
    picked,
)
from algolens.graphs.convert import only_one
from algolens.graphs.directions import first_named, repeated_edges, undirected, values_of_edges
from algolens.graphs.elements import Location
from algolens.graphs.graph import Graph
from algolens.lazy import sparse

if TYPE_CHECKING:
    from torch_geometric.data import Data


WEIGHTS = ("edge_weight", "edge_attr")


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
    entries = sparse.csr_array(matrix)
    # by row, then by column, as edges are; of other formats, SciPy has just added what stands twice
    is_in_order = matrix.format == "csr" and bool(entries.has_canonical_format)
    if not is_in_order:
        entries = entries.copy()
        entries.sum_duplicates()
    ends = _ends(entries)
    is_edge = ends[0] != ends[1]
    values = entries.data[is_edge]
    packed = Graph.pack([matrix.shape[0]], ends[:, is_edge].T, directed=True)
    parallel = () if is_in_order else repeated_edges(packed, _ends(matrix))
    added = "entries that the matrix stores at one place are added, as SciPy adds them."
    graph = replace(
        packed,
        edge_attributes={} if values.dtype == bool else {"weight": _weights(values)},
        notes=(added,) if parallel else (),
        loops=tuple(ends[0, ~is_edge].tolist()),
        parallel=parallel,
        # triplets have an order of their own; other matrices go row by row, as edges do
        named_at=first_named(packed, _ends(matrix)) if matrix.format == "coo" else None,
    )
    is_symmetric = _is_symmetric(ends[:, is_edge], values)
    return graph if directed or (directed is None and not is_symmetric) else undirected(graph)


def _ends(matrix: Any) -> np.ndarray:
    stored = matrix.tocoo()
    return np.stack([stored.row, stored.col]).astype(np.int64)


def _weights(values: np.ndarray) -> Attribute:
    is_exact = values.dtype in (np.int64, np.float64)
    return values.copy() if is_exact else column(values.tolist())


def _is_symmetric(ends: np.ndarray, values: np.ndarray) -> bool:
    there, back = np.lexsort(ends[::-1]), np.lexsort(ends)
    return np.array_equal(ends[:, there], ends[::-1, back]) and np.array_equal(
        values[there], values[back]
    )


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
    _check_pyg()
    if data.num_nodes is None or data.num_nodes == 0 or data.edge_index is None:
        raise GraphError(f"{data} has no nodes or no edge_index; give a Data with both.")
    ends = data.edge_index.cpu().numpy()
    graph = Graph.pack([data.num_nodes], ends.T, directed=directed)
    at_nodes: dict[str, Attribute] = {}
    at_edges: dict[str, Attribute] = {}
    of_graph: dict[str, Attribute] = {}
    left_out: list[str] = []
    for key, value in data.to_dict().items():
        if key in ("edge_index", "num_nodes") or (key == "edge_attr" and "edge_weight" in data):
            continue
        rows = _num_rows(value)
        only = _only_value(value)
        if only:
            of_graph[key] = column(only)
        of_edges = key.startswith("edge_") or rows != data.num_nodes
        if not of_edges:
            at_nodes[key] = _attribute(value)
        elif rows == ends.shape[1]:
            name = "weight" if key == "edge_attr" else key.removeprefix("edge_")
            if name in at_edges:
                raise GraphError(
                    f"{data} has two attributes that give the {name} of edges; keep one."
                )
            at_edges[name] = _one_column(data, name, _attribute(value))
        elif key in WEIGHTS:
            raise GraphError(
                f"{data} has {ends.shape[1]} columns in edge_index, and {key} has not as many "
                "rows: give each one."
            )
        elif not only:
            left_out.append(key)

    def refuse(name: str, edge: int) -> GraphError:
        u, v = graph.edges[:, edge].tolist()
        return GraphError(f"{data} has edge ({u}, {v}) twice, with a different {name}; keep one.")

    note = "left out is what has a row neither for each node nor for each edge: "
    return replace(
        graph,
        node_attributes=at_nodes,
        edge_attributes=values_of_edges(graph, ends, at_edges, refuse),
        graph_attributes=of_graph,
        notes=(f"{note}{', '.join(left_out)}.",) if left_out else (),
        loops=tuple(np.unique(ends[0, ends[0] == ends[1]]).tolist()),
        parallel=repeated_edges(graph, ends),
        named_at=first_named(graph, ends),
    )


def _num_rows(value: Any) -> int:
    has_rows = isinstance(value, list | tuple) or (is_array(value) and value.ndim > 0)
    return len(value) if has_rows else -1


def _only_value(value: Any) -> list[Any]:
    """The one value that there is; none where there are several, or none."""
    if (rows := _num_rows(value)) != 1:
        return [value] if rows < 0 else []
    values = value.reshape(-1).tolist() if is_array(value) else value
    return list(values) if len(values) == 1 else []


def _attribute(value: Any) -> Attribute:
    return to(value, NUMPY) if is_array(value) else column(list(value))


def _one_column(data: Data, name: str, value: Attribute) -> Attribute:
    """One value for each column of ``edge_index``."""
    if value.ndim > 1:
        if value[0:1].size > 1:
            raise GraphError(
                f"{data} has {value[0].size} numbers for each edge; an edge has one {name}: "
                "keep one column."
            )
        return value.reshape(-1)
    return value


def to_pyg(graph: Graph) -> Data:
    """One graph as PyTorch Geometric ``Data``, with its attributes by name.

    Every edge stands both ways, a directed one as it leads.
    """
    _check_pyg()
    from torch_geometric.data import Data

    only_one(graph, "to_pyg")
    attributes = {**graph.graph_attributes, **graph.node_attributes}
    at_links = graph.edge_attributes if graph.directed else at_both_links(graph.edge_attributes)
    graph = graph.to("cpu")
    order = graph.named_order(Location.LINK)
    attributes |= {f"edge_{name}": picked(values, order) for name, values in at_links.items()}
    return Data(
        edge_index=graph.links[:, order],
        num_nodes=graph.num_nodes,
        **{
            name: values.tolist() if values.dtype == object else to(values, "cpu")
            for name, values in attributes.items()
        },
    )


def _check_pyg() -> None:
    try:
        import torch_geometric  # noqa: F401
    except ImportError as missing:
        raise AlgoLensError(
            "PyTorch Geometric is not installed: pip install 'algolens[pyg]'."
        ) from missing
