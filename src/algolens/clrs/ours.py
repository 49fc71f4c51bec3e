"""A run of ours as CLRS tells of runs: in NumPy arrays over states, in CLRS's shapes.

``tasks.toml`` names the functions of this module and its neighbours. Each takes a run, and words of
the table; what CLRS does not say is masked.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.ma import masked_array

from algolens.clrs.traces import BITS
from algolens.engines import Run
from algolens.graphs.cells import TABLES, Cells


class Ours:
    """A run on one graph.

    Parameters
    ----------
    run : Run
        On one graph.
    at_end : bool
        Whether fields are wanted as they are in the end; else in every state.
    """

    def __init__(self, run: Run, at_end: bool = False) -> None:
        self.run, self.at_end = run, at_end
        self.table, self.n = run.algorithm.table, run.graph.num_nodes
        self.num_states = run.num_steps + 1
        self.edges, self.links = np.asarray(run.graph.edges), np.asarray(run.graph.links)

    def __getitem__(self, name: str) -> np.ndarray:
        """[states, ...] a field; in the end, [...]."""
        values = self.run.final(name) if self.at_end else self.run.state(name).dense()
        return np.asarray(values)

    def seen(self, name: str) -> np.ndarray:
        """[T, ...] an observation."""
        return np.asarray(self.run[name].dense())

    def given(self, name: str) -> np.ndarray:
        """An input."""
        return np.asarray(self.run.inputs[name])

    @cached_property
    def num_nodes(self) -> int:
        """How many nodes CLRS's graph has: ours has one for each cell, if the task has a table."""
        if self.table == "intervals":
            return (math.isqrt(8 * self.n + 1) - 1) // 2
        return math.isqrt(self.n) if self.table == "pairs" else self.n

    @cached_property
    def cells(self) -> Cells:
        """The cells of its table."""
        assert self.table is not None
        return TABLES[self.table](self.num_nodes)


# ---- helpers


def mark_at(nodes: np.ndarray, count: int) -> np.ndarray:
    """[..., count] a mark at one of so many."""
    return np.eye(count, dtype=int)[nodes]


def earlier(values: np.ndarray) -> np.ndarray:
    """What it was a state earlier; in the beginning, what it is."""
    return np.concatenate([values[:1], values[:-1]])


def where_any(marks: np.ndarray) -> np.ndarray:
    """[states, N] marks; nothing while there is none."""
    return masked_array(marks, np.broadcast_to(~marks.any(1, keepdims=True), marks.shape))


def from_state(marks: np.ndarray, first: int) -> np.ndarray:
    """[states, N] marks; nothing before a state."""
    return masked_array(marks, np.broadcast_to(np.arange(len(marks))[:, None] < first, marks.shape))


def last_change(changed: np.ndarray) -> np.ndarray:
    """[states] in which state a row was changed last; 0 before."""
    return np.maximum.accumulate(np.where(changed.any(1), np.arange(len(changed)), 0))


def new(marks: np.ndarray) -> np.ndarray:
    """[states, N] which marks a state has and the one before has not."""
    return np.diff(marks, axis=0, prepend=False)


def ends_of_pointers(pointers: np.ndarray) -> np.ndarray:
    """[T, N] where pointers lead in the end."""
    ends = pointers.astype(np.int64)
    while not np.array_equal(ends, further := np.take_along_axis(ends, ends, 1)):
        ends = further
    return ends


def pairs_of_ends(run: Ours, values: np.ndarray, nothing: int = 0) -> np.ndarray:
    """[..., N, N] what edges have, at both of their ends."""
    pairs = np.full((*values.shape[:-1], run.n, run.n), nothing, dtype=np.int64)
    one_end, other_end = run.edges
    pairs[..., one_end, other_end] = pairs[..., other_end, one_end] = values
    return pairs


# ---- functions of the table


def of_graph(run: Ours, name: str, bits: str = "0") -> np.ndarray:
    """[states] a number, or a mask, of the whole graph, in units of so many bits."""
    return run[name][..., 0] / 2 ** int(bits)


def outcome(run: Ours, name: str) -> np.ndarray:
    """A result of the graph."""
    return np.array(int(run.run.outcomes[name][0]))


def real(run: Ours, name: str) -> np.ndarray:
    """[states, N] whole numbers as CLRS has them, to the nearest float."""
    return run[name] / 2.0 ** (BITS - 1)


def but_not(run: Ours, name: str, other: str) -> np.ndarray:
    """[states, N] where one mask is and another is not."""
    return run[name] & ~run[other]


def at(run: Ours, name: str, less: str = "0") -> np.ndarray:
    """A mark at the node whose number is a number of the graph, or so much less."""
    return mark_at(run[name][..., 0] - int(less), run.n)


def middle(run: Ours) -> np.ndarray:
    """[states, N] the node in the middle of a range."""
    return mark_at((run["low"][:, 0] + run["high"][:, 0]) // 2, run.n)


def marked(run: Ours, name: str) -> np.ndarray:
    """[states, N] the node that a mask marks; nothing while it marks none."""
    return where_any(run[name])


def newly(run: Ours, name: str) -> np.ndarray:
    """[states, N] the node that has just got a mark; nothing where none has."""
    return where_any(new(run[name]))


def latest(run: Ours, name: str) -> np.ndarray:
    """[states, N] the node that got a mark last; nothing before one has."""
    marks = new(run[name])
    return where_any(marks[last_change(marks)])


def in_a_row(run: Ours, begins: str = "") -> np.ndarray:
    """[states, N] the node before, in the order in which nodes are given; the first has itself.

    begins: a mask that is true from the first node of a second row on.
    """
    before = np.maximum(np.arange(run.num_nodes) - 1, 0)
    if begins:
        head = int(run.given(begins)[: run.num_nodes].argmax())
        before[head] = head
    return np.broadcast_to(before, (run.num_states, len(before)))


def at_ends(run: Ours, name: str) -> np.ndarray:
    """[..., N, N] a mask of edges, at both of their ends."""
    return pairs_of_ends(run, run[name])
