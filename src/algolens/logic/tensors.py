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


def table_as_formula(table: np.ndarray, variable: int = 0) -> Formula:
    """A table of bools as a formula. table: an axis for each variable, as long as it has values.

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
    formula = table_as_formula(np.asarray(table[first[0]]), variable + 1)
    for values in further:
        then = table_as_formula(np.asarray(table[values[0]]), variable + 1)
        formula = _either(Has(variable, frozenset(values)), then, formula)
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


AT_ONCE = 2**15  # words, so that what is between stays in the cache


def table_rows(concepts: Tensor) -> Tensor:
    """[..., C] bools to [...] int32: the first concept is the highest bit.

    >>> table_rows(torch.tensor([[True, False, False], [False, True, True]])).tolist()
    [4, 3]
    """
    num_concepts = concepts.shape[-1]
    if num_concepts == 0:
        return torch.zeros(concepts.shape[:-1], dtype=torch.int32, device=concepts.device)
    if 1 < num_concepts <= 8 and concepts.device.type == "cpu" and concepts.is_contiguous():
        return _by_words(concepts).int()
    rows = _by_columns(concepts[..., :8]).int()
    for start in range(8, num_concepts, 8):
        block = concepts[..., start : start + 8]
        rows = rows.mul_(2 ** block.shape[-1]).add_(_by_columns(block))
    return rows


def _by_columns(concepts: Tensor) -> Tensor:
    """[..., up to 8] bools to [...] bytes by doubling and adding, for columns in one piece."""
    columns = concepts.view(torch.uint8).unbind(-1)
    rows = columns[0].clone()
    for column in columns[1:]:
        torch.add(column, rows, alpha=2, out=rows)
    return rows


def _by_words(concepts: Tensor) -> Tensor:
    """[..., up to 8] bools to [...] bytes, eight at a time, for patterns in one piece.

    NumPy packs all bits without a gap, so C bytes hold eight patterns. In a word, those are drawn
    apart: into two halves of 32 bits, each half into two of 16, each of those into two bytes.
    """
    num_concepts = concepts.shape[-1]
    flat = concepts.reshape(-1, num_concepts)
    bits = np.packbits(flat.numpy().reshape(-1))
    num_words = max(0, (len(bits) - 8) // num_concepts + 1)  # of which none reaches beyond the end
    result = np.empty(len(flat), np.uint8)
    if num_words:
        packed = np.ndarray((num_words,), ">u8", bits, strides=(num_concepts,))
        drawn = result[: 8 * num_words].view(">u8")
        for begin in range(0, num_words, AT_ONCE):
            words = packed[begin : begin + AT_ONCE].astype(np.uint64)
            words >>= np.uint64(64 - 8 * num_concepts)
            for room in (32, 16, 8):
                _draw_apart(words, room * num_concepts // 8, room)
            drawn[begin : begin + AT_ONCE] = words
    result[8 * num_words :] = _by_columns(flat[8 * num_words :]).numpy()
    return torch.from_numpy(result).view(concepts.shape[:-1])


def _draw_apart(words: np.ndarray, width: int, room: int) -> None:
    """Where two fields of ``width`` bits stand side by side, gives each ``room``, in place."""
    lower = sum((2**width - 1) << shift for shift in range(0, 64, 2 * room))
    upper = words << np.uint64(room - width)
    upper &= np.uint64(lower << room)
    words &= np.uint64(lower)
    words |= upper
