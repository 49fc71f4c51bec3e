"""What one step of a run saw: who is in view, what holds there, and values in the user's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from algolens.execution import Run
from algolens.execution.numbers import given_numbers
from algolens.fields import Category, Mask, Number
from algolens.graphs import Location
from algolens.logic import Formula
from algolens.logic.formula import And, Constant, Not, Or
from algolens.looks import Mover, Quantified, Relation, Statement
from algolens.looks.language import holds
from algolens.looks.phrases import ENDLESS
from algolens.looks.scope import NUMBER, ResolvedTerm
from algolens.terminal.names import element_name, written


@dataclass(frozen=True)
class Moved:
    """The move that applies to an element: its place among those of its field, and the value."""

    place: int
    other: int | None  # from whom the value is taken
    value: int


class StepSeen:
    """What one step of a run of one graph saw: by the network, and for the rest as declared.

    Parameters
    ----------
    run : Run
        Of an algorithm that declares a look.
    step : int
        From 0 on; after the last, what would be seen as declared.
    """

    def __init__(self, run: Run, step: int) -> None:
        declaration = run.algorithm.declaration
        assert declaration.seen is not None
        self.run, self.look = run.with_trace(), declaration.seen
        on_graph = self.look.on(run.graph)
        state = {name: run.state(name)[step] for name in run.start}
        self.observer, self.batch = on_graph.observer, on_graph.batch(run.inputs, state)
        self.statements = {statement.name: statement for statement in self.look.statements}
        for name, statement in self.statements.items():
            is_seen = step < run.num_steps and (
                (run.has_concepts and name in declaration.concepts) or name in run.hints
            )
            self.batch.add(
                name, run[name][step] if is_seen else self.observer.observe(statement, self.batch)
            )
        self._known: dict[int, list[bool]] = {}

    def of_all(self, statement: Statement) -> list[bool]:
        """Of every element, what a statement gives, where a run may have seen otherwise."""
        known = self._known.get(id(statement))
        if known is None:
            known = self.observer.observe(statement, self.batch).tolist()
            self._known[id(statement)] = known
        return known

    def declared(self, name: str, element: int) -> bool:
        """What the statement of an observation gives."""
        return self.of_all(self.statements[name])[element]

    def says(self, statement: Statement, element: int) -> Callable[[Formula], bool]:
        """Whether a part of a statement holds of an element."""
        own, kinds = self._classes(statement, element)

        def of_atom(atom: Formula) -> bool:
            if not isinstance(atom, Quantified):
                return bool(statement.atom_holds(atom, own, None))
            counts = statement.counted[statement.quantifiers.index(atom), own]
            return bool(atom.holds(sum(bool(counts[kind]) for kind in kinds.values())))

        return lambda formula: bool(holds(formula, of_atom))

    def counted(self, statement: Statement, relation: Relation, element: int) -> list[int]:
        """Those in view of whom a statement that says "some" speaks."""
        own, kinds = self._classes(statement, element)
        counts = statement.counted[0, own]
        return [other for other in self.in_view(relation, element) if counts[kinds[other]]]

    def _classes(self, statement: Statement, element: int) -> tuple[int, dict[int, int]]:
        """The own class of an element, and the kind of each that it has in view."""
        compiled = self.observer.compile(statement)
        kinds: dict[int, int] = {}
        if statement.relation is not None:
            others = torch.tensor(self.in_view(statement.relation, element), dtype=torch.int64)
            of_pairs = compiled.kinds(self.batch, torch.full_like(others, element), others)
            kinds = dict(zip(others.tolist(), of_pairs.tolist(), strict=True))
        return int(compiled.own_class(self.batch)[element]), kinds

    def moved(self, movers: Sequence[Mover], element: int) -> Moved | None:
        """The first move of a field that applies to an element; None where it stays."""
        for place, mover in enumerate(movers):
            move = mover.move
            if mover.guard is not None and not self.of_all(mover.guard)[element]:
                continue
            if move.relation is None or mover.mark is None:
                return Moved(place, None, int(self.batch.of(mover.value)[element]))
            is_marked = self.of_all(mover.mark)
            for other in self.in_view(move.relation, element):
                if is_marked[other]:
                    return Moved(place, other, int(self.batch.of(mover.value)[other]))
        return None

    def in_view(self, relation: Relation, element: int) -> list[int]:
        """Those that an element has in view, in order."""
        view = self.batch.view(relation)
        groups = torch.tensor([element]) if view.own_groups is None else view.own_groups[:, element]
        others = view.others[torch.isin(view.group, groups)].unique()
        return others[others != element].tolist() if view.others_only else others.tolist()

    @cached_property
    def _given(self) -> dict[str, list[Any]]:
        """Inputs that are numbers, as the user wrote them."""
        run = self.run
        return {
            name: given_numbers(run.algorithm, run.graph, run.inputs, name)
            for name, field in run.algorithm.declaration.inputs.items()
            if isinstance(field.kind, Number)
        }

    def value(self, term: ResolvedTerm, element: int) -> str:
        """What a path leads to from an element, by the user's own names and numbers."""
        end = ResolvedTerm(term.own, term.steps, term.at, None, None)
        place, value = (int(self.batch.of(path)[element]) for path in (end, term))
        if term.field is None:
            is_graph = term.at is Location.GRAPH
            return "the graph" if is_graph else element_name(self.run.graph, term.at, place)
        if term.field in self._given:
            return written(self._given[term.field][place])
        if term.field == NUMBER:
            return str(value)
        match term.kind:
            case Category() as kind:
                return kind.labels[value]
            case Mask():
                return "yes" if value else "no"
        if is_endless(self.run, term.field, place):
            return ENDLESS
        return written(self.run.in_own_units(term.field, [value])[0])


def is_endless(run: Run, name: str, element: int) -> bool:
    """Whether a number has no bound at an element."""
    pointer = run.algorithm.declaration.endless.get(name)
    return pointer is not None and int(run.inputs[pointer][0]) == element


def deciding(formula: Formula, says: Callable[[Formula], bool]) -> list[tuple[Formula, bool]]:
    """The atoms that decide a formula, with their truth: all of an "and" that holds, or one."""

    def decide(part: Formula) -> Iterator[tuple[Formula, bool]]:
        match part:
            case Constant():
                return
            case Not(term):
                yield from decide(term)
            case And(terms) | Or(terms):
                truth = says(part)
                needed = terms  # every part of an "and" that holds, and of an "or" that does not
                if truth is not isinstance(part, And):
                    needed = (next(term for term in terms if says(term) is truth),)
                for term in needed:
                    yield from decide(term)
            case _:
                yield part, says(part)

    return list(dict.fromkeys(decide(formula)))
