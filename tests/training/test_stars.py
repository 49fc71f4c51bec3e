"""Teaching by stars: what a proof found wrong is shown whole, and what cannot learn begins anew."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.data import fixed
from algolens.engines import run_algorithm
from algolens.experiment.config import preset
from algolens.graphs import Graph
from algolens.models import Architecture, Network
from algolens.models.architecture import EXACT
from algolens.models.exact import Exact, Star
from algolens.training import Fit, Schedule, stars
from algolens.training.objective import Objective
from algolens.training.stars import OTHERS, StarTeacher


def teacher() -> StarTeacher:
    chosen = algorithm("coloring", colors=12)
    graph = Graph.pack([2], [(0, 1)])
    truth = run_algorithm(chosen, graph, {"priority": torch.tensor([1, 2])})
    network = Network(chosen, Architecture(processor=EXACT), (0,))
    objective = Objective(truth, Schedule(), torch.device("cpu"))
    return StarTeacher(network, objective, Schedule())


def test_a_star_with_many_others_is_taught_whole():
    teaching = teacher()
    statement = next(
        statement
        for statement in teaching.statements.values()
        if statement.view is not None and statement.num_neighbours > OTHERS
    )
    many = Star(0, tuple(place % statement.num_neighbours for place in range(OTHERS + 5)))
    few = Star(0, (1, 0))
    teaching.again = {statement.name: [few, many]}
    own, kinds, there = teaching.draw(statement, 64, torch.Generator().manual_seed(0))
    shown = {(int(own[row]), tuple(kinds[row, there[row]].tolist())) for row in range(64)}
    assert {(many.own, many.kinds), (few.own, few.kinds)} <= shown


def test_where_nothing_was_wrong_no_room_is_added():
    teaching = teacher()
    for statement in teaching.statements.values():
        _, kinds, there = teaching.draw(statement, 32, torch.Generator().manual_seed(0))
        assert kinds.shape == there.shape
        assert kinds.shape[1] == (0 if statement.view is None else OTHERS)


@pytest.mark.parametrize("patience", [2, 1_000])
def test_a_stage_that_cannot_learn_from_where_it_began_begins_anew(
    patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be learnt from weights that are all zero: no unit differs from another."""
    bfs = algorithm("bfs")
    made = preset("exact", bfs)
    monkeypatch.setattr(stars, "PATIENCE", patience * stars.STARS // made.schedule.batch_size)
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
