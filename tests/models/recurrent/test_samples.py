"""Teacher forcing in batches against a plain loop, graph by graph and seed by seed."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.engines import Run, run_algorithm
from algolens.evaluation import free_run
from algolens.graphs import Graph
from algolens.language.fields import MASK
from algolens.models import Network
from algolens.models.packing import Packing
from algolens.models.perceiver import Taught
from algolens.models.recurrent import Samples
from tests.models.networks import (
    EVERY,
    batches,
    even_batches,
    every_name,
    gifts,
    look,
    nameless,
    numbers,
    random_network,
    recurrent,
    right_bfs,
    sampled,
    several,
)
from tests.other_runs import with_field
from tests.strategies import simple_graphs, streams

CPU = torch.device("cpu")
# many alike: also where nodes have more neighbours than a table has rows
alike = st.builds(
    lambda graph, count: Graph.join([nameless(graph)] * count), simple_graphs(), st.integers(1, 4)
)
even = st.one_of(even_batches(max_nodes=6), alike)


def trace(name: str, graph: Graph, rng) -> Run:
    return run_algorithm(EVERY[name], graph, sampled(EVERY[name], graph, rng))


def longest_first(run: Run) -> tuple[Tensor, list[int]]:
    """The graphs of a run as a batch, and their steps."""
    order = run.lengths.argsort(descending=True, stable=True)
    return order, run.lengths[order].tolist()


def taught_by(network: Network, run: Run, *, always: bool = False) -> Taught:
    return samples_of(run, network).teach(network, *longest_first(run), always=always)


def samples_of(run: Run, network: Network) -> Samples:
    return recurrent(network).lessons(run, CPU)


def with_mistakes(run: Run, seed: int) -> Run:
    """A run with another output here and there: who ran it is wrong about some graphs at some
    steps, and right elsewhere.
    """
    generator = torch.Generator().manual_seed(seed)
    name, over_time = next(iter(run.outputs.items()))
    values = over_time.dense()
    here = torch.rand(values.shape, generator=generator) < 0.1
    other = (
        ~values
        if values.dtype == torch.bool
        else (values + 1) % len(run.algorithm.declaration.outputs[name].labels)
    )
    return with_field(run, name, torch.where(here, other, values))


@dataclass
class Step:
    """What one seed gives at a step of one graph."""

    head: Tensor  # [n, C]
    scores: dict[str, Tensor]  # of outputs
    beside: dict[str, Tensor]  # of hints and, without a bottleneck, of concepts that are state
    goes_on: Tensor  # the logit


def plain(network: Network, run: Run) -> list[Step]:
    """Eqs. 1 to 6 of one seed on one graph: the next look is at the true state, the look-ahead at
    the network's own output.
    """
    steps, state, memory = [], dict(run.start), None
    for t in range(run.num_steps):
        z, latent, head = look(network, run.graph, run.inputs, state, memory)
        beside = recurrent(network).head(z, latent)[1]
        head = with_given(network, head, run.patterns_at(t))
        scores = network.decide(head)
        own = {name: own_value(network, name, head, {**scores, **beside}) for name in run.start}
        _, ahead, _ = look(network, run.graph, run.inputs, own, latent)
        first, others = (
            {name: each[0] for name, each in part.items()} for part in (scores, beside)
        )
        assert network.termination is not None
        goes_on = network.termination(ahead, Packing.of(run.graph.node_counts))[0, 0]
        steps.append(Step(head[0], first, others, goes_on))
        state, memory = {name: run.state(name)[t + 1] for name in run.start}, latent
    return steps


def own_value(network: Network, name: str, head: Tensor, scores: dict[str, Tensor]) -> Tensor:
    """[n] what a network makes of a state field."""
    declaration = network.algorithm.declaration
    if name in scores:
        return declaration.predicted[name].predict(scores[name][0])
    return head[0, :, declaration.concepts.index(name)] > 0


def with_given(network: Network, head: Tensor, truth: Tensor) -> Tensor:
    """The head [1, n, C] with logits far out, by the truth [n, C], for every given concept."""
    columns = list(head[0].unbind(1))
    for concept in network.architecture.given:
        place = network.algorithm.declaration.concepts.index(concept)
        columns[place] = torch.where(truth[:, place], 200.0, -200.0)
    return torch.stack(columns, 1)[None]


def steps_of(run: Run, *, always: bool = False) -> list[tuple[slice, slice]]:
    """The rows and the pairs of each step: of all graphs, or of those that take it."""
    order, lengths = longest_first(run)
    found, rows, pairs = [], 0, 0
    for t in range(max(lengths)):
        count = len(lengths) if always else sum(length > t for length in lengths)
        nodes = int(run.graph.node_counts[order[:count]].sum())
        found.append((slice(rows, rows + nodes), slice(pairs, pairs + count)))
        rows, pairs = rows + nodes, pairs + count
    return found


def assert_same(done: Taught, network: Network, run: Run, *, always: bool = False) -> None:
    """Every step of every graph and seed is what the plain loop gives."""
    order, lengths = longest_first(run)
    steps = steps_of(run, always=always)
    assert done.goes_on is not None
    logits, goes_on = done.goes_on
    assert (done.head.shape[1], len(goes_on)) == (steps[-1][0].stop, steps[-1][1].stop)
    for place in range(len(network.seeds)):
        alone = network.only(place)
        for position, graph in enumerate(order.tolist()):
            first = int(run.graph.node_counts[order[:position]].sum())
            part = run.take([graph])
            expected = plain(alone, part)
            assert len(expected) == lengths[position]
            for t, step in enumerate(expected):
                start = steps[t][0].start + first
                rows, pair = (
                    slice(start, start + part.graph.num_nodes),
                    steps[t][1].start + position,
                )
                # large random weights double or triple what rounding left, with every step
                close = min(1e-4 * 2**t, 1e-2)
                assert_close(done.head[place, rows], step.head, atol=close, rtol=close)
                assert_close(logits[place, pair], step.goes_on, atol=close, rtol=close)
                assert torch.equal(done.concepts[rows].bool(), part.patterns_at(t))
                assert bool(goes_on[pair]) == bool(part.goes_on[t, 0])
                for name, scores in step.scores.items():
                    assert_close(done.scores[name][place, rows], scores, atol=1e-4, rtol=1e-4)
                    assert torch.equal(done.outputs[name][rows], part.outputs[name][t])
                assert set(done.hints) == set(step.beside)
                for name, scores in step.beside.items():
                    found, truth = done.hints[name]
                    assert_close(found[place, rows], scores, atol=close, rtol=close)
                    assert torch.equal(truth[rows], part[name][t])


@several
@given(every_name, st.one_of(batches(), even), streams(), numbers, st.booleans(), st.data())
def test_batches_are_the_plain_loop_of_each_graph_and_seed(
    name, graph, rng, seed, bottleneck, data
):
    run = trace(name, graph, rng)
    told = data.draw(gifts(name)) if bottleneck else ()
    network = random_network(
        name,
        (seed, seed + 1),
        scale=2.0,
        bottleneck=bottleneck,
        given=told,
        self_loops=data.draw(st.booleans()),
    )
    assert_same(taught_by(network, run), network, run)


@several
@given(every_name, even, streams(), numbers, st.data())
def test_so_they_are_when_everything_is_computed_in_vain_or_not(name, graph, rng, seed, data):
    """As where a GPU records a step."""
    run = trace(name, graph, rng)
    network = random_network(name, (seed, seed + 1), scale=2.0, given=data.draw(gifts(name)))
    assume(samples_of(run, network).nodes.absent is None)
    done = taught_by(network, run, always=True)
    assert_same(done, network, run, always=True)
    order, _ = longest_first(run)
    for t, (rows, pairs) in enumerate(steps_of(run, always=True)):
        graphs, nodes = done.weight["graph"][pairs], done.weight["node"][rows]
        assert torch.equal(graphs.bool(), run.lengths[order] > t)
        assert torch.equal(
            nodes.view(len(graphs), -1), graphs[:, None].expand(-1, len(nodes) // len(graphs))
        )


@several
@given(every_name, batches(), streams(), numbers, st.data())
def test_where_the_network_is_right_teacher_forcing_and_free_running_agree(
    name, graph, rng, seed, data
):
    """A network is always right about its own run: forced through it, it runs as it ran free."""
    network = random_network(name, (seed,), scale=3.0, given=data.draw(gifts(name)))
    run = free_run(network, trace(name, graph, rng))
    done = taught_by(network, run)
    for output, kind in network.outputs.items():
        assert torch.equal(kind.predict(done.scores[output][0]), done.outputs[output])
    for scores, truth in done.hints.values():
        assert torch.equal(
            MASK.predict(scores[0]) if scores.dim() == 2 else scores[0].argmax(-1), truth
        )
    assert torch.equal(done.head[0] > 0, done.concepts.bool())
    assert done.goes_on is not None
    logits, goes_on = done.goes_on
    assert torch.equal(logits[0] > 0, goes_on.bool())


@several
@given(every_name, st.one_of(batches(max_graphs=6), even), streams(), numbers)
def test_graphs_with_a_mistake_are_looked_at_again_among_others_without(name, graph, rng, seed):
    network = random_network(name, (seed,), scale=3.0)
    run = with_mistakes(free_run(network, trace(name, graph, rng)), seed)
    assert_same(taught_by(network, run), network, run)


@several
@given(st.sampled_from(["bfs", "several_fields"]), simple_graphs(), streams(), numbers)
def test_nodes_that_must_agree_are_computed_once(name, graph, rng, seed):
    """Graphs that are the same take the rows of one, and give what all of them would give."""
    once, copies = trace(name, nameless(graph), rng), 3
    whole = Graph.join([once.graph] * copies)
    # pointers are numbers within the graph, so that values repeat with the graphs
    repeated = {key: value.repeat(copies) for key, value in once.inputs.items()}
    network = random_network(name, (seed, seed + 1), scale=2.0)
    run = run_algorithm(EVERY[name], whole, repeated)
    lessons = samples_of(run, network)
    assert lessons.alike is not None
    assert len(lessons.alike[-1].unique()) <= once.graph.num_nodes
    given_, gradients = [], []
    for classes in (lessons.alike, None):
        lessons.alike = classes
        done = lessons.teach(network, *longest_first(run))
        assert done.goes_on is not None
        shown = [done.head, done.goes_on[0], *done.scores.values()]
        given_.append(shown)
        total = torch.stack([torch.sigmoid(values).square().mean() for values in shown]).sum()
        gradients.append(torch.autograd.grad(total, list(network.parameters()), allow_unused=True))
    for one, other in zip(*given_, strict=True):
        assert_close(one, other, atol=1e-3, rtol=1e-3)
    for one, other in zip(*gradients, strict=True):
        assert_close(one, other, atol=1e-3, rtol=1e-2)


@several
@given(batches(), streams())
def test_the_right_network_is_right_under_teacher_forcing(graph, rng):
    network, run = right_bfs(), trace("bfs", graph, rng)
    done = taught_by(network, run)
    assert torch.equal(done.head[0] > 0, done.concepts.bool())
    assert torch.equal(done.scores["visited"][0] > 0, done.outputs["visited"])
    assert done.goes_on is not None
    logits, goes_on = done.goes_on
    assert torch.equal(logits[0] > 0, goes_on.bool())
