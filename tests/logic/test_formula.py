"""Laws of formulas."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import FormulaError
from algolens.logic import (
    FALSE,
    LATEX,
    PYTHON,
    TRUE,
    Formula,
    concepts,
    formula_text,
    parse,
    reason,
    to_sympy,
)
from algolens.logic.formula import And, Concept, Constant, Not, Or
from tests.strategies import NAMES, formulas


def interpret(formula: Formula, row: dict[str, bool]) -> bool:
    """One row at a time, by the meaning of the words: independent of evaluate()."""
    match formula:
        case Constant(value):
            return value
        case Concept(name):
            return row[name]
        case Not(term):
            return not interpret(term, row)
        case And(terms):
            return all(interpret(term, row) for term in terms)
        case Or(terms):
            return any(interpret(term, row) for term in terms)
    raise AssertionError(formula)


ROWS = [
    dict(zip(NAMES, row, strict=True))
    for row in itertools.product([False, True], repeat=len(NAMES))
]


@given(formulas())
def test_parsing_what_is_printed_gives_the_same_formula(formula):
    assert parse(str(formula)) == formula
    assert parse(formula_text(formula, PYTHON)) == formula


@given(formulas())
def test_json_round_trip(formula):
    assert Formula.from_json(json.loads(json.dumps(formula.to_json()))) == formula


@given(formulas())
def test_evaluation_agrees_with_an_interpreter_row_by_row(formula):
    expected = [interpret(formula, row) for row in ROWS]
    columns = {name: np.array([row[name] for row in ROWS]) for name in NAMES}
    tensors = {name: torch.from_numpy(column).reshape(2, 8) for name, column in columns.items()}
    assert np.broadcast_to(formula.evaluate(columns), len(ROWS)).tolist() == expected
    assert formula.evaluate(tensors).shape == (2, 8)
    assert formula.evaluate(tensors).flatten().tolist() == expected
    assert formula.table(NAMES).tolist() == expected
    assert [bool(formula.evaluate(row)) for row in ROWS] == expected


@given(formulas())
def test_the_python_expression_means_the_same(formula):
    code = compile(formula_text(formula, PYTHON), "formula", "eval")
    assert [bool(eval(code, {}, dict(row))) for row in ROWS] == [
        interpret(formula, row) for row in ROWS
    ]


@given(formulas())
def test_sympy_agrees_on_every_row(formula):
    expression = to_sympy(formula)
    for row in ROWS:
        value = expression.subs({sympy.Symbol(name): truth for name, truth in row.items()})
        assert bool(sympy.simplify(value)) == interpret(formula, row)


@given(formulas(), formulas())
def test_equivalence_is_equality_of_truth_tables(one, other):
    differing = [row for row in ROWS if interpret(one, row) != interpret(other, row)]
    assert one.equivalent(other) == (not differing)
    difference = one.difference(other)
    if difference is None:
        assert not differing
    else:
        assert interpret(one, dict.fromkeys(NAMES, False) | difference) != interpret(
            other, dict.fromkeys(NAMES, False) | difference
        )


@given(formulas(), st.sampled_from(ROWS))
def test_a_reason_holds_and_suffices(formula, row):
    why = reason(formula, row)
    assert interpret(why, row)
    for other in ROWS:
        if interpret(why, other):
            assert interpret(formula, other) == interpret(formula, row)


def test_operators_join_bools_and_flatten():
    a, b, c = concepts("a", "b", "c")
    assert (a & b) & c == a & (b & c)
    assert str((a & b) & c) == "a & b & c"
    assert (True & a) == (TRUE & a)
    assert (False | a) == (FALSE | a)
    assert hash(a & b) == hash(a & b)


def test_words_and_marks_read_alike():
    assert parse("not a and (b or c)") == parse("~a & (b | c)") == parse("¬a ∧ (b ∨ c)")


def test_latex():
    assert (
        formula_text(parse("~has_it & (a | b)"), LATEX)
        == r"\lnot \mathit{has\_it} \land (\mathit{a} \lor \mathit{b})"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "ends where"),
        ("a &", "ends where"),
        ("a b", "character 3"),
        ("(a | b", "ends where ')'"),
        ("a & )", "character 5"),
        ("a + b", "character 3"),
        ("2a", "character 1"),
    ],
)
def test_what_cannot_be_read_is_named(text, complaint):
    with pytest.raises(FormulaError, match=complaint.replace(")", r"\)")):
        parse(text)


def test_misuse_is_refused_with_a_hint():
    a, b = concepts("a", "b")
    with pytest.raises(TypeError, match="use &"):
        bool(a)
    with pytest.raises(FormulaError, match="threshold"):
        a.evaluate({"a": torch.tensor([0.7])})
    with pytest.raises(FormulaError, match="no value came for concept 'b'"):
        (a & b).evaluate({"a": np.array([True])})
    with pytest.raises(FormulaError, match="cannot name a concept"):
        concepts("two words")
    with pytest.raises(FormulaError, match="no formula in JSON"):
        Formula.from_json(["xor", "a", "b"])
    with pytest.raises(FormulaError, match="rows"):
        parse(" | ".join(f"c{i}" for i in range(30))).table()
