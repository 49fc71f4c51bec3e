"""Making a certificate."""

from __future__ import annotations

import copy

import torch

from algolens.certification.certificate import Certificate
from algolens.certification.proof import provable, prove
from algolens.certification.trials import larger_graphs, small_graphs
from algolens.errors import AlgoLensError, ContractError
from algolens.fields import Number
from algolens.models import Network


@torch.no_grad()
def certify(network: Network) -> Certificate:
    """The certificate of one seed's network: the proof, then what is tried besides."""
    algorithm = network.algorithm
    if not provable(network):
        raise ContractError(
            f"this network for {algorithm.name} keeps a memory of numbers between steps, and cannot be proven right: take one "
            "without memory, as of the preset 'exact', where that learns the algorithm."
        )
    if len(network.seeds) != 1:
        raise AlgoLensError(
            f"one seed is certified at a time, and {len(network.seeds)} came: take one with network.only(place)."
        )
    network = copy.deepcopy(network).eval().cpu()
    found = [finding.check for finding in prove(network)]
    tried = [*small_graphs(network), larger_graphs(network)]
    return Certificate(algorithm.name, network.seeds[0], assumptions(network), (*found, *tried))


def assumptions(network: Network) -> tuple[str, ...]:
    """What a proof rests on."""
    declaration = network.algorithm.declaration
    found = ["Sums are those of IEEE 754 in single or double precision, in any order of adding."]
    numbers = {name: field.kind for name, field in declaration.inputs.items() if isinstance(field.kind, Number)}
    for name, kind in numbers.items():
        found.append(f"Every {name} is a whole number of {kind.bits} bits.")
    if declaration.sums:
        found.append(f"{', '.join(declaration.sums)}: sums are added as declared, and stay below 2**62.")
    if declaration.moves:
        found.append(f"{', '.join(declaration.moves)}: moved as declared, by what was observed.")
    return (*found, "That the declaration is the textbook's algorithm is tested, not proven.")
