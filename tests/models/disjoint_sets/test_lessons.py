"""Teacher forcing of all steps at once, against the loop and against one graph at a time."""

from __future__ import annotations

import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.engines import Run, run_algorithm
from algolens.evaluation import free_run
from algolens.graphs import Graph
from algolens.models import Network
from algolens.models.perceiver import Taught
from algolens.training import Schedule
from algolens.training.objective import Objective
from tests.models.disjoint_sets.plain import KRUSKAL, perceiver, random_network
from tests.models.networks import batches, few, numbers, sampled
from tests.models.recurrent.test_samples import longest_first
from tests.strategies import streams

CPU = torch.device("cpu")
FIELDS = KRUSKAL.declaration.predicted
WEIGHTS = {"keeps_parent": {"false": 10.0, "true": 1.0}}
lively = batches(max_graphs=5).filter(lambda graph: graph.num_edges > 0)


def trace(graph: Graph, rng) -> Run:
    return run_algorithm(KRUSKAL, graph, sampled(KRUSKAL, graph, rng))


def taught(network: Network, run: Run, *, always: bool = False) -> Taught:
    return perceiver(network).lessons(run, CPU).teach(network, *longest_first(run), always=always)


def losses(network: Network, run: Run, *, always: bool = False) -> dict[str, Tensor]:
    objective = Objective(run, Schedule(hint_weights=WEIGHTS), CPU)
    return objective(network, taught(network, run, always=always))


def gradients(network: Network, run: Run, *, always: bool = False) -> dict[str, Tensor]:
    network.zero_grad(set_to_none=True)
    torch.stack(list(losses(network, run, always=always).values())).sum().backward()
    return {
        name: each.grad.clone()
        for name, each in network.named_parameters()
        if each.grad is not None
    }


@few
@given(
    lively,
    streams(),
    numbers,
    st.booleans(),
    st.sampled_from([(), ("nodes_in_same_set",), ("edge_in_mst",)]),
)
def test_where_the_network_is_right_teacher_forcing_and_free_running_agree(
    graph, rng, seed, bottleneck, told
):
    """A network is always right about its own run: forced through it, it runs as it ran free."""
    network = random_network(
        (seed,), scale=2.0, bottleneck=bottleneck, given=told if bottleneck else ()
    )
    for parameter in perceiver(network).sets.keeps.parameters():
        # whether a pointer stays is then as good as decided, also before it is
        parameter.data.mul_(1e4)
    run = free_run(network, trace(graph, rng))
    done = taught(network, run)
    assert done.head is not None
    assert done.concepts is not None
    if bottleneck:
        assert torch.equal(done.head[0] > 0, done.concepts.bool())
    for name, scores in done.scores.items():
        assert torch.equal(scores[0] > 0, done.outputs[name])
    # a pointer that is nearly as likely to stay as to change is not decided before it is
    assume(bool((done.hints["keeps_parent"][0].abs() > 30).all()))
    for name, (scores, truth) in done.hints.items():
        found = FIELDS[name].predict(scores[0])
        # of scores that are all but equal, rounding decides
        if FIELDS[name].kind == "pointer":
            chosen, best = (scores[0].gather(1, each[:, None]) for each in (truth, found))
            assert_close(chosen, best, atol=1e-3, rtol=1e-3)
        else:
            assert torch.equal(found, truth), name


@few
@given(lively, streams(), numbers)
def test_every_step_of_every_graph_counts_once(graph, rng, seed):
    run = trace(graph, rng)
    done = taught(random_network((seed,)), run)
    assert done.head is not None
    assert done.concepts is not None
    counts = {"edges": graph.edge_counts, "nodes": graph.node_counts}
    rows = {name: int((run.lengths * each).sum()) for name, each in counts.items()}
    assert len(done.concepts) == done.head.shape[1] == rows["edges"]
    assert len(done.hints["parent"][1]) == len(done.hints["keeps_parent"][1]) == rows["nodes"]
    assert (
        len(done.hints["next_edge"][1])
        == len(done.hints["ends_in_same_set"][1])
        == int(run.lengths.sum())
    )
    alive = run.is_alive[:, graph.edge_owner]
    assert torch.equal(done.concepts.sum(0), run.patterns()[alive].float().sum(0))
    assert int(done.outputs["in_mst"].sum()) == int(run.outputs["in_mst"].dense()[alive].sum())


@few
@given(lively, streams(), numbers, st.booleans())
def test_a_graph_is_taught_the_same_alone_and_in_company(graph, rng, seed, bottleneck):
    """Losses of a batch are the means over its graphs, weighted by what each has."""
    network, run = random_network((seed,), scale=1.5, bottleneck=bottleneck), trace(graph, rng)
    together = losses(network, run)
    parts = [run.take([i]) for i in range(graph.num_graphs) if graph.edge_counts[i]]
    objective = Objective(run, Schedule(hint_weights=WEIGHTS), CPU)  # rare classes as in the whole
    alone = [objective(network, taught(network, part)) for part in parts]
    for name, found in together.items():
        field = FIELDS.get(name, FIELDS["in_mst"])
        sizes = torch.tensor([float(part.num_steps * part.graph.count(field.at)) for part in parts])
        expected = (torch.stack([each[name][0] for each in alone]) * sizes).sum() / sizes.sum()
        assert_close(found[0], expected, atol=1e-4, rtol=1e-4)


@few
@given(lively, streams(), numbers, st.booleans())
def test_what_is_computed_in_vain_counts_nothing(graph, rng, seed, bottleneck):
    """As where a GPU records a step: all graphs are as large, and take as many steps."""
    network, run = random_network((seed, 3), scale=1.5, bottleneck=bottleneck), trace(graph, rng)
    padded, plain = (taught(network, run, always=each) for each in (True, False))
    most = graph.num_graphs * run.num_steps * int(graph.edge_counts.max())
    assert padded.head.shape[1] == most >= plain.head.shape[1]
    for name, value in losses(network, run, always=True).items():
        assert_close(value, losses(network, run)[name], atol=1e-4, rtol=1e-4)
    expected = gradients(network, run)
    for name, value in gradients(network, run, always=True).items():
        assert_close(value, expected[name], atol=1e-3, rtol=1e-3)


@few
@given(lively, streams(), numbers)
def test_seeds_do_not_touch_each_other(graph, rng, seed):
    run, network = trace(graph, rng), random_network((seed, seed + 1), scale=1.5)
    together, all_gradients = losses(network, run), gradients(network, run)
    for place in range(2):
        alone = network.only(place)
        for name, value in losses(alone, run).items():
            assert_close(value[0], together[name][place], atol=1e-4, rtol=1e-4)
        for name, value in gradients(alone, run).items():
            assert_close(value[0], all_gradients[name][place], atol=1e-3, rtol=1e-3)


@few
@given(streams(), numbers, st.booleans())
def test_gradients_reach_everything_that_learns(rng, seed, bottleneck):
    graph = Graph.pack(
        [6, 4], [(u, v) for v in range(6) for u in range(v)] + [(6, 7), (7, 8), (8, 9), (6, 9)]
    )
    network = random_network((seed, seed + 1), bottleneck=bottleneck)
    found = gradients(network, trace(graph, rng))
    for name, _ in network.named_parameters():
        assert found[name].isfinite().all(), name
        assert (found[name].flatten(1) != 0).any(1).all(), name  # for each seed
