"""Texts beside nodes stand clear of edges, nodes and one another, as far as eight places allow."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import algolens as al
from algolens.api.pictures import BESIDE, _clear_places, draw_moment
from algolens.engines import Run


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


PLACES = {
    0: (0.0, 2.0),
    1: (1.2, 2.3),
    2: (2.4, 2.0),
    3: (0.0, 1.0),
    4: (1.2, 1.1),
    5: (2.4, 0.9),
    6: (0.5, 0.0),
    7: (1.7, 0.0),
    8: (3.4, 1.6),
}


EDGES = [(0, 1), (1, 2), (0, 3), (1, 4), (3, 4), (2, 5), (4, 5), (3, 6), (4, 7), (6, 7), (5, 8)]


def run_of(name: str) -> Run:
    graph = nx.Graph()
    graph.add_weighted_edges_from((u, v, 2 + (5 * u + v) % 11) for u, v in EDGES)
    return al.execute(name, graph).run


def test_no_two_texts_of_a_node_share_a_place():
    edges = run_of("coloring").graph.edges.T
    found = _clear_places(np.array(list(PLACES.values())), edges, [4, 4, 4])
    assert len({tuple(place) for place in found}) == 3


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "widest_path", "coloring"])
def test_no_texts_overlap_in_a_picture(name):
    run = run_of(name)
    for moment in (0, run.num_steps):
        figure = Figure(figsize=(3.0, 2.5), layout="constrained")
        axes = figure.subplots()
        draw_moment(axes, run, moment, PLACES, 8.0)
        figure.set_dpi(120)
        FigureCanvasAgg(figure).draw()
        texts = [each for each in axes.texts if isinstance(each, Text) and each.get_text()]
        boxes = [each.get_window_extent().padded(-0.5) for each in texts]
        over = [
            (texts[i].get_text(), texts[j].get_text())
            for i in range(len(boxes))
            for j in range(i)
            if boxes[i].overlaps(boxes[j])
        ]
        assert over == []
