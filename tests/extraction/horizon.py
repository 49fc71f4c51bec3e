"""An algorithm whose rule for going on is an "or": distances from a source, as far as a horizon."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens import graphs
from algolens.algorithms import Algorithm, Each, Graph, Node, Values, category, pointer
from algolens.graphs import Recipe

HORIZON = 4  # distances from here on stay unknown


class Distance(Algorithm):
    """A node learns its distance from a neighbour that knows its own."""

    recipe = Recipe(
        ("ladder", "grid", "tree", "caveman"), size=12, train=60, held_out=10, test_sizes=(12, 20)
    )

    source = Graph.input(pointer(Node), start_only=True)

    is_unknown = Node.concept()
    is_at_k = Node.concept(k=Each(0, HORIZON - 1))
    beside_k = Node.concept(k=Each(0, HORIZON - 2))
    distance = Node.output(
        category(HORIZON + 1),
        becomes={
            "0": "is_at_0",
            **{str(k): f"is_at_{k} | is_unknown & beside_{k - 1}" for k in range(1, HORIZON)},
            str(HORIZON): "True",
        },
    )

    goes_on = f"some node (is_unknown & ({' | '.join(f'beside_{k}' for k in range(HORIZON - 1))}))"

    def start(self, graph: graphs.Graph, inputs: Values) -> dict[str, Tensor]:
        return {"distance": torch.where(graph.mark(inputs["source"], "node"), 0, HORIZON)}

    def perceive(self, graph: graphs.Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        known = [state["distance"] == distance for distance in range(HORIZON + 1)]
        return {
            "is_unknown": known[HORIZON],
            **{f"is_at_{distance}": known[distance] for distance in range(HORIZON)},
            **{
                f"beside_{distance}": graph.any_over_neighbours(known[distance])
                for distance in range(HORIZON - 1)
            },
        }
