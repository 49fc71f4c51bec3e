"""A comparison of numbers is kept once it is in order, whoever learns beside it."""

from __future__ import annotations

import torch

from algolens.models.exact import Comparator, teach


def drawn(*seeds: int) -> Comparator:
    comparison = Comparator(len(seeds), 12)
    for place, seed in enumerate(seeds):
        comparison.draw(place, torch.Generator().manual_seed(seed))
    return comparison


def test_a_seed_learns_in_company_as_alone():
    together = drawn(0, 1, 2)
    teach(together, 5)
    assert together.in_order().all()
    for place in range(3):
        alone = drawn(place)
        teach(alone, 5)
        assert torch.allclose(alone.change[0], together.change[place])
