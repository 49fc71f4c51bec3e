"""Laws of what teaches an exact network."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.data import fixed
from algolens.experiment.config import preset
from algolens.models.exact import Exact, stars
from algolens.training import Fit


@pytest.mark.parametrize("patience", [2, 1_000])
def test_a_stage_that_cannot_learn_from_where_it_began_begins_anew(
    patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be learnt from weights that are all zero: no unit differs from another."""
    monkeypatch.setattr(stars, "PATIENCE", patience * stars.BATCHES)
    bfs = algorithm("bfs")
    made = preset("exact", bfs)
    recipe = replace(bfs.recipe, size=8, train=1, held_out=1, test_sizes=())
    schedule = replace(made.schedule, epochs=12, enough=1)
    fit = Fit(fixed(bfs, 0, recipe), made.architecture, schedule, (0, 1), torch.device("cpu"))
    perceiver = fit.network.perceiver
    assert isinstance(perceiver, Exact)
    stuck = perceiver.stages["has_visited_neighbours"]
    with torch.no_grad():
        for parameter in stuck.parameters():
            parameter[1] = 0
    list(fit)
    unproven = fit.examine()
    assert unproven is not None
    assert unproven[0] == 0
    assert (unproven[1] == 0) == (patience == 2)
