"""Show by Z3 that what engines compute is what a program says: translation validation.

A statement speaks of those in view; engines compute groups of rows (``language.lower``). On all
graphs of up to three nodes, with all values of all columns, both are written as terms of Z3, which
shows that no case tells them apart: that they refuse the same numbers, and that their values are
equal where neither refuses. One question covers all graphs of a number of nodes, because whether an
edge is there is a variable too.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal

from msgspec.structs import replace

from algolens.errors import AlgoLensError
from algolens.language.ir import (
    IT,
    ME,
    NUMBER,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Count,
    Expr,
    Field,
    First,
    Get,
    Group,
    It,
    Known,
    Let,
    Me,
    Not,
    Or,
    Pairs,
    Program,
    Quantified,
    The,
    View,
    Within,
    children,
    parts_of,
    put,
    speaks_of,
)
from algolens.language.ir import Any as AnyOf
from algolens.language.lower import MOST, lower

MOST_NODES = 3
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
ARITH = {"+": operator.add, "-": operator.sub, "*": operator.mul}
SECONDS = 60.0  # for one question
Value = Any  # a term of Z3, or a Python value


@dataclass(frozen=True)
class Checked:
    """What became of one statement."""

    name: str
    answer: Literal["equal", "different", "unknown"]
    graph: str = ""  # where they differ

    def __str__(self) -> str:
        return f"{self.name}: {self.answer}{self.graph}"


def check_lowering(
    program: Program, lowered: Program | None = None, nodes: int | None = None
) -> Iterator[Checked]:
    """Each statement of a program beside what it is lowered to, on all small graphs.

    Parameters
    ----------
    program : Program
        As it is written.
    lowered : Program, optional
        What engines would compute; by default ``lower(program)``.
    nodes : int, optional
        The most nodes of a graph; by default three, or four where a program counts to three.
    """
    lowered = lower(program) if lowered is None else lowered
    names = {let.name for let in program.lets}
    aggregates = {let.name: let for let in lowered.lets if let.name not in names}
    written = [*program.start, *program.lets, *program.becomes]
    computed = [*lowered.start, *(let for let in lowered.lets if let.name in names)]
    computed += lowered.becomes
    counts = [each.count for let in program.lets for each in parts_of(let.value, Quantified)]
    most_nodes = nodes or max(MOST_NODES, min(max(counts, default=0), MOST_NODES) + 1)
    tables = [
        _Tables(program, count, is_directed)
        for is_directed in (False, True)
        for count in range(1, most_nodes + 1)
    ]
    for ours, theirs in zip(written, computed, strict=True):
        assert (ours.name, ours.at) == (theirs.name, theirs.at)
        answers = [each.compare(ours, theirs, aggregates) for each in tables]
        yield next((answer for answer in answers if answer.answer != "equal"), answers[0])


def _z3() -> Any:
    try:
        import z3
    except ImportError as problem:
        raise AlgoLensError(
            "z3-solver is not installed: run `pip install 'algolens[solvers]'`."
        ) from problem
    return z3


class _Tables:
    """All graphs of a number of nodes at once, and all values of a program's columns."""

    def __init__(self, program: Program, nodes: int, is_directed: bool) -> None:
        self.z3 = z3 = _z3()
        self.program, self.nodes, self.is_directed = program, nodes, is_directed
        ends = [
            (u, v) for u, v in product(range(nodes), repeat=2) if (u != v if is_directed else u < v)
        ]
        is_edge = [z3.Bool(f"edge {u} {v}") for u, v in ends]
        back = [] if is_directed else [(v, u) for u, v in ends]
        links = [*ends, *back]
        joined = dict(zip(links, is_edge * (1 if is_directed else 2), strict=True))
        sides = [(u, v) for u, v in product(range(nodes), repeat=2) if u != v]
        either = [
            z3.Or(*(joined[pair] for pair in ((u, v), (v, u)) if pair in joined)) for u, v in sides
        ]
        # whether a row is there: all graphs on these nodes are covered at once
        self.there: dict[At, list[Value]] = {
            "node": [True] * nodes,
            "edge": is_edge,
            "link": [joined[link] for link in links],
            "side": either,
            "graph": [True],
        }
        numbers = [
            z3.Sum([z3.If(before, 1, 0) for before in is_edge[:place]]) if place else z3.IntVal(0)
            for place in range(len(ends))
        ]
        edge_of = [place % max(len(ends), 1) for place in range(len(links))]
        other_way = {link: place for place, link in enumerate(links)}
        self.columns: dict[tuple[At, str], list[Value]] = {
            ("node", NUMBER): list(range(nodes)),
            ("edge", NUMBER): numbers,
            ("link", NUMBER): [numbers[place] for place in edge_of],
            ("edge", "one_end"): [u for u, _ in ends],
            ("edge", "other_end"): [v for _, v in ends],
            ("link", "sender"): [u for u, _ in links],
            ("link", "receiver"): [v for _, v in links],
            ("link", "edge"): list(edge_of),
            ("link", "reverse"): [
                place if is_directed else other_way[v, u] for place, (u, v) in enumerate(links)
            ],
            ("side", "sender"): [u for u, _ in sides],
            ("side", "receiver"): [v for _, v in sides],
        }
        for at, rows in self.there.items():
            self.columns[at, "graph"] = [0] * len(rows)
        self.assumed: list[Value] = []
        fields = {
            (field.at, name): field for name, field in (program.inputs | program.state).items()
        }
        for let in program.lets:
            fields[let.at, let.name] = _field_of(let, fields)
        for (at, name), field in fields.items():
            self.columns[at, name] = [
                self._variable(f"{at} {name} {row}", field) for row in range(len(self.there[at]))
            ]

    def _variable(self, name: str, field: Field) -> Value:
        """Any value of a field; one that a pointer holds is that of a row that is there."""
        if field.kind == "mask":
            return self.z3.Bool(name)
        value = self.z3.Int(name)
        least, most = 0, len(field.labels) - 1
        if field.kind == "number":
            least, most = field.bounds
        elif field.kind == "pointer":
            assert field.to is not None
            there = self.there[field.to]
            most = len(there) - 1
            self.assumed.append(
                self.z3.And(*(self.z3.Implies(value == row, is_) for row, is_ in enumerate(there)))
            )
        self.assumed += [value >= least, value <= most]
        return value

    @cached_property
    def solver(self) -> Value:
        solver = self.z3.Solver()
        solver.set("timeout", int(1000 * SECONDS))
        solver.add(*self.assumed)
        return solver

    def compare(self, ours: Let, theirs: Let, aggregates: dict[str, Let]) -> Checked:
        """Whether two values are equal, in every row that is there."""
        z3, differ = self.z3, []
        written, computed = _Terms(self, {}), _Terms(self, aggregates)
        for me, there in enumerate(self.there[ours.at]):
            one, other = written.of(ours.value, me), computed.of(theirs.value, me)
            differ.append(z3.And(there, z3.Not(one == other)))
        field = self.program.state.get(ours.name)
        if field is not None and field.kind == "number":
            ours = replace(ours, value=Within(ours.value, *field.bounds))
        refused, also = written.is_refused(ours, True), computed.is_refused(theirs, False)
        self.solver.push()
        self.solver.add(z3.Or(refused != also, z3.And(z3.Not(refused), z3.Or(*differ))))
        said = self.solver.check()
        self.solver.pop()
        if said == z3.unsat:
            return Checked(ours.name, "equal")
        how = "directed" if self.is_directed else "undirected"
        where = f" on {how} graphs of {self.nodes} nodes"
        return Checked(ours.name, "different" if said == z3.sat else "unknown", where)


class _Terms:
    """Expressions of rows as terms of Z3.

    Parameters
    ----------
    tables : _Tables
        The graphs and their columns.
    aggregates : dict of str to Let
        Lets that are computed on the way, and of which nothing else is known.
    """

    def __init__(self, tables: _Tables, aggregates: dict[str, Let]) -> None:
        self.tables, self.z3, self.aggregates = tables, tables.z3, aggregates
        self.known: dict[tuple[str, int], Value] = {}

    def is_refused(self, let: Let, is_written: bool) -> Value:
        """Whether some number on the way to a value leaves its bounds, in a row that is there."""
        outside = []
        for at, number, least, most in self._bounded(let, is_written, set()):
            for row, there in enumerate(self.tables.there[at]):
                value = self.of(number, row)
                outside.append(self.z3.And(there, self.z3.Or(value < least, value > most)))
        return self.z3.Or(*outside)

    def _bounded(
        self, let: Let, is_written: bool, done: set[str]
    ) -> Iterator[tuple[At, Expr, int, int]]:
        """The numbers on the way to a let, the tables they are computed of, and their bounds."""

        def walk(node: Expr, at: At) -> Iterator[tuple[At, Expr, int, int]]:
            match node:
                case Arith() if is_written:
                    yield at, node, -MOST, MOST
                case Within(of, least, most):
                    yield at, of, least, most
                case Get(column) if column in self.aggregates and column not in done:
                    done.add(column)
                    yield from self._bounded(self.aggregates[column], is_written, done)
                case Quantified() | The():
                    view = node.view
                    for part in parts_of(node, Arith):
                        who = speaks_of(part)
                        assert len(who) == 1, "arithmetic of two elements"
                        of_it = put(part, it=put(view.it, it=ME))
                        yield from walk(of_it, view.rows if who == {IT} else at)
                    return
            for child in children(node):
                yield from walk(child, at)

        yield from walk(let.value, let.at)

    def of(self, node: Expr, me: Value, it: Value = None) -> Value:
        """What an expression is of a row, and of the one in view."""
        z3, say = self.z3, lambda part: self.of(part, me, it)
        match node:
            case Const(value):
                return z3.BoolVal(value) if isinstance(value, bool) else z3.IntVal(value)
            case Me():
                return me
            case It():
                return it
            case Get(column, table, of):
                if column in self.aggregates:
                    return self._pick(
                        [
                            self._aggregate(column, row)
                            for row in range(len(self.tables.there[table]))
                        ],
                        say(of),
                    )
                return self._pick(self.tables.columns[table, column], say(of))
            case Not(term):
                return z3.Not(say(term))
            case And(terms):
                return z3.And(*map(say, terms))
            case Or(terms):
                return z3.Or(*map(say, terms))
            case Compare(left, op, right):
                return self._compare([*map(say, left)], op, [*map(say, right)])
            case Arith(a, op, b):
                return ARITH[op](say(a), say(b))
            case Within(of):
                return say(of)
            case Known(of):
                return say(of) >= 0
            case Case(cases, otherwise):
                result = say(otherwise)
                for case in reversed(cases):
                    result = self._case(*case, result, me, it)
                return result
            case Quantified(quantity, view, body, count):
                rows = self._in_view(view, body, me, it)
                if quantity == "every":
                    return z3.And(*(z3.Implies(sees, fits) for sees, fits in rows))
                return self._many([z3.And(*pair) for pair in rows]) >= count
            case AnyOf(group, where):
                return z3.Or(*self._members(group, where, me))
            case Count(group, where):
                return self._many(self._members(group, where, me))
            case First(group, where, keys, last, rank):
                fits = self._members(group, where, me)
                return self._first(fits, keys, last, rank)
            case Pairs(rows, where):
                return self._many(
                    [
                        z3.And(there, self.of(where, me, it))
                        for it, there in enumerate(self.tables.there[rows])
                    ]
                )
        raise TypeError(node)

    def _aggregate(self, name: str, row: int) -> Value:
        if (name, row) not in self.known:
            self.known[name, row] = self.of(self.aggregates[name].value, row)
        return self.known[name, row]

    def _pick(self, values: Sequence[Value], row: Value) -> Value:
        if isinstance(row, int):
            return values[row]
        result = values[-1] if values else self.z3.IntVal(0)
        for place in range(len(values) - 2, -1, -1):
            result = self.z3.If(row == place, values[place], result)
        return result

    def _compare(self, left: list[Value], op: str, right: list[Value]) -> Value:
        result = COMPARE[op](left[-1], right[-1])
        for one, other in zip(left[-2::-1], right[-2::-1], strict=True):
            result = self.z3.If(_same(one, other), result, COMPARE[op](one, other))
        return result

    def _many(self, fits: list[Value]) -> Value:
        return self.z3.Sum([self.z3.If(each, 1, 0) for each in fits]) if fits else self.z3.IntVal(0)

    def _in_view(
        self, view: View, body: Expr, me: Value, outer: Value
    ) -> list[tuple[Value, Value]]:
        """For each row of a view's table, whether it is in view, and whether it is so."""
        found = []
        for row, there in enumerate(self.tables.there[view.rows]):
            joins = [
                _same(self.of(mine, me, outer), self.of(its, me, row)) for mine, its in view.joins
            ]
            apart = self.z3.Not(_same(me, row)) if view.apart else True
            whom = self.of(view.it, me, row)
            found.append((self.z3.And(there, self.z3.Or(*joins), apart), self.of(body, me, whom)))
        return found

    def _members(self, group: Group, where: Expr, me: Value) -> list[Value]:
        mine = [self.of(each, me) for each in group.mine]
        return [
            self.z3.And(
                there,
                self.of(where, row),
                *(
                    _same(self.of(key, row), value)
                    for key, value in zip(group.key, mine, strict=True)
                ),
            )
            for row, there in enumerate(self.tables.there[group.rows])
        ]

    def _first(self, fits: list[Value], keys: tuple[Expr, ...], last: bool, rank: int) -> Value:
        """Who fits, and has just ``rank`` before it that fit; else none."""
        z3, op = self.z3, ">" if last else "<"
        by = [[self.of(key, row) for key in keys] for row in range(len(fits))]
        found: Value = z3.IntVal(-1)
        for row in reversed(range(len(fits))):
            ahead = []
            for other in range(len(fits)):
                if other == row:
                    continue
                less = self._compare(by[other], op, by[row]) if keys else False
                tied = z3.And(*(_same(a, b) for a, b in zip(by[other], by[row], strict=True)))
                ahead.append(z3.And(fits[other], z3.Or(less, z3.And(tied, other < row))))
            found = z3.If(z3.And(fits[row], self._many(ahead) == rank), row, found)
        return found

    def _case(self, guard: Expr, value: Expr, rest: Value, me: Value, it: Value) -> Value:
        """A case; one that takes the value of somebody in view is passed over where nobody is."""
        z3, known = self.z3, [self.of(guard, me, it)]
        taken: dict[Expr, Value] = {}
        for the in parts_of(value, The):
            assert isinstance(the, The)
            view = the.view
            fits = [z3.And(*pair) for pair in self._in_view(view, the.where, me, it)]
            keys = (put(key, it=put(view.it, it=ME)) for key in (*the.by, IT) if key != view.it)
            row = self._first(fits, tuple(keys), False, 0)
            known.append(row >= 0)
            taken[the] = self.of(the.value, me, self.of(view.it, me, row))
        value_here = taken[value] if value in taken else self.of(value, me, it)
        return z3.If(z3.And(*known), value_here, rest)


def _same(one: Value, other: Value) -> Value:
    return one == other


def _field_of(let: Let, fields: dict[tuple[At, str], Field]) -> Field:
    """What the column of a let holds: a truth value, or any number that arithmetic may give."""

    def is_number(node: Expr) -> bool:
        match node:
            case Const(value):
                return not isinstance(value, bool)
            case Get(column, at):
                return (at, column) not in fields or fields[at, column].kind != "mask"
            case Case(_, otherwise):
                return is_number(otherwise)
        return isinstance(node, Arith | Within)

    if is_number(let.value):
        return Field(let.at, "number", bits=MOST.bit_length() + 1, signed=True)
    return Field(let.at, "mask")
