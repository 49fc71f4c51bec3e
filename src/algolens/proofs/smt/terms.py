"""What has to be shown of a network, as SMT-LIB: obligations, and the terms they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import torch

from algolens.language.ir import And, Const, Expr, Not, Or
from algolens.models.layers import SLOPE, Linear
from algolens.proofs.network import LARGEST, SMALLEST

EPSILON = Fraction(2) ** -23  # twice the unit of rounding in single precision
SLOPE_EXACT = Fraction(float(np.float32(SLOPE)))  # what single precision multiplies with


@dataclass(frozen=True, eq=False)
class Obligation:
    """A file whose statements cannot all hold: its negation is what has to be shown."""

    name: str  # of the file, without its ending
    part: str  # of the network
    says: str  # what holds where a solver answers 'unsat', in plain words
    text: str  # SMT-LIB 2.6

    @classmethod
    def write(
        cls,
        name: str,
        part: str,
        says: str,
        constants: Mapping[str, str],
        lines: Sequence[str],
        claim: str,
    ) -> Obligation:
        """Write a whole file; it asserts the opposite of ``claim``. constants: sorts by name."""
        text = [
            *(f"; {line}" for line in says.splitlines()),
            "; A solver is to answer: unsat",
            f"(set-logic {'QF_LIRA' if 'Int' in constants.values() else 'QF_LRA'})",
            *(f"(declare-const {constant} {sort})" for constant, sort in constants.items()),
            *lines,
            f"(assert (not {claim}))",
            "(check-sat)",
            "",
        ]
        return cls(name, part, says.replace("\n", " "), "\n".join(text))


def rational(value: Fraction | float) -> str:
    """A number without any rounding: a float is a whole number times a power of two."""
    exact = Fraction(value)
    size = f"{abs(exact.numerator)}.0"
    term = size if exact.denominator == 1 else f"(/ {size} {exact.denominator}.0)"
    return f"(- {term})" if exact < 0 else term


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


def truth_term(node: Expr, of_atom: Callable[[Expr], str]) -> str:
    """A statement, its atoms as they are given."""
    match node:
        case Const(value):
            return "true" if value else "false"
        case Not(term):
            return f"(not {truth_term(term, of_atom)})"
        case And(terms):
            return both([truth_term(term, of_atom) for term in terms])
        case Or(terms):
            return either([truth_term(term, of_atom) for term in terms])
    return of_atom(node)


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
            terms = [rational(bias), *self._chosen(self.weight[:, j])]
            lines.append(f"(define-fun sum{j} () Real {plus(terms)})")
            lines.append(
                f"(define-fun hidden{j} () Real (ite (> sum{j} 0.0) sum{j} (* "
                f"{rational(SLOPE_EXACT)} sum{j})))"
            )
        for k, bias in enumerate(self.bias_last):
            weights = enumerate(self.weight_last[:, k])
            terms = [f"(* {rational(weight)} hidden{j})" for j, weight in weights]
            lines.append(f"(define-fun out{k} () Real {plus([rational(bias), *terms])})")
            constant, by_feature = self.reach(k)
            terms = [rational(constant), *self._chosen(by_feature)]
            lines.append(f"(define-fun reach{k} () Real {plus(terms)})")
        return lines

    def claim(self, claims: Sequence[str]) -> str:
        """All claims; false where a sum may become too large for single precision."""
        may_be_one = [feature is not None for feature in self.features]
        hidden = abs(self.bias) + abs(self.weight[may_be_one]).sum(0)
        sizes = abs(self.bias_last) + hidden @ abs(self.weight_last)
        return both(claims) if max(*hidden, *sizes) <= Fraction(LARGEST) else "false"

    def decides(self, truth: str, k: int = 0) -> str:
        """That an output is surely positive where a term holds, and surely negative elsewhere."""
        return f"(ite {truth} (> out{k} reach{k}) (< out{k} (- reach{k})))"

    def _chosen(self, numbers: np.ndarray) -> list[str]:
        """Those of some numbers, one for each feature, whose feature is 1."""
        return [
            rational(number) if feature == "true" else f"(ite {feature} {rational(number)} 0.0)"
            for feature, number in zip(self.features, numbers, strict=True)
            if feature is not None
        ]

    def reach(self, k: int) -> tuple[Fraction, np.ndarray]:
        """How far rounding may move an output: a constant, and more for each feature that is 1.

        As ``two_layers`` of the proof has it: 2 n eps times the sum of sizes, and what is lost
        below the smallest number.
        """
        terms = max(len(self.weight), len(self.weight_last)) + 3
        rounding, smallest = 2 * terms * EPSILON, 2 * terms * Fraction(SMALLEST)
        weight, bias, weight_last = abs(self.weight), abs(self.bias), abs(self.weight_last[:, k])
        constant = rounding * (bias @ weight_last + abs(self.bias_last[k]))
        constant += smallest * (2 + weight_last.sum() + bias.sum())
        return constant, rounding * (weight @ weight_last) + smallest * weight.sum(1)


def _exact(values: torch.Tensor) -> np.ndarray:
    """The same numbers as fractions."""
    return np.frompyfunc(Fraction, 1, 1)(values.detach().cpu().double().numpy())
