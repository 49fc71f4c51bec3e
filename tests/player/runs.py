"""Runs whose pages are tested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from algolens.algorithms import Algorithm, algorithm
from algolens.execution import Intervention, Run, run_trusted
from algolens.graphs import Graph, load_graph, stream
from algolens.player.data import Side, page_data


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
    return run_trusted(chosen, loaded, inputs, interventions=interventions)


def read_run(name: str, graph: Graph, **given: str) -> Run:
    """A run on a graph as a user gives it."""
    chosen = algorithm(name).with_room_for(graph)
    inputs, _ = chosen.read(graph, stream(0, "inputs", name), draw_all=False, **given)
    return run_trusted(chosen, graph, inputs)


def data_of(run: Run) -> dict[str, Any]:
    """The page's JSON of a run of the algorithm itself."""
    return page_data([Side("algorithm", run, run.algorithm.declaration.rule_set)], "a graph")
