"""Tables of neighbours, and the maximum of messages over them, against loops over neighbours."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.graphs import Graph
from algolens.models.layers import Linear, draw_all, leaky
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors import max_message
from tests.models.networks import even_batches, neighbours, numbers, patient, several
from tests.strategies import batches

any_batch = st.one_of(batches(), even_batches())
loops = st.booleans()
# stars and complete graphs have up to 8 neighbours
any_rows = st.sampled_from([None, 1, 2, 3, 5, 12])


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


def halves(graph: Graph, seed: int, width: int = 3) -> tuple[Tensor, Tensor, Tensor]:
    """A message's first layer for two seeds, and its second; in double precision."""
    generator = torch.Generator().manual_seed(seed)
    receiver, sender = torch.randn(
        2, 2, graph.num_nodes, width, dtype=torch.float64, generator=generator
    )
    second = Linear(2, width, 4, bias=False).double()
    draw_all(second, (seed, seed + 1))
    weight = second.weight.detach().requires_grad_()
    return receiver.clone().requires_grad_(), sender.clone().requires_grad_(), weight


def gradients(
    receiver: Tensor, sender: Tensor, second: Tensor, table: Neighbourhoods, weight: Tensor
) -> list[Tensor]:
    """What comes back, by the table, from a weighted sum of all messages."""
    (max_message(receiver, sender, second, table) * weight).sum().backward()
    assert receiver.grad is not None
    assert sender.grad is not None
    assert second.grad is not None
    return [receiver.grad, sender.grad, second.grad]


@patient
@given(any_batch, any_rows)
def test_a_table_lists_the_neighbours_once_each_and_the_node_itself(graph, rows):
    table = Neighbourhoods.of(graph, rows, self_loops=True)
    assert rows is None or len(table.senders) == rows
    listed: list[list[int]] = [[] for _ in range(graph.num_nodes)]
    receivers = [*range(graph.num_nodes), *table.owner.tolist()]
    for node, column in zip(receivers, table.senders.T.tolist(), strict=True):
        listed[node] += column
    for node, around in enumerate(neighbours(graph)):
        assert node in listed[node]
        assert sorted(j for j in listed[node] if j != node) == sorted(around[1:])


@patient
@given(any_batch, any_rows)
def test_the_reverse_of_a_slot_holds_the_way_back(graph, rows):
    table = Neighbourhoods.of(graph, rows, self_loops=True)
    receivers = torch.cat([torch.arange(graph.num_nodes), table.owner]).repeat(len(table.senders))
    assert table.reverse is not None
    senders, reverse = table.senders.flatten(), table.reverse.flatten()
    assert torch.equal(senders[reverse], receivers)
    assert torch.equal(receivers[reverse], senders)
    assert torch.equal(reverse[reverse], torch.arange(len(reverse)))


@patient
@given(any_batch, any_rows, loops)
def test_edges_for_pytorch_geometric_are_all_links_and_a_loop_at_every_node_that_has_one(
    graph, rows, self_loops
):
    edges = Neighbourhoods.of(graph, rows, self_loops=self_loops).edge_index.T.tolist()
    assert sorted(edges) == sorted((graph.arcs if self_loops else graph.links).T.tolist())


@several
@given(any_batch, any_rows, numbers, loops)
def test_the_maximum_of_messages_is_that_over_all_who_send(graph, rows, seed, self_loops):
    receiver, sender, second = halves(graph, seed)
    found = max_message(
        receiver, sender, second, Neighbourhoods.of(graph, rows, self_loops=self_loops)
    )
    assert_close(found, plain(receiver, sender, second, graph, self_loops=self_loops))


@several
@given(any_batch, any_rows, numbers, loops)
def test_its_gradients_are_those_of_plain_autograd(graph, rows, seed, self_loops):
    receiver, sender, second = halves(graph, seed)
    weight = torch.randn(
        2, graph.num_nodes, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)
    )
    expected = torch.autograd.grad(
        (plain(receiver, sender, second, graph, self_loops=self_loops) * weight).sum(),
        [receiver, sender, second],
        materialize_grads=True,
    )
    found = gradients(
        receiver, sender, second, Neighbourhoods.of(graph, rows, self_loops=self_loops), weight
    )
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


@several
@given(any_batch, any_rows, numbers, loops, st.data())
def test_a_table_of_chosen_graphs_is_the_chosen_graphs_table(graph, rows, seed, self_loops, data):
    # also twice, in any order
    chosen = data.draw(st.lists(st.integers(0, graph.num_graphs - 1), min_size=1, max_size=6))
    table = Neighbourhoods.of(graph, rows, self_loops=self_loops)
    taken, part = table.take(torch.tensor(chosen)), graph.take(chosen)
    anew = Neighbourhoods.of(part.graph, len(table.senders), self_loops=self_loops)
    assert torch.equal(table.nodes_of(torch.tensor(chosen)), part.nodes)
    assert torch.equal(taken.node_counts, part.graph.node_counts)
    assert sorted(taken.edge_index.T.tolist()) == sorted(anew.edge_index.T.tolist())
    weight = torch.randn(
        2,
        part.graph.num_nodes,
        4,
        dtype=torch.float64,
        generator=torch.Generator().manual_seed(seed),
    )
    assert_close(
        max_message(*halves(part.graph, seed), taken), max_message(*halves(part.graph, seed), anew)
    )
    for one, other in zip(
        gradients(*halves(part.graph, seed), taken, weight),
        gradients(*halves(part.graph, seed), anew, weight),
        strict=True,
    ):
        assert_close(one, other)


@several
@given(any_batch, any_rows, st.data())
def test_the_table_of_the_first_graphs_is_that_of_taking_them(graph, rows, data):
    table = Neighbourhoods.of(graph, rows, self_loops=True)
    counts = sorted(
        data.draw(st.lists(st.integers(1, graph.num_graphs), min_size=1, max_size=3)), reverse=True
    )
    first = table
    for count in counts:  # the first of the first are the first
        first = first.first(count)
    taken = table.take(torch.arange(counts[-1]))
    for name in ("senders", "reverse", "owner", "node_counts", "extra_counts"):
        assert torch.equal(getattr(first, name), getattr(taken, name)), name
    assert (first.num_nodes, first.even, first.self_loops) == (
        taken.num_nodes,
        taken.even,
        taken.self_loops,
    )


@patient
@given(any_batch)
def test_members_are_the_nodes_of_each_graph(graph):
    table = Neighbourhoods.of(graph, self_loops=True)
    members = table.members_of(table.node_counts)
    if isinstance(members, tuple):
        count, size = members
        assert graph.node_counts.tolist() == [size] * count
        members = torch.arange(count * size).view(count, size)
    for i, row in enumerate(members.tolist()):
        assert [node for node in row if node >= 0] == (
            graph.node_owner == i
        ).nonzero().flatten().tolist()


@patient
@given(even_batches())
def test_graphs_of_one_size_without_further_columns_are_known_to_be_even(graph):
    table = Neighbourhoods.of(graph, rows=8, self_loops=True)
    assert table.even is not None
    assert table.members_of(table.node_counts) == (graph.num_graphs, int(graph.node_counts[0]))
    twice = table.take(torch.tensor([0, 0]))
    assert twice.members_of(twice.node_counts) == (2, int(graph.node_counts[0]))
