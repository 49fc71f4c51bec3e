"""Laws of extraction: a perfect decoder gives the true program, and what is said of rules is so."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm, algorithms
from algolens.data import fixed
from algolens.engines import goes_on_by, run_algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.extraction import grading
from algolens.extraction.extract import extract, output_rules
from algolens.extraction.extraction import Unseen
from algolens.extraction.grading import grade, tally
from algolens.extraction.observations import (
    Tree,
    audit,
    grow_tree,
    observe,
    run_to_explain,
    steps_ahead,
)
from algolens.extraction.termination import smallest_going_on
from algolens.logic import GoOn, parse
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet
from algolens.text.sentences import reasons_at
from tests.effort import covering, examples, few_runs
from tests.models.networks import random_network, right_bfs
from tests.other_runs import with_field

NAMES = covering(algorithms())


@pytest.fixture(scope="module", autouse=True)
def _fewer_graphs():
    """Rules are graded on few of the graphs: true runs of thousands take seconds for each
    algorithm.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            grading,
            "SAMPLES",
            tuple((max(1, count // 40), times) for count, times in grading.SAMPLES),
        )
        grading.occurring.cache_clear()
        yield
    grading.occurring.cache_clear()


@cache
def from_truth(name: str, unseen: Unseen = Unseen.DONT_CARE) -> RuleSet:
    """The program drawn from true concepts and a decoder that is right."""
    chosen = algorithm(name)
    truth = fixed(chosen, 0, replace(chosen.recipe, train=40, held_out=1, test_sizes=())).train
    declaration = truth.algorithm.declaration
    everything = dict.fromkeys(declaration.outputs, declaration.concepts)
    found = output_rules(declaration, observe(truth, truth), everything, unseen, {})
    going_on = (
        smallest_going_on(declaration.concepts, *steps_ahead(truth)).rule
        if declaration.terminates
        else None
    )
    rules = {
        output: {label: parse(rule.formula) for label, rule in each.classes.items()}
        for output, each in found.items()
    }
    return RuleSet(declaration.concepts, rules, going_on)


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_decoder_gives_the_true_program_on_all_that_occurs(name):
    verdict = grade(from_truth(name), algorithm(name))
    assert verdict.equal_on_seen, verdict


@pytest.mark.parametrize("name", NAMES)
def test_rules_drawn_from_truth_reproduce_whole_traces(name):
    chosen = algorithm(name)
    program, truth = from_truth(name), few_runs(algorithm(name), 3)
    location = chosen.declaration.location
    continues = goes_on_by(program, location) if chosen.declaration.terminates else None
    run = run_algorithm(
        chosen, truth.graph, truth.inputs, decide=program.decide, continues=continues
    )
    assert run.equals(truth)


@pytest.mark.parametrize("name", NAMES)
def test_a_masks_rules_never_contradict_each_other(name):
    """On patterns that never occur too: a reader may take either."""
    for classes in from_truth(name).rules.values():
        if set(classes) == {"true", "false"}:
            assert classes["false"].equivalent(~classes["true"])


def test_a_rule_for_false_that_contradicts_that_for_true_is_not_equal_on_all():
    true = algorithm("kruskal").declaration.rule_set
    # an edge of the tree was always visited
    loose = parse("~lighter_edges_visited | (nodes_in_same_set & ~edge_in_mst)")
    verdict = grade(
        replace(true, rules={"in_mst": {**true.rules["in_mst"], "false": loose}}),
        algorithm("kruskal"),
    )
    assert verdict.equal_on_seen
    assert not verdict.equal_on_all
    assert "its rule for in_mst = false holds" in str(verdict)


def test_rules_are_graded_on_graphs_of_the_recipe_that_is_in_force():
    bfs = algorithm("bfs")
    grading.occurring(bfs, bfs.recipe)
    _, traces = grading.occurring(bfs, replace(bfs.recipe, families=("tree",)))
    for trace in traces:
        graph = trace.graph
        assert graph.num_edges == graph.num_nodes - graph.num_graphs


def test_going_on_is_asked_as_the_paper_found():
    assert (
        str(from_truth("bfs").continues) == "exists n: ~has_been_visited & has_visited_neighbours"
    )
    assert str(from_truth("coloring").continues) == "exists n: ~is_colored"


def test_unseen_patterns_as_negatives_hold_nowhere_else():
    program = from_truth("bfs", Unseen.NEGATIVE)
    assert not program.rules["visited"]["true"].evaluate(
        {"has_been_visited": True, "has_visited_neighbours": False}
    )
    assert not program.rules["visited"]["false"].evaluate(
        {"has_been_visited": True, "has_visited_neighbours": False}
    )


def test_measures_of_rules_are_counted_right():
    network, truth = right_bfs(), few_runs(algorithm("bfs"))
    found = extract(network, truth)
    rules = found.outputs["visited"].classes
    seen = observe(truth, truth)
    assert rules["true"].support == int((seen.true["visited"] == 1).sum())
    assert (
        rules["true"].support + rules["false"].support == found.num_elements == len(seen.patterns)
    )
    assert all(rule.fidelity == rule.accuracy == 1.0 and rule.proven for rule in rules.values())
    assert sum(clause.support for clause in rules["true"].clauses) >= rules["true"].support
    assert found.outputs["visited"].never_seen == [2]  # visited, and yet no visited neighbour
    assert found.termination is not None
    assert found.termination.fits
    assert grade(found.rule_set, network.algorithm).equal_on_all


@examples(10)
@given(st.integers(0, 10_000))
def test_a_program_carries_what_was_measured_of_it(seed):
    """Counted again, from the run and the rules: whatever is not right everywhere warns, and
    nothing else does.
    """
    network = random_network("bfs", (seed,), scale=3.0)
    truth = few_runs(algorithm("bfs")).take(range(12))
    found, run = extract(network, truth), free_run(network, truth)
    on, false, true, going_on = found.rule_set.remarks
    seen = observe(run, truth)
    says = found.rule_set.decide(torch.from_numpy(seen.patterns))["visited"].numpy()
    decided = int((says == seen.decided["visited"].astype(bool)).sum())
    right = bool((says == seen.true["visited"].astype(bool)).all())
    total, steps = len(says), int(run.lengths.sum())
    assert "12 graphs" in on
    assert f"{total:,} decisions and {steps:,} steps" in on
    for line in (true, false):  # the rule for false is the opposite
        assert f"all {total:,}" in line if decided == total else f"{decided:,} of {total:,}" in line
        assert line.startswith("WARNING") == (decided < total or not right)
    patterns, step, went_on = steps_ahead(run)
    asks = [
        bool(found.rule_set.goes_on(torch.from_numpy(patterns[step == i]))) for i in range(steps)
    ]
    agree = sum(asks[i] == went_on[i] for i in range(steps))
    assert (
        f"all {steps:,} steps" in going_on
        if agree == steps
        else f"{agree:,} of {steps:,} steps" in going_on
    )
    assert going_on.startswith("WARNING") == (agree < steps)


@examples(10)
@given(st.integers(0, 10_000))
def test_rules_say_what_the_decoder_most_often_decided_of_every_pattern_seen(seed):
    """So that no rule over the same concepts agrees with it more often."""
    network = random_network("bfs", (seed,), scale=3.0)
    truth = few_runs(algorithm("bfs")).take(range(12))
    found, run = extract(network, truth), free_run(network, truth)
    decided: dict[tuple[bool, ...], Counter[bool]] = defaultdict(Counter)
    for i in range(12):
        one = run.take([i])
        for step in range(min(one.num_steps, int(truth.lengths[i]))):
            for pattern, visited in zip(
                one.patterns_at(step).tolist(), one.outputs["visited"][step].tolist(), strict=True
            ):
                decided[tuple(pattern)][visited] += 1
    rule = found.outputs["visited"].classes["true"]
    for pattern, counts in decided.items():
        values = dict(zip(found.rule_set.concepts, pattern, strict=True))
        says = bool(parse(rule.formula).evaluate(values))
        assert counts[says] == max(counts.values())
    most = sum(max(counts.values()) for counts in decided.values())
    assert rule.fidelity == pytest.approx(most / sum(counts.total() for counts in decided.values()))


def test_without_a_bottleneck_rules_go_by_the_algorithms_concepts_in_the_networks_own_states():
    truth = few_runs(algorithm("bfs"))
    network = random_network("bfs", (1,), scale=3.0, bottleneck=False)
    run, explained = free_run(network, truth), run_to_explain(network, truth)
    assert (run.has_concepts, explained.has_concepts) == (False, True)
    visited, seen_over_time = run.state("visited").dense(), explained.patterns()
    assert torch.equal(seen_over_time[..., 0], visited[:-1])
    assert torch.equal(explained.resting[:, 0], visited[-1])
    for step, seen in enumerate([*seen_over_time[..., 1], explained.resting[:, 1]]):
        near = truth.graph.any_over_neighbours(visited[step], with_self=True)
        assert torch.equal(seen, near)
    said = " ".join(extract(network, truth).rule_set.remarks)
    assert "has no concepts: they go by the algorithm's own" in said


def test_a_wrong_rule_is_graded_with_the_first_pattern_that_differs():
    chosen = algorithm("bfs")
    concepts = chosen.declaration.concepts
    rules = {"visited": {"true": "has_been_visited", "false": "~has_been_visited"}}
    verdict = grade(
        RuleSet.parse(concepts, rules, "~has_been_visited & has_visited_neighbours"), chosen
    )
    assert not verdict.equal_on_seen
    assert verdict.first_difference is not None
    assert (
        "~has_been_visited & has_visited_neighbours its rule for visited = true does not hold"
        in verdict.first_difference
    )
    true = chosen.declaration.rule_set
    verdict = grade(RuleSet(concepts, true.rules, GoOn.parse("~has_been_visited")), chosen)
    assert not verdict.equal_on_seen  # it goes on where a node cannot be reached
    verdict = grade(RuleSet(concepts, true.rules, true.continues), chosen)
    assert verdict.equal_on_seen
    assert verdict.equal_on_all


def test_equal_on_what_occurs_is_not_equal_on_all():
    chosen = algorithm("bfs")
    true = chosen.declaration.rule_set
    wider = {
        "true": parse("has_visited_neighbours | has_been_visited"),
        "false": parse("~has_visited_neighbours"),
    }
    verdict = grade(RuleSet(true.concepts, {"visited": wider}, true.continues), chosen)
    assert verdict.equal_on_seen
    assert not verdict.equal_on_all


def test_rules_are_counted_over_seeds():
    true = algorithm("bfs").declaration.rule_set
    other = RuleSet(
        true.concepts,
        {"visited": {"true": parse("has_been_visited"), "false": parse("~has_been_visited")}},
    )
    counts = tally([true, other, true])
    assert counts["visited = true"] == [("has_visited_neighbours", 2), ("has_been_visited", 1)]
    assert counts["continue"] == [("exists n: ~has_been_visited & has_visited_neighbours", 2)]


def test_the_audit_finds_the_papers_needless_concept_and_what_follows_from_others():
    assert audit(fixed(algorithm("coloring")).train).unused == ("color_5_seen",)
    found = audit(fixed(algorithm("bfs")).train)
    assert not found.unused
    assert not any(found.conflicts.values())
    assert not found.determined


def test_a_missing_concept_shows_as_a_conflict():
    truth = few_runs(algorithm("bfs"))
    name = "has_visited_neighbours"
    found = audit(with_field(truth, name, torch.zeros_like(truth[name].dense())))  # nobody sees it
    assert [str(conflict.pattern) for conflict in found.conflicts["visited"]] == [
        "~has_been_visited & ~has_visited_neighbours"
    ]
    assert "A concept is missing" in str(found)
    assert "has_visited_neighbours" in found.determined  # it never changes


@pytest.mark.parametrize("name", NAMES)
def test_trees_from_truth_are_right_and_use_declared_concepts(name):
    if not algorithm(name).declaration.decided:
        with pytest.raises(AlgoLensError, match="decides nothing by rules"):
            grow_tree(few_runs(algorithm(name)))
        return
    tree = grow_tree(few_runs(algorithm(name)))
    declaration = algorithm(name).declaration
    assert tree.accuracy == 1.0
    assert tuple(tree.decided) == declaration.outputs[tree.output].classes
    assert tree.concepts == declaration.concepts
    assert set(re.findall(r"[a-z]\w* (?=<=)", str(tree))) <= {f"{name} " for name in tree.concepts}
    again = msgspec.json.decode(msgspec.json.encode(tree), type=Tree)
    patterns = all_patterns(len(tree.concepts))
    assert (again.classifier.predict(patterns) == tree.classifier.predict(patterns)).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_decision_has_a_reason_that_holds_and_implies_it(name):
    truth = few_runs(algorithm(name))
    declaration = truth.algorithm.declaration
    for step in range(min(truth.num_steps, 3)):
        patterns = truth.patterns_at(step)
        for output, rules in declaration.rule_set.rules.items():
            labels = declaration.outputs[output].classes
            reasons = reasons_at(truth, step, output, declaration.rule_set)
            decided = truth.outputs[output][step].tolist()
            for place in range(0, len(decided), 7):
                found, rule = parse(reasons[place]), rules[labels[decided[place]]]
                seen = dict(zip(truth.concepts, patterns[place].tolist(), strict=True))
                assert bool(found.evaluate(seen))
                names = tuple(dict.fromkeys(rule.names + found.names))
                assert not (found.table(names) & ~rule.table(names)).any()
