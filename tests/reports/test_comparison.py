"""A mark stands only where luck with graphs and seeds does not explain a difference."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from algolens.reports.comparison import BETTER, EQUAL, UNKNOWN, WORSE, Figure, compared, margin

figures = st.builds(
    Figure,
    mean=st.floats(50, 100),
    std=st.floats(0, 5),
    seeds=st.integers(1, 10),
    graphs=st.integers(2, 500),
    spread=st.floats(0, 20),
)
theirs = st.tuples(st.floats(50, 100), st.floats(0, 5))
sizes = st.floats(0.01, 1)


@given(figures, theirs, sizes)
def test_a_mark_says_where_a_mean_lies_beyond_the_margin(ours, published, size):
    mark, apart = compared(ours, published, size), ours.mean - published[0]
    beyond = max(margin(ours, published, size), 0.005)
    assert mark == (EQUAL if abs(apart) <= beyond else BETTER if apart > 0 else WORSE)
    assert compared(ours, None, size) == ""


@given(st.floats(90, 100), st.floats(0.01, 2), st.integers(2, 10), st.floats(90, 100), st.floats(0.01, 2))
def test_with_endless_graphs_it_is_welchs_test_of_the_seeds(mean, std, seeds, other, deviation):
    sample = [each * math.sqrt(count / (count - 1)) for each, count in ((std, seeds), (deviation, 5))]
    found = stats.ttest_ind_from_stats(mean, sample[0], seeds, other, sample[1], 5, equal_var=False)
    assume(abs(found.pvalue - 0.05) > 1e-3 and abs(mean - other) > 0.005)
    ours = Figure(mean, std, seeds, 10**12, 5.0)
    assert (compared(ours, (other, deviation)) == EQUAL) == (found.pvalue > 0.05)


@given(st.integers(0, 80), st.integers(0, 80))
def test_for_graphs_right_or_wrong_as_a_whole_it_is_the_test_of_two_proportions(right, theirs_right):
    """Without deviations over seeds: against the textbook's formula, pooled."""
    graphs = 80
    share, other = right / graphs, theirs_right / graphs
    ours = Figure(100 * share, 0.0, 5, graphs, 100 * math.sqrt(share * (1 - share)))
    pooled = (share + other) / 2
    error = math.sqrt(pooled * (1 - pooled) * 2 / graphs)
    expected = 100 * stats.t.ppf(0.975, 2 * (graphs - 1)) * error
    assert margin(ours, (100 * other, 0.0)) == pytest.approx(expected, abs=1e-6)


def test_eighty_graphs_all_right_are_not_better_than_a_published_near_miss():
    """One graph in fifty, wrong by a seventh, is 99.71 %: and 80 such graphs in a row are right one time in five."""
    perfect = Figure(100.0, 0.0, 5, 80, 0.0)
    assert compared(perfect, (99.71, 0.11), 1 / 7) == EQUAL
    assert compared(replace(perfect, graphs=8000), (99.71, 0.11), 1 / 7) == BETTER


def test_one_late_stop_in_a_few_hundred_runs_is_not_worse():
    one = 100 / 70 / 5 / 6  # one of five seeds stops one of 70 graphs a step late, in six
    late = Figure(100 - one, 2 * one, 5, 70, math.sqrt(1 / 350) * 100 / 6)
    assert compared(late, (100.0, 0.0)) == EQUAL
    assert compared(replace(late, mean=80.0, std=1.0, spread=20.0), (100.0, 0.0)) == WORSE


def test_without_a_spread_over_graphs_nothing_is_claimed():
    old = Figure(99.0, 0.1, 5, 80, None)
    assert compared(old, (99.7, 0.1)) == UNKNOWN
    assert compared(old, (99.0, 0.1)) == EQUAL


@pytest.mark.parametrize(("seed_share", "shift"), [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.06)])
def test_two_networks_that_are_alike_are_rarely_marked_and_a_better_one_mostly(seed_share, shift):
    """5 seeds x 80 graphs, drawn many times: how wrong a graph is depends on the graph, on the seed and on both."""
    rng, marked = np.random.default_rng(0), []

    def draw(worse: float) -> np.ndarray:
        hard = rng.random(80) < 0.15
        lapse = rng.random((5, 80)) < 0.1 * seed_share * rng.gamma(2, 0.5, (5, 1))
        return 1 - np.clip(worse + 0.2 * (hard | lapse) * rng.random((5, 80)), 0, 1)  # [seeds, graphs] accuracies

    for _ in range(400):
        ours, other = draw(0.0), draw(shift)
        figure = Figure(100 * ours.mean(), 100 * ours.mean(1).std(), 5, 80, 100 * math.sqrt(ours.var(1).mean()))
        marked.append(compared(figure, (100 * other.mean(), 100 * other.mean(1).std())))
    rate = sum(mark != EQUAL for mark in marked) / len(marked)
    assert rate < 0.08 if shift == 0 else marked.count(BETTER) > 0.9 * len(marked)
