"""Invariants: clauses that hold at the start, and that every step keeps.

They are found by dropping candidates that are not kept, until all are (as Houdini does).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from algolens.algorithms import Declaration
from algolens.discovery.cases import ElementCases, UndecidedError, prefixed
from algolens.discovery.sides import Sides
from algolens.errors import AlgoLensError
from algolens.fields import Category, Location, Mask
from algolens.logic.formula import FALSE, TRUE, Concept, Formula, Not, Or
from algolens.looks import Quantified, Scope, Term, Test, Whose
from algolens.looks.language import atoms, terms, with_atoms

# steps of paths that never lead elsewhere
FIXED = {"sender", "receiver", "edge", "graph", "one_end", "other_end", "reverse"}


def find_invariant(
    found: Declaration, known: Declaration, until: float
) -> tuple[tuple[Location, Formula], ...]:
    """Clauses of up to two literals that hold in every state reached: of masks and classes, and of
    what either declaration says of those in view.
    """
    proof = Sides(found, known, (), until)
    candidates = [*_clauses(known), *_clauses_in_view(proof)]
    try:
        kept = [some for some in candidates if _holds_at_start(known, *some, until)]
        while kept:
            proof = Sides(known, known, kept, until)
            left = [some for some in kept if _is_kept(proof, *some)]
            if len(left) == len(kept):
                break
            kept = left
    except (UndecidedError, AlgoLensError):
        return ()
    return tuple(kept)


def _clauses_in_view(proof: Sides) -> Iterator[tuple[Location, Formula]]:
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
    return not ElementCases(scope, (), until).can_hold(location, ~with_atoms(clause, begins))


def _is_kept(proof: Sides, location: Location, clause: Formula) -> bool:
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
            decided,
            lambda some: (
                Test(Term(whose, (*steps, proof.second.names[some.name])))
                if isinstance(some, Concept)
                else some
            ),
        )

    formula = proof.second.expanded(with_atoms(clause, after), location)
    return not proof.cases.can_hold(location, ~formula)
