"""The termination network against the paper's equations, graph by graph."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.graphs import Graph
from algolens.models.layers import draw_all, leaky
from algolens.models.network import Termination
from algolens.models.packing import Packing
from tests.models.networks import batches, even_batches, numbers, of_seed, patient

WIDTH, SEEDS = 5, (0, 1, 2)
any_batch = st.one_of(batches(), even_batches())


def termination(seed: int) -> Termination:
    module = Termination(len(SEEDS), WIDTH).double()
    draw_all(module, [seed + place for place in SEEDS])
    return module


def latent(graph: Graph, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 3 * torch.randn(
        len(SEEDS), graph.num_nodes, WIDTH, dtype=torch.float64, generator=generator
    )


def plain(module: Termination, place: int, nodes: Tensor) -> Tensor:
    """The appendix's equations for one seed and one graph, then eq. 8. nodes: [n, width]."""
    w = of_seed(module, place)
    query_1, query_2 = w["queries.weight"].chunk(2, -1)
    pool, keys = nodes.amax(0), nodes @ w["key.weight"]
    first = torch.softmax(pool @ query_1 @ keys.T, -1) @ nodes
    second = torch.softmax(pool @ query_2 @ keys.T, -1) @ nodes
    difference = first @ w["relate.weight"] - second @ w["relate.weight"]
    out = difference @ w["output.weight"] + w["output.bias"]
    return (leaky(out) @ w["decide.weight"] + w["decide.bias"])[0]


@patient
@given(any_batch, numbers)
def test_it_is_the_papers_equations(graph, seed):
    module, h = termination(seed), latent(graph, seed)
    found = module(h, Packing.of(graph.node_counts))
    assert found.shape == (len(SEEDS), graph.num_graphs)
    for place in range(len(SEEDS)):
        for i in range(graph.num_graphs):
            assert_close(found[place, i], plain(module, place, h[place, graph.node_owner == i]))


@patient
@given(any_batch, numbers)
def test_a_graph_is_judged_the_same_alone_and_in_company(graph, seed):
    module, h = termination(seed), latent(graph, seed)
    together = module(h, Packing.of(graph.node_counts))
    for i in range(graph.num_graphs):
        part = graph.take([i])
        assert_close(
            module(h[:, part.nodes], Packing.of(part.graph.node_counts))[:, 0], together[:, i]
        )


@patient
@given(any_batch, numbers, st.randoms(use_true_random=False))
def test_the_order_of_nodes_does_not_matter(graph, seed, random):
    module, h = termination(seed), latent(graph, seed)
    order: list[int] = []
    for i in range(graph.num_graphs):
        nodes = (graph.node_owner == i).nonzero().flatten().tolist()
        random.shuffle(nodes)
        order += nodes
    nodes = Packing.of(graph.node_counts)
    assert_close(module(h[:, order], nodes), module(h, nodes))
