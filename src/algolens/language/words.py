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

from algolens.errors import DefinitionError, FormulaError
from algolens.language.finite import columns
from algolens.language.ir import (
    GOES_ON,
    TRUE,
    And,
    At,
    Case,
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
        outputs = [each.at for each in program.outputs.values()]
        self.location: At = outputs[0] if outputs else "node"
        self.cases: dict[str, tuple[tuple[Expr, Template], ...]] = {}  # by statement
        self.moves: dict[str, tuple[Template, ...]] = {}  # one for each
        self._check_texts()
        for name, spoken in words.phrases.items():
            if name not in self.told:
                raise DefinitionError(
                    f"there is a phrase for '{name}', which is no feature and nothing that a step "
                    f"changes: there are {', '.join(self.told)}."
                )
            try:
                self._read(name, spoken)
            except (DefinitionError, FormulaError) as problem:
                raise DefinitionError(f"phrase of '{name}': {problem}") from problem
        self.examined = self._where("examined", words.examined) if words.examined else None
        self.lines = self._lines()

    @property
    def told(self) -> dict[str, Let]:
        """All that there are sentences of: features, and what a step changes."""
        return self.becoming | self.lets

    def kind_of(self, name: str) -> str:
        """What kind of values a column has."""
        return (self.fields | self.program.outputs)[name].kind

    def _check_texts(self) -> None:
        """Refuses what is no text, and states and names of what is not there."""
        words = self.words
        called = (*words.states.values(), *words.names.values())
        if not all(
            isinstance(text, str)
            for text in (words.examined, *words.lines, *words.lines.values(), *called)
        ):
            raise DefinitionError(
                "what is examined, lines of pseudo-code, states and names are texts."
            )
        fields = self.fields | {plain_state(name): self.fields[name] for name in self.fields}
        labels = [label for each in fields.values() for label in each.labels]
        legends = [name for name, each in fields.items() if each.kind in ("mask", "pointer")]
        for what, given, there in (
            ("state", words.states, (*legends, *labels)),
            ("name", words.names, (*fields,)),
        ):
            for name in given:
                if name not in (NONE, *there):
                    raise DefinitionError(
                        f"there is a {what} '{name}', which nothing is called: name one of "
                        f"{', '.join(there)}."
                    )

    def _read(self, name: str, spoken: Spoken) -> None:
        let, is_feature = self.told[name], name in self.lets
        is_decided = self.kind_of(name) in ("mask", "category")
        parts = [*spoken, *spoken.values()] if isinstance(spoken, Mapping) else spoken
        texts = [parts] if isinstance(parts, str) else parts
        if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
            raise DefinitionError(f"{spoken!r} is no phrase: write text, or texts.")
        if isinstance(spoken, Mapping):
            by_case = spoken
        elif is_feature:
            if not 1 <= len(texts) <= 2:
                raise DefinitionError(
                    f"there are {len(texts)} phrases: give one for yes, and one for no."
                )
            by_case = dict(zip((name, "True"), texts, strict=False))
        elif is_decided and len(texts) == 1:
            by_case = {"True": texts[0]}
        elif moves := moves_of(let):
            if len(texts) not in (1, len(moves)):
                raise DefinitionError(
                    f"there are {len(texts)} phrases and {len(moves)} moves: give one for each "
                    "move, or one for all."
                )
            self.moves[name] = tuple(
                self.template(text, let.at, others=others_of(value), new=True)
                for text, (_, value) in zip(
                    [*texts] * (len(moves) // len(texts)), moves, strict=True
                )
            )
            return
        else:
            raise DefinitionError("write phrases by the statements that they go by.")
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
        try:
            if who == text and not text.endswith(")"):
                return parse(Parser.value, text, at, self.fields, others=others)
            view = self._parsed(f"some {who}", at)
        except FormulaError as problem:
            raise DefinitionError(f"{{{text}}}: {problem}") from problem
        assert isinstance(view, Quantified)
        return Those(view.view, view.body, who != text)

    def _parsed(self, text: str, at: At) -> Expr:
        return parse(Parser.statement, text, at, self.fields)

    def _where(self, what: str, text: str, *tables: At) -> Expr:
        try:
            return self._parsed(text, (*tables, self.location)[0])
        except FormulaError as problem:
            raise DefinitionError(f"{what}: {problem}") from problem

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
        said = self.words.lines
        around = {"start": self._starts(), "repeat": "", "until": self._ends(), **said}
        between: list[CodeLine] = []
        for when, text in said.items():
            if when not in AROUND:
                at = self._at(when)
                where = self._where(f"line of pseudo-code at {when!r}", when, at)
                between.append(CodeLine(str(len(between)), text, at, where))
        for name, let in {} if between else self.becoming.items():
            text = f"{plain(name)} becomes {self._shown(let)}"
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

    def _shown(self, let: Let) -> str:
        return self.say.let(let)

    def _starts(self) -> str:
        begins = [f"{plain(let.name)} is {self._shown(let)}" for let in self.program.start]
        return "; ".join(begins)

    def _ends(self) -> str:
        """What ends the run."""
        for let in self.program.lets:
            if let.name == GOES_ON:
                return self.say(self.opposite(let.value))
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
    fields = named_fields(program)
    return [let for let in program.lets if fields[let.name].kind == "mask" and let.name != GOES_ON]


def moves_in(program: Program, decided: Iterable[str]) -> list[tuple[Let, tuple[Expr, Expr]]]:
    """What becomes of the state, case by case, but for what rules decide or features carry on."""
    features = {let.name for let in program.lets}
    return [
        (let, case)
        for let in program.becomes
        if let.name not in decided and plain_state(let.name) not in features
        for case in (moves_of(let) or ((TRUE, let.value),))
    ]


def listing(program: Program, decided: Iterable[str]) -> dict[str, list[tuple[str, At, str]]]:
    """What stands in a program: names, tables and texts of how the state begins, what is added,
    seen and moved. decided: what rules decide.
    """
    say = Text.of(program)

    def rows(lets: Iterable[Let]) -> list[tuple[str, At, str]]:
        return [(plain_state(let.name), let.at, say.let(let)) for let in lets]

    moves = moves_in(program, decided)
    return {
        "begins": rows(program.start),
        "adds": rows(numbers_of(program)),
        "sees": rows(features_of(program)),
        "moves": [(let.name, let.at, say.case(let, *case)) for let, case in moves],
    }


def plain_state(name: str) -> str:
    """What a field of the state is called, where a feature of that name is carried over."""
    return name.removeprefix("last ")


def moves_of(let: Let) -> tuple[tuple[Expr, Expr], ...]:
    """By which cases a field moves: none, where a rule gives its truth or its class."""
    if not isinstance(let.value, Case):
        return ()
    return let.value.cases


def others_of(value: Expr) -> At | None:
    """The table of the one in view that a value is taken from."""
    return next((table_of(the.view) for the in parts_of(value, The)), None)


def witnesses(atom: Expr) -> tuple[View, Expr] | None:
    """Who makes an atom hold, where some do."""
    match atom:
        case Quantified("some" | "at least", view, body):
            return view, body
    return None
