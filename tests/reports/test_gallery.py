"""A picture of a run can be drawn of every algorithm."""

from __future__ import annotations

import pytest
from benchmarks.gallery import draw_run, example_run, places_of

from algolens.algorithms import algorithms


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_every_algorithm_has_a_picture_of_its_start_and_its_end(name):
    run = example_run(name)
    titles = [axes.get_title() for axes in draw_run(run, places_of(run)).axes]
    assert titles[0] == "start"
    assert titles[-1] == f"step {run.num_steps} of {run.num_steps}"
