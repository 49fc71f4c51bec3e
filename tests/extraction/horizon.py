"""An algorithm whose rule for going on is an "or": distances from a source, as far as a horizon."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.fields import Category, Location, Pointer, at_graph
from algolens.graphs import Graph, Recipe
from algolens.logic import TRUE, Formula, parse

HORIZON = 4  # distances from here on stay unknown


class Distance(Algorithm):
    """A node learns its distance from a neighbour that knows its own."""

    name = "distance"
    recipe = Recipe(
        ("ladder", "grid", "tree", "caveman"), size=12, train=60, held_out=10, test_sizes=(12, 20)
    )

    def declare(self) -> Declaration:
        at = tuple(f"is_at_{distance}" for distance in range(HORIZON))
        beside = tuple(f"beside_{distance}" for distance in range(HORIZON - 1))
        rules: dict[str, str | Formula] = {}
        # what no class before holds of: each takes its part, so that no pattern is left out or has
        # two
        left: Formula = TRUE
        for distance in range(HORIZON):
            here = parse(
                at[distance] + (f" | (is_unknown & {beside[distance - 1]})" if distance else "")
            )
            rules[str(distance)], left = left & here, left & ~here
        rules[str(HORIZON)] = left
        return Declaration(
            location=Location.NODE,
            inputs={"source": at_graph(Pointer(Location.NODE), start_only=True)},
            state=("distance",),
            concepts=("is_unknown", *at, *beside),
            outputs={"distance": Category(HORIZON + 1)},
            rules={"distance": rules},
            continues=f"is_unknown & ({' | '.join(beside)})",
        )

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"distance": torch.where(graph.mark(inputs["source"], Location.NODE), 0, HORIZON)}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        known = [state["distance"] == distance for distance in range(HORIZON + 1)]
        return {
            "is_unknown": known[HORIZON],
            **{f"is_at_{distance}": known[distance] for distance in range(HORIZON)},
            **{
                f"beside_{distance}": graph.any_over_neighbours(known[distance])
                for distance in range(HORIZON - 1)
            },
        }
