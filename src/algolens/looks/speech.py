"""All that can be said of a look: phrases that were declared, and made ones for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from algolens.errors import DefinitionError
from algolens.fields import Category, Field, Mask, Pointer
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.looks.english import atom_template
from algolens.looks.language import atoms
from algolens.looks.phrases import NONE, Case, Phrasebook, Spoken, Template, Words
from algolens.looks.statement import Statement

if TYPE_CHECKING:
    from algolens.looks.look import Look

UNTIL = "nothing changes any more"  # unless it is said what ends a run
AROUND = ("start", "repeat", "until")  # the lines of pseudo-code that stand around the others


@dataclass(frozen=True)
class CodeLine:
    """A line of pseudo-code, and at which elements a step carries it out.

    Parameters
    ----------
    key : str
        ``start``, ``repeat``, ``until``, or its number among those between.
    text : str
        What is done.
    when : Statement, optional
        Of whom; None: it is carried out as a whole, or where a field changes.
    field : tuple of str, optional
        A field, and the value that it takes; None for any.
    """

    key: str
    text: str
    when: Statement | None = None
    field: tuple[str, str | None] | None = None

    @property
    def depth(self) -> int:
        """How far it is indented."""
        return 0 if self.key in AROUND else 1


class Speech:
    """What is said of an algorithm, its words resolved.

    Parameters
    ----------
    look : Look
        What it sees.
    words : Words
        As they were declared.
    location : Location
        Where its outputs sit.
    fields : mapping of str to Field
        All that a step predicts.

    Raises
    ------
    DefinitionError
        Where a phrase speaks of nothing that is declared.
    """

    def __init__(
        self, look: Look, words: Words, location: Location, fields: Mapping[str, Field]
    ) -> None:
        self.look, self.words = look, words
        self.book = book = Phrasebook(look)
        self.cases: dict[str, tuple[Case, ...]] = {}  # of observations, and of what rules decide
        self.moves: dict[str, tuple[Template, ...]] = {}
        for name, spoken in words.phrases.items():
            if name not in fields:
                raise DefinitionError(
                    f"there is a phrase for '{name}', which is no concept, output, move or "
                    f"outcome: there are {', '.join(fields)}."
                )
            try:
                self._read(name, fields[name], spoken)
            except DefinitionError as problem:
                raise DefinitionError(f"phrase of '{name}': {problem}") from problem
        self._check_called(fields)
        called = (*words.states.values(), *words.names.values())
        if not all(
            isinstance(text, str)
            for text in (words.examined, *words.lines, *words.lines.values(), *called)
        ):
            raise DefinitionError(
                "what is examined, lines of pseudo-code, states and names are texts."
            )
        try:
            self.examined = book.when(words.examined, location) if words.examined else None
        except DefinitionError as problem:
            raise DefinitionError(f"examined: {problem}") from problem
        self.location = location
        self.lines = tuple(self._lines())

    def _check_called(self, fields: Mapping[str, Field]) -> None:
        """Refuses states and names of what is not there."""
        kinds = {name: known.kind for name, known in fields.items()}
        labels = [
            label for kind in kinds.values() if isinstance(kind, Category) for label in kind.labels
        ]
        told = [name for name, kind in kinds.items() if isinstance(kind, Mask | Pointer)] + labels
        for name in self.words.states:
            if name not in (NONE, *told):
                raise DefinitionError(
                    f"there is a state '{name}', which is no mask, label or pointer: name one of "
                    f"{', '.join(told)}."
                )
        known = (*fields, *self.look.starting)
        for name in self.words.names:
            if name not in known:
                raise DefinitionError(
                    f"there is a name for '{name}', which is no field: there are "
                    f"{', '.join(known)}."
                )

    def _read(self, name: str, known: Field, spoken: Spoken) -> None:
        texts = (
            [spoken]
            if isinstance(spoken, str)
            else [*spoken, *spoken.values()]
            if isinstance(spoken, Mapping)
            else list(spoken)
            if isinstance(spoken, Sequence)
            else [spoken]
        )
        if not all(isinstance(text, str) for text in texts):
            raise DefinitionError(f"{spoken!r} is no phrase: write text, or texts.")
        if any(mover.name == name for mover in self.look.movers):
            self.moves[name] = self.book.moves(name, known, spoken)
        else:
            self.cases[name] = self.book.cases(name, known, spoken)

    def _lines(self) -> Sequence[CodeLine]:
        lines = []
        for number, (when, text) in enumerate(self.words.lines.items()):
            if when in AROUND:
                lines.append(CodeLine(when, text))
            else:
                lines.append(CodeLine(str(number), text, self._where(when)))
        return lines

    def _where(self, when: str) -> Statement:
        """A statement at the location where its words have a meaning; where outputs sit first."""
        problems = []
        for at in dict.fromkeys((self.location, *Location)):
            try:
                return self.book.when(when, at)
            except DefinitionError as problem:
                problems.append(problem)
        raise DefinitionError(f"line of pseudo-code at {when!r}: {problems[0]}")

    @cached_property
    def made(self) -> dict[str, dict[Formula, tuple[Template, Template]]]:
        """Of each observation, by its atoms: what is said where one holds, and where not."""
        return {
            statement.name: {
                atom: (
                    atom_template(atom, True, statement.location, self.book),
                    atom_template(atom, False, statement.location, self.book),
                )
                for atom in dict.fromkeys(atoms(statement.formula))
            }
            for statement in self.look.statements
        }
