"""The cheapest set is the cheapest: compared with trying all sets."""

from itertools import combinations

import numpy as np
import pytest

from algolens.discovery import Limits
from algolens.discovery.fit import BitTable, cheapest_fit


def is_settled(columns, decisions):
    """Whether elements that look alike are decided alike. columns: [N, K] bools."""
    looks = [row.tobytes() for row in columns]
    return len({*zip(looks, decisions.tolist(), strict=True)}) == len({*looks})


def cheapest(table, decisions, costs):
    """By trying every set."""
    sums = [
        costs[list(chosen)].sum()
        for size in range(len(costs) + 1)
        for chosen in combinations(range(len(costs)), size)
        if is_settled(table[:, list(chosen)], decisions)
    ]
    return min(sums, default=None)


@pytest.mark.parametrize("seed", range(12))
def test_no_set_costs_less(seed):
    rng = np.random.default_rng(seed)
    table = rng.random((30, 8)) < rng.uniform(0.2, 0.8)
    told_by = rng.choice(8, 3, replace=False)
    decisions = (table[:, told_by] @ np.array([1, 2, 4])) % 3
    costs = rng.integers(1, 5, 8).astype(float)
    bits = BitTable(table)
    settled = cheapest_fit(bits, np.arange(30), decisions, costs, Limits())
    assert settled is not None
    assert settled.proven
    assert is_settled(table[:, list(settled.chosen)], decisions)
    assert settled.cost == cheapest(table, decisions, costs)
    # and none is given where all cost more than they may
    assert cheapest_fit(bits, np.arange(30), decisions, costs, Limits(), settled.cost - 0.5) is None


def test_nothing_settles_a_coin():
    rng = np.random.default_rng(0)
    table = rng.random((60, 2)) < 0.5
    bits = BitTable(table)
    decisions = (rng.random(60) < 0.5).astype(np.int64)
    assert cheapest_fit(bits, np.arange(60), decisions, np.ones(2), Limits()) is None
