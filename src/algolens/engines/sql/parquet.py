"""Algorithms on graphs in Parquet files, run by a database that reads and writes them itself.

Nothing of the graph passes through Python, so it may be larger than memory. Nodes that are whole
numbers are their own ids; others are numbered in the order of their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm
from algolens.disk import new_folder
from algolens.engines import Stopped
from algolens.engines.program import Program
from algolens.engines.sql.engine import Engine, Tables, Tell, outcomes_of, take_steps
from algolens.engines.sql_source import in_quotes, sql_column, sql_parts
from algolens.errors import (
    AlgoLensError,
    GraphError,
    GraphFileError,
    InputError,
    UnknownNameError,
)
from algolens.language.ir import At, Field

WHOLE = ("bigint", "int", "integer", "smallint", "tinyint", "ubigint", "uinteger", "usmallint")
TEXT = ("varchar", "string")
WANTED = {"number": "whole numbers", "mask": "true or false", "category": "text"}
MOST_NODES = 2**31
SPREAD, SPREAD_TOO = 2_654_435_761, 40_503  # odd, so that different numbers stay different
NAMED_AT = '"named at"'  # twice the row that names an edge; 1 more where it names its ends reversed


@dataclass(frozen=True)
class ParquetRun:
    """The result of ``al.execute_parquet``.

    Attributes
    ----------
    out : Path
        Folder of the Parquet files: a row for each node (or edge), under the names of your graph.
    steps : int
        Number of steps.
    stopped : Stopped
        Why the run ended.
    outcomes : dict
        Results about the whole graph.
    num_nodes, num_edges : int
        The size of the graph.
    notes : tuple of str
        What the user should know, such as edges that were left out.
    """

    out: Path
    steps: int
    stopped: Stopped
    outcomes: dict[str, bool]
    num_nodes: int
    num_edges: int
    notes: tuple[str, ...]

    @property
    def is_cut_short(self) -> bool:
        """Whether the run hit its step limit, so that its results are not final."""
        return self.stopped is Stopped.BY_LIMIT

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "nodes": self.num_nodes,
            "edges": self.num_edges,
            "steps": self.steps,
            "stopped": self.stopped.word,
            "outcome": self.outcomes,
            "notes": list(self.notes),
            "out": str(self.out),
        }


def run_on_parquet(
    engine: Engine,
    algorithm: Algorithm,
    edges: Path,
    out: Path,
    *,
    nodes: Path | None = None,
    directed: bool | None = None,
    arguments: Mapping[str, Any],
    seed: int = 0,
    tell: Tell | None = None,
) -> ParquetRun:
    """Run an algorithm on a table of edges (source, target), and write its results as a table.

    nodes: a table that says more of the nodes (node). arguments: what the whole graph has one of.
    """
    is_directed = bool(directed)
    _check(algorithm, edges, nodes, directed=is_directed)
    with new_folder(out) as new, engine.opened() as tables:
        given = GivenTables(tables, algorithm, directed=is_directed)
        given.open(edges, nodes)
        algorithm = given.with_room()
        program = Program.of(algorithm)
        parts = sql_parts(program, directed=is_directed, sees=False)
        given.fill(parts.columns, arguments, seed)
        num_nodes = tables.one('SELECT COUNT(*) FROM "node"')
        per = {"node": num_nodes, "edge": given.num_edges, "pair": num_nodes**2, "graph": 1}
        most = program.program.times * per[program.program.per]
        most = min(most, engine.max_steps or most)
        steps, stopped = take_steps(tables, program, parts, most, tell)
        outcomes = outcomes_of(tables, program)
        tables.write_parquet(_results(program), new)
    return ParquetRun(out, steps, stopped, outcomes, num_nodes, given.num_edges, tuple(given.notes))


def _check(algorithm: Algorithm, edges: Path, nodes: Path | None, *, directed: bool) -> None:
    """Raise if the algorithm cannot run on tables alone."""
    if algorithm.graphs not in ("any", "directed" if directed else "undirected"):
        option = "--undirected" if directed else "--directed"
        raise GraphError(
            f"{algorithm.name} runs on {algorithm.graphs} graphs: read the edges with {option} (in "
            f"Python, directed={not directed})."
        )
    if algorithm.checks or type(algorithm).check is not Algorithm.check:
        raise AlgoLensError(
            f"{algorithm.name} checks its inputs in Python, so they are read into memory: leave "
            "--out away (in Python, use al.execute)."
        )
    for path in (edges, nodes):
        if path is not None and not path.exists():
            raise AlgoLensError(f"{path}: there is no such file. Give Parquet.")


def _results(program: Program) -> str:
    """Query for the results at every node (or edge), under the user's names."""
    hir, at = program.program, program.at
    joins = ['JOIN "ends" ON "ends"."id" = me."id"'] if at == "edge" else []
    keys = {"source": "ends.source", "target": "ends.target"} if joins else {"node": 'me."id"'}
    columns = []
    for key, value in keys.items():
        joins.append(f'JOIN "name" AS {key}_name ON {key}_name."id" = {value}')
        columns.append(f'{key}_name."name" AS "{key}"')
    for number, (output, field) in enumerate(hir.outputs.items()):
        value = f"me.{sql_column(output)}"
        if field.kind == "pointer":
            joins.append(f'JOIN "name" AS name_{number} ON name_{number}."id" = {value}')
            is_there = f'{value} <> me."id"' if field.itself_is_none else "1 = 1"
            value = f'CASE WHEN {is_there} THEN name_{number}."name" END'
        elif field.kind == "mask":
            value = f"{value} = 1"
        if output in hir.only_where:
            value = f"CASE WHEN me.{sql_column(hir.only_where[output])} = 1 THEN {value} END"
        if output in hir.endless:
            end = f'(SELECT {sql_column(hir.endless[output])} FROM "graph")'
            value = f'CASE WHEN me."id" <> {end} THEN {value} END'
        columns.append(f"{value} AS {sql_column(output)}")
    order = f" ORDER BY ends.{NAMED_AT}" if at == "edge" else ""
    return f'SELECT {", ".join(columns)} FROM "{at}" AS me {" ".join(joins)}{order}'


class GivenTables:
    """Turn a user's tables of edges (source, target) and nodes (node) into a program's tables.

    Parameters
    ----------
    tables : Tables
        The database.
    algorithm : Algorithm
        The algorithm to run; it determines which columns are read.
    directed : bool
        Whether edges lead from source to target.
    """

    def __init__(self, tables: Tables, algorithm: Algorithm, *, directed: bool) -> None:
        self.tables, self.algorithm, self.directed = tables, algorithm, directed
        program = algorithm.declaration.program
        self.inputs = program.inputs
        self.columns: dict[At, dict[str, str]] = {}  # and their types
        self.files: dict[At, Path] = {}
        self.notes: list[str] = []
        self.is_text = False
        self.num_nodes = self.num_edges = 0
        # results at edges are in the user's order and direction
        self.keeps_order = any(field.at == "edge" for field in program.outputs.values())

    def open(self, edges: Path, nodes: Path | None) -> None:
        """Open the files, number the nodes, and make tables of nodes and edges."""
        self._open("edge", edges, "source", "target")
        if nodes is not None:
            self._open("node", nodes, "node")
        self._number_nodes()
        self._make_edges()
        self._make_nodes()

    def _open(self, at: At, path: Path, *keys: str) -> None:
        columns = self.tables.open_parquet(f"given_{at}s", path)
        lacking = [key for key in keys if key not in columns]
        if lacking:
            raise GraphFileError(
                f"{path} has no column '{lacking[0]}'; it has {', '.join(columns)}: name the "
                f"columns of {' and '.join(keys)} so."
            )
        types = {columns[key] for key in keys}
        if at == "edge":
            self.is_text = types <= {*TEXT}
        if not types <= {*(TEXT if self.is_text else WHOLE)}:
            raise GraphFileError(
                f"{path}: {' and '.join(keys)} are of type {', '.join(sorted(types))}: give all "
                "nodes as whole numbers, or all as text."
            )
        self.columns[at], self.files[at] = columns, path

    def _number_nodes(self) -> None:
        """A table of ids and names."""
        parts = [f'SELECT "{end}" AS "name" FROM given_edges' for end in ("source", "target")]
        parts += ['SELECT "node" FROM given_nodes'] if "node" in self.files else []
        number = 'ROW_NUMBER() OVER (ORDER BY "name") - 1' if self.is_text else '"name"'
        names = f"({' UNION '.join(parts)}) AS every"
        self.tables.make(
            {
                "name": f'SELECT CAST({number} AS BIGINT) AS "id", "name" FROM {names} '
                'WHERE "name" IS NOT NULL'
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
        """Make a table of edges, each once, by the ids of their ends, without loops."""
        inputs, a, b = self._listed("edge"), 'given."source"', 'given."target"'
        row = f", {self.tables.row_number} AS its_row" if self.keeps_order else ""
        source = f"(SELECT *{row} FROM given_edges) AS given"
        if self.is_text:
            source += f' JOIN "name" AS a ON a."name" = {a} JOIN "name" AS b ON b."name" = {b}'
            a, b = 'a."id"', 'b."id"'
        least, most = (a, b) if self.directed else (f"LEAST({a}, {b})", f"GREATEST({a}, {b})")
        named = f"2 * its_row + CASE WHEN {a} = {least} THEN 0 ELSE 1 END"
        values = "".join(f", {value} AS {column}" for column, value in inputs.items())
        ends = f"""SELECT CAST({least} AS BIGINT) AS one_end, CAST({most} AS BIGINT) AS other_end,
            {named if self.keeps_order else 0} AS {NAMED_AT}{values}
            FROM {source} WHERE {a} IS NOT NULL AND {b} IS NOT NULL"""
        extremes = "".join(
            f", MIN({column}) AS {column}, MAX({column}) AS most_{place}"
            for place, column in enumerate(inputs)
        )
        number = f"one_end * {self.num_nodes} + other_end"
        self.tables.make(
            {
                "edge": f"""SELECT {number} AS "id", {number} AS "number",
                CAST(0 AS BIGINT) AS "graph", one_end, other_end, COUNT(*) AS times,
                MIN({NAMED_AT}) AS {NAMED_AT}{extremes}
                FROM ({ends}) AS ends GROUP BY one_end, other_end"""
            }
        )
        for place, (name, column) in enumerate(zip(self._read("edge"), inputs, strict=True)):
            what = f"has two values of '{name}': keep one of them"
            self._refuse_rows("edge", f"{column} <> most_{place}", what)
        self._check_edges()
        listed = "".join(f", {column}" for column in inputs)
        self.tables.make(
            {
                "edge": f"""SELECT "id", "number", "graph", one_end, other_end, {NAMED_AT}{listed}
                FROM "edge" WHERE one_end <> other_end"""
            }
        )
        self.num_edges = self.tables.one('SELECT COUNT(*) FROM "edge"')

    def _check_edges(self) -> None:
        """Raise on loops and parallel edges if they matter; otherwise add a note."""
        algorithm = self.algorithm
        loops, parallel = algorithm.loops_matter, algorithm.parallel_edges_matter
        for what, where, matters, how in (
            ("is a self-loop", "one_end = other_end", loops, "left out"),
            ("stands more than once", "times > 1", parallel, "read as one edge"),
        ):
            if matters:
                changes = f"{what}, which changes what {algorithm.name} finds: take it out"
                self._refuse_rows("edge", where, changes)
            many = self.tables.one(f'SELECT COUNT(*) FROM "edge" WHERE {where}')
            if many:
                self.notes.append(f"an edge that {what} is {how} (there are {many} such).")

    def _make_nodes(self) -> None:
        """Make a table of nodes, with the attributes from the user's table of nodes."""
        values = "".join(f", {value} AS {column}" for column, value in self._listed("node").items())
        has_nodes = "node" in self.files
        given = 'LEFT JOIN given_nodes AS given ON given."node" = named."name"' if has_nodes else ""
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
            name = self.name_of(twice[0][0])
            raise GraphFileError(
                f"{self.files['node']}: node '{name}' stands twice. Keep one of them."
            )

    # ---- inputs

    def _read(self, at: At) -> list[str]:
        """The inputs for which the user's table has a column."""
        columns = self.columns.get(at, {})
        return [name for name, field in self.inputs.items() if field.at == at and name in columns]

    def _listed(self, at: At) -> dict[str, str]:
        """These columns, each with its value."""
        return {sql_column(name): self._value(name) for name in self._read(at)}

    def _value(self, name: str) -> str:
        """Return a column as a program reads it; raise if its type is wrong."""
        field = self.inputs[name]
        type_, column = self.columns[field.at][name], f"given.{sql_column(name)}"
        match field.kind:
            case "number" if type_ in WHOLE:
                return f"CAST({column} AS BIGINT)"
            case "mask" if type_ == "boolean":
                return f"CASE WHEN {column} THEN 1 WHEN NOT {column} THEN 0 END"
            case "category" if type_ in TEXT:
                return column
            case "pointer":
                raise GraphFileError(
                    f"'{name}' of {self.algorithm.name} is a pointer, which is not read from "
                    "tables: leave --out away (in Python, use al.execute), and it is read into "
                    "memory."
                )
        hint = ": multiply them until they are" if field.kind == "number" else ""
        raise GraphFileError(
            f"{self.files[field.at]}: '{name}' is of type {type_}, and {self.algorithm.name} reads "
            f"{WANTED[field.kind]}{hint}."
        )

    def with_room(self) -> Algorithm:
        """Return the algorithm with enough bits; raise if a value is not a number."""
        algorithm, bits = self.algorithm, [1]
        for name, field in self.inputs.items():
            column = sql_column(name)
            if name in self.columns.get(field.at, {}):
                self._check_values(name, field)
                if field.kind == "number":
                    extremes = f'SELECT MIN({column}), MAX({column}) FROM "{field.at}"'
                    ends = [end for end in self.tables.rows(extremes)[0] if end is not None]
                    bits += [field.bits_for(int(end)) for end in ends]
            elif field.drawn and field.kind == "number":
                bits.append(31)
        own = algorithm.options.get("bits")
        return algorithm.but(bits=max(bits)) if own is not None and max(bits) > own else algorithm

    def _check_values(self, name: str, field: Field) -> None:
        column, reads = sql_column(name), self.algorithm.name
        wrong = {f"{column} IS NULL": f"has no '{name}': give it one"}
        if field.kind == "number" and not field.signed:
            what = f"has a '{name}' below {field.low}, and {reads} reads none: correct it"
            wrong[f"{column} < {field.low}"] = what
        if field.labels:
            known = ", ".join(map(in_quotes, field.labels))
            what = f"has a '{name}' that is none of {', '.join(field.labels)}: correct it"
            wrong[f"{column} NOT IN ({known})"] = what
        for where, what in wrong.items():
            self._refuse_rows(field.at, where, what)
        # different in the whole graph, so different between neighbours too
        differ = f'SELECT COUNT(*) = COUNT(DISTINCT {column}) FROM "{field.at}"'
        if field.distinct and not self.tables.one(differ):
            raise InputError(
                f"{self.files[field.at]}: two {field.at}s have the same '{name}', and {reads} "
                "reads different ones: give different numbers."
            )

    def _refuse_rows(self, at: At, where: str, what: str) -> None:
        """Raise if a condition holds for some node or edge."""
        keys = '"id"' if at == "node" else "one_end, other_end"
        wrong = self.tables.rows(f'SELECT {keys} FROM "{at}" WHERE {where} LIMIT 1')
        if wrong:
            names = [f"{self.name_of(element)}" for element in wrong[0]]
            called = f"node '{names[0]}'" if len(names) == 1 else f"edge ({', '.join(names)})"
            raise InputError(f"{self.files[at]}: {called} {what}.")

    def name_of(self, element: int) -> Any:
        """What the user calls a node."""
        return self.tables.one(f'SELECT "name" FROM "name" WHERE "id" = {element}')

    # ---- the tables of a program

    def fill(
        self, columns: Mapping[At, Sequence[str]], arguments: Mapping[str, Any], seed: int
    ) -> None:
        """Make the tables that a program reads, with the columns that it names.

        If results are at edges, a table ``ends`` holds their ends under the user's names.
        """
        batch: dict[str, str] = {}
        if self.keeps_order:
            source, target = (
                f"CASE WHEN {NAMED_AT} % 2 = {turned} THEN one_end ELSE other_end END"
                for turned in (0, 1)
            )
            batch["ends"] = (
                f'SELECT "id", {NAMED_AT}, {source} AS "source", {target} AS "target" FROM "edge"'
            )
        for at, names in columns.items():
            match at:
                case "graph":
                    values = {name: str(self._of_graph(name, arguments)) for name in names}
                    batch[at] = f"SELECT {_as_columns(names, values)}"
                case "link":
                    batch[at] = self._links(names)
                case _:
                    values = {name: self._of_element(at, name, seed) for name in names}
                    batch[at] = f'SELECT {_as_columns(names, values)} FROM "{at}"'
        self.tables.make(batch)

    def _of_element(self, at: At, name: str, seed: int) -> str:
        """A column of nodes or edges; numbers that the table lacks follow from ids and seed."""
        field = self.inputs.get(name)
        if field is None or name in self._read(at):
            return sql_column(name)
        if not field.drawn or field.kind != "number":
            file = self.files.get(at)
            where = f"{file} has no column '{name}'" if file else f"'{name}' is missing"
            raise GraphError(
                f"{where}, and {self.algorithm.name} reads one of every {at}: give it"
                + ("." if file else " in a table of nodes (--nodes).")
            )
        self.notes.append(
            f"the {name} of each {at} is spread by its number and the seed: the table has none."
        )
        spread = f'"id" * {SPREAD}'
        if at == "edge":
            spread = f"one_end * {SPREAD} + other_end * {SPREAD_TOO}"
        return f"({spread} + {seed % MOST_NODES}) % {MOST_NODES} + {field.low}"

    def _links(self, names: Sequence[str]) -> str:
        """The links of all edges, each way where edges have no direction."""
        back = "" if self.directed else f" + {self.num_nodes**2}"
        ways = [("", back, "one_end", "other_end"), (back, "", "other_end", "one_end")]
        made = []
        for here, there, sender, receiver in ways[: 1 if self.directed else 2]:
            known = {
                "id": f'"id"{here}',
                "number": '"number"',
                "sender": sender,
                "receiver": receiver,
                "edge": '"id"',
                "reverse": f'"id"{there}',
                "graph": '"graph"',
            }
            unknown = [name for name in names if name not in known]
            if unknown:
                raise GraphError(
                    f"'{unknown[0]}' of {self.algorithm.name} is a value for each direction of an "
                    "edge, which is not read from tables: leave --out away."
                )
            made.append(f'SELECT {_as_columns(names, known)} FROM "edge"')
        return " UNION ALL ".join(made)

    def _of_graph(self, name: str, arguments: Mapping[str, Any]) -> int:
        """The inputs at the graph."""
        field = self.inputs.get(name)
        if field is None:
            return 0
        value = str(arguments.get(name, ""))
        if field.kind == "pointer":
            return self._named_node(name, value if name in arguments else None)
        if field.kind != "number" or not value.lstrip("-").isdecimal():
            raise InputError(
                f"{name} of {self.algorithm.name} is '{value}': give a whole number (--{name} 3; "
                f"in Python, {name}=3)."
            )
        return int(value)

    def _named_node(self, name: str, called: str | None) -> int:
        """The id of the node that an argument names; by default, the first node."""
        if called is None:
            first = int(self.tables.one('SELECT MIN("id") FROM "name"'))
            self.notes.append(f"{name} is node '{self.name_of(first)}', the first: none was named.")
            return first
        is_number = called.isdecimal() and int(called) < MOST_NODES
        wanted = in_quotes(called) if self.is_text else called if is_number else "-1"
        rows = self.tables.rows(f'SELECT "id" FROM "name" WHERE "name" = {wanted}')
        if not rows:
            some = self.tables.rows('SELECT "name" FROM "name" LIMIT 12')
            raise UnknownNameError("node", called, [one for (one,) in some])
        return int(rows[0][0])


def _as_columns(names: Sequence[str], values: Mapping[str, str]) -> str:
    """Named values as columns, of type BIGINT if they are integer literals."""
    return ", ".join(
        f"CAST({values[name]} AS BIGINT) AS {sql_column(name)}"
        if values[name].lstrip("-").isdecimal()
        else f"{values[name]} AS {sql_column(name)}"
        for name in names
    )
