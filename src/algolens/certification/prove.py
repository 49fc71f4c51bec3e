"""The proof that fits a network."""

from __future__ import annotations

import copy

import torch

from algolens.certification.certificate import Finding
from algolens.certification.of_nodes import ProofOfNodes
from algolens.certification.of_sets import ProofOfSets
from algolens.certification.proof import Proof
from algolens.models import Network
from algolens.models.flat_sets import FlatSets
from algolens.models.memoryless import Memoryless
from algolens.models.perceiver import Perceiver

PROOFS: dict[type[Perceiver], type[Proof]] = {Memoryless: ProofOfNodes, FlatSets: ProofOfSets}


def provable(network: Network) -> bool:
    """Whether there is a proof to try: not where numbers are remembered between steps."""
    return type(network.perceiver) in PROOFS


def check_proof(network: Network) -> None:
    """Raises an error where there is a proof to try, but not for the network's algorithm."""
    if provable(network):
        PROOFS[type(network.perceiver)].check(network.algorithm)


def proof_of(network: Network) -> Proof:
    """The proof for the network of one seed."""
    if network.device.type != "cpu":
        network = copy.deepcopy(network).cpu()  # tables are small, and looked into a lot
    return PROOFS[type(network.perceiver)](network)


@torch.no_grad()
def prove(network: Network) -> list[Finding]:
    """Every part of the proof, for the network of one seed."""
    return proof_of(network).findings()


def premises(network: Network) -> tuple[str, ...]:
    """What the proof for a network rests on that is only tried on samples."""
    return proof_of(network).premises()
