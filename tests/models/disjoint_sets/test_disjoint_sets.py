"""The perceiver against the paper's description, alone and in company, numbered in any way."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.algorithms import Values, algorithm
from algolens.arrays import all_to
from algolens.engines import Run, run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.models import Architecture, Network, NetworkParts
from tests.models.disjoint_sets import plain
from tests.models.disjoint_sets.plain import KRUSKAL, WIDTH, perceiver, random_network
from tests.models.networks import batches, few, nameless, new_numbers, numbers, of_seed, sampled
from tests.strategies import streams

FIELDS = KRUSKAL.declaration.predicted


def random_state(graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
    """Any state, reached or not; pointers may even go in circles."""
    drawn = {name: FIELDS[name].draw(graph, rng) for name in KRUSKAL.declaration.state}
    return all_to(drawn, "cpu")


def random_memory(graph: Graph, rng: np.random.Generator, seeds: int = 1) -> Tensor:
    return torch.from_numpy(rng.uniform(-1, 1, (seeds, graph.num_nodes, WIDTH))).float()


def free(network: Network, graph: Graph, inputs: Values) -> Run:
    return run_algorithm(KRUSKAL, graph, inputs, **NetworkParts(network).sockets)


# ---- the paper's description


@few
@given(batches(max_graphs=3), streams(), numbers, st.booleans())
def test_a_look_is_the_papers_graph_by_graph(graph, rng, seed, bottleneck):
    network = random_network((seed,), scale=1.5, bottleneck=bottleneck)
    model, inputs = perceiver(network), sampled(KRUSKAL, graph, rng)
    state, memory = random_state(graph, rng), random_memory(graph, rng)
    look = model(model.prepare(graph, inputs), state, memory)
    for i in range(graph.num_graphs):
        assert_look_is_plain(network, look, graph.take([i]), inputs, state, memory[0])


def close(found: Tensor, expected: Tensor) -> None:
    assert_close(found, expected, atol=1e-4, rtol=1e-4)


def assert_look_is_plain(network, look, part, inputs, state, memory):
    model, ends = perceiver(network), part.graph.edges
    visited = state["lighter_edges_visited"][part.edges]
    weight = model.weight.encode(inputs["weight"][part.edges])
    features = torch.cat(
        [torch.where(visited[:, None], -1.0, weight), state["in_mst"][part.edges][:, None].float()],
        -1,
    )
    edges, scores = plain.min_finder(model.finder, features)
    indicator, is_next = (
        torch.zeros(part.graph.num_nodes),
        torch.zeros(part.graph.num_edges, dtype=torch.bool),
    )
    if len(scores):
        assume(len(scores) == 1 or scores.topk(2).values.diff().abs() > 1e-3)
        is_next[scores.argmax()] = True
        indicator[ends[:, scores.argmax()]] = 1
    i, places = int(part.graphs[0]), slice(0, part.graph.num_nodes)
    close(look.hints["next_edge"][0, i, : len(scores)], scores)
    features = torch.stack(
        [((inputs["priority"][part.nodes] + 0.5) / 1024).logit() / 2, indicator], -1
    )
    parent = state["parent"][part.nodes]
    z, h = plain.pointer_network(model.pointers, features, memory[part.nodes], parent.tolist())
    close(look.memory[0, part.nodes], h)
    same_set, keeps, parents = plain.set_heads(model.sets, z, h)
    close(look.hints["ends_in_same_set"][0, i], same_set[0])
    close(look.hints["keeps_parent"][0, part.nodes], keeps)
    updated = FIELDS["parent"].predict(look.hints["parent"][0, part.nodes][:, places])
    assert torch.equal(updated, torch.where(keeps > 0, parent, parents.argmax(-1)))
    rest = plain.edge_head(model.head, edges, h, ends)
    lighter = plain.visited_head(model.visited, is_next, visited)
    if network.architecture.bottleneck:
        close(look.head[0, part.edges], torch.cat([lighter[:, None], rest], -1))
    else:
        close(look.head[0, part.edges], rest)
        close(look.hints["lighter_edges_visited"][0, part.edges], lighter)


# ---- alone and in company


@few
@given(batches(max_graphs=5), streams(), numbers, st.booleans())
def test_a_run_of_many_is_the_run_of_each(graph, rng, seed, bottleneck):
    network = random_network((seed,), scale=2.0, bottleneck=bottleneck)
    run = free(network, graph, sampled(KRUSKAL, graph, rng))
    assert torch.equal(run.lengths, graph.edge_counts)
    for i in range(graph.num_graphs):
        expected = run.take([i])
        assert free(network, expected.graph, expected.inputs).equals(expected)


@few
@given(batches(), streams(), numbers, st.booleans())
def test_a_seed_alone_gives_what_it_gives_among_others(graph, rng, seed, bottleneck):
    network = random_network((seed, seed + 1, 7), scale=1.5, bottleneck=bottleneck)
    inputs, state, memory = (
        sampled(KRUSKAL, graph, rng),
        random_state(graph, rng),
        random_memory(graph, rng, 3),
    )
    model = perceiver(network)
    together = model(model.prepare(graph, inputs), state, memory)
    for place in range(3):
        alone = perceiver(network.only(place))
        own = alone(alone.prepare(graph, inputs), state, memory[place : place + 1])
        assert_close(own.head[0], together.head[place], atol=1e-4, rtol=1e-4)
        assert_close(own.memory[0], together.memory[place], atol=1e-4, rtol=1e-4)
        for name, scores in own.hints.items():
            assert_close(scores[0], together.hints[name][place], atol=1e-4, rtol=1e-4)


@few
@given(batches(), streams(), numbers, st.randoms(use_true_random=False), st.booleans())
def test_numbering_nodes_anew_permutes_nodes_and_edges_of_a_run(
    graph, rng, seed, random, bottleneck
):
    """Edges stand in the order of their ends' numbers, so a new numbering reorders them too, and
    turns some round.
    """
    new = new_numbers(graph, random)
    old = new.argsort()
    after = Graph.pack(graph.node_counts, new[graph.edges].T)
    number = {tuple(pair): k for k, pair in enumerate(after.edges.T.tolist())}
    moved = torch.tensor(
        [number[tuple(sorted(pair))] for pair in new[graph.edges].T.tolist()], dtype=torch.int64
    )
    back = moved.argsort()
    inputs = sampled(KRUSKAL, graph, rng)
    network = random_network((seed,), scale=2.0, bottleneck=bottleneck)
    one = free(network, graph, inputs)
    two = free(
        network, after, {"weight": inputs["weight"][back], "priority": inputs["priority"][old]}
    )
    assert torch.equal(one.patterns(), two.patterns()[:, moved])
    assert torch.equal(one["in_mst"].dense(), two["in_mst"].dense()[:, moved])
    assert torch.equal(one["keeps_parent"].dense(), two["keeps_parent"].dense()[:, new])
    shift = graph.first_node[graph.node_owner]
    assert torch.equal(new[one["parent"].dense() + shift], two["parent"].dense()[:, new] + shift)
    for i in range(graph.num_graphs):
        first, steps = graph.first_edge[i], int(graph.edge_counts[i])
        assert torch.equal(
            moved[one["next_edge"].dense()[:steps, i] + first],
            two["next_edge"].dense()[:steps, i] + first,
        )


# ---- in the loop


@few
@given(batches(), streams(), numbers)
def test_pointers_stay_inside_the_own_graph(graph, rng, seed):
    run = free(random_network((seed,), scale=3.0), graph, sampled(KRUSKAL, graph, rng))
    room = graph.node_counts[graph.node_owner]
    assert ((run["parent"].dense() >= 0) & (run["parent"].dense() < room)).all()
    chosen = run["next_edge"].dense()
    assert ((chosen >= 0) & (chosen < graph.edge_counts.clamp(min=1)))[run.is_alive].all()


@few
@given(batches(), streams(), numbers)
def test_pointers_that_stay_stay(graph, rng, seed):
    run = free(random_network((seed,), scale=3.0), graph, sampled(KRUSKAL, graph, rng))
    before, after = run.state("parent").dense()[:-1], run["parent"].dense()
    alive = run.is_alive[:, graph.node_owner]
    keeps = run["keeps_parent"].dense() & alive
    assert torch.equal(before[keeps], after[keeps])


@few
@given(batches(), streams(), numbers)
def test_without_a_bottleneck_the_state_goes_on_all_the_same(graph, rng, seed):
    """Of the concepts only the one that is fed back is there."""
    network = random_network((seed,), scale=3.0, bottleneck=False)
    run = free(network, graph, sampled(KRUSKAL, graph, rng))
    assert not run["nodes_in_same_set"].dense().any()
    assert not run["edge_in_mst"].dense().any()
    visited = run["lighter_edges_visited"].dense()
    for i in range(graph.num_graphs):
        steps, first = int(graph.edge_counts[i]), graph.first_edge[i]
        chosen = [
            set((run["next_edge"].dense()[: t + 1, i] + first).tolist()) for t in range(steps)
        ]
        for t, expected in enumerate(chosen):
            assert (
                set((visited[t] & (graph.edge_owner == i)).nonzero().flatten().tolist()) == expected
            )


@few
@given(st.integers(1, 3), streams())
def test_a_right_decoder_on_true_concepts_spans_every_component(parts, rng):
    """The network's decoder with the true rule's weights; every graph has several components."""
    graph = nameless(
        nx.disjoint_union_all(
            [nx.gnp_random_graph(6, 0.5, seed=int(rng.integers(99))) for _ in range(parts)]
        )
    )
    network = random_network()
    with torch.no_grad():
        w = of_seed(network.decoders["in_mst"])
        for value in w.values():
            value.zero_()
        # in_mst where edge_in_mst or (lighter_edges_visited and not nodes_in_same_set)
        w["first.weight"][:, 0] = torch.tensor([1.0, -1.0, 2.0])
        w["last.weight"][0, 0] = 2.0
        w["last.bias"][0] = -1.0
    inputs = sampled(KRUSKAL, graph, rng)
    run = run_algorithm(KRUSKAL, graph, inputs, decide=NetworkParts(network).decide)
    forest = nx.empty_graph(graph.num_nodes)
    forest.add_weighted_edges_from(
        (u, v, int(w)) for (u, v), w in zip(graph.edges.T.tolist(), inputs["weight"], strict=True)
    )
    expected = {tuple(sorted(pair)) for pair in nx.minimum_spanning_edges(forest, data=False)}
    found = {tuple(pair) for pair in graph.edges[:, run.final("in_mst")].T.tolist()}
    assert found == expected


@pytest.mark.parametrize("name", ["bfs", "coloring"])
def test_an_algorithm_without_edges_to_take_is_refused(name):
    with pytest.raises(
        AlgoLensError, match=r"'nee\+pgn' learns concepts at edges, and these sit at nodes"
    ):
        Network(algorithm(name), Architecture(processor="nee+pgn"), (0,))
