"""Declarations that were made to be proven equal wrongly: each differs on a run, and is not."""

import pytest
import torch

from algolens.algorithms import Algorithm, Edge, Graph, Node, mask, number, per
from algolens.discovery import AlgorithmOracle, Episodes
from algolens.discovery.differences import first_difference
from algolens.engines import run_algorithm
from algolens.graphs import Graph as Batch
from algolens.language.declare import Place
from algolens.proofs.equality.proof import prove_equal

ALWAYS = "is_marked | ~is_marked"


def fewer_edges_than_numbers(rule: str) -> Algorithm:
    """A number at edges that would fall below its least: on graphs without edges none does."""

    class Attacked(Algorithm):
        given = Graph.input(number(32))
        marked = Node.output(mask, start=False, becomes=rule)
        copied = Graph.state(number(32), start=0, becomes="given")
        less = Edge.state(number(32), start=0, becomes="given_less_1")
        given_less_1 = Edge.derived("graph's given - 1")
        is_marked = Node.concept("marked")
        is_positive = Node.concept("graph's copied > 0")
        most_steps = 3 * per(Graph)

    return Attacked()


def moving_outcome(move: str) -> Algorithm:
    """An outcome that is part of the state."""

    class Attacked(Algorithm):
        marked = Node.output(mask, start=False, becomes=ALWAYS)
        count = Graph.state(number(8), start=0, becomes=move)
        more = Graph.derived("count + 1")
        is_marked = Node.concept("marked")
        all_are = Graph.derived("every node (marked)")
        goes_on = "some node (~is_marked)"
        outcomes = ("count",)

    return Attacked()


def word_of_the_proof(rule: str, name: str, place: Place) -> Algorithm:
    """A sum is called like what a proof knows of a run's history, and is negative."""

    class Attacked(Algorithm):
        single = Node.output(mask, start=False, becomes="is_alone")
        marked = Node.output(mask, start=False, becomes=rule)
        vars()[name] = place.derived("0 - 5")
        is_marked = Node.concept("marked")
        is_single = Node.concept("single")
        is_alone = Node.concept("no other node (marked | ~marked)")
        most_steps = 3 * per(Graph)

    return Attacked()


PAIRS = {
    "a number at edges": (
        fewer_edges_than_numbers(ALWAYS),
        fewer_edges_than_numbers("~is_marked | is_positive"),
    ),
    "an outcome that moves": (moving_outcome("count"), moving_outcome("more where ~all_are")),
    "steps_taken": tuple(
        word_of_the_proof(rule, "steps_taken", Graph) for rule in (ALWAYS, "~is_single")
    ),
    "when_marked": tuple(
        word_of_the_proof(rule, "when_marked", Node) for rule in (ALWAYS, "~is_single")
    ),
}


@pytest.mark.parametrize("attack", PAIRS)
def test_what_differs_on_a_run_is_not_proven(attack):
    known, other = PAIRS[attack]
    graph = Batch.pack([1], []).to("cpu")
    inputs = {name: torch.tensor([0]) for name in known.declaration.inputs}
    runs = [Episodes.of(run_algorithm(one, graph, inputs)) for one in (known, other)]
    assert (first_difference(AlgorithmOracle(known).schema, *runs) >= 0).any()
    assert prove_equal(known.declaration.program, known).proven
    assert not prove_equal(other.declaration.program, known).proven
