"""A look as SQL: tables of nodes, edges, links and graphs that are written anew with what is seen.

A mask is 0 or 1, a category the name of its class, a pointer the id of what it points to. Ids are
numbered through all graphs; ``number`` is the place inside the own graph, and both links of an edge
have their edge's. The links of undirected edges are the edges, then all the other way.

The dialect is what DuckDB, Spark and SQLite share: no UPDATE, no keys, no correlated subquery. A
batch makes new tables of those before, all at once, which then take their places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from algolens.errors import DefinitionError
from algolens.fields import Category, Field
from algolens.graphs import Location
from algolens.looks.exports.sql_rows import (
    ID,
    ME,
    Read,
    in_quotes,
    sql_column,
    sql_table,
)
from algolens.looks.exports.sql_select import Select
from algolens.looks.scope import NUMBER, STEPS, Scope, carried
from algolens.looks.terms import CONSTANT

if TYPE_CHECKING:
    from algolens.looks.look import Look

PLACES = (Location.GRAPH, Location.NODE, Location.EDGE, Location.LINK)
FEW = 4  # numbers of 62 bits whose sum has room in 64
IN_64_BITS = "9e18"
LONGEST = 2000  # characters of a value that is written in place of its column
Batch = dict[Location, str]  # of each table that is made anew, the query of its rows
Columns = Mapping[Location, Sequence[str]]  # of each table


def look_to_sql(look: Look) -> str:
    """Tables to fill, then what is seen, then what moves, as one script."""
    queries = LookQueries(look, directed=True)
    columns = all_columns(look.fields)
    check_columns(look.scope.fields)
    moves = {at: select.query(columns[at]) for at, select in queries.moves().items()}
    parts = [command for batch in (*queries.look(columns), moves) for command in commands(batch)]
    return "".join(f"{command};\n\n" for command in [*schema(columns, look.fields), *parts])


def commands(batch: Batch) -> list[str]:
    """What a batch does: each table is made of those before, then takes its place."""
    made = []
    for location, query in batch.items():
        made.append(f"CREATE TABLE {sql_column(f'new {location.value}')} AS\n{query}")
    for location in batch:
        table, new = sql_table(location), sql_column(f"new {location.value}")
        made += [f"DROP TABLE {table}", f"ALTER TABLE {new} RENAME TO {table}"]
    return made


def schema(columns: Columns, fields: Mapping[str, Field]) -> list[str]:
    """A CREATE TABLE for each location, to be filled."""
    tables = []
    for location, names in columns.items():
        typed = [f"  {sql_column(name)} {sql_type(fields.get(name))}" for name in names]
        tables.append(f"CREATE TABLE {sql_table(location)} (\n" + ",\n".join(typed) + "\n)")
    return tables


def sql_type(field: Field | None) -> str:
    """The type of a column. field: None, of what the graph itself gives."""
    return "VARCHAR(255)" if field is not None and isinstance(field.kind, Category) else "BIGINT"


def all_columns(fields: Mapping[str, Field]) -> dict[Location, list[str]]:
    """The columns of every table: what the graph itself gives, then the fields there."""
    columns = {}
    for location in PLACES:
        steps = [step for place, step in STEPS if place is location]
        number = [NUMBER] if location is not Location.GRAPH else []
        here = [name for name, field in fields.items() if field.location is location]
        columns[location] = [ID, *number, *steps, *here]
    return columns


def check_columns(fields: Mapping[str, Field]) -> None:
    """SQL does not tell names apart by their case."""
    for location, names in all_columns(fields).items():
        seen: dict[str, str] = {}
        for name in names:
            if name.casefold() in seen:
                raise DefinitionError(
                    f"in SQL, '{seen[name.casefold()]}' and '{name}' would be one column of "
                    f"{location.value}s: rename the field."
                )
            seen[name.casefold()] = name


@dataclass(frozen=True)
class LookQueries:
    """What is seen and what moves, as queries.

    Parameters
    ----------
    seen : Look
        What is seen.
    directed : bool
        Whether edges may have a direction; else every edge has a link each way.
    """

    seen: Look
    directed: bool

    @cached_property
    def reads(self) -> set[Read]:
        """The columns that are read."""
        stages = [select for stage in self._stages for select in stage.values()]
        return {read for select in (*stages, *self.moves().values()) for read in select.reads}

    def look(self, columns: Columns) -> list[Batch]:
        """Batches that see, one after the other. columns: of the tables, before they do."""
        known, batches = {at: list(names) for at, names in columns.items()}, []
        for stage in self._stages:
            batches.append({at: select.query(known[at]) for at, select in stage.items()})
            for location, select in stage.items():
                known[location] += [*select.conditions, *select.values]
        return batches

    def moves(self) -> dict[Location, Select]:
        """What pointers and numbers become, once all is seen."""
        selects: dict[Location, Select] = {}
        for name in self.seen.moves:
            location = self.seen.state[name].location
            select = selects.setdefault(location, Select(location, directed=self.directed))
            value = select.me.column(ME, location, name)
            # the first decides, so it comes last
            for mover in reversed([one for one in self.seen.movers if one.name == name]):
                value = select.moved(mover, value)
            select.values[name] = value
        return selects

    @cached_property
    def _stages(self) -> list[dict[Location, Select]]:
        """Sums and observations, each as early as what it reads of other rows is there."""
        stages: list[dict[Location, Select]] = []
        level: dict[str, int] = {}
        size: dict[str, int] = {}  # of what is written in place of a column
        for name, location in self._names.items():
            alone = self._seeing(location)
            text = self._add(name, alone)
            reads = [read for read in alone.reads if read.column in level]
            number = max((level[read.column] + (not read.is_own) for read in reads), default=0)
            inside = {read.column for read in reads if level[read.column] == number}
            size[name] = len(text) + sum(size[one] * text.count(sql_column(one)) for one in inside)
            if inside and size[name] > LONGEST:
                number, size[name] = number + 1, len(text)
            if number == len(stages):
                stages.append({})
            self._add(name, stages[number].setdefault(location, self._seeing(location)))
            level[name] = number
        return stages

    def _seeing(self, location: Location) -> Select:
        return Select(location, directed=self.directed, in_place=True)

    @cached_property
    def _names(self) -> dict[str, Location]:
        """Sums and observations in order, and where they sit; constants are written as numbers."""
        sums = {name: one.location for name, one in self.seen.sums.items()}
        named = {name: at for name, at in sums.items() if not CONSTANT.fullmatch(name)}
        return named | {name: one.location for name, one in self.seen.observed.items()}

    def _add(self, name: str, select: Select) -> str:
        """Lets a query give a sum or an observation; its text."""
        if name in self.seen.summands:
            select.values[name] = self._total(name, select)
            return select.values[name]
        statement = next(one for one in self.seen.statements if one.name == name)
        select.conditions[name] = select.condition(statement)
        return select.conditions[name]

    def _total(self, name: str, select: Select) -> str:
        """A sum; NULL where a number on the way might leave 64 bits, which no database tells."""
        constant = self.seen.totals[name].constant
        products = []
        for product in self.seen.summands[name]:
            terms = [select.me.value(term, self.seen.scope) for term in product.terms]
            products.append([*terms, *([] if product.factor == 1 else [_whole(product.factor)])])
        products += [[_whole(constant)]] if constant or not products else []
        total = " + ".join(" * ".join(factors) for factors in products)
        if len(products) <= FEW and all(len(factors) == 1 for factors in products):
            return total
        sizes = [
            " * ".join(f"ABS(CAST({factor} AS DOUBLE))" for factor in factors)
            for factors in products
        ]
        return f"CASE WHEN {' + '.join(sizes)} < {IN_64_BITS} THEN {total} END"

    def start(self) -> dict[Location, Select]:
        """The state before the first step, of tables with the inputs."""
        selects: dict[Location, Select] = {}
        scope = Scope(self.seen.starting)
        for name, start in self.seen.starts.items():
            location, labels = start.field.location, start.field.kind.labels
            select = selects.setdefault(location, Select(location, directed=self.directed))
            column = state_column(self.seen, name)
            if start.term is not None:
                select.values[column] = select.me.value(start.resolved(scope), scope)
            elif start.value is not None:
                value = in_quotes(labels[start.value]) if labels else _whole(start.value)
                select.values[column] = value
            elif start.field.kind.is_truth_value:
                select.conditions[column] = select.condition(start.cases[0][1])
            else:
                cases = [
                    f"WHEN {select.condition(statement)} THEN {in_quotes(labels[number])}"
                    for number, statement in start.cases
                ]
                otherwise = in_quotes(labels[0])
                select.values[column] = f"CASE {' '.join(cases)} ELSE {otherwise} END"
        return selects


def _whole(number: int) -> str:
    """A whole number of 64 bits, which its digits alone would not be everywhere."""
    return f"CAST({number} AS BIGINT)"


def state_column(look: Look, name: str) -> str:
    """The column of a field of the state; what is observed anew is carried over beside it."""
    return name if name in look.fields else carried(name)
