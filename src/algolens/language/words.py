"""What is said of a program: sentences with the names and numbers of a run, pseudo-code, legends.

They are words for readers. Nothing is learnt, decided or proven by them. What nobody has a sentence
for is shown by its name and its formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from algolens.errors import DefinitionError, FormulaError, naming
from algolens.language.finite import columns
from algolens.language.ir import (
    GOES_ON,
    TRUE,
    And,
    At,
    Compare,
    Expr,
    Field,
    Let,
    Not,
    Or,
    Program,
    Quantified,
    The,
    View,
    parts_of,
)
from algolens.language.lower import OPPOSITE
from algolens.language.parse import Parser, parse
from algolens.language.text import Text, plain, table_of

ENDLESS = "∞"
NONE = "none"  # of states: where none holds
UNTIL = "nothing changes any more"  # unless it is said what ends a run
AROUND = ("start", "repeat", "until")  # the lines of pseudo-code that stand around the others
TABLES: tuple[At, ...] = ("node", "edge", "link", "graph")
BRACES = re.compile(r"\{([^{}]*)\}")
# a sentence; of a feature, what is said where it holds, and where not; of a field that moves, one
# for each of its moves; or by statements: the first that holds counts
Spoken = str | Sequence[str] | Mapping[str, str]


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How people speak of an algorithm.

    Parameters
    ----------
    examined : str
        A statement: of which elements a step decides, even if they stay as they are.
    phrases : mapping
        Sentences by the name of a feature, or of what a step changes. An empty one: nothing is
        said of it. A step is told in this order: causes first.
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
    phrases: Mapping[str, Spoken] = {}
    lines: Mapping[str, str] = {}
    states: Mapping[str, str] = {}
    names: Mapping[str, str] = {}


@dataclass(frozen=True)
class New:
    """The value of a field after the step: ``{new}``."""


@dataclass(frozen=True)
class Those:
    """Those in view who are so: ``{neighbours (visited)}``; or ``{how many neighbours}``."""

    view: View
    body: Expr
    counts: bool


Template: TypeAlias = tuple[str | Expr | New | Those, ...]


@dataclass(frozen=True)
class CodeLine:
    """A line of pseudo-code, and at which elements a step carries it out.

    Parameters
    ----------
    key : str
        ``start``, ``repeat``, ``until``, or its number among those between.
    text : str
        What is done.
    at, when : str, Expr, optional
        The table, and the statement; None: it is carried out as a whole.
    changed : str, optional
        A field: it is carried out where that changes.
    """

    key: str
    text: str
    at: At | None = None
    when: Expr | None = None
    changed: str | None = None

    @property
    def depth(self) -> int:
        """How far it is indented."""
        return 0 if self.key in AROUND else 1


class Speech:
    """What is said of a program, its words resolved.

    Parameters
    ----------
    program : Program
        HIR.
    words : Words
        As they were declared.

    Raises
    ------
    DefinitionError
        Where a sentence speaks of nothing that is declared.
    """

    def __init__(self, program: Program, words: Words) -> None:
        self.program, self.words = program, words
        self.say = Text.of(program)
        self.lets = {let.name: let for let in program.lets if let.name != GOES_ON}
        self.becoming = {let.name: let for let in program.becomes}
        self.fields = named_fields(program)
        self.location: At = next((each.at for each in program.outputs.values()), "node")
        self.cases: dict[str, tuple[tuple[Expr, Template], ...]] = {}  # by statement
        self.moves: dict[str, tuple[Template, ...]] = {}  # one for each
        self._check_names()
        for name, spoken in words.phrases.items():
            if name not in self.told:
                raise DefinitionError(
                    f"there is a phrase for '{name}', which is no feature and nothing that a step "
                    f"changes: there are {', '.join(self.told)}."
                )
            with naming(f"phrase of '{name}'"):
                self._read(name, [spoken] if isinstance(spoken, str) else spoken)
        self.examined = None
        if words.examined:
            with naming("examined"):
                self.examined = self._parsed(words.examined, self.location)
        self.lines = self._lines()

    @property
    def told(self) -> dict[str, Let]:
        """All that there are sentences of: features, and what a step changes."""
        return self.becoming | self.lets

    def _check_names(self) -> None:
        """Refuses states and names of what is not there."""
        fields = self.fields
        legends = [name for name, each in fields.items() if each.kind in ("mask", "pointer")]
        labels = [label for each in fields.values() for label in each.labels]
        for what, given, there in (
            ("state", self.words.states, [*legends, *labels]),
            ("name", self.words.names, [*fields]),
        ):
            for name in given:
                if name not in (NONE, *there):
                    raise DefinitionError(
                        f"there is a {what} '{name}', which nothing is called: name one of "
                        f"{', '.join(there)}."
                    )

    def _read(self, name: str, spoken: Sequence[str] | Mapping[str, str]) -> None:
        let, is_feature = self.told[name], name in self.lets
        is_decided = (self.fields | self.program.outputs)[name].is_decided
        many, cases = len(spoken), let.cases
        if isinstance(spoken, Mapping):
            by_case = spoken
        elif is_feature and 1 <= many <= 2:
            by_case = dict(zip((name, "True"), spoken, strict=False))
        elif is_decided and not is_feature and many == 1:
            by_case = {"True": spoken[0]}
        elif cases and not is_feature and not is_decided and many in (1, len(cases)):
            self.moves[name] = tuple(
                self.template(text, let.at, others=others_of(value), new=True)
                for text, (_, value) in zip([*spoken] * (len(cases) // many), cases, strict=True)
            )
            return
        else:
            raise DefinitionError(
                f"there are {many} phrases: give one for yes and one for no of a feature, one for "
                "each move or one for all, or phrases by the statements that they go by."
            )
        self.cases[name] = tuple(
            (self._parsed(when, let.at), self.template(text, let.at, new=not is_feature))
            for when, text in by_case.items()
        )

    def template(self, text: str, at: At, *, others: At | None = None, new: bool) -> Template:
        """The parts of a sentence: texts, and what stands in braces between them.

        Parameters
        ----------
        text : str
            As in ``"{me} ({weight}) is rejected"``.
        at, others : str
            The table of the element that it speaks of, and of the one that a move takes its value
            from.
        new : bool
            Whether there is a value after the step.
        """
        parts: list[str | Expr | New | Those] = []
        for place, part in enumerate(BRACES.split(text)):
            if place % 2:
                parts.append(self._slot(part, at, others, new))
            elif "{" in part or "}" in part:
                raise DefinitionError(
                    f"{text!r} has a brace without its other one: write {{name}} around a name."
                )
            elif part:
                parts.append(part)
        return tuple(parts)

    def _slot(self, text: str, at: At, others: At | None, new: bool) -> Expr | New | Those:
        if text == "new":
            if not new:
                raise DefinitionError(
                    "{new} is the value of an output after a step, and this has none: name a field."
                )
            return New()
        who = text.removeprefix("how many ")
        with naming(f"{{{text}}}"):
            if who == text and not text.endswith(")"):
                return parse(Parser.value, text, at, self.fields, others=others)
            view = self._parsed(f"some {who}", at)
        assert isinstance(view, Quantified)
        return Those(view.view, view.body, who != text)

    def _parsed(self, text: str, at: At) -> Expr:
        return parse(Parser.statement, text, at, self.fields)

    def opposite(self, term: Expr) -> Expr:
        """What holds where a statement does not, as a person would write it."""
        match term:
            case Compare(left, op, right) if self.say.label(term) is None:
                return Compare(left, OPPOSITE[op], right)
            case Quantified("every", view, body):
                return Quantified("some", view, self.opposite(body))
            case And(terms):
                return Or(tuple(map(self.opposite, terms)))
            case Or(terms):
                return And(tuple(map(self.opposite, terms)))
            case Not(inner):
                return inner
        return Not(term)

    # ---- pseudo-code

    def _lines(self) -> tuple[CodeLine, ...]:
        """The lines that were declared, and made ones where there are none."""
        begin = [f"{plain(let.name)} is {self.say.let(let)}" for let in self.program.start]
        said = self.words.lines
        around = {"start": "; ".join(begin), "repeat": "", "until": self._ends(), **said}
        between: list[CodeLine] = []
        for when in [when for when in said if when not in AROUND]:
            at = self._at(when)
            with naming(f"line of pseudo-code at {when!r}"):
                where = self._parsed(when, at)
            between.append(CodeLine(str(len(between)), said[when], at, where))
        for name, let in {} if between else self.becoming.items():
            text = f"{plain(name)} becomes {self.say.let(let)}"
            between.append(CodeLine(str(len(between)), text, let.at, changed=name))
        return (
            CodeLine("start", f"start: {around['start']}"),
            CodeLine("repeat", f"repeat {around['repeat']}".strip()),
            *between,
            CodeLine("until", f"until {around['until']}"),
        )

    def _at(self, when: str) -> At:
        """The table where words have a meaning; where outputs sit first."""
        for at in (self.location, *TABLES):
            try:
                self._parsed(when, at)
            except FormulaError:
                continue
            return at
        return self.location

    def _ends(self) -> str:
        """What ends the run."""
        if self.program.goes_on is not None:
            return self.say(self.opposite(self.program.goes_on))
        times, per = self.program.times, self.program.per
        steps = "a step" if times == 1 else f"{times} steps"
        return f"{steps} for every {per} {'is' if times == 1 else 'are'} done"


def named_fields(program: Program) -> dict[str, Field]:
    """All that a statement may name: inputs, state, features and numbers."""
    return {name: field for (_, name), field in columns(program).items()}


def numbers_of(program: Program) -> list[Let]:
    """The sums of a program, in order."""
    fields = named_fields(program)
    return [let for let in program.lets if fields[let.name].kind != "mask"]


def features_of(program: Program) -> list[Let]:
    """What it sees, in order."""
    numbers = numbers_of(program)
    return [let for let in program.lets if let not in numbers and let.name != GOES_ON]


def moves_in(program: Program, decided: Iterable[str]) -> list[tuple[Let, tuple[Expr, Expr]]]:
    """What becomes of the state, case by case, but for what rules decide or features carry on."""
    silent = {*decided, *(let.name for let in program.lets)}
    return [
        (let, case)
        for let in program.becomes
        if let.name not in silent
        for case in (let.cases or ((TRUE, let.value),))
    ]


def listing(program: Program, decided: Iterable[str]) -> dict[str, list[tuple[str, At, str]]]:
    """What stands in a program: names, tables and texts of how the state begins, what is added,
    seen and moved. decided: what rules decide.
    """
    say = Text.of(program)

    def rows(lets: Iterable[Let]) -> list[tuple[str, At, str]]:
        return [(let.name, let.at, say.let(let)) for let in lets]

    moves = moves_in(program, decided)
    return {
        "begins": rows(program.start),
        "adds": rows(numbers_of(program)),
        "sees": rows(features_of(program)),
        "moves": [(let.name, let.at, say.case(let, *case)) for let, case in moves],
    }


def others_of(value: Expr) -> At | None:
    """The table of the one in view that a value is taken from."""
    return next((table_of(the.view) for the in parts_of(value, The)), None)
