"""Steps on terminals of any width: nothing is cut off, nothing is obeyed, and every code means one
concept.
"""

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
from algolens.execution import Run, run_algorithm
from algolens.graphs import from_networkx, sample, stream, to_networkx
from algolens.terminal.names import MOST_LISTED, listed, quoted, short_names
from algolens.terminal.steps import steps

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
        text = told(run, width)
        assert max(map(cell_len, text.splitlines())) <= width
        assert "…" not in text
        # by its name, which may stand on several lines in the head of a column
        for concept in seen:
            assert all(word in text for word in concept.split("_"))


def test_many_concepts_at_80_columns():
    text = told(ran("coloring", 34, colors=12), 80)
    head = next(line for line in text.splitlines() if line.startswith("node"))
    codes = head.split()[1:-2]
    assert len(set(codes)) == len(codes) >= 3
    assert "True of none, in any step: " in text
    assert "color_12_seen (c12S)" in " ".join(text.split())
    assert all(re.search(rf"^ *{code}  \w+$", text, re.MULTILINE) for code in codes)


word = st.text("abc12", min_size=1, max_size=5)
names_of_concepts = st.lists(word, min_size=1, max_size=4).map("_".join)


@given(st.lists(names_of_concepts, unique=True, max_size=20))
@settings(max_examples=50)
def test_codes_are_distinct(names):
    codes = short_names(names)
    assert list(codes) == names
    assert len(set(codes.values())) == len(names)


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
    assert "--trace" in words
    assert "more" not in told(run, 80, everything=True)
    assert f"and {60 - MOST_LISTED} more nodes." in told(ran("bfs_tree", 60), 80)


def test_a_star_marks_what_changes():
    run = ran("bfs", ["a", "b", "c"])
    assert sum(
        line.rstrip().endswith("*") or " * " in line for line in told(run, 200).splitlines()
    ) == len(run.state("visited").values)
