"""Points in the plane that algorithms of geometry are taught on, and those that they refuse."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from algolens.graphs import Graph
from algolens.lazy import nx

MOST_DRAWN = 28  # bits of a coordinate that is drawn, so that cross products have room in 62


def draw_points(graph: Graph, bits: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Points of which no three are on a line: (t, t² mod p) for different t below a prime p.

    Three on a line would be so modulo p too, where a line meets the parabola twice at most.
    """
    drawn: dict[str, list[int]] = {"x": [], "y": []}
    for count in graph.counts("node").tolist():
        prime = _prime_from(max(count, 2 ** min(bits - 2, MOST_DRAWN)))
        first, half = rng.choice(prime, count, replace=False), prime // 2
        drawn["x"] += (first - half).tolist()
        drawn["y"] += (first * first % prime - half).tolist()
    return {name: np.array(values, dtype=np.int64) for name, values in drawn.items()}


@cache
def _prime_from(least: int) -> int:
    """The first prime from a number on."""
    number = max(2, least)
    while any(number % divisor == 0 for divisor in range(2, math.isqrt(number) + 1)):
        number += 1
    return number


def corners(graph: nx.Graph) -> list[int]:
    """The corners of the convex hull, by two chains from left to right (Andrew 1979)."""
    placed = sorted((at["x"], at["y"], node) for node, at in graph.nodes(data=True))
    found: list[int] = []
    for ordered in (placed, placed[::-1]):
        chain: list[tuple[int, int, int]] = []
        for x, y, node in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], (x, y, node)) <= 0:
                chain.pop()
            chain.append((x, y, node))
        found += [node for *_, node in chain]
    return found


def _turn(a: tuple[int, int, int], b: tuple[int, int, int], c: tuple[int, int, int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
