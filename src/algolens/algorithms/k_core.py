"""The k-core: the largest part of a graph in which every node has at least k neighbours (Seidman
1983).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues
from algolens.fields import Location, Mask, at_node


class KCore(Algorithm):
    """A node with fewer than k neighbours left is taken away; until none is. All such go at once:
    at most n steps.
    """

    name = "k_core"
    group = "parts"
    loops_matter = True
    parallel_edges_matter = True

    k: int = 3

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            state=("in_core",),
            start={"in_core": "True"},
            look={
                "is_left": at_node("in_core"),
                "has_enough_neighbours": at_node(f"at least {self.k} neighbours (in_core)"),
            },
            concepts=("is_left", "has_enough_neighbours"),
            outputs={"in_core": Mask()},
            rules={
                "in_core": {
                    "true": "is_left & has_enough_neighbours",
                    "false": "~is_left | ~has_enough_neighbours",
                }
            },
            continues="is_left & ~has_enough_neighbours",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_core": dict.fromkeys(nx.k_core(graph, self.k), True)}
