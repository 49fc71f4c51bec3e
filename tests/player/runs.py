"""Runs whose pages are tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.algorithms import Algorithm, algorithm
from algolens.engines import Intervention, Run, run_algorithm
from algolens.evaluation import Side
from algolens.graphs import Graph, load_graph, stream
from algolens.player.data import page_data


def drawn_run(
    chosen: Algorithm,
    graph: str,
    seed: int,
    *,
    inputs_seed: int | None = None,
    interventions: Sequence[Intervention] = (),
) -> Run:
    """A run on a graph of a family, with random inputs; of the graph's own seed unless another is
    given.
    """
    loaded = load_graph(graph, seed, directed=chosen.recipe.directed)
    inputs, _ = chosen.read(
        loaded, stream(inputs_seed or seed, "inputs", chosen.name), draw_all=True
    )
    return run_algorithm(chosen, loaded, inputs, interventions=interventions, check=False)


def read_run(name: str, graph: Graph, **given: str) -> Run:
    """A run on a graph as a user gives it."""
    chosen = algorithm(name).with_room_for(graph)
    inputs, _ = chosen.read(graph, stream(0, "inputs", name), draw_all=False, **given)
    return run_algorithm(chosen, graph, inputs, check=False)


def data_of(run: Run) -> dict[str, Any]:
    """The page's JSON of a run of the algorithm itself."""
    return page_data([side(run)], "a graph")


def side(run: Run) -> Side:
    """A run of the algorithm itself."""
    return Side("algorithm", run, run.algorithm.declaration.rule_set)


def trace_rows(written: Mapping[str, Any], num_steps: int) -> list[list[Any]]:
    """The rows of a field over time, of which the page's JSON holds what changes.

    >>> trace_rows({"first": [0, 0, 1], "steps": [2], "changes": [[1, 5]]}, 3)
    [[0, 0, 1], [0, 0, 1], [0, 5, 1]]
    """
    changes = dict(zip(written["steps"], written["changes"], strict=True))
    rows: list[list[Any]] = []
    for step in range(num_steps):
        row = list(rows[-1] if rows else written["first"])
        change = changes.get(step, [])
        for place, value in zip(change[::2], change[1::2], strict=True):
            row[place] = value
        rows.append(row)
    return rows
