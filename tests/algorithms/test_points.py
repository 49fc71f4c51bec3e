"""Points in the plane: those that are drawn, those that are refused, and what is told of them."""

from __future__ import annotations

import itertools
import random
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

import algolens as al
from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError, InputError
from algolens.graphs import Graph
from algolens.language import points

TRIANGLE = {"Mill": (0.5, 0.25), "Well": (4.5, 0.75), "Inn": (2.5, 3.125), "Oak": (2.5, 1.5)}


def are_apart(x: list[int], y: list[int]) -> bool:
    """Whether no two points are in one place, and no three on a line."""
    points = list(zip(x, y, strict=True))
    triples = itertools.combinations(points, 3)
    return len(set(points)) == len(points) and all(
        (b[0] - a[0]) * (c[1] - a[1]) != (b[1] - a[1]) * (c[0] - a[0]) for a, b, c in triples
    )


def test_points_on_a_line_are_refused_and_no_others():
    rng, refused, hull = random.Random(0), 0, algorithm("graham_scan")
    for _ in range(300):
        sizes = [rng.randint(1, 5) for _ in range(rng.randint(1, 3))]
        ends = list(itertools.accumulate(sizes))
        x, y = ([rng.randint(-6, 6) for _ in range(ends[-1])] for _ in "xy")
        parts = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        graph, inputs = Graph.pack(sizes, []), {"x": torch.tensor(x), "y": torch.tensor(y)}
        if all(are_apart(x[part], y[part]) for part in parts):
            hull.check(graph, inputs)
        else:
            refused += 1
            with pytest.raises(InputError, match="are on one line, or in one place"):
                hull.check(graph, inputs)
    assert 30 < refused < 270


@pytest.mark.parametrize("bits", [4, 12, 32, 62])
def test_points_that_are_drawn_are_apart(bits):
    graph = Graph.pack([1, 2, 13], [])
    drawn = points.draw_points(graph, bits, np.random.default_rng(bits))
    x, y = drawn["x"].tolist(), drawn["y"].tolist()
    assert are_apart(x[3:], y[3:])
    assert max(map(abs, x + y)) < 2 ** (bits - 1)


@pytest.mark.parametrize("name", ["jarvis_march", "graham_scan"])
@pytest.mark.parametrize("by", ["algorithm", "network"])
def test_decimals_are_exact_and_points_keep_their_names(name, by):
    points = nx.Graph()
    for node, (x, y) in TRIANGLE.items():
        points.add_node(node, x=x, y=y)
    found = al.execute(name, points, by=by)
    assert [node for node, is_corner in found.result["in_hull"].items() if is_corner] == [
        "Mill",
        "Well",
        "Inn",
    ]
    points.add_node("Lane", x=2.5, y=2)
    with pytest.raises(AlgoLensError, match=r"'Oak' and .*'Lane' are on one line"):
        al.execute(name, points, by=by)


def test_segments_meet_in_a_point_and_products_without_room_are_refused():
    points = nx.Graph()
    for node, (x, y) in TRIANGLE.items():
        points.add_node(node, x=x, y=y)
    ends: dict[str, Any] = {"p1": "Mill", "p2": "Inn", "p3": "Oak", "p4": "Well"}
    assert al.execute("segments_intersect", points, **ends).outcomes == {"intersects": False}
    across: dict[str, Any] = {"p1": "Mill", "p2": "Oak", "p3": "Inn", "p4": "Inn"}
    assert al.execute("segments_intersect", points, **across).outcomes == {"intersects": False}
    touching: dict[str, Any] = {"p1": "Mill", "p2": "Oak", "p3": "Inn", "p4": "Oak"}
    assert al.execute("segments_intersect", points, **touching).outcomes == {"intersects": True}
    points.nodes["Well"].update(x=4.123456789012, y=0.123456789012)
    with pytest.raises(AlgoLensError, match=r"'turn' grows beyond 62 bits .* round=6"):
        al.execute("segments_intersect", points, **ends)
    assert al.execute("segments_intersect", points, round=6, **ends).steps == 4
