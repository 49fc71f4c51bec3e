r"""An algorithm that asks whether a neighbour is as the node itself is, in one file.

A node is paired once some neighbour is on its side. A network in which nodes send messages to
themselves cannot see this: the largest message always comes from a node on the same side, the node
itself. Compare

    export ALGOLENS_ALGORITHMS=examples/paired.py
    algolens train paired --preset paper --seeds 0-4 --epochs 20 --rate 0.005 --batch 8
    algolens train paired --preset paper --seeds 0-4 --epochs 20 --rate 0.005 --batch 8 \
        --self-loops \
        --out runs/paired-self-loops
"""

from __future__ import annotations

from algolens.algorithms import Algorithm, Declaration
from algolens.fields import Category, Location, Mask, at_node
from algolens.graphs import Recipe


class Paired(Algorithm):
    """A node is paired once some neighbour is on its side."""

    name = "paired"
    recipe = Recipe(
        families=("tree", "erdos_renyi"), size=8, train=100, held_out=20, test_sizes=(8, 20)
    )

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"side": at_node(Category("red", "blue"))},
            state=("paired",),
            start={"paired": "False"},
            look={
                "is_paired": at_node("paired"),
                "has_mate": at_node(
                    "some neighbour (side is red & my side is red | side is blue & my side is blue)"
                ),
            },
            concepts=("is_paired", "has_mate"),
            outputs={"paired": Mask()},
            rules={"paired": {"true": "is_paired | has_mate", "false": "~is_paired & ~has_mate"}},
            continues="~is_paired & has_mate",
        )
