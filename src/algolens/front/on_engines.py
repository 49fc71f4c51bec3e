"""Runs by a database: a task's program as SQL, or one on Parquet files that stay where they are."""

from __future__ import annotations

import warnings
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
    on_steps,
    run_in_tables,
    run_on_parquet,
)
from algolens.engines.sql.engine import Tell
from algolens.errors import AlgoLensError, AlgoLensWarning, UnknownNameError
from algolens.evaluation.rightness import Side
from algolens.front import By
from algolens.front.task import Task, cut_short, find_subject, find_way


def run_by_engine(
    task: Task, engine: Engine, tell: Tell | None = None
) -> tuple[list[Side], list[str]]:
    """The one side of a task, by a database; and what the user should know of it."""
    for way in task.ways:
        check_way(engine, way.by)
    if task.settings:
        raise AlgoLensError(
            f"concepts are set by hand step by step, which engine {engine.name} does not do: leave "
            "--set (in Python, set= and interventions=) or the engine out."
        )
    program = Program.of(task.algorithm)
    _warn_of_steps(program)
    run = run_in_tables(engine, program, task.algorithm, task.given.graph, task.inputs, tell)
    side = Side(By.ALGORITHM.value, run, task.ways[0].rule_set)
    return [side], [*task.notes, *filter(None, [cut_short(side)])]


def _warn_of_steps(program: Program) -> None:
    unsuited = on_steps(program)
    if unsuited is not None:
        warnings.warn(AlgoLensWarning(unsuited), stacklevel=2)


def check_way(engine: Engine, by: By) -> None:
    """Refuses a network: what a database carries out is a program."""
    if by is not By.ALGORITHM:
        raise AlgoLensError(
            f"by {by.value}: engine {engine.name} carries out programs. Leave it out; or save the "
            "rules of a network with `algolens explain MODEL --save rules.json`, and run that file."
        )


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
    check_way(chosen, subject.usual)
    way = find_way(subject, By.ALGORITHM, options or {})
    known = way.algorithm.declaration.inputs
    for name in inputs:
        if name not in known:
            raise UnknownNameError(f"input of {way.algorithm.name}", name, known)
    _warn_of_steps(Program.of(way.algorithm))
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
