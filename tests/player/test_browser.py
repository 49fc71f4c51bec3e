"""The page in a browser: keys, clicks, widths, and names that try to be markup. `make test-browser`
installs what it needs.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.engines import Percept, perceive_truly, run_algorithm
from algolens.engines.parts import Sureness
from algolens.errors import AlgoLensWarning
from algolens.evaluation import Side, first_mistakes
from algolens.graphs import Graph, load_graph, stream
from algolens.language.layouts import BoxLayout
from algolens.player.page import player_page
from tests.other_runs import long_run
from tests.player.runs import drawn_run, read_run, side


def village(name: str, **given: str) -> Side:
    return side(read_run(name, load_graph("examples/village.csv", 0), **given))


def test_keys_step_forth_and_back(show):
    page = show(village("bfs", source="Mill"))
    for key, told in [
        ("ArrowRight", "Step 1 of 4"),
        ("End", "Step 4 of 4"),
        ("ArrowLeft", "Step 3 of 4"),
        ("Home", "Start"),
    ]:
        page.keyboard.press(key)
        assert page.inner_text("#reason strong") == told
    page.keyboard.press("ArrowRight")
    assert "Bridge is reached from Mill." in page.inner_text("#reason")
    assert page.locator('#drawings .node[data-class="1"]').count() == 3


@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_is_shown_to_its_end(show, name):
    page = show(
        side(drawn_run(algorithm(name), "erdos_renyi:7", 0)),
        width=390,
        scheme="dark",
        at="#step=1&node=2",
    )
    assert page.inner_text("#reason strong").startswith("Step 1 of")
    assert page.inner_text("#chosen h3 >> nth=0") == "2"
    page.keyboard.press("End")
    ends = ("Finished after", "Cut short after")  # with a negative cycle, Bellman-Ford is
    assert any(end in page.inner_text("#reason") for end in ends)
    if isinstance(algorithm(name).layout, BoxLayout):
        return  # which draws no edges
    page.evaluate("location.hash = 'edge=2'")
    page.locator("#chosen h3", has_text=re.compile(" - | -> ")).first.wait_for()


def test_what_sees_in_python_is_shown_without_statements(show):
    page = show(side(drawn_run(algorithm("kruskal_union_find"), "erdos_renyi:7", 0)), at="#logic")
    page.keyboard.press("End")
    page.locator("#tables button").nth(1).click()
    assert "nodes in same set" in page.inner_text("#chosen")
    assert page.locator("#chosen button").count() == 0


def test_an_edge_that_is_rejected_says_why(show):
    page = show(village("kruskal"))
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    told = page.inner_text("#reason")
    assert "Well - Smithy (6) is rejected: both ends are already connected." in told
    fired = page.locator("#code .fired", has_text="reject the edge")
    assert fired.locator(".who").inner_text() == "Well - Smithy"


def test_an_element_tells_what_is_seen_there(show):
    page = show(village("coloring"))
    page.keyboard.press("ArrowRight")
    page.locator("#tables button", has_text="Well").click()
    assert "takes color 1" in page.inner_text("#chosen")
    assert "has priority" not in page.inner_text("#chosen")  # which is logic
    page.click("#logic")
    assert "no uncolored neighbour has a higher priority" in page.inner_text("#chosen")
    page.locator(".seen", has_text="has priority").locator("summary").click()
    told = page.inner_text("#chosen")
    assert "no neighbour (color is 0 & its priority > my priority)" in told
    page.locator("#drawings .node").nth(0).click()
    assert page.inner_text("#chosen h3") == "Mill"


def test_what_if_goes_on_from_a_concept_and_from_an_input(show):
    page = show(village("dijkstra", source="Mill"), at="#logic")
    page.keyboard.press("ArrowRight")
    page.locator("#tables button", has_text="Bridge").click()
    page.locator(".seen", has_text="is improved").locator("button").first.press("Enter")
    assert page.locator("figure").count() == 2
    assert "first differs at step 1: is improved of Bridge" in page.inner_text("#drawings")
    page.click("#drop")
    assert page.locator("figure").count() == 1
    page.locator("button", has_text="What if it were the source?").click()
    page.keyboard.press("End")
    assert (
        page.locator("#tables table")
        .nth(1)
        .locator("tr", has_text="Mill")
        .locator("td")
        .nth(6)
        .inner_text()
        == "4"
    )


def test_a_number_is_changed_in_the_units_that_the_user_wrote(show, tmp_path):
    (tmp_path / "roads.csv").write_text(
        "source,target,weight\nMill,Well,0.5\nMill,Hill,0.25\nHill,Well,1.75\n"
    )
    page = show(
        side(read_run("dijkstra", load_graph(str(tmp_path / "roads.csv"), 0), source="Mill"))
    )
    page.locator("#drawings .edge").nth(0).click(force=True)
    box = page.locator(".change input")
    assert box.input_value() == "0.5"
    for wrong, why in (
        ("", "empty: give a multiple of 0.25 from 0 to"),
        ("0.3", "0.3: give a multiple of 0.25"),
        ("-1", "-1: give"),
    ):
        box.fill(wrong)
        box.press("Enter")
        assert f"weight cannot be {why}" in page.inner_text("#reason")
    box.fill("0.75")
    box.press("Enter")
    page.keyboard.press("End")
    assert "What if weight of Mill - Well were 0.75" in page.inner_text("#drawings")
    rows = page.locator("#tables table").nth(1).locator("tr", has_text="Well")
    assert "0.75" in rows.first.inner_text()


def test_nothing_is_wider_than_the_window(show):
    page = show(side(drawn_run(algorithm("dijkstra"), "erdos_renyi:100", 0)))
    for width in (1280, 820, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.keyboard.press("End")
        page.locator("#tables button").nth(3).dispatch_event("click")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_network_says_how_sure_it_is_and_where_it_decides_against_its_rule(show):
    page = show(unsure_side(), at="#logic")
    page.click("#jump")
    told = page.inner_text("#reason")
    assert told.startswith("Step 1 of ")
    assert "Bridge is reached from Mill." in told
    assert "Least sure: has visited neighbours of Well, yes (0.60)." in told
    assert page.inner_text("#reason .wrong").startswith("Well: visited stays no, against its rule.")
    assert "The network decided against its rule" in page.inner_text("#chosen .wrong")
    assert [mark.inner_text() for mark in page.locator("#chosen .mark").all()] == [
        "no (0.90)",
        "yes (0.60)",
    ]
    assert page.locator(".node.differs").count() == 1
    page.locator(".seen", has_text="has visited neighbours").locator("button").click()
    told = page.inner_text("#drawings")
    assert "What if “has visited neighbours” of Well were no in step 1" in told
    assert "(by its rules, not the network)" in told


def unsure_side() -> Side:
    """A run of BFS by something that is never quite sure, and in which Well is visited a step late,
    against the rule.
    """
    graph = load_graph("examples/village.csv", 0)
    bfs = algorithm("bfs")
    rule_set = bfs.declaration.rule_set
    well = graph.names.index("Well") if graph.names else 0
    look = perceive_truly(bfs)
    steps: list[Any] = []

    def perceive(*given: Any) -> Percept:
        seen = look(*given)
        concepts = seen.concepts * 0.8 + 0.1
        concepts[well, 1] = 0.5 + (concepts[well, 1] - 0.5) / 4
        return replace(seen, concepts=concepts)

    def decide(concepts: Any) -> dict[str, Any]:
        visited = rule_set.decide(concepts)["visited"]
        visited[well] &= len(steps) > 0
        steps.append(visited)
        return {"visited": visited}

    sureness = Sureness(bfs.declaration.concepts)
    inputs, _ = bfs.read(graph, stream(0, "inputs", "bfs"), draw_all=False, source="Mill")
    run = run_algorithm(
        bfs, graph, inputs, **sureness.noting({"perceive": perceive, "decide": decide}), check=False
    )
    mistakes = first_mistakes(run, run_algorithm(bfs, graph, inputs, check=False))[1]
    return Side("network", run, rule_set, lambda: mistakes[0], sureness.noted)


def test_names_are_text_whatever_they_say(show):
    names = ("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "plain")
    graph = replace(Graph.pack([3], [(0, 1), (1, 2)]), names=names)
    page = show(side(read_run("bfs", graph, source="plain")))
    page.keyboard.press("End")
    page.locator("#tables button").nth(0).click()
    assert page.inner_text("#chosen h3") == names[0]
    assert page.locator("img").count() == 0


def test_a_graph_of_one_node_and_one_without_edges_are_shown(show):
    for nodes in (1, 4):
        page = show(side(read_run("bfs", Graph.pack([nodes], []), source="0")))
        page.keyboard.press("End")
        assert "Finished after 1 step" in page.inner_text("#reason")
        assert page.locator("#drawings .node").count() == nodes
    page = show(side(read_run("kruskal", Graph.pack([2], []))))
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#reason").startswith("Start\n\nEvery node is a set of its own")


def test_a_large_graph_is_drawn_without_names(show):
    page = show(side(drawn_run(algorithm("bfs_tree"), "grid:1024", 0)))
    page.keyboard.press("End")
    assert page.locator("#drawings .node").count() == 1024
    assert page.locator("#drawings text").count() <= 1  # the node that is new
    page.locator("button", has_text="Later rows").click()
    assert "51 to 100 of 1024" in page.inner_text("#tables")


def test_a_step_can_be_taken_along(show):
    page = show(village("bfs", source="Mill"), at="#step=2")
    page.click("#share summary")
    page.click("#copy-text")
    page.locator("#shared", has_text="as text").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(
        "Breadth-first search: a graph\nStep 2 of 4\n- Market is reached from Bridge."
    )
    page.click("#copy-link")
    page.locator("#shared", has_text="link").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").endswith("run.html#step=2")
    for kind, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as saved:
            page.click(f"#save-{kind}")
        assert saved.value.suggested_filename == f"bfs-step-2.{kind}"
        assert Path(saved.value.path()).read_bytes().startswith(begins)


def test_it_plays_when_asked_and_no_sooner(show):
    page = show(village("bfs", source="Mill"))
    assert page.inner_text("#play") == "Play"
    page.select_option("#speed", "faster")
    page.keyboard.press("Escape")
    page.click("#play")
    assert page.get_attribute("#reason", "aria-live") == "off"  # a screen reader would not keep up
    page.locator("#play", has_text="Play").wait_for()
    assert page.inner_text("#reason strong") == "Step 4 of 4"
    assert page.get_attribute("#reason", "aria-live") == "polite"


def test_a_compact_page_works_in_a_frame_that_may_do_nothing_but_run_it(window, tmp_path):
    window.problems = []
    inner = html.escape(player_page([village("bfs", source="Mill")], "village", compact=True))
    (tmp_path / "outer.html").write_text(
        f'<iframe srcdoc="{inner}" sandbox="allow-scripts" width="900" height="600"></iframe>'
    )
    window.goto((tmp_path / "outer.html").as_uri())
    frame = window.frame_locator("iframe")
    frame.locator("#forward").click()
    assert frame.locator("#reason strong").inner_text() == "Step 1 of 4"
    frame.locator("#tables button", has_text="Well").click()
    frame.locator("#logic").click()
    frame.locator(".seen button").first.click()
    assert frame.locator("figure").count() == 2
    assert frame.locator("#taken").is_hidden()
    assert not window.problems


def test_axe_finds_nothing(show):
    axe = Path("node_modules/axe-core/axe.min.js")
    if not axe.exists():
        pytest.skip("axe-core is not here: `make test-browser` brings it where npm is installed")
    for scheme, shown in (
        ("light", (village("dijkstra", source="Mill"),)),
        ("dark", (unsure_side(),)),
        ("dark", (village("kruskal"), village("prim", source="Mill"))),
    ):
        page = show(*shown, scheme=scheme, at="#logic")
        page.keyboard.press("ArrowRight")
        page.locator("#tables button").nth(2).click()
        page.locator(".seen button").first.click()
        page.click("#share summary")
        page.click("#program summary")
        page.locator(".behind summary").first.click()
        if page.locator("#own").is_visible():
            page.click("#editing summary")
        page.keyboard.press("End")
        page.click("#predict")
        # the page lets no script in but its own; the checker comes from outside of it
        page.context.new_cdp_session(page).send("Runtime.evaluate", {"expression": axe.read_text()})
        for step in ("Home", "End"):
            page.locator("h1").click()
            page.keyboard.press(step)
            found = page.evaluate("axe.run(document)")["violations"]
            assert not [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


def test_a_run_of_many_nodes_and_steps_opens_with_a_part_of_it(show):
    run = long_run(10_000, 100_000)
    with pytest.warns(AlgoLensWarning, match="200 of 10,000 nodes"):
        page = show(side(run), at="#step=77777")
    assert "Step 77777 of 100000" in page.inner_text("#reason")
    assert "200 of 10,000 nodes, around 17" in page.inner_text("#part")
    assert page.locator("#drawings g.node").count() == 200
    names = page.locator("#drawings g.node title").all_text_contents()
    place = run.graph.place_of[names[0]]
    changes = [0, *(run["visited"].history(place)[0][1:] + 1).tolist()]
    page.locator("#drawings g.node").first.click()
    for moment in (changes[3], changes[1], changes[-1]):
        page.evaluate(f"location.hash = 'step={moment}&node=0'")
        page.wait_for_function(
            f"document.querySelector('#moment').textContent.includes('{moment} ')"
        )
        told = ["not visited", "visited"]
        if not run["visited"][moment - 1][place]:
            told.reverse()
        assert " → ".join(told) in page.inner_text("#chosen")
    assert "What if" not in page.inner_text("#chosen")
    # one step forward is the next that changes something which is shown
    page.evaluate("location.hash = 'step=0'")
    page.wait_for_function("document.querySelector('#moment').textContent.includes('Start')")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    shown = torch.tensor([run.graph.place_of[name] for name in names])
    visited = run["visited"].take(shown, run.num_steps)
    second = sorted({0, *visited.steps.tolist()})[2]
    assert f"Step {second + 1} of" in page.inner_text("#moment")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert "Step 1 of" in page.inner_text("#moment")
