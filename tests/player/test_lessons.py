"""What teachers need, in Chromium: prediction, structures, results, links, several algorithms."""

from __future__ import annotations

import html
import re
from pathlib import Path

import networkx as nx
import pytest

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import load_graph
from algolens.graphs.cells import cells_of
from algolens.player.data import pages_data
from tests.player.runs import drawn_run, read_run, side


def village(name: str, **given: str):
    return side(read_run(name, load_graph("examples/village.csv", 0), **given))


def test_the_next_node_is_predicted_and_scored(show):
    page = show(village("dijkstra", source="Mill"))
    page.click("#predict")
    assert page.locator("#structures").is_hidden()  # it would say it
    assert "Which node is settled next?" in page.inner_text("#question")
    nodes = page.locator("#drawings .node .body")
    nodes.nth(3).click()
    assert "Not Market: it is not reached" in page.inner_text("#question")  # says why
    nodes.nth(0).click()
    assert "Right: Mill is settled at distance 0" in page.inner_text("#question")
    assert "0 of 1 right" in page.inner_text("#question")
    nodes.nth(1).click()
    assert "1 of 2 right" in page.inner_text("#question")
    assert page.inner_text("#reason strong") == "Step 2 of 7"
    page.locator("#question button").click()
    assert "It was Well." in page.inner_text("#question")
    assert "1 of 3 right" in page.inner_text("#question")
    page.click("#predict")
    assert page.locator("#question").is_hidden()


def test_an_edge_is_predicted_in_kruskals_algorithm(show):
    page = show(village("kruskal"))
    page.click("#predict")
    page.locator("#drawings .node .body").first.click()
    assert "choose an edge" in page.inner_text("#question")
    page.locator("#tables button", has_text="Church - School").click()
    assert "Right: Church - School (1) is accepted" in page.inner_text("#question")


def test_structures_follow_from_what_is_declared(show):
    page = show(village("dijkstra", source="Mill"), at="#step=2")
    assert page.locator("#structures .chip").all_inner_texts() == ["Well 6", "Market 9"]
    assert page.inner_text("#structures .next") == "Well 6"
    page = show(village("kruskal"), at="#step=1")
    weights = page.locator("#structures .strip").first.locator(".chip").all_inner_texts()
    assert [int(text.split()[-1]) for text in weights] == list(range(2, 10))
    assert "8 sets" in page.inner_text("#structures")
    page = show(village("dfs"), at="#step=3")
    assert page.inner_text("#structures").startswith("Stack, the top first:")


def test_the_result_is_a_card_and_a_target_lights_its_path(show):
    page = show(village("dijkstra", source="Mill"))
    assert page.locator("#answer").is_hidden()
    page.keyboard.press("End")
    page.locator("#answer .chip", has_text="Smithy 12").click()
    lit = page.locator("#drawings .node.lit title").all_text_contents()
    assert sorted(lit) == ["Bridge", "Mill", "Smithy", "Well"]
    assert page.locator("#drawings .edge.lit").count() == 3
    graph = nx.Graph()
    for line in Path("examples/village.csv").read_text().split()[1:]:
        one, other, weight = line.split(",")
        graph.add_edge(one, other, weight=int(weight))
    least = int(nx.minimum_spanning_tree(graph).size("weight"))
    page = show(village("kruskal"), at="#step=9")
    told = page.inner_text("#answer")
    assert f"Minimum spanning tree: 7 of 9 edges, weight {least} in all" in told
    page = show(village("coloring"), at="#step=9")
    assert "3 colors" in page.inner_text("#answer")


def test_algorithms_stand_side_by_side_in_step_or_by_share(show):
    page = show(village("prim"), village("kruskal"), village("boruvka"), at="#step=3")
    assert (
        page.inner_text("h1")
        == "Prim's algorithm, Kruskal's algorithm, Borůvka's algorithm: a graph"
    )
    assert page.locator("figure").count() == 3
    assert page.locator("#code ol").count() == 3
    assert "Step 3 of 9" in page.inner_text("#reason")
    page.select_option("#together", "share")
    captions = page.locator("#tables caption").all_inner_texts()
    assert [re.findall(r"step (\d+)", text) for text in captions] == [["2"], ["3"], ["1"]]
    page.locator("#drawings figure").nth(1).locator(".node .body").nth(2).click()
    assert page.locator("#drawings .node.selected").count() == 3
    places = page.evaluate("""() => [...document.querySelectorAll("#drawings figure")].map((each) =>
      [...each.querySelectorAll(".node")].map((node) => node.getAttribute("transform")).join())""")
    assert len(set(places)) == 1


def test_runs_on_two_graphs_are_refused():
    other = side(read_run("coloring", load_graph("nx:petersen", 0)))
    with pytest.raises(AlgoLensError, match="do not run on one graph"):
        pages_data([village("bfs", source="Mill"), other], "a graph")


def test_a_link_keeps_step_choice_and_what_if(show):
    page = show(village("dijkstra", source="Mill"), at="#step=1&logic")
    page.locator("#tables button", has_text="Bridge").click()
    page.locator(".seen", has_text="is improved").locator("button").first.press("Enter")
    page.locator("button", has_text="What if it were the source?").click()
    page.click("#share summary")
    page.click("#copy-link")
    page.locator("#shared", has_text="link").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    told = sorted(page.inner_text("#drawings figure >> nth=1").split("\n"))
    page.goto("about:blank")
    page.goto(link)
    assert page.locator("figure").count() == 2
    assert sorted(page.inner_text("#drawings figure >> nth=1").split("\n")) == told
    assert page.inner_text("#chosen h3 >> nth=0").startswith("Bridge")
    page.goto("about:blank")
    page.goto(link.split("#")[0] + "#step=x&node=99&set=0.nothing.1.1.1&input=0.source.0.77&set=7")
    assert page.locator("figure").count() == 1  # what is not there is passed over


def test_code_to_embed_opens_the_page_in_a_frame(show, tmp_path):
    page = show(village("kruskal"), at="#step=6")
    page.click("#share summary")
    page.click("#copy-frame")
    page.locator("#shared", has_text="code").wait_for()
    code = page.evaluate("navigator.clipboard.readText()")
    assert html.unescape(code).startswith('<iframe src="run.html#step=6&embed"')
    (tmp_path / "outer.html").write_text(code)
    page.goto((tmp_path / "outer.html").as_uri())
    frame = page.frame_locator("iframe")
    assert frame.locator("#reason strong").inner_text() == "Step 6 of 9"


def test_on_a_phone_two_algorithms_and_their_reasons_are_in_view(show):
    page = show(village("prim"), village("kruskal"), at="#step=3", width=390, height=844)
    bar = page.locator("#controls").bounding_box()["y"]
    for figure in page.locator("#drawings figure").all():
        frame = figure.bounding_box()
        assert 0 <= frame["y"] < frame["y"] + frame["height"] <= bar
    strip = page.inner_text("#strip")
    assert "Prim's algorithm: Market joins the tree" in strip
    assert "Kruskal's algorithm: Market - Smithy (3) is accepted" in strip


def test_a_step_of_a_table_without_a_shorter_path_says_what_was_considered(show):
    cells = cells_of(load_graph("examples/village.csv", 0), "pairs")
    paths = side(read_run("floyd_warshall", cells))
    page = show(paths, at="#step=1")
    told = page.inner_text("#reason")
    # over Mill: Bridge to Well and back, and both to themselves
    assert "Mill:Mill is in the middle: of 4 paths through it, none is shorter" in told
    page = show(paths, at="#step=3")
    news = page.locator("#drawings .node.changed title").all_text_contents()
    ends = {"Mill:Smithy", "Bridge:Smithy", "Smithy:Mill", "Smithy:Bridge"}
    assert set(news) == {"Well:Well", *ends}


def test_only_pairs_of_a_letter_of_each_word_are_cells(show):
    run = drawn_run(algorithm("lcs_length"), "grid:16", 3)
    page = show(side(run))
    pairs = ~run.inputs["row_in_second"] & run.inputs["column_in_second"]
    assert 0 < int(pairs.sum()) < run.graph.num_nodes
    assert page.locator("#drawings .node:visible").count() == int(pairs.sum())
