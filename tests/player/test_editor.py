"""A graph changed in the page: the program runs on it as it does in Python."""

from __future__ import annotations

import pytest

import algolens as al
from algolens.graphs import load_graph
from algolens.graphs.cells import cells_of
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, read_run, side

ON_OWN = """
function answer({ page, edges, nodes, source = "Mill" }) {
  try {
    if (fixedBecause([page]) !== null) return { refused: fixedBecause([page]) };
    const before = OwnGraph.ofPages([page]);
    const own = OwnGraph.read(edges, nodes, [page], before);
    const pointers = ["source", "p1", "p2", "p3", "p4"].map((name) => [name, source]);
    return { page: pageOn(page, own, Object.fromEntries(pointers)), edges: own.edgesCsv };
  } catch (problem) {
    if (!(problem instanceof Refused || problem instanceof RangeError)) throw problem;
    return { refused: problem.message };
  }
}
"""
ROADS = "source,target,weight\nMill,Well,5\nMill,Hill,2\nHill,Well,7\nHill,Inn,3\n"


def village(name: str, **given: str):
    return read_run(name, load_graph("examples/village.csv", 0), **given)


@needs_node
@pytest.mark.parametrize(
    ("name", "edges", "nodes", "told"),
    [
        ("dijkstra", "source,target\na,b\n", "", "needs a column 'weight'"),
        ("dijkstra", "source,target,weight\na,b,heavy\n", "", "'weight' of edge a - b is 'heavy'"),
        ("dijkstra", "source,target,weight\na,b,-1\n", "", "give a whole number from 0"),
        ("coloring", "source,target\na,a\n", "", "Node 'a' has a self-loop"),
        (
            "dijkstra",
            "source,target,weight\na,b,1\nb,a,2\n",
            "",
            "The edge a - b stands twice",
        ),
        ("bfs", "source,target,source\na,b,c\n", "", "names the column 'source' twice"),
        ("bfs", "from,to\na,b\n", "", "the first line has no column 'source'"),
        ("bfs", "source,target\na\n", "", "line 2: it has 1 cells, and the header 2"),
        ("bfs", "", "", "The graph has no node"),
        ("bfs", "source,target\na,b\n", "node\nc\nc\n", "'c' stands twice"),
        ("bfs", 'source,target\n"a",b\n', "", "a name in quotes"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_line(name, edges, nodes, told):
    given = {"source": "Mill"} if name in ("bfs", "dijkstra") else {}
    asked = {"page": data_of(village(name, **given)), "edges": edges, "nodes": nodes}
    (found,) = in_node(ON_OWN, [asked])
    assert told in found["refused"]
    assert "\n" not in found["refused"]


@needs_node
def test_too_few_colors_are_refused():
    names = "abcdefg"
    pairs = [(u, v) for i, u in enumerate(names) for v in names[:i]]
    edges = "source,target\n" + "\n".join(f"{u},{v}" for u, v in pairs)
    asked = {"page": data_of(village("coloring")), "edges": edges, "nodes": ""}
    (found,) = in_node(ON_OWN, [asked])
    assert "would need more than 5 colors" in found["refused"]


def opened(show, name: str, **given: str):
    page = show(side(village(name, **given)), at="#step=1")
    page.click("#editing summary")
    return page


def test_nodes_and_edges_are_drawn_and_removed(show):
    page = opened(show, "bfs", source="Mill")
    page.click('[data-tool="node"]')
    frame = page.locator("#drawings svg").bounding_box()
    page.mouse.click(frame["x"] + frame["width"] - 60, frame["y"] + frame["height"] - 60)
    assert page.locator("#drawings .node").count() == 10
    page.click('[data-tool="edge"]')
    nodes = page.locator("#drawings .node .body")
    nodes.nth(8).click()
    nodes.nth(9).click()
    assert "Island,A" in page.input_value("#own-edges")
    nodes.nth(9).click()
    nodes.nth(9).click()
    assert "self-loop" in page.inner_text("#own-said")
    page.click('[data-tool="remove"]')
    nodes.nth(8).click()
    assert page.locator("#drawings .node").count() == 9
    assert "Island" not in page.input_value("#own-edges")
    page.click("#own-back")
    assert page.locator("#drawings .node").count() == 9
    assert "Island" in page.input_value("#own-edges")


def test_a_weight_is_edited_and_the_program_runs_again(show):
    page = opened(show, "kruskal")
    page.keyboard.press("End")
    assert "weight 32 in all" in page.inner_text("#answer")
    page.locator("#tables button", has_text="Mill - Well").click()
    page.fill("#own-value-weight", "1")
    page.locator("#own-value-weight").blur()
    assert "weight 29 in all" in page.inner_text("#answer")
    page.fill("#own-value-weight", "heavy")
    page.locator("#own-value-weight").blur()
    assert "is 'heavy': give a whole number" in page.inner_text("#own-said")
    assert "weight 29 in all" in page.inner_text("#answer")


def test_a_graph_is_drawn_from_nothing_and_kept_in_the_link(show):
    page = opened(show, "dijkstra", source="Mill")
    page.click("#own-empty")
    page.evaluate("window.scrollTo(0, 0)")
    frame = page.locator("#drawings svg").bounding_box()
    page.mouse.click(frame["x"] + 100, frame["y"] + 60)
    page.mouse.click(frame["x"] + 100, frame["y"] + 260)
    assert page.locator("#drawings .node").count() == 3
    page.click('[data-tool="edge"]')
    for one, other in ((0, 1), (1, 2)):
        page.locator("#drawings .node .body").nth(one).click()
        page.locator("#drawings .node .body").nth(other).click()
    page.keyboard.press("End")
    assert page.input_value("#own-edges") == "source,target,weight\nA,B,1\nB,C,1"
    page.click("#share summary")
    page.click("#copy-link")
    page.locator("#shared", has_text="link").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    assert page.locator("#drawings .node").count() == 3
    assert page.inner_text("#reason strong").startswith("Step 3 of 3")


def test_csv_is_pasted(show):
    page = opened(show, "dijkstra", source="Mill")
    page.fill("#own-edges", ROADS)
    page.fill("#own-nodes", "")
    page.click("#own-run")
    page.keyboard.press("End")
    assert page.locator("#drawings .node").count() == 4
    assert "Well 5" in page.inner_text("#answer")
    page.fill("#own-edges", "source,target,weight\nMill,Well\n")
    page.click("#own-run")
    assert "line 2" in page.inner_text("#own-said")
    assert page.locator("#drawings .node").count() == 4


def test_edges_of_another_graph_replace_the_nodes_of_before(show):
    page = opened(show, "dijkstra", source="Mill")
    page.fill("#own-edges", "source,target,weight\na,b,3\nb,c,1\n")
    page.click("#own-run")
    assert page.locator("#drawings .node title").all_text_contents() == ["a", "b", "c"]
    assert "those of before are left out" in page.inner_text("#own-said")
    page.fill("#own-edges", "source,target,weight\na,b,3\n")
    page.click("#own-run")
    assert page.locator("#drawings .node").count() == 3  # c is listed, and stays


def test_on_a_phone_a_tool_brings_the_drawing_and_says_what_to_do(show):
    page = show(side(village("dijkstra", source="Mill")), width=390, height=844)
    page.click("#editing summary")
    page.click('[data-tool="node"]')
    frame = page.locator("#drawings").bounding_box()
    assert frame["y"] > -1  # of a pixel, a part is scrolled
    assert frame["y"] + frame["height"] <= page.locator("#controls").bounding_box()["y"]
    assert page.inner_text("#strip") == "Click where a node is to be."


def test_a_table_says_that_it_cannot_be_changed_in_the_page(show):
    cells = cells_of(load_graph("examples/village.csv", 0), "pairs")
    page = show(side(read_run("floyd_warshall", cells)))
    assert page.locator("#own").is_hidden()
    assert "cannot be changed in the page" in page.inner_text("#fixed")


def test_numbers_are_no_graph(show):
    """What an algorithm without a graph is given goes by its own name, and is edited as such."""
    run = al.execute("quicksort", "5 2 9").run
    page = show(side(run))
    assert page.inner_text("#editing summary") == "Change the numbers"
    page.click("#editing summary")
    assert page.locator(".tool:visible").all_inner_texts() == ["Choose and move", "Remove"]
    assert page.locator("#own-edges").is_hidden()
    page.fill("#own-nodes", "node,key\na,4\nb,1\nc,3\n")
    page.click("#own-run")
    page.keyboard.press("End")
    assert "Sorted: 1 3 4" in " ".join(page.inner_text("#answer").split())
    assert page.inner_text("#title") == "Quicksort: your numbers"
