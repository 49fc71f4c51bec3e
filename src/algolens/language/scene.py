"""What HIR says of single rows, in one state of one graph, and what makes it so.

Engines run what is lowered, of all rows at once. Reasons are asked of a few rows, and go by the
program as it is written: a quantifier says whom a statement speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any as Anything
from typing import TypeAlias

import numpy as np

from algolens.arrays import NUMPY
from algolens.graphs import Graph, Location
from algolens.language.ir import (
    NUMBER,
    And,
    Arith,
    At,
    Compare,
    Const,
    Expr,
    Get,
    It,
    Me,
    Not,
    Op,
    Or,
    Program,
    Quantified,
    The,
    View,
    columns_of,
)
from algolens.language.lower import OPPOSITE

Rows: TypeAlias = np.ndarray  # [M] of a table
Sorted: TypeAlias = dict[tuple[At, Expr], tuple[Rows, Rows]]  # by a key: rows in its order, and it
BLOCK = 1_024  # rows whose pairs with all others are held at once
ARITHMETIC: dict[str, Anything] = {"+": np.add, "-": np.subtract, "*": np.multiply}


class Tables:
    """The rows of one graph, and where its steps lead; what is found there holds in every state."""

    def __init__(self, graph: Graph) -> None:
        graph = graph.to(NUMPY)
        edges, links = graph.edges, graph.links
        sides = np.unique(np.concatenate([edges, edges[::-1]], 1), axis=1)
        many, ways = edges.shape[1], 1 if graph.directed else 2  # an undirected edge has two links
        numbers = np.tile(np.arange(many), ways)
        self.counts: dict[At, int] = {each.value: graph.count(each) for each in Location}
        self.counts["side"] = sides.shape[1]
        self.columns: dict[tuple[At, str], Rows] = {
            ("edge", "one_end"): edges[0],
            ("edge", "other_end"): edges[1],
            ("link", "sender"): links[0],
            ("link", "receiver"): links[1],
            ("link", "edge"): numbers,
            ("link", "reverse"): np.roll(np.arange(ways * many), many),
            ("link", NUMBER): numbers,
            ("side", "sender"): sides[0],
            ("side", "receiver"): sides[1],
        }
        for at, count in self.counts.items():
            self.columns[at, "graph"] = np.zeros(count, np.int64)
            self.columns.setdefault((at, NUMBER), np.arange(count))
        self.sorted: Sorted = {}


class Scene:
    """A state of a run, and all that follows from it.

    Parameters
    ----------
    program : Program
        HIR.
    tables : Tables
        Of the graph.
    column : callable
        The values of an input, a field of the state, or a let by its name; None of a let: it is
        computed. So what a network saw may stand in its place.
    """

    def __init__(
        self, program: Program, tables: Tables, column: Callable[[str], np.ndarray | None]
    ) -> None:
        self.program, self.tables, self._column = program, tables, column
        self._lets = {(let.at, let.name): let for let in program.lets}
        self._known: dict[tuple[At, str], np.ndarray] = {}
        self._sorted: Sorted = {}

    def column(self, at: At, name: str) -> np.ndarray:
        """A column of a table."""
        if (at, name) in self.tables.columns:
            return self.tables.columns[at, name]
        if (at, name) not in self._known:
            found = self._column(name)
            if found is None:
                found = self.all(self._lets[at, name].value, at)
            self._known[at, name] = found
        return self._known[at, name]

    def all(self, node: Expr, at: At) -> np.ndarray:
        """What an expression is of every row of a table."""
        rows = np.arange(self.tables.counts[at])
        blocks = [rows[first : first + BLOCK] for first in range(0, max(len(rows), 1), BLOCK)]
        return np.concatenate([self.of(node, block) for block in blocks])

    def holds(self, node: Expr, me: int) -> bool:
        """Whether a statement holds of a row."""
        return bool(self.value(node, me))

    def value(self, node: Expr, me: int, it: int = -1) -> int:
        """What an expression is of a row, and of one in view."""
        return int(self.of(node, np.array([me]), np.array([it]))[0])

    def of(self, node: Expr, me: Rows, it: Rows | None = None) -> np.ndarray:
        """What an expression is of rows, each beside one in view."""

        def said(part: Expr) -> np.ndarray:
            return self.of(part, me, it)

        match node:
            case Const(value):
                return np.full(len(me), value)
            case Me():
                return me
            case It():
                assert it is not None
                return it
            case Get(column, at, of):
                return self.column(at, column)[said(of)]
            case Not(term):
                return ~said(term)
            case And(terms):
                return np.logical_and.reduce([*map(said, terms)])
            case Or(terms):
                return np.logical_or.reduce([*map(said, terms)])
            case Compare(left, op, right):
                return compared([*map(said, left)], op, [*map(said, right)])
            case Arith(a, op, b):
                result: np.ndarray = ARITHMETIC[op](said(a), said(b))
                return result
            case Quantified(quantity, view, body, count):
                place, others = self.pairs(view, me)
                so = self.of(body, me[place], others)
                many = np.bincount(place[so], minlength=len(me))
                if quantity == "every":
                    return many == np.bincount(place, minlength=len(me))
                return many >= count
            case The(value=value):
                firsts = [self.first(node, row) for row in me.tolist()]
                rows = np.array([-1 if row is None else row for row in firsts], np.int64)
                return self.of(value, me, rows)
        raise TypeError(node)

    # ---- those in view

    def pairs(self, view: View, me: Rows) -> tuple[Rows, Rows]:
        """Who looks, by its place among these rows, and at whom: each once, in order."""
        places, others = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for mine, its in view.joins:
            rows, keys = self._by_key(view, its)
            wanted = self.of(mine, me)
            first, last = (np.searchsorted(keys, wanted, side) for side in ("left", "right"))
            many = last - first
            places.append(np.repeat(np.arange(len(me)), many))
            within = np.arange(many.sum()) - np.repeat(many.cumsum() - many, many)
            seen = rows[np.repeat(first, many) + within]
            others.append(self.of(view.it, seen, seen))
        place, other = np.concatenate(places), np.concatenate(others)
        if view.apart:
            is_other = other != me[place]
            place, other = place[is_other], other[is_other]
        span = int(other.max()) + 1 if len(other) else 1
        each = np.unique(place * span + other)
        return each // span, each % span

    def _by_key(self, view: View, its: Expr) -> tuple[Rows, Rows]:
        is_given = columns_of(its) <= self.tables.columns.keys()
        known = self.tables.sorted if is_given else self._sorted
        if (view.rows, its) not in known:
            rows = np.arange(self.tables.counts[view.rows])
            keys = self.of(its, rows, rows)
            order = keys.argsort(kind="stable")
            known[view.rows, its] = rows[order], keys[order]
        return known[view.rows, its]

    def in_view(self, view: View, me: int, body: Expr | None = None) -> list[int]:
        """Those in view of a row, in order; where a statement is given, those who are so."""
        _, others = self.pairs(view, np.array([me]))
        if body is not None:
            others = others[self.of(body, np.full(len(others), me), others)]
        found: list[int] = others.tolist()
        return found

    def first(self, the: The, me: int) -> int | None:
        """The first in view who is so; None where nobody is."""
        those = np.array(self.in_view(the.view, me, the.where), np.int64)
        keys = [self.of(key, np.full(len(those), me), those) for key in the.by]
        order = np.lexsort([those, *keys[::-1]])
        return int(those[order[0]]) if len(those) else None

    def moved(self, cases: tuple[tuple[Expr, Expr], ...], me: int) -> Moved | None:
        """The first case that applies to a row: its place, from whom, and the value; or none."""
        for place, (guard, value) in enumerate(cases):
            it = self.first(value, me) if isinstance(value, The) else -1
            if it is not None and self.holds(guard, me):
                return place, it if isinstance(value, The) else None, self.value(value, me)
        return None


Moved: TypeAlias = tuple[int, int | None, int]


def compared(left: list[np.ndarray], op: Op, right: list[np.ndarray]) -> np.ndarray:
    """How values compare, the first that differs deciding.

    >>> one, other = np.array([1, 2, 2]), np.array([5, 4, 5])
    >>> compared([one, other], "<", [np.array([2, 2, 2]), np.array([0, 5, 5])]).tolist()
    [True, True, False]
    """
    lower, same = np.zeros(len(left[0]), bool), np.ones(len(left[0]), bool)
    for ours, theirs in zip(left, right, strict=True):
        lower |= same & (ours < theirs)
        same &= ours == theirs
    found = {"<": lower, "<=": lower | same, "=": same}
    return found[op] if op in found else ~found[OPPOSITE[op]]


def deciding(node: Expr, says: Callable[[Expr], bool]) -> list[tuple[Expr, bool]]:
    """The atoms that decide a statement, with their truth: all of an "and" that holds, or one."""

    def decide(part: Expr) -> Iterator[tuple[Expr, bool]]:
        match part:
            case Const():
                return
            case Not(term):
                yield from decide(term)
            case And(terms) | Or(terms):
                truth = says(part)
                # every part of an "and" that holds, and of an "or" that does not
                decisive = [term for term in terms if says(term) is truth]
                for term in decisive if truth is isinstance(part, And) else decisive[:1]:
                    yield from decide(term)
            case _:
                yield part, says(part)

    return list(dict.fromkeys(decide(node)))
