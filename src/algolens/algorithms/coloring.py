"""Graph coloring (Jones-Plassmann): neighbours get different colors, many nodes at once (Jones and
Plassmann 1993).
"""

from dataclasses import replace

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, PlainValues, Values, Words
from algolens.errors import DefinitionError, GraphError
from algolens.fields import Category, Location, Number, at_node
from algolens.graphs import Graph, Recipe
from algolens.looks.phrases import Spoken

MAX_REDRAWS = 1_000
MAX_COLORS = 100  # the rules of so many take seconds to read


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
    group = "choices"
    loops_matter = True
    recipe = Recipe(families=("configuration",), train=800, held_out=80)

    colors: int = 5
    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        if self.colors > MAX_COLORS:
            raise DefinitionError(f"its rules would be too long; {MAX_COLORS} colors are the most.")
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
            stuck = self._without_color(part, priority[nodes])
            if not stuck.any():
                return {"priority": priority}
            troubled = part.take(part.any_per_graph(stuck, Location.NODE).nonzero().flatten())
            part, nodes, stuck = troubled.graph, nodes[troubled.nodes], stuck[troubled.nodes]
            around = part.any_over_neighbours(stuck, with_self=True)
            fresh = priority[nodes]
            fresh[around] = kind.draw(part, Location.NODE, rng)[around]
            priority[nodes] = kind.settle(part, fresh, rng)
        raise self._too_few_colors(graph, int(nodes[stuck][0]), "under every priority tried")

    def check(self, graph: Graph, inputs: Values) -> None:
        stuck = self._without_color(graph, inputs["priority"])
        if stuck.any():
            raise self._too_few_colors(graph, int(stuck.nonzero()[0]), "under these priorities")

    def _too_few_colors(self, graph: Graph, node: int, when: str) -> GraphError:
        return GraphError(
            f"node '{graph.name_of(node)}' would need more than {self.colors} colors {when}: allow "
            f"more, with the option colors={self.colors + 1}, or give other priorities or a "
            "sparser graph."
        )

    def _without_color(self, graph: Graph, priority: Tensor) -> Tensor:
        """[N] bools: the nodes for which no color would be left.

        A node waits for its neighbours of higher priority, and sees their colors only: every edge
        is looked at once.
        """
        senders, receivers = graph.links
        higher = priority.index_select(0, senders) > priority.index_select(0, receivers)
        senders, receivers = senders[higher], receivers[higher]
        waiting = torch.bincount(receivers, minlength=graph.num_nodes)
        seen = torch.zeros(self.colors + 2, graph.num_nodes, dtype=torch.bool, device=graph.device)
        color = torch.zeros(graph.num_nodes, dtype=torch.uint8, device=graph.device)
        turn = waiting == 0
        while turn.any():
            free = turn.clone()
            for k in range(1, self.colors + 1):
                color.masked_fill_(free & ~seen[k], k)
                free &= seen[k]
            color.masked_fill_(free, self.colors + 1)
            now = turn.index_select(0, senders)
            to = receivers[now]
            seen.view(-1)[color.index_select(0, senders[now]).long() * graph.num_nodes + to] = True
            waiting.index_add_(0, to, torch.full_like(to, -1))
            senders, receivers = senders[~now], receivers[~now]
            turn = (waiting == 0) & (color == 0)
        return color > self.colors
