"""Short forms of statements are the plain ones, and what cannot be said is refused with reasons."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import AlgoLensError, DefinitionError, FormulaError
from algolens.fields import Field, Observed, Pointer, at_node
from algolens.graphs import Graph, Location
from algolens.logic.formula import Formula
from algolens.looks import RELATIONS, Look, Quantified, Sum, language, parse_look, statement_text
from tests.effort import examples
from tests.looks.seeing import as_ids, by_library, by_python, by_sql
from tests.looks.statements import FIELDS, graphs, random_values, relations

COUNTS = {
    "at least": lambda met, k: met >= k,
    "at most": lambda met, k: met <= k,
    "exactly": lambda met, k: met == k,
    "more than": lambda met, k: met > k,
    "fewer than": lambda met, k: met < k,
}
ORDERS = {
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
}
INPUTS = {name: field for name, field in FIELDS.items() if not name.startswith("last ")}


def look_of(**observed: Observed) -> Look:
    return Look(observed, INPUTS, INPUTS, {}, {}, {}, {})


@examples(120)
@given(
    st.sampled_from(list(COUNTS)),
    st.integers(0, 12),
    st.sampled_from(relations()),
    st.integers(0, 15),
)
def test_a_short_form_counts_as_it_says_and_is_written_in_plain_words(form, k, relation, met):
    text = f"{form} {k} {relation.phrase(2)}"
    if k == 0 and form in ("at least", "fewer than"):
        with pytest.raises(FormulaError, match="holds: write 1 or more"):
            parse_look(text)
        return

    def holds_of(atom: Formula) -> bool:
        assert isinstance(atom, Quantified)
        return bool(atom.holds(met))

    formula = parse_look(text)
    plain = statement_text(formula)
    assert parse_look(plain) == formula
    assert statement_text(parse_look(plain)) == plain
    assert language.holds(formula, holds_of) == COUNTS[form](met, k)
    assert parse_look(f"calm & ~{text}") == parse_look(f"calm & ~({plain})")


@examples(60)
@given(graphs(), st.integers(0, 4), st.sampled_from(list(ORDERS)), st.integers(0, 2**32 - 1))
def test_a_constant_is_compared_alike_by_all_forms(graph: Graph, k: int, order: str, seed: int):
    look = look_of(
        high=Observed(Location.NODE, f"height {order} {k}"),
        turned=Observed(Location.NODE, f"{k} {order} height"),
        pair=Observed(Location.NODE, f"(height, {k}) < ({k}, height)"),
        near=Observed(Location.NODE, f"some neighbor (its height {order} {k})"),
        light=Observed(Location.EDGE, f"weight {order} {k}"),
        limited=Observed(Location.GRAPH, f"limit {order} {k}"),
        somebody=Observed(Location.GRAPH, f"some node (its height {order} {k})"),
    )
    values = random_values(graph, np.random.default_rng(seed), INPUTS)
    seen = by_library(look, graph, values, {})
    heights, compare = values["height"].tolist(), ORDERS[order]
    assert seen["high"].tolist() == [compare(height, k) for height in heights]
    assert seen["turned"].tolist() == [compare(k, height) for height in heights]
    assert seen["pair"].tolist() == [(height, k) < (k, height) for height in heights]
    assert seen["light"].tolist() == [compare(weight, k) for weight in values["weight"].tolist()]
    assert seen["limited"].tolist() == [compare(limit, k) for limit in values["limit"].tolist()]
    near = [False] * len(heights)
    for u, v in graph.edges.T.tolist():
        near[u] |= compare(heights[v], k)
        near[v] |= compare(heights[u], k)
    assert seen["near"].tolist() == near
    assert by_sql(look, graph, values, {}) == as_ids(look, graph, seen)
    if graph.num_graphs == 1:
        by_source = by_python(look, graph, values, {})
        assert {name: value.tolist() for name, value in by_source.items()} == {
            name: value.tolist() for name, value in seen.items()
        }
    again = Look.from_json(json.loads(json.dumps(look.to_json())))
    assert again == look


def test_neighbor_is_neighbour_and_a_pointer_may_be_called_so():
    assert parse_look("some neighbor (awake)") == parse_look("some neighbour (awake)")
    assert parse_look("at least 2 neighbors (awake)") == parse_look("at least 2 neighbours (awake)")
    by_pointer = next(each for each in RELATIONS if each.phrase(1).startswith("node whose"))
    fields = {"neighbor": Field(Location.NODE, Pointer(Location.NODE))}
    look = Look({"seen": at_node("some node whose neighbor is me")}, fields, fields, {}, {}, {}, {})
    assert look.statements[0].relation == by_pointer.by("neighbor")


@pytest.mark.parametrize("text", ["exactly & more | fewer", "max & ~count | sum", "most"])
def test_words_of_short_forms_still_name_fields(text: str):
    assert statement_text(parse_look(text)).replace("(", "").replace(")", "") == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "85 * x > y",
            "'*' stands in sums alone: declare what it gives, as in sums={'area': at_node(",
        ),
        ("some neighbour (its height * 2 > my height)", "'*' stands in sums alone"),
        ("x / y > z", "'/' cannot be said, because .* multiply the other side"),
        ("x ** 2 > y", "'*' stands in sums alone"),
        ("abs(x) > y", "'abs' cannot be said, because"),
        ("x - y > 3", "'-' stands in sums alone"),
        ("x > -3", "'-' stands in sums alone"),
        ("x + 1 > y", "'+' stands in sums alone: declare what it gives"),
        ("x > 3.5", "numbers in statements are whole"),
        ("sum(neighbours' height) > 3", "'sum' over others cannot be said, because a sum of any"),
        ("sum of its height > 3", "'sum' over others cannot be said, because a sum of any"),
        ("total neighbours (awake) > 3", "'total' over others cannot be said, because"),
        ("average(height) > 3", "'average' cannot be said, .* a + b > 2 * c for the mean"),
        ("mean neighbour height > 3", "'mean' cannot be said, because"),
        ("product(a, b) > 3", "'product' over others cannot be said, because"),
        ("count(neighbours) >= 3", "'count' is no number here, .* exactly 3 neighbours (...)"),
        ("count neighbours (awake) > 3", "'count' is no number here, because what is counted"),
        ("max(height) = height", "'max' is no number here: say which element has it, as in no"),
        ("min(a, b) > c", "'min' is no number here: .* no neighbour (its height < my height)"),
        ("all neighbours (awake)", "'all' is written every"),
        ("any neighbour (awake)", "'any' is written some"),
        ("x == y", "'==' is written ="),
        ("3 < 4", "numbers are compared with one another: name a field on one side"),
        ("3", "comparison, after '3'"),
        ("3 is red", "comparison, after '3'"),
    ],
)
def test_what_cannot_be_said_is_told_with_what_to_write(text: str, says: str):
    with pytest.raises(FormulaError) as problem:
        parse_look(text)
    told, (first, _, rest) = str(problem.value), says.partition(".* ")
    assert first in told
    assert rest in told
    assert "\n" not in told
    if "cannot be said" in told or "no number here" in told:
        assert told.endswith("see docs/declaring.md.")


@pytest.mark.parametrize("text", ["x / 2", "x * (y - 1)", "x % y", "sum(x)", "max(x, y)"])
def test_a_sum_that_cannot_be_said_is_told_by_its_name(text: str):
    with pytest.raises(FormulaError, match=r"see docs/declaring\.md"):
        Sum.parse(text)
    with pytest.raises(DefinitionError, match=r"sum 'offer': .* see docs/declaring\.md"):
        Look({"seen": at_node("awake")}, INPUTS, INPUTS, {}, {}, {}, {"offer": at_node(text)})


def test_the_name_of_a_constant_is_taken_and_a_start_compares_inputs_alone():
    for part in (0, 1, 6):
        parts: list[Any] = [{"seen": at_node("awake")}, dict(INPUTS), INPUTS, {}, {}, {}, {}]
        named = {0: at_node("awake"), 1: INPUTS["height"], 6: at_node("4")}[part]
        parts[part] = {**parts[part], "constant_3": named}
        with pytest.raises(DefinitionError, match="'constant_3' is what the 3 of a comparison is"):
            Look(*parts)
    state, moves = {"ready": FIELDS["awake"], "grown": FIELDS["height"]}, {"grown": "height"}
    kinds = {"kind": FIELDS["color"]}
    starts: list[tuple[Any, Any, str]] = [
        ({"ready": "height > 3", "grown": 0}, state, "a start compares inputs with one another"),
        ({"ready": "True", "grown": "0"}, state, "'0' is text: write 0, without quotes"),
        ({"kind": "green where awake"}, kinds, "write {'green': 'awake'}"),
    ]
    for start, fields, says in starts:
        with pytest.raises(AlgoLensError, match="start of ") as problem:
            Look(
                {"seen": at_node("awake")},
                {**INPUTS, **fields},
                INPUTS,
                fields,
                start,
                moves if "grown" in fields else {},
                {},
            )
        assert says in str(problem.value)
