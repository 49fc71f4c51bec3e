"""How pointers and numbers of the state move: by marks that were observed, and by sums that are
declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from algolens.errors import DefinitionError, GraphError
from algolens.fields import Field, Number, Pointer
from algolens.graphs import Location
from algolens.logic.formula import And, Constant, Formula, Not, Or
from algolens.looks.language import Quantified, Term, Test, Whose, atoms, statement_text
from algolens.looks.observer import Observer
from algolens.looks.parsing import Parser
from algolens.looks.reading import Observation, Statement
from algolens.looks.relations import Adjacency, Relation
from algolens.looks.scope import CompiledPath, GraphState, ResolvedTerm, Scope

MOST = 2**61  # sums stay below it, and above its opposite


@dataclass(frozen=True)
class Move:
    """What a pointer or a number becomes, where it moves at all: ``the incoming link's sender
    (chosen) where joins``.

    Of those in view that are marked, the first is taken; where none is, or the guard does not hold,
    the value stays. Without a relation, it is a value of the element's own: ``root's root where
    jumps``.
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
        guard = "" if self.guard is None else f" where {statement_text(self.guard)}"
        if self.relation is None or self.mark is None:
            return "'s ".join(self.value.path) + guard if self.value.path else f"me{guard}"
        value = "".join(f"'s {step}" for step in self.value.path)
        return (
            f"the {self.relation.phrase(1)}{value} ({statement_text(self.mark, Whose.ITS)}){guard}"
        )


class Mover:
    """One move, its words resolved."""

    def __init__(self, name: str, field: Field, move: Move, scope: Scope) -> None:
        self.name, self.field, self.move, self.scope = name, field, move, scope
        self.at = field.location
        other = None if move.relation is None else move.relation.others
        if move.relation is not None and move.relation.own is not self.at:
            raise DefinitionError(
                f"'{name}' sits at the {self.at.value}, and a {move.relation.own.value} has a "
                f"'{move.relation.phrase(1)}'."
            )
        self.value: ResolvedTerm = scope.resolve(move.value, self.at, other)
        fits = isinstance(field.kind, Number) and isinstance(self.value.kind, Number)
        fits |= (
            isinstance(field.kind, Pointer)
            and self.value.kind is None
            and self.value.at is field.kind.to
        )
        if not fits:
            raise DefinitionError(
                f"'{name}' is a {type(field.kind).__name__}, and '{move.value}' is none: name a "
                "value of its kind."
            )
        for part in (move.mark, move.guard):
            if part is not None and any(not isinstance(atom, Test) for atom in atoms(part)):
                raise DefinitionError(
                    f"'{name}' moves by '{statement_text(part)}': it goes by masks and classes "
                    "that were observed. Declare this as an observation, and name it here."
                )
        for atom in () if move.mark is None else atoms(move.mark):
            if isinstance(atom, Test) and atom.term.whose is Whose.MY:
                raise DefinitionError(
                    f"'{name}' moves by '{statement_text(atom, Whose.ITS)}': a mark speaks of "
                    "those in view alone. Say what is one's own after 'where'."
                )
        # marks and guards are read as observations are, but nothing is learnt of them
        self.guard = (
            None if move.guard is None else Statement(Observation(name, self.at, move.guard), scope)
        )
        self.mark = (
            None
            if move.mark is None or other is None
            else Statement(Observation(name, other, _as_own(move.mark)), scope)
        )

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that it goes by, besides the one that it moves."""
        read = {
            self.value.field,
            *self.value.steps,
            *(() if self.move.relation is None else self.move.relation.pointers),
        }
        for reading in (self.mark, self.guard):
            if reading is not None:
                read |= {name for atom in reading.features for name in atom.term.path}  # type: ignore[attr-defined]
        return tuple(sorted(name for name in self.scope.fields if name in read))

    def move_from(self, observer: Observer, batch: GraphState, before: Tensor) -> Tensor:
        """The field after the step, where it does not move ``before``. batch: the state before it,
        and all observations.
        """
        moves = None if self.guard is None else observer.observe(self.guard, batch)
        if self.move.relation is None:
            found = self._value(observer, batch)
            return found if moves is None else torch.where(moves, found, before)
        assert self.mark is not None
        marked = observer.observe(self.mark, batch)
        rows = (
            torch.arange(len(before), device=before.device)
            if moves is None
            else moves.nonzero().flatten()
        )
        chosen = _first_marked(batch.view(self.move.relation), marked, rows) if len(rows) else None
        if chosen is None:
            return before
        there = chosen < len(marked)
        found = self._value(observer, batch).index_select(0, chosen.clamp_(max=len(marked) - 1))
        return before.index_copy(0, rows, torch.where(there, found, before.index_select(0, rows)))

    def _value(self, observer: Observer, batch: GraphState) -> Tensor:
        found = observer.path(self.value, self.scope).of(batch)
        if self.value.kind is not None or batch.graph.num_graphs == 1:
            return found
        assert isinstance(self.field.kind, Pointer)  # a pointer: a place inside the own graph
        return batch.graph.place(self.field.kind.to).index_select(0, found)


def _first_marked(view: Adjacency, marked: Tensor, rows: Tensor) -> Tensor | None:
    """For elements ``rows``, the first of those in view that is marked; their number, where none
    is. None: nobody is marked.
    """
    nobody = len(marked)
    entries = _marked_entries(view, marked)
    if not len(entries):
        return None
    others, group = (
        entries if view.each_once else view.others.index_select(0, entries),
        view.group.index_select(0, entries),
    )
    first = _least(others, group, view.num_groups, nobody)
    if view.own_groups is None:
        return first.index_select(0, rows)
    found = []
    for groups in view.own_groups.index_select(1, rows):
        here = first.index_select(0, groups)
        itself = here == rows
        # an element that comes first itself takes the next
        if view.others_only and bool(itself.any()):
            later = others != first.index_select(0, group)
            second = _least(others[later], group[later], view.num_groups, nobody)
            here = torch.where(itself, second.index_select(0, groups), here)
        found.append(here)
    return found[0] if len(found) == 1 else torch.stack(found).amin(0)


def _marked_entries(view: Adjacency, marked: Tensor) -> Tensor:
    """The entries of a view that are marked: often few, so that only these are gone through."""
    along = marked if view.each_once else marked.view(torch.uint8).index_select(0, view.others)
    return along.nonzero().flatten()


def _least(others: Tensor, group: Tensor, num_groups: int, nobody: int) -> Tensor:
    """[groups] the least of the entries of each group; nobody, where there is none."""
    most = torch.full((num_groups,), nobody, device=others.device)
    return most.scatter_reduce_(0, group, others, "amin")


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
            raise DefinitionError(
                f"'{statement_text(mark)}' cannot mark: declare it as an observation, and name it "
                "here."
            )
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


def summed(
    name: str, location: Location, constant: int, paths: Sequence[CompiledPath], batch: GraphState
) -> Tensor:
    """[N] a declared sum, of a constant and of what paths lead to; refused where it does not
    fit.
    """
    found = torch.full((batch.graph.count(location),), constant, device=batch.graph.device)
    # two numbers below the bound do not overflow, so what went beyond it is seen
    for path in paths:
        found = found + path.of(batch)
        if len(found) and bool((found.abs() >= MOST).any()):
            raise GraphError(f"'{name}' grows beyond 62 bits on this graph: give smaller numbers.")
    return found


def check_sum(name: str, location: Location, total: Sum, scope: Scope) -> None:
    """Refuses a sum of what is no number, and a constant that no sum holds."""
    if total.constant >= MOST:
        raise DefinitionError(
            f"'{name}' sums {total.constant}, and sums stay below 2**61: take a smaller number."
        )
    for term in total.terms:
        if not isinstance(scope.resolve(term, location, None).kind, Number):
            raise DefinitionError(f"'{name}' sums '{term}', which is no number.")
