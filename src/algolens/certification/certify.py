"""Making a certificate."""

from __future__ import annotations

import copy

from algolens.certification.certificate import Certificate
from algolens.certification.numbers import every_pair
from algolens.certification.proof import prove
from algolens.certification.trials import larger_graphs, locality, small_graphs
from algolens.errors import AlgoLensError
from algolens.models import Network
from algolens.models.memoryless import Memoryless


def certify(network: Network) -> Certificate:
    """The certificate of one seed's network: the proof, then what is tried besides."""
    algorithm, perceiver = network.algorithm, network.perceiver
    if not isinstance(perceiver, Memoryless):
        raise AlgoLensError(
            f"this network for {algorithm.name} keeps a memory of numbers between steps, and cannot be proven right: train one "
            f"with `algolens train {algorithm.name} --preset exact`."
        )
    if len(network.seeds) != 1:
        raise AlgoLensError(
            f"one seed is certified at a time, and {len(network.seeds)} came: take one with network.only(place)."
        )
    network = copy.deepcopy(network).eval().cpu()
    proof = [finding.check for finding in prove(network)]
    pairs = [check for name in perceiver.comparisons if (check := every_pair(perceiver, name)) is not None]
    tried = [*pairs, locality(algorithm), *small_graphs(network), larger_graphs(network)]
    return Certificate(algorithm.name, network.seeds[0], _assumptions(perceiver), (*proof, *tried))


def _assumptions(perceiver: Memoryless) -> tuple[str, ...]:
    """What the proof takes for granted."""
    numbers = perceiver.classes.numbers
    among = {"graph": "in a graph", "neighbours": "of neighbours"}
    return (
        *(f"{name}: whole numbers of {kind.bits} bits" for name, kind in numbers.items()),
        *(f"no two values of {name} {among[kind.distinct]} are equal" for name, kind in numbers.items() if kind.distinct),
        "the algorithm's true concepts at a node depend on the node's own class and on which kinds of neighbours it has "
        f"(their class{', and how their numbers compare with its own' if numbers else ''}); tried on samples",
        "sums are rounded as in IEEE 754, in any order: every decision is further from its threshold than that can matter",
    )
