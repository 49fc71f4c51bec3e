"""How pointers and numbers of the state move: by marks that were observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Field, Number, Pointer
from algolens.language.relations import Relation
from algolens.logic.formula import Formula
from algolens.looks.adjacency import Adjacency
from algolens.looks.language import Test, atoms, statement_text, terms, with_atoms
from algolens.looks.observer import Observer
from algolens.looks.parsing import Parser
from algolens.looks.scope import ResolvedTerm, Scope
from algolens.looks.state import GraphState
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose


@dataclass(frozen=True)
class Move:
    """What a pointer or a number becomes: ``the incoming link's sender (chosen) where joins``.

    Of those in view that are marked, the first is taken; where none is, or the guard does not hold,
    the value stays. Without a relation, it is a value of the element's own: ``root's root where
    jumps``.
    """

    value: Term
    relation: Relation | None
    mark: Formula | None
    guard: Formula | None

    def __post_init__(self) -> None:
        whose = Whose.MY if self.relation is None else Whose.ITS
        is_whole = (self.relation is None) == (self.mark is None)
        if not is_whole or self.value.whose is not whose or self.value.constant is not None:
            raise FormulaError(
                f"a move to '{self.value}' is a path of one's own, or of those in view who are "
                "marked: write root's root, or the neighbour's root (chosen)."
            )

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move written in ``text``."""
        return Parser(text).whole(cls._read)

    @classmethod
    def _read(cls, parser: Parser) -> Move:
        relation = mark = guard = None
        if parser.take({"the"}):
            relation = parser.relation()
            value = Term(Whose.ITS, tuple(parser.steps()))
            parser.expect("(")
            mark = parser.statement(Whose.ITS)
            parser.expect(")")
        else:
            value = parser.term(Whose.MY)
        if parser.take({"where"}):
            guard = parser.statement(Whose.MY)
        return cls(value, relation, mark, guard)

    def __str__(self) -> str:
        guard = "" if self.guard is None else f" where {statement_text(self.guard)}"
        if self.relation is None or self.mark is None:
            return (self.value.bare or "me") + guard
        value = "".join(f"'s {step}" for step in self.value.path)
        mark = statement_text(self.mark, Whose.ITS)
        return f"the {self.relation.phrase(1)}{value} ({mark}){guard}"

    def to_json(self) -> dict[str, Any]:
        """Its value, relation, mark and guard."""
        return {
            "value": self.value.to_json(),
            "relation": None if self.relation is None else self.relation.phrase(1),
            "mark": None if self.mark is None else self.mark.to_json(),
            "guard": None if self.guard is None else self.guard.to_json(),
        }


class Mover:
    """One move, its words resolved.

    Parameters
    ----------
    name, field
        What moves.
    move : Move
        What it becomes.
    scope : Scope
        All fields, sums and observations.
    """

    def __init__(self, name: str, field: Field, move: Move, scope: Scope) -> None:
        self.name, self.field, self.move, self.scope = name, field, move, scope
        self.at = field.location
        if move.relation is not None:
            scope.check_relation(move.relation, name, self.at)
        other = None if move.relation is None else move.relation.others
        self.value: ResolvedTerm = scope.resolve(move.value, self.at, other)
        fits = isinstance(field.kind, Number) and isinstance(self.value.kind, Number)
        if isinstance(field.kind, Pointer):
            fits = self.value.kind is None and self.value.at is field.kind.to
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
        # marks and guards are read as observations are, but nothing is learnt of them
        self.guard = None if move.guard is None else Statement(name, self.at, move.guard, scope)
        self.mark = None
        if move.mark is not None and other is not None:
            self.mark = Statement(name, other, with_atoms(move.mark, self._as_own), scope)

    def _as_own(self, atom: Formula) -> Formula:
        """A test of those in view, as each says it of itself."""
        assert isinstance(atom, Test)
        if atom.term.whose is Whose.MY:
            raise DefinitionError(
                f"'{self.name}' moves by '{statement_text(atom, Whose.ITS)}': a mark speaks of "
                "those in view alone. Say what is one's own after 'where'."
            )
        return Test(Term(Whose.MY, atom.term.path), atom.label)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that it goes by, besides the one that it moves."""
        read = {self.value.field, *self.value.steps}
        read |= set(() if self.move.relation is None else self.move.relation.pointers)
        for statement in (self.mark, self.guard):
            if statement is not None:
                read |= {word for term in terms(statement.formula) for word in term.path}
        return tuple(sorted(name for name in self.scope.fields if name in read))

    def move_from(self, observer: Observer, batch: GraphState, before: Tensor) -> Tensor:
        """The field after the step; ``before``, where it does not move."""
        moves = None if self.guard is None else observer.observe(self.guard, batch)
        if self.move.relation is None:
            value = self._value(observer, batch)
            return value if moves is None else torch.where(moves, value, before)
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
        value = self._value(observer, batch).index_select(0, chosen.clamp_(max=len(marked) - 1))
        return before.index_copy(0, rows, torch.where(there, value, before.index_select(0, rows)))

    def _value(self, observer: Observer, batch: GraphState) -> Tensor:
        value = observer.path(self.value, self.scope).of(batch)
        if self.value.kind is not None or batch.graph.num_graphs == 1:
            return value
        assert isinstance(self.field.kind, Pointer)  # a pointer: an index within the own graph
        return batch.graph.place(self.field.kind.to).index_select(0, value)


def _first_marked(view: Adjacency, marked: Tensor, rows: Tensor) -> Tensor | None:
    """For elements ``rows``, the first marked one in view, or M; None where nobody is marked."""
    nobody = len(marked)
    # often few are marked, so that only these are gone through
    along = marked if view.each_once else marked.view(torch.uint8).index_select(0, view.others)
    entries = along.nonzero().flatten()
    if not len(entries):
        return None
    others = entries if view.each_once else view.others.index_select(0, entries)
    group = view.group.index_select(0, entries)
    first = _least(others, group, view.num_groups, nobody)
    if view.own_groups is None:
        return first.index_select(0, rows)
    chosen = []
    for groups in view.own_groups.index_select(1, rows):
        here = first.index_select(0, groups)
        itself = here == rows
        # an element that comes first itself takes the next
        if view.others_only and bool(itself.any()):
            later = others != first.index_select(0, group)
            second = _least(others[later], group[later], view.num_groups, nobody)
            here = torch.where(itself, second.index_select(0, groups), here)
        chosen.append(here)
    return chosen[0] if len(chosen) == 1 else torch.stack(chosen).amin(0)


def _least(others: Tensor, group: Tensor, num_groups: int, nobody: int) -> Tensor:
    """[groups] the least of the entries of each group; nobody, where there is none."""
    most = torch.full((num_groups,), nobody, device=others.device)
    return most.scatter_reduce_(0, group, others, "amin")
