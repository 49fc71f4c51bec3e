"""Declarations that were made to be proven equal wrongly: each differs on a run, and is not."""

import pytest
import torch

from algolens.algorithms import Algorithm, Declaration, Limit
from algolens.discovery import AlgorithmTeacher, Episodes
from algolens.discovery.checks import steps_differ
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.proofs import prove_equal
from algolens.execution import run_algorithm
from algolens.fields import Location, Mask, Number, at_edge, at_graph, at_node
from algolens.graphs import Graph


def fewer_edges_than_numbers(rule: str) -> Declaration:
    """A number at edges that would fall below its least: on graphs without edges none does."""
    return Declaration(
        location=Location.NODE,
        inputs={"given": at_graph(Number(32))},
        state=("marked", "copied", "less"),
        start={"marked": "False", "copied": 0, "less": 0},
        sums={"given_less_1": at_edge("graph's given - 1")},
        look={"is_marked": at_node("marked"), "is_positive": at_node("graph's copied > 0")},
        concepts=("is_marked", "is_positive"),
        hints={"copied": at_graph(Number(32)), "less": at_edge(Number(32))},
        moves={"copied": "given", "less": "given_less_1"},
        outputs={"marked": Mask()},
        rules={"marked": {"true": rule, "false": f"~({rule})"}},
        most_steps=Limit(3, Location.GRAPH),
    )


def moving_outcome(move: str) -> Declaration:
    """An outcome that moves is read after the last step."""
    return Declaration(
        location=Location.NODE,
        state=("marked", "count"),
        start={"marked": "False", "count": 0},
        sums={"more": at_graph("count + 1")},
        look={"is_marked": at_node("marked"), "all_are": at_graph("every node (marked)")},
        concepts=("is_marked",),
        hints={"count": at_graph(Number(8))},
        moves={"count": move},
        outputs={"marked": Mask()},
        rules={"marked": {"true": "is_marked | ~is_marked", "false": "False"}},
        continues="~is_marked",
        outcomes=("count",),
    )


def word_of_the_proof(rule: str, name: str, at) -> Declaration:
    """A sum is called like what a proof knows of a run's history, and is negative."""
    return Declaration(
        location=Location.NODE,
        state=("single", "marked"),
        start={"single": "False", "marked": "False"},
        sums={name: at("0 - 5")},
        look={
            "is_alone": at_node("no other node (marked | ~marked)"),
            "is_single": at_node("single"),
            "is_marked": at_node("marked"),
        },
        concepts=("is_marked", "is_single", "is_alone"),
        outputs={"single": Mask(), "marked": Mask()},
        rules={
            "single": {"true": "is_alone", "false": "~is_alone"},
            "marked": {"true": rule, "false": f"~({rule})"},
        },
        most_steps=Limit(3, Location.GRAPH),
    )


PAIRS = {
    "a number at edges": (
        fewer_edges_than_numbers("is_marked | ~is_marked"),
        fewer_edges_than_numbers("~is_marked | is_positive"),
    ),
    "an outcome that moves": (moving_outcome("count"), moving_outcome("more where all_are")),
    "steps_taken": tuple(
        word_of_the_proof(rule, "steps_taken", at_graph)
        for rule in ("is_marked | ~is_marked", "~is_single")
    ),
    "when_marked": tuple(
        word_of_the_proof(rule, "when_marked", at_node)
        for rule in ("is_marked | ~is_marked", "~is_single")
    ),
}


@pytest.mark.parametrize("attack", PAIRS)
def test_what_differs_on_a_run_is_not_proven(attack):
    declared, other = PAIRS[attack]

    class Attacked(Algorithm):
        name = "attacked"

        def declare(self) -> Declaration:
            return declared

    known = Attacked()
    schema = AlgorithmTeacher(known).schema
    graph = Graph.pack([1], [])
    inputs = {name: torch.tensor([0]) for name in declared.inputs}
    runs = [
        Episodes.of(run_algorithm(one, graph, inputs))
        for one in (known, algorithm_of(schema, other, "other"))
    ]
    assert steps_differ(schema, *runs).any()
    assert prove_equal(declared.program, known).proven
    assert not prove_equal(other.program, known).proven
