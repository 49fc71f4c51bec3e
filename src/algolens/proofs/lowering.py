"""What engines compute is what a program says, on graphs of any size: translation validation.

A statement speaks of those in view; engines compute groups of rows (``language.lower``). Both are
put into the first-order theory of finite graphs, about any row of any graph in which all columns
have any values. A group is a view: its rows are those in view whose keys are equal. So what engines
compute is said with the quantifiers of HIR, by their definitions alone. Z3 refutes that the two
differ. Where it does not in the time given, nothing is claimed. Which numbers are refused is
compared as written.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from algolens.errors import AlgoLensError
from algolens.language.finite import columns
from algolens.language.ir import (
    AGGREGATES,
    IT,
    ME,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Count,
    Expr,
    First,
    Get,
    Group,
    Known,
    Let,
    Me,
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
from algolens.proofs.states import State
from algolens.proofs.theory import Expression, GraphTheory, OutOfTimeError, Prover, z3

SECONDS = 2.0  # of computing, for one statement
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
        why = None
        if stored is not None and stored.kind == "number":
            least, most = stored.bounds
            match theirs.value, ours.value:
                case Within(of, low, high), _ if (low, high) == (least, most):
                    theirs = replace(theirs, value=of)  # which is shown to be equal
                case _, Const(value) if least <= value <= most:
                    pass
                case _:
                    why = "it may leave its bits, and be refused otherwise"
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
    written = State(theory)
    for (_, name), field in columns(program).items():
        written.declare(name, field)
    computed = Computed(written, aggregates)
    outcome = (program.inputs | program.state | program.outputs).get(ours.name)
    is_class = outcome is not None and outcome.kind == "category"
    me = theory.variable(ours.at, "any")
    one = written.case(ours.value, me, is_class=is_class)
    other = computed.case(_arithmetic(theirs.value, aggregates), me, is_class=is_class)
    differ = theory.there(ours.at) & theory.is_met(ours.at, me) & (one != other)
    axioms = [*theory.axioms(), *written.resting([differ])]
    return Prover(axioms, theory.until, theory.in_order()).refutes(differ) is not None


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


class Computed(State):
    """What engines compute, in a state of a graph: LIR, put into the theory by its meaning in HIR.

    Parameters
    ----------
    written : State
        What the program says, in the same state.
    aggregates : mapping of str to Let
        What engines compute on the way.
    """

    passes_over = False  # a case that may not be taken says so

    def __init__(self, written: State, aggregates: Aggregates) -> None:
        super().__init__(written.theory)
        self.share(written)
        self.aggregates = aggregates
        for name, let in aggregates.items():
            self.values[name] = partial(self.value, let.value)

    def value(self, node: Expr, me: Row, it: Row = None) -> Any:
        """What an expression is of a row, and of one in view."""
        match node:
            case AnyOf(group, where):
                node = self._at_least(1, group, where)
            case Known(of):
                return self._is_known(of, me, it)
            case First(group):
                row = super().value(self._first_row(node), me)
                return row if group.rows != "side" else self._pair(group, me, row)
            case Compare((Get(column),), ">=" | ">" as op, (many,)) if column in self.aggregates:
                counted = self.aggregates[column].value
                if isinstance(counted, Count | Pairs):
                    return self._is_counted(counted, many, int(op == ">"), me)
            case Compare(left, "=" | "!=" as op, right):
                same = super().value(Compare(left, "=", right), me, it)
                # no row is the same as none
                same = z3.And(same, *(self._is_known(part, me, it) for part in (*left, *right)))
                return same if op == "=" else ~same
        return super().value(node, me, it)

    def _is_known(self, node: Expr, me: Row, it: Row = None) -> Expression:
        """Whether there is such a row; any other value is there."""
        match node:
            case First():
                the = self._first_row(node)
                return self.value(Quantified("some", the.view, the.where), me)
            case Get(column, _, of) if column in self.aggregates:
                return self._is_known(self.aggregates[column].value, self.value(of, me, it))
            case Case(cases, otherwise):
                known = self._is_known(otherwise, me, it)
                for guard, value in reversed(cases):
                    there = self._is_known(value, me, it)
                    known = z3.If(self.value(guard, me, it), there, known)
                return known
        return z3.BoolVal(True)

    def _column(self, column: str, at: At, row: Row) -> Any:
        return row[column] if isinstance(row, dict) else super()._column(column, at, row)

    # ---- groups, as views

    def _at_least(self, count: int, group: Group, where: Expr) -> Quantified:
        """That so many rows of a group are so."""
        pairs = zip(group.key[1:], group.mine[1:], strict=True)
        alike = [Compare((_of_row(group, its),), "=", (mine,)) for its, mine in pairs]
        view = View(f"group of {group.rows}", group.rows, ((group.mine[0], put(group.key[0], IT)),))
        if group.rows == "side":  # of a pair of neighbours, one end is given: the other is meant
            view = replace(view, it=Get(_other_end(group), "side", IT))
        return Quantified("at least", view, And((_of_row(group, where), *alike)), count)

    def _first_row(self, node: First) -> The:
        """The first row of a group that is so; of rank 1, the first of all others."""
        some, keys = self._at_least(1, node.group, node.where), []
        for key in node.keys:
            key = _of_row(node.group, key)
            keys.append(Arith(Const(0), "-", key) if node.last else key)
        the = The(some.view, some.body, IT, tuple(keys))
        if not node.rank:
            return the
        return replace(the, where=And((the.where, Compare((IT,), "!=", (the,)))))

    def _pair(self, group: Group, me: Row, other: Expression) -> Row:
        """A pair of neighbours: both its ends."""
        (key,) = parts_of(group.key[0], Get)
        return {_other_end(group): other, key.column: self.value(group.mine[0], me)}

    def _is_counted(self, counted: Expr, many: Expr, more: int, me: Row) -> Expression:
        """Whether at least so many, and some more, are counted."""
        match many, counted:
            case Case(((guard, first),), otherwise), _:
                ways = [self._is_counted(counted, each, more, me) for each in (first, otherwise)]
                return z3.If(self.value(guard, me), *ways)
            case Const(least), _ if least + more < 1:
                return z3.BoolVal(True)
            case Const(least), Count(group, where):
                return self.value(self._at_least(least + more, group, where), me)
            case Const(least), Pairs(rows, where) if rows != "side":
                mine = Get("graph", self.theory.table(me))
                everyone = View("pair", rows, ((mine, Get("graph", rows, IT)),))
                return self.value(Quantified("at least", everyone, where, least + more), me)
        raise UnknownFormError("it compares counts in a way that is not put into the theory")


def _other_end(group: Group) -> str:
    """The end of a pair of neighbours that its group is not known by."""
    match group.key[0]:
        case Get("sender" | "receiver" as end, _, Me()):
            return "receiver" if end == "sender" else "sender"
    raise UnknownFormError("it groups pairs of neighbours, and not by an end")


def _of_row(group: Group, node: Expr) -> Expr:
    """What is said of a row of a group, said of the one in view."""
    if any(parts_of(node, kind) for kind in AGGREGATES):
        raise UnknownFormError("a group within a group is not put into the theory")
    match node:
        case Get(end, "side", Me()):
            return IT if end == _other_end(group) else group.mine[0]
        case Me():
            return IT
    return rebuilt(node, partial(_of_row, group))
