"""Every case of what can be received: all sums, each once, and how each comes about."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algolens.looks.closure import closure
from tests.effort import examples


@st.composite
def _sent(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    kinds, size = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    rows = draw(
        st.lists(
            st.lists(st.integers(0, 2), min_size=size, max_size=size),
            min_size=kinds,
            max_size=kinds,
        )
    )
    stops = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    return np.array(rows, np.int64).reshape(kinds, size), np.array(stops, np.int64)


@examples(60)
@given(_sent())
def test_all_sums_are_met_once_and_come_about_as_said(sent: tuple[np.ndarray, np.ndarray]) -> None:
    sends, most = sent
    closed = closure(sends, most)
    # nothing changes after as many others of each kind as the largest stop
    most_often = int(most.max(initial=0))
    counts = itertools.product(range(most_often + 1), repeat=len(sends))
    sums = {tuple(np.minimum(np.array(count) @ sends, most)) for count in counts}
    rows = [tuple(row) for row in closed.received]
    assert sorted(sums or {()}) == sorted(rows)
    for case, row in enumerate(closed.received):
        there = sends[closed.kinds_of(case)].sum(0)
        assert np.array_equal(np.minimum(there, most), row)
        for kind, added in enumerate(sends):
            assert np.array_equal(
                closed.received[closed.after[case, kind]], np.minimum(row + added, most)
            )
