"""The smallest statement of the look language that is true of some combinations of features and not
of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from algolens.logic import Formula, minimise, pack
from algolens.logic.formula import And, Concept, Constant, Not, Or, conjunction, disjunction
from algolens.looks import Compared, Comparison, Feature, Label, Meeting, Order, Test
from algolens.looks.language import holds as truth

NAME = "statement_{}"


@dataclass(frozen=True, eq=False)
class Statements:
    """Atomic statements, and in which of M cases each is true."""

    atoms: tuple[Formula, ...]
    holds: np.ndarray  # [M, A] bools

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Statements:
        """All that can be said of features, in every combination of their values, numbered as a
        reading numbers them.
        """
        every = list(product(*(range(each.size) for each in features)))
        rows = np.array(every, np.int64).reshape(len(every), len(features))
        said = [
            (place, value, atom)
            for place, each in enumerate(features)
            for value, atom in _atoms(each)
        ]
        columns = [rows[:, place] == value for place, value, _ in said]
        return cls(
            tuple(atom for *_, atom in said),
            np.array(columns, bool).reshape(len(said), len(rows)).T,
        )

    def at(self, cases: np.ndarray) -> Statements:
        """The same statements in some of the cases, in any order."""
        return Statements(self.atoms, self.holds[cases])

    def beside(self, other: Statements) -> Statements:
        """Statements of both, in the same cases."""
        return Statements(self.atoms + other.atoms, np.concatenate([self.holds, other.holds], 1))

    def evaluate(self, formula: Formula) -> np.ndarray:
        """[M] bools: in which of the cases a formula of these statements is true."""
        place = {atom: number for number, atom in enumerate(self.atoms)}

        def of_atom(atom: Formula) -> np.ndarray:
            if atom in place:
                return self.holds[:, place[atom]]
            assert isinstance(atom, Comparison)
            return ~self.holds[:, place[Comparison(atom.left, atom.order.opposite, atom.right)]]

        return np.broadcast_to(np.asarray(truth(formula, of_atom), bool), len(self.holds))


@dataclass(frozen=True)
class Worded:
    """A statement and what is known of its size."""

    formula: Formula
    size: tuple[int, int, int]  # clauses, literals, and how many of these are negated
    proven: bool  # none with fewer clauses says the same, and none with as few and fewer literals


def worded(statements: Statements, true: np.ndarray) -> Worded:
    """The smallest statement that is true in the cases [M] that are, and not in the others. What it
    says elsewhere is free.
    """
    names = [NAME.format(place) for place in range(len(statements.atoms))]
    patterns = pack(statements.holds)
    found = minimise(names, np.unique(patterns[true]), np.unique(patterns[~true]))
    place = {name: number for number, name in enumerate(names)}
    clauses = [
        conjunction(*(_said(term, place, statements) for term in _terms(clause)))
        for clause in found.clauses
    ]
    literals = [term for clause in clauses for term in _terms(clause)]
    size = len(clauses), len(literals), sum(_is_negated(term) for term in literals)
    return Worded(disjunction(*clauses), size, found.proven)


def _atoms(feature: Feature) -> list[tuple[int, Formula]]:
    """What can be said of a feature: for each statement the value of which it is true."""
    match feature:
        case Label(term, ("false", "true")):
            return [(1, Test(term))]
        case Label(term, labels):
            return [(value, Test(term, label)) for value, label in enumerate(labels)]
        case Compared(left, right):
            orders = (Order.LOWER, Order.EQUAL, Order.HIGHER)
            return [(value, Comparison(left, order, right)) for value, order in enumerate(orders)]
        case Meeting(left, right):
            return [(1, Comparison((left,), Order.EQUAL, (right,)))]


def _terms(clause: Formula) -> tuple[Formula, ...]:
    return (
        clause.terms if isinstance(clause, And) else () if clause == Constant(True) else (clause,)
    )


def _said(literal: Formula, place: Mapping[str, int], statements: Statements) -> Formula:
    """A literal of the minimiser as a look says it; what is denied, by the statement that is true
    where it is not.
    """
    match literal:
        case Concept(name):
            return statements.atoms[place[name]]
        case Not(Concept(name)):
            atom, holds = statements.atoms[place[name]], statements.holds
            opposites = np.flatnonzero((holds == ~holds[:, [place[name]]]).all(0))
            if len(opposites):
                return statements.atoms[opposites[0]]
            return (
                Comparison(atom.left, atom.order.opposite, atom.right)
                if isinstance(atom, Comparison)
                else Not(atom)
            )
    return literal


def _is_negated(literal: Formula) -> bool:
    return isinstance(literal, Not) or (
        isinstance(literal, Comparison) and literal.order is Order.DIFFERENT
    )


def literals_of(formula: Formula) -> list[Formula]:
    """The literals of a disjunction of conjunctions."""
    clauses = formula.terms if isinstance(formula, Or) else (formula,)
    return [term for clause in clauses for term in _terms(clause)]


def replaced(formula: Formula, old: Formula, new: Formula) -> Formula:
    """A disjunction of conjunctions with another literal in the place of one."""
    clauses = formula.terms if isinstance(formula, Or) else (formula,)
    said = [
        conjunction(*(new if term == old else term for term in _terms(clause)))
        for clause in clauses
    ]
    return disjunction(*said)
