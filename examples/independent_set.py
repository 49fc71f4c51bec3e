"""An algorithm of your own, in one file: a maximal independent set, in parallel (Luby 1986).

An undecided node with the highest priority among its undecided neighbours is chosen, unless a neighbour is; a node
with a chosen neighbour is out. Run this file to see it on Zachary's karate club:

    .venv/bin/python examples/independent_set.py

All commands know it once it is named in the environment, as in

    export ALGOLENS_ALGORITHMS=examples/independent_set.py
    algolens execute independent_set nx:karate_club
    algolens train independent_set --preset exact
    algolens explain runs/independent_set-exact

or, without that, when an installed package of yours offers the class:

    [project.entry-points."algolens.algorithms"]
    independent_set = "your_package.independent_set:IndependentSet"
"""

from __future__ import annotations

import torch
from rich import print
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.execution import execute
from algolens.fields import Category, Location, Number, at_node
from algolens.graphs import Graph, load, stream
from algolens.reports import steps

UNDECIDED, CHOSEN, OUT = 0, 1, 2


class IndependentSet(Algorithm):
    """Choose nodes, no two of them neighbours, until no more can be chosen."""

    name = "independent_set"

    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"priority": at_node(Number(self.bits, distinct="neighbours"), drawn=True)},
            state=("status",),
            concepts=("is_undecided", "is_chosen", "has_chosen_neighbour", "has_priority"),
            outputs={"status": Category(3)},
            rules={
                "status": {
                    "0": "~is_chosen & ~has_chosen_neighbour & ~has_priority",
                    "1": "is_chosen | (has_priority & ~has_chosen_neighbour)",
                    "2": "~is_chosen & has_chosen_neighbour",
                }
            },
            continues="is_undecided",
        )

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"status": torch.full((graph.num_nodes,), UNDECIDED, device=graph.device)}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        undecided, chosen = state["status"] == UNDECIDED, state["status"] == CHOSEN
        rivals = graph.max_over_neighbours(inputs["priority"], where=undecided, empty=-1)
        return {
            "is_undecided": undecided,
            "is_chosen": chosen,
            "has_chosen_neighbour": graph.any_over_neighbours(chosen),
            "has_priority": undecided & (inputs["priority"] > rivals),
        }


if __name__ == "__main__":
    algorithm, club = IndependentSet(), load("nx:karate_club")
    for part in steps(execute(algorithm, club, algorithm.sample(club, stream(0)))):
        print(part)
