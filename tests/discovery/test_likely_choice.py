"""Of several, one is chosen, and now and then a wrong one."""

import numpy as np
from benchmarks.noisy_teacher import NoisyTeacher

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.bench import Bench
from algolens.discovery.choosing import likely_choice
from algolens.discovery.decisions import Decision
from algolens.discovery.sampling import random_runs
from algolens.discovery.search import Search
from algolens.discovery.situations import Situations
from algolens.language.fields import Location


def choices(name, field, wrong):
    """A bench, a mask that becomes true, as it is and with a share turned."""
    teacher = AlgorithmTeacher(algorithm(name))
    rng = np.random.default_rng(3)
    runs = list(random_runs(teacher, 20, (3, 8), rng))
    bench = Bench(teacher.schema, runs, float("inf"), lambda _: None)
    situations = bench.situations
    rows = np.flatnonzero(situations.of_graphs("has_step", Location.NODE))
    became = situations.after(field)[rows].astype(bool) & ~situations.earlier(field)[rows].astype(
        bool
    )
    labels = became ^ (rng.random(len(rows)) < wrong)
    return bench, became, Decision(field, Location.NODE, rows, labels.astype(np.int64))


def marks(name, field):
    """A bench, and the links that a number is taken from in runs with wrong outputs."""
    teacher = NoisyTeacher(algorithm(name), 0.05)
    runs = list(random_runs(teacher, 40, (3, 8), np.random.default_rng(3)))
    search = Search(teacher.schema, runs, float("inf"))
    search.bench.exceptions = 0.1
    (moves,) = (some for some in search.move_searches() if some.name == field)
    (reach,) = next(
        plan
        for plan in moves.plans
        if plan[0].source.relation is not None and "link" in plan[0].source.relation.phrase(1)
    )
    is_told = reach.covers | ~moves.changed
    made = reach.marks(moves.changed & reach.covers, moves.steps & is_told, share=0.1)
    assert made is not None
    rows, marked = made
    return search.bench, Decision(field, Location.LINK, rows, marked)


def test_the_first_of_those_that_could_be_is_found_though_some_are_wrong():
    bench, became, decision = choices("selection_sort", "placed", 0.05)
    choice = likely_choice(bench, decision)
    assert choice is not None
    assert np.array_equal(choice.column[decision.rows], became)
    observed = bench.situations.own(choice.observe(bench), "node")
    assert np.array_equal(observed[decision.rows], became)


def test_a_condition_may_have_two_cases():
    """A link improves what was not reached, or what is farther."""
    bench, decision = marks("bellman_ford", "distance")
    choice = likely_choice(bench, decision)
    assert choice is not None
    assert len(choice.condition.cases) == 2
    assert choice.condition.odd < 0.05 * decision.decided.sum()


def test_where_chance_decides_nothing_is_chosen():
    bench, _, decision = choices("selection_sort", "placed", 0.5)
    assert likely_choice(bench, decision) is None


def test_edges_are_chosen_by_their_links():
    """The edges of links are counted through all batches of graphs."""
    teacher = AlgorithmTeacher(algorithm("kruskal"))
    rng = np.random.default_rng(3)
    runs = [some for _ in range(3) for some in random_runs(teacher, 4, (3, 6), rng)]
    situations = Situations(teacher.schema, runs)
    edges = situations.edges_of_links()
    owner = situations.owner(Location.EDGE)
    assert np.array_equal(owner[edges], situations.owner(Location.LINK))
    assert np.array_equal(np.unique(edges), np.arange(len(owner)))
