"""The page in a browser: keys, clicks, widths, and names that try to be markup. `make test-browser` installs what it needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.execution import Run
from algolens.graphs import Graph, load
from algolens.reports.player import Side, player_page
from tests.reports.player.runs import drawn_run, read_run

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: `make test-browser` brings it")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed, in which the page would be opened")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the page of runs; whatever goes wrong in it, or is asked of the network, fails the test."""
    problems: list[str] = []
    contexts: list[Any] = []

    def opened(*sides: Side, width: int = 1280, scheme: str = "light") -> Any:
        (tmp_path / "run.html").write_text(player_page(sides, "a graph"))
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("request", lambda request: None if request.url.startswith("file:") else problems.append(request.url))
        page.goto((tmp_path / "run.html").as_uri())
        return page

    yield opened
    for each in contexts:
        each.close()
    assert not problems


def side(run: Run) -> Side:
    return Side("algorithm", run, run.algorithm.declaration.program)


def village(name: str, **given: str) -> Side:
    return side(read_run(name, load("examples/village.csv", 0), **given))


def test_keys_step_forth_and_back(show):
    page = show(village("bfs", source="Mill"))
    for key, told in [("ArrowRight", "Step 1 of 4"), ("End", "Step 4 of 4"), ("ArrowLeft", "Step 3 of 4"), ("Home", "Start")]:
        page.keyboard.press(key)
        assert page.inner_text("#reason strong") == told
    page.keyboard.press("ArrowRight")
    assert "Bridge, Well: visited becomes yes, because has_visited_neighbours." in page.inner_text("#reason")
    assert page.locator('.node[data-class="1"]').count() == 3


@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_is_shown_to_its_end(show, name):
    page = show(side(drawn_run(algorithm(name), "erdos_renyi:7", 0)), width=390, scheme="dark")
    page.keyboard.press("ArrowRight")
    for at in (".node", ".edge"):
        page.locator(at).nth(2).dispatch_event("click")
        page.keyboard.press("End")
        assert "Done after" in page.inner_text("#reason")
        assert page.inner_text("#chosen h3 >> nth=0")


def test_what_sees_in_python_is_shown_without_statements(show):
    page = show(side(drawn_run(algorithm("kruskal", union_find=1), "erdos_renyi:7", 0)))
    page.keyboard.press("End")
    page.locator("#tables button").nth(1).click()
    assert "nodes_in_same_set" in page.inner_text("#chosen")
    assert page.locator("#chosen button").count() == 0


def test_an_edge_that_is_rejected_says_why(show):
    page = show(village("kruskal"))
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    assert "Well – Smithy: in mst stays no, because ~edge_in_mst & nodes_in_same_set." in page.inner_text("#reason")


def test_an_element_tells_what_is_seen_there(show):
    page = show(village("coloring"))
    page.keyboard.press("ArrowRight")
    page.locator("#tables button", has_text="Well").click()
    told = page.inner_text("#chosen")
    assert "no neighbour (color is 0 & its priority > my priority): " in told
    page.locator(".node").nth(0).dispatch_event("click")
    assert page.inner_text("#chosen h3") == "Mill"


def test_what_if_goes_on_from_a_concept_and_from_an_input(show):
    page = show(village("dijkstra", source="Mill"))
    page.keyboard.press("ArrowRight")
    page.locator("#tables button", has_text="Bridge").click()
    page.locator(".seen", has_text="is_improved").locator("button").first.click()
    assert page.locator("figure").count() == 2
    assert "first differs at step 1: is_improved of Bridge" in page.inner_text("#drawings")
    page.click("#drop")
    assert page.locator("figure").count() == 1
    page.locator("button", has_text="What if it were the source?").click()
    page.keyboard.press("End")
    assert page.locator("#tables table").nth(1).locator("tr", has_text="Mill").locator("td").nth(6).inner_text() == "4"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(show, width, scheme):
    page = show(side(drawn_run(algorithm("dijkstra"), "erdos_renyi:100", 0)), width=width, scheme=scheme)
    page.keyboard.press("End")
    page.locator("#tables button").nth(3).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_names_are_text_whatever_they_say(show):
    names = ("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "plain")
    graph = replace(Graph.pack([3], [(0, 1), (1, 2)]), names=names)
    page = show(side(read_run("bfs", graph, source="plain")))
    page.keyboard.press("End")
    page.locator("#tables button").nth(0).click()
    assert page.inner_text("#chosen h3") == names[0]
    assert page.locator("img").count() == 0


def test_axe_finds_nothing(show):
    axe = Path("node_modules/axe-core/axe.min.js")
    if not axe.exists():
        pytest.skip("axe-core is not here: `make test-browser` brings it where npm is installed")
    for scheme in ("light", "dark"):
        page = show(village("dijkstra", source="Mill"), scheme=scheme)
        page.keyboard.press("ArrowRight")
        page.locator("#tables button").nth(1).click()
        # the page lets no script in but its own; the checker comes from outside of it
        page.context.new_cdp_session(page).send("Runtime.evaluate", {"expression": axe.read_text()})
        found = page.evaluate("axe.run(document)")["violations"]
        assert not [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
