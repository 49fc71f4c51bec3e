"""A mark stands only where luck with graphs and seeds does not explain a difference."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from algolens.reproduction.significance import (
    BETTER,
    EQUAL,
    UNKNOWN,
    WORSE,
    Figure,
    compare_all,
    interval,
    p_value,
)

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


def mark(ours: Figure, published: tuple[float, float], size: float = 1.0) -> str:
    """Of a figure that is compared alone."""
    return compare_all([(ours, published, size)])[0].mark


@given(figures, theirs, sizes)
def test_a_mark_says_on_which_side_a_difference_lies_that_chance_rarely_brings_about(
    ours, published, size
):
    found, apart = p_value(ours, published, size), ours.mean - published[0]
    assert found is not None
    assert mark(ours, published, size) == (
        EQUAL if found >= 0.05 else BETTER if apart > 0 else WORSE
    )


@given(st.lists(st.tuples(figures, theirs, sizes), min_size=1, max_size=12))
def test_of_many_comparisons_those_are_marked_that_scipys_holm_rejects(tests):
    """Against the adjusted p-values, computed from their definition: the largest of (n - rank) p up
    to each.
    """
    values = np.array([p_value(*test) for test in tests])
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(len(values))
    adjusted[order] = np.maximum.accumulate((len(values) - np.arange(len(values))) * values[order])
    found = compare_all(tests)
    assert [each.significant for each in found] == (adjusted < 0.05).tolist()
    assert all(each.alone.significant or not each.significant for each in found)


@given(
    st.floats(90, 100),
    st.floats(0.01, 2),
    st.integers(2, 10),
    st.floats(90, 100),
    st.floats(0.01, 2),
)
def test_with_endless_graphs_it_is_welchs_test_of_the_seeds(mean, std, seeds, other, deviation):
    sample = [
        each * math.sqrt(count / (count - 1)) for each, count in ((std, seeds), (deviation, 5))
    ]
    found = stats.ttest_ind_from_stats(mean, sample[0], seeds, other, sample[1], 5, equal_var=False)
    assume(abs(mean - other) > 0.005)
    ours = Figure(mean, std, seeds, 10**12, 5.0)
    assert p_value(ours, (other, deviation)) == pytest.approx(found.pvalue, abs=1e-6)


@given(st.integers(0, 80), st.integers(0, 80))
def test_for_graphs_right_or_wrong_as_a_whole_it_is_the_test_of_two_proportions(
    right, theirs_right
):
    """Without deviations over seeds: against the textbook's formula, pooled."""
    assume(abs(right - theirs_right) > 0)
    graphs = 80
    share, other = right / graphs, theirs_right / graphs
    ours = Figure(100 * share, 0.0, 5, graphs, 100 * math.sqrt(share * (1 - share)))
    pooled = (share + other) / 2
    error = math.sqrt(pooled * (1 - pooled) * 2 / graphs)
    expected = 2 * stats.t.sf(abs(share - other) / error, 2 * (graphs - 1))
    assert p_value(ours, (100 * other, 0.0)) == pytest.approx(expected, abs=1e-6)


def test_eighty_graphs_all_right_are_not_better_than_a_published_near_miss():
    """One graph in fifty, wrong by a seventh, is 99.71 %: and 80 such graphs in a row are right one
    time in five.
    """
    perfect = Figure(100.0, 0.0, 5, 80, 0.0)
    assert mark(perfect, (99.71, 0.11), 1 / 7) == EQUAL
    assert mark(replace(perfect, graphs=8000), (99.71, 0.11), 1 / 7) == BETTER


def test_one_late_stop_in_a_few_hundred_runs_is_not_worse():
    one = 100 / 70 / 5 / 6  # one of five seeds stops one of 70 graphs a step late, in six
    late = Figure(100 - one, 2 * one, 5, 70, math.sqrt(1 / 350) * 100 / 6)
    assert mark(late, (100.0, 0.0)) == EQUAL
    assert mark(replace(late, mean=80.0, std=1.0, spread=20.0), (100.0, 0.0)) == WORSE


def test_without_a_spread_over_graphs_nothing_is_claimed():
    old = Figure(99.0, 0.1, 5, 80, None)
    assert mark(old, (99.7, 0.1)) == UNKNOWN
    assert mark(old, (99.0, 0.1)) == EQUAL


def drawn(
    rng: np.random.Generator, seed_share: float, worse: float = 0.0, graphs: int = 80
) -> np.ndarray:
    """[seeds, graphs] accuracies: how wrong a graph is depends on the graph, on the seed and on
    both.
    """
    hard = rng.random(graphs) < 0.15
    lapse = rng.random((5, graphs)) < 0.1 * seed_share * rng.gamma(2, 0.5, (5, 1))
    return 1 - np.clip(worse + 0.2 * (hard | lapse) * rng.random((5, graphs)), 0, 1)


def figure_of(accuracies: np.ndarray) -> Figure:
    seeds, graphs = accuracies.shape
    mean, std = 100 * accuracies.mean(), 100 * accuracies.mean(1).std()
    return Figure(mean, std, seeds, graphs, 100 * math.sqrt(accuracies.var(1).mean()))


@pytest.mark.parametrize(("seed_share", "shift"), [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.06)])
def test_two_networks_that_are_alike_are_rarely_marked_and_a_better_one_mostly(seed_share, shift):
    """5 seeds x 80 graphs, drawn many times."""
    rng, marked = np.random.default_rng(0), []

    for _ in range(400):
        ours, other = drawn(rng, seed_share), drawn(rng, seed_share, shift)
        marked.append(mark(figure_of(ours), (100 * other.mean(), 100 * other.mean(1).std())))
    rate = sum(mark != EQUAL for mark in marked) / len(marked)
    assert rate < 0.08 if shift == 0 else marked.count(BETTER) > 0.9 * len(marked)


# ---- intervals


@pytest.mark.parametrize("seed_share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("graphs", [80, 1000])
def test_an_interval_holds_the_true_mean_in_about_nineteen_of_twenty_draws(seed_share, graphs):
    """Seeds and graphs are drawn anew each time; the true mean is that of very many."""
    rng = np.random.default_rng(1)
    true = np.mean([drawn(rng, seed_share, graphs=2000).mean() for _ in range(400)])
    held = []
    for _ in range(400):
        low, high = interval(figure_of(drawn(rng, seed_share, graphs=graphs))) or (0.0, 0.0)
        held.append(low <= 100 * true <= high)
    assert np.mean(held) > 0.93


def test_seeds_alone_would_be_too_sure():
    """Where seeds err on the same graphs, the deviation over seeds says nothing of how hard these
    graphs were.
    """
    rng = np.random.default_rng(2)
    accuracies = np.repeat((rng.random(80) < 0.9).astype(float)[None], 5, 0)
    figure = figure_of(accuracies)
    assert figure.std == 0
    low, high = interval(figure) or (0.0, 0.0)
    assert low < figure.mean - 3
    assert high > figure.mean + 3


@given(st.integers(0, 200), st.integers(1, 200))
def test_for_graphs_right_or_wrong_as_a_whole_it_is_wilsons_interval(right, graphs):
    assume(right <= graphs)
    share = right / graphs
    figure = Figure(100 * share, 0.0, 5, graphs, 100 * math.sqrt(share * (1 - share)))
    t = stats.t.ppf(0.975, max(graphs - 1, 1))
    middle, half = (
        share + t**2 / (2 * graphs),
        t * math.sqrt(share * (1 - share) / graphs + t**2 / (4 * graphs**2)),
    )
    low, high = ((middle + sign * half) / (1 + t**2 / graphs) for sign in (-1, 1))
    assert interval(figure) == pytest.approx((100 * max(low, 0), 100 * min(high, 1)), abs=1e-6)


@given(figures, sizes)
def test_an_interval_holds_its_mean_and_narrows_with_more_graphs(figure, size):
    low, high = interval(figure, size) or (0.0, 0.0)
    assert 0 <= low <= figure.mean + 1e-9
    assert figure.mean - 1e-9 <= high <= 100
    alike = replace(figure, std=0.0)  # seeds that differ may differ as much on more graphs
    few, many = (
        interval(each, size) or (0.0, 0.0)
        for each in (alike, replace(alike, graphs=100 * alike.graphs))
    )
    assert many[1] - many[0] <= few[1] - few[0] + 1e-6


@given(figures, sizes)
def test_an_interval_is_no_narrower_than_that_of_the_seeds_alone(figure, size):
    """Student's, of as many seeds; the published figures know no other."""
    assume(figure.seeds > 1)
    half = stats.t.ppf(0.975, figure.seeds - 1) * figure.std / math.sqrt(figure.seeds - 1)
    low, _ = interval(replace(figure, graphs=10**9), size) or (0.0, 0.0)
    assert low == pytest.approx(max(figure.mean - half, 0.0), abs=0.1)


def test_without_a_spread_over_graphs_there_is_no_interval():
    assert interval(Figure(99.0, 0.1, 5, 80, None)) is None
