"""Everyone against everyone else, from ranks, against going through all pairs."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.models.flat_sets.among import Ranks, pairs, pairs_apart
from algolens.models.memoryless.comparison import Comparison
from tests.models.networks import numbers, several

sizes = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=5))
def test_pairs_are_those_of_the_same_group(groups):
    left, right = torch.tensor(groups).T
    owners = [[group for group, size in enumerate(side.tolist()) for _ in range(size)] for side in (left, right)]
    expected = [(i, j) for i, a in enumerate(owners[0]) for j, b in enumerate(owners[1]) if a == b]
    assert [tuple(pair) for pair in pairs(left, right).T.tolist()] == expected
    apart = [(i, j) for i, a in enumerate(owners[0]) for j, b in enumerate(owners[0]) if a == b and i != j]
    assert [tuple(pair) for pair in pairs_apart(left).T.tolist()] == apart


@several
@given(sizes, st.tuples(st.floats(-2, 2), st.floats(-2, 2)), numbers)
def test_ranks_say_who_is_heard_as_what(sizes, offset, seed):
    """Equal scores too, and comparisons of which both bits are set, or none."""
    generator = torch.Generator().manual_seed(seed)
    comparison = Comparison(1, 4)
    with torch.no_grad():
        comparison.offset.copy_(torch.tensor([[offset]]))
        comparison.change.zero_()
    counts = torch.tensor(sizes)
    total = int(counts.sum())
    scores = torch.randint(-4, 5, (total,), generator=generator).double()
    classes = torch.randint(0, 3, (total,), generator=generator)
    found = Ranks.of(scores, counts, comparison).present(classes, 3)
    expected = torch.zeros(total, 3, 4, dtype=torch.bool)
    for i, j in pairs_apart(counts).T.tolist():
        first, second = comparison((scores[i] - scores[j]).view(1, 1))[0, 0].tolist()
        expected[i, classes[j], int(first) + 2 * int(second)] = True
    assert torch.equal(found.T, expected.flatten(1))
