"""What engines compute is what a program says, on graphs of any size: translation validation.

A statement speaks of those in view; engines compute groups of rows (``language.lower``). Both are
put into the first-order theory of finite graphs, about any row of any graph in which all columns
have any values. A group is given by whose keys are equal, and its first row by what defines it:
it is so, and none that is so comes before it. Z3 refutes that the two differ. Where it does not in
the time given, nothing is claimed. Which numbers are refused is compared as written.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from algolens.errors import AlgoLensError
from algolens.language.ir import (
    IT,
    ME,
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
    Known,
    Let,
    Pairs,
    Program,
    Quantified,
    The,
    View,
    Within,
    children,
    parts_of,
    put,
    rebuilt,
    speaks_of,
)
from algolens.language.ir import Any as AnyOf
from algolens.language.lower import MOST, lower
from algolens.proofs.states import Said, State
from algolens.proofs.theory import Expression, GraphTheory, OutOfTimeError, Prover, z3

SECONDS = 2.0  # of computing, for one statement
OTHER_END = {"sender": "receiver", "receiver": "sender"}
Row = Any  # a term; a pair of neighbours is a mapping of its ends to terms
Aggregates = Mapping[str, Let]


class UnknownFormError(AlgoLensError):
    """What is computed has a form that is not put into the theory."""


def unproven_lets(
    program: Program, graphs: str, lowered: Program | None = None, seconds: float = SECONDS
) -> Iterator[tuple[str, str | None]]:
    """Each value of a program, and why it is not proven that engines compute it; None where it is.

    Parameters
    ----------
    program : Program
        As it is written.
    graphs : str
        ``undirected``, ``directed`` or ``any``.
    lowered : Program, optional
        What engines compute; by default ``lower(program)``.
    seconds : float
        Of computing, for each value.
    """
    lowered = lower(program) if lowered is None else lowered
    names = {let.name for let in program.lets}
    aggregates = {let.name: let for let in lowered.lets if let.name not in names}
    lets = [let for let in lowered.lets if let.name in names]
    written = [*program.start, *program.lets, *program.becomes]
    for ours, theirs in zip(written, [*lowered.start, *lets, *lowered.becomes], strict=True):
        stored = program.state.get(ours.name) if ours.name not in names else None
        theory = GraphTheory(graphs, time.process_time() + seconds)
        why: str | None = "it may leave its bits, and be refused otherwise"
        if stored is None or stored.kind != "number":
            why = None
        elif isinstance(theirs.value, Within):
            least, most = theirs.value.least, theirs.value.most
            if (least, most) == stored.bounds:  # of a value that is shown to be equal
                theirs, why = Let(theirs.name, theirs.at, theirs.value.of), None
        elif isinstance(ours.value, Const):
            why = why if not stored.bounds[0] <= ours.value.value <= stored.bounds[1] else None
        if set(_refused(ours, {})) != set(_refused(theirs, aggregates)):
            why = "other numbers may be refused"
        try:
            is_proven = why is None and _is_proven(program, theory, aggregates, ours, theirs)
            yield ours.name, None if is_proven else why or "Z3 does not refute that it differs"
        except UnknownFormError as problem:
            yield ours.name, str(problem)
        except OutOfTimeError:
            yield ours.name, f"it takes more than {seconds:g} s"


def _is_proven(
    program: Program, theory: GraphTheory, aggregates: Aggregates, ours: Let, theirs: Let
) -> bool:
    """Whether two values are equal in any row of any graph."""
    state, fields = Lowered(theory, aggregates), program.inputs | program.state
    for let in program.lets:
        fields[let.name] = _kind(let, fields)
    for name, field in fields.items():
        state.declare(name, field)
    outcome = (fields | program.outputs).get(ours.name)
    is_class = outcome is not None and outcome.kind == "category"
    me = theory.variable(ours.at, "any")
    computed = _arithmetic(theirs.value, aggregates)
    one, other = (state.case(value, me, is_class=is_class) for value in (ours.value, computed))
    differ = theory.there(ours.at) & theory.is_met(ours.at, me) & (one != other)
    axioms = [*theory.axioms(), *state.resting([differ])]
    return Prover(axioms, theory.until, theory.in_order()).refutes(differ) is not None


def _kind(let: Let, fields: Mapping[str, Field]) -> Field:
    """What the column of a let holds: any number, a class, a row or a truth value."""
    node = let.value
    while isinstance(node, Case):
        node = node.otherwise
    kind = Field(let.at, "mask")
    if isinstance(node, Get) and node.column in fields:
        kind = replace(fields[node.column], at=let.at, distinct=None)
    is_number = isinstance(node, Const) and not isinstance(node.value, bool)
    if kind.kind == "number" or is_number or isinstance(node, Arith):
        return Field(let.at, "number", bits=MOST.bit_length() + 1, signed=True)
    return kind


def _refused(let: Let, aggregates: Aggregates) -> Iterator[tuple[At, Expr, int, int]]:
    """The numbers on the way to a value for which a run is refused, each of all rows of a table,
    and their bounds. In what is written, that is all arithmetic.
    """
    done = set[str]()

    def walk(node: Expr, at: At) -> Iterator[tuple[At, Expr, int, int]]:
        match node:
            case Within(of, least, most):
                yield at, _arithmetic(of, aggregates), least, most
            case Arith() if not aggregates:
                yield at, node, -MOST, MOST
            case Get(column) if column in aggregates and column not in done:
                done.add(column)
                yield from walk(aggregates[column].value, aggregates[column].at)
            case Quantified() | The():
                for part in parts_of(node, Arith):
                    its = put(part, it=put(node.view.it, it=ME))
                    yield from walk(its, node.view.rows if IT in speaks_of(part) else at)
                return
        for child in children(node):
            yield from walk(child, at)

    return walk(let.value, let.at)


def _arithmetic(node: Expr, aggregates: Aggregates) -> Expr:
    """The same with sums and products written out, as they are in what is declared."""
    match node:
        case Within(of):
            return _arithmetic(of, aggregates)
        case Get(column, _, of) if column in aggregates:
            if isinstance(aggregates[column].value, Within):
                return put(_arithmetic(aggregates[column].value, aggregates), me=of)
    return rebuilt(node, lambda part: _arithmetic(part, aggregates))


class Lowered(State):
    """A state of a graph, into which both what a program says and what engines compute is put.

    Parameters
    ----------
    theory : GraphTheory
        The graph.
    aggregates : mapping of str to Let
        What engines compute on the way.
    """

    def __init__(self, theory: GraphTheory, aggregates: Aggregates) -> None:
        super().__init__(theory)
        self.aggregates = aggregates
        for name, let in aggregates.items():
            self.values[name] = partial(self.value, let.value)

    def value(self, node: Expr, me: Row, it: Row = None) -> Any:
        """What an expression is of a row."""
        match node:
            case AnyOf(group, where):
                return self._at_least(1, group, where, me)
            case Known(of):
                return self._row(of, me)[0]
            case First():
                return self._row(node, me)[1]
            case Compare((Get(column),), ">=" | ">" as op, (many,)) if column in self.aggregates:
                counted = self.aggregates[column].value
                if isinstance(counted, Count | Pairs):
                    return self._is_counted(counted, many, int(op == ">"), me)
            case Compare(left, "=" | "!=" as op, right) if it is None:
                known, rows = zip(*[self._row(part, me) for part in (*left, *right)], strict=True)
                same = self._compare(rows[: len(left)], "=", rows[len(left) :])
                same = z3.And(same, *known)  # no row is the same as none
                return same if op == "=" else ~same
        return super().value(node, me, it)

    def _row(self, node: Expr, me: Row) -> tuple[Expression, Row]:
        """Whether there is such a row, and which; any other value is there."""
        match node:
            case First():
                return self._first_row(node, me)
            case Get(column, _, of) if column in self.aggregates:
                return self._row(self.aggregates[column].value, self.value(of, me))
            case Case(cases, otherwise):
                known, row = self._row(otherwise, me)
                for guard, value in reversed(cases):
                    (there, its), holds = self._row(value, me), self.value(guard, me)
                    its, row = self._alike(its, row)
                    known, row = z3.If(holds, there, known), z3.If(holds, its, row)
                return known, row
        return z3.BoolVal(True), self.value(node, me)

    def _column(self, column: str, at: At, row: Row) -> Any:
        return row[column] if isinstance(row, dict) else super()._column(column, at, row)

    def _compare(self, left: Any, op: str, right: Any) -> Expression:
        if op not in ("=", "!="):
            left, right = (list(map(self._place, side)) for side in (left, right))
        return super()._compare(left, op, right)

    def _place(self, value: Expression) -> Expression:
        """A number, or the place of a row."""
        is_row = value.sort() in self.theory.sorts.values()
        return self.theory.place(self.theory.table(value), value) if is_row else value

    # ---- groups

    def _view(self, group: Group, where: Expr) -> tuple[View, Said]:
        """The rows of a group as those in view, and what is said of one."""
        mine, key = group.mine[0], group.key[0]
        view = View(f"group of {group.rows}", group.rows, ((mine, put(key, me=IT)),))
        if group.rows == "side":
            if not isinstance(key, Get) or key.of != ME or key.column not in OTHER_END:
                raise UnknownFormError("it groups pairs of neighbours, and not by an end")
            view = View(view.words, "side", view.joins, Get(OTHER_END[key.column], "side", IT))

        def said(me: Row, it: Row) -> Expression:
            row = self._of_group(group, me, it)
            pairs = zip(group.key[1:], group.mine[1:], strict=True)
            alike = [self.value(its, row) == self.value(my, me) for its, my in pairs]
            return z3.And(self.value(where, row), *alike)

        return view, said

    def _of_group(self, group: Group, me: Row, it: Row) -> Row:
        """A row of a group: of a pair of neighbours one end is given, and the other tells which."""
        if group.rows != "side":
            return it
        (key,) = parts_of(group.key[0], Get)
        ends = {OTHER_END[key.column]: it}
        return ends if me is None else ends | {key.column: self.value(group.mine[0], me)}

    def _at_least(self, count: int, group: Group, where: Expr, me: Row) -> Expression:
        """Whether so many rows of a group are so."""
        view, said = self._view(group, where)
        if group.key[0] == ME and count == 1:  # only one row may be meant
            return said(me, self.value(group.mine[0], me))
        return self.enough(view, self.theory.table(me), said, count)(me)

    def _is_counted(self, counted: Expr, many: Expr, more: int, me: Row) -> Expression:
        """Whether at least so many, and some more, are counted."""
        match many, counted:
            case Case(((guard, first),), otherwise), _:
                ways = [self._is_counted(counted, each, more, me) for each in (first, otherwise)]
                return z3.If(self.value(guard, me), *ways)
            case Const(least), _ if least + more < 1:
                return z3.BoolVal(True)
            case Const(least), Count(group, where):
                return self._at_least(least + more, group, where, me)
            case Const(least), Pairs(rows, where) if rows != "side":
                at = self.theory.table(me)
                mine = ME if at == "graph" else Get("graph", at)
                everyone = View("pair", rows, ((mine, Get("graph", rows, IT)),))
                return self.enough(everyone, at, partial(self.value, where), least + more)(me)
        raise UnknownFormError("it compares counts in a way that is not put into the theory")

    def _first_row(self, node: First, me: Row) -> tuple[Expression, Row]:
        """Whether a group has such a row, and the first; of rank 1, the first of all others."""
        (view, said), at = self._view(node.group, node.where), self.theory.table(me)
        others: At = "node" if node.group.rows == "side" else node.group.rows

        def keys(it: Row) -> list[Expression]:
            row = self._of_group(node.group, None, it)
            values = [self._place(self.value(key, row)) for key in node.keys]
            values = [-value for value in values] if node.last else values
            return [*values, self.theory.place(others, it)]

        exists, first = self.first_of(view, at, said, keys)
        if node.rank:
            best = first

            def said_of_others(me: Row, it: Row) -> Expression:
                return z3.And(said(me, it), it != best(me))

            exists, first = self.first_of(view, at, said_of_others, keys)
        return exists(me), self._of_group(node.group, me, first(me))
