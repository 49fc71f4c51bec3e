"""Runs by a database: a task's program as SQL, or one on Parquet files that stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm
from algolens.engines.program import Program
from algolens.engines.sql import (
    Engine,
    ParquetRun,
    find_engine,
    run_on_parquet,
)
from algolens.engines.sql.engine import Tell
from algolens.errors import UnknownNameError
from algolens.front import By
from algolens.front.task import check_engine, find_subject, find_way


def execute_parquet(
    algorithm: str | PathLike[str] | Algorithm | type[Algorithm] | Program,
    edges: str | PathLike[str],
    out: str | PathLike[str],
    *,
    engine: str | Engine = "duckdb",
    nodes: str | PathLike[str] | None = None,
    directed: bool | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    tell: Tell | None = None,
    **inputs: Any,
) -> ParquetRun:
    """Runs an algorithm on a graph in Parquet files, which need not fit into memory.

    Parameters
    ----------
    algorithm : str, path, Algorithm, its class or Program
        A name (``al.list_algorithms()``), or a program or its file.
    edges : path
        A file or folder of Parquet with columns source and target, and what else the algorithm
        reads of edges. Nodes are whole numbers, or texts; numbers are whole.
    out : path
        A new folder, for Parquet with a row for each node (or edge) and a column for each output.
    engine : str or Engine
        ``duckdb``, ``spark``, or one with options, as ``al.DuckDB(memory="2GB")``.
    nodes : path, optional
        A file or folder of Parquet with a column node, and what else is read of nodes.
    directed : bool, optional
        Whether edges lead from source to target; unless said, they do not.
    options : mapping, optional
        Of the algorithm, as ``{"k": 3}``.
    seed : int
        For what the tables do not say, as priorities.
    tell : callable, optional
        Called after each step with its number and the seconds that it took.
    **inputs : object
        Inputs of the whole graph, such as ``source``.

    Returns
    -------
    ParquetRun
        How many steps it took, why it ended, and what was found of the whole graph.
    """
    chosen = find_engine(engine)
    subject = find_subject(algorithm)
    way = find_way(subject, By.ALGORITHM, options or {})
    check_engine(chosen, subject.usual, way.algorithm)
    known = way.algorithm.declaration.inputs
    for name in inputs:
        if name not in known:
            raise UnknownNameError(f"input of {way.algorithm.name}", name, known)
    return run_on_parquet(
        chosen,
        way.algorithm,
        Path(edges),
        Path(out),
        nodes=None if nodes is None else Path(nodes),
        directed=directed,
        arguments=inputs,
        seed=seed,
        tell=tell,
    )
