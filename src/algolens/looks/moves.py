"""How pointers and numbers of the state move: by marks that were observed, and by sums that are declared."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.errors import DefinitionError, GraphError
from algolens.fields import Field, Number, Pointer
from algolens.graphs import Location
from algolens.logic.formula import And, Constant, Formula, Not, Or
from algolens.looks.language import Quantified, Term, Test, Whose, atoms
from algolens.looks.observer import Observer
from algolens.looks.parsing import Parser
from algolens.looks.reading import Observation, Reading
from algolens.looks.relations import Relation, View
from algolens.looks.scope import Batch, Resolved, Scope
from algolens.looks.writing import write

MOST = 2**61  # sums stay below it, and above its opposite


@dataclass(frozen=True)
class Move:
    """What a pointer or a number becomes, where it moves at all: ``the incoming link's sender (chosen) where joins``.

    Of those in view that are marked, the first is taken; where none is, or the guard does not hold, the value stays.
    Without a relation, it is a value of the element's own: ``root's root where jumps``.
    """

    value: Term
    relation: Relation | None
    mark: Formula | None
    guard: Formula | None

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move written in ``text``."""
        return Parser(text).whole(cls._read)

    @classmethod
    def _read(cls, parser: Parser) -> Move:
        relation = mark = guard = None
        if parser.take("the"):
            relation = parser.relation()
            path = []
            while parser.take("'s"):
                path.append(parser.field())
            value = Term(Whose.ITS, tuple(path))
            parser.expect("(")
            mark = parser.statement(Whose.ITS)
            parser.expect(")")
        else:
            value = parser.term(Whose.MY)
        if parser.take("where"):
            guard = parser.statement(Whose.MY)
        return cls(value, relation, mark, guard)

    def __str__(self) -> str:
        guard = "" if self.guard is None else f" where {write(self.guard)}"
        if self.relation is None or self.mark is None:
            return "'s ".join(self.value.path) + guard if self.value.path else f"me{guard}"
        value = "".join(f"'s {step}" for step in self.value.path)
        return f"the {self.relation.phrase(1)}{value} ({write(self.mark, Whose.ITS)}){guard}"


class Mover:
    """One move, its words resolved."""

    def __init__(self, name: str, field: Field, move: Move, scope: Scope) -> None:
        self.name, self.field, self.move = name, field, move
        self.at = field.location
        other = None if move.relation is None else move.relation.others
        if move.relation is not None and move.relation.own is not self.at:
            raise DefinitionError(
                f"'{name}' sits at the {self.at.value}, and a {move.relation.own.value} has a '{move.relation.phrase(1)}'."
            )
        self.value: Resolved = scope.resolve(move.value, self.at, other)
        fits = isinstance(field.kind, Number) and isinstance(self.value.kind, Number)
        fits |= isinstance(field.kind, Pointer) and self.value.kind is None and self.value.at is field.kind.to
        if not fits:
            raise DefinitionError(
                f"'{name}' is a {type(field.kind).__name__}, and '{move.value}' is none: name a value of its kind."
            )
        for part in (move.mark, move.guard):
            if part is not None and any(not isinstance(atom, Test) for atom in atoms(part)):
                raise DefinitionError(
                    f"'{name}' moves by '{write(part)}': it goes by masks and classes that were observed. Declare this as an "
                    "observation, and name it here."
                )
        # marks and guards are read as observations are, but nothing is learnt of them
        self.guard = None if move.guard is None else Reading(Observation(name, self.at, move.guard), scope)
        self.mark = None if move.mark is None or other is None else Reading(Observation(name, other, _as_own(move.mark)), scope)

    def move_from(self, observer: Observer, batch: Batch, before: Tensor) -> Tensor:
        """The field after the step, where it does not move ``before``. batch: the state before it, and all observations."""
        graph = batch.graph
        found = batch.of(self.value)
        if self.value.kind is None:  # a pointer: a place inside the own graph
            assert isinstance(self.field.kind, Pointer)
            found = graph.place(self.field.kind.to).index_select(0, found)
        moves = None
        if self.move.relation is not None:
            assert self.mark is not None
            marked = observer.observe(self.mark, batch)
            chosen, moves = _first_marked(observer, self.move.relation, marked, batch, len(before))
            if not len(found):  # there is nobody in the whole batch to be chosen
                return before
            found = found.index_select(0, chosen)
        if self.guard is not None:
            guard = observer.observe(self.guard, batch)
            moves = guard if moves is None else moves & guard
        return found if moves is None else torch.where(moves, found, before)


def _first_marked(observer: Observer, relation: Relation, marked: Tensor, batch: Batch, count: int) -> tuple[Tensor, Tensor]:
    """[N] the first of those in view that is marked, and whether there is one."""
    view = observer.view(relation, batch)
    nobody = len(marked)
    entries = torch.where(marked.index_select(0, view.others), view.others, nobody)
    first = _least(entries, view)
    chosen = torch.full((count,), nobody, device=marked.device)
    itself = torch.arange(count, device=marked.device) if view.others_only else None
    second = None if itself is None else _least(torch.where(entries == first[view.group], nobody, entries), view)
    for groups in [None] if view.own_groups is None else view.own_groups:
        here = first if groups is None else first.index_select(0, groups)
        if itself is not None and second is not None and groups is not None:
            here = torch.where(here == itself, second.index_select(0, groups), here)
        chosen = torch.minimum(chosen, here)
    there = chosen < nobody
    return torch.where(there, chosen, 0) if nobody else torch.zeros(count, dtype=torch.int64, device=marked.device), there


def _least(entries: Tensor, view: View) -> Tensor:
    """[groups] the least of the entries of each group."""
    most = torch.full((view.num_groups,), torch.iinfo(torch.int64).max, device=entries.device)
    return most.scatter_reduce_(0, view.group, entries, "amin")


def _as_own(mark: Formula) -> Formula:
    """A mark, said of those in view, as each says it of itself."""
    match mark:
        case Constant():
            return mark
        case Not(term):
            return Not(_as_own(term))
        case And(terms):
            return And(tuple(_as_own(term) for term in terms))
        case Or(terms):
            return Or(tuple(_as_own(term) for term in terms))
        case Test(term, label):
            return Test(Term(Whose.MY, term.path), label)
        case Quantified():
            raise DefinitionError(f"'{write(mark)}' cannot mark: declare it as an observation, and name it here.")
    return mark


@dataclass(frozen=True)
class Sum:
    """A number that follows from others: ``sender's distance + weight``."""

    terms: tuple[Term, ...]
    constant: int

    @classmethod
    def parse(cls, text: str) -> Sum:
        """The sum written in ``text``."""

        def read(parser: Parser) -> Sum:
            found, constant = [], 0
            while True:
                if parser.token.isdecimal():
                    constant += int(parser.expect_number())
                else:
                    found.append(parser.term(Whose.MY))
                if not parser.take("+"):
                    return cls(tuple(found), constant)

        return Parser(text).whole(read)

    def __str__(self) -> str:
        parts = ["'s ".join(term.path) for term in self.terms]
        return " + ".join(parts + ([str(self.constant)] if self.constant or not parts else []))


def summed(name: str, location: Location, total: Sum, scope: Scope, batch: Batch) -> Tensor:
    """[N] a declared sum; refused where it does not fit."""
    parts = [batch.of(scope.resolve(term, location, None)) for term in total.terms]
    found = torch.full((batch.graph.count(location),), total.constant, device=batch.graph.device)
    for part in parts:  # two numbers below the bound do not overflow, so what went beyond it is seen
        found = found + part
        if len(found) and bool((found.abs() >= MOST).any()):
            raise GraphError(f"'{name}' grows beyond 62 bits on this graph: give smaller numbers.")
    return found


def check_sum(name: str, location: Location, total: Sum, scope: Scope) -> None:
    """Refuses a sum of what is no number."""
    for term in total.terms:
        if not isinstance(scope.resolve(term, location, None).kind, Number):
            raise DefinitionError(f"'{name}' sums '{term}', which is no number.")
