"""Graph coloring (Jones-Plassmann): neighbours get different colors, many nodes at once (Jones and
Plassmann 1993).
"""

from dataclasses import replace
from typing import ClassVar

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.algorithms._given import too_few_colors, without_color
from algolens.errors import GraphError
from algolens.fields import Category, Location, Number, at_node
from algolens.graphs import Graph, Recipe
from algolens.language.words import Spoken
from algolens.limits import WholeRange

MAX_REDRAWS = 1_000


def _seen_phrases(colors: range) -> dict[str, Spoken]:
    return {
        f"color_{k}_seen": (
            f"{{neighbours (color is {k})}} took color {k}",
            f"no neighbour has color {k}",
        )
        for k in colors
    }


WORDS = Words(
    phrases={
        "color": {
            "is_colored": "{me} has color {new}",
            "has_priority": (
                "{me} takes color {new}, the first that no neighbour has: no uncolored neighbour "
                "has a higher priority than {priority}"
            ),
            "True": (
                "{me} waits for {neighbours (color is 0 & its priority > my priority)}: higher "
                "priority"
            ),
        },
        "is_colored": (
            "it is colored",
            "it is not colored",
        ),
        "has_priority": {
            "has_priority": "no uncolored neighbour has a higher priority than {priority}",
            "is_colored": "it is colored",
            "True": (
                "uncolored neighbours have a higher priority: {neighbours (color is 0 & its "
                "priority > my priority)}"
            ),
        },
    },
    lines={
        "start": "no node is colored",
        "has_priority": (
            "every uncolored node with the highest priority among its uncolored neighbours takes "
            "the first color that no neighbour has"
        ),
        "until": "every node is colored",
    },
    states={
        "0": "not colored",
    },
)


class Coloring(Algorithm):
    """An uncolored node with the highest priority among uncolored neighbours takes the first color
    that no neighbour has.
    """

    name = "coloring"
    title = "Graph coloring (Jones-Plassmann)"
    checks = (("colors_suffice", "priority", "colors"),)
    group = "choices"
    loops_matter = True
    recipe = Recipe(families=("configuration",), train=800, held_out=80)
    ranges: ClassVar = {"colors": WholeRange(1, 64)}  # the rules of more take seconds to read

    colors: int = 5
    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        colors = range(1, self.colors + 1)
        return Declaration(
            location=Location.NODE,
            words=replace(WORDS, phrases={**WORDS.phrases, **_seen_phrases(colors)}),
            inputs={"priority": at_node(Number(self.bits, distinct="neighbours"), drawn=True)},
            state=("color",),
            start={"color": "0"},
            look={
                "is_colored": at_node("color is not 0"),
                "has_priority": at_node(
                    "color is 0 & no neighbour (color is 0 & its priority > my priority)"
                ),
                **{f"color_{k}_seen": at_node(f"some neighbour (color is {k})") for k in colors},
            },
            concepts=("is_colored", "has_priority", *(f"color_{k}_seen" for k in colors)),
            outputs={"color": Category(self.colors + 1)},  # class 0: not colored
            rules={
                "color": {
                    "0": "~is_colored & ~has_priority",
                    **{str(k): self._rule(k) for k in colors},
                }
            },
            continues="~is_colored",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        color: dict[int, int] = {}
        for node in sorted(graph, key=lambda node: -graph.nodes[node]["priority"]):
            color[node] = min(
                set(range(1, self.colors + 1)) - {color.get(neighbour) for neighbour in graph[node]}
            )
        return {"color": color}

    def _rule(self, color: int) -> str:
        """The first color that is not seen: every one before it is seen. The last needs no look at
        itself.
        """
        seen = [f"color_{k}_seen" for k in range(1, color)]
        free = [f"~color_{color}_seen"] if color < self.colors else []
        return " & ".join(["(is_colored | has_priority)", *seen, *free])

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        """Priorities that differ between neighbours and make the colors suffice.

        Around a node that would need one color more, priorities are drawn again; all others stay.
        """
        kind = self.declaration.inputs["priority"].kind
        assert isinstance(kind, Number)
        priority = kind.draw(graph, Location.NODE, rng)
        part, nodes = graph, torch.arange(graph.num_nodes)
        for _ in range(MAX_REDRAWS):
            senders, receivers = part.links.numpy()
            priorities = priority[nodes].numpy()
            stuck = torch.from_numpy(without_color(senders, receivers, priorities, self.colors))
            if not stuck.any():
                return {"priority": priority}
            troubled = part.take(part.any_per_graph(stuck, Location.NODE).nonzero().flatten())
            part, nodes, stuck = troubled.graph, nodes[troubled.nodes], stuck[troubled.nodes]
            around = part.any_over_neighbours(stuck, with_self=True)
            fresh = priority[nodes]
            fresh[around] = kind.draw(part, Location.NODE, rng)[around]
            priority[nodes] = kind.settle(part, fresh, rng)
        node = int(nodes[stuck][0])
        stuck_node = graph.describe(Location.NODE, node)
        raise GraphError(too_few_colors(stuck_node, self.colors, "under every priority tried"))
