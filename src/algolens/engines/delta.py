"""Write a lowered program on one graph as the flat description that ``delta.c`` reads, and call it.

Expressions stay LIR, but of single rows: a number is computed where it is read, an aggregate is a
column of its groups, and a row is ``Me`` or a path of steps from it.

- What is said along one pointer, or of the graph alone, becomes a column there, so that it is
  computed once for all who read it, and they hear of it only where it changes.
- "M, and the first M is not before me" becomes a column of its first ones, equal ones included.
- That a row equals the one marked in the graph becomes a column, which changes in two rows at most.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, TypeVar, cast
from weakref import finalize

import numpy as np

from algolens.engines.numbers import fits
from algolens.language import ir
from algolens.language.ir import (
    FALSE,
    ME,
    NUMBER,
    STEPS,
    TRUE,
    Case,
    Compare,
    Const,
    Expr,
    Get,
    Known,
    Not,
    children,
    conjunction,
    disjunction,
    negation,
    rebuilt,
)
from algolens.language.lower import OPPOSITE, ties

INTERFACE = 4  # as delta.c has it
RUNNING, BY_RULE, BY_LIMIT, OUT_OF_BOUNDS, NO_MEMORY, NOT_A_PROGRAM = range(6)
RULE, COUNT, FIRST, HASH = range(4)
TO_GRAPH, FIXED, POINTER, TO_FIRST = range(4)
WHERE, EQUALS, MET = range(3)
OPS = [  # of the stack machine
    *("END", "CONST", "ME", "GO", "ROW", "LOAD1", "LOAD4", "LOAD8", "OWN1", "OWN4", "OWN8"),
    *("AT1", "AT4", "AT8", "NOT", "<", "=", ">", "+", "-", "*", "KNOWN", "IF", "JUMP"),
]
WIDTHS = {"mask": 1, "category": 1, "number": 8, "pointer": 4}
DTYPES: dict[int, Any] = {1: np.uint8, 4: np.int32, 8: np.int64}
LIMITS = [2**bits - 1 for bits in range(61, 15, -1)]
MOST_INLINED = 40  # parts of a number that is computed where it is read

Made = TypeVar("Made")
Key = tuple[str, str]  # a table and a name
Inputs = tuple[list[Any], list[Any]]  # guards; columns, paths to them, and the guards beside each


class NotIncremental(Exception):
    """Why a program, or a run, is not for this engine."""


class TooLarge(NotIncremental):
    """Numbers may leave the bounds that the engine counts on, or it needs more memory."""


@dataclass(eq=False)
class Column:
    """As ``struct Column`` of the engine."""

    number: int
    key: Key
    width: int
    array: int = -1
    fill: int = 0
    is_traced: bool = False
    is_state: bool = False
    bounds: tuple[int, int] = (-(2**62), 2**62)
    is_truth: bool = False
    moves: bool = False

    @property
    def dtype(self) -> Any:
        """Of its values, as arrays have them."""
        return bool if self.is_truth else DTYPES[self.width]


@dataclass(eq=False)
class Step:
    """From every row of a table to one of another."""

    number: int
    kind: int
    table: str
    target: str
    source: Any = ()  # a column, or the number of an array

    @property
    def moves(self) -> bool:
        """Whether it may lead elsewhere in another state."""
        return isinstance(self.source, Column) and self.source.moves


@dataclass(eq=False)
class Hash:
    """Rows by the values of keys, in groups: a table of its own."""

    groups: str
    keys: int
    tables: list[str] = field(default_factory=list)  # of which rows are in it


def once(method: Callable[..., Made]) -> Callable[..., Made]:
    """A method of a description that is carried out once for the same arguments."""

    @wraps(method)
    def known(self: Description, *what: Any) -> Made:
        key = method.__name__, *what
        if key not in self._known:
            self._known[key] = method(self, *what)
        return cast("Made", self._known[key])

    return known


class Description:
    """A program on one graph, for the engine.

    Parameters
    ----------
    program : Program
        Lowered.
    counts : mapping of str to int
        How many rows each table has.
    given : mapping of (str, str) to arrays
        Columns by table and name: what the graph gives, inputs, state, and outputs that are no
        state.
    traced : iterable of str
        Lets and fields whose changes are wanted.
    """

    def __init__(
        self,
        program: ir.Program,
        counts: Mapping[Any, int],
        given: Mapping[Any, Any],
        traced: Iterable[str],
    ) -> None:
        self.program, self.given, self.counts = program, given, counts
        self.lets: dict[Key, Expr] = {(let.at, let.name): let.value for let in program.lets}
        outputs = {let.name: let for let in program.becomes if let.name not in program.state}
        state = program.state | {name: program.outputs[name] for name in outputs}
        self.fields: dict[Key, ir.Field] = {
            (each.at, name): each for name, each in (program.inputs | state).items()
        }
        self.arrays: list[np.ndarray] = []
        self.columns: dict[Key, Column] = {}
        self.steps: dict[Key, Step] = {}
        self.hashes: dict[Any, Hash] = {}
        self.views: list[Any] = []
        self._known: dict[Any, Any] = {}
        self._ties = ties(program.lets)
        self.limit = next((most for most in LIMITS if self._fits(most)), 0)
        if not self.limit:
            raise TooLarge("its numbers may outgrow 62 bits")
        becomes = {let.name for let in program.becomes} | set(program.state)
        self.traced = {
            key[1]: self._own_column(key)
            for key in self.lets
            if key[1] in traced and key[1] not in becomes
        }
        goes_on = ("graph", ir.GOES_ON)
        self.asks = self._own_column(goes_on) if goes_on in self.lets else None
        self.rules = []
        for let in program.becomes:
            target, own = self._field((let.at, let.name)), Get(let.name, let.at)
            value = self._hoisted(self.value(let.value), let.at)
            if value != own:
                if isinstance(value, Case) and value.otherwise == own:
                    # where no case applies nothing changes, so its own value is no input
                    inputs = self._inputs([Case(value.cases, TRUE)], let.at)
                else:
                    inputs = self._inputs([value], let.at)
                self.rules.append((target, self._code(value), inputs))
        for name, each in state.items():
            if name in traced:
                self.traced[name] = self._field((each.at, name))
        for column in self.traced.values():
            column.is_traced = True

    def _fits(self, limit: int) -> bool:
        """Whether no result of arithmetic leaves its bounds where no number is above a limit."""
        most = {
            key: int(np.abs(np.asarray(self.given[key])).max(initial=0))
            if key[1] in self.program.inputs
            else min(max(map(abs, each.bounds)), limit)
            for key, each in self.fields.items()
            if each.kind == "number"
        }
        rows = max(self.counts.values())
        return max(most.values(), default=0) <= limit and fits(self.program, most, rows)

    # ---- columns and steps

    def _column(self, table: str, width: int, name: str = "", **rest: Any) -> Column:
        key = (table, name or f"#{len(self.columns)}")
        made = self.columns[key] = Column(len(self.columns), key, width, **rest)
        return made

    def _array(self, key: Key, width: int) -> int:
        self.arrays.append(np.ascontiguousarray(self.given[key], DTYPES[width]))
        return len(self.arrays) - 1

    def _step(self, key: Key, kind: int, target: str, source: Any = ()) -> Get:
        self.steps[key] = Step(len(self.steps), kind, key[0], target, source)
        return got(key)

    def _field(self, key: Key) -> Column:
        """The column of a field."""
        if key in self.columns:
            return self.columns[key]
        each, bounds = self.fields[key], (-(2**62), 2**62)
        width = 4 if len(each.labels) > 255 else WIDTHS[each.kind]
        is_state = key[1] not in self.program.inputs
        array = self._array(key, width)
        if is_state:
            values = self.arrays[array] = self.arrays[array].copy()
            if each.kind == "number":
                bounds = max(each.bounds[0], -self.limit), min(each.bounds[1], self.limit)
                if len(values) and (values.min() < bounds[0] or values.max() > bounds[1]):
                    raise TooLarge("its numbers may outgrow 62 bits")
        about = {"is_state": is_state, "moves": is_state, "bounds": bounds}
        return self._column(
            key[0], width, key[1], array=array, is_truth=each.kind == "mask", **about
        )

    @once
    def _computed(self, value: Expr, table: str) -> Column:
        """A column with this value."""
        value = self._hoisted(value, table)
        is_truth, inputs = self._is_truth(value), self._inputs([value], table)
        width, moves = 1 if is_truth else 8, bool(inputs[1])
        made = self._column(table, width, is_truth=is_truth, moves=moves)
        self.views.append((RULE, made, self._code(value), inputs))
        return made

    def _own_column(self, key: Key) -> Column:
        """A column of a let that changes when it is computed: no state, which changes after."""
        value = self._read(key, ME)
        column = self.columns.get(key_of(value)) if isinstance(value, Get) else None
        if column is None or column.is_state or first_step(value) != value:
            return self._computed(value, key[0])
        return column

    # ---- expressions of one row

    def value(self, node: Expr) -> Expr:
        """An expression of a row, by columns and paths alone."""
        match node:
            case Get(of=of):
                return along(self.value(of), lambda row: self._read(key_of(node), row))
            case ir.Within(of):
                return self.value(of)
            case Known(of):
                return along(self.value(of), self._whether_known)
            case Not(term):
                return self._least(node, ()) or negation(self.value(term))
            case ir.And(terms):
                return conjunction(*(self._least(t, terms) or self.value(t) for t in terms))
            case ir.Or(terms):
                return negation(self.value(ir.And(tuple(map(negation, terms)))))
            case Compare(left, op, right):
                return compared([*map(self.value, left)], op, [*map(self.value, right)])
            case ir.Any() | ir.Count() | ir.First() | ir.Pairs():
                raise NotIncremental(f"'{type(node).__name__}' goes over all rows")
        return cast("Expr", rebuilt(node, self.value))

    def _whether_known(self, row: Expr) -> Expr:
        return Known(row) if any(step.kind == TO_FIRST for step in self._path(row)) else TRUE

    def _path(self, row: Expr) -> list[Step]:
        return [*self._path(row.of), self.steps[key_of(row)]] if isinstance(row, Get) else []

    def _source(self, value: Expr) -> Any:
        """The column that is read; of a step that the graph gives, its array."""
        step = self.steps.get(key_of(value))
        return self.columns[key_of(value)] if step is None else step.source

    def _target(self, row: Expr, table: str) -> str:
        """The table that a row of another leads to; none where it is no row."""
        match row:
            case ir.Me():
                return table
            case Get() if key_of(row) in self.steps:
                return self.steps[key_of(row)].target
            case Case(cases, otherwise):
                ends = {self._target(each, table) for each in (*dict(cases).values(), otherwise)}
                return ends.pop() if len(ends) == 1 else ""
        return ""

    def _graph(self, table: str) -> Expr:
        if table == "graph":
            return ME
        key = (table, "graph")
        if key not in self.steps:
            self._step(key, TO_GRAPH, "graph")
        return got(key)

    def _of(self, value: Expr, row: Expr) -> Expr:
        """What is said of a row, of the one where a path leads."""
        if value == ME or row == ME:
            return row if value == ME else value
        if isinstance(value, Get) and value.column == "graph":
            return self._graph(first_table(row, ""))
        return cast("Expr", rebuilt(value, lambda part: self._of(part, row)))

    def _read(self, key: Key, row: Expr) -> Expr:
        """A column of a row."""
        at, name = key
        each = self.fields.get(key)
        to = STEPS.get(cast("Any", key)) if each is None else each.to
        if to == "graph" and each is None:
            return self._graph(first_table(row, at))
        if to is not None:
            if key not in self.steps:
                if self.counts[at] and not self.counts[to]:
                    raise NotIncremental("a table is empty")
                if each is None or name in self.program.inputs:
                    self._step(key, FIXED, to, self._array(key, 4))
                else:
                    self._step(key, POINTER, to, self._field(key))
            return got(key, row)
        if name == NUMBER and each is None:
            if at in ("node", "edge"):
                return row
            if key not in self.columns:
                self._column(at, 4, name, array=self._array(key, 4))
            return got(key, row)
        if each is not None:
            self._field(key)
            return got(key, row)
        return self._of(self._let(key), row)

    @once
    def _let(self, key: Key) -> Expr:
        """A let, as a row reads its own: a column, or a number that is computed there."""
        match self.lets[key]:
            case ir.Any() | ir.Count() | ir.First() as one:
                return self._aggregate(one, key[0])
            case ir.Pairs():
                raise NotIncremental(f"'{key[1]}' compares pairs of rows in several ways")
            case node:
                value = self.value(node)
        if isinstance(value, Get) or self._target(value, key[0]):
            return value
        if self._is_truth(value) or key[0] == "graph" or size_of(value) > MOST_INLINED:
            return got(self._computed(value, key[0]).key)
        return value

    def _is_truth(self, value: Expr) -> bool:
        match value:
            case Const(known):
                return isinstance(known, bool)
            case Get():
                return key_of(value) not in self.steps and self.columns[key_of(value)].is_truth
            case Case(cases, otherwise):
                return all(map(self._is_truth, (*dict(cases).values(), otherwise)))
        return isinstance(value, Not | ir.And | ir.Or | Compare | Known)

    # ---- what is computed elsewhere, once for all who read it

    def _hoisted(self, value: Expr, table: str) -> Expr:
        """The same, where what is read along one pointer, or of the graph, is a column there."""
        if is_literal(value):
            return value
        if self._is_shared(way := self._way(value)):
            return self._moved_there(value, way)
        if isinstance(value, ir.And | ir.Or):
            by_way: dict[Expr, list[Expr]] = {}
            for term in value.terms:
                way = self._way(term)
                by_way.setdefault(way if self._is_shared(way) else ME, []).append(term)
            join = conjunction if isinstance(value, ir.And) else disjunction
            own, said = by_way.pop(ME, []), [join(*each) for each in by_way.values()]
            return join(*(self._part(term, table) for term in own + said))
        return cast("Expr", rebuilt(value, lambda part: self._part(part, table)))

    def _part(self, value: Expr, table: str) -> Expr:
        """A part of what is hoisted: that a row is the one marked in the graph is a column."""
        made = self._hoisted(value, table)
        if table != "graph" and isinstance(made, Compare) and made.op == "=":
            sides = *made.left, *made.right
            if self._graph(table) in map(first_step, sides) and self._met(sides, table):
                return got(self._computed(made, table).key)
        return made

    def _rows(self, value: Expr) -> Iterator[Expr]:
        """The rows that a value reads from."""
        match value:
            case ir.Me():
                yield value
            case Get(of=of):
                yield value if key_of(value) in self.steps else of
            case _:
                for part in children(value):
                    yield from self._rows(part)

    def _way(self, value: Expr) -> Expr:
        """The step that all its paths begin with; ``Me`` where they differ, or have none."""
        ways = set(map(first_step, self._rows(value)))
        return ways.pop() if len(ways) == 1 else ME

    def _is_shared(self, way: Expr) -> bool:
        step = self.steps[key_of(way)] if isinstance(way, Get) else None
        return step is not None and (step.kind == TO_GRAPH or (step.kind == POINTER and step.moves))

    def _moved_there(self, value: Expr, way: Expr) -> Expr:
        def beyond(part: Expr) -> Expr:
            return ME if part == way else cast("Expr", rebuilt(part, beyond))

        return got(self._computed(beyond(value), self.steps[key_of(way)].target).key, way)

    # ---- aggregates

    def _least(self, term: Expr, others: tuple[Expr, ...]) -> Expr | None:
        """For "the first of those that are so is not before me", where I am so: a column."""
        one = self._ties.get(term) or self._ties.get(Not(term))
        if one is None:
            return None
        conditions = one.where.terms if isinstance(one.where, ir.And) else (one.where,)
        if not {*conditions} <= {TRUE, *others}:
            return None
        least = got(self._ordered(one, one.group.rows, "least")[0].key)
        return least if term in self._ties else Not(least)

    def _aggregate(self, one: ir.Any | ir.Count | ir.First, at: str) -> Expr:
        """Any, count or first of the group that a row looks at."""
        if isinstance(one, ir.First):
            column, mine = self._ordered(one, at, "second" if one.rank else "first")
        else:
            its, mine, table = self._grouped(one.group, at)
            column = self._counted(isinstance(one, ir.Any), one.group.rows, one.where, its, table)
        return along(mine, lambda row: got(column.key, row))

    def _grouped(self, group: ir.Group, at: str) -> tuple[Expr, Expr, str]:
        """The ways from a row to its group, and from one that looks; the table of groups."""
        rows = group.rows
        keys, mine = [*map(self.value, group.key)], [*map(self.value, group.mine)]
        pairs = [pair for pair in zip(keys, mine, strict=True) if pair[0] != self._graph(rows)]
        if not pairs:
            return self._graph(rows), self._graph(at), "graph"
        ((its, looks), *more) = pairs
        end = self._target(its, rows)
        if not more and end and isinstance(its, Get | ir.Me) and end == self._target(looks, at):
            return its, looks, end
        own, others = zip(*pairs, strict=True)
        its, hashed = self._group_of(rows, own, (rows, *own))
        return its, self._group_of(at, others, (rows, *own))[0], hashed.groups

    @once
    def _group_of(self, table: str, keys: tuple[Expr, ...], among: Any) -> tuple[Get, Hash]:
        """The step from a row to the group with its keys. among: what the groups are made of."""
        hashed = self.hashes.get(among)
        if hashed is None:
            hashed = self.hashes[among] = Hash(f"groups {len(self.hashes)}", len(keys))
        values = [self._hoisted(key, table) for key in keys]
        hashed.tables.append(table)
        inputs = self._inputs(values, table)
        column = self._column(table, 4, fill=-1, moves=bool(inputs[1]))
        self.views.append((HASH, hashed, column, *map(self._code, values), inputs))
        return self._step(column.key, POINTER, hashed.groups, column), hashed

    def _mark(self, where: Expr, rows: str, *, along: bool) -> tuple[Column | None, bool, Expr]:
        """The column that marks rows, the value there, and the way to it."""
        value = self.value(where)
        if value == TRUE:
            return None, False, ME
        way = self._way(value)
        is_there = along and way != ME and self.steps[key_of(way)].kind == FIXED
        if is_there and not is_literal(value):
            value = self._moved_there(value, way)
        value = self._hoisted(value, rows)
        inner = value.term if isinstance(value, Not) else value
        if self._is_truth(inner) and isinstance(inner, Get):
            is_direct = along and all(step.kind == FIXED for step in self._path(inner.of))
            if inner.of == ME or is_direct:
                return self.columns[key_of(inner)], value == inner, inner.of
        return self._computed(value, rows), True, ME

    def _placed(self, mark: Column | None, value: bool, rows: str, values: list[Expr]) -> Any:
        """What moves rows between groups, or changes their order; whether a view may change."""
        inputs = self._inputs(values, rows, [] if mark is None else [(got(mark.key), value)])
        return inputs, bool(inputs[1]) or (mark is not None and mark.moves)

    @once
    def _counted(self, is_any: bool, rows: str, where: Expr, its: Expr, table: str) -> Column:
        """The column of a view that counts."""
        path = self._path(its)
        is_fixed = not any(step.moves for step in path)
        mark, value, way = self._mark(where, rows, along=is_fixed)
        inputs, moves = self._placed(mark, value, rows, [its])
        made = self._column(table, 1 if is_any else 4, is_truth=is_any, moves=moves)
        self.views.append((COUNT, mark, value, rows, table, self._path(way), path, inputs, made))
        return made

    def _ordered(self, one: ir.First, at: str, which: str) -> tuple[Column, Expr]:
        """A column of a view that finds first rows, and the way from a row to its group."""
        rows, (its, mine, table) = one.group.rows, self._grouped(one.group, at)
        known = ("ordered", rows, its, one.where, one.keys, one.last)
        if known not in self._known:
            mark, value, _ = self._mark(one.where, rows, along=False)
            keys = [self._hoisted(self.value(key), rows) for key in one.keys]
            sign = -1 if one.last else 1
            sign_of_row, is_distinct = 1, ME in keys
            if is_distinct:  # what comes after it never decides
                keys, sign_of_row = keys[: keys.index(ME)], sign
            inputs, moves = self._placed(mark, value, rows, [its, *keys])
            codes = [self._code(key) for key in keys]
            found = dict[str, Column | None].fromkeys(("first", "second", "least"))
            about = FIRST, mark, value, rows, table, self._path(its), codes
            self.views.append((*about, sign, sign_of_row, is_distinct, inputs, found))
            self._known[known] = found, moves
        found, moves = self._known[known]
        if found[which] is None and which == "least":
            found[which] = self._column(rows, 1, is_truth=True, moves=moves)
        elif found[which] is None:
            made = found[which] = self._column(table, 4, fill=-1, moves=moves)
            self._step(made.key, TO_FIRST, rows, made)
        return found[which], mine

    # ---- what makes a rule be asked anew

    def _inputs(
        self, values: Iterable[Expr], table: str, context: Iterable[tuple[Expr, bool]] = ()
    ) -> Inputs:
        """What the values of rows go by, and where it matters that it changes.

        context: what is so where the values matter.
        """
        guards: list[Any] = []
        inputs: dict[Any, Any] = {}

        def add(column: Column, way: Expr, context: Any, exact: Any) -> None:
            path, numbers = self._path(way), list[int]()
            if any(step.kind != TO_FIRST for step in path):
                found = exact or [
                    guard for term, truth in context for guard in self._guards(term, truth)
                ]
                # a mask is likely to hold at few rows, and what the graph says is said at once
                few = [each for each in found if all(is_rare(*atom) for atom in each)]
                for guard in few or found:
                    if guard not in guards:
                        guards.append(guard)
                    numbers.append(guards.index(guard))
            inputs[column.number, way, tuple(numbers)] = column, path, numbers

        def walk(value: Expr, context: Any, exact: Any = ()) -> None:
            match value:
                case Get(of=of):
                    column = self._source(value)
                    if isinstance(column, Column) and column.moves:
                        add(column, of, context, exact)
                    walk(of, context, exact)
                case ir.And(terms) | ir.Or(terms):
                    holds = isinstance(value, ir.And)
                    for term in terms:
                        others = [(each, holds) for each in terms if each != term]
                        walk(term, [*context, *others], exact)
                case Case(cases, otherwise):
                    before: list[Any] = [*context]
                    for guard, then in cases:
                        walk(guard, before, exact)
                        walk(then, [*before, (guard, True)], exact)
                        before.append((guard, False))
                    walk(otherwise, before, exact)
                case Compare((a,), "=", (b,)):
                    found = exact or self._met((a, b), table)
                    for part in (a, b):
                        walk(part, context, found)
                case _:
                    for part in children(value):
                        walk(part, context, exact)

        for value in values:
            walk(value, [*context])
        for column, path, numbers in inputs.values():  # a guard stands for its own column as well
            for number, guard in enumerate(guards):
                is_own = any(atom[::3] == (WHERE, path) and atom[1] is column for atom in guard)
                if is_own and number not in numbers:
                    numbers.append(number)
        return guards, [*inputs.values()]

    def _met(self, sides: Iterable[Expr], table: str) -> list[Any]:
        """The guard that holds where two sides are equal, if only what is no row's own changes."""
        one, other = sides
        for end, own in ((one, other), (other, one)):
            step = self.steps.get(key_of(end)) if isinstance(end, Get) else None
            if own == ME and step is not None and step.moves:
                return [[(MET, step.source)]]
            if not isinstance(end, Get) or step is not None or end.of != self._graph(table):
                continue
            column = self.columns[key_of(end)]
            is_own = all(step.kind == FIXED for row in self._rows(own) for step in self._path(row))
            is_row = isinstance(own, Case) and self._target(own, table)
            if column.width == 8 and is_own and not is_row and not isinstance(own, Const):
                group, hashed = self._group_of(table, (own,), (table, own))
                return [[(EQUALS, column, hashed, self.columns[key_of(group)])]]
        return []

    def _guards(self, term: Expr, truth: bool) -> list[Any]:
        """Alternatives, each some sets of rows: where the term is so, one of them holds."""
        match term:
            case Not(inner):
                return self._guards(inner, not truth)
            case ir.And(terms) | ir.Or(terms):
                found = [self._guards(each, truth) for each in terms]
                if isinstance(term, ir.And) is truth:
                    return [guard for each in found for guard in each]
                return [[atom for each in found for atom in each[0]]] if all(found) else []
            case Known(Get(of=of) as row) if self.steps[key_of(row)].kind == TO_FIRST:
                return self._where(self.steps[key_of(row)].source, truth, of)
            case Get(of=of) if self._is_truth(term):
                return self._where(self.columns[key_of(term)], truth, of)
        return []

    def _where(self, column: Column, truth: bool, row: Expr) -> list[Any]:
        path = self._path(row)
        is_fixed = all(step.kind in (TO_GRAPH, FIXED) for step in path)
        return [[(WHERE, column, truth, path)]] if is_fixed else []

    # ---- code

    def _code(self, value: Expr) -> list[tuple[Any, ...]]:
        """Operations of the stack machine."""
        match value:
            case Const(number):
                return [("CONST", int(number))]
            case ir.Me():
                return [("ME",), ("ROW",)]
            case Get(of=of):
                column, path = self._source(value), self._path(of)
                if isinstance(column, Column) and not path:
                    return [(f"OWN{column.width}", column)]
                if isinstance(column, Column) and len(path) == 1 and path[0].kind != TO_FIRST:
                    return [(f"AT{column.width}", column, path[0])]
                walk = [("ME",), *(("GO", step) for step in path)]
                if key_of(value) in self.steps:
                    return [*walk, ("GO", self.steps[key_of(value)]), ("ROW",)]
                return [*walk, (f"LOAD{column.width}", column)]
            case ir.And((term, *rest)):
                return self._code(Case(((term, conjunction(*rest)),), FALSE))
            case ir.Or((term, *rest)):
                return self._code(Case(((term, TRUE),), disjunction(*rest)))
            case Case(cases, otherwise):
                tail = self._code(otherwise)
                for guard, then in cases[::-1]:
                    taken = [*self._code(then), ("JUMP", len(tail))]
                    tail = [*self._code(guard), ("IF", len(taken)), *taken, *tail]
                return tail
            case Compare((a,), name, (b,)) | ir.Arith(a, name, b):
                return [*self._code(a), *self._code(b), (name,)]
            case Not(term) | Known(term):
                return [*self._code(term), (type(value).__name__.upper(),)]
        raise TypeError(f"{type(value).__name__} of one row")

    # ---- the flat description

    def words(self) -> np.ndarray:
        """All of it as numbers: a list begins with its length, a table is how many rows it has."""
        named = {name: number for number, name in enumerate(OPS)}
        for each in self.hashes.values():
            named[each.groups] = 2 * sum(self.counts[table] for table in each.tables) + 16

        def flat(part: Any) -> Iterator[int]:
            match part:
                case str():
                    yield named[part] if part in named else self.counts[part]
                case Column() | Step():
                    yield part.number
                case Hash():
                    yield [*self.hashes.values()].index(part)
                case dict():
                    yield from flat(tuple(part.values()))
                case list() | tuple():
                    if isinstance(part, list):
                        yield len(part)
                    for each in part:
                        yield from flat(each)
                case _:
                    yield -1 if part is None else int(part)

        columns = [
            (c.key[0], c.width, c.array, c.fill, c.is_traced, c.is_state, c.bounds)
            for c in self.columns.values()
        ]
        steps = [(s.kind, s.table, s.target, s.source) for s in self.steps.values()]
        hashes = [(each.keys, each.groups) for each in self.hashes.values()]
        whole = columns, steps, hashes, self.views, self.rules, self.asks
        return np.fromiter(flat(whole), np.int64)


# ---- expressions


def got(key: Key, row: Expr = ME) -> Get:
    """A column of a row."""
    return Get(key[1], cast("ir.At", key[0]), row)


def key_of(node: Expr) -> Key:
    """The table and the name of a column."""
    assert isinstance(node, Get)
    return node.at, node.column


def along(row: Expr, further: Callable[[Expr], Expr]) -> Expr:
    """What is said of a row that may be one of several."""
    if isinstance(row, Case):
        cases = tuple((guard, along(each, further)) for guard, each in row.cases)
        return Case(cases, along(row.otherwise, further))
    return further(row)


def first_table(row: Expr, table: str) -> str:
    """The table where a path begins, if it has steps."""
    return first_table(row.of, row.at) if isinstance(row, Get) else table


def first_step(value: Expr) -> Expr:
    """The column that a path begins with; of anything else, itself."""
    return first_step(value.of) if isinstance(value, Get) and value.of != ME else value


def size_of(node: Expr) -> int:
    """How many parts an expression has."""
    return 1 + sum(map(size_of, children(node)))


def is_rare(kind: int, column: Column, value: Any = True, _: Any = None) -> bool:
    """Whether few rows are likely to be so: a mask is, and what the graph says is said at once."""
    return kind != WHERE or value or column.key[0] == "graph"


def is_literal(value: Expr) -> bool:
    """Whether it is one column, a row, or a constant; of truth values also their opposite."""
    return isinstance(value.term if isinstance(value, Not) else value, Const | Get | ir.Me)


def compared(left: list[Expr], op: ir.Op, right: list[Expr]) -> Expr:
    """A comparison by "<", "=" and ">" alone, lexicographic where there are several keys."""
    if op in ("<=", ">=", "!="):
        return negation(compared(left, OPPOSITE[op], right))
    equal, here = (Compare((left[0],), each, (right[0],)) for each in ("=", op))
    if len(left) == 1:
        return here
    rest = conjunction(equal, compared(left[1:], op, right[1:]))
    return rest if op == "=" else disjunction(here, rest)


# ---- the library in C

TYPES = {"a": ctypes.c_void_p, "i": ctypes.c_int32, "n": ctypes.c_int64, "-": None}
SIGNATURES = {  # of each function: what it gives, and what it takes
    "new": "aananin",
    "run": "iain",
    "look": "ia",
    "interface": "i",
    "now": "ia",
    "asked": "na",
    "used": "na",
    "finish": "-a",
    "column": "aan",
    "trace": "nanaaa",
    "free": "-a",
}


@cache
def library() -> ctypes.CDLL | None:
    """The engine; None where it was not compiled, or is that of another version."""
    path = Path(__file__).with_name("_delta.dll" if sys.platform == "win32" else "_delta.so")
    try:
        found = declared(ctypes.CDLL(str(path)))
    except (OSError, AttributeError):
        return None
    return found if found.delta_interface() == INTERFACE else None


def declared(found: ctypes.CDLL) -> ctypes.CDLL:
    """A library with the types of its functions."""
    for name, signature in SIGNATURES.items():
        function = getattr(found, f"delta_{name}")
        function.restype, *function.argtypes = (TYPES[letter] for letter in signature)
    return found


class Engine:
    """A described program, which takes steps: the functions of ``delta.c`` are its methods.

    ``look()`` looks once, before any step. ``run(limit, rows)`` takes steps until the program asks
    for no more, or so many are taken, and says why it ended; it is still ``RUNNING`` where it went
    through so many rows. ``now()``, ``asked()`` and ``used()`` are how many steps were taken, rows
    gone through, and bytes allocated. ``finish()`` takes back the look after the last step.

    Parameters
    ----------
    described : Description
        What it carries out.
    begin : int
        The number of the first step.
    ceiling : int
        The most bytes that it may take.
    """

    def __init__(self, described: Description, begin: int = 0, ceiling: int = 2**62) -> None:
        found = library()
        assert found is not None
        self.described, self._words, arrays = described, described.words(), described.arrays
        pointers = (ctypes.c_void_p * (len(arrays) + 1))(*(array.ctypes.data for array in arrays))
        about = self._words.ctypes.data, len(self._words), pointers, len(arrays)
        engine = found.delta_new(*about, begin, ceiling)
        if not engine:
            raise TooLarge("it needs more memory than there is")
        for name in SIGNATURES:
            setattr(self, name, partial(getattr(found, f"delta_{name}"), engine))
        finalize(self, found.delta_free, engine)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def values(self, name: str) -> np.ndarray:
        """A traced column as it is."""
        each = self.described.traced[name]
        count = self.described.counts[each.key[0]]
        return self._array(self.column(each.number), count, each.dtype)

    def changes(self, name: str) -> list[np.ndarray]:
        """The steps, rows and new values of all changes of a column."""
        each = self.described.traced[name]
        places = [ctypes.c_void_p() for _ in range(3)]
        size = self.trace(each.number, *map(ctypes.byref, places))
        dtypes = DTYPES[4], DTYPES[4], each.dtype
        return [
            self._array(at.value, size, dtype) for at, dtype in zip(places, dtypes, strict=True)
        ]

    def _array(self, address: int | None, size: int, dtype: Any) -> np.ndarray:
        """Memory of the engine, which is kept as long as the array is."""
        if not size or not address:
            return np.empty(0, dtype)
        memory = (ctypes.c_char * (size * np.dtype(dtype).itemsize)).from_address(address)
        memory.owner = self
        return np.frombuffer(memory, dtype)
