"""Depth-first search: every node, and the node that it was entered from."""

from algolens.algorithms._walk import Walk
from algolens.lazy import nx


class Dfs(Walk):
    """The search enters the lowest unvisited neighbour of the node where it is, or goes back to the
    parent.

    Where it has gone back to a root, the unvisited node of the lowest number is the next root.
    """

    title, group, graphs = "Depth-first search", "searches", "any"

    example = "A-B A-D B-C C-D C-E E-F F-C G-H"

    def reference(self, graph, inputs):
        parents = {v: u for u, v in nx.dfs_edges(graph)}
        return {"visited": set(graph), "parent": parents}
