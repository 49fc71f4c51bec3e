"""The figure of comparison shows every figure that has a published one, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.container import ErrorbarContainer

from algolens.reproduction.accuracies import accuracies
from algolens.reproduction.gathering import material_of, shown_model
from algolens.reproduction.pictures import comparison_pictures

RUNS = Path(__file__).parents[2] / "results" / "runs"


def test_every_compared_figure_is_a_dot_beside_its_published_one():
    material = material_of("x", [shown_model(RUNS / "kruskal-paper")])
    (picture,) = comparison_pictures(material)
    compared = [each for each in accuracies(material.learnt) if each.compared is not None]
    assert compared
    for axes in picture.figure.axes:
        dots = {
            str(drawn.get_label()): np.asarray(drawn.lines[0].get_xdata()).tolist()
            for drawn in axes.containers
            if isinstance(drawn, ErrorbarContainer)
        }
        of_size = [each for each in compared if axes.get_title("left") == f"{each.size} nodes"]
        assert dots["ours"] == [each.ours.mean for each in of_size]
        assert dots["published"] == [each.theirs[0] for each in of_size if each.theirs]


def test_exact_networks_are_not_compared():
    assert [*comparison_pictures(material_of("x", [shown_model(RUNS / "bfs-exact")]))] == []
