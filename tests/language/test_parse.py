"""What is written is read as the tree it was; what cannot be read is refused where it stands."""

from __future__ import annotations

import random
import time

import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.errors import FormulaError
from algolens.language import ir
from algolens.language.finite import columns
from algolens.language.parse import COMPARE, Parser, parse
from algolens.language.relations import RELATIONS
from algolens.language.text import Text
from tests.drawn import Drawing
from tests.effort import covering
from tests.language.statements import FIELDS

SOME = FIELDS | dict.fromkeys(("x", "y", "z", "a", "b"), FIELDS["height"])
POINTER = "boss"


def case(parser: Parser) -> ir.Expr:
    """``value where statement; ...; else value``."""
    cases = []
    while not parser.take({"else"}):
        cases.append(parser.move())
        parser.expect(";")
    return ir.Case(tuple(cases), parser.value())


def check_read_back(program: ir.Program) -> None:
    fields = {name: one for (_, name), one in columns(program).items()}
    say = Text.of(program)
    for let in (*program.start, *program.lets, *program.becomes):
        part = case if isinstance(let.value, ir.Case) else Parser.statement
        assert parse(part, say(let.value), let.at, fields) == let.value, say(let.value)


@pytest.mark.parametrize("name", covering(algorithms()))
def test_what_an_algorithm_says_is_read_from_its_text(name: str) -> None:
    check_read_back(algorithm(name).declaration.program)


@pytest.mark.parametrize("seed", range(40))
def test_what_a_random_algorithm_says_is_read_from_its_text(seed: int) -> None:
    check_read_back(Drawing(random.Random(seed)).algorithm.declaration.program)


@pytest.mark.parametrize(
    "relation", [each.by(POINTER) for each in RELATIONS], ids=lambda each: each.phrase(1)
)
def test_every_relation_is_read_in_one_and_several(relation) -> None:
    at = relation.own
    one = parse(Parser.statement, f"at least 1 {relation.phrase(1)}", at, SOME)
    assert one == parse(Parser.statement, f"at least 1 {relation.phrase(2)}", at, SOME)
    assert isinstance(one, ir.Quantified)
    assert one.view.words == relation.phrase(1)
    assert POINTER in one.view.words or relation.pointer is None


@pytest.mark.parametrize("order", COMPARE)
def test_short_forms_are_what_they_stand_for(order: str) -> None:
    for short, long in (
        (f"x {order} 3 + y * 2 - 1", f"(x) {order} ((3 + (y * 2)) - 1)"),
        (
            "exactly 2 neighbors (awake)",
            "at least 2 neighbours (awake) & ~at least 3 neighbours (awake)",
        ),
        ("at most 0 neighbours", "no neighbour"),
        ("fewer than 2 neighbours", "~at least 2 neighbours"),
        (
            "me = least node (awake) by x, number",
            "awake & no other node (awake & (its x, its number) < (my x, my number))",
        ),
        ("me = greatest neighbour by x", "no neighbour (its x > my x)"),
        ("-x > -3", "x * -1 > -3"),
        ("color is not red", "~(color is red)"),
        ("at least n neighbours (x > n)", "at least 4 neighbours (x > 4)"),
    ):
        numbers = {"n": 4}
        read = parse(Parser.statement, short, "node", SOME, numbers)
        assert read == parse(Parser.statement, long, "node", SOME)


def test_rivals_are_ordered_by_what_is_no_pointer() -> None:
    fields = {
        "cost": ir.Field("link", "number", bits=8),
        "root": ir.Field("node", "pointer", to="node"),
    }
    for short, long in (
        ("me = least rival by cost", "no rival (cost < my cost)"),
        ("me = least rival by root by cost", "no rival by root (cost < my cost)"),
    ):
        read = parse(Parser.statement, short, "link", fields)
        assert read == parse(Parser.statement, long, "link", fields)


def test_a_number_is_added_to_that_of_the_one_who_is_meant() -> None:
    _, after = parse(Parser.move, "the other node (awake)'s x + 1 where awake", "node", SOME)
    assert isinstance(after, ir.The)
    assert after.value == ir.Arith(ir.Get("x", "node", ir.IT), "+", ir.Const(1))


REFUSED = [
    ("awake &", None, "ends where"),
    ("awake & & calm", 9, "'&'"),
    ("(awake", None, "')'"),
    ("awake calm", 7, "'calm'"),
    ("some stranger (awake)", 6, "there are"),
    ("some neihbour (awake)", 6, "Did you mean 'neighbour'"),
    ("some neighbour (some neighbour (awake))", 17, "looks only one step"),
    ("some neighbour (me = least node by x)", 22, "looks only one step"),
    ("at least neighbours (awake)", 10, "a number"),
    ("at awake", 4, "'least' or 'most'"),
    ("color is", None, "a class"),
    ("color is pink", 10, "no class 'pink'"),
    ("color is gren", 10, "Did you mean 'green'"),
    ("awake is red", 10, "is a mask"),
    ("my height <", None, "name of a field"),
    ("(x, y) < (z)", None, "as many on both sides"),
    ("(x, y) & awake", 8, "comparison"),
    ("some neighbour (its height < my height", None, "')'"),
    ("", None, "name of a field"),
    ("at least 0 neighbours (awake)", None, "always holds"),
    ("fewer than 0 neighbours", None, "never holds"),
    ("at least 12345678 neighbours", None, "too many"),
    ("x > 1234567890123456789012", 5, "18 digits"),
    ("hungry", 1, "a node has no hungry"),
    ("heigth > 3", 1, "Did you mean 'height'"),
    ("road", 1, "sits at the edge"),
    ("its awake", 1, "outside of every quantifier"),
    ("height's color is red", 10, "leads nowhere"),
    ("some rival (used)", 6, "put it there"),
    ("some node whose height is me", None, "is no pointer to nodes"),
    ("me = least node (awake)", None, "'by'"),
    ("x / y > z", 3, "'/' cannot be said"),
    ("x ** 2 > y", 4, "'*'"),
    ("abs(x) > y", 1, "'abs' cannot be said"),
    ("x > 3.5", 6, "numbers are whole"),
    ("sum of its height > 3", 1, "'sum' over others cannot be said, because a sum of any"),
    ("total neighbours (awake) > 3", 1, "'total' over others cannot be said"),
    ("mean neighbour height > 3", 1, "'mean' cannot be said"),
    ("count(neighbours) >= 3", 1, "'count' is no number here"),
    ("max(height) = height", 1, "'max' is no number here: say which element has it"),
    ("min(a, b) > z", 1, "no neighbour (its height < my height)"),
    ("all neighbours (awake)", 1, "'all' is written every"),
    ("any neighbour (awake)", 1, "'any' is written some"),
    ("x == y", 4, "'==' is written ="),
    ("3 < 4", None, "numbers are compared with one another"),
    ("3 is red", 6, "no category"),
    ("(" * 200 + "awake" + ")" * 200, None, "nested more than 100 deep"),
    ("~" * 200 + "awake", None, "nested more than 100 deep"),
    ("x" + " + x" * 200 + " > 3", None, "nested more than 100 deep"),
    ("boss" + "'s boss" * 200 + " = me", None, "nested more than 100 deep"),
    ("awake & " * 20_000 + "awake", None, "100,000"),
]


@pytest.mark.parametrize(("text", "place", "says"), REFUSED, ids=lambda each: str(each)[:40])
def test_what_is_wrong_is_pointed_at(text: str, place: int | None, says: str) -> None:
    begin = time.process_time()
    with pytest.raises(FormulaError) as problem:
        parse(Parser.statement, text, "node", SOME)
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)
    assert place is None or f"character {place}:" in str(problem.value)
    assert time.process_time() - begin < 2


def test_nested_parentheses_are_read_in_linear_time() -> None:
    begin = time.process_time()
    assert parse(Parser.statement, "(" * 90 + "awake" + ")" * 90, "node", SOME)
    assert time.process_time() - begin < 1


@pytest.mark.parametrize("label", ["no", "some", "it", "the", "by", "and", "7", "least"])
def test_a_class_may_be_called_by_a_word_of_the_language(label: str) -> None:
    fields = {"answer": ir.Field("node", "category", ("other", label))}
    read = parse(Parser.statement, f"answer is {label} & answer is not {label}", "node", fields)
    assert (
        parse(Parser.statement, Text({("node", "answer"): ("other", label)})(read), "node", fields)
        == read
    )


@pytest.mark.parametrize("text", ["(exactly & more) | fewer", "(max & ~count) | sum", "most"])
def test_words_of_short_forms_still_name_fields(text: str) -> None:
    names = {"exactly", "more", "fewer", "max", "count", "sum", "most"}
    fields = dict.fromkeys(names, ir.Field("node", "mask"))
    assert Text({})(parse(Parser.statement, text, "node", fields)) == text
