"""The form in which an algorithm is written: one class, one attribute for one name.

What is ``input`` is given. What has ``becomes`` is carried from step to step, and is a result if it
is an ``output``. All else follows from these in every state: features (``sees``), numbers
(``sums``). Names may stand in any order, as in a spreadsheet.

**Concepts.** A network for an algorithm decides outputs, and whether it goes on, from concepts
alone. Who names concepts (``Node.concept``) has these and no others: the rules of outputs and
``goes_on`` then may read nothing else, which is checked; the paper's algorithms name the paper's.
For all others, each part that rules and ``goes_on`` read is a concept: a feature by its name, a
field of the state as ``last NAME``, a comparison by its text. ``Reading.concepts`` has them.

**A category** becomes the first class whose statement holds, or else stays. So its own class
decides too, and is a concept, unless the last statement is ``True``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

import msgspec

from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.language.check import check, check_name, in_order
from algolens.language.ir import (
    GOES_ON,
    IT,
    ME,
    TRUE,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    Let,
    Not,
    Or,
    Per,
    Program,
    Quantified,
    The,
    parts_of,
    put,
    rebuilt,
    speaks_of,
)
from algolens.language.parse import Parser, parse
from algolens.language.text import Text
from algolens.limits import OPTION, WholeRange

SUM = Field("graph", "number", bits=62, signed=True)
MOST_IN_FAMILY = 1_000  # and classes of a category
Read = TypeVar("Read")
Becomes = str | Sequence[str] | Mapping[Any, str]

# ---- what authors write


@dataclass(frozen=True, eq=False)
class Option:
    """A whole number that users choose; ``colors + 1`` is another that follows from it."""

    default: int
    least: int = OPTION.least
    most: int = OPTION.most
    plus: int = 0
    of: Option | None = None
    name: str = field(default="", init=False)

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    def __get__(self, algorithm: Any, owner: type) -> Any:
        return self if algorithm is None else algorithm.options[self.name]

    def __add__(self, more: int) -> Option:
        return replace(self, plus=self.plus + more, of=self.of or self)

    def __sub__(self, less: int) -> Option:
        return self + -less


Whole = int | Option


@dataclass(frozen=True)
class Each:
    """A family: one for each k, from the first to the last."""

    first: Whole
    last: Whole


@dataclass(frozen=True)
class Kind:
    """What a field holds; what only inputs have (``low``, ``distinct``) comes from their kinds."""

    name: Literal["mask", "category", "number", "pointer"]
    labels: tuple[str, ...] | Whole = ()
    bits: Whole = 0
    signed: bool = False
    to: At | None = None
    low: int | None = None
    distinct: Literal["graph", "neighbours"] | None = None
    itself_is_none: bool = False


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One name: where it sits, what it holds, how it follows, what is said of it."""

    at: At
    role: Literal["input", "state", "output", "sees", "concept", "sums"]
    kind: Kind
    text: str = ""
    start: Any = None
    becomes: Becomes | None = None
    k: Each | None = None
    drawn: bool = False
    only_where: str | None = None  # an output that says something only where this mask holds
    endless_at: str | None = None  # a number without a bound at the node that this input points to
    called: Any = None  # a legend: where it holds and where not; or by class; or of a set
    tells: Any = None  # of what changes: a sentence, one for each move, or by statement
    yes: str | Mapping[str, str] | None = None  # of a feature: where it holds
    no: str | Mapping[str, str] | None = None
    line: str | Mapping[str, str] | None = None  # of the pseudo-code: what is done where it holds
    title: str | None = None  # what drawings call it

    @property
    def objection(self) -> str | None:
        """What is of a wrong type, and what to write."""
        if not isinstance(self.kind, Kind):
            return "no kind: write mask, number(8), category('red', 'green') or pointer(Node)."
        if self.role in ("sees", "concept", "sums") and not (
            isinstance(self.text, str) and self.text
        ):
            return f"{self.text!r} came, where a statement in quotes stands."
        if self.role != "input" and (self.kind.distinct or self.kind.low is not None):
            return "low and distinct are checked of inputs alone: leave them out."
        if not isinstance(self.k, Each | None):
            return "k is no family: write k=Each(1, 3)."
        moves = (self.becomes,) if isinstance(self.becomes, str) else self.becomes
        if moves is not None and not (moves and isinstance(moves, Mapping | list | tuple)):
            return "becomes is a statement, a list of moves, or a statement for each class."
        said = [
            text for each in (self.tells, self.yes, self.no, self.line) for text in _texts(each)
        ]
        if not all(isinstance(text, str) for text in said):
            return "a sentence stands in quotes; by statement, in {statement: sentence}."
        return None


@dataclass(frozen=True)
class Place:
    """``Node``, ``Edge``, ``Link`` or ``Graph``: ``visited = Node.output(mask, ...)``."""

    at: At

    def input(self, kind: Kind, *, drawn: bool = False, title: str | None = None) -> Attribute:
        """What is given, and stays; ``drawn`` at random where a user gives none."""
        return Attribute(at=self.at, role="input", kind=kind, drawn=drawn, title=title)

    def state(self, kind: Kind, *, start: Any, becomes: Becomes, **said: Any) -> Attribute:
        """What is carried from step to step."""
        return Attribute(at=self.at, role="state", kind=kind, start=start, becomes=becomes, **said)

    def output(self, kind: Kind, *, becomes: Becomes, start: Any = None, **said: Any) -> Attribute:
        """A result; state too, unless it has no ``start``, so that no step reads it."""
        return replace(self.state(kind, start=start, becomes=becomes, **said), role="output")

    def sees(self, text: str, **said: Any) -> Attribute:
        """A feature: whether a statement holds, in every state."""
        return Attribute(at=self.at, role="sees", kind=mask, text=text, **said)

    def concept(self, text: str, **said: Any) -> Attribute:
        """A feature that outputs are decided by."""
        return replace(self.sees(text, **said), role="concept")

    def sums(self, text: str, *, title: str | None = None) -> Attribute:
        """A number that follows from others, in every state."""
        return Attribute(at=self.at, role="sums", kind=number(62, signed=True), text=text)


Node, Edge, Link, Graph = Place("node"), Place("edge"), Place("link"), Place("graph")
mask = Kind("mask")


def number(
    bits: Whole,
    *,
    low: int | None = None,
    signed: bool = False,
    distinct: Literal["graph", "neighbours"] | None = None,
) -> Kind:
    """Whole numbers of so many bits."""
    return Kind("number", bits=bits, signed=signed, low=low, distinct=distinct)


def pointer(to: Place, *, itself_is_none: bool = False) -> Kind:
    """An element of a table."""
    return Kind("pointer", to=to.at, itself_is_none=itself_is_none)


def category(*labels: str | Whole) -> Kind:
    """One of several classes, by names; or so many, called 0, 1, ...."""
    is_count = len(labels) == 1 and not isinstance(labels[0], str)
    return Kind("category", labels[0] if is_count else labels)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Steps:
    """So many steps for each element: ``2 * per(Node)``."""

    what: Per
    times: Whole = 1

    def __rmul__(self, times: Whole) -> Steps:
        return replace(self, times=times)


def per(place: Place, other: Place | None = None) -> Steps:
    """As many steps as there are nodes, edges or graphs, or pairs of nodes: ``per(Node, Node)``."""
    return Steps("pair" if other is not None else place.at)  # type: ignore[arg-type]


class Algorithm:
    """A subclass is an algorithm, and has what it inherits; what it sets to None, it has not.
    One with ``part=True`` is what others share.
    """

    goes_on: ClassVar[str | None] = None  # a statement of the graph; None: as many steps as it may
    most_steps: ClassVar[Steps] = per(Node)
    outcomes: ClassVar[tuple[str, ...]] = ()  # features of the graph that are results
    examines: ClassVar[str | None] = None  # whom a step decides about, even if they stay
    starts_with: ClassVar[str | None] = None  # pseudo-code: what holds at first
    repeats: ClassVar[str | None] = None
    ends_when: ClassVar[str | None] = None

    def __init_subclass__(cls, *, part: bool = False) -> None:
        super().__init_subclass__()

    @classmethod
    def read(cls, **options: int) -> Reading:
        """Itself with its options chosen, as HIR and what is beside it.

        Raises
        ------
        DefinitionError
            Where it contradicts itself; the name of the attribute, and what to do.
        """
        return Reading(cls, options)

    @classmethod
    def program(cls, **options: int) -> Program:
        """Itself as HIR, checked."""
        return cls.read(**options).program


# ---- how it is read


@dataclass(frozen=True, eq=False)
class Reading:
    """An algorithm and its options, as HIR; and what is beside it: sentences and concepts."""

    algorithm: type[Algorithm]
    chosen: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _members(self) -> dict[str, Any]:
        return {
            name: value
            for base in reversed(self.algorithm.__mro__[:-2])
            for name, value in vars(base).items()
        }

    @cached_property
    def options(self) -> dict[str, int]:
        """Each option and what it is."""
        known = {name: one for name, one in self._members.items() if isinstance(one, Option)}
        for name in self.chosen:
            if name not in known:
                raise UnknownNameError("option", name, known)
        for name, one in known.items():
            value = WholeRange(one.least, one.most)
            value.check(self.chosen.get(name, one.default), f"option {name}")
        return {name: self.chosen.get(name, one.default) for name, one in known.items()}

    def _whole(self, value: Whole) -> int:
        """A number, or what an option is."""
        if isinstance(value, Option):
            name = (value.of or value).name
            if name in self.options:
                return self.options[name] + value.plus
        if isinstance(value, bool) or not isinstance(value, int):
            raise DefinitionError(f"{value!r} is no whole number, and no option of the class.")
        return value

    def _range(self, k: Each) -> range:
        found = range(self._whole(k.first), self._whole(k.last) + 1)
        if len(found) > MOST_IN_FAMILY:
            raise DefinitionError(f"a family has {len(found)}: {MOST_IN_FAMILY} are the most.")
        return found

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """Every name, families one by one."""
        found: dict[str, Attribute] = {}
        for name, one in self._members.items():
            if not isinstance(one, Attribute):
                continue
            if hasattr(Algorithm, name):
                raise DefinitionError(f"'{name}' is a word of every algorithm: write another.")
            wrong = one.objection
            if wrong is not None:
                raise DefinitionError(f"'{name}': {wrong}")
            if one.k is None or one.becomes is not None:
                found[name] = one
                continue
            for k in self._range(one.k):
                said = {part: _with(getattr(one, part), k) for part in ("text", "yes", "no")}
                found[_with(name, k)] = replace(one, k=None, **said)
        for name, one in found.items():
            check_name(name, one.at if one.role == "input" else None)
        return found

    @cached_property
    def fields(self) -> dict[str, Field]:
        """What each name is."""
        fields = {}
        for name, one in self.attributes.items():
            kind, labels = one.kind, one.kind.labels
            if not isinstance(labels, tuple):
                labels = tuple(map(str, self._range(Each(0, labels - 1))))
            are_words = all(isinstance(label, str) for label in labels)
            if kind.name == "category" and not (are_words and 0 < len({*labels}) == len(labels)):
                raise DefinitionError(f"'{name}' has the classes {labels}: give some that differ.")
            bits = self._whole(kind.bits)
            if kind.name == "number" and not 1 <= bits <= SUM.bits:
                raise DefinitionError(f"'{name}' has {bits} bits: give 1 to {SUM.bits}.")
            fields[name] = Field(one.at, kind.name, labels, bits, kind.signed, kind.to)
        return fields

    def _of_role(self, *roles: str) -> dict[str, Field]:
        return {
            name: self.fields[name] for name, one in self.attributes.items() if one.role in roles
        }

    def _read(self, part: Callable[[Parser], Read], text: Any, at: At, name: str) -> Read:
        if not isinstance(text, str):
            raise DefinitionError(f"'{name}' has {text!r}, where a statement in quotes stands.")
        try:
            return parse(part, text, at, self.fields, self.options)
        except AlgoLensError as problem:
            raise DefinitionError(f"'{name}': {problem}") from problem

    @cached_property
    def _written(self) -> Program:
        """As it is written, with arithmetic wherever it stands."""
        attributes, lets = self.attributes, []
        for name, one in attributes.items():
            if one.text:
                part = Parser.value if one.role == "sums" else Parser.statement
                lets.append(Let(name, one.at, self._read(part, one.text, one.at, name)))
        if self.algorithm.goes_on is not None:
            text = self.algorithm.goes_on
            lets.append(Let(GOES_ON, "graph", self._read(Parser.statement, text, "graph", GOES_ON)))
        steps = self.algorithm.most_steps
        if not isinstance(steps, Steps) or steps.what == "link":
            raise DefinitionError("most_steps counts nodes, edges or graphs: write 2 * per(Node).")
        carried = {name: one for name, one in attributes.items() if one.start is not None}
        becoming = {name: one for name, one in attributes.items() if one.becomes is not None}
        return Program(
            self.algorithm.__name__,
            self._of_role("input"),
            {name: self.fields[name] for name in carried},
            tuple(Let(name, one.at, self._start(name, one)) for name, one in carried.items()),
            tuple(lets),
            tuple(Let(name, one.at, self._becomes(name, one)) for name, one in becoming.items()),
            self._whole(steps.times),
            steps.what,
            self._of_role("output"),
        )

    @cached_property
    def program(self) -> Program:
        """Itself as HIR, checked; arithmetic is in lets of its own, computed for all rows."""
        written = self._written
        masks = frozenset(self._of_role("sees", "concept"))
        check(msgspec.structs.replace(written, lets=in_order(written.lets)), masks)
        _ = self.concepts, self.sentences
        self._check_shown()
        return apart(self._written)

    def _start(self, name: str, one: Attribute) -> Expr:
        start, state = one.start, self.fields[name]
        if isinstance(start, int) and state.kind == (
            "mask" if isinstance(start, bool) else "number"
        ):
            return Const(start)
        if isinstance(start, Mapping):
            return Case(self._cases(name, state, start, None), Const(0))
        if state.kind == "category":
            return Const(self._class(name, state, start))
        if isinstance(start, str) and start.strip().isdecimal():
            raise DefinitionError(f"'{name}': {start!r} is text: write {start}, without quotes.")
        return self._read(Parser.statement, start, state.at, name)

    def _becomes(self, name: str, one: Attribute) -> Expr:
        """A mask has one statement; of cases or moves the first that applies, or else it stays."""
        state, stays = self.fields[name], Get(name, one.at)
        if state.kind == "mask":
            return self._read(Parser.statement, one.becomes, one.at, name)
        if state.kind == "category":
            if not isinstance(one.becomes, Mapping):
                raise DefinitionError(
                    f"'{name}' has classes: write becomes={{class: statement, ...}}; the first "
                    "that holds decides, or else it stays."
                )
            *cases, last = self._cases(name, state, one.becomes, one.k)
            if last[0] == TRUE:
                return Case(tuple(cases), last[1])
            return Case((*cases, last), stays)
        moves = [one.becomes] if isinstance(one.becomes, str) else one.becomes or ()
        return Case(tuple(self._read(Parser.move, each, one.at, name) for each in moves), stays)

    def _cases(
        self, name: str, state: Field, texts: Mapping[Any, str], k: Each | None
    ) -> tuple[tuple[Expr, Expr], ...]:
        cases = []
        for label, text in texts.items():
            is_family = k is not None and label == "k"
            for number in self._range(k) if is_family and k is not None else [None]:
                place = Const(self._class(name, state, label if number is None else number))
                said = text if number is None else _with(text, number)
                cases.append((self._read(Parser.statement, said, state.at, name), place))
        return tuple(cases)

    def _class(self, name: str, state: Field, label: Any) -> int:
        said = label if isinstance(label, str) else str(self._whole(label))
        if said not in state.labels:
            there = ", ".join(state.labels)
            raise DefinitionError(f"'{name}' has no class '{said}': there are {there}.")
        return state.labels.index(said)

    # ---- beside the program

    def _check_shown(self) -> None:
        for name, one in self.attributes.items():
            mask = self._written.outputs.get(one.only_where or "")
            if one.only_where is not None and (mask is None or mask.kind != "mask"):
                raise DefinitionError(f"'{name}': only_where names an output that is a mask.")
            found = self.attributes.get(one.endless_at or "")
            if one.endless_at is not None and (found is None or found.role != "input"):
                raise DefinitionError(f"'{name}': endless_at names an input that points to a node.")
        for name in self.algorithm.outcomes:
            found = self.attributes.get(name)
            if found is None or found.at != "graph" or not found.text:
                raise DefinitionError(f"outcome '{name}' is no feature of the graph: declare one.")
        if self.algorithm.examines is not None:
            places = [one.at for one in self.attributes.values() if one.role == "output"]
            self._read(Parser.statement, self.algorithm.examines, places[0], "examines")

    @cached_property
    def concepts(self) -> tuple[Let, ...]:
        """What outputs and going on are decided by, at the outputs' table."""
        named = [name for name, one in self.attributes.items() if one.role == "concept"]
        places = {one.at for one in self.attributes.values() if one.role in ("output", "concept")}
        if len(places) > 1:
            several_places = ", ".join(sorted(places))
            raise DefinitionError(f"outputs and concepts sit at one table; here: {several_places}.")
        (at,) = places or {"node"}
        found: dict[Expr, str] = {Get(name, at): name for name in named}
        say = Text.of(self._written)
        for part, rule in self._rules(at):
            for atom in atoms_of(rule):
                if atom in found:
                    continue
                if named:
                    raise DefinitionError(
                        f"'{part}' goes by '{say(atom)}', which is no concept: name it as one, as "
                        f"in {at.capitalize()}.concept(...), or name none, so that all are."
                    )
                of_state = isinstance(atom, Get) and self.attributes[atom.column].role in (
                    "state",
                    "output",
                )
                found[atom] = f"last {say(atom)}" if of_state else say(atom)
        return tuple(Let(name, at, value) for value, name in found.items())

    def _rules(self, at: At) -> Iterator[tuple[str, Expr]]:
        """What is decided of each element at a table, and by what."""
        for let in self._written.becomes:
            output = self._written.outputs.get(let.name)
            if output is None or output.kind not in ("mask", "category"):
                continue
            cases = let.value.cases if isinstance(let.value, Case) else ((let.value, ME),)
            for rule, _ in cases:
                yield let.name, rule
            if isinstance(let.value, Case) and let.value.otherwise == Get(let.name, at):
                for place in range(len(output.labels)):
                    yield let.name, Compare((let.value.otherwise,), "=", (Const(place),))
        for let in self._written.lets:
            if let.name == GOES_ON:
                yield GOES_ON, _of_each(let.value, at)

    @cached_property
    def sentences(self) -> dict[str, list[str]]:
        """All that is said of each name; what stands in braces is known to name something."""
        found: dict[str, list[str]] = {}
        for name, one in self.attributes.items():
            texts = [*_texts(one.tells), *_texts(one.yes), *_texts(one.no), *_texts(one.line)]
            for said in (one.tells, one.yes, one.no, one.line):
                if isinstance(said, Mapping):
                    for statement in said:
                        self._read(Parser.statement, statement, one.at, name)
            for text in texts:
                self._check_sentence(name, one.at, text)
            found[name] = texts
        return found

    def _check_sentence(self, name: str, at: At, text: str) -> None:
        rest = re.sub(r"\{[^{}]*\}", "", text)
        if "{" in rest or "}" in rest:
            raise DefinitionError(f"'{name}': {text!r} lacks a brace.")
        for part in re.findall(r"\{([^{}]*)\}", text):
            said = part.removeprefix("how many ")
            if said in ("me", "it", "new", *self.options) or said.startswith("its "):
                continue
            try:
                parse(Parser.value, said, at, self.fields, self.options)
            except AlgoLensError:
                self._read(Parser.statement, f"some {said}", at, name)


def _of_each(goes_on: Expr, at: At) -> Expr:
    """What each element says of going on, so that some, every or none of them decides it."""
    graph = Get("graph", at)
    match goes_on:
        case Quantified("some" | "every", view, body) | Not(Quantified("some", view, body)) if (
            view.rows == at and speaks_of(body) == {IT}
        ):
            return put(body, it=ME)
        case _ if parts_of(goes_on, Quantified):
            return Get(GOES_ON, "graph", graph)
    return put(goes_on, me=graph)


def atoms_of(node: Expr) -> Iterator[Expr]:
    """What a rule joins by and, or and not."""
    match node:
        case Const():
            return
        case Not(term):
            yield from atoms_of(term)
        case And(terms) | Or(terms):
            for term in terms:
                yield from atoms_of(term)
        case _:
            yield node


def apart(program: Program) -> Program:
    """The same program, with every sum and product inside of something as a let of its own."""
    taken = {*program.inputs, *program.state, *(let.name for let in program.lets)}
    made: dict[tuple[At, Expr], Let] = {}
    say = Text.of(program)

    def named(node: Arith, at: At) -> Let:
        if (at, node) not in made:
            words = {" + ": "_plus_", " - ": "_minus_", " * ": "_times_", "'s ": "_", "-": "minus_"}
            name = say(node)
            for mark, word in words.items():
                name = name.replace(mark, word)
            name = re.sub(r"\W", "", name)
            name = name if name.isidentifier() else f"_{name}"
            while name in taken:
                name += "_"
            taken.add(name)
            made[at, node] = Let(name, at, node)
        return made[at, node]

    def changed(node: Expr, at: At, others: At | None) -> Expr:
        if isinstance(node, Arith):
            is_its = speaks_of(node) == {IT}
            let = named(put(node, it=ME), others if is_its and others is not None else at)  # type: ignore[arg-type]
            return Get(let.name, let.at, IT if is_its else ME)
        if isinstance(node, Quantified | The):
            others = _table_of(node.view.it, node.view.rows)
        return rebuilt(node, lambda part: changed(part, at, others))

    def of(let: Let) -> Let:
        whole = isinstance(let.value, Arith)
        return let if whole else Let(let.name, let.at, changed(let.value, let.at, None))

    lets, becomes = [of(let) for let in program.lets], tuple(map(of, program.becomes))
    return msgspec.structs.replace(program, lets=in_order([*lets, *made.values()]), becomes=becomes)


def _table_of(it: Expr, rows: At) -> At:
    """The table of whom a row in view stands for: itself, or the node at its other end."""
    return "node" if isinstance(it, Get) else rows


def _with(said: Any, k: int) -> Any:
    """With a number for k, where it stands as a word: ``color is k``, ``color_k_seen``."""
    if isinstance(said, Mapping):
        return {_with(key, k): _with(value, k) for key, value in said.items()}
    return re.sub(r"(?<![a-zA-Z0-9])k(?![a-zA-Z0-9])", str(k), said) if said else said


def _texts(said: Any) -> list[str]:
    if isinstance(said, Mapping):
        return [text for value in said.values() for text in _texts(value)]
    return [*said] if isinstance(said, list | tuple) else [] if said is None else [said]
