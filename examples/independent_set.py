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

from rich import print

from algolens.algorithms import Algorithm, Declaration
from algolens.execution import execute
from algolens.fields import Category, Location, Number, at_node
from algolens.graphs import load, stream
from algolens.reports import steps


class IndependentSet(Algorithm):
    """Choose nodes, no two of them neighbours, until no more can be chosen."""

    name = "independent_set"

    bits: int = 8  # of a priority

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"priority": at_node(Number(self.bits, distinct="neighbours"), drawn=True)},
            state=("status",),
            start={"status": "undecided"},
            look={
                "is_undecided": at_node("status is undecided"),
                "is_chosen": at_node("status is chosen"),
                "has_chosen_neighbour": at_node("some neighbour (status is chosen)"),
                "has_priority": at_node(
                    "status is undecided & no neighbour (status is undecided & its priority > my priority)"
                ),
            },
            concepts=("is_undecided", "is_chosen", "has_chosen_neighbour", "has_priority"),
            outputs={"status": Category("undecided", "chosen", "out")},
            rules={
                "status": {
                    "undecided": "~is_chosen & ~has_chosen_neighbour & ~has_priority",
                    "chosen": "is_chosen | (has_priority & ~has_chosen_neighbour)",
                    "out": "~is_chosen & has_chosen_neighbour",
                }
            },
            continues="is_undecided",
        )


if __name__ == "__main__":
    algorithm, club = IndependentSet(), load("nx:karate_club")
    for part in steps(execute(algorithm, club, algorithm.sample(club, stream(0)))):
        print(part)
