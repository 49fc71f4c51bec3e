"""Layouts in Chromium: everything is drawn once, in view, and nothing lies on another."""

from __future__ import annotations

from itertools import pairwise

import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.language.layouts import Bars, BoxLayout
from tests.player.drawn_algorithms import PointsOfTests, TableOfTests, TriangleOfTests
from tests.player.runs import drawn_run, side

IN_BOXES = [
    *(chosen for chosen in map(algorithm, algorithms()) if isinstance(chosen.layout, BoxLayout)),
    TableOfTests(),
    TriangleOfTests(),
]
# what is drawn, in pixels from the corner of the drawing
MEASURED = """() => {
  const root = document.querySelector("#drawings svg");
  const frame = root.getBoundingClientRect();
  const box = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return [left - frame.left, right - frame.left, top - frame.top, bottom - frame.top];
  };
  const all = (chosen) => [...root.querySelectorAll(chosen)];
  return {
    frame: [0, frame.width, 0, frame.height],
    bodies: all(".node .body").filter((body) => body.getClientRects().length > 0).map(box),
    texts: all("text").filter((text) => text.textContent !== "").map(box),
    page: document.documentElement.scrollWidth,
  };
}"""


@pytest.mark.parametrize("chosen", IN_BOXES, ids=lambda chosen: chosen.name)
def test_all_is_in_view_and_no_text_lies_on_another(show, chosen):
    run = drawn_run(chosen, "erdos_renyi:12", 2)
    for width in (1280, 390):
        page = show(side(run), width=width)
        for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "End"):
            page.keyboard.press(key)
            drawn = page.evaluate(MEASURED)
            assert drawn["page"] <= width
            # a mask may say which are drawn
            shown = len(drawn["bodies"])
            assert shown == 12 or (0 < shown < 12 and getattr(chosen.layout, "where", None))
            for box in drawn["bodies"] + drawn["texts"]:
                assert is_inside(box, drawn["frame"]), (width, key, box)
            texts = drawn["texts"]
            pairs = [(one, two) for i, one in enumerate(texts) for two in texts[:i]]
            assert not [pair for pair in pairs if overlap(*pair) > 2], (width, key)
            if isinstance(chosen.layout, Bars):
                check_heights(drawn["bodies"], run.inputs["key"].tolist())


def test_points_of_a_plane_are_in_view_at_one_scale(show):
    run = drawn_run(PointsOfTests(), "erdos_renyi:12", 2)
    x, y = (run.inputs[name].tolist() for name in ("x", "y"))
    for width in (1280, 390):
        drawn = show(side(run), width=width).evaluate(MEASURED)
        assert all(is_inside(box, drawn["frame"]) for box in drawn["bodies"])
        middles = [((box[0] + box[1]) / 2, (box[2] + box[3]) / 2) for box in drawn["bodies"]]
        unit = (max(place[0] for place in middles) - min(place[0] for place in middles)) / (
            max(x) - min(x)
        )
        for node, (across, down) in enumerate(middles):
            assert abs(across - middles[0][0] - unit * (x[node] - x[0])) < 1
            assert abs(middles[0][1] - down - unit * (y[node] - y[0])) < 1


def is_inside(box: list[float], frame: list[float]) -> bool:
    return (
        frame[0] - 0.5 <= box[0]
        and box[1] <= frame[1] + 0.5
        and frame[2] - 0.5 <= box[2]
        and box[3] <= frame[3] + 0.5
    )


def overlap(one: list[float], two: list[float]) -> float:
    """By how many pixels two boxes lie on each other."""
    wide = min(one[1], two[1]) - max(one[0], two[0])
    high = min(one[3], two[3]) - max(one[2], two[2])
    return min(wide, high)


def check_heights(bodies: list[list[float]], keys: list[int]) -> None:
    """A higher number has a higher bar, and none lies on another."""
    heights = [bottom - top for _, _, top, bottom in bodies]
    order = sorted(range(len(keys)), key=lambda node: abs(keys[node]))
    assert all(heights[a] <= heights[b] + 0.1 for a, b in pairwise(order))
    left_to_right = sorted(bodies)
    assert all(one[1] <= two[0] for one, two in pairwise(left_to_right))
