"""What a proof assumes of how many nodes a mask is true of holds for all small sets, and tells."""

import time
from itertools import product

import pytest

from algolens.algorithms import algorithm
from algolens.proofs.equality.proof import Proof, prove_equal
from algolens.proofs.theory import Prover, z3


@pytest.mark.parametrize("size", [1, 3])
def test_counts_of_real_sets_are_possible_and_no_others(size):
    ours = algorithm("order_statistic")
    proof = Proof(ours.declaration.program, ours, time.process_time() + 60, lambda _: None)
    theory, now, after = proof.theory, proof.now, proof.state(" after")
    nodes = [theory.variable("node") for _ in range(size)]
    numbers = [theory.number["node"](node) == place for place, node in enumerate(nodes)]
    node = theory.variable("node")
    every = z3.ForAll([node], z3.Or(*[node == one for one in nodes]))
    between = proof.counts.between(now, after)
    axioms = [*proof.always([now, after], *between), *between, *numbers, every]
    prover = Prover([*axioms, theory.count["node"] == size], proof.until)
    refuted = 0
    for sets in product(product((False, True), repeat=size), repeat=2):
        said = [
            words.values["passed"](one) == is_so
            for words, some in zip((now, after), sets, strict=True)
            for one, is_so in zip(nodes, some, strict=True)
        ]
        for count in range(size + 1):
            counted = [
                words.values["how_many\N{FULLWIDTH LOW LINE}passed"](None) == how_many
                for words, how_many in ((now, sum(sets[0])), (after, count))
            ]
            is_refuted = prover.refutes(z3.And(*said, *counted)) is not None
            assert not (is_refuted and count == sum(sets[1]))
            refuted += is_refuted
    assert refuted


def test_what_an_algorithm_refuses_of_inputs_may_be_assumed_and_nothing_more():
    """That a number is left rests on a rank below their count."""
    ours = algorithm("order_statistic")
    proof = Proof(ours.declaration.program, ours, time.process_time() + 60, lambda _: None)
    rank, count = proof.inputs.values["rank"](None), proof.theory.count["node"]
    prover = Prover(proof.always([]), proof.until)
    assert prover.refutes(rank >= count) is not None
    assert prover.refutes(z3.And(rank == 3, count == 4)) is None
    assert prove_equal(ours.declaration.program, ours).proven
