"""The gallery shows a run of every algorithm at its start, in its middle and at its end."""

from __future__ import annotations

import pytest
from benchmarks.gallery import moments

import algolens as al
from algolens.algorithms import algorithms


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_every_algorithm_has_a_picture_of_its_start_and_its_end(name):
    run = al.execute(name).run
    shown = moments(run)
    assert (shown[0], shown[-1]) == (0, run.num_steps)


def test_the_middle_of_a_picture_shows_something_else_than_its_start():
    for name in ("components", "strong_components", "bridges", "bfs"):
        assert len(moments(al.execute(name).run)) == 3
