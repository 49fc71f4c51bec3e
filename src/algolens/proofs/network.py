"""When a decision is sure: further from undecided than rounding can move it, in whatever order a
machine adds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration
from algolens.errors import AlgoLensError, ContractError
from algolens.language.finite import MOST_CASES, Statement
from algolens.language.ir import At
from algolens.logic.patterns import all_patterns, pattern_in_words
from algolens.models import Architecture, Network
from algolens.models.exact import (
    Comparator,
    Exact,
    Stage,
    Star,
    all_statements,
    comparisons_of,
    num_bits,
)
from algolens.models.layers import Linear, leaky
from algolens.models.network import is_exact
from algolens.proofs.certificate import Basis, Check, Finding

SMALLEST = 2.0**-126  # of normal numbers in single precision: below it a machine may take 0 instead
# of sizes: rounding then brings none beyond what single precision holds
LARGEST = torch.finfo(torch.float32).max / 2


def two_layers(first: Linear, last: Linear, features: Tensor) -> tuple[Tensor, Tensor]:
    """[M, outputs] what two layers of one seed give for features [M, inputs], and by how much
    rounding may change it.

    A sum of n products is off by at most n u times the sum of their sizes, u being the unit of
    rounding. Where numbers below the smallest normal one are taken for 0, each product, sum and
    weight loses at most that. Sizes are what the layers give with all weights positive: then
    nothing cancels. LeakyReLU makes no error larger. Both layers' sums together stay below twice
    the longer one's bound. Where sizes exceed half of what single precision holds, a sum may become
    infinite on the way, and anything may come of it. Proven in docs/exactness.md.
    """
    features = features.double()
    (weight, bias), (weight_last, bias_last) = _parts(first), _parts(last)
    values = leaky(features @ weight + bias) @ weight_last + bias_last
    hidden = features.abs() @ weight.abs() + bias.abs()
    sizes = hidden @ weight_last.abs() + bias_last.abs()
    terms = max(len(weight), len(weight_last)) + 3
    lost = 2 * terms * SMALLEST * (2 + weight_last.abs().sum(0) + hidden.sum(1, keepdim=True))
    reach = 2 * terms * torch.finfo(torch.float32).eps * sizes + lost
    held = (hidden.amax(1, keepdim=True) <= LARGEST) & (sizes.amax(1, keepdim=True) <= LARGEST)
    return values, reach.masked_fill(~held, torch.inf)


def _parts(layer: Linear) -> tuple[Tensor, Tensor]:
    assert layer.bias is not None
    return layer.weight[0].double(), layer.bias[0].double()


MOST_SHOWN = 8  # stars that teach what was wrong
ORDER, OUTPUT = "order of numbers of {} bits", "output {}"  # names of checks


def check_proof(algorithm: Algorithm, architecture: Architecture) -> None:
    """Raises an error where a proof would have too many cases; no network is needed to know."""
    if not is_exact(architecture):
        return
    name, declaration = algorithm.name, algorithm.declaration
    for part, statement in all_statements(declaration).items():
        if _counts_too_far(statement):
            raise ContractError(
                f"the proof of '{part}' of {name} would have more than {MOST_CASES:,} cases, "
                "whatever is learnt, by how far it counts: count less far, or split it into "
                "several observations."
            )
        # where others are counted, the bound above says little: messages are learnt that bring
        # about few cases
        received = 0 if statement.most > 1 else _most_received(statement, architecture.message_bits)
        cases = statement.num_own * (statement.num_neighbours + received)
        if cases > MOST_CASES:
            raise ContractError(
                f"the proof of '{part}' of {name} would have up to {cases:,} cases, and "
                f"{MOST_CASES:,} are the most: let it read fewer fields, or fields of fewer "
                "classes, by splitting it into several observations."
            )
    concepts = len(declaration.concepts)
    if declaration.decided and 2**concepts > MOST_CASES:
        raise ContractError(
            f"{name} decides by {concepts} concepts, and a proof goes through all 2**{concepts} "
            f"patterns of them: {MOST_CASES:,} are the most. Declare fewer concepts."
        )


def _counts_too_far(statement: Statement) -> bool:
    """Whether what is declared alone has too many cases to be counted, without any message."""
    if prod(quantified.count + 1 for quantified in statement.quantifiers) <= MOST_CASES:
        return False
    try:
        for own in range(statement.num_own):
            statement.closure(own)
    except AlgoLensError:
        return True
    return False


def most_cases(declaration: Declaration, message_bits: int) -> dict[str, int]:
    """For each check that ``prove`` makes, by its name, as many cases as it can have at the most,
    whatever the weights.
    """
    statements = all_statements(declaration)
    widths = sorted(
        {each.bits for statement in statements.values() for each in comparisons_of(statement)}
    )
    return {
        **{ORDER.format(width): width for width in widths},
        **{
            name: statement.num_own
            * (statement.num_neighbours + min(_most_received(statement, message_bits), MOST_CASES))
            for name, statement in statements.items()
        },
        **{OUTPUT.format(name): 2 ** len(declaration.concepts) for name in declaration.decided},
    }


def _most_received(statement: Statement, message_bits: int) -> int:
    """In how many ways an element can receive bits and satisfy quantified statements, each as far
    as it is counted.
    """
    if not statement.quantifiers:
        return 1
    stops = [statement.most] * num_bits(statement, message_bits) + [
        each.count for each in statement.quantifiers
    ]
    # more of a kind than the last stop make no difference
    by_kinds = (max(stops) + 1) ** min(statement.num_neighbours, len(stops))
    return min(by_kinds, prod(stop + 1 for stop in stops))


@torch.no_grad()
def prove(network: Network) -> list[Finding]:
    """What a proof finds, part by part, of one seed's network."""
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    found = [_order(width, comparison) for width, comparison in perceiver.comparisons.items()]
    found += [_stage(perceiver.statements[name], stage) for name, stage in perceiver.stages.items()]
    return [*found, *_outputs(network)]


def _order(width: str, comparison: Comparator) -> Finding:
    wrong = int((~(comparison.margins()[0] > 0)).sum())
    check = Check(
        name=ORDER.format(width),
        basis=Basis.PROOF,
        cases=comparison.bits,
        failures=wrong,
        says="Of two numbers, it finds which one is lower, at whatever place they first differ; "
        "of equal ones, neither.",
        counterexample=None
        if not wrong
        else "a place's weight does not exceed those of all lower places together",
    )
    return Finding(check, f"comparison {width}")


def _stage(statement: Statement, stage: Stage) -> Finding:
    """Every case that the elements of any graph can be in."""
    cases, failures, first = 0, 0, None
    wrong: list[Star] = []
    for own in range(statement.num_own):
        bits, near_zero = _sent(stage, own)
        if near_zero is not None:
            failures += 1
            sender = statement.neighbour_words(near_zero)
            first = first or f"a bit that {sender} sends is too near to 0 to tell"
            wrong.append(Star(own, (near_zero,)))
        closed = statement.closure(own, bits, stage.most)
        possible = closed.cases(statement.exactly)
        for case, says in _wrong_cases(statement, stage, own, closed.received[possible]):
            failures += 1
            star = Star(own, tuple(closed.neighbours_of(int(possible[case]))))
            first = first or f"{says}, for {statement.case_words(star.own, star.kinds)}"
            if len(wrong) < MOST_SHOWN:
                wrong.append(star)
        cases += len(possible) + len(bits)
    check = Check(
        name=statement.name,
        basis=Basis.PROOF,
        cases=cases,
        failures=failures,
        says=f"{_everywhere(statement.at)}, it equals the declaration: {statement.text}.",
        counterexample=first,
    )
    return Finding(check, statement.name, tuple(wrong))


def _everywhere(at: At) -> str:
    return "In every graph" if at == "graph" else f"At every {at} of every graph"


def _sent(stage: Stage, own: int) -> tuple[np.ndarray, int | None]:
    """[kinds, bits] what every kind sends to an own class, and a kind one of whose bits rounding
    could change.
    """
    if not stage.looks_at_others:
        return np.zeros((0, 0), np.uint8), None
    kinds = len(stage.kind_features)
    features = torch.cat([stage.own_features[own].expand(kinds, -1), stage.kind_features], 1)
    logits, reach = two_layers(stage.message_first, stage.message_last, features)
    near_zero = (~(logits.abs() > reach)).any(1).nonzero().flatten().tolist()
    return (logits > 0).numpy().astype(np.uint8), near_zero[0] if near_zero else None


def _wrong_cases(
    statement: Statement, stage: Stage, own: int, received: np.ndarray
) -> Iterator[tuple[int, str]]:
    """The cases that are not concluded rightly, by their place among those received, and why."""
    truth = statement.truth_in_cases(own, received)
    features = torch.cat(
        [
            stage.own_features[own].expand(len(received), -1),
            stage.thermometer(torch.from_numpy(received[:, : stage.bits])),
        ],
        1,
    )
    logits, reach = (
        each[:, 0].numpy() for each in two_layers(stage.head_first, stage.head_last, features)
    )
    settled = np.abs(logits) > reach
    name = statement.name
    for case in np.flatnonzero(~settled | ((logits > 0) != truth)):
        says = (
            f"'{name}' is found {logits[case] > 0} and is {truth[case]}"
            if settled[case]
            else f"'{name}' is too near to 0 to tell"
        )
        yield int(case), says


def _outputs(network: Network) -> Iterator[Finding]:
    """Every pattern of concepts, whether it can occur or not."""
    declaration = network.algorithm.declaration
    patterns = torch.from_numpy(all_patterns(len(declaration.concepts)))
    truth = declaration.rule_set.decide(patterns)
    for name, decoder in network.decoders.items():
        scores, reach = two_layers(decoder.first, decoder.last, patterns * decoder.kept[0].T)
        if network.outputs[name].kind == "mask":
            right = ((scores > 0) == truth[name][:, None]) & (scores.abs() > reach)
        else:
            right = _ahead(scores, reach)[:, None] & (scores.argmax(1) == truth[name])[:, None]
        wrong = (~right[:, 0]).nonzero().flatten().tolist()
        check = Check(
            name=OUTPUT.format(name),
            basis=Basis.PROOF,
            cases=len(patterns),
            failures=len(wrong),
            says="On every pattern of concepts, the output is that of the declared rules.",
            counterexample=None if not wrong else pattern_in_words(wrong[0], declaration.concepts),
        )
        yield Finding(check, name)


def _ahead(scores: Tensor, reach: Tensor) -> Tensor:
    """[M] whether rounding cannot change which of the scores [M, K] is the largest."""
    best = scores.argmax(-1, keepdim=True)
    floor = (scores - reach).gather(-1, best)
    others = (scores + reach).scatter(-1, best, -torch.inf)
    return (floor > others).all(-1)
