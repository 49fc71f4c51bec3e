"""A task of CLRS beside the algorithm of ours that does it, and what tasks are described with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.ma import masked_array
from torch import Tensor

from algolens.clrs.traces import Trace, real, whole
from algolens.engines import Run
from algolens.graphs import Graph

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
    # hints that are not compared, each with the reason
    left_out: Mapping[str, str] = field(default_factory=dict)
    # hints of CLRS that are compared not as they are, but by what follows from them
    theirs: Mapping[str, Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    inputs: Inputs = lambda _trace, _graph: {}
    directed: bool = False
    moments: Callable[[Trace], np.ndarray] = lambda trace: np.arange(
        len(next(iter(trace.hints.values())))
    )
    skipped: int = 0  # how many of our first states have no counterpart
    closing: int = 0  # likewise of our last states
    as_many_steps: bool = True  # whether each of our states has its moment in CLRS's trace


# ---- inputs


def keys(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    """A number at each node."""
    return {"key": whole(trace.inputs["key"])}


def edge_weights(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    """A number at each edge."""
    one_end, other_end = graph.edges.numpy()
    return {"weight": whole(trace.inputs["A"][one_end, other_end])}


def only_source(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    """The node that CLRS begins from."""
    return {"source": torch.tensor([int(trace.inputs["s"].argmax())])}


def weights_and_source(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    """A number at each edge, and the node that CLRS begins from."""
    return {**edge_weights(trace, graph), **only_source(trace, graph)}


# ---- what a field of CLRS is in a run of ours


def final(name: str) -> Ours:
    """A result, as it is."""
    return lambda run: run.final(name).numpy()


def state(name: str) -> Ours:
    """A field of the state, as it is."""
    return lambda run: run.state(name).dense().numpy()


def of_graph(name: str) -> Ours:
    """[states] a number, or a mask, of the whole graph."""
    return lambda run: state(name)(run)[:, 0]


def mark_at(nodes: np.ndarray, num_nodes: int) -> np.ndarray:
    """[..., N] a mark at one node."""
    return np.eye(num_nodes, dtype=int)[nodes]


def marked(name: str) -> Ours:
    """[states, N] the node that a mask marks; nothing while it marks none."""
    return lambda run: _where_any(state(name)(run))


def newly(name: str) -> Ours:
    """[states, N] the node that has just got a mark; nothing where none has."""
    return lambda run: _where_any(np.diff(state(name)(run), axis=0, prepend=False))


def latest(name: str) -> Ours:
    """[states, N] the node that got a mark last; nothing before one has."""

    def values(run: Run) -> np.ndarray:
        new = np.diff(state(name)(run), axis=0, prepend=False)
        last = np.maximum.accumulate(np.where(new.any(1), np.arange(len(new)), 0))
        return _where_any(new[last])

    return values


def _where_any(marks: np.ndarray) -> np.ndarray:
    return masked_array(marks, np.broadcast_to(~marks.any(1, keepdims=True), marks.shape))


def earlier(values: np.ndarray) -> np.ndarray:
    """What it was a state earlier; in the beginning, what it is."""
    return np.concatenate([values[:1], values[:-1]])


def in_a_row(run: Run) -> np.ndarray:
    """[states, N] the node before, in the order in which nodes are given."""
    before = np.maximum(np.arange(run.graph.num_nodes) - 1, 0)
    return np.broadcast_to(before, (run.num_steps + 1, len(before)))


def ends_of_pointers(pointers: np.ndarray) -> np.ndarray:
    """[T, N] where pointers lead in the end."""
    ends = pointers.astype(np.int64)
    while not np.array_equal(ends, further := np.take_along_axis(ends, ends, 1)):
        ends = further
    return ends


def real_distance(run: Run) -> np.ndarray:
    """[states, N] how far nodes are, in CLRS's unit."""
    return real(state("distance")(run))


def at_ends(run: Run, values: np.ndarray, nothing: int = 0) -> np.ndarray:
    """[..., N, N] what edges have, at both of their ends."""
    n = run.graph.num_nodes
    pairs = np.full((*values.shape[:-1], n, n), nothing, dtype=np.int64)
    one_end, other_end = run.graph.edges.numpy()
    pairs[..., one_end, other_end] = pairs[..., other_end, one_end] = values
    return pairs
