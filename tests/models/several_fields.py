"""An algorithm with all that the recurrent network takes: several inputs, and outputs, a concept
and hints as state.
"""

from __future__ import annotations

from torch import Tensor

from algolens.algorithms import Algorithm, Node, Values, category, mask, number
from algolens.graphs import Graph


class SeveralFields(Algorithm):
    """Masks, categories and numbers at nodes. What it does makes no sense; but all of it depends on
    neighbours and on state.
    """

    side, weight = Node.input(category(3)), Node.input(number(3))
    chosen = Node.input(mask)

    is_heavy, was_seen = Node.concept(), Node.concept()
    status = Node.output(
        category("low", "middle", "high"),
        becomes={"low": "~is_heavy", "middle": "~was_seen", "high": "True"},
    )
    done = Node.output(mask, becomes="was_seen")
    mood, is_late = Node.state(category(3)), Node.state(mask)
    is_alone = Node.derived()
    carried = ("was_seen",)

    goes_on = "some node (~was_seen)"

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        none = inputs["chosen"] & False
        return {
            "status": inputs["side"] * 0,
            "done": none,
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
