"""Whether a statement can hold at all: every case of an element and of those in view is tried."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from algolens.errors import AlgoLensError
from algolens.fields import Location
from algolens.logic.formula import Formula, disjunction
from algolens.looks import Comparison, Quantified, Quantity, Scope, Statement, Term, Test, Whose
from algolens.looks.language import atoms, holds, with_atoms

MOST_OWN = 4_000  # classes of an element; with more, nothing is proven


class UndecidedError(AlgoLensError):
    """Where there are too many cases, or the time is spent."""


def prefixed(formula: Formula, whose: Whose, steps: tuple[str, ...]) -> Formula:
    """What is said of an element, said of the one that a path leads to."""

    def word(term: Term) -> Term:
        return Term(whose, (*steps, *term.path))

    def said(atom: Formula) -> Formula:
        match atom:
            case Test(term, label):
                return Test(word(term), label)
            case Comparison(left, order, right):
                return Comparison(tuple(map(word, left)), order, tuple(map(word, right)))
        raise UndecidedError(f"'{atom}' looks at others.")

    return with_atoms(formula, said)


class Cases:
    """Cases of elements of which some statements always hold.

    Parameters
    ----------
    scope : Scope
        All fields and observations.
    always : sequence of (Location, Formula)
        What holds of every element: statements about it alone.
    until : float
        A time of the process, when nothing more is proven.
    """

    def __init__(
        self, scope: Scope, always: Sequence[tuple[Location, Formula]], until: float
    ) -> None:
        self.scope, self.always, self.until = scope, always, until

    def can_hold(self, location: Location, formula: Formula) -> bool:
        """Whether a statement holds in some case that an element can be in.

        Cases that are none in any graph may be among those tried, so that a yes says little, and a
        no is a proof.
        """
        quantifiers = list(dict.fromkeys(a for a in atoms(formula) if isinstance(a, Quantified)))
        own = [atom for atom in atoms(formula) if not isinstance(atom, Quantified)]
        own += [
            atom
            for quantified in quantifiers
            for atom in atoms(quantified.body)
            if not _speaks_of_another(atom)
        ]
        given = list(self._given(own, location, Whose.MY))
        own += [atom for some in given for atom in atoms(some)]
        own = list(dict.fromkeys(own))
        relations = list(dict.fromkeys(quantified.relation for quantified in quantifiers))
        views = [
            _View(self, location, own, [q for q in quantifiers if q.relation == relation])
            for relation in relations
        ] or [_View(self, location, own, [])]
        for number in range(views[0].num_own):
            if time.process_time() > self.until:
                raise UndecidedError("the time is spent.")
            truth = views[0].own_truth(number)
            if not all(holds(some, truth.__getitem__) for some in given):
                continue
            for seen in product(*(view.cases(number) for view in views)):
                values = truth | {atom: value for some in seen for atom, value in some}
                if holds(formula, values.__getitem__):
                    return True
        return False

    def _given(
        self, said: Iterable[Formula], location: Location, whose: Whose
    ) -> Iterator[Formula]:
        """What always holds of the elements that statements name a field of."""
        named = set(said)
        prefixes = {(location, ())}
        for atom in named:
            for term in _terms(atom):
                field = self.scope.fields.get(term.path[-1]) if term.path else None
                if term.whose is whose and field is not None:
                    prefixes.add((field.location, term.path[:-1]))
        for at, steps in sorted(prefixes, key=str):
            for where, formula in self.always:
                if where is at:
                    some = prefixed(formula, whose, steps)
                    if named & set(atoms(some)):
                        yield some


class _View:
    """One relation of a statement: own classes, and what can be true of those in view."""

    def __init__(
        self,
        cases: Cases,
        location: Location,
        own: Sequence[Formula],
        quantifiers: Sequence[Quantified],
    ) -> None:
        self.quantifiers, parts = list(quantifiers), [*own, *quantifiers]
        self.given: list[Formula] = []
        if quantifiers:
            its = [a for q in quantifiers for a in atoms(q.body) if _speaks_of_another(a)]
            relation = quantifiers[0].relation
            self.given = list(cases._given(its, relation.others, Whose.ITS))
            if self.given:  # names what the given says, so that kinds tell it
                named = disjunction(*self.given)
                parts.append(Quantified(Quantity.SOME, relation, named))
        formula = disjunction(*parts) if parts else Test(Term(Whose.MY, ("",)))
        self.own = list(own)
        self.statement = Statement("case", location, formula, cases.scope) if parts else None
        self.num_own = self.statement.num_own if self.statement is not None else 1
        if self.num_own > MOST_OWN:
            raise UndecidedError("there are too many cases.")

    def own_truth(self, own: int) -> dict[Formula, bool]:
        """What is true of an element of a class."""
        if self.statement is None:
            return {}
        return {atom: self.statement.atom_holds(atom, own) for atom in self.own}

    def cases(self, own: int) -> list[tuple[tuple[Formula, bool], ...]]:
        """Which quantified statements can be true together."""
        statement = self.statement
        if statement is None or not self.quantifiers:
            return [()]
        kinds = statement.possible_kinds.copy()
        for kind in np.flatnonzero(kinds).tolist():
            kinds[kind] = all(
                holds(some, lambda atom, kind=kind: statement.atom_holds(atom, own, kind))
                for some in self.given
            )
        closed = statement.closure(own, kinds=kinds)
        received = closed.received[closed.cases(statement.exactly)]
        places = [statement.quantifiers.index(some) for some in self.quantifiers]
        columns = [
            np.asarray(some.holds(received[:, place]), bool)
            for some, place in zip(self.quantifiers, places, strict=True)
        ]
        rows = {tuple(map(bool, row)) for row in np.stack(columns, 1)}
        return [tuple(zip(self.quantifiers, row, strict=True)) for row in sorted(rows)]


def _terms(atom: Formula) -> tuple[Term, ...]:
    match atom:
        case Test(term):
            return (term,)
        case Comparison(left, _, right):
            return (*left, *right)
    return ()


def _speaks_of_another(atom: Formula) -> bool:
    return any(term.whose is Whose.ITS for term in _terms(atom))


def in_others(quantified: Quantified, changed: Formula) -> Quantified:
    """A quantified statement with another body."""
    return replace(quantified, body=changed)
