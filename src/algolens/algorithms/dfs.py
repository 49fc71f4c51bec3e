"""Depth-first search: every node, and the node that it was entered from."""

from algolens.algorithms._walk import Walk
from algolens.lazy import nx


class Dfs(Walk):
    """From the current node, enter the first neighbour that is not visited yet; if there is none,
    the node is finished: go back to where it was entered from.

    Neighbours are taken in the order given, as in the file. Where a root is finished, the first
    unvisited node is the next root. A visited node that is not finished is open.
    """

    title, group, graphs = "Depth-first search", "searches", "any"

    example = "A-B B-C C-D D-A C-E E-F F-C G-H"

    def reference(self, graph, inputs):
        parents = {v: u for u, v in nx.dfs_edges(graph)}
        return {"visited": set(graph), "parent": parents}
