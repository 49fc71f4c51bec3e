"""The proof against independent truth: what it calls right is right everywhere, and what it calls wrong is wrong somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
import torch
from examples.independent_set import IndependentSet
from hypothesis import assume, given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.certification import Basis, Finding, prove
from algolens.certification.neighbourhoods import neighbourhoods, two_nodes
from algolens.certification.numbers import every_pair, order_of_numbers
from algolens.certification.sure import Rounding
from algolens.data import Setting, Situations, arbitrary
from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.execution import execute_trusted
from algolens.experiment import load_run
from algolens.fields import Number
from algolens.graphs import stream
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import MEMORYLESS
from algolens.models.layers import Linear, leaky
from algolens.models.memoryless import Memoryless
from algolens.models.memoryless.comparison import SPREAD
from tests.models.networks import numbers, several
from tests.strategies import batches, streams

PROVEN = {name: load_run(name).network.only(0).eval() for name in ("bfs", "coloring", "kruskal")}
ON_NODES = ["bfs", "coloring"]
SPOILT_ON_NODES = [
    ("perceiver.exchange.conclude.last.bias", "concepts"),
    ("perceiver.exchange.conclude.bits.weight", "concepts"),
    ("termination.last.bias", "going on"),
]
SPOILT_ON_SETS = [
    ("perceiver.edges.conclude.last.bias", "edges among edges"),
    ("perceiver.edges.conclude.bits.weight", "edges among edges"),
    ("perceiver.ends.conclude.last.bias", "sets of both ends"),
    ("perceiver.ends.conclude.bits.weight", "sets of both ends"),
    ("perceiver.joins.last.bias", "edges that join"),
    ("perceiver.roots.conclude.last.bias", "roots to unite"),
    ("perceiver.rivals.conclude.own.weight", "new pointers"),
    ("perceiver.rivals.conclude.last.weight", "new pointers"),
    ("decoders.in_mst.last.bias", "output in_mst"),
]
names = st.sampled_from(sorted(PROVEN))


def copy(network: Network) -> Network:
    again = Network(network.algorithm, network.architecture, network.seeds)
    again.load_state_dict(network.state_dict())
    return again.eval()


def failures(network: Network) -> int:
    return sum(finding.check.failures for finding in prove(network))


def wrong(network: Network, setting: Setting) -> bool:
    """Whether a network gets a concept, a hint, an output or going on wrong in a setting."""
    truth, parts = Situations.of(network.algorithm, setting), NetworkParts(network)
    percept = parts.perceive(setting.graph, setting.inputs, setting.state, None)
    outputs = parts.decide(truth.concepts)  # of the true concepts: the decoder is to be right on its own
    asks = None
    if network.termination is not None:
        asks = network.termination(truth.concepts[None].float())[0] > 0
    if any((values != truth.hints[name]).any() for name, values in percept.hints.items()):
        return True
    return bool(
        (percept.concepts != truth.concepts).any()
        or any((outputs[name] != values).any() for name, values in truth.outputs.items())
        or (asks is not None and (asks != network.algorithm.declaration.program.goes_on(truth.concepts)).any())
    )


# ---- what is proven


@pytest.mark.parametrize("name", sorted(PROVEN))
def test_what_ships_is_proven(name):
    findings = prove(PROVEN[name])
    assert all(finding.check.basis is Basis.PROOF and finding.check.cases and not finding.wrong for finding in findings)
    assert failures(PROVEN[name]) == 0


@several
@given(names, batches(max_nodes=9), streams())
def test_a_proven_network_runs_as_the_algorithm_does_on_any_graph(name, graph, rng):
    network = PROVEN[name]
    chosen = network.algorithm
    inputs = {field: each.kind.draw(graph, each.location, rng) for field, each in chosen.declaration.inputs.items()}
    truth = execute_trusted(chosen, graph, inputs)
    assert free_run(network, truth).equals(truth)


@several
@given(names, numbers)
def test_a_proven_network_is_right_in_any_state(name, seed):
    assert not wrong(PROVEN[name], arbitrary(PROVEN[name].algorithm, 20, stream(seed), most_nodes=30))


# ---- what is not


@several
@given(names, numbers, st.floats(-3, 3))
def test_whatever_one_weight_is_changed_to_the_proof_knows(name, seed, change):
    """Either it still holds, and the network is right in random states; or it fails, and shows where."""
    network, generator = copy(PROVEN[name]), torch.Generator().manual_seed(seed)
    parameters = list(network.parameters())
    parameter = parameters[int(torch.randint(len(parameters), (), generator=generator))]
    place = int(torch.randint(parameter.numel(), (), generator=generator))
    with torch.no_grad():
        parameter.view(-1)[place] += 2**change if seed % 2 else -(2**change)
    findings = prove(network)
    if failures(network) == 0:
        assert not wrong(network, arbitrary(network.algorithm, 50, stream(seed)))
        return
    # where numbers are out of order, tables go by a comparison of two of them that does not hold for others
    in_order = not any(finding.check.failures for finding in findings if finding.check.name.startswith("order"))
    for finding in findings:
        if finding.check.failures:
            assert finding.check.counterexample
            if finding.wrong and "near" not in finding.check.counterexample and in_order:
                assert any(wrong(network, setting) for setting in finding.wrong)


@pytest.mark.parametrize(
    ("name", "weight", "check"),
    [
        *((name, *each) for name in ON_NODES for each in SPOILT_ON_NODES),
        *(("kruskal", *each) for each in SPOILT_ON_SETS),
    ],
)
def test_a_network_with_one_weight_spoilt_fails_with_a_counterexample(name, weight, check):
    network = copy(PROVEN[name])
    values = dict(network.named_parameters())[weight].view(-1)
    with torch.no_grad():
        most = values.abs().argmax()  # the one that matters most; a network of many bits says many things twice
        values[most] += 50.0 if name in ON_NODES else -50.0 * values[most].sign()
    finding = next(finding for finding in prove(network) if finding.check.name == check)
    assert finding.check.failures
    assert finding.check.counterexample
    assert any(wrong(network, setting) for setting in finding.wrong)


def test_a_counterexample_is_told_in_words():
    spoilt = copy(PROVEN["coloring"])
    place = spoilt.algorithm.declaration.concepts.index("color_2_seen")
    with torch.no_grad():
        dict(spoilt.named_parameters())["perceiver.exchange.conclude.last.bias"][0, 0, place] = 1000.0
    told = [finding.check.counterexample for finding in prove(spoilt) if finding.check.name == "concepts"]
    assert told == ["color_2_seen is True and should be False for a node with color 0 and no neighbours"]


# ---- numbers


def comparing(bits: int, change: list[float], offset: tuple[float, float]) -> tuple[IndependentSet, Memoryless]:
    chosen = IndependentSet(bits=bits)
    eye = Network(chosen, Architecture(width=4, processor=MEMORYLESS), (0,)).perceiver
    assert isinstance(eye, Memoryless)
    with torch.no_grad():
        eye.comparisons["priority"].change.copy_(torch.tensor([change]))
        eye.comparisons["priority"].offset.copy_(torch.tensor([[offset]]))
    return chosen, eye


def order(chosen: IndependentSet, eye: Memoryless) -> Finding:
    show = partial(two_nodes, chosen, eye.classes, "priority")
    return order_of_numbers(eye.comparisons["priority"], eye.classes.numbers["priority"], "priority", show)


@several
@given(st.integers(1, 6), st.data())
def test_the_order_of_numbers_is_proven_only_where_every_pair_is_right(bits, data):
    change = data.draw(st.lists(st.floats(-0.05, 0.25), min_size=bits, max_size=bits))
    offset = data.draw(st.tuples(st.floats(-1, 1), st.floats(-1, 1)))
    chosen, eye = comparing(bits, change, offset)
    finding, tried = order(chosen, eye), every_pair(eye.comparisons["priority"], eye.classes.numbers["priority"], "priority")
    values = torch.arange(2**bits)
    scores = eye.comparisons["priority"].scores(Number(bits).encode(values))[0].detach()
    difference = (scores[:, None] - scores).unsqueeze(-1) * torch.tensor([1.0, -1.0])
    logits = torch.asinh(difference) + torch.tensor(offset)
    larger, smaller = logits[values[:, None] > values], logits[values[:, None] < values]
    assume(float(torch.cat([larger, smaller]).abs().min()) > 1e-5)  # neither here nor there
    settled = all(len((side > 0).unique(dim=0)) == 1 for side in (larger, smaller))
    assert tried is not None
    assert (tried.failures == 0) == settled
    if finding.check.failures == 0:
        assert settled
        assert not finding.wrong
    # a place of more than twice the weight of the next one is enough, where the offsets are small
    weights = scores[2 ** torch.arange(bits)]
    if bool((weights[1:] > 2.01 * weights[:-1]).all()) and weights[0] > 0.1 and max(map(abs, offset)) < 0.05:
        assert finding.check.failures == 0


@given(st.integers(2, 16))
def test_a_pair_that_is_too_near_is_named(bits):
    """All places count alike: 1000 and 0111 come out in the wrong order, as at every place but the last."""
    chosen, eye = comparing(bits, [0.0] * (bits - 1) + [0.1], (0.0, 0.0))
    finding = order(chosen, eye)
    assert finding.check.failures == 2 * (bits - 1)
    assert finding.check.counterexample == f"{2 ** (bits - 1)} and {2 ** (bits - 1) - 1} are too near to tell"
    pair = finding.wrong[0].inputs["priority"][:2].tolist()
    assert pair == [2 ** (bits - 1), 2 ** (bits - 1) - 1]


# ---- neighbourhoods and rounding


@several
@given(st.sampled_from([algorithm("bfs"), algorithm("coloring", colors=3), IndependentSet()]), numbers)
def test_the_table_of_neighbourhoods_says_what_is_true_on_any_graph(chosen, seed):
    around = neighbourhoods(chosen)
    met = Situations.of(chosen, arbitrary(chosen, 20, stream(seed)))
    values = {**met.setting.inputs, **met.setting.state}
    sets = around.sets(met.setting.graph, values)
    assert int(sets.min()) >= 0
    assert torch.equal(around.truth[around.classes.of(values), sets], met.concepts)


def test_too_many_kinds_of_neighbours_are_refused():
    with pytest.raises(AlgoLensError, match="24 kinds of neighbours have"):
        neighbourhoods(algorithm("coloring", colors=11))


@several
@given(names, numbers)
def test_rounding_stays_within_its_bound(name, seed):
    """Of what is computed in single precision, against double precision."""
    network = PROVEN[name]
    rounding, exact = Rounding(network), copy(network).double()
    concepts = torch.rand(1, 50, len(network.algorithm.declaration.concepts), generator=torch.Generator().manual_seed(seed))
    for output, scores in network.decide_concepts(concepts).items():
        sizes = rounding.positive.decide_concepts(concepts)[output]
        difference = (scores - exact.decide_concepts(concepts.double())[output]).abs()
        assert bool((difference <= rounding.unit * sizes).all())


LAST_LAYERS = ("message", "conclude.last", "joins.last", "decoders.{}.last", "termination.last")


@several
@given(names, numbers, st.sampled_from([-1.0, 1.0]))
def test_rounding_stays_within_its_bound_whatever_the_signs_of_buffers(name, seed, sign):
    """Terms are added in another order, as another machine may: those of one hidden unit after the other, the largest last."""
    network = copy(PROVEN[name])
    with torch.no_grad():
        for decoder in network.decoders.values():
            decoder.kept.fill_(sign)
    rounding = Rounding(network)
    concepts = torch.randint(0, 2, (1, 20, len(network.algorithm.declaration.concepts)), generator=seeded(seed)).float()
    for output, decoder in network.decoders.items():
        hidden = leaky(applied(decoder.first, concepts[0] * sign))
        again = applied(decoder.last, hidden)
        scores, sizes = (each.decide_concepts(concepts)[output][0] for each in (network, rounding.positive))
        assert bool(((scores - again.view_as(scores)).abs() <= rounding.unit * sizes).all())


def test_a_buffer_that_is_negative_does_not_shrink_the_bound():
    """Where terms cancel in a network, they must not in what bounds its rounding."""
    network = copy(PROVEN["bfs"])
    with torch.no_grad():
        network.decoders["visited"].kept.neg_()
    concepts = torch.ones(1, 1, 2)
    positive, as_it_was = Rounding(network).positive, Rounding(PROVEN["bfs"]).positive
    assert torch.equal(positive.decide_concepts(concepts)["visited"], as_it_was.decide_concepts(concepts)["visited"])


@several
@given(names, st.floats(-44, -25), numbers)
def test_what_is_proven_is_right_where_a_machine_takes_the_smallest_numbers_for_nothing(name, power, seed):
    """All last layers are scaled down: no sign changes, until their logits are below the least normal number."""
    network = scaled(name, 10.0**power)
    if failures(network) == 0:
        assert not wrong_where_flushed(network, seed)


@pytest.mark.parametrize("name", sorted(PROVEN))
def test_logits_below_the_least_normal_number_are_not_proven(name):
    network = scaled(name, 1e-39)
    assert wrong_where_flushed(network, 0)  # else there would be nothing to find
    assert failures(network)
    assert failures(scaled(name, 1e-20)) == 0  # small, and far from it


@several
@given(st.floats(-44, -30))
def test_numbers_whose_scores_are_below_the_least_normal_number_are_not_proven(power):
    """Weights of 4, 2 and 1 times a tiny number, in exact order, and offsets of 0."""
    thetas = [4 * 10.0**power, 2 * 10.0**power, 10.0**power]
    change = [(a - b) / SPREAD for a, b in zip(thetas, [*thetas[1:], 0.0], strict=True)]
    chosen, eye = comparing(3, change, (0.0, 0.0))
    if order(chosen, eye).check.failures == 0:
        comparison, values = eye.comparisons["priority"], torch.arange(8)
        with flushed():
            scores = comparison.scores(Number(3).encode(values))[0].detach()
            found = comparison((scores[:, None] - scores).view(1, -1))[0].view(8, 8, -1)
        assert torch.equal(found[..., 0] > 0, values[:, None] > values)


@contextmanager
def flushed() -> Iterator[None]:
    """Numbers below the least normal one are 0, read or computed."""
    if not torch.set_flush_denormal(True):
        pytest.skip("this machine keeps the smallest numbers always")
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def scaled(name: str, factor: float) -> Network:
    """The same decisions, by logits that are smaller."""
    network = copy(PROVEN[name])
    ends = tuple(each.format(output) for each in LAST_LAYERS for output in network.decoders)
    with torch.no_grad():
        for layer, module in network.named_modules():
            if layer.endswith(ends):
                for parameter in module.parameters():
                    parameter.mul_(factor)
    return network


def wrong_where_flushed(network: Network, seed: int) -> bool:
    setting = arbitrary(network.algorithm, 20, stream(seed))
    with flushed():
        return wrong(network, setting)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def applied(layer: Linear, x: torch.Tensor) -> torch.Tensor:
    """[N, outputs] a layer of [N, inputs], its terms added one after the other, the smallest first."""
    assert layer.bias is not None
    terms = [*(x[:, i, None] * weight for i, weight in enumerate(layer.weight[0])), layer.bias[0].expand(len(x), -1)]
    stacked = torch.stack(terms).detach()
    ordered = stacked.gather(0, stacked.abs().argsort(0))
    total = torch.zeros_like(ordered[0])
    for term in ordered:
        total = total + term
    return total
