"""k-core: the largest part in which every node has at least k neighbours (Seidman 1983)."""

from typing import ClassVar

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Location, Mask, at_node
from algolens.limits import WholeRange


class KCore(Algorithm):
    """Remove every node with fewer than k neighbours left, until none is removed."""

    name = "k_core"
    title = "k-core"
    group = "parts"
    loops_matter = True
    parallel_edges_matter = True
    ranges: ClassVar = {"k": WholeRange(1, 100_000)}

    k: int = 3

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=self._words(),
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

    def _words(self) -> Words:
        left = "{how many neighbours (in_core)} of {how many neighbours} neighbours left"
        return Words(
            phrases={
                "in_core": {
                    "~is_left": "{me} was removed",
                    "has_enough_neighbours": f"{{me}} stays: it has {left}",
                    "True": f"{{me}} is removed: it has {left}, fewer than {self.k}",
                },
                "is_left": ("it is left", "it was removed"),
                "has_enough_neighbours": (f"it has {left}", f"it has {left}, fewer than {self.k}"),
            },
            lines={
                "start": "every node is left",
                "is_left & ~has_enough_neighbours": (
                    f"remove every node with fewer than {self.k} neighbours left"
                ),
                "until": "no node is removed",
            },
            states={"in_core": "left", "none": "removed"},
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_core": dict.fromkeys(nx.k_core(graph, self.k), True)}
