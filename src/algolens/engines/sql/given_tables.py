"""Tables of a user's graph, made into the tables of a program by queries alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm
from algolens.engines.sql.engine import Tables, count_of
from algolens.engines.sql_select import in_quotes, sql_column
from algolens.errors import GraphFileError, InputError
from algolens.language.fields import Number
from algolens.language.ir import At, Field

WHOLE = ("bigint", "int", "integer", "smallint", "tinyint", "ubigint", "uinteger", "usmallint")
TEXT = ("varchar", "string")
WANTED = {"number": "whole numbers", "mask": "true or false", "category": "text"}
EDGES, NODES, NAMES = "given_edges", "given_nodes", "name"
ROW, NAMED_AT = "its row", "named at"
MOST_NODES = 2**31
ENDS = ("source", "target")


class GivenTables:
    """A graph in tables of edges (source, target) and of nodes (node).

    Parameters
    ----------
    tables : Tables
        The database.
    algorithm : Algorithm
        What is to be run; it says which columns are read.
    directed : bool
        Whether edges lead from source to target.
    """

    def __init__(self, tables: Tables, algorithm: Algorithm, *, directed: bool) -> None:
        self.tables, self.algorithm, self.directed = tables, algorithm, directed
        self.inputs = algorithm.declaration.program.inputs
        self.columns: dict[At, dict[str, str]] = {}
        self.files: dict[At, Path] = {}
        self.notes: list[str] = []
        self.is_text = False
        self.num_nodes = self.num_edges = 0
        # results at edges are in the user's order and direction
        outputs = algorithm.declaration.program.outputs.values()
        self.keeps_order = any(field.at == "edge" for field in outputs)

    def open(self, edges: Path, nodes: Path | None) -> None:
        """Opens the files, numbers the nodes, and makes tables of nodes and edges."""
        self._open("edge", EDGES, edges, ENDS)
        if nodes is not None:
            self._open("node", NODES, nodes, ("node",))
        self._number_nodes(nodes is not None)
        self._make_edges()
        self._make_nodes(nodes is not None)

    def _open(self, at: At, name: str, path: Path, keys: Sequence[str]) -> None:
        columns = self.tables.open_parquet(name, path)
        lacking = [key for key in keys if key not in columns]
        if lacking:
            raise GraphFileError(
                f"{path} has no column '{lacking[0]}'; it has {', '.join(columns)}: name the "
                f"columns of {' and '.join(keys)} so."
            )
        types = {columns[key] for key in keys}
        kinds = {"whole" if kind in WHOLE else "text" if kind in TEXT else kind for kind in types}
        if at == "edge":
            self.is_text = kinds == {"text"}
        if kinds != {"text" if self.is_text else "whole"}:
            raise GraphFileError(
                f"{path}: {' and '.join(keys)} are of type {', '.join(sorted(types))}: give all "
                "nodes as whole numbers, or all as text."
            )
        self.columns[at], self.files[at] = columns, path

    def _number_nodes(self, has_nodes: bool) -> None:
        """A table of ids and names."""
        parts = [f'SELECT "{end}" AS "name" FROM {EDGES}' for end in ENDS]
        parts += [f'SELECT "node" FROM {NODES}'] if has_nodes else []
        number = 'ROW_NUMBER() OVER (ORDER BY "name") - 1' if self.is_text else '"name"'
        self.tables.make(
            {
                NAMES: f"""SELECT CAST({number} AS BIGINT) AS "id", "name"
                FROM ({" UNION ".join(parts)}) AS every WHERE "name" IS NOT NULL"""
            }
        )
        least, most = self.tables.rows('SELECT MIN("id"), MAX("id") FROM "name"')[0]
        if least is None:
            raise GraphFileError(f"{self.files['edge']}: there is no node in it.")
        if least < 0 or most >= MOST_NODES:
            raise GraphFileError(
                f"{self.files['edge']}: node {least if least < 0 else most} is no number from 0 to "
                f"{MOST_NODES - 1}: give such numbers, or names as text."
            )
        self.num_nodes = int(most) + 1

    def _make_edges(self) -> None:
        """Edges, each once, by the ids of their ends; loops are left out."""
        inputs = self.inputs_at("edge")
        a, b = (f'given."{end}"' for end in ENDS)
        row = f', {self.tables.row_number} AS "{ROW}"' if self.keeps_order else ""
        source = f"(SELECT *{row} FROM {EDGES}) AS given"
        if self.is_text:
            source += f' JOIN "name" AS a ON a."name" = {a} JOIN "name" AS b ON b."name" = {b}'
            a, b = 'a."id"', 'b."id"'
        least, most = (a, b) if self.directed else (f"LEAST({a}, {b})", f"GREATEST({a}, {b})")
        values = "".join(f", {self._value(name)} AS {sql_column(name)}" for name in inputs)
        # twice the row that names an edge, and 1 more where that names its second end first
        named = f'2 * "{ROW}" + CASE WHEN {a} = {least} THEN 0 ELSE 1 END'
        ends = f"""SELECT CAST({least} AS BIGINT) AS one_end, CAST({most} AS BIGINT) AS other_end,
            {named if self.keeps_order else 0} AS "{NAMED_AT}"{values}
            FROM {source} WHERE {a} IS NOT NULL AND {b} IS NOT NULL"""
        extremes = "".join(
            f", MIN({column}) AS {column}, MAX({column}) AS {sql_column(f'most {name}')}"
            for name, column in _columns(inputs)
        )
        number = f"one_end * {self.num_nodes} + other_end"
        self.tables.make(
            {
                "edge": f"""SELECT {number} AS "id", {number} AS "number",
                CAST(0 AS BIGINT) AS "graph", one_end, other_end, COUNT(*) AS times,
                MIN("{NAMED_AT}") AS "{NAMED_AT}"{extremes}
                FROM ({ends}) AS ends GROUP BY one_end, other_end"""
            }
        )
        self._check_edges(inputs)

    def _check_edges(self, inputs: Iterable[str]) -> None:
        """Refuses loops and edges that stand twice where they matter; else tells of them."""
        algorithm = self.algorithm
        for name, column in _columns(inputs):
            differ = f"{column} <> {sql_column(f'most {name}')}"
            self._refuse_rows("edge", differ, f"has two values of '{name}': keep one of them")
        for what, where, matters, how in (
            ("is a self-loop", "one_end = other_end", algorithm.loops_matter, "left out"),
            (
                "stands more than once",
                "times > 1",
                algorithm.parallel_edges_matter,
                "read as one edge",
            ),
        ):
            if matters:
                changes = f"{what}, which changes what {algorithm.name} finds: take it out"
                self._refuse_rows("edge", where, changes)
            many = self.tables.rows(f'SELECT COUNT(*) FROM "edge" WHERE {where}')[0][0]
            if many:
                self.notes.append(f"an edge that {what} is {how} (there are {many} such).")
        listed = "".join(f", {column}" for _, column in _columns(inputs))
        self.tables.make(
            {
                "edge": f"""SELECT "id", "number", "graph", one_end, other_end,
                "{NAMED_AT}"{listed} FROM "edge" WHERE one_end <> other_end"""
            }
        )
        self.num_edges = count_of(self.tables, "edge")

    def _make_nodes(self, has_nodes: bool) -> None:
        """Nodes, with what the table of nodes says of them."""
        values = "".join(
            f", {self._value(name)} AS {column}"
            for name, column in _columns(self.inputs_at("node"))
        )
        given = f'LEFT JOIN {NODES} AS given ON given."node" = named."name"' if has_nodes else ""
        self.tables.make(
            {
                "node": f"""SELECT named."id", named."id" AS "number", CAST(0 AS BIGINT) AS
                "graph"{values} FROM "name" AS named {given}"""
            }
        )
        twice = self.tables.rows(
            'SELECT "id" FROM "node" GROUP BY "id" HAVING COUNT(*) > 1 LIMIT 1'
        )
        if twice:
            path, name = self.files["node"], self.name_of(twice[0][0])
            raise GraphFileError(f"{path}: node '{name}' stands twice. Keep one of them.")

    # ---- inputs

    def inputs_at(self, at: At) -> dict[str, Field]:
        """The inputs that a table of the user's has a column for."""
        columns = self.columns.get(at, {})
        return {
            name: field for name, field in self.inputs.items() if field.at == at and name in columns
        }

    def _value(self, name: str) -> str:
        """A column as a program reads it; one of a wrong type is refused."""
        field = self.inputs[name]
        type_, column = self.columns[field.at][name], f"given.{sql_column(name)}"
        if field.kind == "number" and type_ in WHOLE:
            return f"CAST({column} AS BIGINT)"
        if field.kind == "mask" and type_ == "boolean":
            return f"CASE WHEN {column} THEN 1 WHEN NOT {column} THEN 0 END"
        if field.kind == "category" and type_ in TEXT:
            return column
        if field.kind == "pointer":
            raise GraphFileError(
                f"'{name}' of {self.algorithm.name} is a pointer, which is not read from tables: "
                "leave --out away (in Python, use al.execute), and it is read into memory."
            )
        hint = ": multiply them until they are" if field.kind == "number" else ""
        raise GraphFileError(
            f"{self.files[field.at]}: '{name}' is of type {type_}, and {self.algorithm.name} reads "
            f"{WANTED[field.kind]}{hint}."
        )

    def with_room(self) -> Algorithm:
        """The algorithm with as many bits as the numbers need; a value that is none is refused."""
        algorithm, bits = self.algorithm, [1]
        for name, field in self.inputs.items():
            kind, column = algorithm.declaration.inputs[name].kind, sql_column(name)
            if name in self.columns.get(field.at, {}):
                self._refuse_rows(field.at, f"{column} IS NULL", f"has no '{name}': give it one")
                self._check_values(name, field)
                if isinstance(kind, Number):
                    extremes = f'SELECT MIN({column}), MAX({column}) FROM "{field.at}"'
                    numbers = [one for one in self.tables.rows(extremes)[0] if one is not None]
                    bits += [kind.bits_for(int(number)) for number in numbers]
            elif field.drawn and field.kind == "number":
                bits.append(31)
        own = algorithm.options.get("bits")
        return algorithm.but(bits=max(bits)) if own is not None and max(bits) > own else algorithm

    def _check_values(self, name: str, field: Field) -> None:
        column, reads = sql_column(name), self.algorithm.name
        if field.kind == "number" and not field.signed:
            what = f"has a '{name}' below {field.low}, and {reads} reads none: correct it"
            self._refuse_rows(field.at, f"{column} < {field.low}", what)
        if field.distinct:  # different in the whole graph, so different between neighbours too
            query = f'SELECT COUNT(*), COUNT(DISTINCT {column}) FROM "{field.at}"'
            many, different = self.tables.rows(query)[0]
            if many != different:
                raise InputError(
                    f"{self.files[field.at]}: two {field.at}s have the same '{name}', and {reads} "
                    "reads different ones: give different numbers."
                )
        if field.labels:
            known = ", ".join(map(in_quotes, field.labels))
            what = f"has a '{name}' that is none of {', '.join(field.labels)}: correct it"
            self._refuse_rows(field.at, f"{column} NOT IN ({known})", what)

    def _refuse_rows(self, at: At, where: str, what: str) -> None:
        """Refuses a node or an edge for which a condition holds."""
        keys = '"id"' if at == "node" else "one_end, other_end"
        wrong = self.tables.rows(f'SELECT {keys} FROM "{at}" WHERE {where} LIMIT 1')
        if wrong:
            names = [f"{self.name_of(element)}" for element in wrong[0]]
            called = f"node '{names[0]}'" if len(names) == 1 else f"edge ({', '.join(names)})"
            raise InputError(f"{self.files[at]}: {called} {what}.")

    def name_of(self, element: int) -> Any:
        """What the user calls a node."""
        return self.tables.rows(f'SELECT "name" FROM "name" WHERE "id" = {element}')[0][0]


def _columns(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, sql_column(name)) for name in names]
