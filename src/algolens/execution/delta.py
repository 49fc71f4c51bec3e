"""Write a lowered program on one graph as the flat description that ``delta.c`` reads, and call it.

Expressions become those of one row, whose leaves are columns at the end of paths:

- numbers are computed where they are read, but for those of the graph;
- what is said along one pointer, or of the graph alone, becomes a column there, so that it is
  computed once for all who read it, and they hear of it only where it changes;
- "M, and the first M is not before me" becomes a column of its first ones, equal ones included.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from typing import Any as Anything

import numpy as np

from algolens.language import ir
from algolens.language.ir import NUMBER, STEPS, At, Expr, put

INTERFACE = 2  # as delta.c has it
RUNNING, BY_RULE, BY_LIMIT, OUT_OF_BOUNDS, NO_MEMORY, NOT_A_PROGRAM = range(6)
RULE, COUNT, FIRST, HASH = range(4)
TO_GRAPH, FIXED, POINTER, TO_FIRST = range(4)
WHERE, SCALAR, EQUALS, MET, MEETS = range(5)
OPS = (
    *("END", "CONST", "ME", "GO", "ROW", "LOAD1", "LOAD4", "LOAD8", "OWN1", "OWN4", "OWN8"),
    *("AT1", "AT4", "AT8", "not", "<", "=", ">", "+", "-", "*", "known"),
    *("IF_NOT", "IF", "IF_POP", "JUMP"),
)
OP = {name: number for number, name in enumerate(OPS)}
MOST_INLINED = 40  # parts of a number that is computed where it is read
REVERSE = ("link", "reverse")
MOST_LISTED = 2  # masks whose rows are listed to guard one input

Value = tuple[Anything, ...]  # a tag, and parts
Path = tuple[int, ...]  # numbers of steps
TRUE, FALSE = ("const", 1), ("const", 0)


class NotIncremental(Exception):
    """Why a program, or a run, is not for this engine."""


class TooLarge(NotIncremental):
    """Numbers may leave the bounds that the engine counts on, or it needs more memory."""


@dataclass
class Column:
    """As ``struct Column`` of the engine."""

    table: Anything
    width: int
    array: int = -1
    fill: int = 0
    is_traced: bool = False
    is_state: bool = False
    moves: bool = False
    bounds: tuple[int, int] = (-(2**62), 2**62)


@dataclass
class Step:
    """From every row of a table to one of another."""

    kind: int
    table: Anything
    target: Anything
    source: int = 0  # an array, or a column
    moves: bool = False


@dataclass
class Grouped:
    """The rows of a table by group, for those who look from another."""

    path: Path  # from such a row to its group
    table: Anything  # of groups
    keys: tuple[Value, ...] = ()
    hash: int = -1


@dataclass
class Counted:
    """A view that counts."""

    words: list[Anything]
    grouped: Grouped
    count: int = -1
    any: int = -1
    moves: bool = False


@dataclass
class Ordered:
    """A view that finds the first rows."""

    words: list[Anything]
    grouped: Grouped
    one: ir.First
    rows: At
    first: int = -1
    second: int = -1
    least: int = -1
    steps: dict[int, int] = field(default_factory=dict)  # by rank
    like: int = -1
    is_distinct: bool = False
    moves: bool = False


class Description:
    """A program on one graph, for the engine.

    Parameters
    ----------
    program : Program
        Lowered.
    counts : mapping of str to int
        How many rows each table has.
    given : mapping of (str, str) to np.ndarray
        Columns by table and name: what the graph gives, inputs, state, and outputs that are no
        state. Arrays of the state are written to.
    traced : sequence of str
        Lets and fields whose changes are wanted.
    """

    def __init__(
        self,
        program: ir.Program,
        counts: Mapping[At, int],
        given: Mapping[tuple[str, str], np.ndarray],
        traced: Iterable[str],
    ) -> None:
        self.program, self.counts, self.given = program, dict(counts), given
        self.lets = {(let.at, let.name): let for let in program.lets}
        self.fields = {
            (each.at, name): each for name, each in (program.inputs | program.state).items()
        }
        self.arrays: list[np.ndarray] = []
        self.order: dict[Anything, np.ndarray] = {}  # of tables that are sorted: whom a row was
        self._order: dict[Anything, tuple[int, int]] = {}
        self._sort_links()
        self.columns: list[Column] = []
        self.steps: list[Step] = []
        self.hashes: list[tuple[int, list[Anything]]] = []  # number of keys, tables
        self.views: list[Anything] = []
        self.rules: list[list[Anything]] = []
        self._known: dict[Anything, Anything] = {}
        self._truths: dict[tuple[str, str], bool] = {}
        self._fields: dict[tuple[str, str], int] = {}
        self._firsts: list[Ordered] = []
        self.limit = self._limit()
        outputs = [let.name for let in program.becomes if let.name not in program.state]
        for name in outputs:
            at = next(let.at for let in program.becomes if let.name == name)
            is_mask = given[at, name].dtype == bool
            self.fields[at, name] = ir.Field(at, "mask" if is_mask else "number", bits=32)
        self.traced: dict[str, int] = {}
        becomes = {let.name for let in program.becomes} | set(program.state)
        for (_, name), let in self.lets.items():
            if name in traced and name not in becomes:
                self.traced[name] = self._own_column(let)
        self.asks = -1
        if ("graph", ir.GOES_ON) in self.lets:
            self.asks = self._own_column(self.lets["graph", ir.GOES_ON])
        for let in program.becomes:
            target = self._field(let.at, let.name)
            value = self._hoisted(self._value(let.value, self._me(let.at)), let.at)
            if value != ("col", target, ()):
                self.rules.append([target, *self._rule(value, let.at, target)])
        for name in (*program.state, *outputs):
            at = next(at for at, each in self.fields if each == name)
            if name in traced:
                self.traced[name] = self._field(at, name)
        for each in self.traced.values():
            self.columns[each].is_traced = True

    # ---- how large numbers may grow

    def _limit(self) -> int:
        """The bound of all numbers under which no result of arithmetic leaves its bounds."""
        for bits in range(61, 15, -1):
            try:
                self._bounded(2**bits - 1)
            except OverflowError:
                continue
            return int(2**bits - 1)
        raise TooLarge("its numbers may outgrow 62 bits")

    def _bounded(self, limit: int) -> None:
        bounds: dict[tuple[str, str], tuple[int, int]] = {}
        rows = max(self.counts.values())
        for (at, name), each in self.fields.items():
            if each.kind == "number":
                least, most = each.bounds
                values = self.given[at, name]
                if name in self.program.inputs and len(values):
                    least, most = int(values.min()), int(values.max())
                    if max(-least, most) > limit:
                        raise OverflowError
                bounds[at, name] = max(least, -limit), min(most, limit)

        def of(node: Expr) -> tuple[int, int]:
            match node:
                case ir.Const(value):
                    return int(value), int(value)
                case ir.Get(name, at):
                    return bounds.get((at, name), (-1, rows))
                case ir.Arith(a, op, b):
                    one, other = of(a), of(b)
                    if op == "*":
                        corners = [x * y for x in one for y in other]
                        return min(corners), max(corners)
                    if op == "-":
                        return one[0] - other[1], one[1] - other[0]
                    return one[0] + other[0], one[1] + other[1]
                case ir.Within(inner, least, most):
                    found = of(inner)
                    if found[0] < least or found[1] > most:
                        raise OverflowError
                    return found
                case ir.Case(cases, otherwise):
                    all_of = [of(value) for _, value in cases] + [of(otherwise)]
                    return min(each[0] for each in all_of), max(each[1] for each in all_of)
            return -1, rows

        for let in self.program.lets:
            bounds[let.at, let.name] = of(let.value)
        for let in self.program.becomes:
            for part in ir.parts_of(let.value, ir.Arith):
                of(part)

    # ---- columns and steps

    def _column(self, table: Anything, width: int, **rest: Anything) -> int:
        self.columns.append(Column(table, width, **rest))
        return len(self.columns) - 1

    def _step(
        self, kind: int, table: Anything, target: Anything, source: int = 0, *, moves: bool = False
    ) -> int:
        key = ("step", kind, table, target, source)
        if key not in self._known:
            self.steps.append(Step(kind, table, target, source, moves))
            self._known[key] = len(self.steps) - 1
        return int(self._known[key])

    def _sort_links(self) -> None:
        """Sorts links by sender, for those of one sender change together, and memory is slow."""
        senders = self.given["link", "sender"]
        if (senders[1:] >= senders[:-1]).all():
            return
        self.order["link"] = order = senders.argsort(kind="stable").astype(np.int32)
        listed = np.empty_like(order)
        listed[order] = np.arange(len(order), dtype=np.int32)
        self.arrays += [listed, order]
        self._order["link"] = (len(self.arrays) - 2, len(self.arrays) - 1)

    def _array(self, at: str, name: str, dtype: Anything) -> int:
        self.arrays.append(np.ascontiguousarray(self._given(at, name), dtype))
        return len(self.arrays) - 1

    def _given(self, at: str, name: str) -> np.ndarray:
        """A column of the graph, in the order that rows have here."""
        values = self.given[at, name]
        if at not in self.order:
            return values
        values = values[self.order[at]]
        return self.arrays[self._order[at][0]][values] if (at, name) == REVERSE else values

    def _in_given_order(self, value: Value) -> Value:
        """A row as a number that grows as rows of its table were given."""
        if value[0] == "case":
            made = tuple((guard, self._in_given_order(each)) for guard, each in value[1])
            return ("case", made, self._in_given_order(value[2]))
        if value[0] != "row" or value[2] not in self.order:
            return value
        table = value[2]
        key = ("given order", table)
        if key not in self._known:
            self._known[key] = self._column(table, 4, array=self._order[table][1])
        return ("col", self._known[key], value[1])

    def _field(self, at: At, name: str) -> int:
        """The column of a field."""
        if (at, name) in self._fields:
            return self._fields[at, name]
        each = self.fields[at, name]
        wide = len(each.labels) > 255
        width = {"mask": 1, "category": 4 if wide else 1, "number": 8, "pointer": 4}[each.kind]
        dtype = {1: np.uint8, 4: np.int32, 8: np.int64}[width]
        is_state = name not in self.program.inputs
        bounds = (-(2**62), 2**62)
        if each.kind == "number" and is_state:
            least, most = each.bounds
            bounds = max(least, -self.limit), min(most, self.limit)
            values = self.given[at, name]
            if len(values) and (values.min() < bounds[0] or values.max() > bounds[1]):
                raise TooLarge("its numbers may outgrow 62 bits")
        array = self._array(at, name, dtype)
        if is_state:
            self.arrays[array] = self.arrays[array].copy()
        self._fields[at, name] = made = self._column(
            at, width, array=array, is_state=is_state, moves=is_state, bounds=bounds
        )
        return made

    def _to_graph(self, table: Anything) -> Path:
        return () if table == "graph" else (self._step(TO_GRAPH, table, "graph"),)

    def _table_of(self, path: Path, base: Anything) -> Anything:
        return self.steps[path[-1]].target if path else base

    # ---- expressions of one row

    def _me(self, at: Anything) -> Value:
        return ("row", (), at)

    def _value(self, node: Expr, me: Value) -> Value:
        """An expression of the row ``me``, or of the row where a path from it leads."""
        match node:
            case ir.Const(value):
                return ("const", int(value))
            case ir.Me():
                return me
            case ir.Get(name, at, of):
                return self._read(name, at, self._value(of, me))
            case ir.Not(ir.And((ir.Known(), _)) as inner):
                return self._least(node, (), me) or negated(self._value(inner, me))
            case ir.Not(term):
                return negated(self._value(term, me))
            case ir.And(terms) | ir.Or(terms):
                is_and = isinstance(node, ir.And)
                parts = []
                for term in terms:
                    others = terms if is_and else tuple(map(ir.negation, terms))
                    found = self._least(term, others, me)
                    parts.append(self._value(term, me) if found is None else found)
                return joined("and" if is_and else "or", parts)
            case ir.Compare(left, op, right):
                sides = [[self._value(each, me) for each in side] for side in (left, right)]
                if op not in ("=", "!="):
                    sides = [[self._in_given_order(each) for each in side] for side in sides]
                return compared(op, *sides)
            case ir.Arith(a, op, b):
                return (op, self._value(a, me), self._value(b, me))
            case ir.Within(of):
                return self._value(of, me)
            case ir.Case(cases, otherwise):
                made = tuple((self._value(c, me), self._value(v, me)) for c, v in cases)
                return ("case", made, self._value(otherwise, me))
            case ir.Known(of):
                return self._whether_known(self._value(of, me))
        raise NotIncremental(f"'{type(node).__name__}' goes over all rows")

    def _whether_known(self, row: Value) -> Value:
        if row[0] == "case":
            made = tuple((guard, self._whether_known(value)) for guard, value in row[1])
            return ("case", made, self._whether_known(row[2]))
        if not any(self.steps[step].kind == TO_FIRST for step in row[1]):
            return TRUE
        return ("known", row)

    def _read(self, name: str, at: At, row: Value) -> Value:
        """A column of a row."""
        if row[0] == "case":
            made = tuple((guard, self._read(name, at, value)) for guard, value in row[1])
            return ("case", made, self._read(name, at, row[2]))
        path = row[1]
        base = self.steps[path[0]].table if path else at
        if (at, name) in STEPS:
            if STEPS[at, name] == "graph":
                return ("row", self._to_graph(base), "graph")
            return self._along(row, self._given_step(at, name, STEPS[at, name]), STEPS[at, name])
        if name == NUMBER:
            return row if at in ("node", "edge") else ("col", self._given_column(at, name), path)
        if (at, name) in self.fields:
            each = self.fields[at, name]
            if each.kind != "pointer":
                if (
                    at == "edge"
                    and name in self.program.inputs
                    and len(path) == 1
                    and base == "link"
                ):
                    return ("col", self._of_edges(name), ())
                return ("col", self._field(at, name), path)
            assert each.to is not None
            if name in self.program.inputs:
                return self._along(row, self._given_step(at, name, each.to), each.to)
            step = self._step(POINTER, at, each.to, self._field(at, name), moves=True)
            return self._along(row, step, each.to)
        let = self.lets[at, name]
        match let.value:
            case ir.Any() | ir.Count() | ir.First():
                return self._aggregate(let, row)
            case ir.Pairs():
                raise NotIncremental(f"'{name}' compares pairs of rows in several ways")
        if self._is_truth(let.value) or at == "graph" or self._size(let) > MOST_INLINED:
            column = self._let_column(let)
            if isinstance(column, int):
                return ("col", column, path)
        return self._value(let.value, row)

    def _along(self, row: Value, step: int, table: Anything) -> Value:
        return ("row", (*row[1], step), table)

    def _given_step(self, at: At, name: str, to: Anything) -> int:
        key = ("given", at, name)
        if key not in self._known:
            if self.counts[at] and not self.counts[to]:
                raise NotIncremental("a table is empty")
            self._known[key] = self._step(FIXED, at, to, self._array(at, name, np.int32))
        return int(self._known[key])

    def _of_edges(self, name: str) -> int:
        """An input of edges at their links, where it is read."""
        key = ("of edges", name)
        if key not in self._known:
            column = self.columns[self._field("edge", name)]
            values = self.arrays[column.array][self._given("link", "edge")]
            self.arrays.append(np.ascontiguousarray(values))
            made = self._column("link", column.width, array=len(self.arrays) - 1)
            self._known[key] = made
        return int(self._known[key])

    def _given_column(self, at: str, name: str) -> int:
        key = ("column", at, name)
        if key not in self._known:
            self._known[key] = self._column(at, 4, array=self._array(at, name, np.int32))
        return int(self._known[key])

    def _is_truth(self, node: Expr) -> bool:
        match node:
            case ir.Const(value):
                return isinstance(value, bool)
            case ir.Not() | ir.And() | ir.Or() | ir.Compare() | ir.Any() | ir.Known():
                return True
            case ir.Get(name, at) if (at, name) in self.fields:
                return self.fields[at, name].kind == "mask"
            case ir.Get(name, at) if (at, name) in self.lets:
                if (at, name) not in self._truths:
                    self._truths[at, name] = self._is_truth(self.lets[at, name].value)
                return self._truths[at, name]
            case ir.Case(cases, otherwise):
                return all(self._is_truth(value) for value in (*(v for _, v in cases), otherwise))
        return False

    def _size(self, let: ir.Let) -> int:
        """How many parts a number has when all that it is made of is written out."""
        key = ("size", let.at, let.name)
        if key not in self._known:

            def size(node: Expr) -> int:
                if isinstance(node, ir.Get) and (node.at, node.column) in self.lets:
                    inner = self.lets[node.at, node.column]
                    plain = not self._is_truth(inner.value) and inner.at != "graph"
                    return self._size(inner) if plain else 1
                return 1 + sum(map(size, ir.children(node)))

            self._known[key] = size(let.value)
        return int(self._known[key])

    def _let_column(self, let: ir.Let) -> int | None:
        """The column that holds a let; None of one that gives rows."""
        key = ("let", let.at, let.name)
        if key not in self._known:
            value = self._value(let.value, self._me(let.at))
            is_plain = value[0] == "col" and not value[2]
            if is_row(value):
                self._known[key] = None
            else:
                self._known[key] = (
                    value[1]
                    if is_plain
                    else self._computed(value, let.at, 1 if self._is_truth(let.value) else 8)
                )
        found: int | None = self._known[key]
        return found

    def _own_column(self, let: ir.Let) -> int:
        """A column of a let that changes when it is computed: no state, which changes after."""
        value = self._read(let.name, let.at, self._me(let.at))
        if value[0] == "col" and not value[2] and not self.columns[value[1]].is_state:
            return int(value[1])
        return self._computed(value, let.at, 1)

    def _computed(self, value: Value, table: Anything, width: int) -> int:
        """A column with this value."""
        key = ("computed", table, value, width)
        if key not in self._known:
            value = self._hoisted(value, table)
            made = self._column(table, width)
            rule = self._rule(value, table)
            self.columns[made].moves = bool(rule[1][1])
            self.views.append([RULE, made, *rule])
            self._known[key] = made
        return int(self._known[key])

    # ---- what is computed elsewhere, once for all who read it

    def _hoisted(self, value: Value, table: Anything) -> Value:
        """The same, where what is read along one pointer, or of the graph, is a column there."""
        if is_literal(value) or is_row(value):
            if value[0] == "case":
                made = tuple((self._hoisted(g, table), v) for g, v in value[1])
                return ("case", made, value[2])
            return value
        ways = set(first_steps(value))
        if len(ways) == 1 and self._is_shared(way := next(iter(ways))):
            return self._moved_there(value, way)
        if value[0] in ("and", "or"):
            by_way: dict[int | None, list[Value]] = {}
            for term in value[1]:
                ways = set(first_steps(term))
                way = next(iter(ways)) if len(ways) == 1 else None
                by_way.setdefault(way if self._is_shared(way) else None, []).append(term)
            terms = []
            for way, group in by_way.items():
                if way is None or (len(group) == 1 and is_literal(group[0])):
                    terms += [self._hoisted(term, table) for term in group]
                else:
                    terms.append(self._moved_there(joined(value[0], group), way))
            return joined(value[0], terms)
        if value[0] == "case":
            made = tuple((self._hoisted(g, table), self._hoisted(v, table)) for g, v in value[1])
            return ("case", made, self._hoisted(value[2], table))
        return (value[0], *(self._hoisted(part, table) for part in value[1:]))

    def _is_shared(self, way: int | None) -> bool:
        if way is None:
            return False
        step = self.steps[way]
        return step.kind == TO_GRAPH or (step.kind == POINTER and step.moves)

    def _moved_there(self, value: Value, way: int | None) -> Value:
        assert way is not None
        there = self.steps[way].target
        column = self._computed(without_first_step(value), there, 1 if is_truth(value) else 8)
        return ("col", column, (way,))

    # ---- aggregates

    def _least(self, term: Expr, others: tuple[Expr, ...], me: Value) -> Value | None:
        """For "the first of those that are so is not before me", where I am so: a column."""
        match term:
            case ir.Not(
                ir.And((ir.Known(ir.Get(name, at, ir.Me()) as got), ir.Compare(left, op, right)))
            ) if (at, name) in self.lets:
                one = self.lets[at, name].value
            case _:
                return None
        if not isinstance(one, ir.First) or one.rank or not one.keys:
            return None
        so = one.where.terms if isinstance(one.where, ir.And) else (one.where,)
        is_it = (
            one.group.rows == at
            and one.group.key == one.group.mine
            and op == (">" if one.last else "<")
            and right == one.keys
            and left == tuple(put(key, me=got) for key in one.keys)
            and all(part == ir.TRUE or part in others for part in so)
        )
        if not is_it:
            return None
        ordered = self._ordered(one, self.lets[at, name])
        if ordered.least < 0:
            ordered.least = self._column(at, 1, moves=ordered.moves)
        if me[0] == "case":
            return None
        return ("col", ordered.least, me[1])

    def _aggregate(self, let: ir.Let, row: Value) -> Value:
        """Any, count or first of the group of a row."""
        one = let.value
        if isinstance(one, ir.First):
            ordered = self._ordered(one, let)
            if one.rank not in ordered.steps:
                column = self._column(ordered.grouped.table, 4, fill=-1, moves=ordered.moves)
                if one.rank:
                    ordered.second = column
                else:
                    ordered.first = column
                rows = one.group.rows
                table = ordered.grouped.table
                ordered.steps[one.rank] = self._step(
                    TO_FIRST, table, rows, column, moves=ordered.moves
                )
            group = self._group_of(one.group, ordered.grouped, row, let.at)
            return self._further(group, ordered.steps[one.rank], one.group.rows)
        assert isinstance(one, ir.Any | ir.Count)
        key = ("counted", one.group, one.where, let.at if self._by_hash(one.group, let) else "")
        if key not in self._known:
            self._known[key] = self._counted(one, let)
        counted: Counted = self._known[key]
        what = "any" if isinstance(one, ir.Any) else "count"
        if getattr(counted, what) < 0:
            width = 1 if what == "any" else 4
            setattr(counted, what, self._column(counted.grouped.table, width, moves=counted.moves))
        group = self._group_of(one.group, counted.grouped, row, let.at)
        return self._col(getattr(counted, what), group)

    def _col(self, column: int, row: Value) -> Value:
        if row[0] == "case":
            made = tuple((guard, self._col(column, value)) for guard, value in row[1])
            return ("case", made, self._col(column, row[2]))
        return ("col", column, row[1])

    def _further(self, row: Value, step: int, table: Anything) -> Value:
        if row[0] == "case":
            made = tuple((guard, self._further(value, step, table)) for guard, value in row[1])
            return ("case", made, self._further(row[2], step, table))
        return self._along(row, step, table)

    def _pairs(self, group: ir.Group, at: At) -> list[tuple[Value, Value]]:
        """Keys of rows and of those who look; the graph is one."""
        keys = [self._value(key, self._me(group.rows)) for key in group.key]
        mine = [self._value(key, self._me(at)) for key in group.mine]
        return [pair for pair in zip(keys, mine, strict=True) if pair[0][2:] != ("graph",)]

    def _by_hash(self, group: ir.Group, let: ir.Let) -> bool:
        return self._grouped(group, let.at).hash >= 0

    def _grouped(self, group: ir.Group, at: At) -> Grouped:
        pairs = self._pairs(group, at)
        if not pairs:
            return Grouped(self._to_graph(group.rows), "graph")
        if len(pairs) == 1:
            (key, mine) = pairs[0]
            tables = set(tables_of(key)) | set(tables_of(mine))
            if key[0] == "row" and is_row(mine) and len(tables) == 1:
                return Grouped(key[1], key[2])
        keys = tuple(key for key, _ in pairs)
        return self._hashed(group.rows, keys)

    def _hashed(self, rows: Anything, keys: tuple[Value, ...]) -> Grouped:
        """Rows by the values of keys."""
        known = ("hash", rows, keys)
        if known not in self._known:
            number = len(self.hashes)
            self.hashes.append((len(keys), []))
            table = ("groups", number)
            path = (self._hash_step(number, rows, keys),)
            self._known[known] = Grouped(path, table, keys, number)
        found: Grouped = self._known[known]
        return found

    def _hash_step(self, number: int, table: Anything, keys: tuple[Value, ...]) -> int:
        """The step from a row to the group with its keys."""
        known = ("hash step", number, table, keys)
        if known not in self._known:
            values = [self._hoisted(key, table) for key in keys]
            self.hashes[number][1].append(table)
            column = self._column(table, 4, fill=-1)
            inputs = self._inputs(values, table)
            self.columns[column].moves = bool(inputs[1])
            words = [HASH, number, column, *map(self._code, values), inputs]
            self.views.append(words)
            self._known[known] = self._step(
                POINTER, table, ("groups", number), column, moves=bool(inputs[1])
            )
        return int(self._known[known])

    def _group_of(self, group: ir.Group, grouped: Grouped, row: Value, at: At) -> Value:
        """The group that a row looks at."""
        if grouped.table == "graph" and not self._pairs(group, at):
            base = self.steps[row[1][0]].table if row[0] == "row" and row[1] else at
            if row[0] == "case":
                base = next(iter(bases_of(row, self.steps)), at)
            return ("row", self._to_graph(base), "graph")
        if grouped.hash < 0:
            (mine,) = (
                key
                for key, its in zip(group.mine, group.key, strict=True)
                if self._value(its, self._me(group.rows))[2:] != ("graph",)
            )
            return self._value(mine, row)
        mine_keys = tuple(mine for _, mine in self._pairs(group, at))
        step = self._hash_step(grouped.hash, at, mine_keys)
        return self._further(row, step, grouped.table)

    def _mark(self, where: Expr, rows: At, *, along: bool) -> tuple[int, int, Path, bool]:
        """The column that marks rows, the value there, the way to it, and whether it moves."""
        value = self._value(where, self._me(rows))
        if value == TRUE:
            return -1, 0, (), False
        ways = set(first_steps(value))
        way = next(iter(ways)) if len(ways) == 1 else None
        if along and way is not None and self.steps[way].kind == FIXED and not is_literal(value):
            value = self._moved_there(value, way)
        value = self._hoisted(value, rows)
        sign = 1
        if value[0] == "not":
            value, sign = value[1], 0
        if value[0] == "col" and self.columns[value[1]].width == 1:
            path = value[2]
            is_direct = along and all(self.steps[step].kind == FIXED for step in path)
            if not path or is_direct:
                return value[1], sign, path, self.columns[value[1]].moves
        column = self._computed(value, rows, 1)
        return column, sign, (), self.columns[column].moves

    def _counted(self, one: ir.Any | ir.Count, let: ir.Let) -> Counted:
        rows = one.group.rows
        grouped = self._grouped(one.group, let.at)
        is_fixed = not any(self.steps[step].moves for step in grouped.path)
        mark, value, way, moves = self._mark(one.where, rows, along=is_fixed)
        context = [] if mark < 0 else [(("col", mark, ()), bool(value))]
        row = ("row", grouped.path, grouped.table)
        inputs = self._inputs([row], rows, context) if not is_fixed else ([], [])
        words = [COUNT, mark, value, rows, grouped.table, way, grouped.path, inputs]
        counted = Counted(words, grouped, moves=moves or not is_fixed)
        self.views.append(counted)
        return counted

    def _ordered(self, one: ir.First, let: ir.Let) -> Ordered:
        grouped = self._grouped(one.group, let.at)
        known = ("ordered", grouped.path, one.group.rows, one.where, one.keys, one.last)
        if known in self._known:
            found: Ordered = self._known[known]
            return found
        rows = one.group.rows
        mark, value, _, moves = self._mark(one.where, rows, along=False)
        keys = [
            self._hoisted(self._in_given_order(self._value(key, self._me(rows))), rows)
            for key in one.keys
        ]
        is_distinct = ("row", (), rows) in keys
        sign = -1 if one.last else 1
        sign_of_row = 1
        if is_distinct:  # what comes after it never decides
            keys, sign_of_row = keys[: keys.index(("row", (), rows))], sign
        context = [] if mark < 0 else [(("col", mark, ()), bool(value))]
        row = ("row", grouped.path, grouped.table)
        inputs = self._inputs([row, *keys], rows, context)
        words = [
            *(FIRST, mark, value, rows, grouped.table, grouped.path),
            *([self._code(key) for key in keys], sign, sign_of_row, inputs),
        ]
        made = Ordered(words, grouped, one, rows, is_distinct=is_distinct)
        made.moves = moves or bool(inputs[1])
        if not inputs[1]:
            alike = [
                each
                for each in self._firsts
                if not each.words[9][1]
                and each.words[3:9] == words[3:9]
                and each.is_distinct == is_distinct
                and each.like < 0
            ]
            made.like = self.views.index(alike[0]) if alike else -1
        self._firsts.append(made)
        self.views.append(made)
        self._known[known] = made
        return made

    # ---- what makes a rule be asked anew

    def _rule(self, value: Value, table: Anything, own: int = -1) -> list[Anything]:
        if value[0] == "case" and self._is_own(value[2], own):
            # where no case applies nothing changes, so its own value is no input
            value_of_inputs = ("case", value[1], TRUE)
        else:
            value_of_inputs = value
        return [self._code(value), self._inputs([value_of_inputs], table)]

    def _is_own(self, value: Value, own: int) -> bool:
        if value[0] == "row" and len(value[1]) == 1:
            step = self.steps[value[1][0]]
            return step.kind == POINTER and step.source == own
        return value == ("col", own, ())

    def _inputs(
        self, values: Iterable[Value], table: Anything, context: Anything = ()
    ) -> tuple[list[Anything], list[Anything]]:
        """Guards, and inputs: a column, the path to it, and the guards that stand beside it."""
        guards: list[Anything] = []
        inputs: dict[Anything, None] = {}

        def add(column: int, path: Path, context: Anything, exact: Anything) -> None:
            if not self.columns[column].moves:
                return
            numbers = []
            if self._fans_out(path):
                found = list(exact)
                for term, truth in context:
                    found += self._guards(term, truth, table)
                for guard in chosen_guards(found):
                    if guard not in guards:
                        guards.append(guard)
                    numbers.append(guards.index(guard))
            inputs[column, path, tuple(dict.fromkeys(numbers))] = None

        def along(path: Path, context: Anything, exact: Anything) -> None:
            for place, number in enumerate(path):
                step = self.steps[number]
                if step.moves:
                    add(step.source, path[:place], context, exact)

        def walk(value: Value, context: Anything, exact: Anything = ()) -> None:
            match value:
                case ("const", _):
                    return
                case ("col", column, path):
                    along(path, context, exact)
                    add(column, path, context, exact)
                case ("row", path, _):
                    along(path, context, exact)
                case ("and" | "or", terms):
                    holds = value[0] == "and"
                    for term in terms:
                        others = [(each, holds) for each in terms if each is not term]
                        walk(term, [*context, *others], exact)
                case ("case", cases, otherwise):
                    before: list[Anything] = []
                    for guard, then in cases:
                        walk(guard, [*context, *before], exact)
                        walk(then, [*context, *before, (guard, True)], exact)
                        before.append((guard, False))
                    walk(otherwise, [*context, *before], exact)
                case ("=", a, b):
                    found = [] if exact else self._met(a, b, table)
                    for part in (a, b):
                        walk(part, context, found)
                case _:
                    for part in value[1:]:
                        walk(part, context, exact)

        for value in values:
            walk(value, list(context))
        return guards, [list(each) for each in inputs]

    def _fans_out(self, path: Path) -> bool:
        kinds = [self.steps[step].kind for step in path]
        return any(kind != TO_FIRST for kind in kinds)

    def _met(self, a: Value, b: Value, table: Anything) -> list[Anything]:
        """Guards that hold exactly where "a = b" may change by what is not the row's own."""
        for one, other in ((a, b), (b, a)):
            if other == ("row", (), table) and one[0] == "row" and one[1]:
                step = self.steps[one[1][-1]]
                if step.moves and step.kind in (POINTER, TO_FIRST):
                    return [((MET, step.source, 0, ()),)]
            if atom := self._equality(one, other, table):
                return [(atom,)]
        return []

    def _equality(self, scalar: Value, own: Value, table: Anything) -> Anything:
        """The guard that an own number equals one at the graph."""
        if scalar[0] != "col" or scalar[2] != self._to_graph(table) or not scalar[2]:
            return None
        is_number = self.columns[scalar[1]].width == 8
        if own[0] == "const" or not is_number or (is_row(own) and own[0] == "case"):
            return None
        paths = list(paths_of(own))
        if not all(self.steps[s].kind == FIXED for path in paths for s in path):
            return None
        grouped = self._hashed(table, (own,))
        return (EQUALS, scalar[1], grouped.hash, self.steps[grouped.path[0]].source)

    def _guards(self, term: Value, truth: bool, table: Anything) -> list[Anything]:
        """Alternatives, each some sets of rows: where the term is so, one of them holds."""
        match term:
            case ("not", inner):
                return self._guards(inner, not truth, table)
            case ("and" | "or", terms):
                found = [self._guards(each, truth, table) for each in terms]
                if (term[0] == "and") is truth:
                    return [guard for each in found for guard in each]
                if not all(found):
                    return []
                return [tuple(atom for each in found for atom in each[0])]
            case ("col", column, path) if self.columns[column].width == 1:
                if path and path == self._to_graph(table):
                    return [((SCALAR, column, int(truth), ()),)]
                if all(self.steps[step].kind == FIXED for step in path):
                    return [((WHERE, column, int(truth), path),)]
            case ("=", a, b) if truth:
                for one, other in ((a, b), (b, a)):
                    if other == ("row", (), table) and one[0] == "row" and len(one[1]) == 2:
                        way, step = (self.steps[number] for number in one[1])
                        if way.kind == TO_GRAPH and step.kind in (POINTER, TO_FIRST) and step.moves:
                            return [((MEETS, step.source, 0, ()),)]
                    if atom := self._equality(one, other, table):
                        return [(atom,)]
        return []

    # ---- code

    def _code(self, value: Value) -> list[tuple[int, ...]]:
        """Operations of the stack machine."""
        match value:
            case ("const", number):
                return [(OP["CONST"], number)]
            case ("row", path, _):
                return [*self._go(path), (OP["ROW"],)]
            case ("col", column, path):
                width = self.columns[column].width
                if not path:
                    return [(OP[f"OWN{width}"], column)]
                if len(path) == 1 and self.steps[path[0]].kind != TO_FIRST:
                    return [(OP[f"AT{width}"], column, path[0])]
                return [*self._go(path), (OP[f"LOAD{width}"], column)]
            case ("and" | "or", terms):
                op = OP["IF_NOT" if value[0] == "and" else "IF"]
                *before, tail = map(self._code, terms)
                for part in before[::-1]:
                    tail = [*part, (op, len(tail)), *tail]
                return tail
            case ("case", cases, otherwise):
                tail = self._code(otherwise)
                for guard, then in cases[::-1]:
                    taken = [*self._code(then), (OP["JUMP"], len(tail))]
                    tail = [*self._code(guard), (OP["IF_POP"], len(taken)), *taken, *tail]
                return tail
        parts = [op for part in value[1:] for op in self._code(part)]
        return [*parts, (OP[value[0]],)]

    def _go(self, path: Path) -> list[tuple[int, ...]]:
        return [(OP["ME"],), *((OP["GO"], step) for step in path)]

    # ---- the flat description

    def words(self) -> np.ndarray:
        """All of it as numbers."""
        room = {
            ("groups", number): 2 * sum(self.counts[table] for table in tables) + 16
            for number, (_, tables) in enumerate(self.hashes)
        }
        sizes: dict[Anything, int] = {**self.counts, **room}

        def path(steps: Path) -> Iterator[int]:
            yield len(steps)
            yield from steps

        def code(ops: list[tuple[int, ...]]) -> Iterator[int]:
            yield len(ops)
            for op in ops:
                yield from op

        def inputs(given: tuple[list[Anything], list[Anything]]) -> Iterator[int]:
            guards, found = given
            yield len(guards)
            for guard in guards:
                yield len(guard)
                for kind, column, value, rest in guard:
                    yield from (kind, column)
                    if kind in (WHERE, SCALAR):
                        yield value
                    if kind == WHERE:
                        yield from path(rest)
                    if kind == EQUALS:
                        yield from (value, rest)
            yield len(found)
            for column, way, numbers in found:
                yield column
                yield from path(way)
                yield len(numbers)
                yield from numbers

        def view(each: Anything) -> Iterator[int]:
            match each:
                case Counted():
                    kind, mark, value, rows, table, way, group, given = each.words
                    yield from (kind, mark, value, sizes[rows], sizes[table])
                    yield from path(way)
                    yield from path(group)
                    yield from inputs(given)
                    yield from (each.count, each.any)
                case Ordered():
                    kind, mark, value, rows, table, group, keys, sign, of_row, given = each.words
                    yield from (kind, mark, value, sizes[rows], sizes[table])
                    yield from path(group)
                    yield len(keys)
                    for key in keys:
                        yield from code(key)
                    yield from self._order.get(each.rows, (-1, -1))
                    yield from (sign, of_row, int(each.is_distinct))
                    yield from inputs(given)
                    yield from (each.first, each.second, each.least, each.like)
                case [kind, number, column, *keys, given] if kind == HASH:
                    yield from (kind, number, column)
                    for key in keys:
                        yield from code(key)
                    yield from inputs(given)
                case [_, target, ops, given]:
                    yield from (RULE, target)
                    yield from code(ops)
                    yield from inputs(given)

        def all_words() -> Iterator[int]:
            yield len(self.columns)
            for each in self.columns:
                yield from (sizes[each.table], each.width, each.array, each.fill)
                yield from (int(each.is_traced), int(each.is_state), *each.bounds)
            yield len(self.steps)
            for step in self.steps:
                yield from (step.kind, sizes[step.table], sizes[step.target])
                if step.kind != TO_GRAPH:
                    yield step.source
            yield len(self.hashes)
            for number, (num_keys, _) in enumerate(self.hashes):
                yield from (num_keys, room["groups", number])
            yield len(self.views)
            for each in self.views:
                yield from view(each)
            yield len(self.rules)
            for rule in self.rules:
                yield rule[0]
                yield from code(rule[1])
                yield from inputs(rule[2])
            yield self.asks

        return np.fromiter(all_words(), np.int64)


def chosen_guards(found: list[Anything]) -> list[Anything]:
    """The guards that are likely to hold at few rows; to list those of a mask costs memory."""
    listed = [guard for guard in found if any(kind == WHERE for kind, *_ in guard)]
    rest = [guard for guard in found if guard not in listed]
    so = [guard for guard in listed if all(value for kind, _, value, _ in guard if kind == WHERE)]
    if any(kind in (MET, MEETS, EQUALS) for guard in rest for kind, *_ in guard):
        return rest
    return [*rest, *(so or listed)[:MOST_LISTED]]


# ---- values


def negated(value: Value) -> Value:
    """The opposite of a truth value."""
    if value in (TRUE, FALSE):
        return FALSE if value == TRUE else TRUE
    return value[1] if value[0] == "not" else ("not", value)


def joined(op: str, terms: Iterable[Value]) -> Value:
    """Their conjunction or disjunction, flat and without what is known."""
    neutral, decided = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
    flat: dict[Value, None] = {}
    for term in terms:
        flat |= dict.fromkeys(term[1] if term[0] == op else (term,))
    flat.pop(neutral, None)
    if decided in flat:
        return decided
    return (op, tuple(flat)) if len(flat) > 1 else next(iter(flat), neutral)


def compared(op: ir.Op, left: list[Value], right: list[Value]) -> Value:
    """A comparison, lexicographic where there are several keys."""
    if op in ("=", "!="):
        same = joined("and", [("=", *pair) for pair in zip(left, right, strict=True)])
        return same if op == "=" else negated(same)
    if op in ("<=", ">="):
        return negated(compared(">" if op == "<=" else "<", left, right))
    (one, *ones), (other, *others) = left, right
    here = (op, one, other)
    if not ones:
        return here
    equal = joined("and", [("=", one, other), compared(op, ones, others)])
    return joined("or", [here, equal])


def is_row(value: Value) -> bool:
    """Whether a value is a row, or none."""
    return value[0] == "row" or (value[0] == "case" and is_row(value[2]))


def is_literal(value: Value) -> bool:
    """Whether it is one column, a row, or a constant; of truth values also their opposite."""
    return value[0] in ("const", "col", "row") or (value[0] == "not" and is_literal(value[1]))


def is_truth(value: Value) -> bool:
    """Whether it is surely a truth value."""
    return value[0] in ("not", "and", "or", "<", "=", ">", "known")


def paths_of(value: Value) -> Iterator[Path]:
    """All paths in it."""
    match value:
        case ("const", _):
            return
        case ("col", _, path) | ("row", path, _):
            yield path
        case ("and" | "or", terms):
            for term in terms:
                yield from paths_of(term)
        case ("case", cases, otherwise):
            for pair in cases:
                for part in pair:
                    yield from paths_of(part)
            yield from paths_of(otherwise)
        case _:
            for part in value[1:]:
                yield from paths_of(part)


def first_steps(value: Value) -> Iterator[int | None]:
    """The first step of each of its paths; None of those without steps."""
    return (path[0] if path else None for path in paths_of(value))


def bases_of(value: Value, steps: list[Step]) -> Iterator[Anything]:
    """The tables where its paths begin, as far as they have steps."""
    return (steps[path[0]].table for path in paths_of(value) if path)


def tables_of(row: Value) -> Iterator[Anything]:
    """The tables that a row may be of."""
    if row[0] == "row":
        yield row[2]
    elif row[0] == "case":
        for _, value in row[1]:
            yield from tables_of(value)
        yield from tables_of(row[2])
    else:
        yield None


def without_first_step(value: Value) -> Value:
    """The same as said where the first step leads."""
    match value:
        case ("const", _):
            return value
        case ("col", column, path):
            return ("col", column, path[1:])
        case ("row", path, table):
            return ("row", path[1:], table)
        case ("and" | "or", terms):
            return (value[0], tuple(map(without_first_step, terms)))
        case ("case", cases, otherwise):
            made = tuple((without_first_step(g), without_first_step(v)) for g, v in cases)
            return ("case", made, without_first_step(otherwise))
    return (value[0], *map(without_first_step, value[1:]))


# ---- the library in C


@cache
def library() -> ctypes.CDLL | None:
    """The engine; None where it was not compiled, or is that of another version."""
    path = FilePath(__file__).with_name("_delta.dll" if sys.platform == "win32" else "_delta.so")
    try:
        found = declared(ctypes.CDLL(str(path)))
    except (OSError, AttributeError):
        return None
    return found if found.delta_interface() == INTERFACE else None


def declared(found: ctypes.CDLL) -> ctypes.CDLL:
    """A library with the types of its functions."""
    engine, columns, number = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int64
    types: dict[str, tuple[Anything, list[Anything]]] = {
        "new": (
            engine,
            [ctypes.c_void_p, number, columns, number, ctypes.c_int32, number],
        ),
        "run": (ctypes.c_int, [engine, ctypes.c_int32, number]),
        "look": (ctypes.c_int, [engine]),
        "interface": (ctypes.c_int, []),
        "now": (ctypes.c_int32, [engine]),
        "asked": (number, [engine]),
        "used": (number, [engine]),
        "finish": (None, [engine]),
        "column": (ctypes.c_void_p, [engine, number]),
        "trace": (number, [engine, number, columns, columns, columns]),
        "free": (None, [engine]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(found, f"delta_{name}")
        function.restype, function.argtypes = result, arguments
    return found


class Engine:
    """A described program, which takes steps.

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
        self._c, self.described = found, described
        self._words = described.words()
        arrays = described.arrays
        pointers = (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))
        self._engine = self._c.delta_new(
            self._words.ctypes.data, len(self._words), pointers, len(arrays), begin, ceiling
        )
        if not self._engine:
            raise TooLarge("it needs more memory than there is")

    def look(self) -> None:
        """Looks once, before any step."""
        self._c.delta_look(self._engine)

    def run(self, limit: int, rows: int = 2**62) -> int:
        """Steps until the program asks for no more, or so many are taken; why it ended.

        rows: how many rows are gone through before it returns while it is still running.
        """
        return int(self._c.delta_run(self._engine, limit, rows))

    @property
    def now(self) -> int:
        """How many steps were taken."""
        return int(self._c.delta_now(self._engine))

    @property
    def asked(self) -> int:
        """How many rows were gone through."""
        return int(self._c.delta_asked(self._engine))

    @property
    def used(self) -> int:
        """How many bytes it has allocated."""
        return int(self._c.delta_used(self._engine))

    def finish(self) -> None:
        """Takes back the look after the last step."""
        self._c.delta_finish(self._engine)

    def column(self, name: str) -> np.ndarray:
        """A traced column as it is; it lives as long as this."""
        number = self.described.traced[name]
        each = self.described.columns[number]
        address = self._c.delta_column(self._engine, number)
        values = _array(address, self.described.counts[each.table], each.width)
        if each.table not in self.described.order:
            return values
        there = np.empty_like(values)
        there[self.described.order[each.table]] = values
        return there

    def changes(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The steps, rows and new values of all changes of a column; they live as long as this."""
        number = self.described.traced[name]
        places = [ctypes.c_void_p() for _ in range(3)]
        size = self._c.delta_trace(self._engine, number, *map(ctypes.byref, places))
        widths = (4, 4, self.described.columns[number].width)
        steps, rows, values = (
            _array(place.value, size, width) for place, width in zip(places, widths, strict=True)
        )
        order = self.described.order.get(self.described.columns[number].table)
        return steps, rows if order is None else order[rows], values

    def __del__(self) -> None:
        if getattr(self, "_engine", None):
            self._c.delta_free(self._engine)
            self._engine = None


DTYPES: dict[int, Anything] = {1: np.uint8, 4: np.int32, 8: np.int64}


def _array(address: int | None, size: int, width: int) -> np.ndarray:
    if not size or not address:
        return np.empty(0, DTYPES[width])
    memory = (ctypes.c_char * (size * width)).from_address(address)
    return np.frombuffer(memory, DTYPES[width])  # type: ignore[call-overload]
