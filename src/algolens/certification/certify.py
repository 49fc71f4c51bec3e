"""Making a certificate."""

from __future__ import annotations

import copy

import torch

from algolens.certification.certificate import Certificate
from algolens.certification.code import code_fingerprint
from algolens.certification.prove import proof_of, provable
from algolens.certification.trials import larger_graphs, small_graphs
from algolens.errors import AlgoLensError, ContractError
from algolens.execution import Threads
from algolens.models import Network, fingerprint


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
    proof = proof_of(network)
    with Threads() as threads:
        threads.suit(0)  # tables are small
        found = [finding.check for finding in proof.findings()]
        tried = proof.tried()
    tried = [*tried, *small_graphs(network), larger_graphs(network)]
    return Certificate(
        algorithm=algorithm.name,
        seed=network.seeds[0],
        about=about(network),
        assumptions=proof.assumptions(),
        premises=proof.premises(),
        checks=(*found, *tried),
    )


def about(network: Network) -> dict[str, str | None]:
    """The fingerprint of what a certificate of this network is about."""
    return {**fingerprint(network), "code": code_fingerprint(type(network.algorithm))}
