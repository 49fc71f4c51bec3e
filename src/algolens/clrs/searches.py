"""Searches and spanning trees, as CLRS tells of them; ``tasks.toml`` names these functions."""

from __future__ import annotations

import numpy as np
from numpy.ma import masked_array

from algolens.clrs.ours import (
    Ours,
    earlier,
    ends_of_pointers,
    from_state,
    last_change,
    mark_at,
    new,
    pairs_of_ends,
)
from algolens.clrs.traces import BITS, Trace

TICK = 0.01  # by which CLRS's clock goes on

# ---- moments of CLRS's traces that have a state of ours beside them


def every(trace: Trace) -> np.ndarray:
    """All of them."""
    return np.arange(len(next(iter(trace.hints.values()))))


def after_the_first(trace: Trace) -> np.ndarray:
    """All but the beginning."""
    return every(trace)[1:]


def ticks(trace: Trace) -> np.ndarray:
    """The beginning, and when the clock has gone on: a node was entered, or left for good."""
    time = trace.hints["time"]
    return np.flatnonzero(np.append(True, time[1:] != time[:-1]))


def ticks_of_the_first_search(trace: Trace) -> np.ndarray:
    """Those before the second search begins."""
    there = ticks(trace)
    return there[trace.hints["phase"][there] == 0]


def changes_of_color(trace: Trace) -> np.ndarray:
    """The beginning, and when a node has another color."""
    color = trace.hints["color"]
    return np.flatnonzero(np.append(True, (color[1:] != color[:-1]).any((1, 2))))


def changes_of_color_and_relaxations(trace: Trace) -> np.ndarray:
    """When the source has been entered, when a color has changed since, and the relaxing; the
    source is left where that begins.
    """
    changes = changes_of_color(trace)
    return np.append(changes[1:-1], np.arange(changes[-1] + 1, len(trace.hints["color"])))


def after_unions(trace: Trace) -> np.ndarray:
    """The beginning, and when an edge has been dealt with; between, CLRS follows pointers one at a
    time.
    """
    return np.flatnonzero(trace.hints["phase"][:, 0])


# ---- depth-first searches


def left(run: Ours) -> np.ndarray:
    """[states, N] whether a node has been left for good."""
    gone = run.seen("is_dead_end").cumsum(0) > 0
    return np.concatenate([np.zeros_like(gone[:1]), gone])


def color(run: Ours) -> np.ndarray:
    """[states, N, 3] one of: not visited, visited, left for good."""
    return mark_at(run["visited"].astype(int) + left(run), 3)


def entered_at(run: Ours) -> np.ndarray:
    """[states, N] when a node was entered; 0 before."""
    return _time_of(run["visited"])


def left_at(run: Ours) -> np.ndarray:
    """[states, N] when a node was left; 0 before."""
    return _time_of(left(run))


def _time_of(happened: np.ndarray) -> np.ndarray:
    return np.where(happened, TICK * happened.argmax(0), 0)


def clock(run: Ours) -> np.ndarray:
    """[states] CLRS's time."""
    return TICK * np.arange(run.num_states)


def once_left(run: Ours, name: str) -> np.ndarray:
    """[states, N] a field, only of nodes that have been left; a number is in ticks."""
    values = run[name]
    return masked_array(values if values.dtype == bool else TICK * values, ~left(run))


def num_children(run: Ours) -> np.ndarray:
    """[states, N] how many nodes were entered from a node, in ticks."""
    parents, nodes = run["parent"], np.arange(run.n)
    return TICK * ((parents[:, :, None] == nodes) & (nodes[:, None] != nodes)).sum(1)


def bridges(run: Ours) -> np.ndarray:
    """[..., N, N] bridges; -1 where there is no edge, and in a state only of edges both of whose
    ends have been left.
    """
    if run.at_end:
        nothing = np.eye(run.n, dtype=bool)
    else:
        one_end, other_end = run.edges
        gone = left(run)
        nothing = pairs_of_ends(run, gone[:, one_end] & gone[:, other_end]) == 0
    return masked_array(pairs_of_ends(run, run["is_bridge"], nothing=-1), nothing)


def of_source(run: Ours, name: str) -> np.ndarray:
    """[states] a field of the node that CLRS begins from."""
    return run[name][:, int(run.given("source")[0])]


# ---- CLRS's stack, and the nodes that its loops have come to


def _last_node(run: Ours) -> tuple[np.ndarray, np.ndarray]:
    """[states] the node that was entered or left last, and whether it was entered; before the
    first, node 0, which CLRS begins with.
    """
    entered = new(run["visited"])
    changed = entered | new(left(run))
    last = last_change(changed)
    return changed.argmax(1)[last], np.any(entered, 1)[last] | (last == 0)


def _of_last(values: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    return values[np.arange(len(nodes)), nodes]


def below(run: Ours, parent: str) -> np.ndarray:
    """[states, N] who stands below a node on the stack; all others have themselves."""
    gone = left(run)
    before = np.concatenate([gone[:1], gone[:-1]])  # who is left leaves the stack thereafter
    return np.where(run["visited"] & ~before, run[parent], np.arange(run.n))


def root(run: Ours, parent: str) -> np.ndarray:
    """[states, N] the node from which all those on the stack were found."""
    return mark_at(_of_last(ends_of_pointers(run[parent]), _last_node(run)[0]), run.n)


def found_from(run: Ours, parent: str) -> np.ndarray:
    """[states, N] the node from which another was found, or which was left."""
    node, entered = _last_node(run)
    return mark_at(np.where(entered, _of_last(run[parent], node), node), run.n)


def looked_at(run: Ours) -> np.ndarray:
    """[states, N] the node that was entered; where one is left, CLRS has looked through all."""
    node, entered = _last_node(run)
    return mark_at(np.where(entered, node, run.n - 1), run.n)


def top(run: Ours) -> np.ndarray:
    """[states, N] the node that was entered or left last."""
    return mark_at(_last_node(run)[0], run.n)


# ---- spanning trees


def end_of_edge(run: Ours, end: str, of_set: str = "") -> np.ndarray:
    """[states, N] an end of the edge that was dealt with last, or the root of the set that it was
    in; nothing in the beginning.
    """
    nodes = new(run["considered"]).astype(int) @ run.edges[int(end)]
    if of_set:
        nodes = _of_last(earlier(run["parent"]), nodes)
    return from_state(mark_at(nodes, run.n), 1)


def parent_in_tree(run: Ours) -> np.ndarray:
    """[states, N] parents, of nodes of the tree alone."""
    return masked_array(run["parent"], ~run["in_tree"])


def beside_the_tree(run: Ours) -> np.ndarray:
    """[states, N] nodes that the tree can grow to; none after the last step."""
    return np.isfinite(_least(run))


def least_weight(run: Ours) -> np.ndarray:
    """[states, N] of nodes beside the tree, the weight of the lightest edge to it."""
    least = _least(run)
    return masked_array(least, ~np.isfinite(least))


def _least(run: Ours) -> np.ndarray:
    """[states, N] the weight of the lightest link that leads to a node out of the tree."""
    sender, receiver = run.links
    weight = np.tile(run.given("weight"), len(sender) // max(run.edges.shape[1], 1))
    out = np.where(run.seen("leads_out"), weight / 2.0 ** (BITS - 1), np.inf)
    least = np.full((run.num_states, run.n), np.inf)
    for link, node in enumerate(receiver):
        least[:-1, node] = np.minimum(least[:-1, node], out[:, link])
    return least
