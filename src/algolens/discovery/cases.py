"""Whether a statement can hold at all: every case of an element and of those in view is tried."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np

from algolens.errors import AlgoLensError
from algolens.fields import Location
from algolens.logic.formula import Formula, disjunction
from algolens.looks import (
    Comparison,
    Order,
    Quantified,
    Quantity,
    Relation,
    Scope,
    Statement,
    Term,
    Test,
    Whose,
)
from algolens.looks.language import atoms, holds, with_atoms

# relations by which one that I see sees me
MUTUAL = ("neighbour", "other ", "adjacent edge", "rival", "sibling")
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


def seen_by_it(atom: Formula) -> Formula:
    """What an element sees, as a mask of it."""
    return Test(Term(Whose.MY, (f"sees {atom}",))) if isinstance(atom, Quantified) else atom


class ElementCases:
    """Cases of elements of which some statements always hold.

    Parameters
    ----------
    scope : Scope
        All fields and observations.
    always : sequence of (Location, Formula)
        What holds of every element.
    until : float
        A time of the process, when nothing more is proven.
    sights : mapping of str to Quantified, optional
        What others see, by the names that statements call it.
    """

    def __init__(
        self,
        scope: Scope,
        always: Sequence[tuple[Location, Formula]],
        until: float,
        sights: Mapping[str, Quantified] | None = None,
    ) -> None:
        self.scope, self.always, self.until = scope, always, until
        self.sights = {} if sights is None else sights

    def can_hold(self, location: Location, formula: Formula) -> bool:
        """Whether a statement holds in some case that an element can be in.

        Cases that are none in any graph may be among those tried, so that a yes says little, and a
        no is a proof.
        """
        seen_by = {a.relation for a in atoms(formula) if isinstance(a, Quantified)}
        for where, some in self.always:
            looked = {a.relation for a in atoms(some) if isinstance(a, Quantified)}
            if where is location and looked and looked <= seen_by:
                formula = formula & some
        quantifiers = list(dict.fromkeys(a for a in atoms(formula) if isinstance(a, Quantified)))
        own = [atom for atom in atoms(formula) if not isinstance(atom, Quantified)]
        own += [
            atom
            for quantified in quantifiers
            for atom in atoms(quantified.body)
            if not _speaks_of_another(atom)
        ]
        relations = list(dict.fromkeys(quantified.relation for quantified in quantifiers))
        in_view = {relation: self._given_in_view(relation, quantifiers) for relation in relations}
        own += [
            atom
            for some in in_view.values()
            for formula_in_view in some
            for atom in atoms(formula_in_view)
            if not _speaks_of_another(atom)
        ]
        given = list(self._given(own, location, Whose.MY))
        own += [atom for some in given for atom in atoms(some)]
        own = list(dict.fromkeys(own))
        views = [
            _View(self, location, own, [q for q in quantifiers if q.relation == one], in_view[one])
            for one in relations
        ] or [_View(self, location, own, [], [])]
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

    def _given_in_view(
        self, relation: Relation, quantifiers: Sequence[Quantified]
    ) -> list[Formula]:
        """What always holds of one in view."""
        looked = [q for q in quantifiers if q.relation == relation]
        its = [a for q in looked for a in atoms(q.body) if _speaks_of_another(a)]
        given = list(self._given(its, relation.others, Whose.ITS))
        its += [atom for some in given for atom in atoms(some)]
        for atom in dict.fromkeys(its):
            match atom:
                case Test(Term(Whose.ITS, (name,)), None) if name in self.sights:
                    sight = self.sights[name]
                    is_mutual = relation.phrase(1).startswith(MUTUAL)
                    if sight.relation == relation and is_mutual and sight.count == 1:
                        # one that I see sees me
                        given.append(~_exchanged(sight.body) | atom)
                case Comparison((Term(_, (name,)),), _, (Term(_, (other,)),)) if name == other:
                    kind = self.scope.fields[name].kind if name in self.scope.fields else None
                    if getattr(kind, "distinct", "") == "neighbours" and relation.along_edges:
                        left, right = atom.sides
                        given.append(Comparison(left, Order.DIFFERENT, right))
        return given

    def _given(
        self, said: Iterable[Formula], location: Location, whose: Whose
    ) -> Iterator[Formula]:
        """What always holds of the elements that statements name a field of."""
        named = set(said)
        prefixes: set[tuple[Location, tuple[str, ...]]] = {(location, ())}
        for atom in named:
            for term in _terms(atom):
                field = self.scope.fields.get(term.path[-1]) if term.path else None
                if term.whose is whose and field is not None:
                    prefixes.add((field.location, term.path[:-1]))
        for at, steps in sorted(prefixes, key=str):
            for where, formula in self.always:
                is_mine = not steps and whose is Whose.MY
                looks = any(isinstance(atom, Quantified) for atom in atoms(formula))
                if where is at and not (looks and is_mine):
                    some = prefixed(with_atoms(formula, seen_by_it), whose, steps)
                    words = {term.path[-1] for atom in atoms(some) for term in _terms(atom)}
                    is_known = all(word in self.scope.fields for word in words)
                    if is_known and named & set(atoms(some)):
                        yield some


class _View:
    """One relation of a statement: own classes, and what can be true of those in view."""

    def __init__(
        self,
        cases: ElementCases,
        location: Location,
        own: Sequence[Formula],
        quantifiers: Sequence[Quantified],
        given: Sequence[Formula],
    ) -> None:
        self.quantifiers, parts = list(quantifiers), [*own, *quantifiers]
        self.given = list(given)
        if self.given:  # names what is given, so that kinds tell it
            named = disjunction(*self.given)
            parts.append(Quantified(Quantity.SOME, quantifiers[0].relation, named))
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
            is_so = partial(statement.atom_holds, own=own, kind=kind)
            kinds[kind] = all(holds(some, is_so) for some in self.given)
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


def _exchanged(formula: Formula) -> Formula:
    """What is said of two, said with both exchanged."""
    others = {Whose.MY: Whose.ITS, Whose.ITS: Whose.MY}

    def side(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(Term(others[term.whose], term.path) for term in terms)

    def said(atom: Formula) -> Formula:
        match atom:
            case Test(term, label):
                return Test(side((term,))[0], label)
            case Comparison(left, order, right):
                return Comparison(side(left), order, side(right))
        raise UndecidedError(f"'{atom}' looks at others.")

    return with_atoms(formula, said)


def _speaks_of_another(atom: Formula) -> bool:
    return any(term.whose is Whose.ITS for term in _terms(atom))
