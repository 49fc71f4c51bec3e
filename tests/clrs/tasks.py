"""How CLRS's tasks and our algorithms say the same: for each task, which field is which, and where
they count otherwise.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.ma import masked_array
from torch import Tensor

from algolens.execution import Run
from algolens.graphs import Graph
from tests.clrs.points import POINTS
from tests.clrs.rows import ROWS
from tests.clrs.task import WEIGHED, Ours, Task, final, state
from tests.clrs.traces import Trace, real, whole

TICK = 0.01  # by which CLRS's clock goes on


# ---- inputs


def _source(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"source": torch.tensor([int(trace.inputs["s"].argmax())])}


def _weights(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    one_end, other_end = graph.edges.numpy()
    return {"weight": whole(trace.inputs["A"][one_end, other_end])}


def _weights_and_source(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    return {**_weights(trace, graph), **_source(trace, graph)}


def _weights_and_numbers(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    return {**_weights(trace, graph), "priority": graph.node_place.clone()}


# ---- what a field of CLRS is in a run of ours


def _distance(run: Run) -> np.ndarray:
    return real(run.state("distance").dense().numpy())


def _at_ends(run: Run, values: np.ndarray, nothing: int = 0) -> np.ndarray:
    """[..., N, N] what edges have, at both of their ends."""
    n = run.graph.num_nodes
    found = np.full((*values.shape[:-1], n, n), nothing, dtype=np.int64)
    one_end, other_end = run.graph.edges.numpy()
    found[..., one_end, other_end] = found[..., other_end, one_end] = values
    return found


# ---- moments of CLRS's traces


def _after_unions(trace: Trace) -> np.ndarray:
    """The beginning, and when an edge has been dealt with; between, CLRS follows pointers one at a
    time.
    """
    return np.flatnonzero(trace.hints["phase"][:, 0])


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


# ---- depth-first search


def _left(run: Run) -> np.ndarray:
    """[states, N] whether a node has been left for good."""
    left = run["is_dead_end"].dense().numpy().cumsum(0) > 0
    return np.concatenate([np.zeros_like(left[:1]), left])


def _color(run: Run) -> np.ndarray:
    """[states, N, 3] one of: not visited, visited, left for good."""
    return np.eye(3, dtype=int)[run.state("visited").dense().numpy().astype(int) + _left(run)]


def _time_of(happened: np.ndarray) -> np.ndarray:
    """[states, N] when it happened to a node; 0 before."""
    return np.where(happened, TICK * happened.argmax(0), 0)


def _entered_at(run: Run) -> np.ndarray:
    return _time_of(run.state("visited").dense().numpy())


def _left_at(run: Run) -> np.ndarray:
    return _time_of(_left(run))


def _clock(run: Run) -> np.ndarray:
    return TICK * np.arange(run.num_steps + 1)


def _of_the_left(values: Ours) -> Ours:
    """Only of nodes that have been left."""
    return lambda run: masked_array(values(run), ~_left(run))


def _of_edges_left(run: Run) -> np.ndarray:
    """Only of edges both of whose ends have been left."""
    left, one_end, other_end = _left(run), *run.graph.edges.numpy()
    both = _at_ends(run, left[:, one_end] & left[:, other_end])
    return masked_array(
        _at_ends(run, run.state("is_bridge").dense().numpy(), nothing=-1), both == 0
    )


def _marked(name: str) -> Ours:
    """[states, N] the node that a mask marks; nothing while it marks none."""

    def values(run: Run) -> np.ndarray:
        marks = run.state(name).dense().numpy()
        return masked_array(marks, np.broadcast_to(~marks.any(1, keepdims=True), marks.shape))

    return values


def _source_of(run: Run) -> int:
    return int(run.inputs["source"][0])


# ---- Kruskal's and Prim's algorithms


def _new_edge(end: int) -> Ours:
    """[states, N] an end of the edge that was dealt with last; nothing in the beginning."""

    def found(run: Run) -> np.ndarray:
        visited = run.state("lighter_edges_visited").dense().numpy()
        marks = np.zeros((len(visited), run.graph.num_nodes), dtype=int)
        for step in range(1, len(visited)):
            edge = np.flatnonzero(visited[step] & ~visited[step - 1])
            marks[step, run.graph.edges[end].numpy()[edge]] = 1
        return masked_array(marks, np.arange(len(visited))[:, None] * np.ones_like(marks) == 0)

    return found


def _of_the_tree(run: Run) -> np.ndarray:
    return masked_array(run.state("parent").dense().numpy(), ~run.state("in_tree").dense().numpy())


def _leading_out(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """[T, N, N] which links lead out of the tree in a step, from whom to whom; [N, N] what the
    links weigh.
    """
    n, (sender, receiver) = run.graph.num_nodes, run.graph.links.numpy()
    out = np.zeros((run.num_steps, n, n), dtype=bool)
    out[:, sender, receiver] = run["leads_out"].dense().numpy()
    weight = np.zeros((n, n))
    weight[sender, receiver] = real(run.graph.at_links(run.inputs["weight"]).numpy())
    return out, weight


def _beside_the_tree(run: Run) -> np.ndarray:
    """Nodes that the tree can grow to. After the last step nothing is looked at, and there are
    none.
    """
    out, _ = _leading_out(run)
    return np.concatenate([out.any(1), np.zeros((1, run.graph.num_nodes), dtype=bool)])


def _least_weight(run: Run) -> np.ndarray:
    out, weight = _leading_out(run)
    least = np.where(out, weight, np.inf).min(1, initial=np.inf)
    there = _beside_the_tree(run)
    return masked_array(np.concatenate([least, np.zeros((1, run.graph.num_nodes))]), ~there)


def _waiting(run: Run) -> np.ndarray:
    return run.state("reached").dense().numpy() & ~run.state("done").dense().numpy()


SEARCHED = {
    "pi_h": state("parent"),
    "color": _color,
    "d": _entered_at,
    "f": _left_at,
    "time": _clock,
}

GRAPHS = (
    Task(
        "bfs",
        "bfs_tree",
        "Step by step the same. CLRS's trace ends with a step in which nothing changes; ours "
        "takes at least one step.",
        inputs=_source,
        outputs={"pi": final("parent")},
        hints={"reach_h": state("visited"), "pi_h": state("parent")},
    ),
    Task(
        "mst_kruskal",
        "kruskal",
        "CLRS keeps sets as trees of pointers and follows them one at a time, in hints of their "
        "own; of two roots, the one of the higher number wins. With a node's number as its "
        "priority, our pointers lead to the same roots: a set is compared where an edge has been "
        "dealt with.",
        inputs=_weights_and_numbers,
        options=WEIGHED,
        outputs={"in_mst": lambda run: _at_ends(run, run.final("in_mst").numpy())},
        hints={
            "in_mst_h": lambda run: _at_ends(run, run.state("in_mst").dense().numpy()),
            "roots of pi": state("parent"),
            "u": _new_edge(0),
            "v": _new_edge(1),
        },
        moments=_after_unions,
    ),
    Task(
        "mst_prim",
        "prim",
        "CLRS begins a step earlier, with an empty tree, and keeps for every node beside the "
        "tree the lightest edge to it; ours sees these edges in every step anew, and keeps a "
        "parent only for nodes of the tree.",
        inputs=_weights_and_source,
        options=WEIGHED,
        outputs={"pi": final("parent")},
        hints={
            "mark": state("in_tree"),
            "pi_h": _of_the_tree,
            "in_queue": _beside_the_tree,
            "key": _least_weight,
        },
        moments=lambda trace: np.arange(1, len(trace.hints["mark"])),
    ),
    Task(
        "dijkstra",
        "dijkstra",
        "Step by step the same. Our distances are exact, CLRS's are rounded.",
        inputs=_weights_and_source,
        options=WEIGHED,
        sums=True,
        outputs={"pi": final("parent")},
        hints={
            "pi_h": state("parent"),
            "d": _distance,
            "mark": state("done"),
            "in_queue": _waiting,
        },
    ),
    Task(
        "bellman_ford",
        "bellman_ford",
        "Step by step the same. Our distances are exact, CLRS's are rounded.",
        inputs=_weights_and_source,
        options=WEIGHED,
        sums=True,
        outputs={"pi": final("parent")},
        hints={"pi_h": state("parent"), "d": _distance, "msk": state("reached")},
    ),
    Task(
        "dag_shortest_paths",
        "dag_shortest_paths",
        "Ours begins with the source entered, a hint later than CLRS. A step of the search is a "
        "change of color; the last one, in which the source is left, marks it as reached, as CLRS "
        "does when the relaxing begins. Then each step relaxes a node of the order. Before a node "
        "is left, CLRS's head is node 0, and ours is none. Left out: s_prev, s_last, u and v, by "
        "which CLRS keeps the stack of the search (ours is the pointers by which nodes were "
        "entered). Our distances are exact, CLRS's are rounded.",
        inputs=_weights_and_source,
        options=WEIGHED,
        sums=True,
        directed=True,
        outputs={"pi": final("parent")},
        hints={
            "pi_h": state("parent"),
            "d": _distance,
            "mark": state("reached"),
            "topo_h": state("follower"),
            "topo_head_h": _marked("is_head"),
            "color": _color,
            "phase": lambda run: state("finished")(run)[:, _source_of(run)],
        },
        moments=_changes_of_color_and_relaxations,
    ),
    Task(
        "dfs",
        "dfs",
        "Each step of ours enters a node or leaves it for good, as each tick of CLRS's clock; "
        "hints between ticks (a node is found, and entered in the next hint) are left out, and "
        "so is s_prev, which are the parents of nodes that are not yet left.",
        directed=True,
        outputs={"pi": final("parent")},
        hints=SEARCHED,
        moments=_ticks,
    ),
    Task(
        "topological_sort",
        "dfs_topological_sort",
        "As dfs; there is no clock, and a step is a change of color. Before a node is left for "
        "good, CLRS's head is node 0, and ours is none. (Our topological_sort, by counting, "
        "gives another of the valid orders.)",
        directed=True,
        outputs={"topo": final("follower"), "topo_head": final("is_first")},
        hints={"topo_h": state("follower"), "topo_head_h": _marked("is_first"), "color": _color},
        moments=_changes_of_color,
    ),
    Task(
        "strongly_connected_components",
        "strong_components",
        "The first search is compared tick by tick. In the second, CLRS walks along reversed "
        "edges, and in ours all that lead to the component join it at once.",
        directed=True,
        outputs={"scc_id": final("component")},
        hints={"color": _color, "d": _entered_at, "f": _left_at, "time": _clock},
        moments=_ticks_of_the_first_search,
        as_many_steps=False,
    ),
    Task(
        "articulation_points",
        "articulation_points",
        "As dfs. CLRS lowers a low point while it looks through neighbours, ours when a node is "
        "entered and when a child is left; so they are compared once the node has been left, and "
        "so is whether it cuts.",
        outputs={"is_cut": final("is_cut")},
        hints={
            **SEARCHED,
            "low": _of_the_left(lambda run: TICK * run.state("low").dense().numpy()),
            "is_cut_h": _of_the_left(state("is_cut")),
        },
        moments=_ticks,
    ),
    Task(
        "bridges",
        "bridges",
        "As articulation_points; CLRS finds a bridge when its upper end is left, ours when its "
        "lower end is. Ours stops when no edge is left to look at, without nodes that have none. "
        "Pairs of nodes without an edge are -1 in CLRS; self-loops are left out.",
        outputs={
            "is_bridge": lambda run: masked_array(
                _at_ends(run, run.final("is_bridge").numpy(), nothing=-1),
                np.eye(run.graph.num_nodes, dtype=bool),
            )
        },
        hints={
            **SEARCHED,
            "low": _of_the_left(lambda run: TICK * run.state("low").dense().numpy()),
            "is_bridge_h": _of_edges_left,
        },
        moments=_ticks,
        as_many_steps=False,
    ),
)
TASKS = (*GRAPHS, *ROWS, *POINTS)
