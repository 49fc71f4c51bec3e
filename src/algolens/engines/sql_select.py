"""LIR in SQL: a path is a JOIN, a group of rows is a GROUP BY.

A mask is 0 or 1, a category the name of its class, a pointer the id of what it points to. The
dialect is what DuckDB, Spark and SQLite share: no UPDATE, no keys, no correlated subquery.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from algolens.language.ir import (
    ME,
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
    Program,
    Within,
    reads,
)

ID = "id"
LONGEST = 2000  # characters of a value that is written in place of its column
MOST_JOINS = 20  # of one query: planners take long over more
IN_64_BITS = "9e18"
Read = tuple[At, str]


def sql_column(name: str) -> str:
    """The name of a column or table, between quotation marks, where any is one."""
    return '"' + name.replace('"', '""') + '"'


def in_quotes(text: str) -> str:
    """Any text as a value."""
    return "'" + text.replace("'", "''") + "'"


def column_of(row: str, name: str) -> str:
    """A column of a row in a query."""
    return f"{row}.{sql_column(name)}"


class Columns:
    """What the columns of a program hold.

    Parameters
    ----------
    program : Program
        A lowered one.
    directed : bool
        Whether edges may have a direction; else every edge has a link each way.
    """

    def __init__(self, program: Program, directed: bool) -> None:
        self.directed = directed
        fields = (program.inputs | program.outputs | program.state).items()
        self._fields = {(field.at, name): field for name, field in fields}
        self._masks = {read for read, field in self._fields.items() if field.kind == "mask"}
        for let in (*program.lets, *program.becomes):
            if (let.at, let.name) not in self._fields and self.is_mask(let.value):
                self._masks.add((let.at, let.name))

    def is_mask(self, node: Expr) -> bool:
        """Whether an expression is a truth value."""
        match node:
            case Const(value):
                return isinstance(value, bool)
            case Get(column, at):
                return (at, column) in self._masks
            case Case(_, otherwise):
                return self.is_mask(otherwise)
        return isinstance(node, Not | And | Or | Compare | Any | Known)

    def labels(self, at: At, name: str) -> tuple[str, ...]:
        """The classes of a category; of anything else, none."""
        return self._fields[at, name].labels if (at, name) in self._fields else ()

    def table(self, at: At) -> str:
        """What a table is called in a query."""
        if at != "side":
            return sql_column(at)
        if not self.directed:  # neighbours are those at the other end of links
            return sql_column("link")
        ends = "sender", "receiver"
        both = " UNION ".join(
            f"SELECT {sql_column(one)} AS a, {sql_column(other)} AS b FROM {sql_column('link')}"
            for one, other in (ends, ends[::-1])
        )
        return (
            f"(SELECT ROW_NUMBER() OVER (ORDER BY a, b) AS {sql_column(ID)}, a AS "
            f'{sql_column("sender")}, b AS {sql_column("receiver")} FROM ({both}) AS "both")'
        )


class Select:
    """A query that gives columns for every row of a table.

    Parameters
    ----------
    columns : Columns
        What columns hold.
    at : str
        The table.
    row : str
        What its rows are called.
    """

    def __init__(self, columns: Columns, at: At, row: str = "me") -> None:
        self.columns, self.at, self.row = columns, at, row
        self.it: str | None = None  # what the other row of a pair is called
        self.given: dict[str, str] = {}  # columns, as they are computed
        self._own: dict[str, str] = {}  # of these, what stands in place of their names
        self._joins: dict[str, str] = {}  # by what they are, their names

    def add(self, let: Let) -> str:
        """Gives a let, too, and writes it out where others name it; its text."""
        self.give(let)
        is_mask = self.columns.is_mask(let.value)
        text = self.condition(let.value) if is_mask else self.given[let.name]
        self._own[let.name] = text
        return text

    def give(self, let: Let) -> None:
        """Gives a let, too."""
        self.given[let.name] = self.value(let.value, self.columns.labels(let.at, let.name))

    @property
    def is_full(self) -> bool:
        """Whether it joins as many tables as it may."""
        return len(self._joins) > MOST_JOINS

    def query(self, kept: Sequence[str] = ()) -> str:
        """The rows, with columns that are kept as they are."""
        listed = [f"{column_of(self.row, name)}" for name in kept if name not in self.given]
        listed += [f"{text} AS {sql_column(name)}" for name, text in self.given.items()]
        return f"SELECT {', '.join(listed)}\n{self._source()}"

    def _source(self) -> str:
        joins = (text.format(name=sql_column(name)) for text, name in self._joins.items())
        return "\n".join([f"FROM {self.columns.table(self.at)} AS {self.row}", *joins])

    def _join(self, text: str) -> str:
        """A join by its name, once; in its text, ``{name}`` stands for it."""
        if text not in self._joins:
            self._joins[text] = f"{self.row} {len(self._joins) + 1}"
        return sql_column(self._joins[text])

    # ---- expressions

    def condition(self, node: Expr) -> str:
        """A truth value, as a condition. What is said of no row is NULL, which does not hold."""
        match node:
            case Const(value):
                return "1 = 1" if value else "1 = 0"
            case Get(column, _, Me()) if column in self._own:
                return f"({self._own[column]})"
            case Get():
                return f"{self.value(node)} = 1"
            case Not(term):
                return f"NOT ({self.condition(term)})"
            case And(terms):
                return " AND ".join(f"({self.condition(term)})" for term in terms)
            case Or(terms):
                return " OR ".join(f"({self.condition(term)})" for term in terms)
            case Compare(left, op, right):
                labels = self._labels(left[0])
                one, other = (
                    ", ".join(self.value(part, labels) for part in side) for side in (left, right)
                )
                mark = "<>" if op == "!=" else op
                return f"({one}) {mark} ({other})" if len(left) > 1 else f"{one} {mark} {other}"
            case Known(First(group, where, (key,), last, 0)):
                return f"{self._extreme(group, where, key, last)} IS NOT NULL"
            case Known(of):
                return f"{self.value(of)} IS NOT NULL"
            case Any(group, where):
                keys = self._keys(group)
                inner = Select(self.columns, group.rows, f"{self.row}_it")
                listed = inner._listed(group)
                query = f"SELECT DISTINCT {listed} {inner._marked(where)}"
                return f"{self._joined(query, keys)}.{sql_column('key_1')} IS NOT NULL"
            case Case(cases, otherwise):
                parts = [
                    f"WHEN {self.condition(guard)} THEN CASE WHEN {self.condition(value)} THEN 1 "
                    "ELSE 0 END"
                    for guard, value in cases
                ]
                rest = f"CASE WHEN {self.condition(otherwise)} THEN 1 ELSE 0 END"
                return f"CASE {' '.join(parts)} ELSE {rest} END = 1" if cases else f"{rest} = 1"
        raise TypeError(node)

    def value(self, node: Expr, labels: tuple[str, ...] = ()) -> str:
        """A number, a class or a row. labels: the classes that numbers stand for."""
        match node:
            case Const(value) if labels:
                return in_quotes(labels[value])
            case Const(value):
                return f"CAST({int(value)} AS BIGINT)"
            case Me():
                return column_of(self.row, ID)
            case It():
                assert self.it is not None
                return column_of(self.it, ID)
            case Get(column, at, of):
                return self._column(column, at, of)
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
                keys, inner = self._keys(group), Select(self.columns, group.rows, f"{self.row}_it")
                listed, by = inner._listed(group), ", ".join(map(inner.value, group.key))
                query = f"SELECT {listed}, COUNT(*) AS n {inner._marked(where)} GROUP BY {by}"
                return f"COALESCE({self._joined(query, keys)}.n, 0)"
            case First():
                return f"{self._first(node)}.{sql_column(ID)}"
            case Pairs(rows, where):
                inner = Select(self.columns, self.at, f"{self.row}_me")
                inner.it = f"{self.row}_it"
                fits, me = inner.condition(where), column_of(inner.row, ID)
                tables = inner._source().split("\n")
                tables.insert(1, f"CROSS JOIN {self.columns.table(rows)} AS {inner.it}")
                query = (
                    f"SELECT {me} AS key_1, COUNT(*) AS n {' '.join(tables)} WHERE {fits} "
                    f"GROUP BY {me}"
                )
                return f"COALESCE({self._joined(query, [self.value(ME)])}.n, 0)"
        return f"CASE WHEN {self.condition(node)} THEN 1 ELSE 0 END"

    def _labels(self, node: Expr) -> tuple[str, ...]:
        return self.columns.labels(node.at, node.column) if isinstance(node, Get) else ()

    def _column(self, name: str, at: At, of: Expr) -> str:
        """A column of a row; of one that is led to, by a join."""
        if isinstance(of, Me):
            if name in self._own:
                is_mask = self.columns.is_mask(Get(name, at))
                text = self._own[name]
                return f"CASE WHEN {text} THEN 1 ELSE 0 END" if is_mask else text
            return column_of(self.row, name)
        if isinstance(of, It):
            assert self.it is not None
            return column_of(self.it, name)
        match of:  # the first has the least key, whichever row it is
            case First(group, where, (key, *_), last, 0) if key == Get(name, at):
                return self._extreme(group, where, key, last)
        there = self.value(of).replace("{", "{{").replace("}", "}}")
        table = self.columns.table(at)
        row = self._join(f"LEFT JOIN {table} AS {{name}} ON {{name}}.{sql_column(ID)} = {there}")
        return column_of(row, name)

    # ---- groups

    def _keys(self, group: Group) -> list[str]:
        return [self.value(part) for part in group.mine]

    def _listed(self, group: Group) -> str:
        """The keys of rows."""
        return ", ".join(
            f"{self.value(part)} AS {sql_column(f'key_{place}')}"
            for place, part in enumerate(group.key, 1)
        )

    def _marked(self, where: Expr) -> str:
        """Rows for which a condition holds."""
        fits = "" if where == Const(True) else f" WHERE {self.condition(where)}"
        return self._source().replace("\n", " ") + fits

    def _joined(self, query: str, keys: Sequence[str]) -> str:
        """The name of the groups that a query gives, of which there is one for each row."""
        meets = " AND ".join(
            f"{{name}}.{sql_column(f'key_{place}')} = {key}" for place, key in enumerate(keys, 1)
        )
        return self._join(
            f"LEFT JOIN ({query.replace('{', '{{').replace('}', '}}')}) AS {{name}} ON {meets}"
        )

    def _extreme(self, group: Group, where: Expr, key: Expr, last: bool) -> str:
        """The least (last: the greatest) value of the rows of my group."""
        keys, inner = self._keys(group), Select(self.columns, group.rows, f"{self.row}_it")
        listed, parts = inner._listed(group), ", ".join(map(inner.value, group.key))
        extreme = f"{'MAX' if last else 'MIN'}({inner.value(key)}) AS extreme"
        query = f"SELECT {listed}, {extreme} {inner._marked(where)} GROUP BY {parts}"
        return f"{self._joined(query, keys)}.extreme"

    def _first(self, node: First) -> str:
        keys, group = self._keys(node.group), node.group
        inner = Select(self.columns, group.rows, f"{self.row}_it")
        listed, id_ = inner._listed(group), column_of(inner.row, ID)
        names = ", ".join(sql_column(f"key_{place}") for place in range(1, len(keys) + 1))
        parts = ", ".join(map(inner.value, group.key))
        if not node.keys and node.rank == 0:
            least = f"MIN({id_}) AS {sql_column(ID)}"
            query = f"SELECT {listed}, {least} {inner._marked(node.where)} GROUP BY {parts}"
            return self._joined(query, keys)
        order = [f"{inner.value(key)}{' DESC' if node.last else ''}" for key in node.keys]
        place = f"ROW_NUMBER() OVER (PARTITION BY {parts} ORDER BY {', '.join([*order, id_])})"
        marked = inner._marked(node.where)
        ranked = f"SELECT {listed}, {id_} AS {sql_column(ID)}, {place} AS place {marked}"
        query = (
            f'SELECT {names}, {sql_column(ID)} FROM ({ranked}) AS "ranked" '
            f"WHERE place = {node.rank + 1}"
        )
        return self._joined(query, keys)


def in_stages(lets: Iterable[Let], columns: Columns) -> list[dict[At, Select]]:
    """Queries, one after the other: each let as early as what it reads of other rows is there."""
    stages: list[dict[At, Select]] = []
    level: dict[tuple[At, str], int] = {}
    size: dict[tuple[At, str], int] = {}  # of what is written in place of a column
    for let in lets:
        read = [((at, name), own) for at, name, own in reads(let.value)]
        before = [(each, own) for each, own in read if each in level]
        number = max((level[each] + (not own) for each, own in before), default=0)
        inside = {each for each, _ in before if level[each] == number}
        text = Select(columns, let.at).add(let)
        own_size = len(text)
        total = own_size + sum(size[each] * text.count(sql_column(each[1])) for each in inside)
        if inside and total > LONGEST:
            number, total = number + 1, own_size
        while number < len(stages) and let.at in stages[number] and stages[number][let.at].is_full:
            number += 1
        if number == len(stages):
            stages.append({})
        stages[number].setdefault(let.at, Select(columns, let.at)).add(let)
        level[let.at, let.name], size[let.at, let.name] = number, total
    return stages
