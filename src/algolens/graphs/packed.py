"""Pairs of nodes as the edges of packed graphs: checked, each once, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from algolens.errors import GraphError


def packed(
    node_counts: Any, edges: Any, *, directed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[G] the nodes of each graph, [G] its edges, and [2, E] the ends of all of them. edges: pairs
    [E, 2], as they come.
    """
    counts = _whole(node_counts, "numbers of nodes").reshape(-1)
    pairs = _whole(edges, "edges")
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise GraphError(
            f"edges came as {list(pairs.shape)}: give pairs of nodes, [E, 2]; of an edge_index, "
            "its transpose."
        )
    pairs = pairs.reshape(-1, 2)
    num_nodes = int(counts.sum())
    if counts.size and counts.min() < 1:
        raise GraphError(
            f"graph {int(counts.argmin())} of the batch has no nodes; every graph needs at least "
            "one."
        )
    if pairs.size and (pairs.min() < 0 or pairs.max() >= num_nodes):
        u, v = pairs[((pairs < 0) | (pairs >= num_nodes)).any(1)][0]
        raise GraphError(
            f"edge ({u}, {v}) leads to an unknown node: nodes are numbered 0 to {num_nodes - 1}."
        )
    owner = np.repeat(np.arange(counts.size), counts)
    low, high = pairs.T
    if not directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    if (strays := owner[low] != owner[high]).any():
        u, v = low[strays][0], high[strays][0]
        raise GraphError(
            f"edge ({u}, {v}) joins graph {owner[u]} to graph {owner[v]}; an edge stays inside one "
            "graph."
        )
    # an edge as one number: its first end, then the place of its second end inside the graph
    first, width = np.repeat(counts.cumsum() - counts, counts), int(counts.max(initial=1))
    keys = _sorted_distinct((low * width + high - first[low])[low != high], num_nodes * width)
    low = keys // width
    ends = np.stack([low, keys - low * width + first[low]])
    edge_counts = np.bincount(owner[low], minlength=counts.size)
    return counts, edge_counts, ends


def _whole(values: Any, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise GraphError(f"{what} came as {array.dtype}: give whole numbers.")
    return array.astype(np.int64, copy=False)


def _sorted_distinct(keys: np.ndarray, span: int) -> np.ndarray:
    """The different ones of some numbers in [0, span), sorted."""
    if span <= 64 * keys.size:
        # many small graphs: ticking numbers off on a list is far faster than sorting them
        there = np.zeros(span, dtype=bool)
        there[keys] = True
        return np.flatnonzero(there)
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if keys.size else keys
