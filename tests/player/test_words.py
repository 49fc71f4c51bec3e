"""What the page says of an element is true, and names who makes it so."""

from __future__ import annotations

from algolens.algorithms import algorithm, algorithms
from algolens.graphs import load_graph
from algolens.looks.parsing import parse_look
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, drawn_run, read_run

SCRIPTS = ["program.js", "timeline.js", "words.js", "state.js"]
WHY = """
function answer({ page, concept, node, step }) {
  const side = Side.read(page, page.sides[0]);
  const words = new Words(page);
  const { formula, at } = side.machine.look.observed.find((each) => each.name === concept);
  return words.reasons(formula, side.scene(step), at, page.graph.nodes.indexOf(node), side.machine);
}
"""
TEXTS = """
function answer(page) {
  return page.algorithm.look.observed.map((each) => writeFormula(each.formula));
}
"""


@needs_node
def test_a_reason_names_the_neighbours_that_decide():
    run = read_run("bfs_tree", load_graph("examples/village.csv", 0), source="Mill")
    asked = [{"page": data_of(run), "concept": "is_reached", "node": "Well", "step": 0}]
    ((found,),) = in_node(SCRIPTS, WHY, asked)
    assert found["statement"] == "some incoming link (is_chosen)"
    assert found["evidence"] == [
        (
            "Mill -> Well (is_chosen: offers, no rival (offers & its sender's number < my sender's "
            "number))"
        )
    ]


@needs_node
def test_a_reason_shows_the_numbers_that_were_compared_as_the_user_wrote_them(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text("source,target,weight\nMill,Well,0.5\nMill,Hill,0.25\n")
    run = read_run("dijkstra", load_graph(str(path), 0), source="Mill")
    asked = [{"page": data_of(run), "concept": "is_next", "node": "Hill", "step": 1}]
    (found,) = in_node(SCRIPTS, WHY, asked)
    assert found[1]["statement"].startswith("no other node")
    assert "Well ((distance, number) (0.5, 1) ≥ (0.25, 2))" in found[1]["evidence"]


@needs_node
def test_statements_are_written_as_looks_write_them():
    chosen = [
        algorithm(name) for name in algorithms() if algorithm(name).declaration.seen is not None
    ]
    pages = [data_of(drawn_run(each, "tree:4", 0)) for each in chosen]
    for each, texts in zip(chosen, in_node(SCRIPTS, TEXTS, pages), strict=True):
        look = each.declaration.seen
        assert look is not None
        for statement, text in zip(look.statements, texts, strict=True):
            # as text: the path to a constant depends on where a statement sits
            assert str(parse_look(text)) == str(statement.formula)
