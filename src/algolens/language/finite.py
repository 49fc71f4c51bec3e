"""The finite form of a statement: what proofs, extraction and comparisons of programs enumerate.

A statement speaks of an element and of those in view, and tells both apart by finitely many
features. The *own class* of an element is a combination of the values of its own features. The
*neighbour class* of one in view is a combination of that one's features, and of how the two
compare. What is true depends on the own class, and on how many of each neighbour class are in view;
and counts make a difference only as far as the statement counts. So finitely many cases cover every
element of every graph, and ``Statement.closure`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import prod
from operator import and_, or_
from typing import Any, TypeAlias, final

import numpy as np
from msgspec.structs import replace

from algolens.errors import AlgoLensError, DefinitionError
from algolens.language.fields import MASK, MOST_BITS, SUM
from algolens.language.ir import (
    FALSE,
    IT,
    ME,
    NUMBER,
    TRUE,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Expr,
    Exprs,
    Field,
    Get,
    It,
    Let,
    Me,
    Not,
    Op,
    Or,
    Program,
    Quantified,
    View,
    Within,
    atoms,
    conjunction,
    disjunction,
    given_column,
    negation,
    rebuilt,
    speaks_of,
)
from algolens.language.lower import TURNED
from algolens.language.text import Text

LOWER, EQUAL, HIGHER = 0, 1, 2
OUTCOMES: Mapping[Op, frozenset[int]] = {
    "<": frozenset({LOWER}),
    "=": frozenset({EQUAL}),
    ">": frozenset({HIGHER}),
    "<=": frozenset({LOWER, EQUAL}),
    "!=": frozenset({LOWER, HIGHER}),
    ">=": frozenset({EQUAL, HIGHER}),
}
FALSE_TRUE = ("false", "true")
Columns: TypeAlias = Mapping[tuple[At, str], Field]

# ---- features


class _Feature:
    """A property with finitely many values, numbered from 0."""

    @property
    def sides(self) -> tuple[Exprs, ...]:
        """The terms that it speaks of; a comparison has two sides."""
        match self:
            case Compared(left, right):
                return left, right
            case Meeting(one, other):
                return (one,), (other,)
            case Label(term):
                return ((term,),)
        raise TypeError(self)

    @property
    def of_another(self) -> bool:
        """Whether it speaks of one in view, and not of the element alone."""
        return any(_speaks_of(side) == IT for side in self.sides)

    @property
    def crosses(self) -> bool:
        """Whether it compares one in view with the element that looks."""
        return {_speaks_of(side) for side in self.sides} == {ME, IT}


@final
@dataclass(frozen=True)
class Label(_Feature):
    """The class of a mask or a category."""

    term: Expr
    labels: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.labels)

    def words(self, value: int) -> str:
        bare = Text({})(self.term, IT if self.of_another else ME)
        if self.labels == FALSE_TRUE:
            return f"{'' if value else 'not '}{bare}"
        return f"{bare} {self.labels[value]}"


@final
@dataclass(frozen=True)
class Compared(_Feature):
    """How numbers of the one compare with numbers of the other: lower, equal or higher."""

    left: Exprs
    right: Exprs
    numbers: tuple[Field, ...]  # of each pair, one that has room for both
    distinct: bool  # never equal, of different elements of one graph

    size = 3

    @property
    def bits(self) -> int:
        """Of all numbers of one side together."""
        return sum(number.bits for number in self.numbers)

    def words(self, value: int) -> str:
        its, mine = (f"({', '.join(map(_said, side))})" for side in self.sides)
        if value == EQUAL:
            return f"{mine} met"
        return f"{its} {'lower' if value == LOWER else 'higher'} than {mine}"


@final
@dataclass(frozen=True)
class Meeting(_Feature):
    """Whether two pointers lead to one element."""

    left: Expr
    right: Expr

    size = 2

    def words(self, value: int) -> str:
        return f"{_said(self.left)} {'is' if value else 'is not'} {_said(self.right)}"


Feature: TypeAlias = Label | Compared | Meeting


def _said(term: Expr) -> str:
    """A term that says whose it is: ``my weight``."""
    return Text({})(term, Const(False))


def _speaks_of(terms: Sequence[Expr]) -> Expr | None:
    """Of whom terms speak: me or it; None of constants."""
    found = speaks_of(*terms)
    if len(found) > 1:
        raise DefinitionError(
            f"'{', '.join(map(_said, terms))}': each side of a comparison speaks of one element, "
            "all its or all my."
        )
    return next(iter(found), None)


def has_value(feature: Feature, values: Collection[int]) -> Expr:
    """The statement that a feature has one of some values."""
    match feature:
        case Compared(left, right):
            ops = [op for op, outcomes in OUTCOMES.items() if outcomes == {*values}]
            return Compare(left, ops[0], right) if ops else Const(bool(values))
        case Meeting(left, right):
            said: list[Expr] = [Compare((left,), op, (right,)) for op in ("!=", "=")]
        case Label(term, labels) if labels == FALSE_TRUE:
            said = [Not(term), term]
        case Label(term, labels):
            said = [Compare((term,), "=", (Const(place),)) for place in range(len(labels))]
    return disjunction(*(said[value] for value in sorted(values)))


def stated(
    table: np.ndarray, has: Callable[[int, Collection[int]], Expr], variable: int = 0
) -> Expr:
    """A table of bools as a statement.

    table: an axis for each variable, as long as it has values. has: what says that a variable has
    one of some values.

    >>> def has(variable, values):
    ...     return Compare((Get("abc"[variable], "node"),), "=", (Const(*values),))
    >>> Text({})(stated(np.array([[False, True], [True, True]]), has))
    'a = 1 | b = 1'
    """
    if table.ndim == 0:
        return Const(bool(table))
    rows: dict[bytes, list[int]] = {}
    for value in range(len(table)):
        rows.setdefault(table[value].tobytes(), []).append(value)
    first, *further = sorted(rows.values(), key=len, reverse=True)  # most values give this one
    if set(map(len, rows.values())) == {1} and len(table) == 2:
        first, further = [0], [[1]]  # so that a mask is asked for, and not its opposite
    result = stated(np.asarray(table[first[0]]), has, variable + 1)
    for values in further:
        condition = has(variable, frozenset(values))
        then = stated(np.asarray(table[values[0]]), has, variable + 1)
        if then == TRUE or result == FALSE:
            result = disjunction(conjunction(condition, then), result)
        elif result == TRUE or then == FALSE:
            result = conjunction(disjunction(then, negation(condition)), result)
        else:
            result = disjunction(
                conjunction(condition, then), conjunction(result, negation(condition))
            )
    return result


def operations(node: Expr) -> int:
    """How many operations a statement is, quantifiers counted as one atom."""
    match node:
        case Not(term):
            return 1 + operations(term)
        case And(terms) | Or(terms):
            return len(terms) - 1 + sum(map(operations, terms))
    return 0


# ---- statements


def columns(program: Program) -> dict[tuple[At, str], Field]:
    """Every column that a program has, by table and name: what is given, and lets."""
    given = program.inputs | program.state | program.perceived
    known = {(one.at, name): one for name, one in given.items()}
    for let in program.lets:
        found = kind_of(let.value, known)
        found = SUM if found.kind == "number" else found
        known[let.at, let.name] = replace(found, at=let.at)
    return known


def kind_of(value: Expr, known: Columns) -> Field:
    """What a value is, as far as statements tell kinds apart."""
    match value:
        case Get(column, at):
            return given_column(at, column) or known[at, column]
        case Const(constant) if not isinstance(constant, bool):
            return SUM
        case Arith():
            return SUM
        case Within(of):
            return kind_of(of, known)
        case Case(cases):
            return kind_of(cases[0][1] if cases else value.otherwise, known)
        case Me() | It():
            return Field("graph", "pointer")
    return MASK


def statements(program: Program) -> dict[str, Statement]:
    """Each let that is true or false, by its name, in order."""
    known = columns(program)
    return {
        let.name: Statement(let, known)
        for let in program.lets
        if known[let.at, let.name].kind == "mask"
    }


def holds(node: Expr, of_atom: Any) -> Any:
    """The truth of a statement, given that of its atoms: bools or arrays alike."""
    match node:
        case Const(value):
            return value
        case Not(term):
            value = holds(term, of_atom)
            return not value if isinstance(value, bool) else ~value
        case And(terms):
            return reduce(and_, [holds(term, of_atom) for term in terms])
        case Or(terms):
            return reduce(or_, [holds(term, of_atom) for term in terms])
    return of_atom(node)


def counted(quantified: Quantified) -> Expr:
    """What is true of those that are counted: the body; of "every", its opposite."""
    return Not(quantified.body) if quantified.quantity == "every" else quantified.body


def enough(quantified: Quantified, met: Any) -> Any:
    """Whether it holds where so many are counted: a number or an array; "every" allows none."""
    return met < 1 if quantified.quantity == "every" else met >= quantified.count


@dataclass(frozen=True)
class Statement:
    """A let that is true or false, by own classes and by neighbour classes in view.

    Parameters
    ----------
    let : Let
        What is said, and of the elements of which table.
    columns : mapping of (At, str) to Field
        What each column that it reads is; ``columns`` of a program.

    Raises
    ------
    DefinitionError
        Where it looks at several relations, or is no statement.

    Examples
    --------
    >>> from algolens.language.parse import Parser, parse
    >>> fields = {"visited": Field("node", "mask")}
    >>> said = parse(Parser.statement, "visited & every neighbour (visited)", "node", fields)
    >>> statement = Statement(Let("inside", "node", said), {("node", "visited"): fields["visited"]})
    >>> statement.num_own, statement.num_neighbours
    (2, 2)
    >>> statement.own_words(1), statement.neighbour_words(0)
    ('visited', 'not visited')
    >>> statement.truth(np.array([1, 1]), np.array([[0, 3], [1, 2]])).tolist()
    [True, False]
    """

    let: Let
    columns: Columns = field(compare=False)

    def __post_init__(self) -> None:
        if len({quantified.view for quantified in self.quantifiers}) > 1:
            words = sorted({quantified.view.words for quantified in self.quantifiers})
            several = "' and at '".join(words)
            raise DefinitionError(
                f"'{self.name}' looks at '{several}': one feature looks at one relation. Declare "
                "one of the statements as a feature of its own, and name it here."
            )
        _ = self.features

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"

    @property
    def name(self) -> str:
        """What it is called."""
        return self.let.name

    @property
    def at(self) -> At:
        """The table of the elements that it speaks of."""
        return self.let.at

    @property
    def value(self) -> Expr:
        """What it says."""
        return self.let.value

    @cached_property
    def say(self) -> Text:
        """Writes statements about the same columns."""
        return Text({place: one.labels for place, one in self.columns.items() if one.labels})

    @cached_property
    def text(self) -> str:
        """What it says, as it is written."""
        return self.say(self.value)

    @cached_property
    def quantifiers(self) -> tuple[Quantified, ...]:
        """What it says of those in view, each once."""
        return tuple(dict.fromkeys(a for a in atoms(self.value) if isinstance(a, Quantified)))

    @property
    def view(self) -> View | None:
        """Whom it looks at; None where it speaks of the element alone."""
        return self.quantifiers[0].view if self.quantifiers else None

    @property
    def exactly(self) -> int | None:
        """How many are always in view, as the two ends of an edge; None: any number."""
        if self.view is None or any(its != IT for _, its in self.view.joins):
            return None
        return len(self.view.joins)

    @cached_property
    def most(self) -> int:
        """Up to how many of a neighbour class make a difference: 1 where none is counted."""
        counts = [each.count for each in self.quantifiers if each.quantity == "at least"]
        return max(counts, default=1)

    # ---- features and classes

    @cached_property
    def features(self) -> dict[Expr, tuple[Feature, frozenset[int]]]:
        """For each atom, its feature and the values of it for which the atom holds."""
        own = [atom for atom in atoms(self.value) if not isinstance(atom, Quantified)]
        others = [atom for quantified in self.quantifiers for atom in atoms(quantified.body)]
        return {atom: self._feature(atom) for atom in (*own, *others)}

    def _feature(self, atom: Expr) -> tuple[Feature, frozenset[int]]:
        match atom:
            case Get() if kind_of(atom, self.columns).kind == "mask":
                return Label(atom, FALSE_TRUE), frozenset({1})
            case Compare((Get() as term,), "=", (Const(value),)) if self._labels(term):
                return Label(term, self._labels(term)), frozenset({int(value)})
            case Compare(left, op, right):
                # the one in view comes first, so that both ways to write it are one feature
                if _speaks_of(left) == ME and _speaks_of(right) == IT:
                    left, op, right = right, TURNED[op], left
                return self._compared(left, op, right)
        raise DefinitionError(f"'{self.name}': '{_said(atom)}' is no part of a statement.")

    def _labels(self, term: Expr) -> tuple[str, ...]:
        """The classes of a category; none of what is no category."""
        return kind_of(term, self.columns).labels

    def _compared(self, left: Exprs, op: Op, right: Exprs) -> tuple[Feature, frozenset[int]]:
        pairs = [
            (kind_of(a, self.columns), kind_of(b, self.columns))
            for a, b in zip(left, right, strict=True)
        ]
        if pairs[0][0].kind == "pointer":
            return Meeting(left[0], right[0]), frozenset({int(op == "=")})
        numbers = []
        for a, b in pairs:
            signed = a.signed or b.signed
            # next to a signed number, an unsigned one needs a bit more
            bits = max(one.bits + (signed and not one.signed) for one in (a, b))
            if bits > MOST_BITS:
                raise DefinitionError(
                    f"'{self.name}': a signed number and one of {MOST_BITS} bits that is not have "
                    "no room side by side: declare one bit less."
                )
            numbers.append(Field("graph", "number", bits=bits, signed=signed))
        distinct = False
        match left[-1], right[-1]:
            case Get(its, at, It()), Get(mine, other, Me()) if its == mine and at == other:
                is_index = its == NUMBER and at != "link"
                distinct = is_index or pairs[-1][0].distinct == "graph"
        return Compared(left, right, tuple(numbers), distinct), OUTCOMES[op]

    def _of(self, another: bool) -> tuple[Feature, ...]:
        found = dict.fromkeys(feature for feature, _ in self.features.values())
        return tuple(feature for feature in found if feature.of_another is another)

    @cached_property
    def own(self) -> tuple[Feature, ...]:
        """The features of the element itself."""
        return self._of(another=False)

    @cached_property
    def others(self) -> tuple[Feature, ...]:
        """The features of one that it has in view."""
        return self._of(another=True)

    @property
    def num_own(self) -> int:
        """How many own classes there are."""
        return prod(feature.size for feature in self.own)

    @property
    def num_neighbours(self) -> int:
        """How many neighbour classes there are; none where nobody is looked at."""
        return prod(feature.size for feature in self.others) if self.quantifiers else 0

    @property
    def possible(self) -> np.ndarray:
        """[neighbour classes] bools: all but those where numbers are equal that never are."""
        possible = np.ones([feature.size for feature in self.others], bool)
        for axis, feature in enumerate(self.others):
            if (
                isinstance(feature, Compared)
                and feature.distinct
                and self.quantifiers[0].view.apart
            ):
                possible.swapaxes(0, axis)[EQUAL] = False
        return possible.reshape(-1)[: self.num_neighbours]

    def own_words(self, own: int) -> str:
        """An own class in words."""
        return _words(self.own, own) or "anything"

    def neighbour_words(self, neighbour: int) -> str:
        """A neighbour class in words."""
        return _words(self.others, neighbour) or "anyone"

    def case_words(self, own: int, neighbours: Iterable[int]) -> str:
        """An element of an own class with others in view, in words."""
        around = ""
        if self.view is not None:
            seen = "; ".join(dict.fromkeys(map(self.neighbour_words, neighbours)))
            around = f" with {f'in view: {seen}' if seen else 'nobody in view'}"
        return f"a {self.at} ({self.own_words(own)}){around}"

    # ---- truth

    def table(self, node: Expr, axes: Sequence[Feature | Quantified]) -> np.ndarray:
        """Where a part of it holds: bools, an axis for each feature or quantifier."""
        sizes = [2 if isinstance(axis, Quantified) else axis.size for axis in axes]
        of_each = dict(zip(axes, np.ogrid[tuple(map(slice, sizes))], strict=True))

        def of_atom(atom: Expr) -> np.ndarray:
            if isinstance(atom, Quantified):
                return of_each[atom] == 1
            feature, values = self.features.get(atom) or self._feature(atom)
            return np.isin(of_each[feature], list(values))

        return np.broadcast_to(holds(node, of_atom), sizes)

    @cached_property
    def counted(self) -> np.ndarray:
        """[Q, own classes, neighbour classes] bools: those that a quantifier counts."""
        tables = [self.table(counted(each), (*self.own, *self.others)) for each in self.quantifiers]
        return np.array(tables, bool).reshape(len(tables), self.num_own, self.num_neighbours)

    def atom_holds(self, atom: Expr, own: int, neighbour: int | None = None) -> bool:
        """Whether an atom holds of an own class or, where it speaks of one in view, of that one."""
        feature, values = self.features[atom]
        features, number = (self.others, neighbour) if feature.of_another else (self.own, own)
        assert number is not None
        return _values(features, number)[features.index(feature)] in values

    def truth(self, own: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """[M] bools, for own classes [M] with so many in view, [M, neighbour classes]."""
        return self.truth_where_met(own, np.einsum("mk,qmk->mq", counts, self.counted[:, own]))

    def truth_where_met(self, own: np.ndarray, met: np.ndarray) -> np.ndarray:
        """[M] bools, for own classes [M] where quantifiers count so many, [M, Q]."""
        row = np.zeros(len(own), np.int64)
        for place, quantified in enumerate(self.quantifiers):
            row = 2 * row + enough(quantified, met[:, place])
        return self._answers[own, row]

    @cached_property
    def _answers(self) -> np.ndarray:
        """[own classes, 2**Q] bools, by which of the quantifiers hold."""
        return self.table(self.value, (*self.own, *self.quantifiers)).reshape(self.num_own, -1)

    def closure(
        self,
        own: int,
        sends: np.ndarray | None = None,
        most: int = 1,
        possible: np.ndarray | slice = slice(None),
        largest: int | None = None,
    ) -> Closure:
        """Every case of whom an element can have in view, and what is counted in it.

        Parameters
        ----------
        own : int
            The own class of the element.
        sends : np.ndarray, optional
            [neighbour classes, D] what a network sends besides; it comes first, and counts up to
            ``most``.
        most : int
            Up to how many that send the same make a difference.
        possible : np.ndarray or slice
            The neighbour classes that can be in view.
        largest : int, optional
            As many cases as there may be; with more, an error is raised.

        Returns
        -------
        Closure
            [cases, D + Q] sums: what is received, and how many each quantifier counts.
        """
        counts = self.counted[:, own].T  # [neighbour classes, Q]
        sends = np.zeros((len(counts), 0)) if sends is None else sends
        stops = [most] * sends.shape[1] + [each.count for each in self.quantifiers]
        return closure(np.concatenate([sends, counts], 1)[possible], np.array(stops), largest)

    def truth_in_cases(self, own: int, received: np.ndarray) -> np.ndarray:
        """[M] bools, of an own class in cases that ``closure`` gave, [M, D + Q]."""
        met = received[:, received.shape[1] - len(self.quantifiers) :]
        return self.truth_where_met(np.full(len(met), own), met)

    def equivalent(self, other: Statement) -> bool:
        """Whether both are the same in every case that an element of any graph can be in.

        False also where that is not settled: where the other looks at another relation.
        """
        if self.at != other.at:
            return False
        ours, theirs = _one_way(self.value), _one_way(other.value)
        if ours == theirs:
            return True
        differ = Or((And((ours, Not(theirs))), And((Not(ours), theirs))))
        try:
            known = {**self.columns, **other.columns}
            return not Statement(Let("differ", self.at, differ), known)._can_hold()
        except DefinitionError:  # two relations
            return False

    def _can_hold(self) -> bool:
        """Whether it is true in some case that can be."""
        closures = [self.closure(own, possible=self.possible) for own in range(self.num_own)]
        return any(
            self.truth_in_cases(own, closed.received[closed.cases(self.exactly)]).any()
            for own, closed in enumerate(closures)
        )


def _one_way(node: Expr) -> Expr:
    """The same, each comparison with the side first that is first in the alphabet."""
    match node:
        case Compare(left, op, right) if tuple(map(_said, right)) < tuple(map(_said, left)):
            return Compare(right, TURNED[op], left)
        case Not() | And() | Or():
            return rebuilt(node, _one_way)
        case Quantified(body=body):
            return replace(node, body=_one_way(body))
    return node


def _values(features: tuple[Feature, ...], number: int) -> list[int]:
    """The values of features in a combination of them, by its number; the first counts most."""
    sizes = tuple(feature.size for feature in features)
    return [int(value) for value in np.unravel_index(number, sizes)]


def _words(features: tuple[Feature, ...], number: int) -> str:
    pairs = zip(features, _values(features, number), strict=True)
    return ", ".join(feature.words(value) for feature, value in pairs)


# ---- all cases

MOST_CASES = 300_000  # of one part of a proof; a table of more is given up
PORTION = 4_096  # cases whose successors are computed at once


@dataclass(frozen=True, eq=False)
class Closure:
    """All sums that those in view can add up to, each once; the first is that of nobody."""

    received: np.ndarray  # [cases, D] counts
    after: np.ndarray  # [cases, neighbour classes] the case that follows with one more in view
    before: np.ndarray  # [cases] a case that leads to it; -1 of the first
    by: np.ndarray  # [cases] and the neighbour class that does

    def neighbours_of(self, case: int) -> list[int]:
        """Neighbour classes that bring a case about."""
        found = []
        while self.before[case] >= 0:
            found.append(int(self.by[case]))
            case = int(self.before[case])
        return found[::-1]

    def cases(self, exactly: int | None) -> np.ndarray:
        """The cases of exactly so many in view; None: of any number."""
        if exactly is None:
            return np.arange(len(self.received))
        cases = np.array([0])
        for _ in range(exactly):
            cases = np.unique(self.after[cases])
        return cases


def closure(
    sends: np.ndarray,
    most: np.ndarray,
    largest: int | None = None,
    table: tuple[int, np.ndarray] | None = None,
) -> Closure:
    """All that can be received: nobody's, then that of one more in view at a time.

    sends: [neighbour classes, D] what each adds. most: [D] where sums stop. largest: the most
    cases, ``MOST_CASES`` by default. table: a first row, and [rows, neighbour classes] which row
    follows with one more in view; the row that is reached then stands before the sums.
    """
    largest = MOST_CASES if largest is None else largest
    sends, most = sends.astype(np.int32), most.astype(np.int32)
    start, rows = (
        ([], np.zeros((0, len(sends)), np.int32))
        if table is None
        else ([table[0]], table[1].astype(np.int32))
    )
    # classes that add the same lead to the same: the first of them stands for all
    places_of: dict[bytes, int] = {}
    column = [
        places_of.setdefault(rows[:, place].tobytes() + added.tobytes(), len(places_of))
        for place, added in enumerate(sends)
    ]
    distinct = np.array([column.index(place) for place in range(len(places_of))], np.int64)
    first = np.array([[*start, *[0] * len(most)]], np.int32)
    known = {first.tobytes(): 0}
    portions, before, by = [first], [np.array([-1])], [np.array([-1])]
    after: list[int] = []
    for portion in portions:  # grows by the cases that each portion leads to
        following = np.minimum(portion[:, None, len(start) :] + sends[distinct], most)
        if start:
            states = rows[portion[:, 0]][:, distinct, None]
            following = np.concatenate([states, following], 2)
        following = following.reshape(len(portion) * len(distinct), first.shape[1])
        reached = len(known)
        places = [known.setdefault(key, len(known)) for key in _keys(following)]
        if len(known) > largest:
            raise AlgoLensError(
                f"there are more than {largest:,} cases of what an element can receive: the table "
                "is given up."
            )
        case = len(after) // max(len(distinct), 1)
        after += places
        cases, where = np.unique(np.array(places, np.int64), return_index=True)
        where = where[cases >= reached]  # a new case takes the next number where it is first met
        portions.extend(
            following[where[begin : begin + PORTION]] for begin in range(0, len(where), PORTION)
        )
        before.append(case + where // max(len(distinct), 1))
        by.append(distinct[where % len(distinct)] if len(where) else where)
    return Closure(
        np.concatenate(portions),
        np.array(after, np.int64).reshape(len(known), len(distinct))[:, np.array(column, np.int64)],
        np.concatenate(before),
        np.concatenate(by),
    )


def _keys(rows: np.ndarray) -> list[bytes]:
    """The bytes of each row."""
    width = rows.shape[1] * rows.itemsize
    return rows.view(f"V{width}")[:, 0].tolist() if width else [b""] * len(rows)
