"""First mistakes against a plain search through the runs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from algolens.evaluation import first_mistakes, free_run, score
from algolens.evaluation.metrics import combined
from algolens.execution import Run, execute
from tests.models.networks import ALGORITHMS, names, numbers, random_network, several
from tests.strategies import batches, streams


def plain(run: Run, truth: Run) -> tuple[int, str, int | None] | None:
    """Step, field and element of the first mistake on one graph."""
    declaration = run.algorithm.declaration
    for t in range(min(run.num_steps, truth.num_steps)):
        for field in (*(declaration.concepts if run.has_concepts else ()), *declaration.outputs):
            for element, (mine, true) in enumerate(zip(run[field][t].tolist(), truth[field][t].tolist(), strict=True)):
                if mine != true:
                    return t + 1, field, element
        if bool(run.goes_on[t, 0]) != bool(truth.goes_on[t, 0]):
            return t + 1, "going on", None
    return None


@several
@given(names, batches(), streams(), numbers, st.booleans())
def test_first_mistakes_are_what_a_plain_search_finds(name, graph, rng, seed, bottleneck):
    chosen = ALGORITHMS[name]
    truth = execute(chosen, graph, chosen.sample(graph, rng))
    run = free_run(random_network(name, (seed,), scale=3.0, bottleneck=bottleneck), truth)
    assert run.has_concepts is bottleneck
    expected = [plain(run.take([i]), truth.take([i])) for i in range(graph.num_graphs)]
    count, found = first_mistakes(run, truth)
    assert count == sum(each is not None for each in expected)
    assert {(each.graph, each.step, each.field, each.element) for each in found} == {
        (i, *each) for i, each in enumerate(expected) if each is not None
    }
    assert first_mistakes(truth, truth) == (0, [])


@several
@given(names, batches(max_graphs=5), streams(), numbers)
def test_scores_of_portions_combine_to_those_of_all(name, graph, rng, seed):
    chosen = ALGORITHMS[name]
    truth = execute(chosen, graph, chosen.sample(graph, rng))
    run = free_run(random_network(name, (seed,), scale=3.0), truth)
    cut = graph.num_graphs // 2
    parts = [part for part in (range(cut), range(cut, graph.num_graphs)) if len(part)]
    found = combined([score(run.take(list(part)), truth.take(list(part))) for part in parts])
    expected = score(run, truth)
    assert found.graphs == expected.graphs
    for figure in ("mean_step", "last_step", "termination", "concepts_mean_step", "graphs_right"):
        assert abs(getattr(found, figure) - getattr(expected, figure)) < 1e-9
        assert abs(found.spread[figure] - expected.spread[figure]) < 1e-7
    for concept, value in expected.per_concept_mean_step.items():
        assert abs(found.per_concept_mean_step[concept] - value) < 1e-9
