"""The network against its equations, alone and in company, and in the loop."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from algolens.algorithms import algorithm
from algolens.arrays import is_of
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.graphs import Graph
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.layers import leaky
from algolens.models.recurrent import MessagePassing
from tests.models.networks import (
    ALGORITHMS,
    batches,
    gru_cell,
    look,
    names,
    neighbours,
    new_numbers,
    numbers,
    of_seed,
    random_inputs,
    random_network,
    random_state,
    recurrent,
    sampled,
    several,
)
from tests.strategies import streams

WIDTH = 6
CONVOLUTIONS = ["GATv2Conv", "GINConv", "PNAConv", "SAGEConv", "GCNConv"]


def random_memory(graph: Graph, seed: int, seeds: int = 1) -> Tensor:
    return torch.randn(seeds, graph.num_nodes, WIDTH, generator=torch.Generator().manual_seed(seed))


# ---- the equations


@several
@given(names, batches(), numbers)
def test_the_encoder_joins_the_embedded_fields_and_the_last_latent_state(name, graph, seed):
    """Eq. 1, in one affine map of everything side by side."""
    network = random_network(name, (seed,))
    encoder = recurrent(network).encoder
    kinds, w = encoder.kinds, of_seed(encoder)
    inputs, state, memory = (
        random_inputs(name, graph, seed),
        random_state(name, graph, seed),
        random_memory(graph, seed),
    )
    parts = [kind.encode({**inputs, **state}[field]) for field, kind in kinds.items()]
    if len(kinds) > 1:
        for place, field in enumerate(kinds):
            for layer in cast(nn.Sequential, encoder.embed[field]):
                parts[place] = leaky(layer(parts[place][None]))[0]
    weight = torch.cat([*(w[f"join.{field}.weight"] for field in kinds), w["join_memory.weight"]])
    expected = torch.cat([*parts, memory[0]], 1) @ weight + w["join_memory.bias"]
    if len(kinds) > 1:
        expected = leaky(leaky(expected) @ w["deepen.weight"] + w["deepen.bias"])
    encoded = look(network, graph, inputs, state, memory)[0][0]
    assert_close(encoded, expected, atol=1e-5, rtol=1e-4)


@several
@given(batches(), numbers)
def test_the_processor_is_its_equation_node_by_node(graph, seed):
    """Eq. 2: h_i = GRU(leaky(U [z_i, max_j M(z_i, z_j)]), h_i)."""
    network = random_network("bfs", (seed,), scale=2.0)
    processor = recurrent(network).processor
    assert isinstance(processor, MessagePassing)
    w, cell = of_seed(processor), gru_cell(processor.gate, WIDTH)
    state, memory = random_state("bfs", graph, seed), random_memory(graph, seed)
    z, latent, _ = look(network, graph, {}, state, memory)
    receiver, sender, own = (z[0] @ w["first.weight"]).chunk(3, -1)
    receiver = receiver + w["first_bias.bias"]
    for i, around in enumerate(neighbours(graph)):
        messages = [
            leaky(leaky(receiver[i] + sender[j]) @ w["message.weight"] + w["message_bias.bias"])
            for j in around
        ]
        update = leaky(
            own[i] + torch.stack(messages).amax(0) @ w["update.weight"] + w["update.bias"]
        )
        assert_close(latent[0, i], cell(update, memory[0, i]), atol=1e-5, rtol=1e-4)


# ---- alone and in company


@several
@given(names, batches(), numbers, st.booleans())
def test_a_seed_alone_gives_what_it_gives_among_others(name, graph, seed, bottleneck):
    seeds = (seed, seed + 1, 7)
    network = random_network(name, seeds, bottleneck=bottleneck)
    inputs, state, memory = (
        random_inputs(name, graph, seed),
        random_state(name, graph, seed),
        random_memory(graph, seed, 3),
    )
    together = look(network, graph, inputs, state, memory)
    scores = network.decide(together[2])
    for place in range(3):
        alone = network.only(place)
        assert alone.seeds == (seeds[place],)
        own = look(alone, graph, inputs, state, memory[place : place + 1])
        for one, many in zip(own, together, strict=True):
            assert_close(one[0], many[place])
        for output, values in alone.decide(own[2]).items():
            assert_close(values[0], scores[output][place])


@given(names, st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True))
@several
def test_a_seed_has_the_same_first_weights_alone_and_among_others(name, seeds):
    for processor in ("mpnn", "GATv2Conv"):
        together = random_network(name, tuple(seeds), processor=processor)
        for place, seed in enumerate(seeds):
            expected = random_network(name, (seed,), processor=processor).state_dict()
            found = together.only(place).state_dict()
            assert found.keys() == expected.keys()
            assert all(torch.equal(found[key], expected[key]) for key in expected)


@several
@given(names, batches(), numbers)
def test_a_graph_alone_and_in_company_is_perceived_the_same(name, graph, seed):
    parts = NetworkParts(random_network(name, (seed,), scale=2.0))
    inputs, state, memory = (
        random_inputs(name, graph, seed),
        random_state(name, graph, seed),
        random_memory(graph, seed)[0],
    )
    together = parts.perceive(graph, inputs, state, memory)
    goes_on = parts.network.termination(together.memory[None], parts._nodes)[0]  # type: ignore[misc]
    for i in range(graph.num_graphs):
        part = graph.take([i])
        fields = ALGORITHMS[name].declaration.inputs
        own_inputs = {key: value[part.index(fields[key].at)] for key, value in inputs.items()}
        own_state = {key: value[part.nodes] for key, value in state.items()}
        alone = parts.perceive(part.graph, own_inputs, own_state, memory[part.nodes])
        assert_close(alone.concepts, together.concepts[part.nodes], atol=1e-5, rtol=1e-4)
        assert_close(alone.memory, together.memory[part.nodes], atol=1e-5, rtol=1e-4)
        own = parts.network.termination(alone.memory[None], parts._nodes)[0]  # type: ignore[misc]
        assert_close(own[0], goes_on[i], atol=1e-4, rtol=1e-4)


@several
@given(names, batches(max_graphs=6), streams(), numbers, st.booleans())
def test_a_run_of_many_is_the_run_of_each(name, graph, rng, seed, bottleneck):
    chosen = ALGORITHMS[name]
    sockets = NetworkParts(random_network(name, (seed,), scale=3.0, bottleneck=bottleneck)).sockets
    run = run_algorithm(chosen, graph, sampled(chosen, graph, rng), **sockets)
    for i in range(graph.num_graphs):
        expected = run.take([i])
        assert run_algorithm(chosen, expected.graph, expected.inputs, **sockets).equals(expected)


@several
@given(
    names,
    batches(),
    numbers,
    st.randoms(use_true_random=False),
    st.sampled_from(["mpnn", "GATv2Conv"]),
)
def test_numbering_the_nodes_anew_permutes_what_is_perceived(name, graph, seed, random, processor):
    new = new_numbers(graph, random)
    old = new.argsort()
    parts = NetworkParts(random_network(name, (seed,), scale=2.0, processor=processor))
    inputs, state, memory = (
        random_inputs(name, graph, seed),
        random_state(name, graph, seed),
        random_memory(graph, seed)[0],
    )
    before = parts.perceive(graph, inputs, state, memory)
    after = parts.perceive(
        Graph.pack(graph.node_counts, new[graph.edges].T).to("cpu"),
        {
            key: value[old] if len(value) == graph.num_nodes else value
            for key, value in inputs.items()
        },
        {key: value[old] for key, value in state.items()},
        memory[old],
    )
    assert_close(after.concepts, before.concepts[old], atol=1e-5, rtol=1e-4)
    assert_close(after.memory, before.memory[old], atol=1e-5, rtol=1e-4)


# ---- in the loop


@several
@given(batches(), numbers)
def test_other_inputs_on_the_same_graph_are_seen(graph, seed):
    """What the parts keep for a graph must not outlive its inputs."""
    network = random_network("coloring", (seed,), scale=2.0)
    first, second = (
        random_inputs("coloring", graph, seed),
        random_inputs("coloring", graph, seed + 1),
    )
    state, used = random_state("coloring", graph, seed), NetworkParts(network)
    used.perceive(graph, first, state, None)
    again = used.perceive(graph, second, state, None)
    assert_close(
        again.concepts, NetworkParts(network).perceive(graph, second, state, None).concepts
    )


@several
@given(names, batches(), streams(), numbers)
def test_a_network_without_a_bottleneck_runs_and_claims_no_concepts(name, graph, rng, seed):
    chosen = ALGORITHMS[name]
    network = random_network(name, (seed,), scale=3.0, bottleneck=False)
    assert not network.decoders
    run = run_algorithm(chosen, graph, sampled(chosen, graph, rng), **NetworkParts(network).sockets)
    assert not run.patterns().any()
    assert (run.lengths >= 1).all()
    assert (run.lengths <= graph.node_counts).all()
    for output, kind in chosen.declaration.outputs.items():
        assert is_of(run.outputs[output].first, kind.dtype)


def test_one_seed_runs_at_a_time():
    with pytest.raises(AlgoLensError, match="one seed runs at a time, and 2 came"):
        NetworkParts(random_network("bfs", (0, 1)))


def test_algorithms_on_edges_are_refused_by_a_processor_of_nodes():
    with pytest.raises(
        AlgoLensError, match="'mpnn' learns concepts at nodes, and these sit at edges"
    ):
        Network(algorithm("kruskal"), Architecture(), (0,))


# ---- processors of PyTorch Geometric


@pytest.mark.parametrize("convolution", CONVOLUTIONS)
def test_a_convolution_runs_in_the_loop(convolution):
    graph = Graph.pack([4, 1, 3], [(0, 1), (1, 2), (2, 3), (5, 6), (5, 7)])
    bfs = ALGORITHMS["bfs"]
    network = random_network("bfs", (3, 4), processor=convolution)
    inputs = {"source": torch.tensor([0, 0, 1])}
    for place in range(2):
        sockets = NetworkParts(network.only(place)).sockets
        run = run_algorithm(bfs, graph, inputs, **sockets)
        for i in range(3):
            one = run.take([i])
            alone = run_algorithm(bfs, one.graph, one.inputs, **sockets)
            assert alone.equals(one)


@pytest.mark.parametrize("name", ["GATv2Cnv", "Linear", "nonsense", "MPNN", ""])
def test_an_unknown_processor_is_named(name):
    with pytest.raises(UnknownNameError, match="no convolution of PyTorch Geometric is called"):
        random_network("bfs", processor=name)


@pytest.mark.parametrize("name", ["RGCNConv", "HeteroConv"])
def test_a_convolution_that_needs_more_than_a_width_is_refused(name):
    with pytest.raises(
        AlgoLensError, match=f"{name} cannot be used with nodes, edges and a width alone"
    ):
        random_network("bfs", processor=name)


@pytest.mark.parametrize("name", ["EdgeConv", "GINEConv", "DenseGCNConv", "PointNetConv"])
def test_a_convolution_that_takes_more_than_nodes_and_edges_works_or_is_refused(name):
    graph = Graph.pack([3], [(0, 1), (1, 2)])
    with suppress(AlgoLensError):
        look(
            random_network("bfs", processor=name),
            graph,
            {},
            random_state("bfs", graph, 0),
            random_memory(graph, 0),
        )
