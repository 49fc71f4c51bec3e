"""Looks in other forms say what they say: JSON comes back, Python and SQL find what the library
finds.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithms
from algolens.errors import AlgoLensError, DefinitionError, FormulaError
from algolens.fields import (
    Category,
    Field,
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
from algolens.looks import RELATIONS, Look, Move, Sum, parse_look, statement_text
from algolens.looks.exports.json import (
    formula_from_json,
    move_from_json,
    sum_from_json,
)
from tests.effort import examples
from tests.looks.seeing import as_ids, by_library, by_python, by_sql, drawn
from tests.strategies import batches, streams

DECLARED = [cls().declaration for cls in algorithms().values()]
LOOKS: dict[str, Any] = {
    name: cls().declaration.seen
    for name, cls in algorithms().items()
    if cls().declaration.seen is not None
}

# a field of every kind at every location, so that a statement about any of them can be tried
FIELDS = {
    "node": {
        "marked": at_node(Mask()),
        "status": at_node(Category("undecided", "chosen", "out")),
        "height": at_node(Number(8)),
        "root": at_node(Pointer(Location.NODE)),
    },
    "edge": {"heavy": at_edge(Mask()), "weight": at_edge(Number(8))},
    "link": {"open": at_link(Mask())},
    "graph": {"source": at_graph(Pointer(Location.NODE)), "busy": at_graph(Mask())},
}
OF_ITS = {
    Location.NODE: (
        "marked",
        "status is chosen",
        "its height > my_number",
        "root's marked",
        "its root = it",
        "its number < my_number",
    ),
    Location.EDGE: (
        "heavy",
        "its weight <= my_number",
        "one_end's marked",
        "its one_end != its other_end's root",
    ),
    Location.LINK: (
        "open",
        "sender's marked",
        "its edge's weight != my_number",
        "its reverse = it",
        "reverse's open",
        "edge's heavy",
    ),
}
MY_NUMBERS = {
    Location.NODE: "my height",
    Location.EDGE: "my weight",
    Location.LINK: "my edge's weight",
}


def phrase(relation: Any, many: int) -> str:
    return relation.by("root").phrase(many)


def statements(relation: Any) -> list[str]:
    """Every construct over a relation: each quantity, ties, several numbers, meetings, own fields
    inside.
    """
    mine = MY_NUMBERS.get(relation.own)
    bodies = [
        body.replace("my_number", mine or "")
        for body in OF_ITS[relation.others]
        if mine or "my_number" not in body
    ]
    if mine:
        its = (
            mine.replace("my ", "its ")
            if relation.others is relation.own
            else MY_NUMBERS[relation.others].replace("my", "its")
        )
        bodies += [
            f"({its}, its number) < ({mine}, my number)",
            f"({its}, its number) >= ({mine}, my number)",
            f"{its} = {mine}",
        ]
    if relation.own is relation.others is Location.NODE:
        bodies += [
            "its root = my root",
            "it != me & my marked",
            "my root = it",
            "marked & my status is out | ~my marked",
        ]
    if relation.own is Location.GRAPH and relation.others is Location.NODE:
        bodies += ["it = my source", "my busy & graph's busy"]
    one, several = phrase(relation, 1), phrase(relation, 2)
    found = [f"some {one} ({body})" for body in bodies] + [
        f"every {one} ({body})" for body in bodies
    ]
    found += [f"no {one} ({body}) & at least 2 {several} ({body})" for body in bodies]
    return [
        *found,
        f"some {one}",
        f"at least 3 {several} (True)",
        f"every {one} (False) | some {one} (~({bodies[0]}))",
    ]


def look_of(observed: dict[str, Observed]) -> Look:
    fields = {name: field for here in FIELDS.values() for name, field in here.items()}
    return Look(observed, fields, fields, {}, {}, {}, {})


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.phrase(1))
@examples(6)
@given(graph=batches(max_graphs=2, max_nodes=6), directed=st.booleans(), rng=streams())
def test_python_and_sql_find_what_the_library_finds_over_every_relation(
    relation, graph, directed, rng
):
    look = look_of(
        {f"seen_{i}": Observed(relation.own, text) for i, text in enumerate(statements(relation))}
    )
    graph = both_ways(graph, rng) if directed else graph
    inputs, state = drawn(look, graph, rng)
    found = by_library(look, graph, inputs, state)
    assert as_ids(look, graph, found) == by_sql(look, graph, inputs, state)
    for i in range(graph.num_graphs):
        one = graph.take([i])
        alone = {
            name: value[one.index(look.starting[name].location)] for name, value in inputs.items()
        }
        seen = by_python(look, one.graph, alone, {})
        for name, each in look.observed.items():
            assert seen[name].tolist() == found[name][one.index(each.location)].tolist(), each.text


def both_ways(graph: Graph, rng: np.random.Generator) -> Graph:
    """A directed graph on the same nodes; some edges lead both ways."""
    ends = graph.edges.T.numpy()
    kept = [ends[rng.random(len(ends)) < 0.7], ends[rng.random(len(ends)) < 0.7][:, ::-1]]
    return Graph.pack(graph.node_counts, np.concatenate(kept), directed=True)


@pytest.mark.parametrize("name", LOOKS)
@examples(6)
@given(graph=batches(max_graphs=2, max_nodes=6), directed=st.booleans(), rng=streams())
def test_python_and_sql_carry_out_every_look_in_any_state(name, graph, directed, rng):
    look = LOOKS[name]
    graph = both_ways(graph, rng) if directed else graph
    inputs, state = drawn(look, graph, rng)
    found = by_library(look, graph, inputs, state)
    assert as_ids(look, graph, found) == by_sql(look, graph, inputs, state)
    one = graph.take([0])
    inputs = {
        each: value[one.index(look.starting[each].location)] for each, value in inputs.items()
    }
    state = {each: value[one.index(look.state[each].location)] for each, value in state.items()}
    found, seen = (
        by_library(look, one.graph, inputs, state),
        by_python(look, one.graph, inputs, state),
    )
    assert {each: value.tolist() for each, value in seen.items()} == {
        each: value.tolist() for each, value in found.items()
    }


# ---- JSON


TERMS = st.sampled_from(["height", "number", "root's height", "root's root's number"])


@st.composite
def said(draw: st.DrawFn, inside: bool = False, depth: int = 2) -> str:
    """Any statement about nodes, as a person would type it."""
    kind = draw(st.integers(0, 7 if depth else 3))
    if kind == 0:
        return draw(
            st.sampled_from(
                ["marked", "root's marked", "True", "False", *(["my marked"] if inside else [])]
            )
        )
    if kind == 1:
        return draw(
            st.sampled_from(["status is out", "status is not chosen", "root's status is undecided"])
        )
    if kind in (2, 3):
        order = draw(st.sampled_from(["<", ">", "=", "!=", "<=", ">="]))
        its, my = ("its ", "my ") if inside else ("", "")
        one, two = draw(TERMS), draw(TERMS)
        if draw(st.booleans()):
            return f"{its}{one} {order} {my}{two}"
        return f"({its}{one}, {its}{two}) {order} ({my}{two}, {my}{one})"
    if kind == 4:
        return f"~({draw(said(inside, depth - 1))})"
    if kind in (5, 6) or inside:
        return (
            f"({draw(said(inside, depth - 1))}) {draw(st.sampled_from('&|'))} "
            f"({draw(said(inside, depth - 1))})"
        )
    how = draw(
        st.sampled_from(
            ["some neighbour", "every neighbour", "no neighbour", "at least 3 neighbours"]
        )
    )
    return f"{how} ({draw(said(True, depth - 1))})"


@given(said())
def test_statements_come_back_from_json_and_from_text(text):
    formula = parse_look(text)
    assert formula_from_json(json.loads(json.dumps(formula.to_json()))) == formula
    assert parse_look(statement_text(formula)) == formula == parse_look(str(formula))


@pytest.mark.parametrize("name", LOOKS)
def test_looks_come_back_from_json(name):
    look = LOOKS[name]
    again = Look.from_json(json.loads(json.dumps(look.to_json())))
    assert again == look
    assert again.statements == look.statements
    assert [(m.name, m.move) for m in again.movers] == [(m.name, m.move) for m in look.movers]
    changed = replace(look, observed={**look.observed, "is_added": at_node("True")})
    assert changed != look


@pytest.mark.parametrize(
    "text",
    [
        "me",
        "root's root where marked",
        "the other node (marked & status is out)",
        "the incoming link's sender (open) where ~marked",
    ],
)
def test_moves_come_back_from_json(text):
    assert move_from_json(json.loads(json.dumps(Move.parse(text).to_json()))) == Move.parse(text)
    assert Move.parse(str(Move.parse(text))) == Move.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "-4",
        "height + 3",
        "sender's height - edge's weight",
        "-2 * sender's height * edge's weight - 7",
    ],
)
def test_sums_come_back_from_json(text):
    assert sum_from_json(json.loads(json.dumps(Sum.parse(text).to_json()))) == Sum.parse(text)
    assert Sum.parse(str(Sum.parse(text))) == Sum.parse(text)


@pytest.mark.parametrize(
    "field", [each for here in FIELDS.values() for each in here.values()], ids=str
)
def test_fields_come_back_from_json(field):
    assert Field.from_json(json.loads(json.dumps(field.to_json()))) == field


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (7, "7 is no statement of a look"),
        ("marked", "'marked' is no statement"),
        (["and", True], "is no statement"),
        (["is", ["my"], None], "is no statement"),
        (["is", ["your", "marked"], None], "is no term"),
        (["is", ["my", "two words"], None], "should stand where 'words' is"),
        (["is", ["my", "status"], "a class"], "'a class' is no class"),
        (["<", [["my", "height"]], []], "is no statement"),
        (
            ["<", [["my", "height"]], [["my", "height"], ["my", "weight"]]],
            "1 values are compared with 2",
        ),
        (
            ["some", "uncle", True],
            "look 'uncle', character 1: no relation is called so; there are: adjacent edge",
        ),
        (["at least", 0, "neighbours", True], "is no statement"),
        (["some", "neighbour", ["some", "neighbour", True]], "inside another quantifier"),
    ],
)
def test_wrong_json_is_refused_in_one_line(value, complaint):
    with pytest.raises(FormulaError, match=re.escape(complaint)) as caught:
        formula_from_json(value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spoil", [{}, None, [], {"observed": 3}])
def test_what_is_no_look_is_refused_in_one_line(spoil):
    whole = LOOKS["bfs_tree"].to_json()
    for value in (
        spoil,
        *({key: value for key, value in whole.items() if key != left} for left in whole),
    ):
        with pytest.raises(AlgoLensError) as caught:
            Look.from_json(value)
        assert "\n" not in str(caught.value)


def test_a_relation_by_what_is_no_pointer_is_refused():
    with pytest.raises(DefinitionError, match="a node has no boss"):
        look_of({"seen": at_node("some node whose boss is me")})
    with pytest.raises(DefinitionError, match="height is no pointer to nodes"):
        look_of({"seen": at_node("some node whose height is me")})


def test_an_edge_that_shares_both_ends_is_one_adjacent_edge():
    graph = Graph.pack([3], [(0, 1), (1, 0), (1, 2)], directed=True)
    look = look_of(
        {
            "two": at_edge("at least 2 adjacent edges (True)"),
            "three": at_edge("at least 3 adjacent edges (True)"),
        }
    )
    inputs, _ = drawn(look, graph, np.random.default_rng(0))
    found = look.on(graph)(inputs, {})
    assert found["two"].tolist() == [True, True, True]
    assert not bool(torch.any(found["three"]))
