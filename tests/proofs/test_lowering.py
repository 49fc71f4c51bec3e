"""What engines compute is what a program says, on graphs of any size."""

from __future__ import annotations

import pytest
import z3

from algolens.algorithms import algorithm, algorithms
from algolens.language.lower import lower
from algolens.proofs import lowering
from algolens.proofs.certify import lowering_checks
from algolens.proofs.lowering import unproven_lets
from algolens.proofs.theory import Prover
from tests.conformance.cases import random_case
from tests.conformance.proven_lowering import check_lowering
from tests.conformance.test_lowering import mistaken

pytest.importorskip("z3")


@pytest.mark.parametrize("name", algorithms())
def test_every_value_of_every_algorithm_is_computed_as_declared(name):
    ours = algorithm(name)
    program = ours.declaration.program
    lets = list(unproven_lets(program, ours.graphs))
    assert len(lets) == len([*program.start, *program.lets, *program.becomes])
    assert [(let, why) for let, why in lets if why is not None] == []


def test_values_of_random_declarations_are_computed_as_declared():
    lets = [let for seed in range(12) for let in unproven_lets(random_case(seed).program, "any")]
    assert sum(why is not None for _, why in lets) <= len(lets) / 100


@pytest.mark.parametrize("name", ["bfs", "coloring", "dijkstra", "kruskal", "boruvka", "prim"])
def test_planted_mistakes_are_not_proven_right(name):
    """What is proven of a program with a mistake in it is no mistake on small graphs either."""
    ours = algorithm(name)
    program, planted = ours.declaration.program, 0
    for mistake, lowered in mistaken(lower(program)):
        planted += 1
        if all(why is None for _, why in unproven_lets(program, ours.graphs, lowered, 0.2)):
            answers = {each.answer for each in check_lowering(program, lowered)}
            assert answers == {"equal"}, mistake
    assert planted > 2


def test_the_axioms_that_columns_bring_are_not_contradictory(monkeypatch):
    """Of programs of all kinds of columns, nothing false follows."""
    asked = []

    class Consistent(Prover):
        def refutes(self, statement, *_):
            asked.append(super().refutes(z3.BoolVal(True), depths=(1.5,)) is None)
            return []

    monkeypatch.setattr(lowering, "Prover", Consistent)
    for name in ("kmp_matcher", "coloring", "floyd_warshall", "strong_components"):
        list(unproven_lets(algorithm(name).declaration.program, algorithm(name).graphs))
    assert asked
    assert all(asked)


def test_a_certificate_says_how_many_values_are_proven():
    [check] = lowering_checks(algorithm("bfs"))
    assert (check.cases, check.failures) == (5, 0)
    assert "graphs of any size" in check.says
