"""Graphs from arrays of edges: SciPy, PyTorch Geometric; and directions kept or forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from algolens.errors import AlgoLensError, GraphError
from algolens.graphs.attributes import Attribute, column, joined, picked
from algolens.graphs.convert import only_one
from algolens.graphs.elements import Location
from algolens.graphs.graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Data


WEIGHTS = ("edge_weight", "edge_attr")


# ---- edges that stand several times


def _edge_indices(graph: Graph, ends: np.ndarray) -> np.ndarray:
    """[E'] the edge of the graph between each of [2, E'] ends; below 0 for a self-loop."""
    first, second = ends if graph.directed else (ends.min(0), ends.max(0))
    tails, heads = graph.edges.numpy()
    keys = tails * graph.num_nodes + heads  # in order, as edges are
    indices = np.searchsorted(keys, first * graph.num_nodes + second)
    return np.where(first == second, -1 - first, indices)


def _repeated(graph: Graph, ends: np.ndarray) -> tuple[int, ...]:
    """The edges that stand more than once among [2, E'] ends; once each way counts as once."""
    indices = _edge_indices(graph, ends)
    keys, counts = np.unique(2 * indices + (ends[0] > ends[1]), return_counts=True)
    edges = np.unique(keys[counts > 1] // 2)
    return tuple(edges[edges >= 0].tolist())


def _one_of_each(
    graph: Graph, ends: np.ndarray, values: Attribute, refuse: Callable[[int, int], GraphError]
) -> Attribute:
    """The value of each edge of a graph, from values of [2, E'] ends, which must agree."""
    indices = _edge_indices(graph, ends)
    edges, places, which = np.unique(indices, return_index=True, return_inverse=True)
    given = values.tolist()
    for place, first in enumerate(places[which].tolist()):
        if first != place and given[first] != given[place]:
            raise refuse(first, place)
    return picked(values, torch.from_numpy(places[edges >= 0]))


# ---- directions


def undirected(graph: Graph) -> Graph:
    """The same graphs without directions.

    Two edges that lead opposite ways between two nodes become one, and must agree.

    Raises
    ------
    GraphError
        Where two such edges have different attributes.

    Examples
    --------
    >>> undirected(Graph.pack([3], [(0, 1), (1, 0), (2, 1)], directed=True)).edges.tolist()
    [[0, 1], [1, 2]]
    """
    if not graph.directed:
        return graph
    ends = graph.edges.numpy()
    packed = Graph.pack(graph.node_counts, ends.T)

    def of_edges(name: str, values: Attribute) -> Attribute:
        def refuse(there: int, back: int) -> GraphError:
            given = values.tolist()
            return GraphError(
                f"{graph.describe(Location.EDGE, there)} has {name} {given[there]}, and the "
                f"other way {given[back]}: without directions they would be one edge. Give both "
                "the same, or keep the directions."
            )

        return _one_of_each(packed, ends, values, refuse)

    return replace(
        graph,
        edge_counts=packed.edge_counts,
        edges=packed.edges,
        edge_attributes={name: of_edges(name, v) for name, v in graph.edge_attributes.items()},
        directed=False,
        parallel=tuple(np.unique(_edge_indices(packed, ends)[list(graph.parallel)]).tolist()),
    )


def with_directions(graph: Graph, directed: bool | None, what: str) -> Graph:
    """The graph as a user asked for it: directed, or without its directions; None: as it is."""
    if directed and not graph.directed:
        raise GraphError(
            f"{what} is undirected and cannot be read as directed: give an edge list, or a file "
            "that says directed (of NetworkX, a DiGraph)."
        )
    return undirected(graph) if directed is False else graph


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
    entries = sparse.csr_array(matrix, copy=True)
    entries.sum_duplicates()  # which sorts them by row, then by column, as edges are
    ends = _ends(entries)
    is_edge = ends[0] != ends[1]
    values = entries.data[is_edge]
    packed = Graph.pack([matrix.shape[0]], ends[:, is_edge].T, directed=True)
    parallel = _repeated(packed, _ends(matrix))
    added = "entries that the matrix stores at one place are added, as SciPy adds them."
    graph = replace(
        packed,
        edge_attributes={} if values.dtype == bool else {"weight": _weights(values)},
        notes=(added,) if parallel else (),
        loops=tuple(ends[0, ~is_edge].tolist()),
        parallel=parallel,
    )
    is_symmetric = _is_symmetric(ends[:, is_edge], values)
    return graph if directed or (directed is None and not is_symmetric) else undirected(graph)


def _ends(matrix: Any) -> np.ndarray:
    stored = matrix.tocoo()
    return np.stack([stored.row, stored.col]).astype(np.int64)


def _weights(values: np.ndarray) -> Attribute:
    is_exact = values.dtype in (np.int64, np.float64)
    return torch.from_numpy(values.copy()) if is_exact else column(values.tolist())


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
    and ``edge_weight`` or ``edge_attr`` as their weight. Of others a note says that they are left
    out.

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
    left_out: list[str] = []
    for key, value in data.to_dict().items():
        if key in ("edge_index", "num_nodes") or (key == "edge_attr" and "edge_weight" in data):
            continue
        rows = _num_rows(value)
        of_edges = key.startswith("edge_") or rows != data.num_nodes
        if not of_edges:
            at_nodes[key] = _attribute(value)
        elif rows == ends.shape[1]:
            name = "weight" if key == "edge_attr" else key.removeprefix("edge_")
            if name in at_edges:
                raise GraphError(
                    f"{data} has two attributes that give the {name} of edges; keep one."
                )
            at_edges[name] = _of_edges(data, name, _attribute(value), graph, ends)
        elif key in WEIGHTS:
            raise GraphError(
                f"{data} has {ends.shape[1]} columns in edge_index, and {key} has not as many "
                "rows: give each one."
            )
        else:
            left_out.append(key)
    note = "left out is what has a row neither for each node nor for each edge: "
    return replace(
        graph,
        node_attributes=at_nodes,
        edge_attributes=at_edges,
        notes=(f"{note}{', '.join(left_out)}.",) if left_out else (),
        loops=tuple(np.unique(ends[0, ends[0] == ends[1]]).tolist()),
        parallel=_repeated(graph, ends),
    )


def _num_rows(value: Any) -> int:
    has_rows = isinstance(value, list | tuple) or (
        isinstance(value, Tensor | np.ndarray) and value.ndim > 0
    )
    return len(value) if has_rows else -1


def _attribute(value: Any) -> Attribute:
    return value.cpu() if isinstance(value, Tensor) else column(list(value))


def _of_edges(data: Data, name: str, value: Attribute, graph: Graph, ends: np.ndarray) -> Attribute:
    """The value of each edge, from one for each column of ``edge_index``."""
    if isinstance(value, Tensor) and value.dim() > 1:
        if value[0:1].numel() > 1:
            raise GraphError(
                f"{data} has {value[0].numel()} numbers for each edge; an edge has one {name}: "
                "keep one column."
            )
        value = value.reshape(-1)

    def refuse(first: int, _: int) -> GraphError:
        u, v = ends[:, first].tolist()
        difference = (
            f"twice, with a different {name}; keep one"
            if graph.directed
            else f"with a different {name} each way; give both directions the same, or read it as "
            "directed, with directed=True"
        )
        return GraphError(f"{data} has edge ({u}, {v}) {difference}.")

    return _one_of_each(graph, ends, value, refuse)


def to_pyg(graph: Graph) -> Data:
    """One graph as PyTorch Geometric ``Data``, with its attributes by name.

    Every edge stands both ways, a directed one as it leads.
    """
    _check_pyg()
    from torch_geometric.data import Data

    only_one(graph, "to_pyg")
    attributes = dict(graph.node_attributes)
    for name, values in graph.edge_attributes.items():
        attributes[f"edge_{name}"] = values if graph.directed else joined([values, values])
    return Data(
        edge_index=graph.links,
        num_nodes=graph.num_nodes,
        **{
            name: values if isinstance(values, Tensor) else values.tolist()
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
