"""What the two algorithms for convex hulls share."""

from algolens.algorithms import Algorithm, Bits, Graph, Node, mask, number
from algolens.language import points


class ConvexHull(Algorithm, part=True):
    """Finds the corners of a set of points, of which no three are on a line."""

    group, graphs, checks = "geometry", "any", (("no_three_on_a_line", "x", "y"),)
    bits = Bits(12)  # of a coordinate
    coordinate = number(bits, signed=True)

    x, y = Node.input(coordinate), Node.input(coordinate)

    has_begun = Graph.state(mask, becomes="True")
    begins = Graph.derived("~has_begun")

    def sample(self, graph, rng):
        return points.draw_points(graph, self.bits, rng)

    def reference(self, graph, inputs):
        return {"in_hull": set(points.corners(graph))}
