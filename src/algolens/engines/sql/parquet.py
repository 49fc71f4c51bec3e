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
from algolens.engines import Stopped
from algolens.engines.program import Program
from algolens.engines.sql.engine import Engine, Tell, count_of, outcomes_of, take_steps
from algolens.engines.sql.given_tables import NAMED_AT, GivenTables
from algolens.engines.sql.program_tables import fill_tables
from algolens.engines.sql_select import sql_column
from algolens.engines.sql_source import sql_parts
from algolens.errors import AlgoLensError, GraphError


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
        nodes_and_edges = (nodes_there, edges_there) = count_of(tables, "node"), given.num_edges
        per = {"node": nodes_there, "edge": edges_there, "pair": nodes_there**2, "graph": 1}
        most = program.program.times * per[program.program.per]
        most = min(most, engine.max_steps or most)
        steps, stopped = take_steps(tables, parts, program, most, tell)
        outcomes = outcomes_of(tables, program)
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
    order = f' ORDER BY ends."{NAMED_AT}"' if at == "edge" else ""
    return f'SELECT {", ".join(columns)} FROM "{at}" AS me {" ".join(joins)}{order}'
