"""Runs as two tables: the states of nodes by run and step, and the edges of each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from algolens.errors import AlgoLensError, brief
from algolens.fields import Field, Location
from algolens.fields.records import AnyField
from algolens.reading import Name, Word, as_record, check_regular

RUN, STEP, NODE, SOURCE, TARGET = "run", "step", "node", "source", "target"
Row = Mapping[str, Any]


class TablesRecord(msgspec.Struct, frozen=True):
    """A document that names two tables of runs."""

    states: Word
    edges: Word
    state: dict[Name, AnyField]
    inputs: dict[Name, AnyField] = {}


def runs_of_tables(document: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """A document that names two tables, as one that holds the runs.

    Parameters
    ----------
    document : mapping
        ``inputs`` and ``state`` as in a file of runs; ``states`` and ``edges``, the files.
    path : Path
        The document's, from where these are named.

    Raises
    ------
    AlgoLensError
        Where a table or a column is missing, or a value stands for no element.
    """
    written, folder = as_record(document, TablesRecord, str(path)), path.parent
    inputs = {name: Field.of(value) for name, value in written.inputs.items()}
    state = {name: Field.of(value) for name, value in written.state.items()}
    at_nodes = (Location.NODE, Location.GRAPH)
    for name, field in {**inputs, **state}.items():
        if field.location not in at_nodes and (name in state or field.location is Location.LINK):
            raise AlgoLensError(
                f"'{name}' sits at the {field.location.value}: tables hold states of nodes and "
                "graphs. Write a file of runs in JSON."
            )
    edge_inputs = [name for name, field in inputs.items() if field.location is Location.EDGE]
    node_fields = [name for name in (*inputs, *state) if name not in edge_inputs]
    states = _rows(folder / written.states, (RUN, STEP, NODE, *node_fields))
    edges = _rows(folder / written.edges, (RUN, SOURCE, TARGET, *edge_inputs))
    runs = []
    for run, rows in _grouped(states, RUN).items():
        by_step = _grouped(rows, STEP)
        if list(by_step) != list(range(len(by_step))):
            raise AlgoLensError(
                f"{document['states']}: the steps of run {run!r} are {', '.join(map(str, by_step))}"
                "; count them from 0, the start, in order."
            )
        nodes = [row[NODE] for row in by_step[0]]
        mine = [row for row in edges if row[RUN] == run]
        frames = [_frame(written.states, state, rows, nodes) for rows in by_step.values()]
        plain = {name: field for name, field in inputs.items() if name not in edge_inputs}
        of_edges: dict[str, Any] = {name: [row[name] for row in mine] for name in edge_inputs}
        runs.append(
            {
                "graph": {
                    "directed": document.get("graphs") == "directed",
                    "nodes": [{"id": node} for node in nodes],
                    "edges": [{"source": row[SOURCE], "target": row[TARGET]} for row in mine],
                },
                "inputs": _frame(written.states, plain, by_step[0], nodes) | of_edges,
                "start": frames[0],
                "trace": [{"state": frame} for frame in frames[1:]],
            }
        )
    kept = {name: value for name, value in document.items() if name not in ("states", "edges")}
    return {**kept, "runs": runs}


def _frame(
    table: str, fields: Mapping[str, Field], rows: Sequence[Row], nodes: Sequence[Any]
) -> dict[str, Any]:
    """The values of fields in one step."""
    by_node = {row[NODE]: row for row in rows}
    if len(by_node) != len(rows) or set(by_node) != set(nodes):
        raise AlgoLensError(
            f"{table}: run {rows[0][RUN]!r}, step {rows[0][STEP]} has not one row for each of the "
            f"{len(nodes)} nodes of step 0."
        )
    return {
        name: rows[0][name]
        if field.location is Location.GRAPH
        else [by_node[node][name] for node in nodes]
        for name, field in fields.items()
    }


def _grouped(rows: Sequence[Row], column: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def _rows(path: Path, columns: Sequence[str]) -> list[Row]:
    """The rows of a CSV or Parquet file, which has these columns."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    check_regular(path)
    try:
        table = parquet.read_table(path) if path.suffix == ".parquet" else csv.read_csv(path)
        there = table.column_names
        missing = [column for column in columns if column not in there]
        if not missing:
            return list(table.select(list(dict.fromkeys(columns))).to_pylist())
    except (OSError, KeyError, ValueError, pa.ArrowException) as problem:
        raise AlgoLensError(f"{path} cannot be read as a table ({brief(problem)}).") from problem
    raise AlgoLensError(f"{path} has no column '{missing[0]}'; it has {', '.join(there)}.")
