"""Stars that teach: what a proof found wrong is shown whole, and what is drawn is what was drawn
before.
"""

from __future__ import annotations

import torch

from algolens.algorithms import algorithm
from algolens.execution import run_algorithm
from algolens.graphs import Graph
from algolens.models import Architecture, Network
from algolens.models.architecture import EXACT
from algolens.models.exact.stars import OTHERS, Stars
from algolens.models.perceiver import Star


def stars() -> Stars:
    chosen = algorithm("coloring", colors=12)
    graph = Graph.pack([2], [(0, 1)])
    truth = run_algorithm(chosen, graph, {"priority": torch.tensor([1, 2])})
    lessons = Network(chosen, Architecture(processor=EXACT), (0,)).perceiver.lessons(
        truth, torch.device("cpu")
    )
    assert isinstance(lessons, Stars)
    return lessons


def test_a_star_with_many_others_is_taught_whole():
    lessons = stars()
    statement = next(
        each
        for each in lessons.statements.values()
        if each.relation is not None and each.num_kinds > OTHERS
    )
    many = Star(0, tuple(place % statement.num_kinds for place in range(OTHERS + 5)))
    few = Star(0, (1, 0))
    own, kinds, there = lessons._draw(statement, 64, torch.Generator().manual_seed(0), [few, many])
    shown = {(int(own[row]), tuple(kinds[row, there[row]].tolist())) for row in range(64)}
    assert {(many.own, many.kinds), (few.own, few.kinds)} <= shown


def test_where_nothing_was_wrong_no_room_is_added():
    lessons = stars()
    for statement in lessons.statements.values():
        _, kinds, there = lessons._draw(statement, 32, torch.Generator().manual_seed(0), [])
        assert kinds.shape == there.shape
        assert kinds.shape[1] == (0 if statement.relation is None else OTHERS)
