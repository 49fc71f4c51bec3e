"""Scores against their definitions, graph by graph."""

from __future__ import annotations

from statistics import fmean, pstdev

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from algolens.algorithms import algorithm
from algolens.engines import Run, Stopped, run_algorithm
from algolens.evaluation import Scores, free_run, score, score_network, seeds_summary
from algolens.graphs import Graph
from tests.models.networks import ALGORITHMS, names, numbers, random_network, several
from tests.other_runs import with_field
from tests.strategies import batches, streams

ALL = {**ALGORITHMS, "kruskal": algorithm("kruskal")}
FIGURES = (
    "mean_step",
    "last_step",
    "termination",
    "concepts_mean_step",
    "concepts_last_step",
    "graphs_right_last",
    "graphs_right",
)


def trace(name: str, graph: Graph, rng) -> Run:
    return run_algorithm(ALL[name], graph, ALL[name].sample(graph, rng))


def plain(run: Run, truth: Run) -> dict[str, float]:
    """The figures of one graph, by their definitions. run, truth: of that graph alone."""
    chosen, steps = run.algorithm, run.num_steps
    right, concepts, stops = [], [], []
    for t in range(steps):
        ended = t >= truth.num_steps
        state = {name: truth.state(name)[min(t, truth.num_steps)] for name in truth.start}
        # after the end: in the state that it ended in
        seen = chosen.perceive(truth.graph, truth.inputs, state)
        concepts.append(
            [
                (run[name][t] == seen[name]).double().mean().item()
                for name in chosen.declaration.concepts
            ]
        )
        after = {
            name: truth.final(name) if ended else values[t]
            for name, values in truth.outputs.items()
        }
        right.append(
            torch.stack([run.outputs[name][t] == value for name, value in after.items()]).all(0)
        )
        stops.append(bool(run.goes_on[t, 0]) == (not ended and bool(truth.goes_on[t, 0])))
    last = torch.stack([run.final(name) == truth.final(name) for name in run.outputs]).all(0)
    at_end = [
        (run[name][-1] == truth[name][-1]).double().mean().item()
        for name in chosen.declaration.concepts
    ]
    return {
        "mean_step": fmean(each.double().mean().item() for each in right),
        "last_step": last.double().mean().item(),
        "termination": fmean(map(float, stops)),
        "concepts_mean_step": fmean(fmean(each) for each in concepts),
        "concepts_last_step": fmean(at_end),
        "graphs_right_last": float(last.all()),
        "graphs_right": float(
            steps == truth.num_steps
            and all(stops)
            and all(bool(each.all()) for each in right)
            and all(share == 1 for shares in concepts for share in shares)
        ),
    }


@several
@given(st.sampled_from(sorted(ALL)), batches(), streams())
def test_the_truth_is_right_in_everything(name, graph, rng):
    truth = trace(name, graph, rng)
    found = score(truth, truth)
    assert found.graphs == graph.num_graphs
    assert [found.mean_step, found.last_step, found.graphs_right_last, found.graphs_right] == [
        1.0
    ] * 4
    assert found.termination == (1.0 if ALL[name].declaration.terminates else None)
    assert (
        set(found.per_concept_mean_step.values())
        == set(found.per_concept_last_step.values())
        == {1.0}
    )
    assert (
        found.per_concept_mean_step.keys()
        == found.per_concept_last_step.keys()
        == set(ALL[name].declaration.concepts)
    )
    assert found.selection() == 1.0


@several
@given(names, batches(), streams(), numbers)
def test_every_figure_is_the_mean_over_graphs_of_its_definition(name, graph, rng, seed):
    truth = trace(name, graph, rng)
    run = free_run(random_network(name, (seed,), scale=3.0), truth)
    each = [plain(run.take([i]), truth.take([i])) for i in range(graph.num_graphs)]
    found = to_builtins(score(run, truth))
    for figure in FIGURES:
        assert found[figure] == pytest.approx(fmean(one[figure] for one in each)), figure
        assert found["spread"][figure] == pytest.approx(
            pstdev(one[figure] for one in each), abs=1e-9
        ), figure


@several
@given(names, batches(max_graphs=5), streams(), numbers)
def test_scores_do_not_depend_on_batching(name, graph, rng, seed):
    truth = trace(name, graph, rng)
    run = free_run(random_network(name, (seed,), scale=3.0), truth)
    found = to_builtins(score(run, truth))
    alone = [to_builtins(score(run.take([i]), truth.take([i]))) for i in range(graph.num_graphs)]
    for figure in FIGURES:
        assert found[figure] == pytest.approx(fmean(one[figure] for one in alone)), figure
    for figure in ("per_concept_mean_step", "per_concept_last_step"):
        for concept, value in found[figure].items():
            assert value == pytest.approx(fmean(one[figure][concept] for one in alone)), (
                figure,
                concept,
            )


@several
@given(batches(), streams(), st.data())
def test_one_wrong_node_at_one_step_costs_its_share(graph, rng, data):
    truth = trace("bfs", graph, rng)
    which, step, node, is_last = _somewhere(truth, data)
    # a last value is held
    visited = truth["visited"].dense().clone()
    rows = slice(step, None if is_last else step + 1)
    visited[rows, node] = ~visited[rows, node]
    found = score(with_field(truth, "visited", visited), truth)
    graphs, size, steps = graph.num_graphs, int(graph.node_counts[which]), int(truth.lengths[which])
    assert found.mean_step == pytest.approx(1 - 1 / (graphs * size * steps))
    assert found.last_step == pytest.approx(1 - is_last / (graphs * size))
    assert found.graphs_right == pytest.approx(1 - 1 / graphs)
    assert found.graphs_right_last == pytest.approx(1 - is_last / graphs)
    assert found.termination == found.concepts_mean_step == found.concepts_last_step == 1.0


@several
@given(batches(), streams(), st.data())
def test_one_wrong_concept_costs_its_share_and_no_output(graph, rng, data):
    truth = trace("coloring", graph, rng)
    which, step, node, is_last = _somewhere(truth, data)
    name = data.draw(st.sampled_from(ALL["coloring"].declaration.concepts))
    count = len(ALL["coloring"].declaration.concepts)
    seen, rows = truth[name].dense().clone(), slice(step, None if is_last else step + 1)
    seen[rows, node] = ~seen[rows, node]
    found = score(with_field(truth, name, seen), truth)
    share = 1 / (graph.num_graphs * int(graph.node_counts[which]))
    steps = int(truth.lengths[which])
    for other in ALL["coloring"].declaration.concepts:
        assert found.per_concept_mean_step[other] == pytest.approx(
            1 - share / steps * (other == name)
        )
        assert found.per_concept_last_step[other] == pytest.approx(
            1 - share * is_last * (other == name)
        )
    assert found.concepts_mean_step == pytest.approx(1 - share / steps / count)
    assert found.concepts_last_step == pytest.approx(1 - share * is_last / count)
    assert [found.mean_step, found.last_step, found.termination, found.graphs_right_last] == [
        1.0
    ] * 4
    # a graph is right in its concepts too
    assert found.graphs_right == pytest.approx(1 - 1 / graph.num_graphs)


@several
@given(batches(), streams())
def test_stopping_at_once_is_right_where_one_step_is_enough(graph, rng):
    truth = trace("bfs", graph, rng)
    run = run_algorithm(
        ALL["bfs"],
        graph,
        truth.inputs,
        continues=lambda g, _: torch.zeros(g.num_graphs, dtype=torch.bool),
    )
    found, enough = score(run, truth), (truth.lengths == 1).double()
    final = truth.final("visited") == truth.outputs["visited"][0]
    shares = [final[graph.node_owner == i].double().mean().item() for i in range(graph.num_graphs)]
    assert found.termination == found.graphs_right == pytest.approx(enough.mean().item())
    assert found.mean_step == found.concepts_mean_step == 1.0
    assert found.last_step == pytest.approx(fmean(shares))


@several
@given(batches(), streams())
def test_never_stopping_costs_the_steps_too_many(graph, rng):
    truth = trace("bfs", graph, rng)
    run = run_algorithm(
        ALL["bfs"],
        graph,
        truth.inputs,
        continues=lambda g, _: torch.ones(g.num_graphs, dtype=torch.bool),
    )
    assert (run.stopped == Stopped.BY_LIMIT).all()
    found = score(run, truth)
    assert found.termination == pytest.approx(
        ((truth.lengths - 1) / graph.node_counts).mean().item()
    )
    assert (
        found.mean_step
        == found.last_step
        == found.concepts_mean_step
        == found.graphs_right_last
        == 1.0
    )
    # also where the limit happens to be the true length: it never stopped by itself
    assert found.graphs_right == 0.0


@several
@given(names, batches(), streams(), numbers)
def test_without_a_bottleneck_there_are_no_concepts_to_score(name, graph, rng, seed):
    truth = trace(name, graph, rng)
    network = random_network(name, (seed, seed + 1), scale=3.0, bottleneck=False)
    for found in score_network(network, {7: truth})[7]:
        assert found.concepts_mean_step is None
        assert found.concepts_last_step is None
        assert found.per_concept_mean_step == {}
        assert found.selection() == pytest.approx(
            fmean([found.mean_step, found.last_step, found.termination or 0.0])
        )


# ---- several seeds and sizes


@several
@given(names, batches(), streams(), numbers)
def test_an_ensemble_is_scored_seed_by_seed(name, graph, rng, seed):
    truth, network = trace(name, graph, rng), random_network(name, (seed, seed + 1), scale=3.0)
    found = score_network(network, {5: truth, 6: truth})
    assert list(found) == [5, 6]
    for place in range(2):
        assert (
            found[5][place] == found[6][place] == score(free_run(network.only(place), truth), truth)
        )


def scores(value: float, termination: float | None = None) -> Scores:
    return Scores(
        graphs=7,
        **{figure: value for figure in FIGURES if figure != "termination"},
        termination=termination,
        per_concept_mean_step={"a": value},
        per_concept_last_step={"a": value},
        spread={"mean_step": value},
    )


def test_a_summary_is_in_percent():
    one = seeds_summary({20: [scores(0.5, 0.25)]})
    assert one["20"]["graphs"] == 7
    assert (
        one["20"]["mean_step"]
        == one["20"]["graphs_right"]
        == one["20"]["per_concept_last_step"]["a"]
        == 50
    )
    assert one["20"]["termination"] == 25
    assert "termination" not in seeds_summary({20: [scores(0.5)]})["20"]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_several_seeds_give_mean_and_deviation(values):
    found = seeds_summary(
        {20: [scores(value) for value in values], 50: [scores(value) for value in values]}
    )
    assert list(found) == ["20", "50"]
    expected = {
        "mean": pytest.approx(100 * fmean(values)),
        "std": pytest.approx(100 * pstdev(values), abs=1e-6),
    }
    assert found["20"]["mean_step"] == found["20"]["per_concept_mean_step"]["a"] == expected
    assert found["50"]["graphs"] == 7
    # of a typical seed: the root of the mean of the variances
    assert found["20"]["spread"]["mean_step"] ** 2 == pytest.approx(
        1e4 * fmean(value**2 for value in values)
    )


def _somewhere(truth: Run, data: st.DataObject) -> tuple[int, int, int, bool]:
    """A graph, one of its steps, one of its nodes, and whether the step is its last."""
    which = data.draw(st.integers(0, truth.graph.num_graphs - 1))
    step = data.draw(st.integers(0, int(truth.lengths[which]) - 1))
    first = int(truth.graph.first("node")[which])
    node = first + data.draw(st.integers(0, int(truth.graph.node_counts[which]) - 1))
    return which, step, node, step == int(truth.lengths[which]) - 1
