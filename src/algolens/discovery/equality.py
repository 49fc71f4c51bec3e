"""Whether two declarations take the same steps on every graph, proven case by case.

Both are compared in all states that satisfy an invariant: statements about masks and classes of an
element that hold at the start, and that every step keeps. The invariant is found by dropping
candidates that are not kept, until all are. Nothing is sampled.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from algolens.algorithms import Declaration
from algolens.discovery.cases import UndecidedError
from algolens.discovery.invariants import find_invariant
from algolens.discovery.sides import Sides, renamed_words
from algolens.errors import AlgoLensError
from algolens.fields import Category, Location, Mask
from algolens.logic.formula import Concept, Formula, Not
from algolens.looks import Quantified, Term, Test, Whose
from algolens.looks.language import atoms, statement_text, with_atoms
from algolens.looks.moves import Move


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
    always = find_invariant(found, known, until)
    if always:
        said = tuple(f"{at.value}: {statement_text(formula)}" for at, formula in always)
        reason = _Proof(found, known, always, until).reason()
        if reason is None:
            return Equality(True, None, said)
    return Equality(False, reason)


class _Proof(Sides):
    """Two declarations, compared in all states that satisfy an invariant."""

    def reason(self) -> str | None:
        """Where the proof ends; None where it does not."""
        try:
            self._unify()
            return self._unequal()
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
                value = renamed_words(Test(mine.value), self.first.names)
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
                    one = self.first.expanded(renamed_words(_own(one), self.first.names), location)
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


def _own(formula: Formula) -> Formula:
    """A mark, as each of those in view says it of itself."""
    return with_atoms(
        formula,
        lambda atom: (
            Test(Term(Whose.MY, atom.term.path), atom.label) if isinstance(atom, Test) else atom
        ),
    )


def _texts(moves: str | Sequence[str]) -> Sequence[str]:
    return [moves] if isinstance(moves, str) else moves
