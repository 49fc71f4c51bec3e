"""Graph coloring (Jones and Plassmann 1993): neighbours get different colors."""

from algolens.graphs import Recipe
from algolens.language.declare import Algorithm, Each, Node, Option, category, number


class Coloring(Algorithm):
    """An uncolored node with the highest priority among uncolored neighbours takes the first color
    that no neighbour has.
    """

    title, group, loops_matter = "Graph coloring (Jones-Plassmann)", "choices", True
    checks = (("colors_suffice", "priority", "colors"),)
    recipe = Recipe(families=("configuration",), train=800, held_out=80)

    colors = Option(5, 1, 64)
    bits = Option(8, 1, 62)  # of a priority

    priority = Node.input(number(bits, distinct="neighbours"), drawn=True)

    color = Node.output(
        category(colors + 1),  # 0: not colored
        start="0",
        becomes={
            "0": "~is_colored & ~has_priority",
            "k": "~color_k_seen",  # the first that no neighbour has
            colors: "True",  # the last needs no look at itself
        },
        k=Each(1, colors - 1),
        called={"0": "not colored"},
        tells={
            "is_colored": "{me} has color {new}",
            "has_priority": "{me} takes color {new}, the first that no neighbour has: no uncolored "
            "neighbour has a higher priority than {priority}",
            "True": "{me} waits for {neighbours (color is 0 & its priority > my priority)}: higher "
            "priority",
        },
    )
    is_colored = Node.concept("color is not 0", yes="it is colored", no="it is not colored")
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
    starts_with, ends_when = "no node is colored", "every node is colored"
