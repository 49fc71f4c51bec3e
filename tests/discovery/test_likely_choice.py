"""Of several, one is chosen, and now and then a wrong one."""

import numpy as np
from benchmarks.noisy_oracle import NoisyOracle

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits
from algolens.discovery.choices import likely_choice
from algolens.discovery.decisions import Decision
from algolens.discovery.examples import Examples
from algolens.discovery.sampling import random_runs
from algolens.discovery.search import Search


def choices(name, field, wrong):
    """A state, a mask that becomes true, as it is and with a share turned."""
    oracle = AlgorithmOracle(algorithm(name))
    rng = np.random.default_rng(3)
    runs = list(random_runs(oracle, 20, (3, 8), rng))
    state = Search(oracle.schema, runs, Limits())
    situations = state.examples
    rows = np.flatnonzero(situations.has_step("node"))
    became = situations.after(field)[rows].astype(bool) & ~situations.earlier(field)[rows].astype(
        bool
    )
    labels = became ^ (rng.random(len(rows)) < wrong)
    return state, became, Decision(field, "node", rows, labels.astype(np.int64))


def marks(name, field):
    """A state, and the links that a number is taken from in runs with wrong outputs."""
    oracle = NoisyOracle(algorithm(name), 0.05)
    runs = list(random_runs(oracle, 40, (3, 8), np.random.default_rng(3)))
    search = Search(oracle.schema, runs, Limits())
    (moves,) = (some for some in search.moves(Limits(allowed=0.1)) if some.name == field)
    (coverage,) = next(
        plan
        for plan in moves.plans
        if plan[0].source.relation is not None and "link" in plan[0].source.relation.phrase(1)
    )
    is_told = coverage.covers | ~moves.changed
    made = coverage.marks(
        moves.changed & coverage.covers, moves.steps & is_told, Limits(allowed=0.1)
    )
    assert made is not None
    rows, marked = made
    return search, Decision(field, "link", rows, marked)


def test_the_first_of_those_that_could_be_is_found_though_some_are_wrong():
    state, became, decision = choices("selection_sort", "placed", 0.05)
    choice = likely_choice(state, decision, Limits())
    assert choice is not None
    assert np.array_equal(choice.column[decision.rows], became)
    observed = state.examples.own(choice.said(state), "node")
    assert np.array_equal(observed[decision.rows], became)


def test_a_condition_may_have_two_cases():
    """A link improves what was not reached, or what is farther."""
    state, decision = marks("bellman_ford", "distance")
    choice = likely_choice(state, decision, Limits())
    assert choice is not None
    assert len(choice.could.said) > 1
    odd = choice.column[decision.rows] != decision.decided
    assert odd.sum() < 0.05 * decision.decided.sum()


def test_where_chance_decides_nothing_is_chosen():
    state, _, decision = choices("selection_sort", "placed", 0.5)
    assert likely_choice(state, decision, Limits()) is None


def test_edges_are_chosen_by_their_links():
    """The edges of links are counted through all batches of graphs."""
    oracle = AlgorithmOracle(algorithm("kruskal"))
    rng = np.random.default_rng(3)
    runs = [some for _ in range(3) for some in random_runs(oracle, 4, (3, 6), rng)]
    situations = Examples(oracle.schema, runs)
    edges = situations.edges_of_links()
    owner = situations.owner("edge")
    assert np.array_equal(owner[edges], situations.owner("link"))
    assert np.array_equal(np.unique(edges), np.arange(len(owner)))
