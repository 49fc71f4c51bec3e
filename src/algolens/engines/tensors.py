"""Programs on tensors: batches of graphs, state after state.

A step computes only what follows from columns that have changed; what depends on the graph alone is
made once. ``compiled.py`` has the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import cache, reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any, TypeVar, cast

from algolens import arrays
from algolens.arrays import Array
from algolens.engines.compiled import INDEX, Beyond, Column, Compiler, compared
from algolens.errors import GraphError
from algolens.graphs import Graph, Location
from algolens.graphs.elements import owners, ranges
from algolens.language import ir
from algolens.language.ir import IT, ME, At, Expr, put
from algolens.lazy import is_instance

Result = TypeVar("Result")


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
        self._compiler = _compiler(
            frozenset(
                ((field.at, name), field.to)
                for name, field in fields.items()
                if field.to is not None
            )
        )
        self._shifts: dict[tuple[At, At], Array] = {}
        self._given: dict[str, Kept] = {}
        self._changed: dict[Column, int] = {}  # when a column came to be what it is
        self._results: dict[Hashable, tuple[int, Kept]] = {}
        self._now = 0  # how often a column was set

    # ---- columns

    def give(self, values: Mapping[str, Array]) -> None:
        """Columns of the next state; one that is as it was counts as unchanged."""
        for name, value in values.items():
            kept = self._given.get(name)
            if kept is None or not kept.equals(value):
                self._given[name] = Kept(value)
                self.set(self.fields[name].at, name, self._through_batch(name, value))

    def given(self, name: str) -> Array:
        """A column as it was given."""
        return cast("Array", self._given[name].value)

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
            first, owner = self.graph.first(Location(field.to)), self.columns[field.at, "graph"]
            self._shifts[field.at, field.to] = arrays.take(first, owner)
        return self._shifts[field.at, field.to]

    # ---- what follows from them

    def recall(
        self, what: Hashable, columns: Iterable[Column], compute: Callable[[Tensors], Result]
    ) -> Result:
        """What follows from some columns; computed again only where one of them has changed."""
        known = self._results.get(what)
        if known is not None:
            when, kept = known
            changed = self._changed
            for column in columns:
                if changed[column] > when:
                    break
            else:
                if kept.holds():
                    return cast("Result", kept.value)
        new = compute(self)
        self._results[what] = self._now, Kept(new)
        return new

    def lasts(self, columns: Collection[Column]) -> bool:
        """Whether columns are expected to stay as they are."""
        return self._lasting.issuperset(columns)

    def forget(self) -> None:
        """Lets go of all that was computed."""
        self._results.clear()

    def full(self, count: int, value: Any) -> Array:
        """[count] one value everywhere."""
        return arrays.full(count, value, self.device)

    def value(self, at: At, node: Expr) -> Array:
        """An expression of every row of a table; a row that it leads to is numbered through the
        batch, and none is -1.
        """
        return self._compiler.written(at, node)(self)

    def columns_of(self, let: ir.Let) -> frozenset[Column]:
        """The columns that a let goes by, besides those that the graph gives."""
        return self._compiler.written(let.at, let.value).columns

    def add(self, let: ir.Let) -> Array:
        """A let, as a column of its name; where it is as it was, the tensor of last time."""
        compiled, key = self._compiler.written(let.at, let.value), (let.at, let.name)
        try:
            new = self.recall(("let", let), compiled.columns, compiled)
        except Beyond:
            raise GraphError(
                f"'{let.name}' grows beyond 62 bits on this graph: give smaller numbers, or fewer "
                "decimals (--round 6; in Python, round=6)."
            ) from None
        old = self.columns.get(key)
        if new is not old:
            if old is not None and arrays.equal(old, new):
                self._results["let", let] = self._now, Kept(old)
                return old
            self.set(*key, new)
        return new

    # ---- pairs

    def pairs(self, at: At, view: ir.View) -> tuple[Array, Array]:
        """[A] who looks, and [A] who is meant: every pair in view, each once."""
        keys = frozenset().union(*(ir.columns_of(side) for join in view.joins for side in join))

        def find(_: Tensors) -> tuple[Array, Array]:
            me, rows = self._joined(at, view)
            it = self.of_pairs(view.it, me, rows, at, view.rows)
            if view.apart:
                me, it = me[me != it], it[me != it]
            if len(view.joins) > 1:
                me, it = arrays.unique(arrays.stack([me, it]))
            return me, it

        return self.recall(("pairs", at, view), [key for key in keys if key in self._changed], find)

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

        def of(part: Expr) -> Array:
            whose = ir.speaks_of(part)
            if whose == {ME}:
                return arrays.take(self.value(at, part), me)
            if whose == {IT}:
                return arrays.take(self.value(its, put(part, it=ME)), it)
            match part:
                case ir.Const(value):
                    return self.full(len(me), value)
                case ir.Not(term):
                    return ~of(term)
                case ir.And(terms):
                    return reduce(and_, map(of, terms))
                case ir.Or(terms):
                    return reduce(or_, map(of, terms))
                case ir.Compare(left, op, right):
                    return compared([*map(of, left)], op, [*map(of, right)])
            raise TypeError(f"{type(part).__name__} of two rows")

        return of(node)


class Kept:
    """A value as it was: a tensor that was written into since is known by its version. Arrays of
    NumPy have none: nobody may write into those that they give, or are given.
    """

    __slots__ = ("value", "version")

    def __init__(self, value: object) -> None:
        # tensors of inference mode count no versions
        self.value, self.version = value, 0
        if is_instance(value, "torch", "Tensor"):
            tensor: Any = value
            self.version = -1 if tensor.is_inference() else tensor._version

    def holds(self) -> bool:
        """Whether the value is as it was."""
        value: Any = self.value
        return not is_instance(value, "torch", "Tensor") or (
            self.version >= 0 and value._version == self.version
        )

    def equals(self, other: Array) -> bool:
        """Whether it is as it was, and another tensor has the same values."""
        return self.holds() and (other is self.value or arrays.equal(self.value, other))


class Counts(dict[At, int]):
    """How many rows each table of a batch has."""

    def __init__(self, graph: Graph) -> None:
        super().__init__({at.value: graph.count(at) for at in Location})
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
                return graph.arange(graph.count(Location(at)))
            case _, "graph":
                return graph.owner(Location(at))
            case _, "number":
                return graph.place(Location(at))
        raise KeyError(f"there is no column '{name}' of {at}s")


def _sides(graph: Graph) -> Array:
    """[2, S] every pair of neighbours, each once; the links, where each edge is there once."""
    low, high = graph.edges
    later = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (high[1:] > high[:-1]))
    if not graph.directed and bool((low < high).all()) and bool(later.all()):
        return graph.links
    return arrays.unique(arrays.concat([graph.edges, arrays.flip(graph.edges)], 1))


@cache
def _compiler(pointers: frozenset[tuple[Column, At]]) -> Compiler:
    """One for all batches that have the same pointers."""
    return Compiler(dict(pointers))


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

    def start(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The state before the first step."""
        self.give(inputs)
        tensors, fields = self.tensors, self.program.state
        return {
            let.name.removeprefix(ir.LAST): arrays.clone(
                tensors.within_graph(fields[let.name], tensors.value(let.at, let.value))
            )
            for let in self.program.start
        }

    def give(self, values: Mapping[str, Array]) -> None:
        """Inputs, or state by the names that it is declared with; others are left out."""
        fields = self.tensors.fields
        for name, value in values.items():
            column = name if name in fields else ir.LAST + name
            if column in fields:
                self.tensors.give({column: value})

    def look(self, inputs: Mapping[str, Array], state: Mapping[str, Array]) -> dict[str, Array]:
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
        inputs: Mapping[str, Array],
        state: Mapping[str, Array],
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
            tensors.columns_of(let),
            lambda _: tensors.within_graph(field, tensors.value(let.at, let.value)),
        )
        if let.name in self.program.state:
            before = tensors.given(let.name)
            if after is not before and arrays.equal(after, before):
                return before
        return after
