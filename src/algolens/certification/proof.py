"""The proof: finite tables that settle, on every graph of any size, what a network without memory does."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.neighbourhoods import Neighbourhoods, neighbourhoods
from algolens.certification.numbers import order_of_numbers
from algolens.certification.sure import SURE
from algolens.fields import Kind, Mask
from algolens.graphs import Graph
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
    algorithm, perceiver = network.algorithm, network.perceiver
    assert isinstance(perceiver, Memoryless)
    around = neighbourhoods(algorithm)
    numbers = [order_of_numbers(algorithm, perceiver, name) for name in perceiver.comparisons]
    bits = _messages(around, perceiver)
    return [*numbers, _sure_messages(bits), *_concepts_and_after(network, around, bits > 0)]


def _messages(around: Neighbourhoods, perceiver: Memoryless) -> Tensor:
    """[classes, K, bits] the logits of what each kind of neighbour sends to a node of each class."""
    count, kinds = around.classes.count, len(around.kinds)
    compared = [torch.zeros(1, count * kinds, 0)]
    for name, comparison in perceiver.comparisons.items():
        own, others = around.numbers(name)
        scores = comparison.scores(around.classes.numbers[name].encode(torch.cat([torch.tensor([own]), others])))
        compared.append(comparison((scores[:, :1] - scores[:, 1:]).repeat(1, count)))
    receivers = torch.arange(count).repeat_interleave(kinds)
    return perceiver.messages(receivers, around.labels.repeat(count), torch.cat(compared, -1))[0].view(count, kinds, -1)


def _sure_messages(logits: Tensor) -> Finding:
    unsure = int((logits.abs() <= SURE).sum())
    check = Check(
        name="messages",
        basis=Basis.PROOF,
        cases=logits.numel(),
        failures=unsure,
        says="Each bit that a neighbour sends depends on its class, the node's own, and how their numbers compare, and is decided.",
        counterexample=None if not unsure else "a bit's logit is too near to 0 to tell",
    )
    return Finding(check)


def _concepts_and_after(network: Network, around: Neighbourhoods, bits: Tensor) -> list[Finding]:
    """Own class x joined bits -> concepts; concepts -> outputs; concepts -> go on."""
    perceiver, declaration = network.perceiver, network.algorithm.declaration
    assert isinstance(perceiver, Memoryless)
    failures, first, stars = 0, None, []
    for own in range(around.classes.count):
        bad = []
        for sets in torch.arange(around.num_sets).split(SETS_AT_ONCE):
            # a bit is sent by the set where one of its members sends it: a sum of 0s and 1s that is not 0
            joined = (around.members(sets).float() @ bits[own].float() > 0).float()
            logits = perceiver.concepts(torch.full((len(sets),), own), joined[None])[0]
            right = ((logits > 0) == around.truth[own, sets]) & (logits.abs() > SURE)
            bad.append(sets[~right.all(1)])
            if first is None and len(bad[-1]):
                where = int(right.all(1).logical_not().nonzero()[0])
                concept = int(right[where].logical_not().nonzero()[0])
                first = _described(declaration.concepts[concept], around, own, int(sets[where]), bool(logits[where, concept] > 0))
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
    return [Finding(check, stars), *_after_concepts(network, around)]


def _described(concept: str, around: Neighbourhoods, own: int, chosen: int, found: bool) -> str:
    place = around.algorithm.declaration.concepts.index(concept)
    truth = bool(around.truth[own, chosen, place])
    verdict = f"is {found} and should be {truth}" if found != truth else f"is {found}, which is right but too near to tell"
    return f"{concept} {verdict} for {around.described(own, chosen)}"


def _after_concepts(network: Network, around: Neighbourhoods) -> list[Finding]:
    """On every pattern of concepts that can occur: the outputs, and who asks to go on."""
    declaration, algorithm = network.algorithm.declaration, network.algorithm
    patterns, shown_by = around.patterns
    concepts, truth = patterns[None].float(), declaration.program.decide(patterns)
    findings = []
    for name, scores in network.decide_concepts(concepts).items():
        kind = declaration.outputs[name]
        right = (kind.predict(scores[0]) == truth[name]) & (_margin(kind, scores[0]) > SURE)
        says = f"On every pattern of concepts that can occur, the concept decoder gives the true {name}."
        findings.append(_on_patterns(f"output {name}", says, algorithm, around, patterns, right, shown_by))
    if isinstance(network.termination, Asking):
        asks = network.termination(concepts)[0]
        right = ((asks > 0) == declaration.program.goes_on(patterns)) & (asks.abs() > SURE)
        says = "On every such pattern, a node asks to go on where the true rule does; a graph goes on where one of its nodes asks."
        findings.append(_on_patterns("going on", says, algorithm, around, patterns, right, shown_by))
    return findings


def _on_patterns(
    name: str, says: str, algorithm: Algorithm, around: Neighbourhoods, patterns: Tensor, right: Tensor, shown_by: Tensor
) -> Finding:
    wrong = (~right).nonzero().flatten()
    stars: list[tuple[Graph, Values, Values]] = []
    for own, chosen in (divmod(int(shown_by[each]), around.num_sets) for each in wrong[:MOST_WRONG]):
        stars.append(around.stars(own, torch.tensor([chosen])))
    counterexample = None
    if len(wrong):
        pairs = zip(algorithm.declaration.concepts, patterns[wrong[0]].tolist(), strict=True)
        counterexample = "wrong, or too near to tell, on " + ", ".join(f"{concept} {value}" for concept, value in pairs)
    return Finding(Check(name, Basis.PROOF, len(patterns), len(wrong), says, counterexample), stars)


def _margin(kind: Kind, scores: Tensor) -> Tensor:
    """[P] by how much the predicted class is ahead."""
    if isinstance(kind, Mask):
        return scores.abs()
    best = scores.topk(2, -1).values
    return best[:, 0] - best[:, 1]
