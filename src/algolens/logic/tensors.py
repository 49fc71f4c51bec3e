"""Formulas and truth tables as operations on whole tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, final

import numpy as np
import torch
from torch import Tensor

from algolens.errors import FormulaError
from algolens.logic.formula import (
    FALSE,
    TRUE,
    And,
    Constant,
    Formula,
    Not,
    Or,
    conjunction,
    disjunction,
)

State = TypeVar("State")
Truth = Callable[[State], Tensor]  # bools, in a state


def circuit(
    formula: Formula, of_atom: Callable[[Formula], Truth[State] | bool]
) -> Truth[State] | bool:
    """A formula's truth in a state, given that of its atoms; a bool where all states agree."""
    match formula:
        case Constant(value):
            return value
        case Not(term):
            truth = circuit(term, of_atom)
            return not truth if isinstance(truth, bool) else lambda state: ~truth(state)
        case And(terms) | Or(terms):
            return _joined(terms, of_atom, is_and=isinstance(formula, And))
    return of_atom(formula)


def _joined(
    terms: tuple[Formula, ...],
    of_atom: Callable[[Formula], Truth[State] | bool],
    *,
    is_and: bool,
) -> Truth[State] | bool:
    """A conjunction or disjunction; of bools, "a and not b" is a > b, "a or not b" is a >= b."""
    join, join_opposite = (torch.bitwise_and, torch.gt) if is_and else (torch.bitwise_or, torch.ge)
    plain: list[Truth[State]] = []
    negated: list[Truth[State]] = []
    for term in terms:
        is_negated = isinstance(term, Not)
        truth = circuit(term.term if isinstance(term, Not) else term, of_atom)
        if not isinstance(truth, bool):
            (negated if is_negated else plain).append(truth)
        elif truth ^ is_negated is not is_and:
            return not is_and
    if not plain and not negated:
        return is_and

    def run(state: State) -> Tensor:
        value = plain[0](state) if plain else ~negated[0](state)
        for truth in plain[1:]:
            value = join(value, truth(state))
        for truth in negated if plain else negated[1:]:
            value = join_opposite(value, truth(state))
        return value

    return run


@final
@dataclass(frozen=True, repr=False)
class Has(Formula):
    """That a variable of a table has one of some values."""

    variable: int
    values: frozenset[int]

    @property
    def names(self) -> tuple[str, ...]:
        return (f"variable {self.variable} in {sorted(self.values)}",)

    def evaluate(self, values: Any) -> Any:
        raise FormulaError("the variable of a table is looked up by a circuit, not by evaluate().")

    def to_json(self) -> Any:
        return ["has", self.variable, *sorted(self.values)]


def table_as_formula(
    table: np.ndarray,
    atom: Callable[[int, frozenset[int]], Formula] = Has,
    variable: int = 0,
) -> Formula:
    """A table of bools as a formula.

    table: an axis for each variable, as long as it has values. atom: what says that a variable has
    one of some values.

    >>> table_as_formula(np.array([[False, True], [True, True]])).to_json()
    ['or', ['has', 0, 1], ['has', 1, 1]]
    """
    if table.ndim == 0:
        return TRUE if table else FALSE
    rows: dict[bytes, list[int]] = {}
    for value in range(len(table)):
        rows.setdefault(table[value].tobytes(), []).append(value)
    first, *further = sorted(rows.values(), key=len, reverse=True)  # most values give this one
    if set(map(len, rows.values())) == {1} and len(table) == 2:
        first, further = [0], [[1]]  # so that a mask is asked for, and not its opposite
    formula = table_as_formula(np.asarray(table[first[0]]), atom, variable + 1)
    for values in further:
        then = table_as_formula(np.asarray(table[values[0]]), atom, variable + 1)
        formula = _either(atom(variable, frozenset(values)), then, formula)
    return formula


def _either(condition: Formula, then: Formula, other: Formula) -> Formula:
    """The one where the condition holds, the other where it does not, shortly."""
    match then, other:
        case Constant(True), _:
            return condition if other == FALSE else disjunction(condition, other)
        case Constant(False), _:
            return Not(condition) if other == TRUE else conjunction(other, Not(condition))
        case _, Constant(True):
            return disjunction(then, Not(condition))
        case _, Constant(False):
            return conjunction(condition, then)
    return disjunction(conjunction(condition, then), conjunction(other, Not(condition)))


def size(formula: Formula) -> int:
    """How many operations a formula is."""
    match formula:
        case Not(term):
            return 1 + size(term)
        case And(terms) | Or(terms):
            return len(terms) - 1 + sum(map(size, terms))
    return 0


def table_rows(concepts: Tensor) -> Tensor:
    """[..., C] bools to [...] int32: the first concept is the highest bit.

    >>> table_rows(torch.tensor([[True, False, False], [False, True, True]])).tolist()
    [4, 3]
    """
    rows = torch.zeros(concepts.shape[:-1], dtype=torch.int32, device=concepts.device)
    for start in range(0, concepts.shape[-1], 8):
        # bytes are added fastest, and hold eight concepts
        first, *others = concepts[..., start : start + 8].view(torch.uint8).unbind(-1)
        block = first.clone()
        for column in others:
            torch.add(column, block, alpha=2, out=block)
        rows.mul_(2 ** (1 + len(others))).add_(block)
    return rows
