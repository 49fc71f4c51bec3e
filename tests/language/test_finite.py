"""The finite form: own classes and neighbour classes say all that makes a difference."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from algolens import reference
from algolens.errors import DefinitionError
from algolens.language.finite import (
    Compared,
    Feature,
    Statement,
    closure,
    columns,
    has_value,
    holds,
    operations,
    stated,
    statements,
)
from algolens.language.ir import GOES_ON, At, Const, Expr, Get, Let, Or, Program
from algolens.language.parse import Parser, parse
from tests.effort import examples, in_proportion
from tests.language.statements import AT, COLUMNS, FIELDS, Drawing, draw_world, read, truth


def value(feature: Feature, world: reference.World, me: int, it: int | None) -> int:
    """A feature's value, plainly."""

    def of(term: Expr) -> int:
        return world.value(json.decode(json.encode(term)), me, it)

    left, right = ([*map(of, side)] for side in (*feature.sides, ())[:2])
    if isinstance(feature, Compared):
        return 1 + (left > right) - (left < right)
    return int(left[0]) if not right else int(left == right)


def combined(
    features: tuple[Feature, ...], world: reference.World, me: int, it: int | None = None
) -> int:
    """A combination of values as one number, the first counting most."""
    found = 0
    for feature in features:
        found = found * feature.size + value(feature, world, me, it)
    return found


def configurations(
    statement: Statement, world: reference.World
) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """[M] own classes, [M, neighbour classes] how many are in view, and who, plainly."""
    count = world.graph.count(statement.at)
    own = np.array([combined(statement.own, world, me) for me in range(count)], np.int64)
    counts = np.zeros((count, statement.num_neighbours), np.int64)
    seen = []
    for me in range(count):
        view = statement.view
        others = [] if view is None else world.in_view(view.words, me)[1]
        seen.append([combined(statement.others, world, me, it) for it in others])
        for neighbour in seen[-1]:
            counts[me, neighbour] += 1
    return own, counts, seen


@pytest.mark.parametrize("seed", range(in_proportion(300)))
def test_truth_follows_from_own_class_and_neighbour_classes_in_view(seed: int) -> None:
    rng = random.Random(seed)
    at = rng.choice(AT)
    statement, world = read(Drawing(rng, at).statement(), at), draw_world(rng)
    own, counts, seen = configurations(statement, world)
    expected = truth(world, statement)
    for most in (10, statement.most):  # beyond what is counted, more make no difference
        assert statement.truth(own, counts.clip(max=most)).tolist() == expected, str(statement)
    for me, neighbours in enumerate(seen):
        assert all(statement.possible[neighbour] for neighbour in neighbours)
        if statement.exactly is not None:
            assert len(neighbours) == statement.exactly
        closed = statement.closure(int(own[me]), possible=statement.possible)
        case, places = 0, np.flatnonzero(statement.possible)
        for neighbour in neighbours:
            case = int(closed.after[case, np.searchsorted(places, neighbour)])
        assert case in closed.cases(statement.exactly)
        said = statement.truth_in_cases(int(own[me]), closed.received[[case]])
        assert said.tolist() == [expected[me]]


@pytest.mark.parametrize("seed", range(in_proportion(150)))
def test_equivalent_is_equal_in_every_case(seed: int) -> None:
    rng = random.Random(seed)
    at = rng.choice(AT)
    drawing = Drawing(rng, at)
    one = drawing.statement()
    other = Drawing(rng, at, drawing.relation.phrase(1)).statement()
    first, second = read(one, at), read(other, at)
    assert first.equivalent(read(f"~(~({one}))", at))
    assert first.equivalent(read(f"({one}) & (({other}) | ({one}))", at))
    assert not first.equivalent(read(f"~({one})", at))
    are_equal = first.equivalent(second)
    assert are_equal is second.equivalent(first)
    for _ in range(20):
        world = draw_world(rng)
        if truth(world, first) != truth(world, second):
            assert not are_equal, (one, other)


@pytest.mark.parametrize("seed", range(in_proportion(150)))
def test_a_feature_with_values_is_a_statement(seed: int) -> None:
    rng = random.Random(seed)
    at = rng.choice(AT)
    statement, world = read(Drawing(rng, at).statement(), at), draw_world(rng)
    own = configurations(statement, world)[0]
    for place, feature in enumerate(statement.own):
        values = [number for number in range(feature.size) if rng.random() < 0.5]
        sizes = [each.size for each in statement.own]
        expected = [np.unravel_index(each, sizes)[place] in values for each in own]
        said = Statement(Let("has", at, has_value(feature, values)), COLUMNS)
        assert truth(world, said) == expected


def test_both_ways_to_write_a_comparison_are_one_feature() -> None:
    one, other = (
        read(f"some neighbour ({text})", "node") for text in ("my age < its age", "age > my age")
    )
    assert one.others == other.others
    assert one.equivalent(other)
    assert read("no other node (height = my height)", "node").equivalent(read("True", "node"))
    assert not read("no other node (age = my age)", "node").equivalent(read("True", "node"))


def test_words_say_what_classes_are() -> None:
    statement = read("~awake | some neighbour (color is red & its age < my age)", "node")
    assert statement.own_words(0) == "not awake"
    assert statement.neighbour_words(2) == "color red, (its age) higher than (my age)"
    assert read("True", "node").own_words(0) == "anything"
    assert read("some neighbour", "node").neighbour_words(0) == "anyone"


def test_numbers_of_mixed_signs_have_room_for_both() -> None:
    (feature,) = read("age < depth", "node").own
    assert isinstance(feature, Compared)
    assert feature.numbers[0].bounds == (-4, 3)
    (feature,) = read("age < 2", "node").own
    assert isinstance(feature, Compared)
    assert feature.bits == 62


def test_refuses_what_has_no_finite_form() -> None:
    with pytest.raises(DefinitionError, match="at 'incoming link' and at 'neighbour'"):
        read("some neighbour (awake) & no incoming link (used)", "node")
    with pytest.raises(DefinitionError, match="speaks of one element"):
        read("some neighbour (its age + my age > 3)", "node")


def test_statements_of_a_program_are_its_masks_in_order() -> None:
    fields = {**FIELDS}
    lets = []
    texts: list[tuple[str, At, str]] = [
        ("total", "node", "age + 1"),
        ("high", "node", "total > 2"),
        (GOES_ON, "graph", "some node (high)"),
    ]
    for name, at, text in texts:
        part = Parser.value if name == "total" else Parser.statement
        lets.append(Let(name, at, parse(part, text, at, fields)))
        fields[name] = columns(Program("", FIELDS, {}, (), tuple(lets), ()))[at, name]
    found = statements(Program("", FIELDS, {}, (), tuple(lets), ()))
    assert [*found] == ["high", GOES_ON]
    assert fields["total"].bounds == (-(2**61), 2**61 - 1)
    assert str(found["high"]) == "high: total > 2"


@st.composite
def _sent(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    classes, size = draw(st.integers(0, 4)), draw(st.integers(0, 3))
    row = st.lists(st.integers(0, 2), min_size=size, max_size=size)
    rows = draw(st.lists(row, min_size=classes, max_size=classes))
    stops = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    return np.array(rows, np.int64).reshape(classes, size), np.array(stops, np.int64)


@examples(60)
@given(_sent())
def test_all_sums_are_met_once_and_come_about_as_said(sent: tuple[np.ndarray, np.ndarray]) -> None:
    sends, most = sent
    closed = closure(sends, most)
    # nothing changes after as many of each class as the largest stop
    most_often = int(most.max(initial=0))
    counts = itertools.product(range(most_often + 1), repeat=len(sends))
    sums = {tuple(np.minimum(np.array(count) @ sends, most)) for count in counts}
    rows = [tuple(row) for row in closed.received]
    assert sorted(sums or {()}) == sorted(rows)
    for case, row in enumerate(closed.received):
        there = sends[closed.neighbours_of(case)].sum(0)
        assert np.array_equal(np.minimum(there, most), row)
        for neighbour, added in enumerate(sends):
            assert np.array_equal(
                closed.received[closed.after[case, neighbour]], np.minimum(row + added, most)
            )


@given(st.lists(st.integers(1, 4), max_size=4), st.randoms(use_true_random=False))
def test_a_table_is_what_its_statement_says(sizes: list[int], rng: random.Random) -> None:
    share = rng.random()
    cells = [rng.random() < share for _ in range(int(np.prod(sizes)))]
    table = np.array(cells).reshape(sizes)
    said = stated(
        table,
        lambda variable, values: Or(tuple(Get(f"{variable} {value}", "node") for value in values)),
    )
    for places, answer in np.ndenumerate(table):
        true = {f"{variable} {value}" for variable, value in enumerate(places)}
        assert holds(said, lambda atom, true=true: atom.column in true) == answer
    assert said == Const(bool(table)) if not sizes else operations(said) <= 20 * table.size
