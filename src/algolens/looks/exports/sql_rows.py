"""Rows and groups of rows in SQL: a step of a path is a JOIN, those in view are a GROUP BY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from algolens.graphs import Location
from algolens.looks.language import Order
from algolens.looks.relations import Relation
from algolens.looks.scope import ResolvedTerm, Scope

ID = "id"
ME, IT = "me", "it"  # the row that looks, and one that it sees
ENTRY, BEFORE = "entry", "before"
MIN, MAX, COUNT = "MIN", "MAX", "COUNT"
NEVER = "1 = 0"
Path = tuple[str, ...]


def sql_table(location: Location) -> str:
    """The table of a location."""
    return sql_column(location.value)


def sql_column(name: str) -> str:
    """The name of a column or table, between quotation marks, where any is one."""
    return '"' + name.replace('"', '""') + '"'


def in_quotes(text: str) -> str:
    """Any text as a value."""
    return "'" + text.replace("'", "''") + "'"


def truth_value(condition: str) -> str:
    """1 where a condition holds, else 0."""
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def sql_comparison(left: Sequence[str], order: Order, right: Sequence[str]) -> str:
    """How values compare; several as words in a dictionary do."""
    mark = "<>" if order is Order.DIFFERENT else order.value
    sides = [side[0] if len(side) == 1 else f"({', '.join(side)})" for side in (left, right)]
    return f"{sides[0]} {mark} {sides[1]}"


def key_column(place: int) -> str:
    """What the keys of a group are called."""
    return sql_column(f"key_{place + 1}")


@dataclass(frozen=True)
class Read:
    """A column that a query reads; is_own: of the row for which the query gives a value."""

    location: Location
    column: str
    is_own: bool


@dataclass
class Row:
    """A row in a query, by its alias, and the joins by which its paths are followed."""

    alias: str
    reads: set[Read]
    joins: dict[str, object] = field(default_factory=dict)  # by alias
    join: str = "JOIN"
    # what is computed in the same query and stands in place of its column: masks as conditions
    conditions: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    def column(self, alias: str, at: Location, name: str) -> str:
        """A column of the row, or of one that a path leads to."""
        is_own = alias == ME == self.alias
        self.reads.add(Read(at, name, is_own))
        if is_own and name in self.conditions:
            return truth_value(self.conditions[name])
        if is_own and name in self.values:
            return f"({self.values[name]})"
        return f"{sql_column(alias)}.{sql_column(name)}"

    def follow(self, steps: Sequence[str], at: Location, scope: Scope) -> tuple[str, Location]:
        """The alias of the row that steps lead to, and where it sits."""
        alias = self.alias
        for step in steps:
            source, at = self.column(alias, at, step), scope.end_of(step, at)
            alias = f"{alias} {step}"
            joined = sql_column(alias)
            self.joins.setdefault(
                alias,
                f"{self.join} {sql_table(at)} AS {joined} ON {joined}.{sql_column(ID)} = {source}",
            )
        return alias, at

    def value(self, term: ResolvedTerm, scope: Scope) -> str:
        """What a term is: a column of its, or of the row that its steps lead to."""
        words = [*term.steps, *([] if term.field is None else [term.field])]
        return self.column(*self.follow(words[:-1], term.own, scope), words[-1] if words else ID)

    def path(self, steps: Sequence[str], at: Location, scope: Scope) -> str:
        """The id of the row that steps lead to: where the last is a column, that column."""
        return self.column(*self.follow(steps[:-1], at, scope), steps[-1] if steps else ID)


@dataclass
class Group:
    """A GROUP BY: what is known of those in view, by the group that they stand in."""

    row: Row  # one of those in view
    source: str
    keys: list[str]
    # of a function, its argument and where: the name of the column
    aggregates: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def column(self, function: str, argument: str, where: str) -> str:
        """The name of a column: a function of those for which a condition holds."""
        wanted = (function, argument, where)
        number = len(self.aggregates) + 1
        return self.aggregates.setdefault(wanted, f"{function.lower()}_{number}")

    def __str__(self) -> str:
        wheres = list(dict.fromkeys(where for *_, where in self.aggregates))
        columns = [f"{key} AS {key_column(place)}" for place, key in enumerate(self.keys)]
        for (function, argument, where), name in self.aggregates.items():
            if len(wheres) > 1:  # else all rows that are left are such
                argument = f"CASE WHEN {where} THEN {'1' if argument == '*' else argument} END"
            columns.append(f"{function}({argument}) AS {sql_column(name)}")
        joins = "".join(f"\n  {join}" for join in self.row.joins.values())
        return (
            f"SELECT {', '.join(columns)}\n  FROM {self.source}{joins}\n  WHERE "
            f"{' OR '.join(f'({where})' for where in wheres)}\n  GROUP BY {', '.join(self.keys)}"
        )


class View:
    """A relation as SQL: the groups that those in view stand in, and at which each looks.

    Parameters
    ----------
    relation : Relation
        Who has whom in view.
    scope : Scope
        The fields that its paths may name.
    directed : bool
        Whether edges may have a direction; else every edge has a link each way.
    """

    def __init__(self, relation: Relation, scope: Scope, *, directed: bool) -> None:
        self.relation, self.scope = relation, scope
        joins = relation.joins
        self.through_links = joins[0].through_links
        if self.through_links and not directed:
            joins = joins[:1]
        self.links = [join.paths for join in joins]
        # paths to groups: of the one that looks, and of those in view
        self.mine = [()] if self.through_links else list(dict.fromkeys(a for a, _ in self.links))
        self.its = list(dict.fromkeys(b for _, b in self.links))

    @property
    def is_direct(self) -> bool:
        """Whether those in view are what the paths of the one that looks lead to."""
        return not self.through_links and self.its == [()]

    @property
    def may_repeat(self) -> bool:
        """Whether one in view may stand in several of the groups that are looked at."""
        return len(self.mine) > 1 and not self.is_direct

    def entries(self, row: Row) -> tuple[str, str]:
        """The rows in view, as a source to select from; and the group that each stands in."""
        others, at = self.relation.others, sql_table(self.relation.others)
        it, entry, id_ = sql_column(row.alias), sql_column(ENTRY), sql_column(ID)
        if not self.through_links and len(self.its) == 1:
            return f"{at} AS {it}", row.path(self.its[0], others, self.scope)
        if self.through_links:
            for paths in self.links:
                row.reads.update(Read(Location.LINK, path[0], False) for path in paths)
            links, ends = sql_table(Location.LINK), [(a[0], b[0]) for a, b in self.links]
            if len(ends) == 1:
                key, other = (f"{entry}.{sql_column(end)}" for end in ends[0])
                return f"{links} AS {entry} JOIN {at} AS {it} ON {it}.{id_} = {other}", key
            parts = [
                f"SELECT {sql_column(a)} AS {key_column(0)}, {sql_column(b)} AS {id_} FROM {links}"
                for a, b in ends
            ]
            both = " UNION ".join(parts)
        else:
            parts = []
            for path in self.its:
                inner = Row(row.alias, row.reads)
                key = inner.path(path, others, self.scope)
                joins = "".join(f" {join}" for join in inner.joins.values())
                parts.append(
                    f"SELECT {key} AS {key_column(0)}, {it}.{id_} AS {id_} FROM {at} AS {it}{joins}"
                )
            both = " UNION ALL ".join(parts)
        source = f"({both}) AS {entry} JOIN {at} AS {it} ON {it}.{id_} = {entry}.{id_}"
        return source, f"{entry}.{key_column(0)}"

    def pairs(self, reads: set[Read]) -> str:
        """A query of every pair: the id of one that looks, and the id of one in view, each once."""
        id_, selects = sql_column(ID), []
        if self.through_links:
            row = Row(IT, reads)
            source, key = self.entries(row)
            return f"SELECT {key} AS {key_column(0)}, {row.alias}.{id_} AS {id_} FROM {source}"
        for mine, its in self.links:
            sides = []
            for path, at, alias in ((mine, self.relation.own, ME), (its, self.relation.others, IT)):
                row = Row(alias, set())
                key = row.path(path, at, self.scope)
                reads.update(Read(read.location, read.column, False) for read in row.reads)
                joins = "".join(f" {join}" for join in row.joins.values())
                sides.append(
                    f"SELECT {alias}.{id_} AS {id_}, {key} AS {key_column(0)} FROM "
                    f"{sql_table(at)} AS {alias}{joins}"
                )
            apart = f" WHERE a.{id_} <> b.{id_}" if self.relation.others_only else ""
            selects.append(
                f"SELECT a.{id_} AS {key_column(0)}, b.{id_} AS {id_} FROM ({sides[0]}) AS a JOIN "
                f"({sides[1]}) AS b ON a.{key_column(0)} = b.{key_column(0)}{apart}"
            )
        return " UNION ".join(selects)
