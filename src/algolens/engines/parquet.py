"""A graph in Parquet files, carried out by a database that reads and writes them itself.

Nothing of the graph passes through Python, so it may be larger than memory. Nodes that are whole
numbers are their own ids; others are numbered in the order of their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm
from algolens.disk import new_folder
from algolens.engines.engine import Engine, Tell, count_of, take_steps
from algolens.engines.given_tables import NAMED_AT, GivenTables
from algolens.engines.program_tables import ENDS, fill_tables
from algolens.errors import AlgoLensError, GraphError
from algolens.execution import Stopped
from algolens.fields import Pointer
from algolens.graphs import Location
from algolens.programs import Program
from algolens.programs.sql import sql_parts
from algolens.programs.sql_select import ID, sql_column, sql_table


@dataclass(frozen=True)
class ParquetRun:
    """What came of a run on Parquet files.

    Attributes
    ----------
    out : Path
        The folder of Parquet files with a row for each node (or edge), by the user's names.
    steps : int
        How many it took.
    stopped : Stopped
        Why it ended.
    outcomes : dict
        What was found of the whole graph.
    num_nodes, num_edges : int
        The size of the graph.
    notes : tuple of str
        What to know of it.
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
        """Whether it asked for more steps than it may take: what came of it is then not final."""
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
    """Runs an algorithm on a table of edges (source, target), and writes one of what came of it.

    nodes: a table that says more of the nodes (node). arguments: what the whole graph has one of.
    """
    is_directed = bool(directed)
    _check(algorithm, edges, nodes, directed=is_directed)
    with new_folder(out) as new, engine.opened() as tables:
        given = GivenTables(tables, algorithm, directed=is_directed)
        given.open(edges, nodes)
        algorithm = given.with_room()
        program = Program.of(algorithm)
        parts = sql_parts(program, directed=is_directed)
        fill_tables(given, parts.columns, arguments, seed)
        nodes_and_edges = count_of(tables, Location.NODE), given.num_edges
        per = {Location.NODE: nodes_and_edges[0], Location.EDGE: nodes_and_edges[1]}
        most = program.limit.times * per.get(program.limit.per, 1)
        most = min(most, engine.max_steps or most)
        steps, stopped = take_steps(tables, parts, program, most, tell)
        outcomes = {
            name: bool(
                tables.rows(f"SELECT {sql_column(name)} FROM {sql_table(Location.GRAPH)}")[0][0]
            )
            for name in program.declaration.outcomes
        }
        tables.write_parquet(_results(program), new)
    return ParquetRun(out, steps, stopped, outcomes, *nodes_and_edges, tuple(given.notes))


def _check(algorithm: Algorithm, edges: Path, nodes: Path | None, *, directed: bool) -> None:
    """Refuses what cannot be run on tables alone."""
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
    """A query of what came of every node (or edge), by the user's names."""
    declaration, id_, name = program.declaration, sql_column(ID), sql_column("name")
    names, at = sql_column("name"), declaration.location
    keys = {"node": "id"} if at is Location.NODE else {"source": "source", "target": "target"}
    columns, joins = [], []
    if at is Location.EDGE:
        joins.append(f"JOIN {ENDS} ON {ENDS}.{id_} = me.{id_}")
    for key, column in keys.items():
        row = "me" if at is Location.NODE else ENDS
        joins.append(f"JOIN {names} AS {key}_name ON {key}_name.{id_} = {row}.{sql_column(column)}")
        columns.append(f"{key}_name.{name} AS {sql_column(key)}")
    for number, (output, kind) in enumerate(declaration.outputs.items()):
        value = f"me.{sql_column(output)}"
        if isinstance(kind, Pointer):
            alias = f"name_{number}"
            joins.append(f"JOIN {names} AS {alias} ON {alias}.{id_} = {value}")
            is_none = f"CASE WHEN {value} <> me.{id_} THEN {alias}.{name} END"
            value = is_none if kind.itself_is_none else f"{alias}.{name}"
        elif kind.is_truth_value:
            value = f"{value} = 1"
        if output in declaration.only_where:
            value = (
                f"CASE WHEN me.{sql_column(declaration.only_where[output])} = 1 THEN {value} END"
            )
        if output in declaration.endless:
            pointer = sql_column(declaration.endless[output])
            end = f"(SELECT {pointer} FROM {sql_table(Location.GRAPH)})"
            value = f"CASE WHEN me.{id_} <> {end} THEN {value} END"
        columns.append(f"{value} AS {sql_column(output)}")
    order = f" ORDER BY {ENDS}.{sql_column(NAMED_AT)}" if at is Location.EDGE else ""
    return f"SELECT {', '.join(columns)} FROM {sql_table(at)} AS me {' '.join(joins)}{order}"
