"""Every object that can be made comes back from its text; texts of any depth and length are read
in linear time, or refused.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import FormulaError
from algolens.logic import parse
from algolens.logic.formula import (
    FALSE,
    MOST_DEEP,
    TRUE,
    And,
    Concept,
    Formula,
    Not,
    Or,
    conjunction,
    disjunction,
    from_json,
)
from algolens.logic.going_on import GoOn, Quantifier
from algolens.logic.names import WORDS as FORMULA_WORDS
from algolens.logic.parsing import MOST_CHARACTERS
from algolens.logic.printing import to_smtlib
from algolens.looks import (
    RELATIONS,
    Comparison,
    Order,
    Quantified,
    Quantity,
    Term,
    Whose,
    parse_look,
    statement_text,
)
from algolens.looks import (
    Test as FieldTest,
)
from algolens.looks.exports.json import formula_from_json
from algolens.looks.moves import Move
from algolens.looks.sums import MOST, Product, Sum
from algolens.looks.terms import LAST, WORDS

# words that mean something elsewhere, and letters of other scripts
NAMES = st.sampled_from(
    ["awake", "more", "exactly", "fewer", "than", "graph", "neighbour", "s", "most", "größe"]
) | st.from_regex(r"[a-zß-öа-я_][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in WORDS | FORMULA_WORDS
)
STEPS = st.tuples(st.sampled_from(["", LAST]), NAMES).map("".join)
PATHS = st.lists(STEPS, min_size=1, max_size=3).map(tuple)
LABELS = NAMES | st.sampled_from(["no", "is", "0", "17", "true"])


def joined(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    """What the connectives make of parts, whatever can be made directly."""
    several = st.lists(parts, min_size=1, max_size=3)
    return st.one_of(
        parts.map(Not),
        several.map(lambda terms: conjunction(*terms)),
        several.map(lambda terms: disjunction(*terms)),
    )


def terms(whose: st.SearchStrategy[Whose]) -> st.SearchStrategy[Term]:
    return st.builds(Term, whose, PATHS).filter(lambda term: term.constant is None)


@st.composite
def comparisons(draw: st.DrawFn, whose: st.SearchStrategy[Whose]) -> Comparison:
    count = draw(st.integers(1, 2))
    ends = terms(whose) | st.builds(Term, whose)
    sides = [[draw(ends) for _ in range(count)] for _ in range(2)]
    if draw(st.booleans()):  # a number in the place of one
        spoken = sides[0][0].whose if count == 1 else sides[1][0].whose
        number = f"constant_{draw(st.integers(0, 10**17))}"
        sides[1][-1] = Term(spoken, ("graph", number))
    return Comparison(tuple(sides[0]), draw(st.sampled_from(Order)), tuple(sides[1]))


def statements(whose: st.SearchStrategy[Whose]) -> st.SearchStrategy[Formula]:
    atoms = st.one_of(
        st.sampled_from([TRUE, FALSE]),
        st.builds(FieldTest, terms(whose), st.none() | LABELS),
        comparisons(whose),
    )
    return st.recursive(atoms, joined, max_leaves=6)


INNER = statements(st.sampled_from(Whose))
PLAIN = [relation for relation in RELATIONS if not relation.pointers]
QUANTIFIED = st.one_of(
    st.builds(
        Quantified, st.sampled_from([Quantity.SOME, Quantity.EVERY]), st.sampled_from(PLAIN), INNER
    ),
    st.builds(
        Quantified, st.just(Quantity.AT_LEAST), st.sampled_from(PLAIN), INNER, st.integers(1, 10**6)
    ),
)
OWN = statements(st.just(Whose.MY))
ANY = st.recursive(OWN | QUANTIFIED, joined, max_leaves=4)
RULES = st.recursive(
    st.sampled_from([TRUE, FALSE]) | (NAMES | st.just("a·b")).map(Concept), joined, max_leaves=8
)


@given(RULES)
def test_a_formula_comes_back_from_its_text_and_its_json(formula):
    assert parse(str(formula)) == formula
    assert from_json(formula.to_json()) == formula


@given(RULES, st.sampled_from(Quantifier))
def test_a_rule_for_going_on_comes_back(formula, quantifier):
    rule = GoOn(formula, quantifier)
    assert GoOn.parse(str(rule)) == GoOn.parse(rule.as_typed) == rule
    assert GoOn.from_json(rule.to_json()) == rule


@given(ANY)
def test_a_statement_comes_back_from_its_text_and_its_json(formula):
    assert parse_look(statement_text(formula)) == formula
    assert formula_from_json(formula.to_json()) == formula


MARKED = statements(st.just(Whose.ITS))
MOVES = st.builds(
    Move, terms(st.just(Whose.MY)), st.none(), st.none(), st.none() | OWN
) | st.builds(
    lambda path, relation, mark, guard: Move(Term(Whose.ITS, path), relation, mark, guard),
    PATHS.filter(lambda path: Term(Whose.ITS, path).constant is None) | st.just(()),
    st.sampled_from(PLAIN),
    MARKED,
    st.none() | OWN,
)


@given(MOVES)
def test_a_move_comes_back(move):
    assert Move.parse(str(move)) == move


NUMBERS = st.integers(-(10**17), 10**17)
PRODUCTS = st.builds(
    Product, NUMBERS, st.lists(terms(st.just(Whose.MY)), min_size=1, max_size=3).map(tuple)
)


@given(st.lists(PRODUCTS, max_size=3).map(tuple), NUMBERS)
def test_a_sum_comes_back(products, constant):
    total = Sum(products, constant)
    assert Sum.parse(str(total)) == total


A, B = Concept("a"), Concept("b")


def test_what_could_not_come_back_cannot_be_made():
    term, one = Term(Whose.MY, ("awake",)), FieldTest(Term(Whose.MY, ("awake",)))
    inner = Quantified(Quantity.SOME, PLAIN[0], TRUE)
    for make in (
        lambda: And((A,)),
        lambda: Or(()),
        lambda: And((And((A, B)), A)),
        lambda: Term(Whose.MY, ("two words",)),
        lambda: Term(Whose.MY, ("some",)),
        lambda: FieldTest(Term(Whose.MY)),
        lambda: FieldTest(term, "two words"),
        lambda: FieldTest(term, "not"),
        lambda: Quantified(Quantity.SOME, PLAIN[0], one, 3),
        lambda: Quantified(Quantity.AT_LEAST, PLAIN[0], one, 0),
        lambda: Quantified(Quantity.AT_LEAST, PLAIN[0], one, 10**5000),
        lambda: Quantified(Quantity.EVERY, PLAIN[0], inner),
        lambda: Comparison(
            (Term(Whose.MY, ("constant_3",)),), Order.LOWER, (Term(Whose.ITS, ("x",)),)
        ),
        lambda: Comparison(
            (Term(Whose.MY, ("graph", "constant_3")),),
            Order.LOWER,
            (Term(Whose.MY, ("graph", "constant_4")),),
        ),
        lambda: Move(Term(Whose.ITS, ("boss",)), None, None, None),
        lambda: Move(term, PLAIN[0], one, None),
        lambda: Product(2, ()),
        lambda: Product(MOST, (term,)),
        lambda: Sum((), 10**5000),
    ):
        with pytest.raises(FormulaError) as refused:
            make()
        assert len(str(refused.value)) < 400


def deepest() -> Formula:
    """A formula as deep as there are."""
    formula: Formula = A
    for place in range(MOST_DEEP - 1):
        formula = Not(formula) if place % 3 == 2 else (formula & B) if place % 3 else (formula | B)
    return formula


def test_a_formula_as_deep_as_there_are_goes_through_everything():
    formula = deepest()
    assert parse(str(formula)) == from_json(formula.to_json()) == formula
    assert hash(formula) == hash(parse(str(formula)))
    assert formula.evaluate({"a": True, "b": False}) in (True, False)
    assert formula.equivalent(parse(str(formula)))
    assert statement_text(parse_look(str(formula))) == str(formula)
    assert to_smtlib(formula).count("(") >= MOST_DEEP - 1
    with pytest.raises(FormulaError, match="more than 100 deep"):
        Not(formula) & A | B


READERS = [parse, GoOn.parse, parse_look, Move.parse, Sum.parse]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "(" * 49_000 + "a" + ")" * 49_000,
        "~" * 99_000 + "a",
        "a" * 99_999,
        "a's " * 24_000 + "a",
        "(~a) & " * 14_000 + "a",
        "(a, b) < (a, b) & " * 5_000 + "a",
        "some neighbour (a) & " * 4_500 + "a",
        "a + " * 24_000 + "a",
        "a * " * 24_000 + "a",
        "999999999999999999 * " * 4_700 + "a",
        "9" * 99_999,
        "a & " * 24_000 + "~",
        "some " * 19_000,
        "no neighbour (" * 7_000,
        "a" * (MOST_CHARACTERS + 1),
        "~(" * 101 + "a" + ")" * 101,
    ],
    ids=lambda text: f"{text[:8]} {len(text)}",
)
def test_long_and_deep_texts_are_read_or_refused_soon(read, text):
    began = time.process_time()
    said = ""
    try:
        read(text)
    except FormulaError as refused:
        said = str(refused)
    assert len(said) <= 2_000
    assert time.process_time() - began < 2
