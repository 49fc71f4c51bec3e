"""Where the nodes of a directed graph without cycles are drawn, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from sklearn.isotonic import isotonic_regression

ROUNDS = 12  # each from left to right and back
MOST_BENDS = 20_000  # of long edges; where more, edges may cross nodes
BEND = 0.7  # the room of a bend, a node's being 1


def heights(layer: Sequence[int], edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """[N] a height for every node, at least 1 apart in a layer, near those of its neighbours.

    After Sugiyama, Tagawa and Toda (1981): an edge over several layers gets a bend in each layer
    between, then every layer in turn is ordered by the mean height of its neighbours. The heights
    of a layer are those nearest to these means (least squares) that keep the order and the room.

    >>> heights([0, 1, 1, 2], [(0, 1), (0, 2), (1, 3), (2, 3)]).round(3).tolist()
    [0.5, 0.0, 1.0, 0.5]
    """
    layers, ends, room = _with_bends(np.asarray(layer, dtype=int), sorted(set(edges)))
    senders, receivers = np.array(ends, dtype=int).reshape(-1, 2).T
    both = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
    links = csr_array((np.ones(len(both[0])), both), shape=(len(layers), len(layers)))
    degree = links.sum(1)
    members = [np.flatnonzero(layers == each) for each in range(int(layers.max(initial=-1)) + 1)]
    height = np.zeros(len(layers))
    for nodes in members:
        height[nodes] = np.arange(len(nodes))
    for nodes in ROUNDS * (members + members[::-1]):
        wanted = np.where(degree[nodes] > 0, links[nodes] @ height, height[nodes])
        wanted = wanted / np.maximum(degree[nodes], 1)
        order = np.lexsort([height[nodes], wanted.round(9)])
        middle = np.cumsum(room[nodes][order]) - room[nodes][order] / 2
        height[nodes[order]] = isotonic_regression(wanted[order] - middle) + middle
    height = height[: len(layer)]
    return height - min(height, default=0.0)


def _with_bends(
    layer: np.ndarray, edges: Sequence[tuple[int, int]]
) -> tuple[np.ndarray, list[tuple[int, int]], np.ndarray]:
    """Layers, edges and rooms of the nodes and, after them, of the bends of long edges."""
    bends = sum(layer[receiver] - layer[sender] - 1 for sender, receiver in edges)
    if bends > MOST_BENDS:
        return layer, list(edges), np.ones(len(layer))
    layers, ends = layer.tolist(), []
    for sender, receiver in edges:
        before = sender
        for between in range(layer[sender] + 1, layer[receiver]):
            layers.append(between)
            ends.append((before, len(layers) - 1))
            before = len(layers) - 1
        ends.append((before, receiver))
    room = np.full(len(layers), BEND)
    room[: len(layer)] = 1
    return np.array(layers, dtype=int), ends, room
