"""Texts beside nodes stand clear of edges, nodes and one another, as far as eight places allow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.gallery import EDGES, PLACES, draw_run, example_run, places_of
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from algolens.reports.drawing import BESIDE, _clear_places


@given(st.integers(1, 7), st.floats(0, 6.28))
def test_a_text_stands_in_the_widest_gap_between_edges(count, turn):
    angles = turn + 0.4 * np.arange(count)
    points = np.stack([3 * np.cos([0, *angles]), 3 * np.sin([0, *angles])], 1)
    points[0] = 0
    edges = np.array([(0, number) for number in range(1, count + 1)])
    ((x, y),) = _clear_places(points, edges, [0])
    assert math.hypot(x, y) == pytest.approx(BESIDE)
    for angle in angles:  # a fan of at most 2.4 leaves a gap of half a turn, and a place in it
        assert math.cos(math.atan2(y, x) - angle) < math.cos(0.39)


def test_no_two_texts_of_a_node_share_a_place():
    found = _clear_places(np.array(list(PLACES.values()), float), np.array(EDGES), [4, 4, 4])
    assert len({tuple(place) for place in found}) == 3


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "widest_path", "coloring"])
def test_no_texts_overlap_in_a_picture(name):
    run = example_run(name)
    figure = draw_run(run, places_of(run))
    figure.set_dpi(120)
    FigureCanvasAgg(figure).draw()
    for axes in figure.axes:
        texts = [each for each in axes.texts if isinstance(each, Text) and each.get_text()]
        boxes = [each.get_window_extent().padded(-0.5) for each in texts]
        over = [
            (texts[i].get_text(), texts[j].get_text())
            for i in range(len(boxes))
            for j in range(i)
            if boxes[i].overlaps(boxes[j])
        ]
        assert over == []


def test_the_middle_of_a_picture_shows_something_else_than_its_start():
    for name in ("components", "strong_components", "bridges", "bfs"):
        run = example_run(name)
        titles = [axes.get_title() for axes in draw_run(run, places_of(run)).axes]
        assert titles[0] == "start"
        assert len(titles) == 3
