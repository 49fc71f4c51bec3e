"""Declarations that were made to be proven equal wrongly: each differs on a run, and is not."""

import pytest
import torch
from msgspec.structs import replace

from algolens.algorithms import Algorithm, Declaration, Edge, Graph, Node, mask, number, per
from algolens.discovery import AlgorithmOracle, Episodes
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.differences import first_difference
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import Graph as Batch
from algolens.language.declare import Place
from algolens.language.ir import Arith, Expr, Get, Program, put, rebuilt
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


def summing(seen: str) -> Algorithm:
    """Marks nodes by what is seen; a sum of the large number of some node may leave 62 bits."""

    class Summing(Algorithm):
        large = Node.input(number(61))
        marked = Node.output(mask, start=False, becomes="is_seen | ~is_seen")
        is_seen = Node.concept(seen)
        most_steps = per(Graph)

    return Summing()


def with_sum_inside(ours: Algorithm) -> Program:
    """The same program, its first sum said inside of the quantifier that names it."""
    program = ours.declaration.program
    (total,) = (let for let in program.lets if isinstance(let.value, Arith))

    def inside(node: Expr) -> Expr:
        if isinstance(node, Get) and node.column == total.name:
            return put(total.value, me=node.of)
        made: Expr = rebuilt(node, inside)
        return made

    kept = (let for let in program.lets if let is not total)
    return replace(program, lets=tuple(replace(let, value=inside(let.value)) for let in kept))


@pytest.mark.parametrize(("view", "is_alike"), [("other node", True), ("neighbour", False)])
def test_a_sum_in_a_quantifier_is_computed_of_the_rows_of_its_view(view, is_alike):
    """Of all other nodes, or of those that are somebody's neighbours: a lone node is neither."""
    adds = summing(f"some {view} (its large + its large + its large > 9)")
    reads = summing(f"some {view} (its large > 3)")
    inside = with_sum_inside(adds)
    assert not any(isinstance(let.value, Arith) for let in inside.lets)
    schema = AlgorithmOracle(adds).schema
    alone, largest = Batch.pack([1], []).to("cpu"), {"large": torch.tensor([2**61 - 1])}
    run_algorithm(reads, alone, largest)
    refusing = [adds, *[algorithm_of(schema, Declaration(inside), "inside")] * is_alike]
    for one in refusing:
        with pytest.raises(AlgoLensError, match="62 bits"):
            run_algorithm(one, alone, largest)
    assert prove_equal(inside, algorithm_of(schema, Declaration(inside), "inside")).proven
    assert prove_equal(inside, adds).proven is is_alike
    for written, other in ((inside, reads), (reads.declaration.program, adds)):
        found = prove_equal(written, other)
        assert not found.proven
        assert found.within_bits
