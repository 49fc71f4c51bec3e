"""Groups of mixed sizes against loops over groups."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.models.packing import Packing
from tests.models.networks import numbers, several

sizes = st.lists(st.integers(0, 5), min_size=1, max_size=6)
SEEDS, WIDTH = 2, 3


def packed(counts: list[int]) -> Packing:
    return Packing.of(torch.tensor(counts))


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(
        *shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)
    ).requires_grad_()


def same(found: Tensor, expected: Tensor, *leaves: Tensor) -> None:
    """Equal, and equal in what comes back from a weighted sum."""
    assert_close(found, expected)
    weight = torch.randn(found.shape, dtype=found.dtype, generator=torch.Generator().manual_seed(0))
    if found.requires_grad and expected.requires_grad:
        ours, theirs = (
            torch.autograd.grad((each * weight).sum(), leaves) for each in (found, expected)
        )
        for one, other in zip(ours, theirs, strict=True):
            assert_close(one, other)


@several
@given(sizes, numbers)
def test_pooling_is_a_mean_weighted_by_a_softmax_inside_the_group(counts, seed):
    packing, logits, x = (
        packed(counts),
        normal(seed, SEEDS, sum(counts)),
        normal(seed + 1, SEEDS, sum(counts), WIDTH),
    )
    found = packing.pool(logits, x)
    groups = list(zip(logits.split(counts, 1), x.split(counts, 1), strict=True))
    there = [i for i, count in enumerate(counts) if count]
    pooled = [
        (weight.softmax(-1)[:, :, None] * part).sum(1)
        for weight, part in (groups[i] for i in there)
    ]
    if there:
        same(found[:, there], torch.stack(pooled, 1), logits, x)
    assert found.shape == (SEEDS, len(counts), WIDTH)
    assert found.isfinite().all()


@several
@given(sizes, numbers)
def test_spreading_gives_every_member_what_its_group_has(counts, seed):
    x = normal(seed, SEEDS, len(counts), WIDTH)
    expected = torch.cat(
        [x[:, i : i + 1].expand(-1, count, -1) for i, count in enumerate(counts)], 1
    )
    same(packed(counts).spread(x), expected, x)


@several
@given(sizes, numbers)
def test_a_table_holds_every_member_once_and_gives_it_back(counts, seed):
    packing, x = packed(counts), normal(seed, SEEDS, sum(counts), WIDTH)
    table = packing.table(x)
    assert table.shape == (SEEDS, len(counts), max(*counts, 1), WIDTH)
    for i, part in enumerate(x.split(counts, 1)):
        assert torch.equal(table[:, i, : counts[i]], part)
    same(packing.members(table), x * 1, x)


@several
@given(sizes, numbers, st.booleans())
def test_scores_point_at_members_only(counts, seed, last):
    packing = packed(counts)
    table = packing.table(normal(seed, SEEDS, sum(counts)))
    scores = packing.masked(table[:, :, None], 3)[:, :, 0] if last else packing.masked(table)
    assert torch.equal(scores.isfinite().sum(-1), torch.tensor(counts).expand(SEEDS, -1))
    assert (scores.argmax(-1) < torch.tensor(counts).clamp(min=1)).all()


@several
@given(sizes, st.lists(st.integers(0, 5), min_size=1, max_size=4), st.booleans())
def test_some_groups_have_the_members_that_they_have_among_all(counts, chosen, padded):
    groups = torch.tensor([group % len(counts) for group in chosen])
    x, packing = torch.arange(sum(counts))[None], packed(counts)
    place, part = packing.take(groups, padded=padded)
    table = part.table(x[:, place]) if sum(counts) else part.table(place[None])
    for row, group in zip(table[0], groups.tolist(), strict=True):
        assert torch.equal(row[: counts[group]], x[0].split(counts)[group])
    room = [packing.size] * len(chosen) if padded else [counts[group] for group in groups]
    assert part.sizes(range(len(chosen) + 1)) == [sum(room[:end]) for end in range(len(chosen) + 1)]
