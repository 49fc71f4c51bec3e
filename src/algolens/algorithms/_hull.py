"""What the two algorithms for convex hulls share."""

from __future__ import annotations

import numpy as np

from algolens.algorithms import Algorithm, Graph, Node, Option, PlainValues, mask, number
from algolens.graphs import Graph as GraphBatch
from algolens.language import points
from algolens.lazy import nx


class ConvexHull(Algorithm, part=True):
    """Finds the corners of a set of points, of which no three are on a line."""

    group, graphs, checks = "geometry", "any", (("no_three_on_a_line", "x", "y"),)
    bits = Option(12, 1, 62)  # of a coordinate
    coordinate = number(bits, signed=True)

    x, y = Node.input(coordinate), Node.input(coordinate)

    has_begun = Graph.state(mask, becomes="True")
    begins = Graph.sees("~has_begun")

    def sample(self, graph: GraphBatch, rng: np.random.Generator) -> dict[str, np.ndarray]:
        return points.draw_points(graph, self.bits, rng)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_hull": set(points.corners(graph))}
