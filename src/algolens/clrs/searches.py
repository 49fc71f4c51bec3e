"""CLRS's tasks that walk through a graph depth first."""

from __future__ import annotations

import numpy as np
from numpy.ma import masked_array

from algolens.clrs.task import (
    ClrsTask,
    Ours,
    at_ends,
    ends_of_pointers,
    final,
    mark_at,
    marked,
    real_distance,
    state,
    weights_and_source,
)
from algolens.clrs.traces import Trace
from algolens.engines import Run

TICK = 0.01  # by which CLRS's clock goes on

# ---- moments of CLRS's traces


def _ticks(trace: Trace) -> np.ndarray:
    """The beginning, and when the clock has gone on: a node was entered, or left for good."""
    time = trace.hints["time"]
    return np.flatnonzero(np.append(True, time[1:] != time[:-1]))


def _ticks_of_the_first_search(trace: Trace) -> np.ndarray:
    ticks = _ticks(trace)
    return ticks[trace.hints["phase"][ticks] == 0]


def _changes_of_color(trace: Trace) -> np.ndarray:
    color = trace.hints["color"]
    return np.flatnonzero(np.append(True, (color[1:] != color[:-1]).any((1, 2))))


def _changes_of_color_and_relaxations(trace: Trace) -> np.ndarray:
    """When the source has been entered, when a color has changed since, and the relaxing; the
    source is left where that begins.
    """
    changes = _changes_of_color(trace)
    return np.append(changes[1:-1], np.arange(changes[-1] + 1, len(trace.hints["color"])))


# ---- what the walk has done


def _left(run: Run) -> np.ndarray:
    """[states, N] whether a node has been left for good."""
    left = run["is_dead_end"].dense().numpy().cumsum(0) > 0
    return np.concatenate([np.zeros_like(left[:1]), left])


def _color(run: Run) -> np.ndarray:
    """[states, N, 3] one of: not visited, visited, left for good."""
    return np.eye(3, dtype=int)[state("visited")(run).astype(int) + _left(run)]


def _time_of(happened: np.ndarray) -> np.ndarray:
    """[states, N] when it happened to a node; 0 before."""
    return np.where(happened, TICK * happened.argmax(0), 0)


def _entered_at(run: Run) -> np.ndarray:
    return _time_of(state("visited")(run))


def _left_at(run: Run) -> np.ndarray:
    return _time_of(_left(run))


def _clock(run: Run) -> np.ndarray:
    return TICK * np.arange(run.num_steps + 1)


def _of_the_left(values: Ours) -> Ours:
    """Only of nodes that have been left."""
    return lambda run: masked_array(values(run), ~_left(run))


def _low_point(run: Run) -> np.ndarray:
    return TICK * state("low")(run)


def _num_children(run: Run) -> np.ndarray:
    """[states, N] how many nodes were entered from a node."""
    parents = state("parent")(run)
    nodes = np.arange(parents.shape[1])
    return TICK * ((parents[:, :, None] == nodes) & (nodes[:, None] != nodes)).sum(1)


def _of_edges_left(run: Run) -> np.ndarray:
    """Only of edges both of whose ends have been left."""
    left, one_end, other_end = _left(run), *run.graph.edges.numpy()
    both = at_ends(run, left[:, one_end] & left[:, other_end])
    return masked_array(at_ends(run, state("is_bridge")(run), nothing=-1), both == 0)


# ---- CLRS's stack, and the nodes that its loops have come to


def _last_node(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """[states] the node that was entered or left last, and whether it was entered; before the
    first, node 0, which CLRS begins with.
    """
    entered: np.ndarray = np.diff(state("visited")(run), axis=0, prepend=False)
    left: np.ndarray = np.diff(_left(run), axis=0, prepend=False)
    changed = np.logical_or(entered, left)
    last = np.maximum.accumulate(np.where(changed.any(1), np.arange(len(changed)), 0))
    return changed.argmax(1)[last], np.any(entered, 1)[last] | (last == 0)


def _stack(parent: str, *, found_first: bool) -> dict[str, Ours]:
    """Hints by which CLRS keeps its stack. found_first: they are compared when a node is found from
    another; else when it is entered.
    """

    def previous(run: Run) -> np.ndarray:
        """Who stands below a node on the stack; all others have themselves."""
        left, nodes = _left(run), np.arange(run.graph.num_nodes)
        before = np.concatenate([left[:1], left[:-1]])  # who is left leaves the stack thereafter
        return np.where(state("visited")(run) & ~before, state(parent)(run), nodes)

    def root(run: Run) -> np.ndarray:
        node, _ = _last_node(run)
        ends = ends_of_pointers(state(parent)(run))
        return mark_at(ends[np.arange(len(node)), node], run.graph.num_nodes)

    def looked_from(run: Run) -> np.ndarray:
        node, entered = _last_node(run)
        parents = state(parent)(run)[np.arange(len(node)), node]
        return mark_at(np.where(entered & found_first, parents, node), run.graph.num_nodes)

    def looked_at(run: Run) -> np.ndarray:
        """The node that was entered; where one is left, CLRS has looked through all."""
        node, entered = _last_node(run)
        most = run.graph.num_nodes - 1
        return mark_at(np.where(entered, node, most), run.graph.num_nodes)

    def top(run: Run) -> np.ndarray:
        return mark_at(_last_node(run)[0], run.graph.num_nodes)

    return {"s_prev": previous, "s": root, "u": looked_from, "v": looked_at, "s_last": top}


CLOCKED = {
    "color": _color,
    "d": _entered_at,
    "f": _left_at,
    "time": _clock,
    **_stack("parent", found_first=False),
}
SEARCHED = {"pi_h": state("parent"), **CLOCKED}
STACK_OF_DAG = _stack("entered_from", found_first=True)
del STACK_OF_DAG["s"]  # an input of CLRS's, and no hint

SEARCHES = (
    ClrsTask(
        "dag_shortest_paths",
        "dag_shortest_paths",
        "Ours begins with the source entered, a hint later than CLRS. A step of the search is a "
        "change of color; the last one, in which the source is left, marks it as reached, as CLRS "
        "does when the relaxing begins. Then each step relaxes a node of the order. Before a node "
        "is left, CLRS's head is node 0, and ours is none. Our distances are exact, CLRS's are "
        "rounded.",
        inputs=weights_and_source,
        directed=True,
        outputs={"pi": final("parent")},
        hints={
            "pi_h": state("parent"),
            "d": real_distance,
            "mark": state("reached"),
            "topo_h": state("follower"),
            "topo_head_h": marked("is_head"),
            "color": _color,
            "phase": lambda run: state("finished")(run)[:, int(run.inputs["source"][0])],
            **STACK_OF_DAG,
        },
        moments=_changes_of_color_and_relaxations,
    ),
    ClrsTask(
        "dfs",
        "dfs",
        "Each step of ours enters a node or leaves it for good, as each tick of CLRS's clock; "
        "hints between ticks (a node is found, and entered in the next hint) have no step beside "
        "them.",
        directed=True,
        outputs={"pi": final("parent")},
        hints=SEARCHED,
        moments=_ticks,
    ),
    ClrsTask(
        "topological_sort",
        "dfs_topological_sort",
        "As dfs; there is no clock, and a step is a change of color. Before a node is left for "
        "good, CLRS's head is node 0, and ours is none. (Our topological_sort, by counting, "
        "gives another of the valid orders.)",
        directed=True,
        outputs={"topo": final("follower"), "topo_head": final("is_first")},
        hints={
            "topo_h": state("follower"),
            "topo_head_h": marked("is_first"),
            "color": _color,
            **_stack("parent", found_first=True),
        },
        moments=_changes_of_color,
    ),
    ClrsTask(
        "strongly_connected_components",
        "strong_components",
        "The first search is compared tick by tick. In the second, CLRS walks along reversed "
        "edges, and in ours all that lead to the component join it at once: of it, the output is "
        "compared.",
        directed=True,
        outputs={"scc_id": final("component")},
        hints=CLOCKED,
        left_out={
            "A_t": "the graph turned round, which does not change",
            "scc_id_h": "no node has a component before the second search",
            "phase": "says which search it is, by which the first is found",
        },
        moments=_ticks_of_the_first_search,
        as_many_steps=False,
    ),
    ClrsTask(
        "articulation_points",
        "articulation_points",
        "As dfs. CLRS lowers a low point while it looks through neighbours, ours when a node is "
        "entered and when a child is left; so they are compared once the node has been left, and "
        "so is whether it cuts.",
        outputs={"is_cut": final("is_cut")},
        hints={
            **SEARCHED,
            "low": _of_the_left(_low_point),
            "child_cnt": _num_children,
            "is_cut_h": _of_the_left(state("is_cut")),
        },
        moments=_ticks,
    ),
    ClrsTask(
        "bridges",
        "bridges",
        "As articulation_points; CLRS finds a bridge when its upper end is left, ours when its "
        "lower end is. Ours stops when no edge is left to look at, without nodes that have none. "
        "Pairs of nodes without an edge are -1 in CLRS; self-loops are left out.",
        outputs={
            "is_bridge": lambda run: masked_array(
                at_ends(run, run.final("is_bridge").numpy(), nothing=-1),
                np.eye(run.graph.num_nodes, dtype=bool),
            )
        },
        hints={
            **SEARCHED,
            "low": _of_the_left(_low_point),
            "is_bridge_h": _of_edges_left,
        },
        moments=_ticks,
        as_many_steps=False,
    ),
)
