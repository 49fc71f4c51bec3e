"""Algorithms with long runs: many steps in which little changes, and in which everything does."""

from algolens.algorithms import Algorithm, Declaration, Limit
from algolens.fields import Location, Mask, Number, at_node
from algolens.graphs import Recipe


class Melting(Algorithm):
    """The first node that has something left loses one of it, until nothing is left."""

    name = "melting"

    def declare(self):
        return Declaration(
            location=Location.NODE,
            inputs={"count": at_node(Number(6))},
            state=("gone", "left"),
            start={"gone": "False", "left": "count"},
            sums={"less": at_node("left - 1")},
            look={
                "has_any": at_node("left > 0"),
                "has_one": at_node("left = 1"),
                "is_first": at_node("left > 0 & no other node (left > 0 & its number < my number)"),
            },
            moves={"left": "less where is_first"},
            concepts=("has_any", "has_one", "is_first"),
            outputs={"gone": Mask(), "left": Number(6)},
            rules={
                "gone": {
                    "true": "~has_any | has_one & is_first",
                    "false": "has_any & ~(has_one & is_first)",
                }
            },
            continues="has_any",
            most_steps=Limit(2**6),
        )


class FewMelting(Melting):
    """The same, with fewer graphs, of sizes that nobody chose."""

    name = "few_melting"
    recipe = Recipe(families=("ladder", "tree"), train=4, held_out=2)


class Ticking(Algorithm):
    """Every node counts the steps."""

    name = "ticking"

    def declare(self):
        return Declaration(
            location=Location.NODE,
            inputs={"first": at_node(Number(1))},
            state=("ended", "age"),
            start={"ended": "False", "age": "first"},
            sums={"older": at_node("age + 1")},
            look={"is_old": at_node("age > 4000"), "was_old": at_node("ended")},
            moves={"age": "older"},
            concepts=("is_old", "was_old"),
            outputs={"ended": Mask(), "age": Number(13)},
            rules={"ended": {"true": "is_old", "false": "~is_old"}},
            continues="~is_old",
            most_steps=Limit(5000, Location.GRAPH),
        )
