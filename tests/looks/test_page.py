"""The page on the language says nothing that the language does not understand, and leaves nothing
of it out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algolens.algorithms import Algorithm
from algolens.execution import run_algorithm
from algolens.fields import (
    Category,
    Mask,
    Number,
    Observed,
    Pointer,
    at_edge,
    at_graph,
    at_link,
    at_node,
)
from algolens.graphs import Graph, Location
from algolens.looks import RELATIONS, Look, Move, Order, Sum, parse_look, statement_text
from algolens.looks.scope import STEPS
from tests.looks.seeing import by_library, by_python, drawn

PAGE = (Path(__file__).parents[2] / "docs" / "looks.md").read_text()
FIELDS = {
    "marked": at_node(Mask()),
    "status": at_node(Category("undecided", "chosen", "out")),
    "height": at_node(Number(8)),
    "best": at_node(Number(8)),
    "root": at_node(Pointer(Location.NODE)),
    "heavy": at_edge(Mask()),
    "weight": at_edge(Number(8)),
    "open": at_link(Mask()),
    "busy": at_graph(Mask()),
    "source": at_graph(Pointer(Location.NODE)),
}
GRAPH = Graph.pack([5], [(0, 1), (1, 2), (2, 3), (0, 3), (2, 4)])


def lines(kind: str) -> list[str]:
    blocks = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return [
        line.split("#")[0].strip()
        for block in blocks
        for line in block.splitlines()
        if line.split("#")[0].strip()
    ]


def look(observed: dict[str, Observed] | None = None, **parts: dict[str, Any]) -> Look:
    state = parts.pop("state", {})
    return Look(
        observed or {"seen": at_node("marked")},
        FIELDS,
        FIELDS,
        state,
        parts.get("start", {}),
        parts.get("moves", {}),
        parts.get("sums", {}),
    )


STATEMENTS = [(Location(line.split()[0]), line.split(None, 1)[1]) for line in lines("look")]


def declared(part: str) -> dict[str, Any]:
    """What the page's block of Python that begins with it gives the part."""
    (block,) = re.findall(rf"```python\n((?:from [^\n]*\n\n)?{part} = .*?)```", PAGE, re.DOTALL)
    known: dict[str, Any] = {}
    exec(block, known)
    return known[part]


SUMS: dict[str, Observed] = declared("sums")
STARTS = [*declared("start").items(), ("status", "undecided")]
MOVES = [(name, move) for name, moves in declared("moves").items() for move in moves]
SHORT_FORMS = re.findall(r"^\| `(\w+ .*?\d .*?)` \| `(.*?)` \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize(("short", "plain"), SHORT_FORMS)
def test_every_short_form_is_what_the_page_says(short, plain):
    assert statement_text(parse_look(short)) == plain


@pytest.mark.parametrize(("location", "text"), STATEMENTS)
def test_every_statement_is_understood(location, text):
    made = look({"seen": Observed(location, text)})
    inputs, _ = drawn(made, GRAPH, np.random.default_rng(0))
    found = by_library(made, GRAPH, inputs, {})["seen"]
    assert found.tolist() == by_python(made, GRAPH, inputs, {})["seen"].tolist()
    formula = parse_look(text)
    assert parse_look(statement_text(formula)) == formula


@pytest.mark.parametrize(("name", "start"), STARTS)
def test_every_start_is_understood(name, start):
    assert '`"status": "undecided"`' in PAGE
    made = look(
        state={name: FIELDS[name]},
        start={name: start},
        moves={name: "me"} if name == "root" else {},
    )
    inputs, _ = drawn(made, GRAPH, np.random.default_rng(0))
    assert len(made.first_state(GRAPH, inputs)[name]) == GRAPH.count(FIELDS[name].location)


@pytest.mark.parametrize(("name", "said"), MOVES)
def test_every_move_is_understood(name, said):
    made = look(
        state={name: FIELDS[name]},
        start={name: "me" if name == "root" else 0},
        moves={name: said},
        sums=SUMS,
    )
    inputs, state = drawn(made, GRAPH, np.random.default_rng(0))
    assert (
        by_library(made, GRAPH, inputs, state)[name].tolist()
        == by_python(made, GRAPH, inputs, state)[name].tolist()
    )
    assert Move.parse(str(Move.parse(said))) == Move.parse(said)


def test_every_sum_is_understood():
    assert len(SUMS) > 1
    assert len(SHORT_FORMS) > 4
    assert all(str(Sum.parse(each.text)) == each.text for each in look(sums=SUMS).sums.values())


def test_nothing_of_the_language_is_left_out():
    said = " ".join(text for _, text in STATEMENTS)
    for kind in RELATIONS:
        words = [
            phrase
            for phrase in (kind.by("root").phrase(1), kind.by("root").phrase(2))
            if re.search(rf"\b{phrase}\b", said)
        ]
        assert words, kind.phrase(1)
        assert kind.phrase(1) in PAGE
    for _, step in STEPS:
        assert re.search(rf"\b{step}\b", said), step
    for order in Order:
        assert f" {order.value} " in said or f"`{order.value}`" in PAGE, order
    for word in ("some", "every", "no", "at least", "is not", "my", "its", "me", "it", "number"):
        assert re.search(rf"\b{word}\b", said), word


def test_the_python_of_the_page_runs():
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        known: dict[str, Any] = {"__name__": "page"}
        exec(block, known)
        for value in list(known.values()):
            if isinstance(value, type) and issubclass(value, Algorithm) and value is not Algorithm:
                assert run_algorithm(value(), GRAPH, {}).final("left").tolist() == [
                    True,
                    True,
                    True,
                    True,
                    False,
                ]
