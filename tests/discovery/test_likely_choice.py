"""Of several, one is chosen, and now and then a wrong one."""

import numpy as np

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.bench import own_test
from algolens.discovery.checks import random_runs
from algolens.discovery.decisions import Decision, Script
from algolens.discovery.likely_choice import observe_likely_choice
from algolens.discovery.tolerant import TolerantBench
from algolens.fields import Location


def choices(name, field, wrong):
    """A bench, a mask that becomes true, as it is and with a share turned."""
    teacher = AlgorithmTeacher(algorithm(name))
    rng = np.random.default_rng(3)
    runs = list(random_runs(teacher, 20, (3, 8), rng))
    bench = TolerantBench(teacher.schema, runs, float("inf"), Script(), lambda _: None, 0.1)
    situations = bench.situations
    rows = np.flatnonzero(situations.of_graphs("has_step", Location.NODE))
    became = situations.after(field)[rows].astype(bool) & ~situations.earlier(field)[rows].astype(
        bool
    )
    labels = became ^ (rng.random(len(rows)) < wrong)
    return bench, became, Decision(field, Location.NODE, rows, labels.astype(np.int64))


def test_the_first_of_those_that_could_be_is_found_though_some_are_wrong():
    bench, became, decision = choices("selection_sort", "placed", 0.05)
    name = observe_likely_choice(bench, decision)
    assert name is not None
    column = bench.situations.own(own_test(name), Location.NODE)[decision.rows]
    assert np.array_equal(column, became)


def test_where_chance_decides_nothing_is_chosen():
    bench, _, decision = choices("selection_sort", "placed", 0.5)
    assert observe_likely_choice(bench, decision) is None
