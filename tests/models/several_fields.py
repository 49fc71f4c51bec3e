"""An algorithm with all that the recurrent network takes: several inputs, and outputs, a concept
and hints as state.
"""

from __future__ import annotations

from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.fields import Category, Location, Mask, Number, at_node
from algolens.graphs import Graph


class SeveralFields(Algorithm):
    """Masks, categories and numbers at nodes. What it does makes no sense; but all of it depends on
    neighbours and on state.
    """

    name = "several_fields"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={
                "side": at_node(Category(3)),
                "weight": at_node(Number(3)),
                "chosen": at_node(Mask()),
            },
            state=("status", "was_seen", "mood", "is_late"),
            concepts=("is_heavy", "was_seen"),
            outputs={"status": Category("low", "middle", "high"), "done": Mask()},
            hints={
                "mood": at_node(Category(3)),
                "is_late": at_node(Mask()),
                "is_alone": at_node(Mask()),
            },
            rules={
                "status": {
                    "low": "~is_heavy",
                    "middle": "is_heavy & ~was_seen",
                    "high": "is_heavy & was_seen",
                },
                "done": {"true": "was_seen", "false": "~was_seen"},
            },
            continues="~was_seen",
        )

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        none = inputs["chosen"] & False
        return {
            "status": inputs["side"] * 0,
            "was_seen": none,
            "mood": inputs["side"],
            "is_late": none,
        }

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        def some_neighbour(mask: Tensor) -> Tensor:
            return graph.any_over_neighbours(mask, with_self=False)

        return {
            "is_heavy": inputs["weight"] > 3,
            "was_seen": state["was_seen"] | some_neighbour(state["is_late"] | (state["mood"] == 1)),
            "mood": (state["mood"] + 1 + some_neighbour(inputs["side"] == 2).long()) % 3,
            "is_late": inputs["chosen"] | some_neighbour(state["status"] == 2),
            "is_alone": ~some_neighbour(inputs["chosen"] | ~inputs["chosen"]),
        }
