"""Graphs from SciPy's sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse

from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, column
from algolens.graphs.directions import repeated, undirected
from algolens.graphs.graph import Graph


def from_scipy(matrix: Any, *, directed: bool | None = None) -> Graph:
    """One sparse matrix or array, rows leading to columns: an edge for each entry that is stored,
    its weight the entry.

    directed: None means as the matrix is: undirected where it is symmetric, else directed. False
    joins both directions, which must then agree. Entries that are true or false are edges without
    weights. Self-loops are left out. A place that is stored twice holds the sum, as in SciPy, and
    is a parallel edge.

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
    stored = matrix.tocoo()
    entries = sparse.csr_array(matrix)  # sorted, and equal places added, in a copy
    entries = entries.copy() if entries is matrix else entries
    entries.sum_duplicates()
    entries = entries.tocoo()
    rows, columns, values = (
        entries.row.astype(np.int64),
        entries.col.astype(np.int64),
        np.asarray(entries.data),
    )
    is_loop = rows == columns
    rows_left, columns_left, values_left = rows[~is_loop], columns[~is_loop], values[~is_loop]
    ends = np.stack([rows_left, columns_left], 1)
    # in the order of rows, then columns, as the entries are
    made = Graph.pack([matrix.shape[0]], ends, directed=True)
    twice = repeated(made, np.stack([stored.row, stored.col]).astype(np.int64))
    graph = Graph(
        made.node_counts,
        made.edge_counts,
        made.edges,
        edge_attributes={} if values.dtype == bool else {"weight": _weights(values_left)},
        notes=("entries that the matrix stores at one place are added, as SciPy adds them.",)
        if twice
        else (),
        directed=True,
        loops=tuple(np.unique(rows[is_loop]).tolist()),
        parallel=twice,
    )
    is_symmetric = _is_symmetric(rows_left, columns_left, values_left, matrix.shape[0])
    return graph if directed or (directed is None and not is_symmetric) else undirected(graph)


def _weights(values: np.ndarray) -> Attribute:
    return (
        torch.from_numpy(values.copy())
        if values.dtype in (np.int64, np.float64)
        else column(values.tolist())
    )


def _is_symmetric(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, count: int) -> bool:
    there, back = np.argsort(rows * count + columns), np.argsort(columns * count + rows)
    same = [
        np.array_equal(one[there], other[back])
        for one, other in ((rows, columns), (columns, rows), (values, values))
    ]
    return all(same)
