"""Arrays of the numbers of elements, in 32 bits: put in order, turned round, gathered."""

from __future__ import annotations

import numpy as np
import torch

from algolens.graphs import Graph
from algolens.looks.by_change.entry import sorted_by_field


def grouped(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts [count + 1] and places of each of the numbers 0 to count - 1 among values."""
    if is_ascending(values):
        starts = np.searchsorted(values, np.arange(count + 1, dtype=values.dtype))
        return as_words(starts), np.arange(len(values), dtype=np.int32)
    return sorted_by_field(as_words(values), count)


def links_by_sender(graph: Graph) -> np.ndarray:
    """The links in the order of their senders, those of one sender in the order of receivers.

    Those of a sender change together, and often the first of them by its receiver is asked for.
    """
    senders, edges = graph.links[0].numpy(), graph.num_edges
    if graph.directed:
        return grouped(senders, graph.num_nodes)[1]
    # edges are in order, smaller end first: all ways back come before all ways there
    order = grouped(np.roll(senders, edges), graph.num_nodes)[1]
    return np.where(order < edges, order + np.int32(edges), order - np.int32(edges))


def inverted(order: np.ndarray) -> np.ndarray:
    """The place of each number in an order of all."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=order.dtype)
    return places


def taken_at(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """values[places]; NumPy would make places of 32 bits longer first."""
    chosen = torch.from_numpy(values).index_select(0, torch.from_numpy(places))
    return np.asarray(chosen.numpy())


def as_words(values: np.ndarray) -> np.ndarray:
    """Numbers of elements in 32 bits, side by side."""
    return np.ascontiguousarray(values, np.int32)


def is_ascending(values: np.ndarray) -> bool:
    """Whether numbers are in order already."""
    return bool((values[1:] >= values[:-1]).all())
