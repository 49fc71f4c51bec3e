"""Programs on tensors: batches of graphs, state after state.

A step computes only what follows from columns that have changed; what depends on the graph alone is
made once. No operation goes through edges one by one: a group is reduced by scattering its rows.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache, partial, reduce
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from algolens import arrays
from algolens.arrays import LARGEST, Array, Values
from algolens.engines.rewriting import Along, Column, Fits, Groups, Rewriting, Rewritten, reads
from algolens.errors import GraphError
from algolens.graphs import LOCATIONS, Graph
from algolens.graphs.elements import owners, ranges
from algolens.language import ir
from algolens.language.ir import IT, ME, At, Expr, put

Result = TypeVar("Result")

INDEX = ""  # the column that holds each row's own index
COMPARE: dict[ir.Op, Callable[..., Array]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
EXACT_IN_64 = 2.0**62  # a product whose float is below it fits into 64 bits, so it is exact
PAIRS_AT_ONCE = 2**22
KEPT = {Along, ir.Compare, ir.Within, ir.Any, ir.Count, ir.First, Fits, ir.Pairs}


class Beyond(Exception):
    """A number leaves the bounds of an expression."""


class Tensors:
    """The columns of a batch of graphs in one state, and what was computed from them so far.

    Pointers come and go as indices within their graph; inside, they are numbered through the batch.

    Parameters
    ----------
    graph : Graph
        The batch.
    fields : mapping of str to ir.Field
        What its columns hold, besides what the graph gives: inputs and state.
    lasting : collection of str, optional
        Fields that are expected to stay, so that more work on them pays; by default all.

    Examples
    --------
    >>> import numpy as np
    >>> from algolens.language.ir import Any, Field, Get, Group
    >>> tensors = Tensors(Graph.pack([3], [(0, 1), (1, 2)]), {"on": Field("node", "mask")})
    >>> tensors.give({"on": np.array([True, False, False])})
    >>> incoming = Group("link", (Get("receiver", "link"),), (ME,))
    >>> tensors.value("node", Any(incoming, Get("on", "node", Get("sender", "link"))))
    array([False,  True, False])
    """

    def __init__(
        self,
        graph: Graph,
        fields: Mapping[str, ir.Field],
        lasting: Collection[str] | None = None,
    ) -> None:
        self.graph, self.fields, self.device = graph, dict(fields), graph.device
        self._lasting = frozenset(
            (fields[name].at, name) for name in (fields if lasting is None else lasting)
        )
        self.counts, self.columns = Counts(graph), Columns(graph)
        self._rewriting = _rewriting(
            frozenset(((field.at, name), field.to) for name, field in fields.items() if field.to)
        )
        self._shifts: dict[tuple[At, At], Array] = {}
        self._given: dict[str, tuple[Array, float]] = {}  # and its version
        self._changed: dict[Column, int] = {}  # when a column came to be what it is
        # when it was found, the columns that it follows from, what it is, and its version
        self._results: dict[Hashable, tuple[int, frozenset[Column], Any, float]] = {}
        self._now = 0  # how often a column was set

    # ---- columns

    def give(self, values: Values) -> None:
        """Columns of the next state; one that is as it was counts as unchanged."""
        for name, value in values.items():
            old, version = self._given.get(name, (None, 0.0))
            is_same = old is not None and version == _version(old)
            if not is_same or (old is not value and not arrays.equal(old, value)):
                self._given[name] = value, _version(value)
                self.set(self.fields[name].at, name, self._through_batch(name, value))

    def given(self, name: str) -> Array:
        """A column as it was given."""
        return self._given[name][0]

    def set(self, at: At, name: str, value: Array) -> None:
        """A column, pointers numbered through the batch; it counts as changed."""
        self._now += 1
        self.columns[at, name], self._changed[at, name] = value, self._now

    def _through_batch(self, name: str, value: Array) -> Array:
        shift = self._shift(self.fields[name])
        return value if shift is None else value + shift

    def within_graph(self, field: ir.Field, value: Array) -> Array:
        """Values of a field as they are handed out: pointers as indices within their graph."""
        shift = self._shift(field)
        return value if shift is None else value - shift

    def _shift(self, field: ir.Field) -> Array | None:
        """For every pointer, the number of the first element that it can lead to."""
        if field.to is None or self.graph.num_graphs == 1:
            return None
        if (field.at, field.to) not in self._shifts:
            first, owner = self.graph.first(field.to), self.columns[field.at, "graph"]
            self._shifts[field.at, field.to] = arrays.take(first, owner)
        return self._shifts[field.at, field.to]

    # ---- what follows from them

    def recall(
        self, what: Hashable, nodes: Iterable[Rewritten], compute: Callable[[], Result]
    ) -> Result:
        """What follows from the columns of some nodes; computed anew where one has changed."""
        known = self._results.get(what)
        if known is not None:
            when, columns, value, version = known
            changed = self._changed
            for column in columns:
                if changed[column] > when:
                    break
            else:
                if version == _version(value):
                    return cast("Result", value)
        else:
            columns = reads(*nodes)
        new = compute()
        self._results[what] = self._now, columns, new, _version(new)
        return new

    def full(self, count: int, value: Any) -> Array:
        """[count] one value everywhere."""
        return arrays.full(count, value, self.device)

    def value(self, at: At, node: Expr) -> Array:
        """An expression of every row of a table; a row that it leads to is numbered through the
        batch, and none is -1.
        """
        return self._of(at, self._rewriting.written(at, node))

    def add(self, let: ir.Let) -> Array:
        """A let, as a column of its name; where it is as it was, the tensor of last time."""
        key, node = (let.at, let.name), self._rewriting.written(let.at, let.value)
        try:
            new = self.recall(let, (node,), lambda: self._of(let.at, node))
        except Beyond:
            raise GraphError(
                f"'{let.name}' grows beyond 62 bits on this graph: give smaller numbers, or fewer "
                "decimals (--round 6; in Python, round=6)."
            ) from None
        old = self.columns.get(key)
        if new is not old:
            if old is not None and arrays.equal(old, new):
                self._results[let] = self._now, self._results[let][1], old, _version(old)
                return old
            self.set(*key, new)
        return new

    # ---- expressions

    def _of(self, at: At, node: Rewritten) -> Array:
        if type(node) in KEPT:
            return self.recall((at, node), (node,), lambda: self._kept(at, node))
        match node:
            case ir.Get(column):
                return self.columns[at, column]
            case ir.And(terms):
                return reduce(operator.and_, [self._of(at, term) for term in terms])
            case ir.Or(terms):
                return reduce(operator.or_, [self._of(at, term) for term in terms])
            case ir.Not(term):
                return ~self._of(at, term)
            case ir.Const(value):
                return self.full(self.counts[at], value)
            case ir.Me():
                return self.columns[at, INDEX]
            case ir.Known(of):
                return self._of(at, of) >= 0
            case ir.Case(cases, otherwise):
                result = self._part(at, otherwise)
                for guard, then in reversed(cases):
                    result = arrays.where(self._of(at, guard), self._part(at, then), result)
                return result if cases else self._of(at, otherwise)
            case ir.Arith(a, op, b):
                one, other = self._of(at, a), self._part(at, b)
                if op == "*":
                    rough = arrays.cast(one, float) * other
                    if len(rough) and float(abs(rough).max()) >= EXACT_IN_64:
                        raise Beyond
                    return one * other
                return one + other if op == "+" else one - other
        raise TypeError(f"{type(node).__name__} is not lowered")

    def _part(self, at: At, node: Rewritten) -> Array | bool | int:
        """An array, or the one value of a constant."""
        return node.value if isinstance(node, ir.Const) else self._of(at, node)

    def _kept(self, at: At, node: Rewritten) -> Array:
        """What is kept until one of the columns changes that it goes by."""
        match node:
            case Along(value, table, path, may_be_none):
                values, rows = self._of(table, value), self._of(at, path)
                if may_be_none and not len(values):
                    return rows > 0 if arrays.is_of(values, bool) else rows * 0
                return _spread(values, rows.clip(0) if may_be_none else rows)
            case ir.Compare(left, op, right):
                theirs = [self._part(at, part) for part in right]
                return compared([self._of(at, part) for part in left], op, theirs)
            case ir.Within(of, least, most):
                numbers = self._of(at, of)
                if len(numbers):
                    low, high = arrays.extremes(numbers)
                    if low < least or high > most:
                        raise Beyond
                return numbers
            case ir.Any(Groups() as groups, where) | ir.Count(Groups() as groups, where):
                reduced = arrays.any_of if isinstance(node, ir.Any) else arrays.sum_of
                (its, mine, size), rows = self._grouped(at, groups), groups.rows
                what = reduced, groups.among(at), where
                values = self.recall(
                    what, (where, *groups.parts), lambda: reduced(self._of(rows, where), its, size)
                )
                return _spread(values, mine)
            case ir.First(Groups() as groups, where, keys, last, rank):
                return self._first(at, groups, where, keys, last=last, rank=rank)
            case Fits():
                return self._fits(at, node)
            case ir.Pairs(rows, where):
                return self._pairs(at, rows, where)
        raise TypeError(node)

    # ---- groups

    def _grouped(self, at: At, groups: Groups) -> tuple[Array, Array | None, int]:
        """The group of each row, that of each row that looks (None: group n is of row n), and how
        many groups there are.
        """
        its, mine, rows = groups.key, groups.mine, groups.rows
        if groups.table is not None:
            looks = None if mine == (ME,) else self._of(at, mine[0])
            return self._of(rows, its[0]), looks, self.counts[groups.table]

        many = 4 * (self.counts[rows] + self.counts[at]) + 1024
        return self.recall(
            (at, groups), groups.parts, lambda: self._joint(at, rows, its, mine, many)
        )

    def _joint(
        self, at: At, rows: At, its: Sequence[Rewritten], mine: Sequence[Rewritten], most: int
    ) -> tuple[Array, Array, int]:
        """One number for several that compare as words in a dictionary do, of rows and of those
        that look; and a number above all of them, at most ``most`` where they were not ranked.
        """
        looks = [] if (at, mine) == (rows, its) else [self._of(at, look) for look in mine]
        keys = [self._of(rows, key) for key in its]
        keys = [arrays.concat([*each]) for each in zip(keys, looks, strict=True)] if looks else keys
        keys = [arrays.cast(key, int) for key in keys]
        number, size = keys[0] * 0, 1
        for key in keys if len(number) else ():
            low, high = arrays.extremes(key)
            size *= high - low + 1
            if size > most:
                number = arrays.ranks(arrays.stack(keys))
                size = int(number.max()) + 1
                break
            number = number * (high - low + 1) + (key - low)
        return number[: self.counts[rows]], number[-self.counts[at] or len(number) :], size

    def _first(
        self, at: At, groups: Groups, where: Rewritten, keys: Any, *, last: bool, rank: int
    ) -> Array:
        """[N] the row of its group that is so and comes first, of each row that looks."""
        its, mine, size = self._grouped(at, groups)
        rows, nodes = groups.rows, (where, *groups.parts, *keys)

        def find(rank: int) -> Array:
            marked = self._of(rows, where)
            if rank:
                marked = marked & (self.columns[rows, INDEX] != _spread(first(0), its))
            return self._firsts(rows, marked, its, size, keys, last=last)

        def first(rank: int) -> Array:
            what = ir.First, groups.among(at), where, keys, last, rank
            return self.recall(what, nodes, lambda: find(rank))

        return _spread(first(rank), mine)

    def _firsts(
        self, rows: At, marked: Array, its: Array, size: int, keys: Any, *, last: bool
    ) -> Array:
        """[size] the marked row of each group that comes first by keys, then by index; or -1."""
        among, none = arrays.flatnonzero(marked), len(marked)
        its = arrays.take(its, among)
        if keys and self._lasting >= reads(*keys):
            place, order = self.recall(
                (rows, keys, last), keys, lambda: self._order(rows, keys, last=last)
            )
            return arrays.take(order, arrays.least_of(arrays.take(place, among), its, size, none))
        for key in keys:  # those stay that have the least key of their group; key after key
            values = arrays.take(self._of(rows, key), among)
            values = -values if last else values
            stays = values == _spread(arrays.least_of(values, its, size, LARGEST), its)
            among, its = among[stays], its[stays]
        first = arrays.least_of(among, its, size, none)
        return arrays.where(first < none, first, -1)

    def _order(self, rows: At, keys: Sequence[Rewritten], *, last: bool) -> tuple[Array, Array]:
        """[M] the place of each row by keys that last; [M + 1] the row at each place, and none."""
        order = index = self.columns[rows, INDEX]
        for key in reversed(keys):
            values = arrays.take(self._of(rows, key), order)
            order = order[arrays.argsort(values, descending=last)]
        place = arrays.clone(index)
        place[order] = index
        return place, arrays.concat([order, self.full(1, -1)])

    def _fits(self, at: At, node: Fits) -> Array:
        """[N] whether some row of its group is so, and its keys compare with one's own."""
        groups, where, keys, op, mine = node.groups, node.where, node.keys, node.op, node.mine
        (its, looks, size), rows = self._grouped(at, groups), groups.rows
        if looks is not None:
            return self._least_fits(at, node, its, looks, size)

        def fits() -> Array:
            ours = [_spread(self._of(at, key), its) for key in mine]
            return compared([self._of(rows, key) for key in keys], op, ours)

        is_along = isinstance(where, Along) and not where.may_be_none
        lasting = *keys, *mine, *groups.key, *([where.path] if is_along else [])
        if not self._lasting >= reads(*lasting):
            return arrays.any_of(fits() & self._of(rows, where), its, size)

        def fitting() -> tuple[Array, Array]:
            """The rows that compare so, or where their condition is known of them; their groups."""
            chosen = arrays.flatnonzero(fits())
            known = arrays.take(self._of(rows, where.path), chosen) if is_along else chosen
            return known, arrays.take(its, chosen)

        known, its_group = self.recall(("fitting", node), lasting, fitting)
        holds = self._of(where.table, where.value) if is_along else self._of(rows, where)
        return arrays.any_of(arrays.take(holds, known), its_group, size)

    def _least_fits(self, at: At, node: Fits, its: Array, looks: Array, size: int) -> Array:
        """The same by the least (greatest) keys of each group."""
        rows, keys, mine = node.groups.rows, node.keys, node.mine
        is_last = node.op in (">", ">=")

        def single() -> tuple[Array, Array]:
            """The keys of rows, and of those that look, as one number each, the lower first."""
            theirs, ours, _ = self._joint(at, rows, keys, mine, 2**62)
            return (-theirs, -ours) if is_last else (theirs, ours)

        theirs, ours = self.recall((at, rows, keys, mine, is_last), (*keys, *mine), single)
        known = arrays.where(self._of(rows, node.where), theirs, LARGEST)
        least = _spread(arrays.least_of(known, its, size, LARGEST), looks)
        return least < ours if node.op in ("<", ">") else least <= ours

    # ---- pairs

    def _pairs(self, at: At, rows: At, where: Expr) -> Array:
        """[N] how many rows are so, pair by pair."""
        first, *rest = where.terms if isinstance(where, ir.And) else (where,)
        joins = cast("Any", first.terms if isinstance(first, ir.Or) else (first,))
        view = ir.View("", rows, tuple((join.left[0], join.right[0]) for join in joins))
        me, it = self.pairs(at, view)
        counts, said = self.full(self.counts[at], 0), ir.conjunction(*rest)
        for start in range(0, len(me), PAIRS_AT_ONCE):
            some = slice(start, start + PAIRS_AT_ONCE)
            holds = self.of_pairs(said, me[some], it[some], at, rows)
            counts += arrays.sum_of(holds, me[some], len(counts))
        return counts

    def pairs(self, at: At, view: ir.View) -> tuple[Array, Array]:
        """[A] who looks, and [A] who is meant: every pair in view, each once."""

        def find() -> tuple[Array, Array]:
            me, rows = self._joined(at, view)
            it = self.of_pairs(view.it, me, rows, at, view.rows)
            if view.apart:
                me, it = me[me != it], it[me != it]
            if len(view.joins) > 1:
                me, it = arrays.unique(arrays.stack([me, it]))
            return me, it

        sides = [side for join in view.joins for side in join]
        return self.recall(("pairs", at, view), sides, find)

    def _joined(self, at: At, view: ir.View) -> tuple[Array, Array]:
        """Who looks, and at which rows: all pairs that a join makes equal, maybe more than once."""
        looks, rows = [], []
        for mine, its in view.joins:
            ours, theirs = self.value(at, mine), self.value(view.rows, put(its, it=ME))
            order = arrays.argsort(theirs)
            known = theirs[order]
            start = arrays.searchsorted(known, ours)
            many = arrays.searchsorted(known, ours, right=True) - start
            looks.append(owners(many))
            rows.append(order[ranges(start, many)])
        return arrays.concat(looks), arrays.concat(rows)

    def of_pairs(self, node: Expr, me: Array, it: Array, at: At, its: At) -> Array:
        """[A] what an expression without quantifiers says of pairs: ``Me`` of a table, and ``It``
        of another.
        """
        whose = ir.speaks_of(node)
        if whose == {ME}:
            return arrays.take(self.value(at, node), me)
        if whose == {IT}:
            return arrays.take(self.value(its, put(node, it=ME)), it)
        of = partial(self.of_pairs, me=me, it=it, at=at, its=its)
        match node:
            case ir.Const(value):
                return self.full(len(me), value)
            case ir.Not(term):
                return ~of(term)
            case ir.And(terms):
                return reduce(operator.and_, map(of, terms))
            case ir.Or(terms):
                return reduce(operator.or_, map(of, terms))
            case ir.Compare(left, op, right):
                return compared([*map(of, left)], op, [*map(of, right)])
        raise TypeError(f"{type(node).__name__} of two rows")


def _version(value: Any) -> float:
    """How often a tensor was written into, for it may be computed anew then. Arrays of NumPy count
    nothing: nobody may write into those that they give, or are given.
    """
    if isinstance(value, (np.ndarray, tuple)):
        return 0
    return math.nan if value.is_inference() else value._version


class Counts(dict[At, int]):
    """How many rows each table of a batch has."""

    def __init__(self, graph: Graph) -> None:
        super().__init__({at: graph.count(at) for at in LOCATIONS})
        self.graph = graph

    def __missing__(self, at: At) -> int:
        self[at] = count = _sides(self.graph).shape[1]
        return count


class Columns(dict[Column, Array]):
    """Columns by table and name; those that the graph gives are made when they are asked for."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph

    def __missing__(self, key: Column) -> Array:
        self[key] = made = self._made(*key)
        return made

    def _made(self, at: At, name: str) -> Array:
        graph = self.graph
        match at, name:
            case "side", "sender" | "receiver":
                self["side", "sender"], self["side", "receiver"] = _sides(graph)
                return self[at, name]
            case "side", "graph":
                return arrays.take(graph.node_owner, self["side", "receiver"])
            case "link", "sender":
                return graph.links[0]
            case "link", "receiver":
                return graph.links[1]
            case "link", "edge":
                return graph.at_links(graph.arange(graph.num_edges))
            case "link", "reverse":
                return graph.reverse_link
            case "edge", "one_end":
                return graph.edges[0]
            case "edge", "other_end":
                return graph.edges[1]
            case "side", _ if name == INDEX:
                return graph.arange(len(self["side", "sender"]))
            case _ if name == INDEX:
                return graph.arange(graph.count(at))
            case _, "graph":
                return graph.owner(at)
            case _, "number":
                return graph.place(at)
        raise KeyError(f"there is no column '{name}' of {at}s")


def _sides(graph: Graph) -> Array:
    """[2, S] every pair of neighbours, each once; the links, where each edge is there once."""
    low, high = graph.edges
    later = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (high[1:] > high[:-1]))
    if not graph.directed and bool((low < high).all()) and bool(later.all()):
        return graph.links
    return arrays.unique(arrays.concat([graph.edges, arrays.flip(graph.edges)], 1))


def _spread(values: Array, places: Array | None) -> Array:
    """The values at places; None: as they are."""
    if places is None:
        return values
    if len(values) == 1:
        return arrays.expand(values, (len(places),))
    return arrays.take(values, places)


def compared(left: Sequence[Array], op: ir.Op, right: Sequence[Array | bool | int]) -> Array:
    """Several numbers compare as words in a dictionary do."""
    result = COMPARE[op](left[-1], right[-1])
    for a, b in zip(left[-2::-1], right[-2::-1], strict=True):
        result = arrays.where(a == b, result, COMPARE[op](a, b))
    return result


@cache
def _rewriting(pointers: frozenset[tuple[Column, At]]) -> Rewriting:
    """One for all batches that have the same pointers."""
    return Rewriting(dict(pointers))


class Running:
    """A program on one batch of graphs; what depends on the graph alone is computed once.

    Parameters
    ----------
    program : ir.Program
        As it is written, or lowered.
    graph : Graph
        The batch.
    instead : mapping of str to callable, optional
        What gives the values of some lets, by name, instead of what they say.
    """

    def __init__(
        self,
        program: ir.Program,
        graph: Graph,
        instead: Mapping[str, Callable[[Tensors], Array]] = MappingProxyType({}),
    ) -> None:
        self.program, self.graph, self.instead = program, graph, instead
        self.tensors = Tensors(graph, program.inputs | program.state, program.inputs)
        self._lets = [let for let in program.lets if let.name != ir.GOES_ON]
        # by the names that fields are declared with: one that is observed is carried as "last NAME"
        self._becomes = {let.name.removeprefix(ir.LAST): let for let in program.becomes}

    def start(self, inputs: Values) -> dict[str, Array]:
        """The state before the first step."""
        self.give(inputs)
        tensors, fields = self.tensors, self.program.state
        return {
            let.name.removeprefix(ir.LAST): arrays.clone(
                tensors.within_graph(fields[let.name], tensors.value(let.at, let.value))
            )
            for let in self.program.start
        }

    def give(self, values: Values) -> None:
        """Inputs, or state by the names that it is declared with; others are left out."""
        fields = self.tensors.fields
        for name, value in values.items():
            column = name if name in fields else ir.LAST + name
            if column in fields:
                self.tensors.give({column: value})

    def look(self, inputs: Values, state: Values) -> dict[str, Array]:
        """Every let of the program in a state, but for whether a run goes on."""
        self.give(inputs)
        self.give(state)
        return {let.name: self._add(let) for let in self._lets}

    def _add(self, let: ir.Let) -> Array:
        if let.name not in self.instead:
            return self.tensors.add(let)
        value = self.instead[let.name](self.tensors)
        self.tensors.set(let.at, let.name, value)
        return value

    def perceive(
        self,
        inputs: Values,
        state: Values,
        names: Collection[str],
    ) -> dict[str, Array]:
        """Lets, and what a step makes of state, by these names."""
        seen = self.look(inputs, state)
        return {name: seen[name] if name in seen else self.becomes(name) for name in names}

    def goes_on(self) -> Array:
        """[G] bools: whether there is another step, once all lets are known."""
        return self._add(next(let for let in self.program.lets if let.name == ir.GOES_ON))

    def becomes(self, name: str) -> Array:
        """What a step makes of a field, once all lets are known; one that stays is the same."""
        let, tensors = self._becomes[name], self.tensors
        field = self.program.state.get(let.name) or self.program.outputs[let.name]
        after = tensors.recall(
            ("becomes", let),
            (let.value,),
            lambda: tensors.within_graph(field, tensors.value(let.at, let.value)),
        )
        if let.name in self.program.state:
            before = tensors.given(let.name)
            if after is not before and arrays.equal(after, before):
                return before
        return after
