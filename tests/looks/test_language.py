"""Looks as text: what is written reads back, and what is wrong is pointed at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Category, Field
from algolens.graphs import Location
from algolens.logic.formula import And, Formula, Or
from algolens.looks import (
    RELATIONS,
    Move,
    Quantified,
    Quantity,
    Relation,
    Scope,
    Statement,
    Sum,
    Whose,
    language,
    parse_look,
    statement_text,
)
from tests.effort import examples
from tests.looks.statements import FIELDS, atoms, locations, looks, relations, statements


@examples(80)
@given(st.data(), locations)
def test_what_is_written_reads_back_as_the_same(data: st.DataObject, location: Location) -> None:
    formula = data.draw(looks(location, max_leaves=6))
    assert parse_look(statement_text(formula)) == formula
    assert parse_look(str(formula)) == formula


@examples(80)
@given(st.data(), locations)
def test_blanks_and_needless_parentheses_change_nothing(
    data: st.DataObject, location: Location
) -> None:
    formula = data.draw(looks(location))
    text = statement_text(formula)
    assert (
        parse_look(f"( {text.replace('(', ' ( ').replace('&', '   and ').replace('|', ' or')} )")
        == formula
    )


@pytest.mark.parametrize("relation", relations(), ids=lambda each: each.phrase(1))
def test_every_relation_reads_back_by_its_phrase(relation: Relation) -> None:
    for quantity, count in (
        (Quantity.SOME, 1),
        (Quantity.EVERY, 1),
        (Quantity.AT_LEAST, 1),
        (Quantity.AT_LEAST, 3),
    ):
        said = Quantified(quantity, relation, parse_look("True"), count)
        assert parse_look(statement_text(said)) == said
    assert parse_look(f"some {relation.phrase(1)}") == Quantified(
        Quantity.SOME, relation, parse_look("True")
    )


def test_relations_have_phrases_of_their_own() -> None:
    said = [each.phrase(count) for each in relations() for count in (1, 2)]
    assert len(set(said)) == len(said) == 2 * len(RELATIONS)


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("visited &", None, "ends where"),
        ("visited & & seen", 11, "'&'"),
        ("(visited", None, "')'"),
        ("visited seen", 9, "'seen'"),
        ("some stranger (visited)", 6, "there are"),
        ("some neighbour (some neighbour (visited))", 17, "looks only one step"),
        ("at least neighbours (visited)", 10, "a number"),
        ("color is", None, "a class"),
        ("my weight <", None, "name of a field"),
        ("(my a, my b) < (its a)", None, "as many on both sides"),
        ("me", None, "comparison"),
        ("some neighbour (its weight < my weight", None, "')'"),
        ("", None, "name of a field"),
        ("at least 0 neighbours (visited)", None, "always holds"),
    ],
)
def test_what_is_wrong_is_pointed_at(text: str, place: int | None, says: str) -> None:
    with pytest.raises(FormulaError) as problem:
        parse_look(text)
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)
    if place is not None:
        assert f"character {place}:" in str(problem.value)


@pytest.mark.parametrize(
    ("text", "location", "says"),
    [
        ("hungry", Location.NODE, "a node has no hungry"),
        ("road", Location.NODE, "sits at the edge"),
        ("color", Location.NODE, "is a category"),
        ("awake is red", Location.NODE, "is a mask"),
        ("color is pink", Location.NODE, "no class 'pink'"),
        ("height", Location.NODE, "no mask and no category"),
        ("its awake", Location.NODE, "outside of every quantifier"),
        ("height's color is red", Location.NODE, "leads nowhere"),
        ("boss < me", Location.NODE, "two pointers are compared by"),
        ("boss = height", Location.NODE, "a number is compared with a number"),
        ("boss = graph", Location.NODE, "of one location"),
        (
            "some neighbour ((its height, my depth) < (my height, my depth))",
            Location.NODE,
            "each side speaks of one",
        ),
        (
            "some neighbour (awake) & some other node (awake)",
            Location.NODE,
            "one observation looks at one relation",
        ),
        ("some rival (used)", Location.NODE, "put it there"),
    ],
)
def test_what_the_fields_do_not_allow_is_refused(text: str, location: Location, says: str) -> None:
    with pytest.raises(DefinitionError, match=says) as problem:
        Statement("found", location, parse_look(text), Scope(FIELDS))
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "label", ["no", "some", "every", "it", "me", "last", "at", "the", "and", "7", "out"]
)
def test_a_class_may_be_called_by_a_word_of_the_language(label: str) -> None:
    formula = parse_look(f"answer is {label} & answer is not {label}")
    assert parse_look(statement_text(formula)) == formula
    scope = Scope({"answer": Field(Location.NODE, Category("other", label))})
    assert Statement("found", Location.NODE, formula, scope).num_own == 2


@examples(100)
@given(st.data(), st.sampled_from(relations()))
def test_moves_read_back(data: st.DataObject, relation: Relation) -> None:
    def tests_of(whose: Whose) -> st.SearchStrategy[Formula]:
        at = {whose: relation.others if whose is Whose.ITS else relation.own}
        return statements(atoms(at).filter(lambda atom: isinstance(atom, language.Test)))

    mark, guard = data.draw(tests_of(Whose.ITS)), data.draw(tests_of(Whose.MY))
    for text in (
        (
            f"the {relation.phrase(1)}'s number ({statement_text(mark, Whose.ITS)}) where "
            f"{statement_text(guard)}"
        ),
        f"the {relation.phrase(1)} ({statement_text(mark, Whose.ITS)})",
        f"boss's boss where {statement_text(guard)}",
        "me",
    ):
        assert Move.parse(str(Move.parse(text))) == Move.parse(text)
    assert Move.parse(f"the {relation.phrase(1)} ({statement_text(mark, Whose.ITS)})").mark == mark


FACTORS = st.lists(st.sampled_from(["weight", "sender's depth", "3", "12"]), min_size=1, max_size=3)


@given(st.lists(st.tuples(st.sampled_from("+-"), FACTORS), min_size=1, max_size=4))
def test_sums_read_back(parts: list[tuple[str, list[str]]]) -> None:
    text = " ".join(f"{sign} {' * '.join(factors)}" for sign, factors in parts).removeprefix("+ ")
    total = Sum.parse(text)
    assert Sum.parse(str(total)) == total
    values = {"weight": 5, "sender_depth": -7}
    given, read = (eval(each.replace("'s ", "_"), {}, values) for each in (text, str(total)))
    assert given == read


def test_connectives_of_statements_are_those_of_formulas() -> None:
    assert isinstance(parse_look("a & b & ~c"), And)
    assert isinstance(parse_look("a & b | c"), Or)
