"""Expressions of LIR as operations on the columns of a batch of graphs.

Each is compiled once, whatever the graph. No operation goes through edges one by one: a group is
reduced by scattering its rows, and what a statement says of the far end of a link is computed of
nodes, then gathered.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeVar, cast

from algolens import arrays
from algolens.arrays import LARGEST, Array
from algolens.language import ir
from algolens.language.ir import ME, NUMBER, STEPS, At, Expr, Get
from algolens.language.lower import Lowering

if TYPE_CHECKING:
    from algolens.engines.tensors import Tensors

Result = TypeVar("Result")
Column = tuple[At, str]
Scalar = bool | int
INDEX = ""  # the column that holds each row's own index

COMPARE: dict[ir.Op, Callable[..., Array]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
SIZES: tuple[At, ...] = ("graph", "node", "edge", "link", "side")  # tables, the smallest first
EXACT_IN_64 = 2.0**62  # a product whose float is below it fits into 64 bits, so it is exact
MANY = 2**13  # rows, of which it pays to go over those alone that are marked
FEW = 8  # rows are few where they are less than one of so many
MOST_COMPILED = 2**14  # expressions, before all are forgotten
PAIRS_AT_ONCE = 2**22


class Beyond(Exception):
    """A number leaves the bounds of an expression."""


class Compiled:
    """An expression as operations on columns.

    Parameters
    ----------
    columns : frozenset of (At, str)
        The columns that it goes by, besides those that the graph gives.
    compute : callable
        Its value in a state.
    keeps : bool
        Whether the value is kept until one of the columns changes.
    """

    __slots__ = ("chosen", "columns", "compute", "hoisted", "keeps")

    def __init__(
        self,
        columns: frozenset[Column],
        compute: Callable[[Tensors], Array],
        *,
        keeps: bool = False,
    ) -> None:
        self.columns, self.compute, self.keeps = columns, compute, keeps
        # where it is what another table holds at the end of a path: the path, and the value there
        self.hoisted: tuple[Compiled, Compiled] | None = None
        self.chosen: tuple[Groups, Chosen] | None = None  # where it is a first row

    def __call__(self, tensors: Tensors) -> Array:
        if self.keeps:
            return tensors.recall(self, self.columns, self.compute)
        return self.compute(tensors)


@dataclass(frozen=True)
class Groups:
    """The groups of the rows of a table, and which one each row of another looks at."""

    rows: At
    its: Callable[[Tensors], Array]  # the group of each row
    mine: Callable[[Tensors], Array] | None  # and of each that looks; None: group n is of row n
    size: Callable[[Tensors], int]
    columns: frozenset[Column]
    key: Hashable  # equal where rows stand in the same groups
    meets: Sequence[Compiled] = ()  # what its rows are to satisfy besides

    def spread(self, t: Tensors, values: Array) -> Array:
        """[N] the value of its group for each row that looks, from those of groups."""
        if self.mine is None:
            return values
        mine = self.mine(t)
        if len(values) == 1:
            return arrays.expand(values, (len(mine),))
        return arrays.take(values, mine)

    def least(self, t: Tensors, values: Array, among: Array | None, worst: int) -> Array:
        """[groups] the least value of each group, of some of its rows; the worst where of none."""
        size = self.size(t)
        if size == 1:
            return values.min().reshape(1) if len(values) else t.full(1, worst)
        its = self.its(t)
        its = its if among is None else arrays.take(its, among)
        return arrays.least_of(values, its, size, worst)


class Compiler:
    """Compiles expressions over columns of which some are pointers, each once.

    Parameters
    ----------
    pointers : mapping of (At, str) to At
        The table that each pointer leads to.
    """

    def __init__(self, pointers: Mapping[Column, At]) -> None:
        self.leads = {**STEPS, **pointers}
        self._known: dict[tuple[At, Expr], Compiled] = {}
        self._written: dict[tuple[At, Expr], Compiled] = {}
        self._common: dict[Hashable, object] = {}

    def written(self, at: At, node: Expr) -> Compiled:
        """An expression of HIR, or one of LIR."""
        known = self._written.get((at, node))
        if known is None:
            if len(self._written) + len(self._known) > MOST_COMPILED:
                self._written.clear()
                self._known.clear()
                self._common.clear()
            is_lowered = any(ir.parts_of(node, kind) for kind in ONLY_IN_LIR)
            lowered = node if is_lowered else Lowering(at, lambda _, value: value)(node)
            known = self._written[at, node] = self.of(at, lowered)
        return known

    def of(self, at: At, node: Expr) -> Compiled:
        """An expression of LIR."""
        known = self._known.get((at, node))
        if known is None:
            known = self._known[at, node] = self._compile(at, node)
        return known

    def _compile(self, at: At, node: Expr) -> Compiled:
        path = self._common_path(at, node)
        if path is not None:
            return self._gathered(
                at, path, self.of(self.leads[path.at, path.column], _beyond(node, path))
            )
        match node:
            case ir.Const(value):
                return Compiled(NONE, lambda t: t.full(t.counts[at], value))
            case ir.Me():
                return Compiled(NONE, lambda t: t.columns[at, INDEX])
            case Get(column, table, of):
                if of != ME:
                    return self._gathered(at, of, self.of(table, Get(column, table)))
                key = (at, column)
                is_given = key in STEPS or column == NUMBER
                return Compiled(NONE if is_given else frozenset({key}), lambda t: t.columns[key])
            case ir.Not(term):
                return _opposite(self.of(at, term))
            case ir.And(terms):
                return self._all(at, terms)
            case ir.Or(terms):
                return self._some(at, terms)
            case ir.Compare(left, op, right):
                return self._compare(at, left, op, right)
            case ir.Case(cases, otherwise):
                return self._case(at, cases, otherwise)
            case ir.Arith(a, op, b):
                return self._arith(at, a, op, b)
            case ir.Within(of, least, most):
                return self._within(self.of(at, of), least, most)
            case ir.Known(of):
                inner = self.of(at, of)
                return Compiled(inner.columns, lambda t: inner(t) >= 0)
            case ir.Any(group, where):
                return self._any(at, group, where)
            case ir.Count(group, where):
                return self._count(at, group, where)
            case ir.First():
                return self._first(at, node)
            case ir.Pairs(rows, where):
                return self._pairs(at, rows, where)
        raise TypeError(f"{type(node).__name__} is not lowered")

    # ---- paths

    def _gathered(self, at: At, of: Expr, there: Compiled) -> Compiled:
        """What another table holds at the end of a path; anything where the path leads nowhere."""
        path, may_be_none = self.of(at, of), _may_be_none(of)

        def compute(t: Tensors) -> Array:
            values, rows = there(t), path(t)
            if may_be_none:
                if not len(values):
                    return rows > 0 if arrays.is_of(values, bool) else rows * 0
                rows = rows.clip(0)
            elif len(values) == 1:
                return arrays.expand(values, (len(rows),))
            return arrays.take(values, rows)

        made = Compiled(path.columns | there.columns, compute, keeps=True)
        if not may_be_none:
            made.hoisted = path, there
        return made

    def _common_path(self, at: At, node: Expr) -> Get | None:
        """The path that all of an expression goes along, to a table that is no larger: what is
        said can be computed there.
        """
        paths = _paths(node) if isinstance(node, SAID) else ()
        for path in paths if len(paths) == 1 else ():
            if isinstance(path, Get):
                table = self.leads[path.at, path.column]
                return path if SIZES.index(table) <= SIZES.index(at) else None
        return None

    def _by_path(self, at: At, terms: Sequence[Expr], kind: type[ir.And | ir.Or]) -> list[Compiled]:
        """Terms compiled, those along one path together."""
        made, along = list[Compiled](), dict[Get, list[Expr]]()
        for term in terms:
            path = self._common_path(at, kind((term,)))
            if path is None:
                made.append(self.of(at, term))
            else:
                along.setdefault(path, []).append(term)
        for same in along.values():
            made.append(self.of(at, same[0] if len(same) == 1 else kind(tuple(same))))
        return made

    # ---- logic and numbers

    def _all(self, at: At, terms: Sequence[Expr]) -> Compiled:
        rest, parts = list(terms), []
        for term in terms:
            match term:
                case ir.Known(ir.First() as first):
                    made = self._some_compared(at, first, rest)
                    if made is not None:
                        parts.append(made)
                        rest.remove(term)
        return _reduced(parts + self._by_path(at, rest, ir.And), operator.and_)

    def _some(self, at: At, terms: Sequence[Expr]) -> Compiled:
        for term in terms:
            match term:
                case ir.Not(ir.Known(ir.First())):  # "no" and "every" are "some", negated
                    return _opposite(self._all(at, [ir.negation(each) for each in terms]))
        return _reduced(self._by_path(at, terms, ir.Or), operator.or_)

    def _part(self, at: At, node: Expr) -> Compiled | Scalar:
        return node.value if isinstance(node, ir.Const) else self.of(at, node)

    def _compare(self, at: At, left: Sequence[Expr], op: ir.Op, right: Sequence[Expr]) -> Compiled:
        ours = [self.of(at, part) for part in left]
        theirs = [self._part(at, part) for part in right]
        if op == "=" and right == (ME,) and ours[0].chosen is not None:
            return self._am_first(at, ours[0], *ours[0].chosen)

        def compute(t: Tensors) -> Array:
            return compared([part(t) for part in ours], op, [_in(t, part) for part in theirs])

        return Compiled(_columns(ours, theirs), compute, keeps=True)

    def _am_first(self, at: At, first: Compiled, groups: Groups, chosen: Chosen) -> Compiled:
        """Whether a row is the first of its group."""

        def compute(t: Tensors) -> Array:
            if not t.lasts(chosen.by) or groups.rows != at:
                return first(t) == t.columns[at, INDEX]
            return groups.spread(t, chosen.place(t)) == chosen.order(t)[0]

        return Compiled(first.columns, compute, keeps=True)

    def _case(self, at: At, cases: Sequence[tuple[Expr, Expr]], otherwise: Expr) -> Compiled:
        guards = [self.of(at, guard) for guard, _ in cases]
        values = [self._part(at, value) for _, value in cases]
        last = self._part(at, otherwise)
        if not cases:
            return self.of(at, otherwise)

        def compute(t: Tensors) -> Array:
            result = arrays.where(guards[-1](t), _in(t, values[-1]), _in(t, last))
            for guard, value in zip(guards[-2::-1], values[-2::-1], strict=True):
                result = arrays.where(guard(t), _in(t, value), result)
            return result

        return Compiled(_columns(guards, values, [last]), compute)

    def _arith(self, at: At, a: Expr, op: str, b: Expr) -> Compiled:
        left, right = self.of(at, a), self._part(at, b)

        def compute(t: Tensors) -> Array:
            one, other = left(t), _in(t, right)
            if op == "+":
                return one + other
            if op == "-":
                return one - other
            rough = arrays.cast(one, float) * other
            if len(rough) and float(abs(rough).max()) >= EXACT_IN_64:
                raise Beyond
            return one * other

        return Compiled(_columns([left, right]), compute)

    def _within(self, inner: Compiled, least: int, most: int) -> Compiled:
        def compute(t: Tensors) -> Array:
            values = inner(t)
            if len(values):
                low, high = arrays.extremes(values)
                if low < least or high > most:
                    raise Beyond
            return values

        return Compiled(inner.columns, compute, keeps=True)

    # ---- groups

    def _groups(self, at: At, group: ir.Group) -> Groups:
        """The groups of one key that leads to a row; of others, numbered by all keys together."""
        pairs = list(zip(group.key, group.mine, strict=True))
        leads = {
            pair: there
            for pair in pairs
            for there in [self._leads_to(group.rows, pair[0])]
            if there is not None and there == self._leads_to(at, pair[1])
        }
        if any(there != "graph" for there in leads.values()):
            # two paths that meet at an element are of one graph
            pairs = [pair for pair in pairs if leads.get(pair) != "graph"]
        own = next((pair for pair in pairs if pair[1] == ME and pair in leads), None)
        pair = pairs[0] if len(pairs) == 1 and pairs[0] in leads else own
        if pair is None:
            return self._numbered(at, group.rows, pairs)
        (key, looks), table = pair, leads[pair]
        its, mine = self.of(group.rows, key), self.of(at, looks)
        meets = [
            _meeting(its, self.of(group.rows, other), self.of(at, wanted))
            for other, wanted in pairs
            if (other, wanted) != pair
        ]
        columns, of = _columns([its, mine], meets), None if looks == ME else mine
        return Groups(group.rows, its, of, lambda t: t.counts[table], columns, its, meets)

    def _leads_to(self, at: At, node: Expr) -> At | None:
        """The table of the row that an expression leads to; None where it is no such path."""
        if node == ME:
            return at
        return self.leads.get((node.at, node.column)) if isinstance(node, Get) else None

    def _numbered(self, at: At, rows: At, pairs: Sequence[tuple[Expr, Expr]]) -> Groups:
        its = [self.of(rows, key) for key, _ in pairs]
        mine = [self.of(at, looks) for _, looks in pairs]
        columns = _columns(its, mine)

        def number(t: Tensors) -> tuple[Array, Array, int]:
            keys, looks = ([arrays.cast(part(t), int) for part in some] for some in (its, mine))
            return joint(keys, looks, 4 * (len(keys[0]) + len(looks[0])) + 1024)

        def of(t: Tensors) -> tuple[Array, Array, int]:
            return t.recall(number, columns, number)

        found = (lambda t: of(t)[0], lambda t: of(t)[1], lambda t: of(t)[2])
        return Groups(rows, *found, columns, number)

    def _where(self, groups: Groups, where: Expr) -> Compiled:
        parts = [] if where == ir.TRUE and groups.meets else [self.of(groups.rows, where)]
        return _reduced([*parts, *groups.meets], operator.and_)

    def _single(self, at: At, group: ir.Group, where: Expr) -> tuple[Compiled, Compiled] | None:
        """Where each row is a group of its own: the row that is looked at, and whether it is so."""
        pairs = list(zip(group.key, group.mine, strict=True))
        for its, mine in pairs:
            if its == ME and self._leads_to(at, mine) == group.rows:
                holds = [self._gathered(at, mine, self.of(group.rows, where))]
                for key, wanted in pairs:
                    if (key, wanted) != (its, mine):
                        there = self._gathered(at, mine, self.of(group.rows, key))
                        holds.append(_equal(there, self.of(at, wanted)))
                return self.of(at, mine), _reduced(holds, operator.and_)
        return None

    def _once(self, *what: Hashable, find: Callable[[], Result]) -> Result:
        """What several expressions have in common."""
        if what not in self._common:
            self._common[what] = find()
        return cast("Result", self._common[what])

    def _spread(self, groups: Groups, of: Compiled) -> Compiled:
        """A value of groups, of every row that looks at one."""
        if groups.mine is None:
            return of
        return Compiled(groups.columns | of.columns, lambda t: groups.spread(t, of(t)), keeps=True)

    def _any(self, at: At, group: ir.Group, where: Expr) -> Compiled:
        single = self._single(at, group, where)
        if single is not None:
            return single[1]
        groups = self._groups(at, group)
        condition = self._where(groups, where)

        def compute(t: Tensors) -> Array:
            return any_of(groups.its(t), condition(t), groups.size(t))

        def find() -> Compiled:
            return Compiled(groups.columns | condition.columns, compute, keeps=True)

        return self._spread(groups, self._once(ir.Any, groups.key, condition, find=find))

    def _count(self, at: At, group: ir.Group, where: Expr) -> Compiled:
        single = self._single(at, group, where)
        if single is not None:
            holds = single[1]
            return Compiled(holds.columns, lambda t: arrays.cast(holds(t), int))
        groups = self._groups(at, group)
        condition = self._where(groups, where)

        def compute(t: Tensors) -> Array:
            marked, size = condition(t), groups.size(t)
            return (
                marked.sum().reshape(1) if size == 1 else arrays.sum_of(marked, groups.its(t), size)
            )

        def find() -> Compiled:
            return Compiled(groups.columns | condition.columns, compute, keeps=True)

        return self._spread(groups, self._once(ir.Count, groups.key, condition, find=find))

    def _first(self, at: At, node: ir.First) -> Compiled:
        single = self._single(at, node.group, node.where)
        if single is not None:
            row, holds = single
            if node.rank:
                return Compiled(holds.columns, lambda t: t.full(len(row(t)), -1))
            columns = row.columns | holds.columns
            return Compiled(columns, lambda t: arrays.where(holds(t), row(t), -1), keeps=True)
        groups = self._groups(at, node.group)
        condition, keys = self._where(groups, node.where), list(node.keys)
        # rows of a group come in the order of their numbers as it is
        by_number = [ME, *([Get(NUMBER, groups.rows)] if groups.rows in ("node", "edge") else [])]
        while keys and not node.last and keys[-1] in by_number:
            keys.pop()
        ordered = tuple(self.of(groups.rows, key) for key in keys)
        chosen = self._once(
            groups.key,
            condition,
            ordered,
            node.last,
            find=lambda: Chosen(groups, condition, ordered, last=node.last),
        )
        if node.rank:
            return self._spread(groups, chosen.second)
        first = self._spread(groups, chosen.first)
        made = Compiled(first.columns, first)
        made.chosen = groups, chosen
        return made

    def _some_compared(self, at: At, first: ir.First, terms: list[Expr]) -> Compiled | None:
        """Whether a row is so and compares with mine, where terms say it of the first such row;
        what says it is taken out of them. None where they do not.
        """
        ends = tuple(ir.put(key, me=first) for key in first.keys)
        orders = (">", ">=") if first.last else ("<", "<=")
        for term in terms:
            match term:
                case ir.Compare(left, op, mine) if left == ends and op in orders and not first.rank:
                    terms.remove(term)
                    return self._compared(at, first, op, mine)
        return None

    def _compared(self, at: At, first: ir.First, op: ir.Op, mine: Sequence[Expr]) -> Compiled:
        groups = self._groups(at, first.group)
        condition = self._where(groups, first.where)
        theirs = [self.of(groups.rows, key) for key in first.keys]
        ours = [self.of(at, key) for key in mine]
        path, holds = condition.hoisted or (None, condition)
        numbers = _columns(theirs, ours)
        columns = numbers | groups.columns
        before = columns | (NONE if path is None else path.columns)

        def fits(t: Tensors) -> Array:
            its = groups.its(t)
            keys = [arrays.take(key(t), its) for key in ours]
            return compared([key(t) for key in theirs], op, keys)

        def fitting(t: Tensors) -> tuple[Array, Array]:
            """The rows that compare so, or where their condition is known of them; their groups."""
            chosen = arrays.flatnonzero(fits(t))
            rows = chosen if path is None else arrays.take(path(t), chosen)
            return rows, arrays.take(groups.its(t), chosen)

        def by_row(t: Tensors) -> Array:
            size = groups.size(t)
            if not t.lasts(before):
                return any_of(groups.its(t), fits(t) & condition(t), size)
            rows, its = t.recall(fitting, before, fitting)
            return any_of(its, arrays.take(holds(t), rows), size)

        def single(t: Tensors) -> tuple[Array, Array]:
            """The keys of rows, and of those that look, as one number each, the lower first."""
            its, mine, _ = joint([key(t) for key in theirs], [key(t) for key in ours], 2**62)
            return (-its, -mine) if first.last else (its, mine)

        pair = self._once((*theirs, None, *ours, first.last), find=lambda: single)

        def least_of(t: Tensors) -> Array:
            its, _ = t.recall(pair, numbers, pair)
            return groups.least(t, arrays.where(condition(t), its, LARGEST), None, LARGEST)

        least = self._once(
            pair,
            groups.key,
            condition,
            find=lambda: Compiled(columns | condition.columns, least_of, keeps=True),
        )

        def by_group(t: Tensors) -> Array:
            extreme, (_, mine) = groups.spread(t, least(t)), t.recall(pair, numbers, pair)
            return extreme < mine if op in ("<", ">") else extreme <= mine

        find = by_row if groups.mine is None else by_group
        return Compiled(columns | condition.columns, find, keeps=True)

    # ---- pairs

    def _pairs(self, at: At, rows: At, where: Expr) -> Compiled:
        first, *rest = where.terms if isinstance(where, ir.And) else (where,)
        joins = first.terms if isinstance(first, ir.Or) else (first,)
        view = ir.View("", rows, tuple(map(_sides_of, joins)))
        said = ir.conjunction(*rest)

        def compute(t: Tensors) -> Array:
            me, it = t.pairs(at, view)
            counts = t.full(t.counts[at], 0)
            for start in range(0, len(me), PAIRS_AT_ONCE):
                some = slice(start, start + PAIRS_AT_ONCE)
                holds = t.of_pairs(said, me[some], it[some], at, rows)
                counts += arrays.sum_of(holds, me[some], len(counts))
            return counts

        columns = frozenset(
            key for key in ir.columns_of(where) if key not in STEPS and key[1] != NUMBER
        )
        return Compiled(columns, compute, keeps=True)


class Chosen:
    """The row of each group that is so and comes first by keys, then by index.

    Parameters
    ----------
    groups : Groups
        Of the rows.
    condition : Compiled
        Whether a row is so.
    keys : sequence of Compiled
        By what they are ordered.
    last : bool
        Whether the greatest comes first.
    """

    def __init__(
        self, groups: Groups, condition: Compiled, keys: Sequence[Compiled], *, last: bool
    ) -> None:
        self.groups, self.condition, self.keys, self.last = groups, condition, keys, last
        self.by = _columns(keys)
        columns = groups.columns | condition.columns | self.by
        # [groups] the first row, and the second; -1 where none is
        self.first = Compiled(columns, self._first, keeps=True)
        self.second = Compiled(columns, self._second, keeps=True)
        # [groups] the place of the first row in the order of all; one above all where none is
        self.place = Compiled(columns, lambda t: self._places(t, condition(t)), keeps=True)

    def _first(self, t: Tensors) -> Array:
        if not t.lasts(self.by):
            return self._by_keys(t, self.condition(t))
        return arrays.take(self.order(t)[1], self.place(t))

    def _second(self, t: Tensors) -> Array:
        first, index = self.first(t), t.columns[self.groups.rows, INDEX]
        here = first if len(first) == 1 else arrays.take(first, self.groups.its(t))
        rest = self.condition(t) & (index != here)
        if not t.lasts(self.by):
            return self._by_keys(t, rest)
        return arrays.take(self.order(t)[1], self._places(t, rest))

    def _places(self, t: Tensors, marked: Array) -> Array:
        place, among, none = self.order(t)[0], _few(marked), len(marked)
        if among is not None:
            return self.groups.least(t, arrays.take(place, among), among, none)
        return self.groups.least(t, arrays.where(marked, place, none), None, none)

    def order(self, t: Tensors) -> tuple[Array, Array]:
        """[M] the place of each row by lasting keys; [M + 1] the row at each place, and none."""

        def find(t: Tensors) -> tuple[Array, Array]:
            index = t.columns[self.groups.rows, INDEX]
            order = index
            for key in reversed(self.keys):
                values = arrays.take(key(t), order)
                order = order[arrays.argsort(values, descending=self.last)]
            place = index
            if self.keys:
                place = arrays.clone(index)
                place[order] = index
            return place, arrays.concat([order, t.full(1, -1)])

        return t.recall((self.groups.rows, *self.keys, self.last), self.by, find)

    def _by_keys(self, t: Tensors, marked: Array) -> Array:
        """Of the marked rows those stay that have the least key of their group; key after key."""
        groups, among = self.groups, _few(marked)
        for key in self.keys:
            values = key(t) if among is None else arrays.take(key(t), among)
            values = -values if self.last else values
            if among is None:
                values = arrays.where(marked, values, LARGEST)
            least = groups.least(t, values, among, LARGEST)
            its = groups.its(t) if among is None else arrays.take(groups.its(t), among)
            stays = values == (least if len(least) == 1 else arrays.take(least, its))
            among = arrays.flatnonzero(marked & stays) if among is None else among[stays]
        assert among is not None
        rows = groups.least(t, among, among, len(marked))
        return arrays.where(rows < len(marked), rows, -1)


def _few(marked: Array) -> Array | None:
    """The marked rows, where they are few among many."""
    if len(marked) < MANY or arrays.count(marked) * FEW > len(marked):
        return None
    return arrays.flatnonzero(marked)


NONE: frozenset[Column] = frozenset()
SAID = (ir.Not, ir.And, ir.Or, ir.Compare, ir.Case)
ONLY_IN_LIR = (*ir.AGGREGATES, ir.Within, ir.Known)


def _sides_of(join: Expr) -> tuple[Expr, Expr]:
    assert isinstance(join, ir.Compare)
    return join.left[0], join.right[0]


def _opposite(of: Compiled) -> Compiled:
    return Compiled(of.columns, lambda t: ~of(t))


def _in(t: Tensors, part: Compiled | Scalar) -> Array | Scalar:
    return part(t) if isinstance(part, Compiled) else part


def _columns(*parts: Sequence[Compiled | Scalar]) -> frozenset[Column]:
    return NONE.union(
        *(part.columns for some in parts for part in some if isinstance(part, Compiled))
    )


def _reduced(parts: Sequence[Compiled], combine: Callable[[Array, Array], Array]) -> Compiled:
    if len(parts) == 1:
        return parts[0]
    return Compiled(_columns(parts), lambda t: reduce(combine, [part(t) for part in parts]))


def _equal(one: Compiled, other: Compiled) -> Compiled:
    return Compiled(one.columns | other.columns, lambda t: one(t) == other(t), keeps=True)


def _meeting(its: Compiled, here: Compiled, there: Compiled) -> Compiled:
    """Whether a row has what the one whose group it stands in asks for."""
    return Compiled(
        its.columns | here.columns | there.columns,
        lambda t: here(t) == arrays.take(there(t), its(t)),
        keeps=True,
    )


def any_of(its: Array, marked: Array, size: int) -> Array:
    """[groups] whether a row of each group is marked."""
    if size == 1:
        return marked.any().reshape(1)
    return arrays.any_of(marked, its, size)


def compared(left: Sequence[Array], op: ir.Op, right: Sequence[Array | Scalar]) -> Array:
    """Several numbers compare as words in a dictionary do."""
    result = COMPARE[op](left[-1], right[-1])
    for a, b in zip(left[-2::-1], right[-2::-1], strict=True):
        result = arrays.where(a == b, result, COMPARE[op](a, b))
    return result


def joint(its: Sequence[Array], mine: Sequence[Array], most: int) -> tuple[Array, Array, int]:
    """One number for several that compare as words in a dictionary do, of rows and of those that
    look; and a number above all of them, at most ``most`` where they were not ranked.
    """
    if not len(its[0]) or not len(mine[0]):
        return its[0], mine[0], 1
    left, right, size = its[0] * 0, mine[0] * 0, 1
    for a, b in zip(its, mine, strict=True):
        extremes = (*arrays.extremes(a), *arrays.extremes(b))
        low, high = min(extremes), max(extremes)
        size *= high - low + 1
        if size > most:
            pairs = zip(its, mine, strict=True)
            ranks = arrays.ranks(arrays.stack([arrays.concat(pair) for pair in pairs]))
            return ranks[: len(left)], ranks[len(left) :], int(ranks.max()) + 1
        left, right = left * (high - low + 1) + (a - low), right * (high - low + 1) + (b - low)
    return left, right, size


def _paths(node: Expr) -> frozenset[Expr]:
    """The first steps that an expression goes along; ``Me`` for what is of the row itself."""
    match node:
        case ir.Const():
            return frozenset()
        case Get(_, _, Get(_, _, ir.Me()) as path):
            return frozenset({path})
        case Get(_, _, Get() as of):
            return _paths(of)
        case _ if isinstance(node, SAID):
            return frozenset[Expr]().union(*map(_paths, ir.children(node)))
    return frozenset({ME})


def _beyond(node: Expr, path: Expr) -> Expr:
    """The same expression, said of the row at the end of a path."""
    return ME if node == path else ir.rebuilt(node, lambda part: _beyond(part, path))


def _may_be_none(path: Expr) -> bool:
    """Whether a path may lead to no row."""
    return bool(ir.parts_of(path, ir.First))
