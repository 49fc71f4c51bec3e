"""First mistakes against a plain search through the runs."""

from __future__ import annotations

from statistics import fmean

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.engines import Run, run_algorithm
from algolens.evaluation import compared_fields, first_mistakes, free_run, right_graphs, score
from algolens.evaluation.metrics import mean_scores, shares
from algolens.graphs import Graph, stream
from algolens.models import Architecture, Network
from tests.models.networks import ALGORITHMS, names, numbers, random_network, several
from tests.other_runs import with_field
from tests.strategies import batches, streams

KRUSKAL, FLAT = algorithm("kruskal_union_find"), algorithm("kruskal")


def plain(run: Run, truth: Run) -> tuple[int, str, int | None] | None:
    """Step, field and element of the first mistake on one graph: all that is declared, hints too,
    then whether it goes on.
    """
    declaration = run.algorithm.declaration
    concepts = [
        name for name in declaration.concepts if run.has_concepts or name in declaration.state
    ]
    for t in range(min(run.num_steps, truth.num_steps)):
        for field in (*concepts, *declaration.outputs, *declaration.hints):
            for element, (mine, true) in enumerate(
                zip(run[field][t].tolist(), truth[field][t].tolist(), strict=True)
            ):
                if mine != true:
                    of_graph = declaration.predicted[field].at == "graph"
                    return t + 1, field, None if of_graph else element
        if bool(run.goes_on[t, 0]) != bool(truth.goes_on[t, 0]):
            return t + 1, "going on", None
    return None


def some_network(name: str, seed: int, *, bottleneck: bool) -> Network:
    if name != "kruskal":
        return random_network(name, (seed,), scale=3.0, bottleneck=bottleneck)
    network = Network(
        KRUSKAL, Architecture(width=6, processor="nee+pgn", bottleneck=bottleneck), (seed,)
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(2.0)
    return network


@several
@given(
    st.sampled_from([*sorted(ALGORITHMS), "kruskal"]), batches(), streams(), numbers, st.booleans()
)
def test_first_mistakes_are_what_a_plain_search_finds(name, graph, rng, seed, bottleneck):
    network = some_network(name, seed, bottleneck=bottleneck)
    truth = run_algorithm(network.algorithm, graph, network.algorithm.sample(graph, rng))
    run = free_run(network, truth)
    assert run.has_concepts is bottleneck or run.num_steps == 0
    expected = [plain(run.take([i]), truth.take([i])) for i in range(graph.num_graphs)]
    count, found = first_mistakes(run, truth)
    assert count == sum(each is not None for each in expected)
    assert {(each.graph, each.step, each.field, each.element) for each in found} == {
        (i, *each) for i, each in enumerate(expected) if each is not None
    }
    assert first_mistakes(truth, truth) == (0, [])
    assert right_graphs(run, truth).tolist() == [each is None for each in expected]
    assert score(run, truth).graphs_right == pytest.approx(fmean(each is None for each in expected))


@several
@given(st.booleans(), batches(max_nodes=7), streams(), st.data())
def test_one_wrong_value_of_any_field_at_any_step_makes_its_graph_wrong_and_no_other(
    flat, graph, rng, data
):
    """Pointers too: nothing that a run gives goes unchecked."""
    chosen = FLAT if flat else KRUSKAL
    truth = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    assume(truth.num_steps > 0)
    name = data.draw(st.sampled_from(sorted(chosen.declaration.predicted)))
    assert name in compared_fields(truth)
    which = data.draw(st.sampled_from((truth.lengths > 0).nonzero().flatten().tolist()))
    step = data.draw(st.integers(0, int(truth.lengths[which]) - 1))
    field = chosen.declaration.predicted[name]
    location = field.at
    place = data.draw(
        st.sampled_from((graph.owner(location) == which).nonzero().flatten().tolist())
    )
    values = truth[name].dense().clone()
    # a pointer stays in its graph
    room = int(graph.counts(field.to)[which]) if field.kind == "pointer" else 2
    assume(room > 1)
    values[step, place] = (
        ~values[step, place] if values.dtype is torch.bool else (values[step, place] + 1) % room
    )
    spoilt = with_field(truth, name, values)
    count, found = first_mistakes(spoilt, truth)
    expected = [i != which for i in range(graph.num_graphs)]
    assert right_graphs(spoilt, truth).tolist() == expected
    assert count == 1
    assert (found[0].graph, found[0].step, found[0].field, found[0].at) == (
        which,
        step + 1,
        name,
        location,
    )
    assert score(spoilt, truth).graphs_right == pytest.approx(fmean(expected))


def test_a_graph_without_a_step_is_right_in_any_company():
    graph = Graph.pack([1, 4], [(1, 2), (2, 3), (3, 4)])
    truth = run_algorithm(KRUSKAL, graph, KRUSKAL.sample(graph, stream(0)))
    for seed in range(20):
        right = right_graphs(free_run(some_network("kruskal", seed, bottleneck=True), truth), truth)
        assert right.tolist() == [True, False]


@several
@given(names, batches(max_graphs=5), streams(), numbers)
def test_scores_of_portions_combine_to_those_of_all(name, graph, rng, seed):
    chosen = ALGORITHMS[name]
    truth = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    run = free_run(random_network(name, (seed,), scale=3.0), truth)
    cut = graph.num_graphs // 2
    parts = [part for part in (range(cut), range(cut, graph.num_graphs)) if len(part)]
    found = mean_scores([shares(run.take(list(part)), truth.take(list(part))) for part in parts])
    expected = score(run, truth)
    assert found.graphs == expected.graphs
    for figure in ("mean_step", "last_step", "termination", "concepts_mean_step", "graphs_right"):
        assert abs(getattr(found, figure) - getattr(expected, figure)) < 1e-9
        assert abs(found.spread[figure] - expected.spread[figure]) < 1e-7
    for concept, value in expected.per_concept_mean_step.items():
        assert abs(found.per_concept_mean_step[concept] - value) < 1e-9
