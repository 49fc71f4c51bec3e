"""Running an algorithm from Python."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, AlgoLensWarning, UnknownNameError
from algolens.execution import Intervention
from algolens.front.arguments import Setting, read_settings, whole_number
from algolens.front.by import By
from algolens.front.execution import Execution
from algolens.front.model import Model
from algolens.front.task import cut_short, find_subject, make_task
from algolens.graphs import Graph
from algolens.programs import Program


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
    set: Mapping[str, Any] | None = None,
    interventions: Sequence[Intervention] = (),
    trace: bool = True,
    **inputs: Any,
) -> Execution:
    """Runs an algorithm on a graph, step by step.

    algorithm: a name (``al.list_algorithms()``), an Algorithm or its class, a model, a run's
    folder, or a program (or its file). graph: of NetworkX, PyTorch Geometric, SciPy (sparse) or
    pandas (columns source and target), a file, or words as ``nx:karate_club`` and ``grid:50``.

    by: what carries it out: ``algorithm``, ``network`` (of an exact network, its compiled tables),
    ``layers`` (its layers themselves, which takes longer), ``rules`` (over the concepts that the
    network sees) or ``rules-alone``. Unless said, a model runs by network, all else by algorithm.
    source, and any other input by its name: what the whole graph has one of.
    options: of the algorithm, as ``{"colors": 7}``. seed: for what is drawn at random. directed:
    whether edges have directions, where that is not as the graph says. nodes: a file, or a table,
    that says more of the nodes.
    set: concepts set by hand, as ``{"has_priority@Mill#2": True}``: at node Mill in step 2; without
    ``#2`` in every step, without ``@Mill`` everywhere. interventions: the same by numbers of nodes.
    trace: False keeps the last step alone, for large graphs.

    >>> import networkx as nx
    >>> found = execute("bfs", nx.path_graph(4), source=1)
    >>> found.steps, found.result["visited"]
    (2, {0: True, 1: True, 2: True, 3: True})
    >>> execute("bfs", nx.path_graph(4), source=7)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    algolens.errors.UnknownNameError: no node is called '7'; there are: 0, 1, 2, 3.
    Name a node of the graph as source.
    """
    if source is not None:
        inputs["source"] = source
    _check(options, interventions)
    task = make_task(
        find_subject(algorithm.trained_run if isinstance(algorithm, Model) else algorithm),
        graph,
        by=() if by is None else (By.read(by),),
        options=options,
        nodes=nodes,
        directed=directed,
        seed=_checked(seed),
        arguments=partial(_arguments, inputs),
        settings=partial(_settings, set or {}, interventions),
    )
    (side,) = sides = task.run(trace=trace)
    for note in cut_short(side):
        warnings.warn(AlgoLensWarning(note), stacklevel=2)
    return Execution(side, task.given, tuple(task.remarks(sides)), task.is_the_algorithm(side.by))


def _check(options: object, interventions: object) -> None:
    if options is not None and not isinstance(options, Mapping):
        raise AlgoLensError(
            f"options= came as a {type(options).__name__}: give a dictionary, as in {{'colors': "
            "7}."
        )
    if not isinstance(interventions, Sequence) or not all(
        isinstance(each, Intervention) for each in interventions
    ):
        raise AlgoLensError(
            "interventions= takes a list of algolens.execution.Intervention; or set them by name, "
            "with set=."
        )


def _checked(seed: object) -> int:
    number = whole_number(seed)
    if number is None or number < 0:
        raise AlgoLensError(f"seed={seed!r} is none: give a whole number from 0 on.")
    return number


def _arguments(inputs: Mapping[str, Any], algorithm: Algorithm) -> dict[str, Any]:
    """Inputs that the whole graph has one of, nodes by their names."""
    known = algorithm.declaration.inputs
    for name in inputs:
        if name not in known:
            raise UnknownNameError(f"input of {algorithm.name}", name, known)
    return {
        name: str(value) if known[name].kind.points_to else value for name, value in inputs.items()
    }


def _settings(
    by_name: Mapping[str, Any],
    by_number: Sequence[Intervention],
    algorithm: Algorithm,
    graph: Graph,
) -> list[Setting]:
    for each in by_number:
        each.mask(algorithm, graph)
    return [
        *read_settings(by_name, algorithm, graph),
        *(Setting("an intervention", each) for each in by_number),
    ]
