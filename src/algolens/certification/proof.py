"""The proof: finite tables that settle, on every graph of any size, what a network without memory does."""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.neighbourhoods import Neighbourhoods, neighbourhoods
from algolens.certification.numbers import order_of_numbers
from algolens.certification.sure import Rounding
from algolens.fields import Mask
from algolens.models import Network
from algolens.models.asking import Asking
from algolens.models.memoryless import Memoryless

MOST_WRONG = 64  # neighbourhoods of one class that are handed back
SETS_AT_ONCE = 2**16


def provable(network: Network) -> bool:
    """Whether there is a proof to try: not where numbers are remembered between steps."""
    return isinstance(network.perceiver, Memoryless)


@torch.no_grad()
def prove(network: Network) -> list[Finding]:
    """Every part of the proof, for the network of one seed."""
    if network.device.type != "cpu":
        network = copy.deepcopy(network).cpu()  # tables are small, and looked into a lot
    algorithm, perceiver = network.algorithm, _memoryless(network)
    around, rounding = neighbourhoods(algorithm), Rounding(network)
    numbers = [order_of_numbers(algorithm, perceiver, name) for name in perceiver.comparisons]
    compared = _compared(around, perceiver)
    logits = _messages(around, perceiver, compared)
    sure = rounding.sure(logits, _messages(around, _memoryless(rounding.positive), compared))
    concepts = _concepts(network, around, logits > 0, rounding)
    return [*numbers, _sure_messages(sure), concepts, *_after_concepts(network, around, rounding)]


def _memoryless(network: Network) -> Memoryless:
    assert isinstance(network.perceiver, Memoryless)
    return network.perceiver


def _compared(around: Neighbourhoods, perceiver: Memoryless) -> Tensor:
    """[1, classes x K, ...] the bits of the comparison with each kind of neighbour, for each class of the node."""
    count = around.classes.count
    compared = [torch.zeros(1, count * len(around.kinds), 0)]
    for name, comparison in perceiver.comparisons.items():
        own, others = around.numbers(name)
        scores = comparison.scores(around.classes.numbers[name].encode(torch.cat([torch.tensor([own]), others])))
        compared.append(comparison((scores[:, :1] - scores[:, 1:]).repeat(1, count)))
    return torch.cat(compared, -1)


def _messages(around: Neighbourhoods, perceiver: Memoryless, compared: Tensor) -> Tensor:
    """[classes, K, bits] the logits of what each kind of neighbour sends to a node of each class."""
    count, kinds = around.classes.count, len(around.kinds)
    receivers = torch.arange(count).repeat_interleave(kinds)
    return perceiver.exchange.messages(receivers, around.labels.repeat(count), compared)[0].view(count, kinds, -1)


def _sure_messages(sure: Tensor) -> Finding:
    unsure = int((~sure).sum())
    check = Check(
        name="messages",
        basis=Basis.PROOF,
        cases=sure.numel(),
        failures=unsure,
        says="Each bit that a neighbour sends depends on its class, the node's own and how their numbers compare, and is sure.",
        counterexample=None if not unsure else "a bit's logit is too near to 0 to tell",
    )
    return Finding(check)


def _concepts(network: Network, around: Neighbourhoods, bits: Tensor, rounding: Rounding) -> Finding:
    """Own class x joined bits -> concepts. bits: [classes, K, bits] what each kind of neighbour sends."""
    perceiver, positive, declaration = _memoryless(network), _memoryless(rounding.positive), network.algorithm.declaration
    failures, first, stars = 0, None, []
    for own in range(around.classes.count):
        bad = []
        for sets in torch.arange(around.num_sets).split(SETS_AT_ONCE):
            # a bit is sent by the set where one of its members sends it: a sum of 0s and 1s that is not 0
            joined = (around.members(sets).float() @ bits[own].float() > 0).float()
            same = torch.full((len(sets),), own)
            logits, sizes = (
                perceiver.exchange.conclude(same, joined[None])[0],
                positive.exchange.conclude(same, joined[None])[0],
            )
            right = ((logits > 0) == around.truth[own, sets]) & rounding.sure(logits, sizes)
            bad.append(sets[~right.all(1)])
            if first is None and len(bad[-1]):
                where = int(right.all(1).logical_not().nonzero()[0])
                concept = int(right[where].logical_not().nonzero()[0])
                first = _described(
                    declaration.concepts[concept], around, own, int(sets[where]), bool(logits[where, concept] > 0)
                )
        wrong = torch.cat(bad)
        failures += len(wrong)
        if len(wrong):
            some = wrong[torch.linspace(0, len(wrong) - 1, min(len(wrong), MOST_WRONG)).long()]
            stars.append(around.stars(own, some))
    check = Check(
        name="concepts",
        basis=Basis.PROOF,
        cases=around.classes.count * around.num_sets,
        failures=failures,
        says="For a node of every class, and every set of kinds of neighbours around it, all concepts are the true ones.",
        counterexample=first,
    )
    return Finding(check, stars)


def _described(concept: str, around: Neighbourhoods, own: int, chosen: int, found: bool) -> str:
    place = around.algorithm.declaration.concepts.index(concept)
    truth = bool(around.truth[own, chosen, place])
    verdict = f"is {found} and should be {truth}" if found != truth else f"is {found}, which is right but too near to tell"
    return f"{concept} {verdict} for {around.described(own, chosen)}"


def _after_concepts(network: Network, around: Neighbourhoods, rounding: Rounding) -> list[Finding]:
    """On every pattern of concepts that can occur: the outputs, and who asks to go on."""
    declaration, algorithm = network.algorithm.declaration, network.algorithm
    patterns, shown_by = around.patterns
    concepts, truth = patterns[None].float(), declaration.program.decide(patterns)
    findings = []
    sizes = rounding.positive.decide_concepts(concepts)
    for name, scores in network.decide_concepts(concepts).items():
        kind = declaration.outputs[name]
        is_sure = rounding.sure if isinstance(kind, Mask) else rounding.ahead
        right = (kind.predict(scores[0]) == truth[name]) & is_sure(scores[0], sizes[name][0])
        says = f"On every pattern of concepts that can occur, the concept decoder gives the true {name}."
        findings.append(_on_patterns(f"output {name}", says, algorithm, around, patterns, right, shown_by))
    if isinstance(network.termination, Asking) and isinstance(rounding.positive.termination, Asking):
        asks, sizes_of_asks = network.termination(concepts)[0], rounding.positive.termination(concepts)[0]
        right = ((asks > 0) == declaration.program.goes_on(patterns)) & rounding.sure(asks, sizes_of_asks)
        says = (
            "On every such pattern, a node asks to go on where the true rule does; a graph goes on where one of its nodes asks."
        )
        findings.append(_on_patterns("going on", says, algorithm, around, patterns, right, shown_by))
    return findings


def _on_patterns(
    name: str, says: str, algorithm: Algorithm, around: Neighbourhoods, patterns: Tensor, right: Tensor, shown_by: Tensor
) -> Finding:
    wrong = (~right).nonzero().flatten()
    places = [divmod(int(shown_by[each]), around.num_sets) for each in wrong[:MOST_WRONG]]
    stars = [around.stars(own, torch.tensor([chosen])) for own, chosen in places]
    counterexample = None
    if len(wrong):
        pairs = zip(algorithm.declaration.concepts, patterns[wrong[0]].tolist(), strict=True)
        counterexample = "wrong, or too near to tell, on " + ", ".join(f"{concept} {value}" for concept, value in pairs)
    return Finding(Check(name, Basis.PROOF, len(patterns), len(wrong), says, counterexample), stars)
