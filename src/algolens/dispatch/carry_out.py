"""Runs of algorithms for the functions of this backend."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from torch import Tensor

from algolens.algorithms import Algorithm, algorithm
from algolens.dispatch.dispatch_graph import DispatchGraph
from algolens.engines import Run, run_algorithm
from algolens.engines.parts import perceive_truly
from algolens.graphs import Graph

RANK_BITS = 62  # of ranks: as many as a number may have


@lru_cache(maxsize=256)
def _with_options(name: str, **options: Any) -> Algorithm:
    return algorithm(name).but(**options)


def last_step(
    name: str,
    G: DispatchGraph,
    inputs: Mapping[str, Tensor],
    graph: Graph | None = None,
    **options: Any,
) -> Run:
    """The last step of an algorithm's run. inputs: right ones, which nothing checks again.

    graph: what it runs on, where that is not the graph as it is.
    """
    return run_on(_with_options(name, **options), G, inputs, graph)


def run_on(
    chosen: Algorithm,
    G: DispatchGraph,
    inputs: Mapping[str, Tensor],
    graph: Graph | None = None,
    *,
    trace: bool = False,
) -> Run:
    """A run whose look is kept with the graph: what follows from the graph alone is computed once.

    The look is taken away while it runs, so that no two threads have the same one.
    """
    known, look = G.looks.pop(chosen.name, (chosen, None))
    if look is None or known != chosen:
        look = perceive_truly(chosen)
    graph = G.graph if graph is None else graph
    run = run_algorithm(chosen, graph, inputs, perceive=look, trace=trace, check=False)
    G.looks[chosen.name] = chosen, look
    return run


def final_numbers(run: Run, name: str) -> np.ndarray:
    """A field of a run when all is done, as NumPy has it."""
    return run.final(name).numpy()
