"""A task of CLRS beside the algorithm of ours that does it, and what tasks are described with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from algolens.clrs.traces import BITS, Trace, whole
from algolens.execution import Run
from algolens.graphs import Graph

WEIGHED = {"bits": BITS}

Inputs = Callable[[Trace, Graph], dict[str, Tensor]]
# of a run on one graph, in CLRS's shape; what CLRS does not say is masked
Ours = Callable[[Run], np.ndarray]


@dataclass(frozen=True, eq=False)
class ClrsTask:
    """A task of CLRS beside the algorithm of ours that does it."""

    name: str  # CLRS's
    algorithm: str  # ours
    remarks: str  # where the two differ in more than names
    outputs: Mapping[str, Ours]  # by CLRS's names, what it is in a run of ours
    # likewise, over our states: [states, ...]
    hints: Mapping[str, Ours] = field(default_factory=dict)
    inputs: Inputs = lambda _trace, _graph: {}
    options: Mapping[str, int] = field(default_factory=dict)
    # whether sums of numbers must fit: a network is then taught with smaller ones
    sums: bool = False
    directed: bool = False
    moments: Callable[[Trace], np.ndarray] = lambda trace: np.arange(
        len(next(iter(trace.hints.values())))
    )
    skipped: int = 0  # how many of our first states have no counterpart
    closing: int = 0  # likewise of our last states
    as_many_steps: bool = True  # whether each of our states has its moment in CLRS's trace


def keys(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    """A number at each node."""
    return {"key": whole(trace.inputs["key"])}


def final(name: str) -> Ours:
    """A result, as it is."""
    return lambda run: run.final(name).numpy()


def state(name: str) -> Ours:
    """A field of the state, as it is."""
    return lambda run: run.state(name).dense().numpy()
