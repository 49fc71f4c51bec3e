"""The min-finder and the pointer network of the authors' code, against its equations written out
with PyTorch's own layers.
"""

from __future__ import annotations

from typing import TypeVar

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from algolens.models.disjoint_sets import (
    EdgeHead,
    KeyLogits,
    Layer,
    MinFinder,
    PointerNetwork,
    SetHeads,
)
from algolens.models.layers import Linear, Norm, draw_all
from algolens.models.packing import Packing
from tests.models.networks import numbers, several

Part = TypeVar("Part", bound=nn.Module)
WIDTH = 6
LEAKY = nn.LeakyReLU(0.01)


def made(part: Part, seed: int) -> Part:
    draw_all(part, (seed,))
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.mul_(2).add_(0.1)
    return part


def drawn(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def affine(layer: Linear, x: Tensor) -> Tensor:
    return x @ layer.weight[0] + (0 if layer.bias is None else layer.bias[0])


def normal(norm: Norm, x: Tensor) -> Tensor:
    return nn.functional.layer_norm(x, x.shape[-1:]) * norm.scale[0] + norm.shift[0]


def attention(layer: KeyLogits, queries: Tensor, keys: Tensor) -> Tensor:
    """[Q, K] softmax over keys of a linear map of [query; key] plus the same map of [key;
    query].
    """
    of_pairs = torch.cat(list(layer.both.weight[0].T))  # what the one place counts, and the other
    rows = [
        torch.stack([of_pairs @ torch.cat([q, k]) + of_pairs @ torch.cat([k, q]) for k in keys])
        for q in queries
    ]
    return torch.stack(rows).softmax(-1)


@several
@given(numbers, st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_a_layer_attends_sums_and_normalises_as_the_code_does(seed, counts):
    layer, x = made(Layer(1, WIDTH, literal=True), seed), drawn(seed, sum(counts), WIDTH)
    assert isinstance(layer.attention, KeyLogits)
    expected = []
    for part in x.split(counts):
        mapped = affine(layer.value, part)  # one map for queries, keys and values
        attended = affine(layer.output, attention(layer.attention, mapped, mapped) @ mapped)
        between = normal(layer.after_attention, 1.5 * part + 0.5 * attended)
        forward = affine(layer.narrow, torch.relu(affine(layer.widen, between)))
        expected.append(normal(layer.after_forward, 1.5 * between + 0.5 * forward))
    packing = Packing.of(torch.tensor(counts))
    assert_close(
        layer(x[None], packing, torch.zeros(()))[0], torch.cat(expected), atol=1e-4, rtol=1e-4
    )


@several
@given(numbers, st.integers(1, 6))
def test_the_pointer_to_the_next_edge_is_an_attention_that_no_query_changes(seed, count):
    """So all of the decoder but its last layer's keys has no effect."""
    finder, packing = (
        made(MinFinder(1, 3, WIDTH, literal=True), seed),
        Packing.of(torch.tensor([count])),
    )
    latent, scores = finder(drawn(seed, 1, count, 3), packing)
    assert finder.keys is not None
    assert isinstance(finder.point, KeyLogits)
    keys = affine(finder.keys, latent[0])
    for query in drawn(seed + 1, 3, 1, WIDTH):
        assert_close(
            scores[0].softmax(-1), attention(finder.point, query, keys)[0], atol=1e-4, rtol=1e-4
        )


@several
@given(numbers, st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_nodes_hear_along_pointers_and_pass_a_gru_whose_state_is_zero(seed, target):
    """Pointers count both ways; a root, which points to itself, hears itself."""
    network = made(PointerNetwork(1, 2, WIDTH, literal=True), seed)
    features, memory = drawn(seed, 5, 2), drawn(seed + 1, 5, WIDTH)
    z = LEAKY(affine(network.join, features) + affine(network.join_memory, memory))
    received, sent, own = network.first.weight[0].chunk(3, -1)
    heard = [
        {target[node]} | {other for other in range(5) if target[other] == node} for node in range(5)
    ]
    first = [
        torch.stack([LEAKY(z[node] @ received + z[other] @ sent) for other in heard[node]])
        for node in range(5)
    ]
    best = torch.stack([LEAKY(affine(network.message, each)).amax(0) for each in first])
    gru = nn.GRUCell(WIDTH, WIDTH, bias=False)
    with torch.no_grad():
        stays, new = network.gates.weight[0].T.chunk(2)
        # what resets a zero has no effect
        gru.weight_ih.copy_(torch.cat([torch.randn(WIDTH, WIDTH), stays, new]))
        latent = gru(LEAKY(z @ own + affine(network.update, best)), torch.zeros(5, WIDTH))
    found = network(network.join(features[None]), memory[None], torch.tensor(target))
    assert_close(found[0][0], z, atol=1e-4, rtol=1e-4)
    assert_close(found[1][0], latent, atol=1e-4, rtol=1e-4)


@several
@given(numbers)
def test_new_pointers_come_from_latent_states_alone(seed):
    heads, nodes = made(SetHeads(1, WIDTH, literal=True), seed), Packing.of(torch.tensor([4]))
    latent = drawn(seed, 1, 4, WIDTH)
    found = [heads(drawn(each, 1, 4, WIDTH), latent, nodes) for each in (seed + 1, seed + 2)]
    assert torch.equal(found[0][2], found[1][2])


@several
@given(numbers)
def test_ends_of_an_edge_count_in_the_order_in_which_it_is_given(seed):
    head = made(EdgeHead(1, WIDTH, 2, literal=True), seed)
    edges, nodes, ends = (
        drawn(seed, 1, 3, WIDTH),
        drawn(seed + 1, 1, 4, WIDTH),
        torch.tensor([[0, 1, 2], [1, 2, 3]]),
    )
    joined = torch.cat([edges[0], nodes[0, ends[0]], nodes[0, ends[1]]], -1)
    whole = torch.cat([head.edge.weight[0], *head.ends.weight[0].chunk(2, -1)])
    assert head.edge.bias is not None
    expected = affine(head.last, LEAKY(joined @ whole + head.edge.bias[0]))
    assert_close(head(edges, nodes, ends)[0], expected, atol=1e-4, rtol=1e-4)
