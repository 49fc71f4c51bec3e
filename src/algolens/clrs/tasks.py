"""How CLRS's tasks and our algorithms say the same: for each task, which field is which, and where
they count otherwise.
"""

from __future__ import annotations

import numpy as np
from numpy.ma import masked_array
from torch import Tensor

from algolens.clrs.pairs import PAIRS
from algolens.clrs.points import POINTS
from algolens.clrs.rows import ROWS
from algolens.clrs.searches import SEARCHES
from algolens.clrs.sorts import SORTS
from algolens.clrs.task import (
    ClrsTask,
    Ours,
    at_ends,
    earlier,
    edge_weights,
    ends_of_pointers,
    final,
    mark_at,
    newly,
    only_source,
    real_distance,
    state,
    weights_and_source,
)
from algolens.clrs.traces import Trace, real
from algolens.engines import Run
from algolens.graphs import Graph


def _weights_and_numbers(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    return {**edge_weights(trace, graph), "priority": graph.node_place.clone()}


# ---- Kruskal's algorithm


def _after_unions(trace: Trace) -> np.ndarray:
    """The beginning, and when an edge has been dealt with; between, CLRS follows pointers one at a
    time.
    """
    return np.flatnonzero(trace.hints["phase"][:, 0])


def _new_edge(run: Run) -> np.ndarray:
    """[states, 2] the ends of the edge that was dealt with last; 0 in the beginning."""
    new = np.diff(state("considered")(run), axis=0, prepend=False)
    return new.astype(int) @ run.graph.edges.numpy().T


def _end_of_edge(end: int, *, root: bool = False) -> Ours:
    """[states, N] an end of the edge that was dealt with last, or the root of the set that it was
    in; nothing in the beginning.
    """

    def values(run: Run) -> np.ndarray:
        nodes = _new_edge(run)[:, end]
        if root:
            nodes = earlier(state("parent")(run))[np.arange(len(nodes)), nodes]
        marks = mark_at(nodes, run.graph.num_nodes)
        return masked_array(marks, np.arange(len(marks))[:, None] * np.ones_like(marks) == 0)

    return values


# ---- Prim's algorithm


def _of_the_tree(run: Run) -> np.ndarray:
    return masked_array(state("parent")(run), ~state("in_tree")(run))


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


GRAPHS = (
    ClrsTask(
        "bfs",
        "bfs_tree",
        "Step by step the same. CLRS's trace ends with a step in which nothing changes; ours "
        "takes at least one step.",
        inputs=only_source,
        outputs={"pi": final("parent")},
        hints={"reach_h": state("visited"), "pi_h": state("parent")},
    ),
    ClrsTask(
        "mst_kruskal",
        "kruskal",
        "CLRS keeps sets as trees of pointers and follows them one at a time, in hints of their "
        "own; of two roots, the one of the higher number wins. With a node's number as its "
        "priority, our pointers lead to the same roots: of pi, the roots are compared, where an "
        "edge has been dealt with.",
        inputs=_weights_and_numbers,
        outputs={"in_mst": lambda run: at_ends(run, run.final("in_mst").numpy())},
        hints={
            "in_mst_h": lambda run: at_ends(run, state("in_mst")(run)),
            "pi": state("parent"),
            "u": _end_of_edge(0),
            "v": _end_of_edge(1),
            "root_u": _end_of_edge(0, root=True),
            "root_v": _end_of_edge(1, root=True),
        },
        left_out={
            "mask_u": "which pointers were followed: ours lead to roots at once",
            "mask_v": "as mask_u",
            "phase": "says which pointers are followed, by which the moments between are found",
        },
        theirs={"pi": ends_of_pointers},
        moments=_after_unions,
    ),
    ClrsTask(
        "mst_prim",
        "prim",
        "CLRS begins a step earlier, with an empty tree, and keeps for every node beside the "
        "tree the lightest edge to it; ours sees these edges in every step anew, and keeps a "
        "parent only for nodes of the tree.",
        inputs=weights_and_source,
        outputs={"pi": final("parent")},
        hints={
            "mark": state("in_tree"),
            "pi_h": _of_the_tree,
            "in_queue": _beside_the_tree,
            "key": _least_weight,
            "u": newly("in_tree"),
        },
        moments=lambda trace: np.arange(1, len(trace.hints["mark"])),
    ),
    ClrsTask(
        "dijkstra",
        "dijkstra",
        "Step by step the same. Our distances are exact, CLRS's are rounded; its u means nothing "
        "before the first step.",
        inputs=weights_and_source,
        outputs={"pi": final("parent")},
        hints={
            "pi_h": state("parent"),
            "d": real_distance,
            "mark": state("done"),
            "in_queue": lambda run: state("reached")(run) & ~state("done")(run),
            "u": newly("done"),
        },
    ),
    ClrsTask(
        "bellman_ford",
        "bellman_ford",
        "Step by step the same. Our distances are exact, CLRS's are rounded.",
        inputs=weights_and_source,
        outputs={"pi": final("parent")},
        hints={"pi_h": state("parent"), "d": real_distance, "msk": state("reached")},
    ),
)
TASKS = (*GRAPHS, *SEARCHES, *ROWS, *SORTS, *PAIRS, *POINTS)
