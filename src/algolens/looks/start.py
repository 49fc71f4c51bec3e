"""How the state begins: each field by statements, a constant, or a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.looks.language import Quantified, atoms, terms
from algolens.looks.observer import Observer
from algolens.looks.parsing import Parser, parse_look
from algolens.looks.scope import ResolvedTerm, Scope
from algolens.looks.state import GraphState
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose

# a statement, a class, a value; or for each class the statement where it is taken
Start = str | int | Mapping[str, str]


@dataclass(frozen=True)
class FieldStart:
    """How one field of the state begins; of its three ways, one is given."""

    field: Field
    # classes, and where each is taken: the first that holds, else class 0
    cases: tuple[tuple[int, Statement], ...] = ()
    value: int | None = None  # the same everywhere
    term: Term | None = None  # the value that a path leads to

    @classmethod
    def parse(cls, name: str, field: Field, start: Start, scope: Scope) -> FieldStart:
        """How a field begins, as it is declared. scope: the inputs."""
        match start, field.kind:
            case str(), Mask():
                return cls(field, ((1, _own_statement(name, field, start, scope)),))
            case str(), Category() as kind:
                return cls(field, value=_class(kind, start))
            case Mapping(), Category() as kind:
                return cls(
                    field,
                    tuple(
                        (_class(kind, label), _own_statement(name, field, text, scope))
                        for label, text in start.items()
                    ),
                )
            case int(), Number() as kind:
                if not kind.holds(start):
                    raise DefinitionError(
                        f"{start} has no room in {kind.bits} bits, which hold {kind.least} to "
                        f"{kind.most}."
                    )
                return cls(field, value=start)
            case str(), Number() if start.strip().isdecimal():
                raise DefinitionError(f"{start!r} is text: write {start.strip()}, without quotes.")
            case str(), (Number() | Pointer()) as kind:
                made = cls(field, term=Parser(start).whole(lambda parser: parser.term(Whose.MY)))
                end = made.resolved(scope)
                fits = isinstance(end.kind, Number)
                if isinstance(kind, Pointer):
                    fits = end.kind is None and end.at is kind.to
                if not fits:
                    raise DefinitionError(
                        f"'{start}' is no {type(kind).__name__} as it is declared."
                    )
                return made
        raise DefinitionError(
            f"a {type(field.kind).__name__} cannot start as {start!r}: give a mask a statement, a "
            "category a class (or statements by class), a pointer a path as 'me', a number a whole "
            "number or a path."
        )

    def resolved(self, scope: Scope) -> ResolvedTerm:
        """What its path stands for."""
        assert self.term is not None
        return scope.resolve(self.term, self.field.location, None)

    def of(self, batch: GraphState) -> Tensor:
        """The field before the first step. batch: the inputs."""
        graph, kind = batch.graph, self.field.kind
        count = graph.count(self.field.location)
        if self.value is not None:
            return torch.full((count,), self.value, device=graph.device)
        if self.term is not None:
            value = batch.of(self.resolved(batch.scope))
            if isinstance(kind, Pointer):
                return graph.place(kind.to).index_select(0, value)
            return value.clone()
        observer = Observer([statement for _, statement in self.cases])
        classes = torch.zeros(count, dtype=torch.int64, device=graph.device)
        for number, statement in reversed(self.cases):  # so that the first that holds decides
            classes = torch.where(observer.observe(statement, batch), number, classes)
        return classes.bool() if kind.is_truth_value else classes


def _own_statement(name: str, field: Field, text: str, scope: Scope) -> Statement:
    formula = parse_look(text)
    if any(isinstance(atom, Quantified) for atom in atoms(formula)):
        raise DefinitionError(
            f"'{text}' looks at others; a start goes by the element's own inputs."
        )
    if any(term.constant is not None for term in terms(formula)):
        raise DefinitionError(
            f"'{text}': a start compares inputs with one another, and not with a number: compare "
            "with it in look, where the first step sees it."
        )
    return Statement(name, field.location, formula, scope)


def _class(kind: Category, label: str) -> int:
    taken, where, statement = label.partition(" where ")
    if label not in kind.labels and where:
        raise DefinitionError(
            f"{label!r} names a class and a statement: write {{{taken!r}: {statement!r}}}."
        )
    if label not in kind.labels:
        raise DefinitionError(f"there is no class '{label}': there are {', '.join(kind.labels)}.")
    return kind.labels.index(label)
