"""Graph coloring (Jones-Plassmann): neighbours get different colors, many nodes at once (Jones and
Plassmann 1993).
"""

from __future__ import annotations

import numpy as np

from algolens.algorithms import Algorithm, Bits, Each, Node, Option, category, number
from algolens.arrays import NUMPY
from algolens.errors import GraphError
from algolens.graphs import Recipe
from algolens.language.given import too_few_colors, without_color

MAX_REDRAWS = 1_000


class Coloring(Algorithm):
    """An uncolored node with the highest priority among uncolored neighbours takes the first color
    that no neighbour has.
    """

    title, group, loops_matter = "Graph coloring (Jones-Plassmann)", "choices", True
    example = "A-B A-C B-C B-D C-E D-E D-F E-F"
    checks = (("colors_suffice", "priority", "colors"),)
    recipe = Recipe(families=("configuration",), train=800, held_out=80)

    colors = Option(5, 1, 64)
    bits = Bits(8)  # of a priority

    priority = Node.input(number(bits, distinct="neighbours"), drawn=True)

    color = Node.output(
        category(colors + 1),  # 0: not colored
        becomes={
            "0": "~is_colored & ~has_priority",
            "k": "~color_k_seen",  # the first that no neighbour has
            colors: "True",  # the last needs no look at itself
        },
        k=Each(1, colors - 1),
        tells={
            "is_colored": "{me} has color {new}",
            "has_priority": "{me} takes color {new}, the first that no neighbour has: no uncolored "
            "neighbour has a higher priority than {priority}",
            "True": "{me} waits for {neighbours (color is 0 & its priority > my priority)}: higher "
            "priority",
        },
    )
    is_colored = Node.concept("color is not 0", says="it is [not] colored")
    has_priority = Node.concept(
        "color is 0 & no neighbour (color is 0 & its priority > my priority)",
        yes="no uncolored neighbour has a higher priority than {priority}",
        no={
            "is_colored": "it is colored",
            "True": "uncolored neighbours have a higher priority: {neighbours (color is 0 & its "
            "priority > my priority)}",
        },
        line="every uncolored node with the highest priority among its uncolored neighbours takes "
        "the first color that no neighbour has",
    )
    color_k_seen = Node.concept(
        "some neighbour (color is k)",
        k=Each(1, colors),
        yes="{neighbours (color is k)} took color k",
        no="no neighbour has color k",
    )

    goes_on = "some node (~is_colored)"
    legend = {"0": "not colored"}
    starts_with, ends_when = "no node is colored", "every node is colored"

    def reference(self, graph, inputs):
        color: dict[int, int] = {}
        for node in sorted(graph, key=lambda node: -graph.nodes[node]["priority"]):
            taken = {color.get(neighbour) for neighbour in graph[node]}
            color[node] = min(set(range(1, self.colors + 1)) - taken)
        return {"color": color}

    def sample(self, graph, rng):
        """Priorities that differ between neighbours and make the colors suffice.

        Around a node that would need one color more, priorities are drawn again; all others stay.
        """
        field = self.declaration.inputs["priority"]
        priority = field.draw(graph, rng)
        part, nodes = graph.to(NUMPY), np.arange(graph.num_nodes)
        for _ in range(MAX_REDRAWS):
            senders, receivers = part.links
            stuck = without_color(senders, receivers, priority[nodes], self.colors)
            if not stuck.any():
                return {"priority": priority}
            troubled = part.take(np.flatnonzero(part.any_per_graph(stuck, "node")))
            part, nodes, stuck = troubled.graph, nodes[troubled.nodes], stuck[troubled.nodes]
            around = part.any_over_neighbours(stuck, with_self=True)
            fresh = priority[nodes]
            fresh[around] = field.draw(part, rng)[around]
            priority[nodes] = field.settle(part, fresh, rng)
        stuck_node = graph.describe("node", int(nodes[stuck][0]))
        raise GraphError(too_few_colors(stuck_node, self.colors, "under every priority tried"))
