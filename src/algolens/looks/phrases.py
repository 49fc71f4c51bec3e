"""Phrases: what people say of an algorithm, with the names and numbers of a run in them.

They are words for readers. Nothing is learnt, decided or proven by them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Field
from algolens.graphs import Location
from algolens.language.relations import Relation
from algolens.logic.formula import TRUE, Formula
from algolens.looks.language import Quantified, Quantity
from algolens.looks.parsing import Parser, parse_look
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose

if TYPE_CHECKING:
    from algolens.looks.look import Look

NEW, HOW_MANY = "new", "how"
ENDLESS = "∞"
NONE = "none"  # of states: where none holds
BRACES = re.compile(r"\{([^{}]*)\}")
# of a mask: what is said where it holds, and where not; of an output: a phrase by the case
Spoken = str | Sequence[str] | Mapping[str, str]


@dataclass(frozen=True)
class Words:
    """How people speak of an algorithm.

    Parameters
    ----------
    examined : str
        A statement: of which elements a step decides, be it that they stay as they are.
    phrases : mapping
        By the name of a concept or outcome: what is said where it holds, or that and what is said
        where it does not. By the name of an output: phrases by statements; the first that holds
        counts. By the name of what moves: a phrase for each of its moves. An empty phrase: nothing
        is said of it. A step is told in this order: causes first.
    lines : mapping
        Pseudo-code: lines by the statement that says at which elements they are carried out.
        ``start``, ``repeat`` and ``until`` are the lines around them.
    states : mapping
        Legends of drawings: by the name of a mask, what an element is called where it holds, as
        "settled"; of several that hold, the first counts. ``none``: where none of them holds. By
        the label of a category: what an element of it is called. By the name of a pointer to a
        set: what its members are called before the name of the set, as "in the set of".
    names : mapping
        What a field is called in drawings and cards, where its own name does not say it. Of the
        numbers of the whole graph, only those with a name are shown then.
    """

    examined: str = ""
    phrases: Mapping[str, Spoken] = field(default_factory=dict)
    lines: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Itself as it was written."""
        phrases = {
            name: said if isinstance(said, str | Mapping) else list(said)
            for name, said in self.phrases.items()
        }
        return {
            "examined": self.examined,
            "phrases": phrases,
            "lines": dict(self.lines),
            "states": dict(self.states),
            "names": dict(self.names),
        }


@dataclass(frozen=True)
class New:
    """The value of a field after the step: ``{new}``."""


@dataclass(frozen=True)
class Those:
    """Those in view that are so: ``{neighbours (visited)}``; or ``{how many neighbours}``."""

    relation: Relation
    body: Formula
    counts: bool
    statement: Statement = field(compare=False, repr=False)


Template = tuple[str | Term | New | Those, ...]


@dataclass(frozen=True)
class Case:
    """What is said where a statement holds."""

    when: Statement
    said: Template


class Phrasebook:
    """Reads phrases of a look, and refuses what names nothing.

    Parameters
    ----------
    look : Look
        What the phrases speak of.
    """

    def __init__(self, look: Look) -> None:
        self.look = look

    def template(self, text: str, at: Location, other: Location | None, *, new: bool) -> Template:
        """The parts of a phrase: texts, and what stands in braces between them.

        Parameters
        ----------
        text : str
            As in ``"{me} ({weight}) is rejected"``.
        at, other : Location
            Where the element sits that it speaks of, and the one that a move takes its value from.
        new : bool
            Whether there is a value after the step.
        """
        parts: list[str | Term | New | Those] = []
        for place, part in enumerate(BRACES.split(text)):
            if place % 2:
                parts.append(self._slot(part, at, other, new))
            elif "{" in part or "}" in part:
                raise DefinitionError(
                    f"{text!r} has a brace without its other one: write {{name}} around a name."
                )
            elif part:
                parts.append(part)
        return tuple(parts)

    def _slot(self, text: str, at: Location, other: Location | None, new: bool) -> Any:
        if text == NEW:
            if not new:
                raise DefinitionError(
                    "{new} is the value of an output after a step, and this has none: name a field."
                )
            return New()
        counts = text.startswith("how many ")
        try:
            parser = Parser(text.removeprefix("how many "), at)
            if counts or text.endswith(")"):
                return self._those(parser, at, counts)
            term = parser.whole(lambda reader: reader.term(Whose.MY))
        except FormulaError as problem:
            raise DefinitionError(f"{{{text}}}: {problem}") from problem
        self.look.scope.resolve(term, at, other)
        return term

    def _those(self, parser: Parser, at: Location, counts: bool) -> Those:
        relation = parser.relation()
        body: Formula = TRUE
        if parser.take({"("}):
            body = parser.statement(Whose.ITS)
            parser.expect(")")
        parser.expect_end()
        some = Quantified(Quantity.SOME, relation, body)
        return Those(relation, body, counts, self.statement(some, at))

    def statement(self, formula: Formula, at: Location) -> Statement:
        """A statement of all that is known after the last observation."""
        return Statement("what is said", at, formula, self.look.scope)

    def when(self, text: str, at: Location) -> Statement:
        """When something is said."""
        try:
            return self.statement(parse_look(text, at), at)
        except FormulaError as problem:
            raise DefinitionError(str(problem)) from problem

    def cases(self, name: str, known: Field, spoken: Spoken) -> tuple[Case, ...]:
        """What is said of an observation, or of an output that rules decide."""
        at, is_seen = known.location, name in self.look.observed
        if is_seen and not isinstance(spoken, Mapping):
            texts = (spoken,) if isinstance(spoken, str) else tuple(spoken)
            if not 1 <= len(texts) <= 2:
                raise DefinitionError(
                    f"there are {len(texts)} phrases: give one for yes, and one for no."
                )
            spoken = dict(zip((name, "True"), texts, strict=False))
        elif isinstance(spoken, str):
            spoken = {"True": spoken}
        elif not isinstance(spoken, Mapping):
            raise DefinitionError("write phrases of an output by the statements that they go by.")
        return tuple(
            Case(self.when(when, at), self.template(text, at, None, new=not is_seen))
            for when, text in spoken.items()
        )

    def moves(self, name: str, known: Field, spoken: Spoken) -> tuple[Template, ...]:
        """What is said of each move of a field."""
        moves = [mover.move for mover in self.look.movers if mover.name == name]
        texts = [spoken] if isinstance(spoken, str) else list(spoken)
        if isinstance(spoken, Mapping) or len(texts) not in (1, len(moves)):
            raise DefinitionError(
                f"there are {len(texts)} phrases and {len(moves)} moves: give one for each move, "
                "or one for all."
            )
        texts *= len(moves) if len(texts) < len(moves) else 1
        return tuple(
            self.template(
                text,
                known.location,
                None if move.relation is None else move.relation.others,
                new=True,
            )
            for text, move in zip(texts, moves, strict=True)
        )
