"""The form in which an algorithm is written: one class, one attribute for one name.

What is ``input`` is given. What has ``becomes`` is carried from step to step, and is a result if it
is an ``output``. All else is ``derived`` from these in every state: whether a statement holds, or a
number. Names may stand in any order, as in a spreadsheet.

**Without a start**, a field begins as false, as 0, as the first class, or as a pointer to the
element itself; an output that nothing reads is then not carried.

**Concepts.** A network for an algorithm decides outputs, and whether it goes on, from concepts
alone. Who names concepts (``Node.concept``) has these and no others: the rules of outputs and
``goes_on`` then may read nothing else, which is checked; the paper's algorithms name the paper's.
For all others, each part that rules and ``goes_on`` read is a concept: a feature by its own name,
and so what a feature says; ``reached``, a field of the state, as ``is_reached``; a comparison by
its words (``phase_is_over``).

**A category** becomes the first class whose statement holds, or else stays. So its own class
decides too, and is a concept, unless the last statement is ``True``.

**In Python.** What no statement can say: features, concepts and state then have no text, ``start``
and ``becomes``, and the class has the methods ``start`` and ``perceive``, which give them all.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, partialmethod
from typing import Any, ClassVar, Literal, TypeGuard, TypeVar

import msgspec

from algolens import graphs
from algolens.errors import DefinitionError, UnknownNameError, naming
from algolens.language.check import check, check_name, in_order, location_of
from algolens.language.fields import MASK, MOST_BITS, NOWHERE, SUM
from algolens.language.finite import kind_of
from algolens.language.ir import (
    FALSE,
    GOES_ON,
    IT,
    ME,
    TRUE,
    And,
    Arith,
    At,
    Case,
    Cases,
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
    View,
    atoms,
    columns_of,
    parts_of,
    put,
    rebuilt,
    speaks_of,
)
from algolens.language.parse import Parser, did_you_mean, parse
from algolens.language.rules import of_elements
from algolens.language.text import Text, table_of
from algolens.language.words import NONE, Words
from algolens.limits import OPTION, WholeRange
from algolens.logic.names import as_name

AROUND = {"starts_with": "start", "repeats": "repeat", "ends_when": "until"}  # of pseudo-code
ASKS = "asks_for_more"  # the let of the graph that says so where elements cannot
SPOKEN = {
    " + ": "_plus_",
    " - ": "_minus_",
    " * ": "_times_",
    "'s ": "_",
    "-": "minus_",
    "~": "not ",
    " <= ": "_at_most_",
    " >= ": "_at_least_",
    " < ": "_below_",
    " > ": "_above_",
    " != ": "_is_not_",
    " = ": "_is_",
}
LIBRARY = (__name__, "algolens.language.algorithm", "abc", "builtins")
CLOSE = 0.8  # how much alike two words are, from 0 to 1, of which one may be meant by the other
MOST_IN_FAMILY = 1_000  # and classes of a category
Read = TypeVar("Read")

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

    @property
    def range(self) -> WholeRange:
        """What it may be."""
        return WholeRange(self.least, self.most)

    def __add__(self, more: int) -> Option:
        return replace(self, plus=self.plus + more, of=self.of or self)

    def __sub__(self, less: int) -> Option:
        return self + -less


Bits = partial(Option, least=1, most=MOST_BITS)  # how many bits a number has
Whole = Any  # a number, or an Option
Role = Literal["input", "state", "output", "derived", "concept"]


@dataclass(frozen=True)
class Each:
    """A family: one for each k, from the first to the last."""

    first: Whole
    last: Whole


# what is said of a name besides its kind or its statement: for which roles, of which type, and
# what to write
FEATURES = ("derived", "concept")  # what follows in every state
ALL = ("state", "output", *FEATURES)
TEXTS = (str, Mapping, list, tuple)
SENTENCES = "a sentence in quotes; several by statement, in {statement: sentence}"
SAID: Mapping[str, tuple[tuple[str, ...], Any, str]] = {
    "drawn": (("input",), bool, "True, or leave it out"),  # at random where a user gives none
    "start_only": (("input",), bool, "True, or leave it out"),  # in Python: no step reads it
    "start": (ALL[:2], object, ""),
    "becomes": (ALL[:2], TEXTS, "a statement, a list of moves, or a statement for each class"),
    "tells": (ALL[:2], TEXTS, SENTENCES),  # of what changes; of moves, one for each
    "k": (ALL, Each, "a family, as in k=Each(1, 3)"),
    "says": (ALL, str, SENTENCES),  # yes and no in one: "it is [not] visited"
    "yes": (ALL, (str, Mapping), SENTENCES),  # of a feature: where it holds
    "no": (ALL, (str, Mapping), SENTENCES),
    "line": (ALL, (str, Mapping), SENTENCES),  # of the pseudo-code: what is done where it holds
    "title": (("input", *ALL), str, "a name in quotes"),  # what drawings call it
    "only_where": (("output",), str, "a name in quotes"),  # it says something only there
    "endless_at": (("output",), str, "a name in quotes"),  # no bound at the node pointed to
}


@dataclass(frozen=True)
class Attribute:
    """One name: where it sits, what it holds, how it follows, what is said of it (``SAID``)."""

    at: At
    role: Role
    kind: Field  # its numbers may be options
    text: str = ""  # none: it is seen in Python
    said: Mapping[str, Any] = field(default_factory=dict)

    def __getattr__(self, word: str) -> Any:
        if word not in SAID:
            raise AttributeError(word)
        return self.said.get(word)

    def but(self, **changed: Any) -> Attribute:
        """What is inherited, with something else: ``visited = Walk.visited.but(role="state")``."""
        said = {**self.said, **{word: changed.pop(word) for word in [*changed] if word in SAID}}
        return replace(self, said=said, **changed)

    @property
    def objection(self) -> str | None:
        """What is of a wrong type, and what to write."""
        if not isinstance(self.kind, Field):
            return "no kind: write mask, number(8), category('red', 'green') or pointer(Node)."
        if not isinstance(self.text, str):
            return f"{self.text!r} came, where a statement in quotes stands."
        if self.role != "input" and (self.kind.distinct or self.kind.low):
            return "low and distinct are checked of inputs alone: leave them out."
        for word, (_, types, how) in SAID.items():
            given = getattr(self, word)
            texts = _texts(given) if how == SENTENCES else ()
            is_so = isinstance(given, types) and (bool(given) or types is not TEXTS or given == "")
            if given is not None and not (is_so and all(isinstance(text, str) for text in texts)):
                return f"{word} is {given!r}: write {how}."
        return None


# how it was written before, and is now
BEFORE = {
    **dict.fromkeys(("sees", "sums"), "sees(...) and sums(...) are written derived(...) now."),
    "called": "what an element is called is written once for a class now, as in "
    "legend = {'visited': 'visited', 'True': 'not visited'}: leave out 'called'.",
}


@dataclass(frozen=True)
class Place:
    """``Node``, ``Edge``, ``Link`` or ``Graph``: ``visited = Node.output(mask, ...)``."""

    at: At

    def _declared(self, role: Role, what: Any = None, **said: Any) -> Attribute:
        takes = [word for word, (roles, _, _) in SAID.items() if role in roles]
        kind, text = what, ""
        if role in FEATURES:
            kind = said.pop("kind", mask) if role == "derived" else mask
            text = "" if what is None else what
        for word in said:
            if word not in takes:
                raise DefinitionError(
                    BEFORE.get(word)
                    or f"{self.at.capitalize()}.{role}(...) takes no '{word}', but "
                    f"{', '.join(takes)}.{did_you_mean(word, takes)}"
                )
        return Attribute(self.at, role, kind, text, said)

    def __call__(self, kind: Field, **said: bool) -> Field:
        """A field of a kind, as black boxes and recorded runs have it: ``Node(mask)``."""
        count = kind.labels
        labels = count if isinstance(count, tuple) else tuple(map(str, range(count)))
        made = msgspec.structs.replace(kind, at=self.at, labels=labels, **said)
        made.check()
        return made

    # what is given, and stays: of a kind
    input = partialmethod(_declared, "input")
    # what is carried from step to step, of a kind: how it begins, and what it becomes
    state = partialmethod(_declared, "state")
    # a result; state too, unless it has no start and nothing reads it
    output = partialmethod(_declared, "output")
    # what follows in every state: whether a statement holds, or a number; in Python, of any kind
    derived = partialmethod(_declared, "derived")
    # a derived statement that outputs are decided by
    concept = partialmethod(_declared, "concept")

    def __getattr__(self, word: str) -> Any:
        raise DefinitionError(BEFORE[word]) if word in BEFORE else AttributeError(word)


Node, Edge, Link, Graph = Place("node"), Place("edge"), Place("link"), Place("graph")
PLACES = (Node, Edge, Link, Graph)
mask = MASK


def number(
    bits: Whole,
    *,
    low: int = 0,
    signed: bool = False,
    distinct: Literal["graph", "neighbours"] | None = None,
) -> Field:
    """Whole numbers of so many bits."""
    return Field(NOWHERE, "number", bits=bits, signed=signed, low=low, distinct=distinct)


def pointer(to: Place) -> Field:
    """An element of a table."""
    return Field(NOWHERE, "pointer", to=_table("pointer", to))


def pointer_or_none(to: Place) -> Field:
    """An element of a table; the element itself stands for none."""
    return Field(NOWHERE, "pointer", to=_table("pointer_or_none", to), itself_is_none=True)


def _table(word: str, given: Any) -> At:
    if given not in PLACES:
        raise DefinitionError(f"{word}({given!r}) names no table: write {word}(Node).")
    at: At = given.at
    return at


def category(*labels: Whole) -> Field:
    """One of several classes, by names; or so many, called 0, 1, ...."""
    is_count = len(labels) == 1 and not isinstance(labels[0], str)
    return Field(NOWHERE, "category", labels[0] if is_count else labels)


@dataclass(frozen=True)
class Limit:
    """So many steps for each node, edge or graph, or for each pair of nodes: ``2 * per(Node)``.

    >>> str(Limit(2)), str(Limit(per="edge")), str(Limit(8, "graph"))
    ('2 times as many steps as there are nodes', 'as many steps as there are edges', '8 steps')
    >>> str(Limit(per="pair"))
    'as many steps as there are pairs of nodes'
    """

    times: Any = 1  # while it is declared, an option too
    per: Per = "node"

    def __rmul__(self, times: Any) -> Limit:
        return replace(self, times=times)

    def on(self, graph: graphs.Graph) -> Any:
        """[G] the most steps on each graph."""
        if self.per == "pair":
            return self.times * graph.counts("node") ** 2
        return self.times * graph.counts(self.per)

    def __str__(self) -> str:
        if self.per == "graph":
            return "1 step" if self.times == 1 else f"{self.times:,} steps"
        times = "" if self.times == 1 else f"{self.times} times "
        what = "pairs of nodes" if self.per == "pair" else f"{self.per}s"
        return f"{times}as many steps as there are {what}"


def per(place: Place, other: Place | None = None) -> Limit:
    """As many steps as there are nodes, edges or graphs, or pairs of nodes: ``per(Node, Node)``."""
    at = _table("per", place)
    return Limit(per="pair" if other is not None else at)  # type: ignore[arg-type]


class Form:
    """The words of a class that declares an algorithm; ``algolens.algorithms.Algorithm`` is one.

    A subclass has what it inherits; what it sets to None, it has not.
    """

    goes_on: ClassVar[str | None] = None  # a statement of the graph; None: as many steps as it may
    most_steps: ClassVar[Limit] = per(Node)
    outcomes: ClassVar[tuple[str, ...]] = ()  # features of the graph that are results
    examines: ClassVar[str | None] = None  # whom a step decides about, even if they stay
    # what drawings call an element: by the masks that hold, of which the first counts, and by
    # "True" where none does; by the label of a category; by a pointer, before what it leads to
    legend: ClassVar[Mapping[str, str]] = {}
    starts_with: ClassVar[str | None] = None  # pseudo-code: what holds at first
    repeats: ClassVar[str | None] = None
    ends_when: ClassVar[str | None] = None
    carried: ClassVar[tuple[str, ...]] = ()  # in Python: features that are state too
    name: ClassVar[str]


# ---- how it is read


@dataclass(frozen=True, eq=False)
class Reading:
    """An algorithm and its options, as HIR; and what is beside it: sentences and concepts."""

    algorithm: type[Form]
    chosen: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _members(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for base in reversed(self.algorithm.__mro__):
            if issubclass(base, Form) and base.__module__ not in LIBRARY:
                # what is declared again stands where it is again
                found = {n: one for n, one in found.items() if n not in vars(base)} | vars(base)
        return found

    @cached_property
    def _words(self) -> set[str]:
        """The names that mean the same in every algorithm."""
        library = [base for base in self.algorithm.__mro__ if base.__module__ in LIBRARY]
        return {word for base in library for word in (*vars(base), *inspect.get_annotations(base))}

    @cached_property
    def options(self) -> dict[str, int]:
        """Each option and what it is."""
        known = {name: one for name, one in self._members.items() if isinstance(one, Option)}
        for name in self.chosen:
            if name not in known:
                raise UnknownNameError(f"option of {self.algorithm.name}", name, known)
        values = {name: self.chosen.get(name, one.default) for name, one in known.items()}
        for name, one in known.items():
            one.range.check(values[name], f"option {name}")
        return values

    def _whole(self, value: Whole) -> int:
        """A number, or what an option is."""
        if isinstance(value, Option) and (name := (value.of or value).name) in self.options:
            return self.options[name] + value.plus
        if type(value) is not int:
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
                self._refuse_near(name, one)
                continue
            if name in self._words:
                raise DefinitionError(f"'{name}' is a word of every algorithm: write another.")
            if one.objection is not None:
                raise DefinitionError(f"'{name}': {one.objection}")
            if one.k is None or one.becomes is not None:
                found[name] = one
                continue
            for k in self._range(one.k):
                said = {word: _with(one.said.get(word), k) for word in ("says", "yes", "no")}
                found[_with(name, k)] = one.but(k=None, text=_with(one.text, k), **said)
        for name, one in found.items():
            check_name(name, one.at if one.role == "input" else None)
        return found

    def _refuse_near(self, name: str, given: Any) -> None:
        """Refuse what nobody would read, and was meant to be."""
        kinds = [one.kind for one in self._members.values() if isinstance(one, Attribute)]
        is_half = getattr(given, "__self__", None) in PLACES  # as Node.input, without parentheses
        if is_half or (isinstance(given, Field) and given not in kinds):
            raise DefinitionError(
                f"'{name}' declares nothing: write where it is and what, as in "
                f"{name} = Node.input(number(8))."
            )
        if isinstance(given, tuple) and any(isinstance(part, Attribute) for part in given):
            raise DefinitionError(f"'{name}' is several in one: leave out the comma at its end.")
        is_own = name.startswith("_") or callable(given) or isinstance(given, Option)
        if not is_own and name not in self._words:
            meant = did_you_mean(name, [w for w in self._words if not w.startswith("_")], CLOSE)
            if meant:
                raise DefinitionError(f"'{name}' is no word of an algorithm.{meant}")

    @cached_property
    def _declared(self) -> dict[str, Field]:
        """What each name is; where it follows from others, a mask."""
        fields = {}
        for name, one in self.attributes.items():
            kind, labels = one.kind, one.kind.labels
            if not isinstance(labels, tuple):
                labels = tuple(map(str, self._range(Each(0, self._whole(labels) - 1))))
            fields[name] = msgspec.structs.replace(
                kind,
                at=one.at,
                labels=labels,
                bits=self._whole(kind.bits),
                drawn=bool(one.drawn),
                start_only=bool(one.start_only),
            )
            with naming(f"'{name}'"):
                fields[name].check()
        return fields

    @cached_property
    def _derived(self) -> dict[str, Let]:
        """What follows from others, by name."""
        lets = {}
        for name, one in self.attributes.items():
            if one.text:
                said = self._read(Parser.statement, one.text, one.at, f"'{name}'", self._declared)
                lets[name] = Let(name, one.at, said)
        return lets

    @cached_property
    def fields(self) -> dict[str, Field]:
        """What each name is; what is derived is a number where its text says one."""
        known = {(one.at, name): one for name, one in self._declared.items()}
        for let in in_order(self._derived.values()):
            is_derived = self.attributes[let.name].role == "derived"
            if is_derived and kind_of(let.value, known).kind == "number":
                known[let.at, let.name] = msgspec.structs.replace(SUM, at=let.at)
        return {name: known[one.at, name] for name, one in self._declared.items()}

    def _of_role(self, *roles: str) -> dict[str, Field]:
        return {
            name: self.fields[name] for name, one in self.attributes.items() if one.role in roles
        }

    def _said(self, word: str) -> dict[str, Any]:
        """What a word says of names, of those of which it says something."""
        said = {name: getattr(one, word) for name, one in self.attributes.items()}
        return {name: value for name, value in said.items() if value is not None}

    def _read(
        self,
        part: Callable[[Parser], Read],
        text: Any,
        at: At,
        what: str,
        fields: Mapping[str, Field] | None = None,
    ) -> Read:
        if not isinstance(text, str):
            raise DefinitionError(f"{what} has {text!r}, where a statement in quotes stands.")
        fields, options = self.fields if fields is None else fields, self.options
        with naming(what):
            return parse(part, text, at, fields, options)

    @cached_property
    def in_python(self) -> bool:
        """Whether it sees in Python, so that features have no statements."""
        said = {name: self.attributes[name].text for name in self._features}
        silent = [name for name, text in said.items() if not text]
        if silent and any(said.values()):
            raise DefinitionError(
                f"'{silent[0]}' has no statement, and other features have: write one in quotes."
            )
        return bool(silent)

    @cached_property
    def written(self) -> Program:
        """As it is written, with arithmetic wherever it stands; in Python, its rules alone."""
        attributes, form = self.attributes, self.algorithm
        lets = [*self._derived.values()]
        if form.goes_on is not None:
            said = self._read(Parser.statement, form.goes_on, "graph", "goes_on")
            lets.append(Let(GOES_ON, "graph", said))
        becomes = tuple(
            Let(name, one.at, self._becomes(name, one))
            for name, one in attributes.items()
            if one.becomes is not None
        )
        if not isinstance(form.most_steps, Limit):
            raise DefinitionError("most_steps counts nodes, edges or graphs: write 2 * per(Node).")
        read = {place for let in (*lets, *becomes) for place in columns_of(let.value)}
        state = {
            name: one
            for name, one in attributes.items()
            if one.start is not None
            or one.role == "state"
            or (one.role == "output" and (self.in_python or (one.at, name) in read))
        }
        carried = names_in("carried", form.carried)
        for name in carried:
            if not self.in_python or name not in self._features:
                raise DefinitionError(
                    f"carried has '{name}', which is no feature that perceive() gives: name one, "
                    "or declare a state."
                )
        return Program(
            form.name,
            self._of_role("input"),
            {name: self.fields[name] for name in (*state, *carried)},
            tuple(
                Let(name, one.at, self._start(name, one))
                for name, one in state.items()
                if one.start is not None or not self.in_python
            ),
            tuple(lets),
            becomes,
            self._whole(form.most_steps.times),
            form.most_steps.per,
            self._of_role("output"),
        )

    @cached_property
    def program(self) -> Program:
        """Itself as HIR; arithmetic is in lets of its own, computed for all rows.

        What is decided, and whether it goes on, is said by concepts. In Python there is no more
        than that: ``perceived`` says what a method gives.
        """
        written = self.written
        lets = {let.name: let for let in written.lets if let.name != GOES_ON}
        if not self.in_python:
            check(
                msgspec.structs.replace(written, lets=in_order(written.lets)),
                frozenset(self._features),
            )
            lets |= {let.name: let for let in self.concepts}
        if self._asked is not None:
            quantity, body = self._asked
            if ("graph", ASKS) in columns_of(body):  # the graph says it, where elements cannot
                assert written.goes_on is not None
                lets[ASKS] = Let(ASKS, "graph", written.goes_on)
            said = of_elements(quantity, self._by_concepts(body), self.at)
            lets[GOES_ON] = Let(GOES_ON, "graph", said)
        rules = {name: self._by_concepts(rule) for name, rule in self.decided.items()}
        moved = {let.name for let in written.becomes}
        carried = {name: each for name, each in written.state.items() if name not in moved}
        program = msgspec.structs.replace(
            written,
            lets=in_order(lets.values()),
            becomes=tuple(
                Let(let.name, let.at, rules.get(let.name, let.value)) for let in written.becomes
            ),
            concepts=tuple(let.name for let in self.concepts),
            outcomes=names_in("outcomes", self.algorithm.outcomes),
            only_where=self._said("only_where"),
            endless=self._said("endless_at"),
            perceived=self._features | carried if self.in_python else {},
        )
        return program if self.in_python else apart(program)

    def _start(self, name: str, one: Attribute) -> Expr:
        start, state = one.start, self.fields[name]
        if start is None:
            if state.kind == "pointer" and state.to != one.at:
                raise DefinitionError(f"'{name}' has no start: add start=....")
            return ME if state.kind == "pointer" else FALSE if state.kind == "mask" else Const(0)
        if (type(start), state.kind) in ((bool, "mask"), (int, "number")):
            return Const(start)
        if isinstance(start, Mapping):
            return Case(self._cases(name, state, start, None), Const(0))
        if state.kind == "category":
            return Const(self._class(name, state, start))
        if isinstance(start, str) and start.strip().isdecimal():
            raise DefinitionError(
                f"start of '{name}' is {start!r}, a text: write {start}, without quotes."
            )
        return self._read(Parser.statement, start, state.at, f"start of '{name}'")

    def _becomes(self, name: str, one: Attribute) -> Expr:
        """A mask has one statement; of cases or moves the first that applies, or else it stays."""
        state, stays, what = self.fields[name], Get(name, one.at), f"'{name}' becomes"
        if state.kind == "mask":
            return self._read(Parser.statement, one.becomes, one.at, what)
        if state.kind != "category":
            moves = [one.becomes] if isinstance(one.becomes, str) else one.becomes
            return Case(tuple(self._read(Parser.move, each, one.at, what) for each in moves), stays)
        if not isinstance(one.becomes, Mapping):
            raise DefinitionError(
                f"'{name}' has classes: write becomes={{class: statement, ...}}; the first "
                "that holds decides, or else it stays."
            )
        cases = self._cases(name, state, one.becomes, one.k)
        return Case(cases[:-1], cases[-1][1]) if cases[-1][0] == TRUE else Case(cases, stays)

    def _cases(self, name: str, state: Field, texts: Mapping[Any, str], k: Any) -> Cases:
        said: list[tuple[Any, Any]] = []
        for label, text in texts.items():
            is_family = k is not None and label == "k"
            said += [(n, _with(text, n)) for n in self._range(k)] if is_family else [(label, text)]
        return tuple(
            (
                self._read(Parser.statement, text, state.at, f"'{name}'"),
                Const(self._class(name, state, label)),
            )
            for label, text in said
        )

    def _class(self, name: str, state: Field, label: Any) -> int:
        said = label if isinstance(label, str) else str(self._whole(label))
        if said not in state.labels:
            there = f"there are {', '.join(state.labels)}" if state.labels else "it is no category"
            raise DefinitionError(
                f"'{name}' has no class '{said}': {there}.{did_you_mean(said, state.labels)}"
            )
        return state.labels.index(said)

    # ---- concepts, and what is decided by them

    @cached_property
    def at(self) -> At:
        """The table of outputs and concepts."""
        return location_of(
            one.at for one in self.attributes.values() if one.role in ("output", "concept")
        )

    @cached_property
    def concepts(self) -> tuple[Let, ...]:
        """What outputs and going on are decided by, at the outputs' table."""
        at, lets = self.at, {let.name: let for let in self.written.lets}
        named = self._of_role("concept")
        if self.in_python and not named:
            silent = next(iter(self._features))
            raise DefinitionError(
                f"'{silent}' has no statement: write one in quotes; or, where perceive() sees it, "
                f"name the concepts that outputs are decided by, as in {silent} = "
                f"{at.capitalize()}.concept()."
            )
        said = {let.value: let.name for let in lets.values() if let.at == at}
        found: dict[Expr, str] = {Get(name, at): name for name in named}
        for part, rule in self._parts():
            for atom in atoms(rule):
                if atom in found:
                    continue
                if named:
                    raise DefinitionError(
                        f"'{part}' goes by '{Text.of(self.written)(atom)}', which is no concept: "
                        f"name it as one, as in {at.capitalize()}.concept(...), or name none, so "
                        "that all are."
                    )
                if self._is_feature(atom):
                    found[atom] = atom.column
                else:
                    found[atom] = said.get(atom) or self._name_of(atom, {*found.values()})
        # a feature that says what a rule says too is one concept
        once = {name: lets.get(name) or Let(name, at, value) for value, name in found.items()}
        return tuple(once.values())

    @cached_property
    def _features(self) -> dict[str, Field]:
        """What is seen in every state; numbers that are derived are not."""
        return {
            name: field
            for name, field in self._of_role(*FEATURES).items()
            if field.kind == "mask" or name not in self._derived
        }

    def _is_feature(self, atom: Expr) -> TypeGuard[Get]:
        return isinstance(atom, Get) and atom.of == ME and atom.column in self._features

    def _name_of(self, atom: Expr, others: set[str]) -> str:
        """The name of a concept that nobody named."""
        taken = {*self.attributes, *others}
        name = identifier(Text.of(self.written)(atom), taken)
        if isinstance(atom, Get) and atom.of == ME:
            rest = re.sub("^(is|has|was)_", "", atom.column)
            name = next(name for name in (f"is_{rest}", f"was_{rest}", name) if name not in taken)
        return name

    @cached_property
    def decided(self) -> dict[str, Expr]:
        """What masks and categories among the outputs become; a class always follows."""
        outputs = self.written.outputs
        return {
            let.name: self._or_stays(let.value, outputs[let.name])
            for let in self.written.becomes
            if let.name in outputs and outputs[let.name].is_decided
        }

    def _or_stays(self, value: Expr, output: Field) -> Expr:
        """The same; where it stays as it was, by tests of its own class."""
        if not isinstance(value, Case) or isinstance(value.otherwise, Const):
            return value
        said = [each.value for each in self.written.lets]
        stays = [
            (Compare((value.otherwise,), "=", (Const(place),)), Const(place))
            for place in range(len(output.labels))
        ]
        # the last one that is no feature follows from all others
        free = [place for place, (test, _) in enumerate(stays) if test not in said]
        _, last = stays.pop(free[-1] if free else -1)
        return Case((*value.cases, *stays), last)

    @cached_property
    def _asked(self) -> tuple[Literal["some", "every", "no"], Expr] | None:
        """Of how many elements something holds while it goes on, and what."""
        match said := self.written.goes_on:
            case None:
                return None
            case Quantified("some" | "every" as quantity, view, body) if self._is_own(view, body):
                return quantity, put(body, it=ME)
            case Not(Quantified("some", view, body)) if self._is_own(view, body):
                return "no", put(body, it=ME)
        graph = Get("graph", self.at)
        if parts_of(said, Quantified):
            return "some", Get(ASKS, "graph", graph)
        return "some", put(said, me=graph)

    def _is_own(self, view: View, body: Expr) -> bool:
        """Whether a statement of the graph speaks of the elements of outputs, one by one."""
        return view.rows == self.at and speaks_of(body) == {IT}

    def _parts(self) -> Iterator[tuple[str, Expr]]:
        """What is decided of each element, and by what."""
        for name, value in self.decided.items():
            rules = [rule for rule, _ in value.cases] if isinstance(value, Case) else [value]
            yield from ((name, rule) for rule in rules)
        if self._asked is not None:
            yield GOES_ON, self._asked[1]

    def _by_concepts(self, rule: Expr) -> Expr:
        """The same rule over concepts."""
        match rule:
            case Case(cases, otherwise):
                return Case(tuple((self._by_concepts(each), end) for each, end in cases), otherwise)
            case Const() | Not() | And() | Or():
                return rebuilt(rule, self._by_concepts)
        if self._is_feature(rule):
            return rule
        return Get(next(let.name for let in self.concepts if let.value == rule), self.at)

    # ---- what is said of it

    @cached_property
    def words(self) -> Words:
        """What is said of names and steps."""
        form, phrases = self.algorithm, dict[str, Any]()
        for word in ("examines", *AROUND):
            if not isinstance(getattr(form, word), str | None):
                given = getattr(form, word)
                raise DefinitionError(f"{word} is {given!r}: write it in quotes, or leave it out.")
        lines = {key: getattr(form, word) for word, key in AROUND.items() if getattr(form, word)}
        concepts = {let.value: let.name for let in self.concepts}
        for name, one in self.attributes.items():
            if one.tells is not None:
                phrases[name] = one.tells
            yes, no = one.yes, one.no
            if one.says is not None:
                yes, no = re.sub(r"\[.*?\] ?", "", one.says), re.sub(r"[][]", "", one.says)
            if yes is not None or no is not None:
                feature = name if name in self._features else concepts.get(Get(name, one.at))
                if feature is None:
                    raise DefinitionError(
                        f"'{name}' has sentences for yes and no, and nothing is decided by it: "
                        "write what changes it in tells."
                    )
                phrases[feature] = {
                    feature if when == "True" else f"{feature} & ({when})": text
                    for when, text in _by_statement("True", yes or "").items()
                } | _by_statement("True", no or "")
            if one.line is not None:
                lines |= _by_statement(name, one.line)
        if not isinstance(form.legend, Mapping) or not {*map(type, _texts(form.legend))} <= {str}:
            raise DefinitionError(
                f"legend is {form.legend!r}: write what elements are called, as in "
                "legend = {'visited': 'visited', 'True': 'not visited'}."
            )
        legend = {NONE if name == "True" else name: said for name, said in form.legend.items()}
        phrases, lines = self._with_options(phrases), self._with_options(lines)
        return Words(form.examines or "", phrases, lines, legend, self._said("title"))

    def _with_options(self, said: Any, *, is_statement: bool = False) -> Any:
        """Sentences with the numbers of options, in braces and in the statements they go by."""
        if isinstance(said, Mapping):
            return {
                self._with_options(key, is_statement=True): self._with_options(value)
                for key, value in said.items()
            }
        if isinstance(said, list | tuple):
            return [*map(self._with_options, said)]
        for name, value in self.options.items():
            if is_statement:
                said = re.sub(rf"\b{name}\b", str(value), said)
            said = said.replace(f"{{{name}}}", str(value))
        return said


def _by_statement(when: str, said: str | Mapping[str, str]) -> dict[str, str]:
    """Sentences by the statements where they hold."""
    return dict(said) if isinstance(said, Mapping) else {when: said}


def apart(program: Program) -> Program:
    """The same program, with every sum and product inside of something as a let of its own."""
    taken = {*program.inputs, *program.state, *(let.name for let in program.lets)}
    made: dict[tuple[At, Expr], Let] = {}
    say = Text.of(program)

    def named(node: Arith, at: At) -> Let:
        if (at, node) not in made:
            name = identifier(say(node), taken)
            taken.add(name)
            made[at, node] = Let(name, at, node)
        return made[at, node]

    def changed(node: Expr, at: At, others: At | None) -> Expr:
        if isinstance(node, Arith):
            is_its = speaks_of(node) == {IT}
            let = named(put(node, it=ME), others if is_its and others is not None else at)  # type: ignore[arg-type]
            return Get(let.name, let.at, IT if is_its else ME)
        if isinstance(node, Quantified | The):
            others = table_of(node.view)
        return rebuilt(node, lambda part: changed(part, at, others))

    def of(let: Let) -> Let:
        whole = isinstance(let.value, Arith)
        return let if whole else Let(let.name, let.at, changed(let.value, let.at, None))

    lets, becomes = [of(let) for let in program.lets], tuple(map(of, program.becomes))
    return msgspec.structs.replace(program, lets=in_order([*lets, *made.values()]), becomes=becomes)


def identifier(text: str, taken: Container[str]) -> str:
    """A name for what a text says, which is not taken.

    >>> identifier("graph's here <= 2 * place", {"name"})
    'graph_here_at_most_2_times_place'
    """
    for mark, word in SPOKEN.items():
        text = text.replace(mark, word)
    name = as_name(re.sub(r"\W+", "_", text).strip("_"))
    while name in taken:
        name += "_"
    return name


def _with(said: Any, k: int) -> Any:
    """With a number for k, where it stands as a word: ``color is k``, ``color_k_seen``."""
    if isinstance(said, Mapping):
        return {_with(key, k): _with(value, k) for key, value in said.items()}
    return re.sub(r"(?<![a-zA-Z0-9])k(?![a-zA-Z0-9])", str(k), said) if said else said


def names_in(word: str, given: Any) -> tuple[str, ...]:
    """Names, as a word of the class has them."""
    if not isinstance(given, tuple | list) or not all(isinstance(name, str) for name in given):
        raise DefinitionError(f"{word} is {given!r}: write names, as in {word} = ('is_reached',).")
    return tuple(given)


def _texts(said: Any) -> list[Any]:
    if isinstance(said, Mapping):
        return [*said, *(text for value in said.values() for text in _texts(value))]
    return [*said] if isinstance(said, list | tuple) else [said]
