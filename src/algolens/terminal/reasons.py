"""Why something was seen, in words: the parts of a statement that decide, and who makes them so.
The player says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import Tensor

from algolens.execution import Run
from algolens.execution.numbers import given_numbers
from algolens.fields import Kind, Mask, numbers_in
from algolens.graphs import Location
from algolens.logic import Formula
from algolens.logic.formula import And, Constant, Not, Or
from algolens.looks import (
    Comparison,
    Order,
    Quantified,
    Quantity,
    Relation,
    Term,
    Test,
    Whose,
    statement_text,
)
from algolens.looks.language import holds
from algolens.looks.scope import NUMBER, GraphState, ResolvedTerm
from algolens.terminal.names import element_name, written

MOST_NAMED = 6  # of those in view, so many are named; of more, a count
# others as they are typed
SIGNS = {Order.DIFFERENT: "≠", Order.NOT_HIGHER: "≤", Order.NOT_LOWER: "≥"}


@dataclass(frozen=True)
class SeenBecause:
    """A part of a statement that decides, and those in view that make it so."""

    statement: str
    holds: bool
    evidence: tuple[str, ...]  # each one or several in view, and what is so of them
    more: int  # in view, and not named

    def __str__(self) -> str:
        named = "; ".join([*self.evidence, *([f"and {self.more} more"] if self.more else [])])
        return f"{self.statement}: {named}" if named else self.statement


class StepSeen:
    """What one step of a run of one graph saw: as the network saw it, and for the rest as the
    algorithm declares it.
    """

    def __init__(self, run: Run, step: int) -> None:
        """step: from 0 on."""
        look = run.algorithm.declaration.seen
        assert look is not None
        self.run, self.look = run.with_trace(), look
        on = look.on(run.graph)
        self.batch: GraphState = on.batch(
            run.inputs, {name: run.state(name)[step] for name in run.start}
        )
        for reading in look.readings:
            name = reading.observation.name
            is_seen = (
                run.has_concepts and name in run.algorithm.declaration.concepts
            ) or name in run.hints
            self.batch.add(
                name, run[name][step] if is_seen else on.observer.observe(reading, self.batch)
            )

    def reasons(self, name: str, element: int) -> list[SeenBecause]:
        """Why an observation is as it is at an element: the parts of its statement that decide."""
        reading = next(each for each in self.look.readings if each.observation.name == name)
        at = reading.observation.location
        looking = _Looking(self, at, at, element, element)
        return [
            self._quantified(atom, truth, looking)
            if isinstance(atom, Quantified)
            else SeenBecause(looking.in_words(atom, truth, Whose.MY), truth, (), 0)
            for atom, truth in deciding(reading.observation.formula, looking.says)
        ]

    def declared(self, name: str, element: int) -> bool:
        """What the statement gives of which a run may have seen otherwise."""
        reading = next(each for each in self.look.readings if each.observation.name == name)
        at = reading.observation.location
        return _Looking(self, at, at, element, element).says(reading.observation.formula)

    def moved(self, name: str, element: int) -> str | None:
        """By which move a pointer or a number becomes what it is, and from whom it has it; None
        where it stays.
        """
        for mover in self.look.movers:
            move = mover.move
            looking = _Looking(self, mover.at, mover.at, element, element)
            if mover.name != name or not (move.guard is None or looking.says(move.guard)):
                continue
            if move.relation is None or move.mark is None:
                return str(move)
            others = move.relation.others
            for it in self.in_view(move.relation, element):
                if _Looking(self, mover.at, others, element, it).says(move.mark):
                    return f"{move}: {element_name(self.run.graph, others, it)}"
        return None

    def in_view(self, relation: Relation, element: int) -> list[int]:
        """Those that an element has in view, in order."""
        looks, others = self.batch.view(relation).pairs(self.run.graph.count(relation.own))
        return sorted(set(others[looks == element].tolist()))

    def _quantified(self, atom: Quantified, truth: bool, looking: _Looking) -> SeenBecause:
        view = self.in_view(atom.relation, looking.me)
        beside = {
            it: _Looking(self, looking.own, atom.relation.others, looking.me, it) for it in view
        }
        are_so = [it for it in view if beside[it].says(atom.body)]
        if atom.quantity is Quantity.EVERY:
            shown = view if truth else [it for it in view if it not in are_so]
        else:
            shown = are_so if truth else view
        parts = {it: deciding(atom.body, beside[it].says) for it in shown}
        # of those that fail, one that fails by a comparison of numbers tells more than one that
        # fails before it
        shown = sorted(
            shown,
            key=lambda it: (not any(isinstance(part, Comparison) for part, _ in parts[it]), it),
        )
        alike: dict[str, list[str]] = {}  # those of whom the same is to be said, together
        for it in shown[:MOST_NAMED]:
            said = ", ".join(
                beside[it].in_words(part, is_so, Whose.ITS) for part, is_so in parts[it]
            )
            alike.setdefault(said, []).append(
                element_name(self.run.graph, atom.relation.others, it)
            )
        evidence = tuple(
            f"{', '.join(names)} ({said})" if said else ", ".join(names)
            for said, names in alike.items()
        )
        return SeenBecause(
            self._statement(atom, truth, len(view), len(are_so)),
            truth,
            evidence,
            len(shown[MOST_NAMED:]),
        )

    def _statement(self, atom: Quantified, truth: bool, in_view: int, are_so: int) -> str:
        phrase = atom.relation.phrase(1)
        text = (
            statement_text(atom if truth else Not(atom))
            if atom.quantity is Quantity.SOME
            else ("" if truth else "not ") + statement_text(atom)
        )
        if atom.quantity is Quantity.AT_LEAST:
            text += f", and {are_so} of {in_view} {'is' if are_so == 1 else 'are'} so"
        return text if in_view else f"{text}, and there is no {phrase}"

    @cached_property
    def _given(self) -> dict[str, list[Any]]:
        """Inputs that are numbers, as the user wrote them."""
        run = self.run
        numbers = numbers_in(run.algorithm.declaration.inputs)
        return {name: given_numbers(run.algorithm, run.graph, run.inputs, name) for name in numbers}

    def value_in_words(self, found: ResolvedTerm, element: int) -> str:
        """What a path leads to from an element, by the user's own names and numbers."""
        value = int(self.batch.of(found)[element])
        if found.field is None:
            return (
                "the graph"
                if found.at is Location.GRAPH
                else element_name(self.run.graph, found.at, value)
            )
        if found.field in self._given:
            there = ResolvedTerm(found.own, found.steps, found.at, None, None)
            return written(self._given[found.field][int(self.batch.of(there)[element])])
        if found.field == NUMBER:
            return str(value)
        return _in_words(found.kind, self.run.in_own_units(found.field, [value])[0])


@dataclass(frozen=True)
class _Looking:
    """One element that looks at another, or at itself."""

    seen: StepSeen
    own: Location
    other: Location
    me: int
    it: int

    def says(self, formula: Formula) -> bool:
        """Whether a statement holds."""
        return bool(holds(formula, self._atom))

    def _atom(self, atom: Formula) -> bool:
        match atom:
            case Test(term, label):
                found = self._found(term)
                labels = () if found.kind is None else found.kind.labels
                return self._value(term) == (1 if label is None else labels.index(label))
            case Comparison(left, order, right):
                mine, its = ([self._value(term) for term in terms] for terms in (left, right))
                return (1 + (mine > its) - (mine < its)) in order.outcomes
            case Quantified(quantity, relation, body, count):
                view = self.seen.in_view(relation, self.me)
                so = sum(
                    _Looking(self.seen, self.own, relation.others, self.me, it).says(body)
                    for it in view
                )
                return so >= count if quantity is not Quantity.EVERY else so == len(view)
        raise TypeError(f"{type(atom).__name__} is no part of a look")

    def _found(self, term: Term) -> ResolvedTerm:
        return self.seen.look.scope.resolve(term, self.own, self.other)

    def _who(self, term: Term) -> int:
        return self.me if term.whose is Whose.MY else self.it

    def _value(self, term: Term) -> int:
        values: Tensor = self.seen.batch.of(self._found(term))
        return int(values[self._who(term)])

    def in_words(self, atom: Formula, truth: bool, subject: Whose) -> str:
        """An atom with the values that it speaks of: ``priority 3 < 12``, ``not visited``."""
        if isinstance(atom, Test):
            said = statement_text(Test(atom.term), subject)
            if atom.label is None:
                return said if truth else f"not {said}"
            return f"{said} is {self._told(atom.term)}"
        assert isinstance(atom, Comparison)
        order = atom.order if truth else atom.order.opposite
        names = ["'s ".join(term.path) for term in atom.left if term.path]
        sides = [_joined([self._told(term) for term in terms]) for terms in (atom.left, atom.right)]
        return f"{_joined(names)} {sides[0]} {SIGNS.get(order, order.value)} {sides[1]}".strip()

    def _told(self, term: Term) -> str:
        return self.seen.value_in_words(self._found(term), self._who(term))


def deciding(formula: Formula, says: Callable[[Formula], bool]) -> list[tuple[Formula, bool]]:
    """The atoms that a formula's truth follows from, each with its own: all of an "and" that holds,
    one of an "or".
    """
    return list(dict.fromkeys(_deciding(formula, says)))


def _deciding(formula: Formula, says: Callable[[Formula], bool]) -> Iterator[tuple[Formula, bool]]:
    match formula:
        case Constant():
            return
        case Not(term):
            yield from _deciding(term, says)
        case And(terms) | Or(terms):
            truth = says(formula)
            if truth is isinstance(formula, And):  # every part was needed
                for term in terms:
                    yield from _deciding(term, says)
            else:
                yield from _deciding(next(term for term in terms if says(term) is truth), says)
        case _:
            yield formula, says(formula)


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})" if texts else ""


def _in_words(kind: Kind | None, value: Any) -> str:
    return (kind or Mask()).in_words(value)
