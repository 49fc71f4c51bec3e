"""What a proof has to show, given to solvers that are not ours: they agree with the prover, and
find what is wrong.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import AlgoLensError
from algolens.experiment.model import load_model
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.models.layers import Linear
from algolens.proofs.network import _stage, prove, two_layers
from algolens.proofs.smt import (
    LayerTerms,
    Solver,
    check_with,
    obligations,
    rational,
    solver,
    stage_obligations,
)
from tests.effort import examples
from tests.models.exact.stages import declared, drawn_statement, random_perceiver
from tests.models.networks import numbers
from tests.proofs.test_proof import damage, half_trained


def a_solver(name: str) -> Solver:
    pytest.importorskip(name)
    return solver(name)


@pytest.mark.parametrize(
    ("name", "algorithm"), [("z3", "bfs"), ("cvc5", "bfs"), ("z3", "k_core"), ("z3", "kruskal")]
)
def test_what_ships_is_shown_once_more(name: str, algorithm: str) -> None:
    network = load_model(algorithm).network.only(0)
    answers = check_with(a_solver(name), obligations(network))
    assert all(each.is_shown for each in answers), [
        each.words() for each in answers if not each.is_shown
    ]
    parts = {finding.part for finding in prove(network)}
    assert {each.obligation.part for each in answers} == parts


def spoilt(algorithm: str, name: str, change: float) -> Network:
    network = load_model(algorithm).network.only(0)
    with torch.no_grad():
        dict(network.named_parameters())[name].view(-1)[0].add_(change)
    return network


SPOILT = [
    (
        "bfs",
        "perceiver.stages.has_visited_neighbours.head_last.bias",
        30.0,
        "has_visited_neighbours",
    ),
    (
        "k_core",
        "perceiver.stages.has_enough_neighbours.head_last.bias",
        -30.0,
        "has_enough_neighbours",
    ),
    ("boruvka", "perceiver.stages.is_chosen.head_last.bias", 30.0, "is_chosen"),
    ("bfs", "perceiver.stages.goes_on.head_last.bias", -30.0, "goes_on"),
    ("bfs", "decoders.visited.last.bias", 30.0, "visited"),
    ("coloring", "decoders.color.last.bias", 30.0, "color"),
    ("prim", "perceiver.comparisons.93.change", -1.0, "comparison 93"),
]


@pytest.mark.parametrize(
    ("name", "algorithm", "weight", "change", "part"),
    [("z3", *each) for each in SPOILT] + [("cvc5", *SPOILT[0]), ("cvc5", *SPOILT[-1])],
)
def test_a_damaged_weight_is_found_in_the_part_that_it_is_in(
    name: str, algorithm: str, weight: str, change: float, part: str
) -> None:
    network = spoilt(algorithm, weight, change)
    about = [each for each in obligations(network) if each.part == part]
    found = [each for each in check_with(a_solver(name), about) if not each.is_shown]
    assert found
    assert all(each.said == "sat" for each in found)
    assert {finding.part for finding in prove(network) if finding.check.failures} == {part}


@examples(12)
@given(
    st.sampled_from(["bfs", "bfs_tree"]),
    st.sampled_from(["zeroed", "flipped", "swapped", "moved"]),
    numbers,
)
def test_whatever_one_weight_is_changed_to_z3_judges_as_the_prover_does(
    algorithm: str, how: str, seed: int
) -> None:
    judge = a_solver("z3")
    network = load_model(algorithm).network.only(0)
    damage(network, how, torch.Generator().manual_seed(seed))
    failed = {finding.part for finding in prove(network) if finding.check.failures}
    answers = check_with(judge, obligations(network))
    assert {each.obligation.part for each in answers if not each.is_shown} == failed


@examples(12)
@given(st.integers(0, 60), numbers)
def test_any_statement_is_judged_as_by_the_prover(steps: int, seed: int) -> None:
    """Random statements, and some of every sort, with counting; stages half trained."""
    judge = a_solver("z3")
    statement = drawn_statement(
        random.Random(seed), lambda each: each.num_own * max(each.num_neighbours, 1) <= 24
    )
    perceiver = random_perceiver(declared(statement), seed, in_order=True)
    stage = perceiver.stages["found"]
    half_trained(statement, stage, steps, seed)
    with torch.no_grad():
        wrong = {star.own for star in _stage(statement, stage).wrong}
        found = {each.name: judge.solve(each.text) for each in stage_obligations(statement, stage)}
    failed = {int(re.findall(r"\d+", name)[0]) for name, said in found.items() if said != "unsat"}
    assert bool(failed) == bool(wrong)
    assert wrong <= failed  # the prover shows some of the stars that are wrong


# ---- the files


def test_rationals_are_exact() -> None:
    for value in (0.1, -0.25, 3.0, float(np.float32(1e-40)), -(2.0**-149)):
        text = rational(value)
        digits = [int(each) for each in re.findall(r"(\d+)\.0", text)]
        exact = Fraction(digits[0], digits[1] if len(digits) == 2 else 1)
        assert (-exact if text.startswith("(-") else exact) == Fraction(value)


def test_the_reach_is_the_provers() -> None:
    first, last = Linear(1, 5, 4), Linear(1, 4, 2)
    with torch.no_grad():
        for layer in (first, last):
            for parameter in layer.parameters():
                parameter.copy_(
                    torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
                )
    layers = LayerTerms(first, last, ["a"] * 5)
    features = torch.tensor([[1.0, 0.0, 1.0, 1.0, 0.0]])
    reach = two_layers(first, last, features)[1].detach()
    for k in range(2):
        constant, each = layers.reach(k)
        total = constant + sum(
            size for size, bit in zip(each, features[0].tolist(), strict=True) if bit
        )
        assert float(total) == pytest.approx(float(reach[0, k]), rel=1e-12)


def test_a_solver_that_is_not_there_is_named() -> None:
    with pytest.raises(AlgoLensError, match="minisat"):
        solver("minisat")


def test_every_part_of_a_network_has_an_obligation() -> None:
    network = load_model("coloring").network.only(0)
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    named = [each.name for each in obligations(network)]
    assert len(named) == len(set(named))
    conclusions = [
        name
        for name in named
        if name.startswith("stage-has_priority-") and not name.endswith("messages")
    ]
    assert len(conclusions) == perceiver.statements["has_priority"].num_own
