"""Runs from Python: carried out, by a database on Parquet files too, and played."""

from __future__ import annotations

import tempfile
import warnings
import webbrowser
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algolens.algorithms import Algorithm
from algolens.engines.program import Program
from algolens.engines.sql import (
    Engine,
    ParquetRun,
    find_engine,
    run_on_parquet,
)
from algolens.engines.sql.engine import Tell
from algolens.errors import AlgoLensError, AlgoLensWarning, UnknownNameError
from algolens.front import By
from algolens.front.arguments import read_places
from algolens.front.execution import Execution
from algolens.front.task import Task, check_engine, find_subject, find_way, make_task
from algolens.limits import SEED
from algolens.terminal.display import HEIGHT, Frame, in_notebook

if TYPE_CHECKING:
    from algolens.experiment.model import Model


def execute(
    algorithm: str | PathLike[str] | Algorithm | type[Algorithm] | Model | Program,
    graph: Any,
    *,
    by: str | None = None,
    source: Any = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    directed: bool | None = None,
    nodes: Any = None,
    round: int | None = None,
    set: Mapping[str, Any] | None = None,
    trace: bool = True,
    check: bool = False,
    engine: str | Engine | None = None,
    **inputs: Any,
) -> Execution:
    """Runs an algorithm on a graph, step by step.

    Parameters
    ----------
    algorithm : str, path, Algorithm, its class, Model or Program
        A name (``al.list_algorithms()``), a model or its folder, or a program or its file.
    graph : object
        A graph of NetworkX, PyTorch Geometric, SciPy (sparse) or pandas (columns source and
        target), a file, or words as ``nx:karate_club`` and ``grid:50``.
    by : str, optional
        What carries it out: ``algorithm``, ``network`` (of an exact network, its compiled tables)
        or ``rules`` (over the concepts that the network sees). Unless said, a model runs by
        network, all else by algorithm.
    source, **inputs : object
        Inputs of the whole graph, by name.
    options : mapping, optional
        Of the algorithm, as ``{"colors": 7}``.
    seed : int
        For what is drawn at random.
    directed : bool, optional
        Whether edges have directions, where that is not as the graph says.
    nodes : path or table, optional
        What says more of the nodes.
    round : int, optional
        The decimals to which numbers are rounded, where they do not fit otherwise; a note says what
        that changes.
    set : mapping, optional
        Concepts set by hand, as ``{"has_priority@Mill#2": True}``: at node Mill in step 2; without
        ``#2`` in every step, without ``@Mill`` everywhere.
    trace : bool
        False keeps the last step alone, for large graphs.
    check : bool
        Whether the run of a network, or by rules, is at once compared with the algorithm's own;
        otherwise it is when ``agrees`` is asked for, or when it is printed.
    engine : str or Engine, optional
        A database that carries it out as SQL: ``duckdb``, ``spark``, or one with options, as
        ``al.DuckDB(memory="2GB")``. It keeps the last step alone.

    Returns
    -------
    Execution
        Every step, by the names that the graph has for its nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> search = execute("bfs", nx.path_graph(4), source=1)
    >>> search.steps, search.result["visited"]
    (2, {0: True, 1: True, 2: True, 3: True})
    >>> execute("bfs", nx.path_graph(4), source=7)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    algolens.errors.UnknownNameError: no node is called '7'; there are: 0, 1, 2, 3.
    Name a node of the graph as source.
    """
    if source is not None:
        inputs["source"] = source
    if options is not None and not isinstance(options, Mapping):
        raise AlgoLensError(
            f"options= came as a {type(options).__name__}: give a dictionary, as in {{'colors': "
            "7}."
        )
    (execution,) = executions(
        [algorithm],
        graph,
        by=() if by is None else (By.read(by),),
        inputs=inputs,
        options=options,
        nodes=nodes,
        directed=directed,
        seed=SEED.check(seed, "seed"),
        places=read_places(round),
        set_by_hand=set,
        trace=trace,
        engine=None if engine is None else find_engine(engine),
    )
    if check and not execution.agrees:
        warnings.warn(AlgoLensWarning(execution.first_difference), stacklevel=2)
    if execution.cut_short is not None:
        warnings.warn(AlgoLensWarning(execution.cut_short), stacklevel=2)
    return execution


def executions(
    algorithms: Sequence[Any],
    graph: Any,
    *,
    inputs: Mapping[str, Any],
    trace: bool = True,
    engine: Engine | None = None,
    tell: Tell | None = None,
    **settings: Any,
) -> list[Execution]:
    """Runs of one or several algorithms on one graph, each in one or several ways.

    What is drawn at random is the same for all, and an input is for those that have it.

    Parameters
    ----------
    algorithms, graph
        As ``execute`` takes them.
    inputs : mapping
        Inputs of the whole graph.
    trace : bool
        False keeps the last step alone.
    engine : Engine, optional
        A database that carries them out.
    tell : callable, optional
        Called after each step of a database.
    **settings
        Of ``make_task``.
    """
    subjects = [find_subject(given) for given in algorithms]
    known = [find_way(one, one.usual, {}).algorithm.declaration.inputs for one in subjects]
    anywhere = set().union(*known)
    done: list[Execution] = []
    first: Task | None = None
    for subject, own in zip(subjects, known, strict=True):
        of_it = {name: inputs[name] for name in inputs if name in own or name not in anywhere}
        task = make_task(subject, graph, inputs=of_it, **settings)
        first = first or task
        task = task if task is first else task.with_inputs_of(first)
        done += task.run(trace=trace, engine=engine, tell=tell)
    return done


def play(
    *executions: Any, height: int = HEIGHT, around: Hashable | None = None, **arguments: Any
) -> Any:
    """Plays a run, or several of one task side by side, with the reason for each step.

    ``execution.save_html(path)`` writes the page to a file.

    Parameters
    ----------
    *executions : Execution
        What ``al.execute`` gives, one or several. Or what it takes, an algorithm and a graph.
    height : int
        Of the frame in a notebook, in pixels.
    around : hashable, optional
        A node, near which the graph is shown. Unless given, all of it is where a browser has room
        for it, and else a part.
    **arguments
        Where an algorithm and a graph are given, the others of ``al.execute``, as ``round=2``.

    Returns
    -------
    object
        In a notebook (Jupyter, VS Code, marimo) a ``Frame`` that it shows; elsewhere
        the path of the page, which is opened in a browser.
    """
    given: list[Any] = []
    is_named = executions and not isinstance(executions[0], Execution | list | tuple)
    if is_named and len(executions) == 2:
        executions = (execute(*executions, **arguments),)
    elif arguments:
        names = ", ".join(f"{name}=" for name in arguments)
        raise AlgoLensError(
            f"{names} came with runs that are done: give it to al.execute, or give al.play an "
            "algorithm and a graph."
        )
    for some in executions:
        given += some if isinstance(some, list | tuple) else [some]
    if not given or not all(isinstance(one, Execution) for one in given):
        came = ", ".join(type(one).__name__ for one in given) or "nothing"
        raise AlgoLensError(f"what al.execute gives can be played, one or several; {came} came.")
    first, *others = given
    if any(other.run.algorithm != first.run.algorithm for other in others):
        raise AlgoLensError(
            "runs that stand side by side are of one algorithm with the same options; beside a "
            "network's run, play its truth: al.play(execution, execution.truth)."
        )
    if in_notebook():
        page = first.page(*others, compact=True, around=around)
        return Frame(page, height, first.picture())
    return open_page(first.page(*others, around=around), first.algorithm)[0]


def open_page(page: str, name: str, path: Path | None = None) -> tuple[Path, bool]:
    """Writes a page, perhaps to a place of its own, and opens it: where, and whether it opened."""
    from algolens.player.page import write_page  # lays graphs out: slow to import

    place = path or Path(tempfile.mkdtemp(prefix="algolens-")) / f"{name}.html"
    write_page(place, page)
    return place, webbrowser.open(place.resolve().as_uri())


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
