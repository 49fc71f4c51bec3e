"""The maximum of messages along edges, against loops over neighbours."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.graphs import Graph
from algolens.models.layers import Linear, draw_all, in_one_matrix, leaky
from algolens.models.recurrent import MaxMessage
from tests.models.networks import batches, even_batches, neighbours, numbers, several

any_batch = st.one_of(batches(), even_batches())
loops = st.booleans()


def plain(
    receiver: Tensor, sender: Tensor, weight: Tensor, graph: Graph, *, self_loops: bool = True
) -> Tensor:
    """[S, N, F] node by node; 0 where nobody sends."""
    found = []
    for i, around in enumerate(neighbours(graph)):
        heard = around if self_loops else around[1:]
        messages = leaky(receiver[:, i, None] + sender[:, heard]) @ weight
        found.append(messages.amax(1) if heard else weight[:, 0] * 0)
    return torch.stack(found, 1)


def halves(graph: Graph, seed: int, width: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    """A message's first layer for two seeds, and its second; in double precision."""
    generator = torch.Generator().manual_seed(seed)
    receiver, sender = torch.randn(
        2, 2, graph.num_nodes, width, dtype=torch.float64, generator=generator
    )
    second = Linear(2, width, 4, bias=False).double()
    draw_all(second, (seed, seed + 1))
    weight = second.weight.detach().requires_grad_()
    return receiver.clone().requires_grad_(), sender.clone().requires_grad_(), weight


def connected(graph: Graph, *, self_loops: bool, wide: bool) -> Tensor:
    """Senders and receivers among the rows of two seeds; wide: one for each value, as on a GPU."""
    edge_index = graph.arcs if self_loops else graph.links
    rows = torch.stack([in_one_matrix(index, 2, graph.num_nodes) for index in edge_index])
    return rows[:, :, None].repeat(1, 1, 4) if wide else rows


@several
@given(any_batch, numbers, loops, st.booleans())
def test_the_maximum_of_messages_is_that_over_all_who_send(graph, seed, self_loops, wide):
    receiver, sender, second = halves(graph, seed)
    edges = connected(graph, self_loops=self_loops, wide=wide)
    found = MaxMessage.apply(receiver, sender, second, edges, None)
    assert_close(found, plain(receiver, sender, second, graph, self_loops=self_loops))


@several
@given(any_batch, numbers, loops, st.booleans())
def test_its_gradients_are_those_of_plain_autograd(graph, seed, self_loops, wide):
    receiver, sender, second = halves(graph, seed)
    weight = torch.randn(
        2, graph.num_nodes, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)
    )
    expected = torch.autograd.grad(
        (plain(receiver, sender, second, graph, self_loops=self_loops) * weight).sum(),
        [receiver, sender, second],
        materialize_grads=True,
    )
    edges = connected(graph, self_loops=self_loops, wide=wide)
    found = torch.autograd.grad(
        (MaxMessage.apply(receiver, sender, second, edges, None) * weight).sum(),
        [receiver, sender, second],
    )
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)
