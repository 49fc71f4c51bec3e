"""No algorithm runs otherwise than it did: every field of every step, on fixed graphs."""

from __future__ import annotations

import pytest

from algolens.algorithms import algorithm, algorithms, variants
from tests.golden.keeping import first_difference, kept
from tests.golden.traces import SIZES, taken

KEPT = kept("traces")


def test_every_algorithm_has_golden_traces():
    assert set(KEPT) == {*algorithms(), *variants()}
    assert all(len(runs) == len(SIZES) for runs in KEPT.values())


@pytest.mark.parametrize("name", KEPT)
def test_runs_are_as_they_were(name):
    for each in KEPT[name]:
        difference = first_difference(each["run"], taken(algorithm(name), each["task"]))
        assert difference is None
