"""A program in SQL, from LIR: a path is a JOIN, a group of rows is a GROUP BY.

To run it, for one graph: fill the tables, and stop where ``refused`` gives an id. Carry out
``start`` and ``look``; then ``step`` and ``look`` again and again, as long as ``goes_on`` gives 1
and the limit of steps is not reached. The columns of outputs then hold what was decided, and those
of outcomes what is seen of the graph.

A mask is 0 or 1, a category the name of its class, a pointer the id of what it points to. The
dialect is what DuckDB, Spark and SQLite share: no UPDATE, no keys, no correlated subquery.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from algolens.errors import DefinitionError
from algolens.language import ir
from algolens.language.ir import (
    AGGREGATES,
    GOES_ON,
    ME,
    NUMBER,
    STEPS,
    And,
    Any,
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
    It,
    Known,
    Let,
    Me,
    Not,
    Or,
    Pairs,
    Within,
    parts_of,
    put,
    reads,
)
from algolens.language.lower import lower, ties, unshared

if TYPE_CHECKING:
    from algolens.engines.program import Program

ID = "id"
MOST_JOINS = 20  # of one query: planners take long over more
IN_64_BITS = "9e18"
PLACES: tuple[At, ...] = ("graph", "node", "edge", "link")
Batch = Mapping[str, str]  # of each table that is made anew, the query of its rows

# what is refused of inputs, those of ``language/given.py`` one by one: the ids of what a check
# refuses. {0}, {1}: the columns and numbers that it names
CHECKS = {
    "end_not_before": "SELECT id FROM node WHERE {0} > {1}",
    "ascending": """SELECT id FROM (
  SELECT id, {0} - LAG({0}) OVER (ORDER BY id) AS more FROM node
) AS row_of WHERE more < 0""",
    "below_count": "SELECT id FROM graph WHERE {0} >= (SELECT COUNT(*) FROM node)",
    "pattern_last": """SELECT id FROM (
  SELECT id, {0} - LAG({0}) OVER (ORDER BY id) AS more FROM node
) AS row_of WHERE more < 0
UNION ALL SELECT id FROM (
  SELECT MIN(id) AS id, SUM({0}) AS inside, COUNT(*) - SUM({0}) AS outside FROM node
) AS whole WHERE inside < 1 OR (inside > 1 AND inside > outside)""",
    "first_word_first": """SELECT me.id FROM node AS me JOIN node AS above ON above.id = me.{0}
WHERE me.{1} = 0 AND above.{1} = 1""",
    "no_three_on_a_line": """SELECT b.id FROM node AS a JOIN node AS b ON a.id < b.id
WHERE a.{0} = b.{0} AND a.{1} = b.{1}
UNION ALL SELECT c.id
FROM node AS a JOIN node AS b ON a.id < b.id JOIN node AS c ON b.id < c.id
WHERE (b.{0} - a.{0}) * (c.{1} - a.{1}) = (b.{1} - a.{1}) * (c.{0} - a.{0})""",
    # nodes from the highest priority on, and the colors that they take, as ",id:color,"; NULL where
    # none is left
    "colors_suffice": """SELECT id FROM (
  WITH RECURSIVE place AS (
    SELECT id, ROW_NUMBER() OVER (ORDER BY {0} DESC, id) AS number FROM node
  ), palette(color) AS (
    SELECT 1 UNION ALL SELECT color + 1 FROM palette WHERE color < {1}
  ), higher AS (
    SELECT me.id AS id, other.id AS other
    FROM link JOIN node AS me ON me.id = link.receiver JOIN node AS other ON other.id = link.sender
    WHERE other.{0} > me.{0}
  ), taken(number, id, colors) AS (
    SELECT 0, -1, ','
    UNION ALL
    SELECT place.number, place.id, taken.colors || place.id || ':' || (
      SELECT MIN(color) FROM palette WHERE NOT EXISTS (
        SELECT 1 FROM higher WHERE higher.id = place.id
        AND INSTR(taken.colors, ',' || higher.other || ':' || palette.color || ',') > 0
      )
    ) || ','
    FROM taken JOIN place ON place.number = taken.number + 1 WHERE taken.colors IS NOT NULL
  )
  SELECT id FROM taken WHERE colors IS NULL
) AS stuck""",
    "graph": "SELECT MIN(id) AS id FROM {at} GROUP BY {0} HAVING COUNT(*) > 1",
    "neighbours": """SELECT me.id
FROM link JOIN node AS me ON me.id = link.receiver JOIN node AS other ON other.id = link.sender
WHERE me.{0} = other.{0}""",
}


def sql_column(name: str) -> str:
    """The name of a column or table, between quotation marks, where any is one."""
    return '"' + name.replace('"', '""') + '"'


def in_quotes(text: str) -> str:
    """Any text as a value."""
    return "'" + text.replace("'", "''") + "'"


def column_of(row: str, name: str) -> str:
    """A column of a row in a query."""
    return f"{row}.{sql_column(name)}"


# ---- queries


@dataclass
class Schema:
    """What the tables of a program are called, and what their columns hold.

    Attributes
    ----------
    labels : mapping
        The classes of categories.
    directed : bool
        Whether edges may have a direction; else every edge has a link each way.
    rows, led_to : dict
        Names of tables in queries where they are not their own: of those whose columns are
        computed, and of those that a path leads to.
    """

    labels: Mapping[tuple[At, str], tuple[str, ...]]
    directed: bool
    rows: dict[At, str]
    led_to: dict[At, str]

    def table(self, at: At) -> str:
        """The rows of a table."""
        if at != "side":
            return sql_column(self.rows.get(at, at))
        if not self.directed:  # neighbours are those at the other end of links
            return self.table("link")
        both = " UNION ".join(
            f'SELECT "{one}" AS a, "{other}" AS b FROM {self.table("link")}'
            for one, other in (("sender", "receiver"), ("receiver", "sender"))
        )
        return (
            '(SELECT ROW_NUMBER() OVER (ORDER BY a, b) AS "id", a AS "sender", b AS "receiver" '
            f'FROM ({both}) AS "both")'
        )


class Select:
    """A query that gives columns for every row of a table.

    Parameters
    ----------
    schema : Schema
        What tables are called.
    at : str
        The table.
    row : str
        What its rows are called.
    source : str, optional
        What stands in place of the table.
    it : At, optional
        A table of which every row is paired with each of these.
    """

    def __init__(
        self,
        schema: Schema,
        at: At,
        row: str = "me",
        source: str | None = None,
        it: At | None = None,
    ) -> None:
        self.schema, self.at, self.row = schema, at, row
        self.source = f"{source or schema.table(at)} AS {row}"
        if it is not None:
            self.source += f"\nCROSS JOIN {schema.table(it)} AS {row}_it"
        self.given: dict[str, str] = {}  # columns, as they are computed
        self._joins: dict[tuple[str, ...], str] = {}  # by what they are, their names

    def give(self, let: Let) -> None:
        """Gives a let, too."""
        labels = self.schema.labels.get((let.at, let.name), ())
        self.given[let.name] = self.value(let.value, labels)

    def query(self, kept: Iterable[str]) -> str:
        """The rows, with columns that are kept as they are."""
        listed = [column_of(self.row, name) for name in kept if name not in self.given]
        listed += [f"{text} AS {sql_column(name)}" for name, text in self.given.items()]
        return f"SELECT {', '.join(listed)}\n{self.rows()}"

    def rows(self) -> str:
        """The rows, and what is joined to them."""
        lines = [f"FROM {self.source}"]
        for (table, *keys), name in self._joins.items():
            meets = (
                f"{column_of(sql_column(name), key)} = {value}"
                for key, value in zip(keys[::2], keys[1::2], strict=True)
            )
            lines.append(f"LEFT JOIN {table} AS {sql_column(name)} ON {' AND '.join(meets)}")
        return "\n".join(lines)

    def _join(self, table: str, *keys: str) -> str:
        """The name of a table that is joined, once. keys: its columns, each with its value."""
        name = self._joins.setdefault((table, *keys), f"{self.row} {len(self._joins) + 1}")
        return sql_column(name)

    def condition(self, node: Expr) -> str:
        """A truth value, as a condition. What is said of no row is NULL, which does not hold."""
        match node:
            case Const(value):
                return "1 = 1" if value else "1 = 0"
            case Get() | Case():
                return f"{self.value(node)} = 1"
            case Not(term):
                return f"NOT ({self.condition(term)})"
            case And(terms) | Or(terms):
                join = " AND " if isinstance(node, And) else " OR "
                return join.join(f"({self.condition(term)})" for term in terms)
            case Compare(left, op, right):
                named = (each.at, each.column) if isinstance(each := left[0], Get) else ("", "")
                labels = self.schema.labels.get(named, ())  # type: ignore[arg-type]
                one, other = (
                    ", ".join(self.value(part, labels) for part in side) for side in (left, right)
                )
                mark = "<>" if op == "!=" else op
                return f"({one}) {mark} ({other})" if len(left) > 1 else f"{one} {mark} {other}"
            case Known(First(_, _, (key, *_), _, 0) as first):
                return f"{self._extreme(first, key)} IS NOT NULL"
            case Known(of):
                return f"{self.value(of)} IS NOT NULL"
            case Any(group, where):
                return f"{self._of_group(group, where, lambda _: 'COUNT(*)')} IS NOT NULL"
        raise TypeError(node)

    def value(self, node: Expr, labels: tuple[str, ...] = ()) -> str:
        """A number, a class or a row. labels: the classes that numbers stand for."""
        match node:
            case Const(value):
                return in_quotes(labels[value]) if labels else f"CAST({int(value)} AS BIGINT)"
            case Me():
                return column_of(self.row, ID)
            case It():
                return column_of(f"{self.row}_it", ID)
            case Get():
                return self._column(node)
            case Arith(a, op, b):
                product = f"{self.value(a)} {op} {self.value(b)}"
                if op != "*":
                    return f"({product})"
                sizes = " * ".join(f"ABS(CAST({self.value(part)} AS DOUBLE))" for part in (a, b))
                return f"CASE WHEN {sizes} < {IN_64_BITS} THEN {product} END"
            case Within(of, least, most):
                text = self.value(of, labels)
                return f"CASE WHEN {text} BETWEEN {least} AND {most} THEN {text} END"
            case Case(cases, otherwise):
                parts = [
                    f"WHEN {self.condition(guard)} THEN {self.value(value, labels)}"
                    for guard, value in cases
                ]
                rest = self.value(otherwise, labels)
                return f"CASE {' '.join(parts)} ELSE {rest} END" if cases else rest
            case Count(group, where):
                return f"COALESCE({self._of_group(group, where, lambda _: 'COUNT(*)')}, 0)"
            case First():
                return self._first(node)
            case Pairs(rows, where):
                inner = Select(self.schema, self.at, f"{self.row}_me", it=rows)
                fits, me = inner.condition(where), column_of(inner.row, ID)
                query = (
                    f"SELECT {me} AS k1, COUNT(*) AS n {inner.rows()} WHERE {fits} GROUP BY {me}"
                )
                return f"COALESCE({self._join(f'({query})', 'k1', self.value(ME))}.n, 0)"
        return f"CASE WHEN {self.condition(node)} THEN 1 ELSE 0 END"

    def _column(self, node: Get) -> str:
        """A column of a row; of one that is led to, by a join."""
        match node.of:
            case Me():
                return column_of(self.row, node.column)
            case It():
                return column_of(f"{self.row}_it", node.column)
        end: Expr = node
        while isinstance(end, Get):
            end = end.of
        match end:
            case First(_, _, (key, *_), _, 0) if put(key, me=end) == node:
                return self._extreme(end, key)  # the least, whichever row it is
        table = self.schema.led_to.get(node.at) or self.schema.table(node.at)
        return column_of(self._join(table, ID, self.value(node.of)), node.column)

    # ---- groups

    def _of_group(self, group: Group, where: Expr, picked: Callable[[Select], str]) -> str:
        """What is picked of the rows of my group for which a condition holds; NULL of none."""
        inner = Select(self.schema, group.rows, f"{self.row}_it")
        keys = [inner.value(part) for part in group.key]
        listed = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys, 1))
        value, fits = picked(inner), inner.condition(where)
        query = f"SELECT {listed}, {value} AS n {inner.rows()} WHERE {fits}"
        return self._met(f"({query} GROUP BY {', '.join(keys)})", group, "n")

    def _met(self, query: str, group: Group, column: str) -> str:
        """A column of what a query has for each group: of mine."""
        mine = [(f"k{place}", self.value(part)) for place, part in enumerate(group.mine, 1)]
        return f"{self._join(query, *(one for pair in mine for one in pair))}.{column}"

    def _extreme(self, first: First, key: Expr) -> str:
        """The first key of the first row of my group."""
        least = "MAX" if first.last else "MIN"
        return self._of_group(first.group, first.where, lambda row: f"{least}({row.value(key)})")

    def _first(self, node: First) -> str:
        group = node.group
        if not node.keys and node.rank == 0:
            return self._of_group(group, node.where, lambda row: f"MIN({column_of(row.row, ID)})")
        inner = Select(self.schema, group.rows, f"{self.row}_it")
        keys, id_ = [inner.value(part) for part in group.key], column_of(inner.row, ID)
        listed = "".join(f"{key} AS k{place}, " for place, key in enumerate(keys, 1))
        order = [f"{inner.value(key)}{' DESC' if node.last else ''}" for key in node.keys]
        place = f"PARTITION BY {', '.join(keys)} ORDER BY {', '.join([*order, id_])}"
        fits = inner.condition(node.where)
        ranked = (
            f"SELECT {listed}{id_} AS n, ROW_NUMBER() OVER ({place}) AS place {inner.rows()} "
            f"WHERE {fits}"
        )
        query = f'(SELECT * FROM ({ranked}) AS "ranked" WHERE place = {node.rank + 1})'
        return self._met(query, group, "n")


def in_stages(lets: Iterable[Let]) -> list[dict[At, list[list[Let]]]]:
    """Lets in stages, each as early as what it reads of other rows is there.

    Those of a stage and a table are in layers: a layer names columns that the one before it gives.
    """
    stages: list[dict[At, list[list[Let]]]] = []
    placed: dict[tuple[At, str], tuple[int, int]] = {}
    joins: dict[tuple[At, int], int] = {}
    for let in lets:
        stage = layer = 0
        for at, name, is_own in reads(let.value):
            if (at, name) in placed:
                there, above = placed[at, name]
                least = (there, above + 1) if is_own else (there + 1, 0)
                stage, layer = max((stage, layer), least)
        joined = sum(len(parts_of(let.value, kind)) for kind in AGGREGATES)
        while joins.get((let.at, stage), 0) > MOST_JOINS:
            stage, layer = stage + 1, 0
        joins[let.at, stage] = joins.get((let.at, stage), 0) + joined
        placed[let.at, let.name] = stage, layer
        stages += [{} for _ in range(len(stages), stage + 1)]
        layers = stages[stage].setdefault(let.at, [])
        layers += [[] for _ in range(len(layers), layer + 1)]
        layers[layer].append(let)
    return stages


def layered(layers: Iterable[Iterable[Let]], schema: Schema, at: At, kept: Sequence[str]) -> str:
    """The query of lets of a table, in layers, and of columns that are kept."""
    select, kept = Select(schema, at), [*kept]
    for number, layer in enumerate(layers):
        if number:
            below, kept = f"({select.query(kept)})", [*kept, *select.given]
            select = Select(schema, at, source=below)
        for let in layer:
            select.give(let)
    return select.query(kept)


# ---- programs


@dataclass(frozen=True)
class SqlParts:
    """The parts of a program in SQL."""

    columns: Mapping[At, list[str]]  # of the tables to be filled
    tables: list[str]  # commands that make them
    # a query of checks and ids: inputs that are refused, before the start; None: none is
    refused: str | None
    start: Batch
    look: list[Batch]
    step: Batch
    goes_on: str | None  # a query that gives 1 or 0; None: the number of steps is fixed
    # a query of fields and ids: numbers that have left their bits, after a look; None: none can
    out_of_bits: str | None
    directed: bool  # whether the graph is taken to be
    program: ir.Program  # lowered


def to_sql(program: Program) -> str:
    """All parts, one after the other, with a comment before each."""
    parts = sql_parts(program)
    titles: dict[str, list[str]] = {
        "the tables: fill them with one graph and its inputs": parts.tables,
        "inputs that are refused: where an id comes, stop; all else is then wrong": [
            *filter(None, [parts.refused])
        ],
        "the start": commands(parts.start),
        "what is seen: after the start, and after every step": [
            command for batch in parts.look for command in commands(batch)
        ],
        "numbers that have left their bits: where an id comes, stop; all else is then wrong": [
            *filter(None, [parts.out_of_bits])
        ],
        "a step" + ("" if parts.goes_on else f": take {program.limit}"): commands(parts.step),
        (
            f"another step? 1 or 0; it takes at most {program.limit}, and is cut short where this "
            "is 1 after them"
        ): [*filter(None, [parts.goes_on])],
    }
    lines = [f"-- {program.name}", *(f"-- {remark}" for remark in program.remarks)]
    for title, listed in titles.items():
        if listed:
            lines += ["", f"-- {title}", *(f"{command};" for command in listed)]
    return "\n".join(lines) + "\n"


def sql_parts(program: Program, *, directed: bool | None = None, sees: bool = True) -> SqlParts:
    """The parts of a program in SQL.

    directed: whether the graph is; None: as the program says. sees: whether there are columns of
    all that is seen, and not of results alone.
    """
    directed = program.graphs != "undirected" if directed is None else directed
    lowered = lower(program.program)
    lowered = lowered if sees else for_results(lowered)
    lowered = unshared(lowered, (let.name for let in program.program.lets))
    schema = schema_of(lowered, directed)
    every = [*lowered.start, *lowered.lets, *lowered.becomes]
    refused, read = _refusals(program)
    read |= {(at, name) for let in every for at, name, _ in reads(let.value)}
    if any(at == "side" for at, _ in read):
        read |= {("link", "sender"), ("link", "receiver")}
    state = lowered.outputs | lowered.state  # what a step writes
    places = {at for at, _ in read} | {field.at for field in state.values()} | {"graph"}
    places |= {let.at for let in every}
    given: dict[At, list[str]] = {}  # of what a graph and its inputs give, the ids and what is read
    kept: dict[At, list[str]] = {}
    for at in PLACES:
        steps = [step for place, step in STEPS if place == at]
        inputs = [name for name, field in lowered.inputs.items() if field.at == at]
        carried = [name for name, field in state.items() if field.at == at]
        seen = [let.name for let in lowered.lets if let.at == at]
        _check_columns(at, [ID, NUMBER, *steps, *inputs, *carried, *seen])
        given[at] = [ID, *(name for name in (NUMBER, *steps, *inputs) if (at, name) in read)]
        kept[at] = given[at] + carried
    filled = {at: names for at, names in given.items() if at in places}
    goes_on, look = any(let.name == GOES_ON for let in lowered.lets), list[Batch]()
    for stage in in_stages(lowered.lets):
        look.append({at: layered(lets, schema, at, kept[at]) for at, lets in stage.items()})
        for at, layers in stage.items():
            kept[at] = kept[at] + [let.name for layer in layers for let in layer]
    return SqlParts(
        columns=filled,
        tables=_tables(filled, lowered),
        refused=refused,
        start=_batch(_started(lowered), schema, given),
        look=look,
        step=_batch(lowered.becomes, schema, given),
        goes_on=f"SELECT {sql_column(ID)}, {sql_column(GOES_ON)} FROM {sql_column('graph')}"
        if goes_on
        else None,
        out_of_bits=_out_of_bits(lowered),
        directed=directed,
        program=lowered,
    )


def for_results(program: ir.Program) -> ir.Program:
    """A lowered program with no more columns than its results and its refusals need.

    Nodes and edges are numbered as they are indexed, what a row can say at once is written out
    where it is read, and the first of those that come first by keys is the first by these keys.
    """
    said, firsts, lets = dict[tuple[At, str], Expr](), dict[Expr, First](), list[Let]()
    kept = {GOES_ON, *program.outcomes}

    def written_out(node: Expr) -> Expr:
        match node:
            case Get("number", "node" | "edge", of):
                return written_out(of)
            case Get(name, at, of) if (at, name) in said:
                return put(said[at, name], me=written_out(of))
        made = ir.rebuilt(node, written_out)
        if isinstance(made, And):
            return ir.conjunction(*made.terms)
        if isinstance(made, Any) or (isinstance(made, First) and not (made.keys or made.rank)):
            terms = {*made.where.terms} if isinstance(made.where, And) else {made.where}
            for term in terms & firsts.keys():
                one, group = firsts[term], made.group
                own = {*one.where.terms} if isinstance(one.where, And) else {one.where}
                if (own, one.group) == (terms - {term}, replace(group, mine=group.key)):
                    return (
                        Any(group, one.where)
                        if isinstance(made, Any)
                        else replace(one, group=group)
                    )
        return cast("Expr", made)

    for let in program.lets:
        value = written_out(let.value)
        firsts |= ties([replace(let, value=value)])
        if let.name in kept or any(parts_of(value, kind) for kind in (*AGGREGATES, Within)):
            lets.append(replace(let, value=value))
        else:
            said[let.at, let.name] = value
    becomes = tuple(replace(let, value=written_out(let.value)) for let in program.becomes)
    read = {key for let in becomes for key in ir.columns_of(let.value)}
    needed = list[Let]()
    for let in reversed(lets):
        if (let.at, let.name) in read or let.name in kept or parts_of(let.value, Within):
            needed.insert(0, let)
            read |= ir.columns_of(let.value)
    return replace(program, lets=tuple(needed), becomes=becomes)


def schema_of(lowered: ir.Program, directed: bool) -> Schema:
    """The tables of a program by their own names."""
    fields = lowered.inputs | lowered.outputs | lowered.state
    labels = {(field.at, name): field.labels for name, field in fields.items()}
    return Schema(labels, directed, {}, {})


def _refusals(program: Program) -> tuple[str | None, set[tuple[At, str]]]:
    """A query of the names of checks, and the first id that each refuses; and what it reads."""
    fields, parts, read = program.program.inputs, [], set[tuple[At, str]]()
    named = [*program.checks]
    named += [(field.distinct, name) for name, field in fields.items() if field.distinct]
    for check, *arguments in named:
        inputs = [one for one in arguments if isinstance(one, str)]
        read |= {(fields[name].at, name) for name in inputs}
        if "link" in CHECKS[str(check)]:
            read |= {("link", "sender"), ("link", "receiver")}
        columns = [sql_column(one) if isinstance(one, str) else str(one) for one in arguments]
        wrong = CHECKS[str(check)].format(*columns, at=sql_column(fields[inputs[0]].at))
        said = in_quotes(f"{check} ({', '.join(inputs)})")
        parts.append(f'SELECT {said} AS "field", MIN(id) AS "id" FROM (\n{wrong}\n) AS refused')
    return "\nUNION ALL ".join(parts) or None, read


def _check_columns(at: At, names: Iterable[str]) -> None:
    """SQL does not tell names apart by their case."""
    seen: dict[str, str] = {}
    for name in names:
        if seen.setdefault(name.casefold(), name) != name:
            raise DefinitionError(
                f"in SQL, '{seen[name.casefold()]}' and '{name}' would be one column of {at}s: "
                "rename the field."
            )


def _tables(columns: Mapping[At, list[str]], program: ir.Program) -> list[str]:
    """A CREATE TABLE for each table, to be filled."""
    tables = []
    for at, names in columns.items():
        typed = []
        for name in names:
            is_category = name in program.inputs and program.inputs[name].kind == "category"
            typed.append(f"  {sql_column(name)} {'VARCHAR(255)' if is_category else 'BIGINT'}")
        tables.append(f"CREATE TABLE {sql_column(at)} (\n" + ",\n".join(typed) + "\n)")
    return tables


def _started(program: ir.Program) -> Iterator[Let]:
    """The first state; an output that is no state says nothing before the first step."""
    yield from program.start
    for name, field in program.outputs.items():
        if name not in program.state:
            yield Let(name, field.at, Const(False) if field.kind == "mask" else Const(0))


def unbounded(let: Let) -> Let:
    """A let whose bounds are asked for afterwards, so that what leaves them can be named."""
    return replace(let, value=let.value.of) if isinstance(let.value, Within) else let


def _batch(lets: Iterable[Let], schema: Schema, kept: Mapping[At, list[str]]) -> Batch:
    """Queries that compute lets of all tables at once."""
    of_tables: dict[At, list[Let]] = {}
    for let in lets:
        of_tables.setdefault(let.at, []).append(unbounded(let))
    return {at: layered([layer], schema, at, kept[at]) for at, layer in of_tables.items()}


def _out_of_bits(program: ir.Program) -> str | None:
    """The first element of each number that has left its bits."""
    bounds = {
        (let.at, let.name): let.value
        for let in (*program.start, *program.lets, *program.becomes)
        if isinstance(let.value, Within)
    }
    parts = [
        f'SELECT {in_quotes(name)} AS "field", MIN("id") AS "id" FROM {sql_column(at)} WHERE '
        f"{(column := sql_column(name))} < {within.least} OR {column} > {within.most} OR {column} "
        "IS NULL"
        for (at, name), within in bounds.items()
    ]
    return "\nUNION ALL ".join(parts) or None


def commands(batch: Batch) -> list[str]:
    """What a batch does: each table is made of those before, then takes its place."""
    made = [f'CREATE TABLE "new {table}" AS\n{query}' for table, query in batch.items()]
    for table in batch:
        made.append(f'DROP TABLE IF EXISTS "{table}"')
        made.append(f'ALTER TABLE "new {table}" RENAME TO "{table}"')
    return made
