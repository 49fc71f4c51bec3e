"""LIR rewritten for whole arrays, whatever the graph.

What is said along one path is computed at the table where the path ends, which is no larger, then
gathered. A group of a single row is that row. "Some row is so and its number is lower than mine" is
asked of all rows at once, not of the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from algolens.language import ir
from algolens.language.ir import ME, NUMBER, STEPS, At, Expr, Get
from algolens.language.lower import Lowering

Column = tuple[At, str]
Rewritten: TypeAlias = Any  # LIR with the nodes below

SIZES: tuple[At, ...] = ("graph", "node", "edge", "link", "side")  # tables, the smallest first
MOST_KNOWN = 2**14  # expressions, before all are forgotten


class Along(ir.Node, frozen=True):
    """A value of the row at the end of a path; anything where the path leads to none."""

    value: Rewritten
    table: At
    path: Rewritten
    may_be_none: bool


class Groups(ir.Group, frozen=True):
    """The rows whose key equals mine; with a table, one key that leads to a row of it."""

    table: At | None = None

    @property
    def parts(self) -> tuple[Rewritten, ...]:
        """What it goes by which rows stand in which group."""
        return self.key if self.table else self.key + self.mine

    def among(self, at: At) -> tuple[Any, Any]:
        """Equal where rows stand in the same groups. at: the table of the rows that look."""
        return (self.rows, self.key) if self.table else (at, self)


class Fits(ir.Node, frozen=True):
    """Whether some row of my group is so, and its keys compare with mine."""

    groups: Groups
    where: Rewritten
    keys: tuple[Rewritten, ...]
    op: ir.Op
    mine: tuple[Rewritten, ...]


@lru_cache(MOST_KNOWN)
def reads(*nodes: Rewritten) -> frozenset[Column]:
    """The columns that expressions go by, besides those that the graph gives."""
    columns = frozenset[Column]().union(*map(ir.columns_of, nodes))
    return frozenset(key for key in columns if key not in STEPS and key[1] != NUMBER)


class Rewriting:
    """Rewrites expressions over columns of which some are pointers, each once.

    Parameters
    ----------
    pointers : mapping of (At, str) to At
        The table that each pointer leads to.
    """

    def __init__(self, pointers: Mapping[Column, At]) -> None:
        self.leads: dict[Column, At] = {**STEPS, **pointers}
        self._known: dict[tuple[At, Expr], Rewritten] = {}
        self._written: dict[tuple[At, Expr], Rewritten] = {}

    def written(self, at: At, node: Expr) -> Rewritten:
        """An expression of HIR, or one of LIR, rewritten."""
        if (at, node) not in self._written:
            if len(self._written) + len(self._known) > MOST_KNOWN:
                self._written.clear()
                self._known.clear()
            lowered = Lowering(at, lambda _, value: value)(node)
            self._written[at, node] = self(at, lowered)
        return self._written[at, node]

    def __call__(self, at: At, node: Expr) -> Rewritten:
        """An expression of LIR, rewritten."""
        if (at, node) not in self._known:
            self._known[at, node] = self._rewritten(at, node)
        return self._known[at, node]

    def _rewritten(self, at: At, node: Rewritten) -> Rewritten:
        path = self._common_path(at, node)
        if path is not None:
            return self._along(at, path, self.leads[path.at, path.column], _beyond(node, path))
        match node:
            case ir.Const() | ir.Me() | ir.Pairs() | Along():
                return node
            case Get(column, table, of):
                return node if of == ME else self._along(at, of, table, Get(column, table))
            case ir.And(terms):
                fitting, rest = self._fitting(at, terms)
                return ir.conjunction(*fitting, *self._by_path(at, rest, ir.And))
            case ir.Or(terms):
                if any(
                    isinstance(term, ir.Not) and isinstance(term.term, ir.Known) for term in terms
                ):
                    # "no" and "every" are "some", negated
                    return ir.Not(self(at, ir.And(tuple(map(ir.negation, terms)))))
                return ir.Or(tuple(self._by_path(at, terms, ir.Or)))
            case ir.Any(group, where):
                single = self._single(at, group, where)
                return single[1] if single else ir.Any(*self._groups(at, group, where))
            case ir.Count(group, where):
                single = self._single(at, group, where)
                if single is None:
                    return ir.Count(*self._groups(at, group, where))
                return ir.Case(((single[1], ir.Const(1)),), ir.Const(0))
            case ir.First(group, where, keys, last, rank):
                single = self._single(at, group, where)
                if single is not None:
                    none = ir.Const(-1)
                    return none if rank else ir.Case(((single[1], single[0]),), none)
                keys = tuple(self(group.rows, key) for key in keys)
                # rows of a group come in the order of their numbers as it is
                by_number = [ME, *[Get(NUMBER, group.rows)] * (group.rows in ("node", "edge"))]
                while keys and not last and keys[-1] in by_number:
                    keys = keys[:-1]
                return ir.First(*self._groups(at, group, where), keys, last, rank)
        return ir.rebuilt(node, lambda part: self(at, part))

    # ---- paths

    def _leads_to(self, at: At, node: Expr) -> At | None:
        """The table of the row that an expression leads to; None where it is no such path."""
        if node == ME:
            return at
        return self.leads.get((node.at, node.column)) if isinstance(node, Get) else None

    def _along(self, at: At, path: Expr, table: At, value: Expr) -> Rewritten:
        """A value at the end of a path, which leads to a table."""
        if path == ME:
            return self(table, value)
        return Along(self(table, value), table, self(at, path), bool(ir.parts_of(path, ir.First)))

    def _common_path(self, at: At, node: Expr) -> Get | None:
        """The path that all of an expression goes along, to a table that is no larger."""
        paths = _paths(node) if isinstance(node, SAID) else ()
        for path in paths if len(paths) == 1 else ():
            if isinstance(path, Get):
                table = self.leads[path.at, path.column]
                return path if SIZES.index(table) <= SIZES.index(at) else None
        return None

    def _by_path(
        self, at: At, terms: Iterable[Expr], kind: type[ir.And | ir.Or]
    ) -> list[Rewritten]:
        """Terms rewritten, those along one path together."""
        by_path: dict[Get | int, list[Expr]] = {}
        for number, term in enumerate(terms):
            by_path.setdefault(self._common_path(at, kind((term,))) or number, []).append(term)
        return [
            self(at, same[0] if len(same) == 1 else kind(tuple(same))) for same in by_path.values()
        ]

    # ---- groups

    def _single(self, at: At, group: ir.Group, where: Expr) -> tuple[Rewritten, Rewritten] | None:
        """Where each row is a group of its own: the row that is looked at, and whether it is so."""
        pairs = list(zip(group.key, group.mine, strict=True))
        for number, (its, mine) in enumerate(pairs):
            if its == ME and self._leads_to(at, mine) == group.rows:

                def there(value: Expr, mine: Expr = mine) -> Rewritten:
                    return self._along(at, mine, group.rows, value)

                rest = pairs[:number] + pairs[number + 1 :]
                meets = (ir.Compare((there(key),), "=", (self(at, my),)) for key, my in rest)
                return self(at, mine), ir.conjunction(there(where), *meets)
        return None

    def _groups(self, at: At, group: ir.Group, where: Expr) -> tuple[Any, Rewritten]:
        """Groups, and which rows in them count: one key that leads to a row tells the groups, and
        what else is to be equal is said of their rows; other keys are numbered together.
        """
        pairs, rows = list(zip(group.key, group.mine, strict=True)), group.rows
        leads = {pair: self._leads_to(rows, pair[0]) for pair in pairs}
        leads = {pair: to for pair, to in leads.items() if to and to == self._leads_to(at, pair[1])}
        if {*leads.values()} - {"graph"}:  # two paths that meet at an element are of one graph
            pairs = [pair for pair in pairs if leads.get(pair) != "graph"]
        own = [pair for pair in pairs if pair in leads and (pair[1] == ME or len(pairs) == 1)]
        for pair in own[:1]:
            its, mine = self(rows, pair[0]), self(at, pair[1])
            meets = []
            for key, my in pairs:
                wanted: Rewritten = Along(self(at, my), at, its, may_be_none=False)
                meets += [ir.Compare((key,), "=", (wanted,))] if (key, my) != pair else []
            where = self(rows, ir.conjunction(where, *meets))
            return Groups(rows, (its,), (mine,), leads[pair]), where
        keys = tuple(self(rows, key) for key, _ in pairs)
        return Groups(rows, keys, tuple(self(at, mine) for _, mine in pairs)), self(rows, where)

    def _fitting(self, at: At, terms: Iterable[Expr]) -> tuple[list[Any], list[Expr]]:
        """The terms that say of the first such row that it compares with mine; and the rest."""
        fitting, rest = list[Any](), [*terms]
        for known in terms:
            match known:
                case ir.Known(ir.First(group, where, keys, last, 0) as first):
                    ends = tuple(ir.put(key, me=first) for key in keys)
                    orders = (">", ">=") if last else ("<", "<=")
                    for term in rest:
                        match term:
                            case ir.Compare(left, op, mine) if left == ends and op in orders:
                                its = tuple(self(group.rows, key) for key in keys)
                                ours = tuple(self(at, key) for key in mine)
                                groups, where = self._groups(at, group, where)
                                fitting.append(Fits(groups, where, its, op, ours))
                                rest = [one for one in rest if one not in (known, term)]
                                break
        return fitting, rest


SAID = (ir.Not, ir.And, ir.Or, ir.Compare, ir.Case)


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
