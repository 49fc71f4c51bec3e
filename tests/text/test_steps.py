"""Steps on terminals of any width: nothing is cut off, and nothing is obeyed."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from algolens.algorithms import algorithm, algorithms
from algolens.cli.output import PlainConsole
from algolens.engines import Run, run_algorithm
from algolens.graphs import from_networkx, sample, stream, to_networkx
from algolens.text.names import MOST_LISTED, listed, quoted
from algolens.text.steps import steps

WIDTHS = (60, 80, 200)


def told(run: Run, width: int, *, everything: bool = False) -> str:
    console = PlainConsole()
    console.file, console.width = io.StringIO(), width
    for part in steps(run, everything=everything):
        console.print(part)
    return console.file.getvalue()


def ran(name: str, nodes: Sequence[str] | int, **options: int) -> Run:
    """A run on a random tree, with what an algorithm reads drawn."""
    count = nodes if isinstance(nodes, int) else len(nodes)
    chosen, rng = algorithm(name, **options), stream(0, name)
    graph = to_networkx(sample("tree", count, 1, rng))
    if not isinstance(nodes, int):
        graph = nx.relabel_nodes(graph, dict(enumerate(nodes)))
    if chosen.graphs == "directed":
        graph = nx.DiGraph(list(graph.edges))
    found = from_networkx(graph)
    roomy = chosen.with_room_for(found)
    return run_algorithm(roomy, found, roomy.read(found, rng, draw_all=True)[0])


@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_fits_every_width(name):
    run = ran(name, 4)
    seen = [
        name
        for i, name in enumerate(run.algorithm.declaration.concepts)
        if run.patterns()[:, :, i].any()
    ]
    for width in WIDTHS:
        for text in (told(run, width), everything := told(run, width, everything=True)):
            assert max(map(cell_len, text.splitlines())) <= width
            assert "…" not in text
        # by its name, which may stand on several lines in the head of a column
        for concept in seen:
            assert all(word in everything for word in concept.split("_"))


def test_what_a_step_examines_and_leaves_is_told_and_nothing_else():
    roads = nx.Graph()
    roads.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("a", "c", 3)])
    chosen = algorithm("kruskal")
    graph = from_networkx(roads)
    run = run_algorithm(chosen, graph, chosen.read(graph, stream(0, "kruskal"))[0])
    assert told(run, 80).split("\n\n")[2].splitlines() == [
        "step 3",
        "  a - c (3) is rejected: both ends are already connected",
    ]
    assert "step 3" in told(run, 80, everything=True)


any_name = st.text(min_size=1, max_size=12).filter(
    lambda name: name.strip() == name
) | st.sampled_from(
    [
        "[bold]x[/bold]",
        "\x1b[31mred",
        "a\nb",
        "x\u202ey",
        "\x9b2J",
        "none",
        "-",
        "a, b",
        "a - b",
        ":smile:",
        "a\tb",
        "e\u0301",
    ]
)


@given(
    st.lists(any_name, unique=True, min_size=3, max_size=4),
    st.sampled_from(["bfs_tree", "kruskal", "coloring", "components"]),
)
@settings(max_examples=10, deadline=None)
def test_names_are_shown_and_never_obeyed(names, name):
    run = ran(name, names)
    narrow, wide = told(run, 60), told(run, 5_000)
    for text in (narrow, wide):
        assert not re.search(
            "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text
        )
    assert max(map(cell_len, narrow.split("\n"))) <= 60
    assert all(quoted(node) in wide for node in names)


@given(st.lists(st.text(max_size=8), unique=True, max_size=6))
@settings(max_examples=100)
def test_a_list_of_names_can_be_read_back(names):
    text = listed([quoted(name) for name in names])
    assume(names)
    read = re.findall(r'(?:"((?:[^"\\]|\\.)*)"|([^,"]+))(?:, |$)', text)
    assert names == [
        plain or escaped.encode("latin-1", "backslashreplace").decode("unicode_escape")
        for escaped, plain in read
    ]


def test_long_lists_are_cut_and_counted():
    run = ran("bfs", 60)
    words = " ".join(told(run, 80).split())
    assert f"and {60 - MOST_LISTED} more" in words
    assert "more" not in told(run, 80, everything=True)
    assert f"and {60 - MOST_LISTED} more nodes." in told(ran("bfs_tree", 60), 80)


def test_a_star_marks_what_changes():
    run = ran("bfs", ["a", "b", "c"])
    lines = told(run, 200, everything=True).splitlines()
    assert sum(line.rstrip().endswith("*") or " * " in line for line in lines) == len(
        run.state("visited").values
    )
