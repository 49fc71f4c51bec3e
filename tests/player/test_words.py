"""Rules are written in the page as programs write them."""

from __future__ import annotations

from hypothesis import given
from msgspec import to_builtins

from algolens.language.rules import as_expr
from algolens.logic import Formula, parse
from tests.effort import examples
from tests.player.in_node import in_node, needs_node
from tests.strategies import formulas

TEXTS = "const answer = (formula) => new Notation().of(formula);"


@needs_node
@examples(5)
@given(formulas())
def test_rules_are_written_as_programs_write_them(formula: Formula):
    (text,) = in_node(TEXTS, [to_builtins(as_expr(formula, "node"))])
    assert parse(text) == formula
