"""The update of pointers against the appendix's equation."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from algolens.models.disjoint_sets import expected, updated
from tests.models.networks import numbers, patient

SEEDS = 2


def drawn(nodes: int, places: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Logits of staying, scores of new pointers, old pointers."""
    generator = torch.Generator().manual_seed(seed)
    keeps = 3 * torch.randn(SEEDS, nodes, generator=generator)
    scores = 3 * torch.randn(SEEDS, nodes, places, generator=generator)
    return keeps, scores, torch.randint(0, places, (nodes,), generator=generator)


@patient
@given(st.integers(1, 5), st.integers(1, 5), numbers)
def test_a_pointer_stays_or_goes_where_its_score_is_highest(nodes, places, seed):
    keeps, scores, parent = drawn(nodes, places, seed)
    found = updated(keeps, scores, parent).argmax(-1)
    for s in range(SEEDS):
        for i in range(nodes):
            assert found[s, i] == (parent[i] if keeps[s, i] > 0 else scores[s, i].argmax())


@patient
@given(st.integers(1, 5), st.integers(1, 5), numbers)
def test_before_it_is_decided_old_and_new_are_mixed(nodes, places, seed):
    """mu * old + (1 - mu) * new, with probabilities."""
    keeps, scores, parent = drawn(nodes, places, seed)
    old = torch.nn.functional.one_hot(parent, places).float()
    stays = keeps.sigmoid()[:, :, None]
    assert_close(
        expected(keeps, scores, parent).exp(), stays * old + (1 - stays) * scores.softmax(-1)
    )
