"""Drawings of graphs in Chromium: labels that can be read, states told twice, a reason in view."""

from __future__ import annotations

import pytest

from algolens.algorithms import algorithm
from algolens.graphs import load_graph
from tests.player.runs import drawn_run, read_run, side

TEXTS = """() => [...document.querySelectorAll("#drawings text")].map((text) => {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  return [left, right, top, bottom];
})"""
# the strip is in view, is covered by nothing, and stands above the slider
STRIP = """() => {
  const strip = document.querySelector("#strip");
  const { top, bottom, left, width, height } = strip.getBoundingClientRect();
  const slider = document.querySelector("#slider").getBoundingClientRect().top;
  const isWhole = strip.scrollHeight <= strip.clientHeight + 1;
  const isSeen = strip.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  return { top, bottom, slider, isWhole, isSeen };
}"""


def village(name: str, **given: str):
    return side(read_run(name, load_graph("examples/village.csv", 0), **given))


def overlapping(boxes: list[list[float]]) -> int:
    """How many pairs of texts lie on each other by more than a pixel."""
    return sum(
        min(one[1], two[1]) - max(one[0], two[0]) > 1
        and min(one[3], two[3]) - max(one[2], two[2]) > 1
        for i, one in enumerate(boxes)
        for two in boxes[:i]
    )


@pytest.mark.parametrize("name", ["kruskal", "dijkstra"])
def test_on_a_phone_the_reason_is_always_in_view(show, name):
    given = {"source": "Mill"} if name == "dijkstra" else {}
    page = show(village(name, **given), width=390, height=844, at="#step=4&node=1")
    for scrolled in (0, 10_000):
        page.evaluate(f"window.scrollTo(0, {scrolled})")
        strip = page.evaluate(STRIP)
        assert 0 <= strip["top"] < strip["bottom"] <= strip["slider"] <= 844
        assert strip["isWhole"]
        assert strip["isSeen"]
    for each in page.locator("#reason > ul > li").all_inner_texts():
        assert each.strip().split("\n")[0] in page.inner_text("#strip")


@pytest.mark.parametrize(("width", "least"), [(1280, 150), (390, 100)])
def test_no_label_lies_on_another(show, width, least):
    page = show(side(drawn_run(algorithm("dijkstra"), "grid:100", 0)), width=width, at="#step=40")
    for key in ("ArrowRight", "Home", "End"):
        page.keyboard.press(key)
        texts = page.evaluate(TEXTS)
        assert len(texts) >= least  # 100 names, and what else finds room
        assert overlapping(texts) == 0
    page.locator("#drawings .node").nth(44).click()
    assert overlapping(page.evaluate(TEXTS)) == 0


def test_what_finds_room_by_zooming_is_shown_then(show):
    page = show(side(drawn_run(algorithm("dijkstra"), "erdos_renyi:60", 1)), at="#step=3")
    before = len(page.evaluate(TEXTS))
    for _ in range(4):
        page.keyboard.press("+")
    after = page.evaluate(TEXTS)
    assert len(after) > before
    assert overlapping(after) == 0


def test_accepted_and_rejected_edges_differ_without_colors(show):
    page = show(village("kruskal"), at="#step=6")
    forms = page.evaluate("""() => [...document.querySelectorAll("#drawings .edge")].map((edge) => {
      const style = getComputedStyle(edge);
      return [edge.getAttribute("data-class"), style.strokeDasharray + " " + style.strokeWidth];
    })""")
    by_class = dict(forms)
    assert len(by_class) == len(set(by_class.values())) == 3
    shapes = page.evaluate("""() => [...document.querySelectorAll("#drawings .node")].map((node) =>
      [node.getAttribute("data-class"), node.querySelector(".body").getAttribute("d")])""")
    assert len(dict(shapes)) == len({form for _, form in shapes}) == 3


def test_the_legend_names_only_what_is_seen(show):
    page = show(village("dijkstra", source="Mill"))
    assert "settled" not in page.inner_text("#legend")
    assert "violet" not in page.inner_text("#legend")
    page.keyboard.press("ArrowRight")
    assert "settled" in page.inner_text("#legend")
    assert "violet: decided in this step" in page.inner_text("#legend")
    page = show(village("kruskal"), at="#step=5")
    assert "rejected" not in page.inner_text("#legend")
    page.keyboard.press("ArrowRight")
    assert "rejected" in page.inner_text("#legend")


def test_parents_are_a_tree_along_the_edges(show):
    graph = load_graph("examples/village.csv", 0, directed=True)
    page = show(side(read_run("dijkstra", graph, source="Mill")))
    page.keyboard.press("End")
    reached = sum(1 for text in page.locator("#drawings text.number").all_text_contents() if text)
    assert page.locator("#drawings .edge.tree").count() == reached - 1
    assert page.locator("#drawings .pointers .line").count() == 0


def test_random_priorities_are_shown_only_where_a_concept_reads_them(show):
    page = show(village("kruskal"))
    assert page.locator("#drawings text.input").count() == 0
    page = show(village("coloring"))
    assert page.locator("#drawings text.input").count() > 0


def test_nodes_are_dragged_and_the_wheel_zooms(show):
    page = show(village("bfs", source="Mill"))
    node = page.locator("#drawings .node .body").nth(2)
    before = node.bounding_box()
    page.mouse.move(before["x"] + 5, before["y"] + 5)
    page.mouse.down()
    page.mouse.move(before["x"] + 65, before["y"] + 45, steps=3)
    page.mouse.up()
    after = node.bounding_box()
    assert abs(after["x"] - before["x"] - 60) < 12
    assert abs(after["y"] - before["y"] - 40) < 12
    width = page.locator("#drawings svg").bounding_box()["width"]
    page.mouse.wheel(0, -300)  # the page scrolls, for the drawing was not clicked
    page.mouse.click(before["x"] - 20, before["y"] - 20)
    for _ in range(4):
        page.mouse.wheel(0, -300)
    page.wait_for_function(
        f"document.querySelector('#drawings svg').getBoundingClientRect().width > {width} + 50"
    )


def test_space_plays(show):
    page = show(village("bfs", source="Mill"))
    page.keyboard.press(" ")
    assert page.inner_text("#play") == "Pause"
    page.keyboard.press(" ")
    assert page.inner_text("#play") == "Play"


def test_a_thousand_nodes_load_in_a_second_and_step_in_a_tenth_of_it(show, window):
    run = drawn_run(algorithm("dijkstra"), "grid:1000", 0)
    session = window.context.new_cdp_session(window)
    session.send(
        "Performance.enable", {"timeDomain": "threadTicks"}
    )  # what others take is left out

    def seconds() -> float:
        # after the frame that is being drawn
        window.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    before = seconds()
    page = show(side(run))
    loaded = seconds()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        seconds()
    assert page.evaluate("document.querySelectorAll('*').length") < 10_000
    assert loaded - before < 1
    assert (seconds() - loaded) / 5 < 0.1
    session.detach()
