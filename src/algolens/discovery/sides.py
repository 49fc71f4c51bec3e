"""Two declarations of the same fields, their statements by what they say of fields alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from algolens.algorithms import Declaration
from algolens.discovery.cases import ElementCases, prefixed, seen_by_it
from algolens.fields import Field, Location, Mask
from algolens.logic.formula import Concept, Formula
from algolens.looks import Quantified, Scope, Term, Test, Whose
from algolens.looks.language import atoms, with_atoms, with_terms

OURS = "found "  # before names of the first declaration, so that none means two things


class DeclaredSide:
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
        self.other: DeclaredSide | None = None  # the side whose observations may say the same,
        self.same: dict[str, Formula] = {}  # and where they do
        for statement in look.statements:
            formula = renamed_words(statement.formula, self.names)
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


class Sides:
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
        self.first = DeclaredSide(found, OURS, alias, sights)
        self.second = DeclaredSide(known, "", {}, sights)
        self.first.other = self.second
        fields = {**self.second.look.scope.fields, **self.first.look._before.fields}
        for side in (self.first, self.second):
            for name, (location, said) in side.said.items():
                fields[name] = Field(location, Mask())
                for atom in atoms(side.expanded(said, location)):
                    if isinstance(atom, Quantified):
                        fields[f"sees {atom}"] = Field(location, Mask())
        self.cases = ElementCases(Scope(fields), always, until, sights)


def renamed_words(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The same statement, words of its terms renamed."""

    return with_terms(
        formula, lambda term: Term(term.whose, tuple(names.get(word, word) for word in term.path))
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted(part.strip() for part in re.split(r"\+", text)))
