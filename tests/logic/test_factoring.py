"""Factoring keeps the truth table."""

from __future__ import annotations

from hypothesis import given

from algolens.logic import factored
from tests.strategies import formulas


@given(formulas())
def test_a_factored_formula_is_equivalent(formula):
    assert factored(formula).equivalent(formula)
