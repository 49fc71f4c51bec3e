"""Tables of a user's graph, made into the tables of a program by queries alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm
from algolens.engines.engine import Tables
from algolens.errors import GraphFileError, InputError
from algolens.fields import Category, Field, Mask, Number
from algolens.graphs import Location
from algolens.programs.sql_select import in_quotes, sql_column, sql_table

WHOLE = ("bigint", "int", "integer", "smallint", "tinyint", "ubigint", "uinteger", "usmallint")
TEXT = ("varchar", "string")
EDGES, NODES, NAMES = "given_edges", "given_nodes", "name"
ROW, NAMED_AT = "its row", "named at"
MOST_NODES = 2**31
ID, NAME = sql_column("id"), sql_column("name")
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
        self.columns: dict[Location, dict[str, str]] = {}
        self.files: dict[Location, Path] = {}
        self.notes: list[str] = []
        self.is_text = False
        self.num_nodes = self.num_edges = 0
        # results at edges are in the user's order and direction
        self.keeps_order = algorithm.declaration.location is Location.EDGE

    def open(self, edges: Path, nodes: Path | None) -> None:
        """Opens the files, numbers the nodes, and makes tables of nodes and edges."""
        self._open(Location.EDGE, EDGES, edges, ENDS)
        if nodes is not None:
            self._open(Location.NODE, NODES, nodes, ("node",))
        self._number_nodes(nodes is not None)
        self._make_edges()
        self._make_nodes(nodes is not None)

    def _open(self, location: Location, name: str, path: Path, keys: Sequence[str]) -> None:
        columns = self.tables.open_parquet(name, path)
        lacking = [key for key in keys if key not in columns]
        if lacking:
            raise GraphFileError(
                f"{path} has no column '{lacking[0]}'; it has {', '.join(columns)}: name the "
                f"columns of {' and '.join(keys)} so."
            )
        types = {columns[key] for key in keys}
        kinds = {"whole" if kind in WHOLE else "text" if kind in TEXT else kind for kind in types}
        if location is Location.EDGE:
            self.is_text = kinds == {"text"}
        if kinds != {"text" if self.is_text else "whole"}:
            raise GraphFileError(
                f"{path}: {' and '.join(keys)} are of type {', '.join(sorted(types))}: give all "
                "nodes as whole numbers, or all as text."
            )
        self.columns[location], self.files[location] = columns, path

    def _number_nodes(self, has_nodes: bool) -> None:
        """A table of ids and names."""
        parts = [f"SELECT {sql_column(end)} AS {NAME} FROM {EDGES}" for end in ENDS]
        parts += [f"SELECT {sql_column('node')} FROM {NODES}"] if has_nodes else []
        every = f"SELECT {NAME} FROM ({' UNION '.join(parts)}) AS every WHERE {NAME} IS NOT NULL"
        number = f"CAST({NAME} AS BIGINT)"
        if self.is_text:
            number = f"CAST(ROW_NUMBER() OVER (ORDER BY {NAME}) - 1 AS BIGINT)"
        query = f"SELECT {number} AS {ID}, {NAME} FROM ({every}) AS named"
        self.tables.make({NAMES: query})
        least, most = self.tables.rows(f"SELECT MIN({ID}), MAX({ID}) FROM {sql_column(NAMES)}")[0]
        if least is None:
            raise GraphFileError(f"{self.files[Location.EDGE]}: there is no node in it.")
        if least < 0 or most >= MOST_NODES:
            raise GraphFileError(
                f"{self.files[Location.EDGE]}: node {least if least < 0 else most} is no number "
                f"from 0 to {MOST_NODES - 1}: give such numbers, or names as text."
            )
        self.num_nodes = int(most) + 1

    def _make_edges(self) -> None:
        """Edges, each once, by the ids of their ends; loops are left out."""
        inputs = self.inputs_at(Location.EDGE)
        a, b = (f"given.{sql_column(end)}" for end in ENDS)
        source = f"{EDGES} AS given"
        if self.keeps_order:
            row = f"{self.tables.row_number} AS {sql_column(ROW)}"
            source = f"(SELECT *, {row} FROM {EDGES}) AS given"
        if self.is_text:
            for alias, end in (("a", a), ("b", b)):
                source += f" JOIN {sql_column(NAMES)} AS {alias} ON {alias}.{NAME} = {end}"
            a, b = f"a.{ID}", f"b.{ID}"
        low, high = a, b
        if not self.directed:
            low = f"CASE WHEN {a} < {b} THEN {a} ELSE {b} END"
            high = f"CASE WHEN {a} < {b} THEN {b} ELSE {a} END"
        listed = "".join(f", {self._value(name, 'given')} AS {sql_column(name)}" for name in inputs)
        if self.keeps_order:
            # twice the row that names an edge, and 1 more where that names its second end first
            turned = f"CASE WHEN {a} = {low} THEN 0 ELSE 1 END"
            listed += f", 2 * given.{sql_column(ROW)} + {turned} AS {sql_column(NAMED_AT)}"
        ends = (
            f"SELECT CAST({low} AS BIGINT) AS {sql_column('one_end')}, CAST({high} AS BIGINT) AS "
            f"{sql_column('other_end')}{listed} FROM {source} WHERE {a} IS NOT NULL AND {b} IS NOT "
            "NULL"
        )
        both = f"{sql_column('one_end')}, {sql_column('other_end')}"
        extremes = "".join(
            f", MIN({sql_column(name)}) AS {sql_column(name)}, MAX({sql_column(name)}) AS "
            f"{sql_column(f'most {name}')}"
            for name in inputs
        )
        if self.keeps_order:
            extremes += f", MIN({sql_column(NAMED_AT)}) AS {sql_column(NAMED_AT)}"
        number = f"{sql_column('one_end')} * {self.num_nodes} + {sql_column('other_end')}"
        self.tables.make(
            {
                "edge": f"SELECT {number} AS {ID}, {number} AS {sql_column('number')}, "
                f"CAST(0 AS BIGINT) AS {sql_column('graph')}, {both}, COUNT(*) AS "
                f"{sql_column('times')}{extremes} FROM ({ends}) AS ends GROUP BY {both}"
            }
        )
        self._check_edges(inputs)

    def _check_edges(self, inputs: Mapping[str, Field]) -> None:
        """Refuses loops and edges that stand twice where they matter; else tells of them."""
        algorithm, ends = self.algorithm, [sql_column("one_end"), sql_column("other_end")]
        is_loop = f"{ends[0]} = {ends[1]}"
        for name in inputs:
            self._refuse_rows(
                Location.EDGE,
                f"{sql_column(name)} <> {sql_column(f'most {name}')}",
                f"has two values of '{name}': keep one of them",
            )
        for what, where, matters in (
            ("is a self-loop", is_loop, algorithm.loops_matter),
            (
                "stands more than once",
                f"{sql_column('times')} > 1",
                algorithm.parallel_edges_matter,
            ),
        ):
            if matters:
                changes = f"{what}, which changes what {algorithm.name} finds: take it out"
                self._refuse_rows(Location.EDGE, where, changes)
            many = self.tables.rows(f"SELECT COUNT(*) FROM {sql_column('edge')} WHERE {where}")
            if many[0][0]:
                how = "left out" if where == is_loop else "read as one edge"
                self.notes.append(f"an edge that {what} is {how} (there are {many[0][0]} such).")
        named = [NAMED_AT] if self.keeps_order else []
        listed = ", ".join(
            map(sql_column, ["id", "number", "graph", "one_end", "other_end", *named, *inputs])
        )
        self.tables.make({"edge": f"SELECT {listed} FROM {sql_column('edge')} WHERE NOT {is_loop}"})
        self.num_edges = int(self.tables.rows(f"SELECT COUNT(*) FROM {sql_column('edge')}")[0][0])

    def _make_nodes(self, has_nodes: bool) -> None:
        """Nodes, with what the table of nodes says of them."""
        inputs = self.inputs_at(Location.NODE)
        source = f"{sql_column(NAMES)} AS named"
        if has_nodes:
            source += f" LEFT JOIN {NODES} AS given ON given.{sql_column('node')} = named.{NAME}"
        listed = "".join(f", {self._value(name, 'given')} AS {sql_column(name)}" for name in inputs)
        self.tables.make(
            {
                "node": f"SELECT named.{ID}, named.{ID} AS {sql_column('number')}, CAST(0 AS "
                f"BIGINT) AS {sql_column('graph')}{listed} FROM {source}"
            }
        )
        twice = self.tables.rows(
            f"SELECT {ID} FROM {sql_column('node')} GROUP BY {ID} HAVING COUNT(*) > 1 LIMIT 1"
        )
        if twice:
            path, name = self.files[Location.NODE], self.name_of(twice[0][0])
            raise GraphFileError(f"{path}: node '{name}' stands twice. Keep one of them.")

    # ---- inputs

    def inputs_at(self, location: Location) -> dict[str, Field]:
        """The inputs that the table of a location has a column for."""
        columns = self.columns.get(location, {})
        return {
            name: field
            for name, field in self.algorithm.declaration.inputs.items()
            if field.location is location and name in columns
        }

    def _value(self, name: str, row: str) -> str:
        """A column as a program reads it; one of a wrong type is refused."""
        field = self.algorithm.declaration.inputs[name]
        kind, type_ = field.kind, self.columns[field.location][name]
        column, path = f"{row}.{sql_column(name)}", self.files[field.location]
        match kind:
            case Number() if type_ in WHOLE:
                return f"CAST({column} AS BIGINT)"
            case Mask() if type_ == "boolean":
                return f"CASE WHEN {column} THEN 1 WHEN NOT {column} THEN 0 END"
            case Category() if type_ in TEXT:
                return column
        wanted = {Number: "whole numbers", Mask: "true or false", Category: "text"}
        asked = wanted.get(type(kind))
        if asked is None:
            raise GraphFileError(
                f"'{name}' of {self.algorithm.name} is a pointer, which is not read from tables: "
                "leave --out away (in Python, use al.execute), and it is read into memory."
            )
        hint = ": multiply them until they are" if isinstance(kind, Number) else ""
        raise GraphFileError(
            f"{path}: '{name}' is of type {type_}, and {self.algorithm.name} reads {asked}{hint}."
        )

    def with_room(self) -> Algorithm:
        """The algorithm with as many bits as the numbers need; a value that is none is refused."""
        algorithm, bits = self.algorithm, [1]
        for location in (Location.NODE, Location.EDGE):
            for name, field in self.inputs_at(location).items():
                column = sql_column(name)
                self._refuse_rows(location, f"{column} IS NULL", f"has no '{name}': give it one")
                self._check_values(location, name, field)
                if isinstance(field.kind, Number):
                    table = sql_table(location)
                    least, most = self.tables.rows(
                        f"SELECT MIN({column}), MAX({column}) FROM {table}"
                    )[0]
                    numbers = [number for number in (least, most) if number is not None]
                    bits += [field.kind.bits_for(int(number)) for number in numbers]
        for name, field in algorithm.declaration.inputs.items():
            is_drawn = field.drawn and name not in self.columns.get(field.location, {})
            bits += [31] if is_drawn and isinstance(field.kind, Number) else []
        own = algorithm.options.get("bits")
        if own is not None and max(bits) > own:
            algorithm = algorithm.but(bits=max(bits))
        return algorithm

    def _check_values(self, location: Location, name: str, field: Field) -> None:
        kind, column, reads = field.kind, sql_column(name), self.algorithm.name
        match kind:
            case Number(low=low, signed=signed, distinct=distinct):
                if not signed:
                    what = f"has a '{name}' below {low}, and {reads} reads none: correct it"
                    self._refuse_rows(location, f"{column} < {low}", what)
                if distinct is not None:
                    # different in the whole graph, so different between neighbours too
                    many = self.tables.rows(
                        f"SELECT COUNT(*), COUNT(DISTINCT {column}) FROM {sql_table(location)}"
                    )[0]
                    if many[0] != many[1]:
                        raise InputError(
                            f"{self.files[location]}: two {location.value}s have the same "
                            f"'{name}', and {reads} reads different ones: give different numbers."
                        )
            case Category(labels=labels):
                known = ", ".join(map(in_quotes, labels))
                what = f"has a '{name}' that is none of {', '.join(labels)}: correct it"
                self._refuse_rows(location, f"{column} NOT IN ({known})", what)

    def _refuse_rows(self, location: Location, where: str, what: str) -> None:
        """Refuses a node or an edge for which a condition holds."""
        table = sql_table(location)
        keys = [ID] if location is Location.NODE else map(sql_column, ("one_end", "other_end"))
        wrong = self.tables.rows(f"SELECT {', '.join(keys)} FROM {table} WHERE {where} LIMIT 1")
        if wrong:
            names = [f"{self.name_of(element)}" for element in wrong[0]]
            called = f"node '{names[0]}'" if len(names) == 1 else f"edge ({', '.join(names)})"
            raise InputError(f"{self.files[location]}: {called} {what}.")

    def name_of(self, element: int) -> Any:
        """What the user calls a node."""
        query = f"SELECT {NAME} FROM {sql_column(NAMES)} WHERE {ID} = {element}"
        return self.tables.rows(query)[0][0]
