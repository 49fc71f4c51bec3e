"""Telling graphs with their inputs apart, by the thousand."""

from __future__ import annotations

import zlib

import numpy as np
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.graphs import Graph, Location


def signatures(algorithm: Algorithm, graph: Graph, inputs: Values) -> np.ndarray:
    """[G] 64-bit numbers: equal for equal graphs with equal inputs, and (but for a chance of 2**-64
    a pair) for no others.
    """
    total = _mixed(graph.node_counts.numpy().astype(np.uint64))
    ends = (graph.edges - graph.first_node[graph.edge_owner]).numpy().astype(np.uint64)
    total = total + _per_graph(graph, Location.EDGE, _mixed(_mixed(ends[0]) + ends[1]))
    for name, values in inputs.items():
        location = algorithm.declaration.inputs[name].location
        place = _mixed(
            graph.place(location).numpy().astype(np.uint64) + np.uint64(zlib.crc32(name.encode()))
        )
        total = total + _per_graph(graph, location, _mixed(place + _as_numbers(values)))
    return total


def _per_graph(graph: Graph, location: Location, hashes: np.ndarray) -> np.ndarray:
    # a sum does not depend on the order, and cumulative sums wrap around and come back exactly
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    first = graph.first(location).numpy()
    return sums[first + graph.counts(location).numpy()] - sums[first]


def _as_numbers(values: Tensor) -> np.ndarray:
    return values.numpy().astype(np.int64).view(np.uint64)


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """splitmix64 (Steele, Lea and Flood 2014): every bit of the result depends on every bit of the
    number.
    """
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
