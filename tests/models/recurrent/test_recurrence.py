"""The recurrence by hand against PyTorch's own gradients, in double precision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.graphs import Graph
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.recurrence import Processed, recur, recur_by_autograd
from tests.models.networks import even_batches, names, numbers, random_network, recurrent, several
from tests.strategies import batches

any_batch = st.one_of(batches(max_graphs=4), even_batches(max_graphs=4))


def tables_of(graph: Graph, rows: int | None, data: st.DataObject) -> list[Neighbourhoods]:
    """Looks in a row: at all graphs, then at ever fewer of the first."""
    found = [Neighbourhoods.of(graph, rows, self_loops=data.draw(st.booleans()))]
    for _ in range(data.draw(st.integers(0, 3))):
        found.append(found[-1].first(data.draw(st.integers(1, len(found[-1].node_counts)))))
    return found


@several
@given(names, any_batch, st.sampled_from([None, 1, 3]), st.integers(1, 3), numbers, st.data())
def test_states_and_all_gradients_are_those_of_plain_autograd(name, graph, rows, seeds, seed, data):
    """With encoders of one layer (bfs) and of two (coloring), and nodes of more neighbours than a
    table has rows.
    """
    perceiver = recurrent(random_network(name, tuple(range(seeds)), scale=2.0)).double()
    tables = tables_of(graph, rows, data)
    generator = torch.Generator().manual_seed(seed)

    def normal(rows: int) -> Tensor:
        return torch.randn(seeds, rows, 6, dtype=torch.float64, generator=generator)

    given_, memory = normal(sum(table.num_nodes for table in tables)), normal(graph.num_nodes)
    weight = normal(given_.shape[1]), normal(given_.shape[1])
    inputs = [given_.requires_grad_(), memory.requires_grad_()]
    learning = [*perceiver.encoder.join_memory.parameters(), *perceiver.processor.parameters()]
    learning += [] if perceiver.encoder.deepen is None else perceiver.encoder.deepen.parameters()

    def everything(by: Callable[..., Processed]) -> list[Tensor]:
        processed = by(perceiver.encoder, perceiver.processor, given_, memory, tables)
        total = (processed.encoded * weight[0]).sum() + (processed.latent * weight[1]).sum()
        return [
            processed.encoded,
            processed.latent,
            *torch.autograd.grad(total, [*inputs, *learning]),
        ]

    for found, right in zip(everything(recur), everything(recur_by_autograd), strict=True):
        assert_close(found, right)


@several
@given(names, any_batch, numbers)
def test_it_may_start_without_a_memory_that_learns(name, graph, seed):
    perceiver = recurrent(random_network(name, (seed,)))
    table = Neighbourhoods.of(graph, self_loops=True)
    given_ = torch.randn(1, graph.num_nodes, 6, generator=torch.Generator().manual_seed(seed))
    latent = perceiver.recur(
        given_, perceiver.no_memory(graph.num_nodes, given_.device), [table]
    ).latent
    latent.sum().backward()
    for key, each in perceiver.processor.named_parameters():
        assert each.grad is not None, key
        assert each.grad.isfinite().all(), key


def test_going_back_twice_is_refused():
    """What was kept is overwritten on the way back: a second time must not give other gradients in
    silence.
    """
    perceiver = recurrent(random_network("bfs"))
    table = Neighbourhoods.of(Graph.pack([3], [(0, 1), (1, 2)]), self_loops=True)
    total = perceiver.recur(torch.ones(1, 3, 6), torch.zeros(1, 3, 6), [table]).latent.sum()
    total.backward(retain_graph=True)
    with pytest.raises(AttributeError, match="kept"):
        total.backward()
