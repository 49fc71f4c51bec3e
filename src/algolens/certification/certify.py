"""Making a certificate."""

from __future__ import annotations

import copy

import torch

from algolens.algorithms import Declaration
from algolens.certification.certificate import Certificate, Check
from algolens.certification.code import code_fingerprint
from algolens.certification.declared import declaration_fingerprint, declaration_json
from algolens.certification.proof import provable, prove
from algolens.certification.trials import larger_graph_trial, small_graph_trials
from algolens.errors import AlgoLensError, ContractError
from algolens.execution import Threads
from algolens.fields import numbers_in
from algolens.looks import Statement
from algolens.looks.scope import NUMBER, NUMBER_BITS
from algolens.models import Network, fingerprint
from algolens.models.exact.exact import comparisons_of


def certify_network(network: Network) -> Certificate:
    """The certificate of one seed's network: the proof, then what is tried besides."""
    proven = proof(network)
    return Certificate(
        algorithm=network.algorithm.name,
        seed=network.seeds[0],
        about=certificate_subject(network),
        assumptions=assumptions(network),
        checks=(*proven, *trials(network)),
    )


@torch.no_grad()
def proof(network: Network) -> tuple[Check, ...]:
    """What is proven of one seed's network, now: every check holds on every graph. It takes a
    fraction of a second.
    """
    algorithm = network.algorithm
    if not provable(network):
        raise ContractError(
            f"this network for {algorithm.name} keeps a memory of numbers between steps, and "
            "cannot be proven right: take one without memory, as of the preset 'exact', where "
            "that learns the algorithm."
        )
    if len(network.seeds) != 1:
        raise AlgoLensError(
            f"one seed is certified at a time, and {len(network.seeds)} came: take one with "
            "network.only(place)."
        )
    with Threads() as threads:
        threads.suit(0)  # tables are small
        return tuple(finding.check for finding in prove(_apart(network)))


def trials(network: Network) -> tuple[Check, ...]:
    """What is tried of one seed's network beside a proof."""
    apart = _apart(network)
    return (*small_graph_trials(apart), larger_graph_trial(apart))


def certificate_subject(network: Network) -> dict[str, str | None]:
    """The fingerprint of what a certificate of this network is about."""
    return {
        **fingerprint(network),
        "declaration": declaration_fingerprint(declaration_json(network)),
        "code": code_fingerprint(type(network.algorithm)),
    }


def _apart(network: Network) -> Network:
    return copy.deepcopy(network).eval().cpu()


def assumptions(network: Network) -> tuple[str, ...]:
    """What a proof rests on."""
    declaration = network.algorithm.declaration
    found = [
        "sums are rounded as in IEEE 754, in any order, the smallest numbers kept or taken for 0: "
        "every decision is further from its threshold than that can matter"
    ]
    numbers = numbers_in(declaration.inputs)
    alike = {
        "graph": ", and no two of a graph are equal",
        "neighbours": ", and no two of neighbours are equal",
        None: "",
    }
    found += [
        f"every {name} is a whole number of {kind.bits} bits{alike[kind.distinct]}"
        for name, kind in numbers.items()
    ]
    carried = numbers_in({name: declaration.predicted[name] for name in declaration.state})
    found += [
        f"every {name} stays a whole number of {kind.bits} bits, or the run is refused"
        for name, kind in carried.items()
    ]
    if any(
        NUMBER in term.path
        for reading in _readings(declaration)
        for each in comparisons_of(reading)
        for term in each.left
    ):
        found.append(
            f"a graph has fewer than 2^{NUMBER_BITS} nodes and edges, for they are told apart by "
            "number"
        )
    if declaration.sums:
        found.append(
            f"sums are added as declared, and stay inside 62 bits: {', '.join(declaration.sums)}"
        )
    if declaration.moves:
        found.append(
            f"what moves, moves as declared, by what was observed: {', '.join(declaration.moves)}"
        )
    return (*found, "the declaration is the textbook's algorithm, which is tested, not proven")


def _readings(declaration: Declaration) -> tuple[Statement, ...]:
    return () if declaration.seen is None else declaration.seen.readings
