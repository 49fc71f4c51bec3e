"""Edges are led around the nodes that they would run through."""

from __future__ import annotations

import random
from typing import Any

from tests.player.in_node import in_node, needs_node

ROUTED = """
function met(places, edges, bends, far) {
  return edges.map((ends, edge) => {
    const points = pointsAlong(places[ends[0]], places[ends[1]], bends[edge], 60);
    const isNear = ([x, y]) => points.some((point) => Math.hypot(point[0] - x, point[1] - y) < far);
    return places.some((place, node) => !ends.includes(node) && isNear(place));
  });
}
function answer({ places, edges, radius }) {
  const straight = edges.map(() => 0);
  const bends = bendsAround(places, edges, straight, radius);
  const [before, after] = [straight, bends].map((each) => met(places, edges, each, radius));
  return { bends, before, after };
}
"""


def routed(places: list[list[float]], edges: list[list[int]]) -> Any:
    return in_node(ROUTED, [{"places": places, "edges": edges, "radius": 15}])[0]


@needs_node
def test_an_edge_is_bent_around_a_node_between_its_ends():
    found = routed([[0, 0], [100, 0], [200, 0], [100, 90]], [[0, 2], [0, 1], [1, 3]])
    assert found["before"] == [True, False, False]
    assert found["after"] == [False, False, False]
    assert found["bends"][1:] == [0, 0]  # the others are straight


@needs_node
def test_on_random_drawings_most_edges_through_nodes_are_led_around_them():
    rng, before, after = random.Random(0), 0, 0
    for _ in range(20):
        cells = rng.sample([(x, y) for x in range(6) for y in range(5)], 14)
        places = [[80.0 * x, 80.0 * y] for x, y in cells]
        edges = [sorted(rng.sample(range(14), 2)) for _ in range(20)]
        found = routed(places, edges)
        before += sum(found["before"])
        after += sum(found["after"])
    assert before > 40
    assert after < before / 10
