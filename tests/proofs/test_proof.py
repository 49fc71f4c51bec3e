"""The proof against independent truth: what it calls right is right everywhere, and what it calls
wrong is wrong somewhere.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from algolens import checker
from algolens.algorithms import Algorithm, Node, Values, algorithms, category, mask
from algolens.arrays import all_to
from algolens.engines import run_algorithm
from algolens.errors import ContractError
from algolens.evaluation import free_run
from algolens.experiment.model import load_model
from algolens.graphs import Graph
from algolens.language.fields import Field
from algolens.language.finite import MOST_CASES, Statement, holds
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.exact import Comparator, Exact, Stage
from algolens.models.layers import Linear, leaky
from algolens.proofs.certificate import Basis
from algolens.proofs.network import _order, _stage, check_proof, most_cases, prove, two_layers
from algolens.training.stars import true_of
from tests.effort import covering, examples
from tests.language.statements import read
from tests.models.exact.stages import by_layers, declared, drawn_statement, random_perceiver
from tests.models.networks import few, numbers, several
from tests.strategies import batches, streams

PROVEN = {name: load_model(name).network.only(0).eval() for name in ("bfs", "coloring", "kruskal")}
names = st.sampled_from(sorted(PROVEN))
DOCS = Path(__file__).parents[2] / "docs"


def copied(network: Network) -> Network:
    again = Network(network.algorithm, network.architecture, network.seeds)
    again.load_state_dict(network.state_dict())
    return again.eval()


def failures(network: Network) -> int:
    return sum(finding.check.failures for finding in prove(network))


def drawn(algorithm: Algorithm, graph: Graph, rng: np.random.Generator) -> tuple[Values, Values]:
    """Inputs, and any state, reached or not."""
    declaration = algorithm.declaration

    def values(fields: Mapping[str, Field]) -> Values:
        drawn = {name: each.draw(graph, rng) for name, each in fields.items()}
        return all_to(drawn, graph.device)

    state = {name: declaration.predicted[name] for name in declaration.state}
    return values(declaration.inputs), values(state)


def wrong_in_a_state(network: Network, graph: Graph, rng: np.random.Generator) -> bool:
    """Whether a network gets a concept, a hint, an output or going on wrong in some state."""
    algorithm, parts = network.algorithm, NetworkParts(network)
    declaration = algorithm.declaration
    inputs, state = drawn(algorithm, graph, rng)
    truth = algorithm.perceive(graph, inputs, state)
    percept = parts.perceive(graph, inputs, state, None)
    concepts = torch.stack([truth[name] for name in declaration.concepts], 1)
    found = {**dict(zip(declaration.concepts, percept.concepts.T, strict=True)), **percept.hints}
    decided = declaration.rule_set.decide(concepts)
    wrong = any(not torch.equal(found[name], value) for name, value in truth.items())
    wrong |= any(
        not torch.equal(value, decided[name]) for name, value in parts.decide(concepts).items()
    )
    if declaration.terminates and not wrong:
        asked = declaration.rule_set.goes_on(
            concepts, lambda holds: graph.any_per_graph(holds, declaration.location)
        )
        wrong = not torch.equal(parts.continues(graph, percept), asked)
    return wrong


# ---- what is proven


@pytest.mark.parametrize("name", sorted(PROVEN))
def test_what_ships_is_proven(name: str) -> None:
    findings = prove(PROVEN[name])
    assert all(
        finding.check.basis is Basis.PROOF and finding.check.cases and not finding.wrong
        for finding in findings
    )
    assert failures(PROVEN[name]) == 0


@several
@given(names, batches(max_nodes=9), streams())
def test_a_proven_network_runs_as_the_algorithm_does_on_any_graph(
    name: str, graph: Graph, rng: np.random.Generator
) -> None:
    network = PROVEN[name]
    truth = run_algorithm(
        network.algorithm, graph, drawn(network.algorithm, graph, rng)[0], check=False
    )
    assert free_run(network, truth).equals(truth)


@several
@given(names, batches(), streams())
def test_a_proven_network_is_right_in_any_state(
    name: str, graph: Graph, rng: np.random.Generator
) -> None:
    assert not wrong_in_a_state(PROVEN[name], graph, rng)


# ---- what is damaged

DAMAGES = ("zeroed", "flipped", "swapped", "nan", "infinite", "moved")


def damage(network: Network, how: str, generator: torch.Generator) -> None:
    """Changes one weight, anywhere."""

    def drawn(below: int) -> int:
        return int(torch.randint(below, (), generator=generator))

    parameters = list(network.parameters())
    values = parameters[drawn(len(parameters))].data.view(-1)
    place, other = drawn(len(values)), drawn(len(values))
    match how:
        case "zeroed":
            values[place] = 0
        case "flipped":
            values[place] *= -1
        case "swapped":
            values[[place, other]] = values[[other, place]]
        case "nan":
            values[place] = torch.nan
        case "infinite":
            values[place] = torch.inf
        case "moved":
            values[place] += 4 * torch.randn((), generator=generator)


@examples(40)
@given(names, st.sampled_from(DAMAGES), numbers, batches(), streams())
def test_whatever_one_weight_is_changed_to_the_proof_knows(
    name: str, how: str, seed: int, graph: Graph, rng: np.random.Generator
) -> None:
    """Either it still holds, and the network is right in any state; or it fails, and shows
    where.
    """
    network = copied(PROVEN[name])
    damage(network, how, torch.Generator().manual_seed(seed))
    findings = prove(network)
    for finding in findings:
        assert bool(finding.check.failures) == (finding.check.counterexample is not None)
    if not any(finding.check.failures for finding in findings):
        for _ in range(5):
            assert not wrong_in_a_state(network, graph, rng)


@pytest.mark.parametrize("name", sorted(PROVEN))
def test_every_part_of_a_network_is_watched(name: str) -> None:
    """What a stage, a comparison or a decoder concludes is turned round: the finding of that part
    says so.
    """
    perceiver = PROVEN[name].perceiver
    assert isinstance(perceiver, Exact)
    parts = [(f"perceiver.stages.{part}.head_last", part) for part in perceiver.stages]
    parts += [
        (f"perceiver.comparisons.{width}", f"comparison {width}") for width in perceiver.comparisons
    ]
    parts += [(f"decoders.{part}.last", part) for part in PROVEN[name].decoders]
    for module, part in parts:
        network = copied(PROVEN[name])
        with torch.no_grad():
            for parameter in network.get_submodule(module).parameters():
                parameter.neg_()
        found = {finding.part: finding.check.failures for finding in prove(network)}
        assert found[part]
        assert sum(map(bool, found.values())) == 1


def test_a_counterexample_is_told_in_words() -> None:
    network = copied(PROVEN["coloring"])
    with torch.no_grad():
        dict(network.named_parameters())["perceiver.stages.color_2_seen.head_last.bias"][...] = (
            1000.0
        )
    (told,) = (finding.check.counterexample for finding in prove(network) if finding.check.failures)
    assert (
        told
        == "'color_2_seen' is found True and is False, for a node (anything) with nobody in view"
    )


# ---- the closure


def half_trained(statement: Statement, stage: Stage, steps: int, seed: int) -> None:
    """Some steps towards the truth on random stars."""
    generator = torch.Generator().manual_seed(seed)
    adam = torch.optim.Adam(stage.parameters(), 3e-2)
    for _ in range(steps):
        own = torch.randint(statement.num_own, (64,), generator=generator)
        kinds = torch.randint(max(statement.num_neighbours, 1), (64, 4), generator=generator)
        there = torch.rand(64, 4, generator=generator) < 0.5
        counts = torch.zeros(64, max(statement.num_neighbours, 1), dtype=torch.int64).scatter_add_(
            1, kinds, there.long()
        )
        truth = true_of(statement, own, counts[:, : statement.num_neighbours]).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            stage(own, kinds, there)[0], truth
        )
        adam.zero_grad()
        loss.backward()
        adam.step()


def every_view(statement: Statement) -> list[tuple[int, ...]]:
    """How many of each kind can be in view, as far as it makes a difference."""
    many = statement.exactly
    upto = statement.most if many is None else many
    found = itertools.product(range(upto + 1), repeat=statement.num_neighbours)
    return [counts for counts in found if many is None or sum(counts) == many]


def small(statement: Statement) -> bool:
    upto = statement.exactly or statement.most
    return statement.num_own <= 12 and (upto + 1) ** statement.num_neighbours <= 300


@examples(30)
@given(st.integers(0, 60), numbers)
def test_the_closure_finds_what_brute_force_finds(steps: int, seed: int) -> None:
    """Over all sets of kinds, or as many of each as are counted: the same failures, case by
    case.
    """
    statement = drawn_statement(random.Random(seed), small)
    stage = random_perceiver(declared(statement), seed, in_order=True).stages["found"]
    half_trained(statement, stage, steps, seed)
    with torch.no_grad():
        finding = _stage(statement, stage)
    wrong, cases = set(), set()
    for own in range(statement.num_own):
        for counts in every_view(statement):
            kinds = [kind for kind, count in enumerate(counts) for _ in range(count)]
            truth = bool(statement.truth(np.array([own]), np.array([counts], np.int64))[0])
            case = (own, received(stage, own, kinds), satisfied(statement, own, counts))
            cases.add(case)
            if (by_layers(stage, own, kinds) > 0) != truth:
                wrong.add(case)
    assert finding.check.failures == len(wrong), str(statement)
    assert finding.check.cases == len(cases) + statement.num_own * statement.num_neighbours
    for star in finding.wrong:
        counts = tuple(star.kinds.count(kind) for kind in range(statement.num_neighbours))
        truth = bool(statement.truth(np.array([star.own]), np.array([counts], np.int64))[0])
        assert (by_layers(stage, star.own, star.kinds) > 0) != truth


@torch.no_grad()
def received(stage: Stage, own: int, kinds: list[int]) -> tuple[int, ...]:
    """How often each bit is received, as far as it is counted."""
    if not kinds:
        return (0,) * stage.bits
    bits = stage.messages(torch.full((len(kinds),), own), torch.tensor(kinds))[0] > 0
    return tuple(bits.sum(0).clamp(max=stage.most).tolist())


def satisfied(statement: Statement, own: int, counts: tuple[int, ...]) -> tuple[int, ...]:
    """How many satisfy each quantified statement, or contradict it where it speaks of everyone, as
    far as it is counted.
    """
    found = []
    for quantified in statement.quantifiers:
        says = [
            bool(holds(quantified.body, partial(statement.atom_holds, own=own, neighbour=kind)))
            for kind in range(len(counts))
        ]
        if quantified.quantity == "every":
            says = [not each for each in says]
        found.append(
            min(
                sum(count for count, fits in zip(counts, says, strict=True) if fits),
                quantified.count,
            )
        )
    return tuple(found)


# ---- numbers


@examples(60)
@given(st.integers(1, 8), st.data())
def test_the_order_of_numbers_is_proven_just_where_every_pair_is_right(
    bits: int, data: st.DataObject
) -> None:
    comparison = Comparator(1, bits)
    change = data.draw(st.lists(st.floats(-0.05, 0.25), min_size=bits, max_size=bits))
    with torch.no_grad():
        comparison.change.copy_(torch.tensor([change]))
        comparison.offset.fill_(data.draw(st.floats(-6, 2)))
    every = torch.tensor(list(itertools.product((0.0, 1.0), repeat=bits)))
    values = torch.arange(len(every))
    first, second = values.repeat_interleave(len(every)), values.repeat(len(every))
    outcome = comparison.outcome(every[first], every[second])[0]
    right = outcome == 1 + (first > second).long() - (first < second).long()
    assert right[first == second].all()  # whatever is learnt
    if bool(comparison.in_order().all()):
        assert right.all()
    weights = [Fraction(float(each)) for each in comparison.weights[0].detach()]
    threshold = Fraction(float(comparison.threshold.detach()))
    margins = [
        w - sum(map(abs, weights[place + 1 :]), Fraction(0)) - threshold
        for place, w in enumerate(weights)
    ]
    if all(abs(margin) > Fraction(1, 10**9) for margin in margins):  # not too near to tell
        assert (
            bool(right.all())
            == all(margin > 0 for margin in margins)
            == bool(comparison.in_order().all())
        )


@pytest.mark.parametrize("spoilt", [torch.nan, torch.inf, -torch.inf, 1e30])
def test_numbers_that_are_none_are_out_of_order(spoilt: float) -> None:
    for place in range(4):
        comparison = Comparator(1, 4)
        with torch.no_grad():
            comparison.change.fill_(0.2)
            comparison.offset.fill_(-3)
            assert comparison.in_order().all()
            comparison.change[0, place] = spoilt
        assert not comparison.in_order().any()
    with torch.no_grad():
        comparison.change.fill_(0.2)
        comparison.offset.fill_(spoilt)
    assert not comparison.in_order().any() or spoilt == -torch.inf  # then the threshold is 0


# ---- rounding


@few
@given(st.integers(1, 30), st.integers(1, 40), st.integers(1, 5), st.integers(-20, 20), numbers)
def test_rounding_stays_within_its_bound(
    inputs: int, width: int, outputs: int, scale: int, seed: int
) -> None:
    """Of what is computed in single precision, in whatever order it is added, against exact
    fractions.
    """
    generator = torch.Generator().manual_seed(seed)
    first, last = Linear(1, inputs, width), Linear(1, width, outputs)
    with torch.no_grad():
        for layer in (first, last):
            for parameter in layer.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * 2.0**scale)
    features = (torch.rand(3, inputs, generator=generator) < 0.5).float()
    values, reach = (each.detach() for each in two_layers(first, last, features))
    exact = in_fractions(first, last, features)
    for _ in range(3):
        order, hidden = (
            torch.randperm(inputs, generator=generator),
            torch.randperm(width, generator=generator),
        )
        assert first.bias is not None
        assert last.bias is not None
        middle = leaky(one_by_one(features[:, order], first.weight[0][order], first.bias[0]))
        found = one_by_one(middle[:, hidden], last.weight[0][hidden], last.bias[0]).double()
        assert bool(((found - exact).abs() <= reach).all())
    assert bool(((values - exact).abs() <= reach).all())


@torch.no_grad()
def one_by_one(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A product, one term after the other, each rounded."""
    total = bias.expand(len(x), -1).clone()
    for place in range(x.shape[1]):
        total = total + x[:, place, None] * weight[place]
    return total


def in_fractions(first: Linear, last: Linear, features: Tensor) -> Tensor:
    """What two layers give, without any rounding, as the nearest double."""
    slope = Fraction(float(torch.nn.functional.leaky_relu(torch.tensor(-1.0), 0.01)))
    slope = -slope

    def affine(x: list[Fraction], layer: Linear) -> list[Fraction]:
        assert layer.bias is not None
        weight, bias = layer.weight[0].tolist(), layer.bias[0, 0].tolist()
        return [
            Fraction(b)
            + sum(
                (each * Fraction(row[place]) for each, row in zip(x, weight, strict=True)),
                Fraction(0),
            )
            for place, b in enumerate(bias)
        ]

    rows = []
    for row in features.tolist():
        middle = [
            each if each > 0 else slope * each
            for each in affine([Fraction(value) for value in row], first)
        ]
        rows.append([float(each) for each in affine(middle, last)])
    return torch.tensor(rows, dtype=torch.float64)


def test_what_is_proven_is_said_of_every_graph():
    said = {finding.check.name: finding.check.says for finding in prove(PROVEN["bfs"])}
    assert (
        said["has_been_visited"]
        == "At every node of every graph, it equals the declaration: visited."
    )
    assert said["goes_on"].startswith("In every graph, it equals the declaration: some node (")


# ---- how many cases there are at the most


@pytest.mark.parametrize("name", covering(algorithms()))
def test_a_proof_has_no_more_cases_than_are_told_before_it(name: str) -> None:
    network = load_model(name).network.only(0).eval()
    told = most_cases(network.algorithm.declaration, network.architecture.message_bits)
    counted = {finding.check.name: finding.check.cases for finding in prove(network)}
    assert counted.keys() == told.keys()
    assert all(cases <= told[check] for check, cases in counted.items())


@torch.no_grad()
@examples(60)
@given(numbers, st.integers(1, 2))
def test_whatever_the_weights_a_proof_has_no_more_cases_than_are_told_counting_included(seed, bits):
    few = drawn_statement(random.Random(seed), lambda each: each.num_neighbours <= 300)
    declaration = declared(few)
    perceiver = random_perceiver(declaration, seed, in_order=True, bits=bits)
    told = most_cases(declaration, bits)
    findings = [_order(width, each) for width, each in perceiver.comparisons.items()]
    findings += [
        _stage(perceiver.statements[name], stage) for name, stage in perceiver.stages.items()
    ]
    for finding in findings:
        assert finding.check.cases <= told[finding.check.name]


@torch.no_grad()
def test_the_bound_is_met_where_every_kind_sends_a_bit_of_its_own():
    """No smaller number would do: two kinds, each counted to 3, beside the two bits that count
    them.
    """
    declaration = declared(read("at least 3 neighbours (awake)", "node"))
    perceiver = random_perceiver(declaration, 0, in_order=True, bits=1)
    stage = perceiver.stages["found"]
    for layer in (stage.message_first, stage.message_last):
        layer.weight.zero_()
        cast(Tensor, layer.bias).fill_(0 if layer is stage.message_first else -0.5)
        layer.weight[0, :2, :2] = torch.eye(2)
    finding = _stage(perceiver.statements["found"], stage)
    assert finding.check.cases == most_cases(declaration, 1)["found"] == 2 + 4**2


def test_one_number_says_how_many_cases_are_too_many():
    assert checker.MOST_CASES == MOST_CASES
    for page in ("limits.md", "exactness.md"):
        (told,) = re.findall(
            r"([\d,]+)(?: cases\)| in one part\))", (DOCS / page).read_text(encoding="utf-8")
        )
        assert told == f"{MOST_CASES:,}"


@pytest.mark.parametrize("classes", [340, 350])
def test_a_proof_is_refused_before_training_just_where_it_could_have_more(classes):
    """A node of so many classes, and neighbours of as many kinds, whose eight bits and one
    statement are joined.
    """

    class Painted(Algorithm):
        paint = Node.input(category(classes))
        chosen = Node.output(mask, start="False", becomes="found")
        found = Node.concept("paint is 0 & some neighbour (paint is 1)")

    architecture = Architecture(processor="exact", message_bits=8)
    cases = classes * (classes + 2**9)
    if cases <= MOST_CASES:
        check_proof(Painted(), architecture)
        assert most_cases(Painted().declaration, 8)["found"] == cases
    else:
        with pytest.raises(
            ContractError,
            match=f"'found' of painted would have up to {cases:,} cases, and {MOST_CASES:,} are",
        ):
            check_proof(Painted(), architecture)
