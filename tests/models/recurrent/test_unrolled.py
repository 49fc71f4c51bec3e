"""Teacher forcing in batches against a plain loop, graph by graph and seed by seed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.evaluation import free_run
from algolens.execution import Run, execute
from algolens.graphs import Graph
from algolens.models import Network
from algolens.models.recurrent.samples import Samples
from algolens.models.recurrent.unrolled import Unrolled, unroll
from tests.models.networks import ALGORITHMS, even_batches, look, names, numbers, random_network, recurrent, right_bfs, several
from tests.strategies import batches, nameless, simple_graphs, streams

CPU = torch.device("cpu")
# many alike: also where nodes have more neighbours than a table has rows
alike = st.builds(lambda graph, count: Graph.join([nameless(graph)] * count), simple_graphs(), st.integers(1, 4))
even = st.one_of(even_batches(max_nodes=6), alike)


def trace(name: str, graph: Graph, rng) -> Run:
    return execute(ALGORITHMS[name], graph, ALGORITHMS[name].sample(graph, rng))


def longest_first(run: Run) -> tuple[Tensor, list[int]]:
    """The graphs of a run as a batch, and their steps."""
    order = run.lengths.argsort(descending=True, stable=True)
    return order, run.lengths[order].tolist()


def unrolled(network: Network, run: Run, *, always: bool = False) -> Unrolled:
    return unroll(network, Samples.of(run, CPU), *longest_first(run), always=always)


def with_mistakes(run: Run, seed: int) -> Run:
    """A run with another output here and there: who ran it is wrong about some graphs at some steps, and right elsewhere."""
    (name, values), generator = next(iter(run.outputs.items())), torch.Generator().manual_seed(seed)
    here = torch.rand(values.shape, generator=generator) < 0.1
    other = ~values if values.dtype == torch.bool else (values + 1) % 10
    return replace(run, outputs={name: torch.where(here, other, values)})


@dataclass
class Step:
    """What one seed gives at a step of one graph."""

    head: Tensor  # [n, C]
    scores: dict[str, Tensor]
    ahead: Tensor  # [n, width]


def plain(network: Network, run: Run) -> list[Step]:
    """Eqs. 1 to 6 of one seed on one graph: the next look is at the true state, the look-ahead at the network's own output."""
    steps, state, memory = [], dict(run.start), recurrent(network).no_memory(run.graph.num_nodes, CPU)
    for t in range(run.num_steps):
        _, latent, head = look(network, run.graph, run.inputs, state, memory)
        scores = network.decide(head)
        own = {name: network.outputs[name].predict(scores[name][0]) for name in run.start}
        _, ahead, _ = look(network, run.graph, run.inputs, own, latent)
        steps.append(Step(head[0], {name: each[0] for name, each in scores.items()}, ahead[0]))
        state, memory = {name: run.state(name)[t + 1] for name in run.start}, latent
    return steps


def assert_same(done: Unrolled, network: Network, run: Run) -> None:
    """Every step of every graph and seed is what the plain loop gives."""
    order, lengths = longest_first(run)
    for place in range(len(network.seeds)):
        alone = network.only(place)
        for position, graph in enumerate(order.tolist()):
            first = int(run.graph.node_counts[order[:position]].sum())
            rows = slice(first, first + int(run.graph.node_counts[graph]))
            part = run.take([graph])
            expected = plain(alone, part)
            assert len(expected) == lengths[position]
            for t, step in enumerate(expected):
                assert_close(done.heads[t][place, rows], step.head, atol=1e-4, rtol=1e-4)
                assert_close(done.latent[t][place, rows], step.ahead, atol=1e-4, rtol=1e-4)
                assert torch.equal(done.concepts[t][rows].bool(), part.concepts[t])
                assert bool(done.goes_on[t][position]) == bool(part.goes_on[t, 0])
                for name, scores in step.scores.items():
                    assert_close(done.scores[name][t][place, rows], scores, atol=1e-4, rtol=1e-4)
                    assert torch.equal(done.outputs[name][t][rows], part.outputs[name][t])


@several
@given(names, st.one_of(batches(), even), streams(), numbers, st.booleans())
def test_batches_are_the_plain_loop_of_each_graph_and_seed(name, graph, rng, seed, bottleneck):
    run = trace(name, graph, rng)
    network = random_network(name, (seed, seed + 1), scale=2.0, bottleneck=bottleneck)
    assert_same(unrolled(network, run), network, run)


@several
@given(names, even, streams(), numbers)
def test_so_they_are_when_everything_is_computed_in_vain_or_not(name, graph, rng, seed):
    run = trace(name, graph, rng)
    assume(Samples.of(run, CPU).table.even is not None)
    network = random_network(name, (seed, seed + 1), scale=2.0)
    done = unrolled(network, run, always=True)
    assert_same(done, network, run)
    order, _ = longest_first(run)
    for t, (graphs, nodes) in enumerate(zip(done.alive_graphs, done.alive_nodes, strict=True)):
        assert torch.equal(graphs.bool(), run.lengths[order] > t)
        assert torch.equal(nodes.view(len(graphs), -1), graphs[:, None].expand(-1, len(nodes) // len(graphs)))


@several
@given(names, batches(), streams(), numbers)
def test_where_the_network_is_right_teacher_forcing_and_free_running_agree(name, graph, rng, seed):
    """A network is always right about its own run: forced through it, it runs as it ran free."""
    network = random_network(name, (seed,), scale=3.0)
    run = free_run(network, trace(name, graph, rng))
    assert network.termination is not None
    done, samples = unrolled(network, run), Samples.of(run, CPU)
    for t in range(run.num_steps):
        for output, kind in network.outputs.items():
            assert torch.equal(kind.predict(done.scores[output][t][0]), done.outputs[output][t])
        assert torch.equal(done.heads[t][0] > 0, done.concepts[t].bool())
        asks = network.termination(done.latent[t], samples.table.members_of(done.node_counts[t]))[0] > 0
        assert torch.equal(asks, done.goes_on[t].bool())


@several
@given(names, st.one_of(batches(max_graphs=6), even), streams(), numbers)
def test_graphs_with_a_mistake_are_looked_at_again_among_others_without(name, graph, rng, seed):
    network = random_network(name, (seed,), scale=3.0)
    run = with_mistakes(free_run(network, trace(name, graph, rng)), seed)
    assert_same(unrolled(network, run), network, run)


@several
@given(batches(), streams())
def test_the_right_network_is_right_under_teacher_forcing(graph, rng):
    network, run = right_bfs(), trace("bfs", graph, rng)
    assert network.termination is not None
    done, samples = unrolled(network, run), Samples.of(run, CPU)
    for t in range(run.num_steps):
        assert torch.equal(done.heads[t][0] > 0, done.concepts[t].bool())
        assert torch.equal(done.scores["visited"][t][0] > 0, done.outputs["visited"][t])
        asks = network.termination(done.latent[t], samples.table.members_of(done.node_counts[t]))[0] > 0
        assert torch.equal(asks, done.goes_on[t].bool())
