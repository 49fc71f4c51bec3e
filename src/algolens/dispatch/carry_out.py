"""Runs of algorithms for the functions of this backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from algolens.algorithms import algorithm
from algolens.execution import Run, run_algorithm
from algolens.graphs import Graph

RANK_BITS = 62  # of ranks: as many as a number may have


def last_step(name: str, graph: Graph, inputs: Mapping[str, Tensor], **options: Any) -> Run:
    """The last step of an algorithm's run. inputs: right ones, which nothing checks again."""
    chosen = replace(algorithm(name), **options)  # type: ignore[type-var]
    return run_algorithm(chosen, graph, inputs, trace=False, check=False)


def final_numbers(run: Run, name: str) -> np.ndarray:
    """A field of a run when all is done, as NumPy has it."""
    return run.final(name).numpy()
