"""What HIR says of single rows is what a run had, and what the judge says."""

from __future__ import annotations

import numpy as np
import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.engines import Run
from algolens.language.ir import GOES_ON, ME, TRUE, At, Case, Quantified, View, parts_of, put
from algolens.text.seen import Scene
from tests.player.runs import drawn_run

FAMILIES = {"pairs": "grid:9", "intervals": "intervals:10", None: "community:8"}
TOLD = [name for name in algorithms() if algorithm(name).declaration.speech is not None]


def scene_of(name: str, step: float) -> tuple[Run, Scene, int]:
    """What a step of a run saw, and which one it is."""
    chosen = algorithm(name)
    run = drawn_run(chosen, FAMILIES[chosen.table], 3)
    at = int(step * run.num_steps)
    return run, Scene(run, chosen.declaration.program).at(at), at


@pytest.mark.parametrize("name", TOLD)
def test_features_and_moves_are_those_of_the_run(name: str) -> None:
    run, scene, step = scene_of(name, 0.5)
    program = run.algorithm.declaration.program
    for let in program.lets:
        if let.name != GOES_ON and let.name in run.algorithm.declaration.predicted:
            assert scene.all(let.value, let.at).tolist() == run[let.name][step].tolist(), let.name
    for let in program.becomes:
        if not isinstance(let.value, Case):
            continue
        for row, value in enumerate(run[let.name][step].tolist()):
            found = scene.moved(let.value.cases, let.at, row)
            stays = scene.value(let.value.otherwise, let.at, row)
            assert value == (stays if found is None else found[2])


@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "prim", "boruvka", "matching", "dfs"])
def test_those_in_view_are_those_that_a_join_pairs(name: str) -> None:
    run, scene, _ = scene_of(name, 0.5)
    views: dict[View, At] = {
        each.view: let.at
        for let in run.algorithm.declaration.program.lets
        for each in parts_of(let.value, Quantified)
    }
    assert views
    for view, at in views.items():
        keys = [
            (scene.all(mine, at), scene.all(put(its, it=ME), view.rows)) for mine, its in view.joins
        ]
        meant = scene.all(put(view.it, it=ME), view.rows)
        for me in range(run.graph.count(at)):
            seen = np.logical_or.reduce([mine[me] == its for mine, its in keys])
            those = {*meant[seen].tolist()} - ({me} if view.apart else set())
            assert scene.in_view(view, at, me, TRUE) == sorted(those)
