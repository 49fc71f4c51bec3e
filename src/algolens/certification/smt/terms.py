"""SMT-LIB terms: exact rationals, formulas, and two layers of a network as arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import torch

from algolens.certification.proof import LARGEST, SMALLEST
from algolens.logic.formula import And, Constant, Formula, Not, Or
from algolens.models.layers import SLOPE, Linear

EPSILON = Fraction(2) ** -23  # twice the unit of rounding in single precision
SLOPE_EXACT = Fraction(float(np.float32(SLOPE)))  # what single precision multiplies with


def rational(value: Fraction | float) -> str:
    """A number without any rounding: a float is a whole number times a power of two."""
    exact = Fraction(value)
    size = f"{abs(exact.numerator)}.0"
    found = size if exact.denominator == 1 else f"(/ {size} {exact.denominator}.0)"
    return f"(- {found})" if exact < 0 else found


def both(terms: Sequence[str]) -> str:
    """That all hold."""
    return _joined("and", terms, "true")


def either(terms: Sequence[str]) -> str:
    """That one holds at least."""
    return _joined("or", terms, "false")


def plus(terms: Sequence[str], nothing: str = "0.0") -> str:
    """A sum."""
    return _joined("+", terms, nothing)


def _joined(operator: str, terms: Sequence[str], nothing: str) -> str:
    return (
        nothing if not terms else terms[0] if len(terms) == 1 else f"({operator} {' '.join(terms)})"
    )


def formula_term(formula: Formula, of_atom: Callable[[Formula], str]) -> str:
    """A formula, its atoms as they are given."""
    match formula:
        case Constant(value):
            return "true" if value else "false"
        case Not(term):
            return f"(not {formula_term(term, of_atom)})"
        case And(terms):
            return both([formula_term(term, of_atom) for term in terms])
        case Or(terms):
            return either([formula_term(term, of_atom) for term in terms])
    return of_atom(formula)


class LayerTerms:
    """Two affine layers of one seed, LeakyReLU between them, on features that are 0 or 1.

    A feature is a term of sort Bool, or ``true`` where it is known to be 1. Every weight is written
    as it is. By how much rounding may change an output is a sum of a constant and of one for every
    feature that is 1: all of them positive.
    """

    def __init__(self, first: Linear, last: Linear, features: Sequence[str | None]) -> None:
        """features: None where one is known to be 0."""
        assert first.bias is not None
        assert last.bias is not None
        self.weight, self.bias = _exact(first.weight[0]), _exact(first.bias[0])[0]
        self.weight_last, self.bias_last = _exact(last.weight[0]), _exact(last.bias[0])[0]
        self.features = features
        self.outputs = len(self.bias_last)

    def definitions(self) -> list[str]:
        """What the file defines: hidden values, outputs and how far each may be off."""
        lines = []
        for j, bias in enumerate(self.bias):
            terms = [rational(bias), *self._chosen([row[j] for row in self.weight])]
            lines.append(f"(define-fun sum{j} () Real {plus(terms)})")
            lines.append(
                f"(define-fun hidden{j} () Real (ite (> sum{j} 0.0) sum{j} (* "
                f"{rational(SLOPE_EXACT)} sum{j})))"
            )
        for k, bias in enumerate(self.bias_last):
            terms = [f"(* {rational(row[k])} hidden{j})" for j, row in enumerate(self.weight_last)]
            lines.append(f"(define-fun out{k} () Real {plus([rational(bias), *terms])})")
            constant, each = self._reach(k)
            lines.append(
                f"(define-fun reach{k} () Real {plus([rational(constant), *self._chosen(each)])})"
            )
        return lines

    def holds(self) -> bool:
        """Whether no sum can become too large for single precision."""
        limit = Fraction(LARGEST)
        ones = [place for place, feature in enumerate(self.features) if feature is not None]
        hidden = [
            abs(b) + sum((abs(self.weight[i][j]) for i in ones), Fraction(0))
            for j, b in enumerate(self.bias)
        ]
        sizes = [
            abs(b)
            + sum(
                (h * abs(row[k]) for h, row in zip(hidden, self.weight_last, strict=True)),
                Fraction(0),
            )
            for k, b in enumerate(self.bias_last)
        ]
        return max(hidden) <= limit and max(sizes) <= limit

    def is_on(self, k: int) -> str:
        """That an output is surely positive."""
        return f"(> out{k} reach{k})"

    def is_off(self, k: int) -> str:
        """That an output is surely negative."""
        return f"(< out{k} (- reach{k}))"

    def _chosen(self, numbers: Sequence[Fraction]) -> list[str]:
        """Those of some numbers, one for each feature, whose feature is 1."""
        found = []
        for feature, number in zip(self.features, numbers, strict=True):
            if feature is not None:
                found.append(
                    rational(number)
                    if feature == "true"
                    else f"(ite {feature} {rational(number)} 0.0)"
                )
        return found

    def _reach(self, k: int) -> tuple[Fraction, list[Fraction]]:
        """As certification.rounding has it: 2 n eps times the sum of sizes, and what is lost below
        the smallest number.
        """
        terms = max(len(self.weight), len(self.weight_last)) + 3
        sizes = [abs(row[k]) for row in self.weight_last]
        factor, smallest = 2 * terms * EPSILON, 2 * terms * Fraction(SMALLEST)
        lost = smallest * (2 + sum(sizes, Fraction(0)) + sum(map(abs, self.bias), Fraction(0)))
        constant = sum(
            (abs(b) * s for b, s in zip(self.bias, sizes, strict=True)), abs(self.bias_last[k])
        )
        each = [
            sum((abs(w) * s for w, s in zip(row, sizes, strict=True)), Fraction(0))
            for row in self.weight
        ]
        every = [
            factor * size + smallest * sum(map(abs, row), Fraction(0))
            for size, row in zip(each, self.weight, strict=True)
        ]
        return factor * constant + lost, every


def _exact(values: torch.Tensor) -> list[list[Fraction]]:
    return [[Fraction(each) for each in row] for row in values.detach().cpu().double().tolist()]
