"""Fingerprints and weights from files: another network is never taken for this one."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError
from algolens.experiment.model import load_model
from algolens.models import Architecture, Network, fingerprint, load_weights, misfit
from tests.models.networks import names, numbers, random_network, several


def again(network: Network) -> Network:
    made = Network(network.algorithm, network.architecture, network.seeds)
    made.load_state_dict(network.state_dict())
    return made


@several
@given(names, st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True), st.data())
def test_any_changed_bit_of_any_weight_is_other_weights(name, seeds, data):
    network = random_network(name, tuple(seeds))
    before = fingerprint(network)
    assert fingerprint(again(network)) == before
    changed = again(network)
    values = list(changed.state_dict().values())
    tensor = values[data.draw(st.integers(0, len(values) - 1))]
    bits = tensor.view(-1).view(torch.int32)
    bits[data.draw(st.integers(0, bits.numel() - 1))] ^= 1 << data.draw(st.integers(0, 30))
    assert misfit(fingerprint(changed), before) == "other weights"


@several
@given(names, numbers)
def test_two_weights_that_change_places_are_other_weights(name, seed):
    """The same bytes under other names."""
    network = random_network(name, (seed,))
    swapped = again(network)
    weights = dict(swapped.named_parameters())
    first, second = weights["termination.output.weight"], weights["termination.relate.weight"]
    assert first.shape == second.shape
    with torch.no_grad():
        one = first.clone()
        first.copy_(second)
        second.copy_(one)
    assert misfit(fingerprint(swapped), fingerprint(network)) == "other weights"


@pytest.mark.parametrize(
    "other",
    [
        Network(algorithm("coloring", bits=9), Architecture(width=6), (0,)),
        Network(algorithm("coloring"), Architecture(width=6, given=("has_priority",)), (0,)),
        Network(algorithm("coloring"), Architecture(width=6), (1,)),
    ],
)
def test_what_makes_a_network_of_weights_counts_too(other):
    now = fingerprint(Network(algorithm("coloring"), Architecture(width=6), (0,)))
    assert misfit(fingerprint(other), now) == "another algorithm, option, architecture or seed"


@given(
    st.none()
    | st.text()
    | st.integers()
    | st.lists(st.text())
    | st.dictionaries(st.text(), st.text())
)
def test_what_names_no_weights_fits_nothing(written):
    assert misfit(written, fingerprint(load_model("bfs").network)) is not None


def test_what_cannot_be_told_fits_nothing_not_even_itself():
    assert misfit({"code": None}, {"code": None}) == "other code"


# ---- weights from a file

KEPT, BIAS = "decoders.visited.kept", "decoders.visited.last.bias"
SPOILT = {
    "lost": (
        lambda weights: weights.pop(BIAS),
        "'decoders.visited.last.bias' is not among the weights",
    ),
    "strange": (
        lambda weights: weights.update(extra=torch.zeros(1)),
        "'extra' is no weight of this network",
    ),
    "long": (
        lambda weights: weights.update({BIAS: torch.zeros(1, 1, 2)}),
        r"float32 \[1, 1, 2\], and should be .*\[1, 1, 1\]",
    ),
    "double": (
        lambda weights: weights.update({BIAS: weights[BIAS].double()}),
        "float64 .* should be float32",
    ),
    "no number": (
        lambda weights: weights.update({BIAS: weights[BIAS] * torch.nan}),
        f"'{BIAS}' holds a number",
    ),
    "infinite": (
        lambda weights: weights.update({BIAS: torch.full((1, 1, 1), torch.inf)}),
        "infinite or none",
    ),
    "negative": (lambda weights: weights.update({KEPT: -weights[KEPT]}), "kept.*holds -1"),
    "half": (
        lambda weights: weights.update({KEPT: weights[KEPT] / 2}),
        r"kept \(1\) or pruned \(0\), and holds 0.5",
    ),
}


@pytest.mark.parametrize("damage", SPOILT)
def test_weights_that_no_training_leaves_are_refused_by_name(damage):
    network = load_model("bfs").network
    weights = {name: value.clone() for name, value in network.state_dict().items()}
    spoil, complaint = SPOILT[damage]
    load_weights(again(network), weights)
    spoil(weights)
    with pytest.raises(AlgoLensError, match=complaint):
        load_weights(again(network), weights)
