"""Whether two declarations take the same steps on every graph, proven case by case.

Both are compared in all states that satisfy an invariant: statements about masks and classes of an
element that hold at the start, and that every step keeps. The invariant is found by dropping
candidates that are not kept, until all are. Nothing is sampled.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from algolens.algorithms import Declaration
from algolens.discovery.cases import Cases, UndecidedError, prefixed, seen_by_it
from algolens.errors import AlgoLensError
from algolens.fields import Category, Field, Location, Mask
from algolens.logic.formula import FALSE, TRUE, Concept, Formula, Not, Or
from algolens.looks import Comparison, Quantified, Scope, Term, Test, Whose
from algolens.looks.language import atoms, statement_text, terms, with_atoms
from algolens.looks.moves import Move

# steps of paths that never lead elsewhere
FIXED = {"sender", "receiver", "edge", "graph", "one_end", "other_end", "reverse"}
OURS = "found "  # before names of the first declaration, so that none means two things


@dataclass(frozen=True)
class Equality:
    """What is proven of two declarations."""

    proven: bool
    unproven: str | None = None  # where the proof ends
    invariant: tuple[str, ...] = ()  # what holds in every state that is reached, where it is needed


def prove_equal(found: Declaration, known: Declaration, seconds: float = 20.0) -> Equality:
    """Whether two declarations take the same steps on every graph.

    Parameters
    ----------
    found, known : Declaration
        Of the same fields.
    seconds : float
        Of computing, after which nothing is proven.
    """
    until = time.process_time() + seconds
    reason = _Proof(found, known, (), until).reason()
    if reason is None:
        return Equality(True)
    always = _invariant(found, known, until)
    if always:
        said = tuple(f"{at.value}: {statement_text(formula)}" for at, formula in always)
        reason = _Proof(found, known, always, until).reason()
        if reason is None:
            return Equality(True, None, said)
    return Equality(False, reason)


class _Side:
    """One declaration: what its observations say, and what a step decides."""

    def __init__(
        self,
        declaration: Declaration,
        prefix: str,
        alias: Mapping[str, str],
        sights: dict[str, Quantified],
    ) -> None:
        self.declaration, self.sights = declaration, sights
        look = declaration.seen
        assert look is not None
        self.look, self.prefix = look, prefix
        self.names = {name: f"{prefix}{name}" for name in declaration.look} | dict(alias)
        self.said: dict[str, tuple[Location, Formula]] = {}
        self.other: _Side | None = None  # the side whose observations may say the same,
        self.same: dict[str, Formula] = {}  # and where they do
        for statement in look.statements:
            formula = _renamed(statement.formula, self.names)
            self.said[self.names[statement.name]] = (statement.location, formula)

    def expanded(self, formula: Formula, location: Location) -> Formula:
        """A statement over names of observations, by what these say."""
        return with_atoms(formula, lambda atom: self._expanded(atom, location))

    def _expanded(self, atom: Formula, location: Location) -> Formula:
        match atom:
            case Concept(name):
                return self._expanded(Test(Term(Whose.MY, (self.names[name],))), location)
            case Quantified(body=body):
                inner = with_atoms(body, lambda some: self._expanded(some, location))
                return replace(atom, body=inner)
            case Test(Term(whose, (*steps, name)), None) if name in self.said:
                at, said = self.said[name]
                if name in self.same:
                    other = prefixed(self.same[name], whose, tuple(steps))
                    return self.other.expanded(other, at) if self.other is not None else other
                inner = self.expanded(said, at)
                if not steps and whose is Whose.MY:
                    return inner
                return prefixed(with_atoms(inner, self._sight), whose, tuple(steps))
        return atom

    def _sight(self, atom: Formula) -> Formula:
        """What an element sees, as a mask of it."""
        if isinstance(atom, Quantified):
            self.sights[f"sees {atom}"] = atom
        return seen_by_it(atom)

    def decided(self, name: str, label: str) -> Formula:
        """Where a class of a mask or a category is decided, over names."""
        rules = self.declaration.rule_set.rules
        if name in rules:
            return rules[name][label]
        test = Concept(name)
        return test if label == "true" else ~test


class _Proof:
    """Two declarations, compared in all states that satisfy an invariant."""

    def __init__(
        self,
        found: Declaration,
        known: Declaration,
        always: Sequence[tuple[Location, Formula]],
        until: float,
    ) -> None:
        self.found, self.known = found, known
        ours = {name: (at.location, _words(at.text)) for name, at in found.sums.items()}
        theirs = {(at.location, _words(at.text)): name for name, at in known.sums.items()}
        alias = {name: theirs[total] for name, total in ours.items() if total in theirs}
        sights: dict[str, Quantified] = {}
        self.first = _Side(found, OURS, alias, sights)
        self.second = _Side(known, "", {}, sights)
        self.first.other = self.second
        fields = {**self.second.look.scope.fields, **self.first.look._before.fields}
        for side in (self.first, self.second):
            for name, (location, said) in side.said.items():
                fields[name] = Field(location, Mask())
                for atom in atoms(side.expanded(said, location)):
                    if isinstance(atom, Quantified):
                        fields[f"sees {atom}"] = Field(location, Mask())
        self.cases = Cases(Scope(fields), always, until, sights)

    def reason(self) -> str | None:
        """Where the proof ends; None where it does not."""
        try:
            return self._unify() or self._unequal()
        except (UndecidedError, AlgoLensError) as problem:
            return str(problem)

    def _unify(self) -> None:
        """Finds observations of both that say the same."""
        for name, (location, said) in self.first.said.items():
            mine = self.first.expanded(said, location)
            if not any(isinstance(atom, Quantified) for atom in atoms(mine)):
                continue
            for other, (at, theirs) in self.second.said.items():
                if at is not location:
                    continue
                its = self.second.expanded(theirs, at)
                try:
                    if self._equal(location, mine, its):
                        self.first.same[name] = Test(Term(Whose.MY, (other,)))
                        break
                    if self._equal(location, mine, Not(its)):
                        self.first.same[name] = Not(Test(Term(Whose.MY, (other,))))
                        break
                except UndecidedError:
                    continue

    def _equal(self, location: Location, mine: Formula, its: Formula) -> bool:
        return mine == its or not self.cases.can_hold(location, (mine & ~its) | (~mine & its))

    def _unequal(self) -> str | None:
        ours, theirs = self.found, self.known
        if (ours.location, ours.state) != (theirs.location, theirs.state):
            return "they have other fields"
        for name in theirs.state:
            if self.first.look.starts[name] != self.second.look.starts[name]:
                return f"'{name}' may begin otherwise"
        for name, field in theirs.predicted.items():
            is_decided = name in theirs.state or name in theirs.outputs
            if is_decided and isinstance(field.kind, Mask | Category):
                for label in field.kind.labels:
                    if not self._same(field.location, name, label):
                        return f"'{name}' could not be shown to be decided alike"
        for name in theirs.outcomes:
            location = theirs.look[name].location
            sides = (side.expanded(Concept(name), location) for side in (self.first, self.second))
            if not self._equal(location, *sides):
                return f"the outcome '{name}' could not be shown to be the same"
        return self._unequal_moves() or self._unequal_going_on()

    def _same(self, location: Location, name: str, label: str) -> bool:
        sides = (
            side.expanded(side.decided(name, label), location) for side in (self.first, self.second)
        )
        return self._equal(location, *sides)

    def _unequal_moves(self) -> str | None:
        for name in {*self.found.moves, *self.known.moves}:
            field = self.known.predicted[name]
            ours, theirs = (
                [Move.parse(text) for text in _texts(side.declaration.moves.get(name, name))]
                for side in (self.first, self.second)
            )
            different = f"'{name}' could not be shown to move alike"
            if len(ours) != len(theirs):
                return different
            for mine, its in zip(ours, theirs, strict=True):
                value = _renamed(Test(mine.value), self.first.names)
                if value != Test(its.value) or mine.relation != its.relation:
                    return different
                at = field.location if mine.relation is None else mine.relation.others
                for location, one, other in (
                    (at, mine.mark, its.mark),
                    (field.location, mine.guard, its.guard),
                ):
                    if (one is None) != (other is None):
                        return different
                    if one is None or other is None:
                        continue
                    one = self.first.expanded(_renamed(_own(one), self.first.names), location)
                    other = self.second.expanded(_own(other), location)
                    if not self._equal(location, one, other):
                        return different
        return None

    def _unequal_going_on(self) -> str | None:
        ours, theirs = self.found.rule_set.continues, self.known.rule_set.continues
        if ours is None or theirs is None:
            same = (
                ours is None and theirs is None and self.found.most_steps == self.known.most_steps
            )
            return None if same else "they may stop otherwise"
        if ours.quantifier is theirs.quantifier:
            location = self.known.location
            mine = self.first.expanded(ours.formula, location)
            if self._equal(location, mine, self.second.expanded(theirs.formula, location)):
                return None
        return "they could not be shown to stop alike"


# ---- the invariant


def _invariant(
    found: Declaration, known: Declaration, until: float
) -> tuple[tuple[Location, Formula], ...]:
    """Clauses of up to two literals that hold in every state reached: of masks and classes, and of
    what either declaration says of those in view.
    """
    proof = _Proof(found, known, (), until)
    candidates = [*_clauses(known), *_clauses_in_view(proof)]
    try:
        kept = [some for some in candidates if _holds_at_start(known, *some, until)]
        while kept:
            proof = _Proof(known, known, kept, until)
            left = [some for some in kept if _is_kept(proof, *some)]
            if len(left) == len(kept):
                break
            kept = left
    except (UndecidedError, AlgoLensError):
        return ()
    return tuple(kept)


def _clauses_in_view(proof: _Proof) -> Iterator[tuple[Location, Formula]]:
    """What is said of those in view, by masks, classes and inputs, beside an own literal."""
    known = proof.known
    literals = list(_clauses(known))
    seen: dict[tuple[Location, Formula], None] = {}
    for side in (proof.first, proof.second):
        for location, said in side.said.values():
            for atom in atoms(side.expanded(said, location)):
                if isinstance(atom, Quantified) and _is_of_masks(known, atom.body):
                    seen[location, atom] = None
    for location, atom in seen:
        for sign in (atom, Not(atom)):
            yield location, sign
            for where, literal in literals:
                if where is location and not isinstance(literal, Or):
                    yield location, literal | sign


def _is_of_masks(known: Declaration, body: Formula) -> bool:
    """Whether it speaks of masks, classes and what never changes."""
    for term in terms(body):
        *steps, name = term.path or ("",)
        if any(step not in FIXED for step in steps) or not name:
            return False
        name = name.removeprefix("last ")
        if name in known.state:
            if not isinstance(known.predicted[name].kind, Mask | Category):
                return False
        elif name not in known.inputs and name != "number":
            return False
    return True


def _clauses(known: Declaration) -> Iterator[tuple[Location, Formula]]:
    for location in (Location.NODE, Location.EDGE, Location.GRAPH):
        literals: list[tuple[str, Formula]] = []
        for name in known.state:
            field = known.predicted[name]
            if field.location is not location:
                continue
            called = name
            if isinstance(field.kind, Mask):
                if name not in known.outputs and name in known.look:
                    called = f"last {name}"
                test: Formula = Test(Term(Whose.MY, (called,)))
                literals += [(name, test), (name, ~test)]
            elif isinstance(field.kind, Category):
                for label in field.kind.labels:
                    test = Test(Term(Whose.MY, (name,)), label)
                    literals += [(name, test), (name, ~test)]
        yield from ((location, literal) for _, literal in literals)
        for (one, first), (other, second) in combinations(literals, 2):
            if one != other:
                yield location, first | second


def _holds_at_start(known: Declaration, location: Location, clause: Formula, until: float) -> bool:
    """Whether a clause holds of every element of the first state."""
    look = known.seen
    assert look is not None

    def begins(atom: Formula) -> Formula:
        if isinstance(atom, Quantified):
            return replace(atom, body=with_atoms(atom.body, begins))
        if not isinstance(atom, Test):
            return atom
        *steps, name = atom.term.path
        if name.removeprefix("last ") not in known.state:
            return atom
        start = look.starts[name.removeprefix("last ")]
        number = 1 if atom.label is None else start.field.kind.labels.index(atom.label)
        if start.value is not None:
            return TRUE if start.value == number else FALSE
        earlier: Formula = FALSE
        for case, statement in start.cases:
            if case == number:
                return prefixed(statement.formula & ~earlier, atom.term.whose, tuple(steps))
            earlier = earlier | statement.formula
        return prefixed(~earlier, atom.term.whose, tuple(steps)) if number == 0 else FALSE

    scope = Scope(dict(known.inputs))
    return not Cases(scope, (), until).can_hold(location, ~with_atoms(clause, begins))


def _is_kept(proof: _Proof, location: Location, clause: Formula) -> bool:
    """Whether a clause holds after every step from a state that satisfies the invariant."""

    def after(atom: Formula) -> Formula:
        if isinstance(atom, Quantified):
            return replace(atom, body=with_atoms(atom.body, after))
        if not isinstance(atom, Test):
            return atom
        *steps, name = atom.term.path
        if name.removeprefix("last ") not in proof.known.state:
            return atom
        decided = proof.second.decided(name.removeprefix("last "), atom.label or "true")
        whose = atom.term.whose
        return with_atoms(
            decided, lambda some: Test(Term(whose, (*steps, proof.second.names[some.name])))
        )

    formula = proof.second.expanded(with_atoms(clause, after), location)
    return not proof.cases.can_hold(location, ~formula)


# ---- words


def _renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    def word(term: Term) -> Term:
        return Term(term.whose, tuple(names.get(some, some) for some in term.path))

    def said(atom: Formula) -> Formula:
        match atom:
            case Test(term, label):
                return Test(word(term), label)
            case Comparison(left, order, right):
                return Comparison(tuple(map(word, left)), order, tuple(map(word, right)))
            case Quantified(body=body):
                return replace(atom, body=with_atoms(body, said))
        return atom

    return with_atoms(formula, said)


def _own(formula: Formula) -> Formula:
    """A mark, as each of those in view says it of itself."""
    return with_atoms(
        formula,
        lambda atom: (
            Test(Term(Whose.MY, atom.term.path), atom.label) if isinstance(atom, Test) else atom
        ),
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted(part.strip() for part in re.split(r"\+", text)))


def _texts(moves: str | Sequence[str]) -> Sequence[str]:
    return [moves] if isinstance(moves, str) else moves
