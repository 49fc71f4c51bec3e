"""CLRS's sorts, and the search by partition: orders of nodes that change."""

from __future__ import annotations

import numpy as np
import torch
from numpy.ma import masked_array
from torch import Tensor

from algolens.clrs.task import ClrsTask, Ours, earlier, final, keys, mark_at, newly, of_graph, state
from algolens.clrs.traces import Trace, whole
from algolens.engines import Run
from algolens.graphs import Graph


def _keys_and_rank(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"key": whole(trace.inputs["key"]), "rank": torch.tensor([trace.num_nodes // 2])}


def _step(run: Run, name: str) -> np.ndarray:
    """[states] whether it was seen at the graph in the step that led to a state."""
    seen = run[name].dense().numpy()[:, 0]
    return np.concatenate([np.zeros(1, dtype=bool), seen])


# ---- orders


def _order(run: Run) -> np.ndarray:
    """[states, N] which node stands at a place."""
    return state("place")(run).argsort(1)


def _predecessors(run: Run) -> np.ndarray:
    """[states, N] which node stands before a node; the first has itself."""
    order, before = _order(run), np.zeros((run.num_steps + 1, run.graph.num_nodes), dtype=int)
    np.put_along_axis(before, order, np.concatenate([order[:, :1], order[:, :-1]], 1), 1)
    return before


def _standing_at(run: Run, places: np.ndarray) -> np.ndarray:
    """[states, N] a mark at the node that stands at a place after the step."""
    nodes = np.take_along_axis(_order(run), places[:, None], 1)[:, 0]
    return mark_at(nodes, run.graph.num_nodes)


def _standing_where(name: str) -> Ours:
    """A mark at the node that stands after the step where a number of the graph pointed before
    it.
    """
    return lambda run: _standing_at(run, earlier(of_graph(name)(run)))


def _from_the_third_state(values: Ours) -> Ours:
    """CLRS says nothing of it before the first step."""

    def later(run: Run) -> np.ndarray:
        marks = values(run)
        return masked_array(marks, (np.arange(len(marks)) < 2)[:, None] * np.ones_like(marks))

    return later


SORTED = {"pred": lambda run: _predecessors(run)[-1]}


def _insertion_place(run: Run) -> np.ndarray:
    """[states, N] the node that stood where the next number was inserted."""
    places, inserted = state("place")(run), state("inserted")(run)
    new = np.diff(inserted, axis=0, prepend=False).argmax(1)
    at = np.take_along_axis(places, new[:, None], 1)
    return mark_at(np.take_along_axis(earlier(_order(run)), at, 1)[:, 0], run.graph.num_nodes)


# ---- partition


def _front(run: Run) -> np.ndarray:
    """[states] where the part of small numbers ends after the step."""
    return earlier(of_graph("front")(run)) + _step(run, "swaps")


def _scanned(run: Run) -> np.ndarray:
    """[states] the place that was looked at; at the end of a part, its last."""
    closes = _step(run, "closes")
    return np.where(closes, earlier(of_graph("high")(run)), earlier(of_graph("current")(run)))


def _pivot(run: Run) -> np.ndarray:
    closes = _step(run, "closes")
    return _standing_at(run, np.where(closes, _front(run), earlier(of_graph("high")(run))))


def _rank_of_front(run: Run) -> np.ndarray:
    """[states] counted from the first place; at the end of a part, from its first."""
    low = np.where(_step(run, "closes"), earlier(of_graph("low")(run)), 0)
    return (_front(run) - low) / run.graph.num_nodes


def _rank_in_part(run: Run) -> np.ndarray:
    rank = int(run.inputs["rank"][0])
    return (rank - earlier(of_graph("low")(run))) / run.graph.num_nodes


PARTITIONED = {
    "pred_h": _predecessors,
    "p": _standing_where("low"),
    "r": _standing_where("high"),
    "i": lambda run: _standing_at(run, _front(run)),
    "j": lambda run: _standing_at(run, _scanned(run)),
}

# ---- heaps


def _heap(run: Run) -> np.ndarray:
    """[states, N] which node is above a node of the heap; all others have themselves."""
    order, sizes = _order(run), of_graph("size")(run)
    above = np.tile(np.arange(run.graph.num_nodes), (len(order), 1))
    for step, size in enumerate(sizes):
        inside = np.arange(1, size)
        above[step, order[step, inside]] = order[step, (inside - 1) // 2]
    return above


def _phase_of_heap(run: Run) -> np.ndarray:
    """[states] 0: a heap is built; 1: its first number is taken; 2: a number sinks."""
    builds, takes = (earlier(of_graph(name)(run)) for name in ("builds", "is_extracting"))
    return np.where(takes, 1, np.where(builds, 0, 2))


def _outer(run: Run) -> np.ndarray:
    outer = earlier(of_graph("outer")(run))
    return _standing_at(run, np.where(_phase_of_heap(run) == 1, 0, _of_begun(run, outer)))


def _sinking(run: Run) -> np.ndarray:
    outer, here = earlier(of_graph("outer")(run)), earlier(of_graph("here")(run))
    return _standing_at(run, _of_begun(run, np.where(_phase_of_heap(run) == 1, outer, here)))


def _largest(run: Run) -> np.ndarray:
    """Where the number sank to; where one was taken, CLRS has node 0."""
    rises, places = run["rises"].dense().numpy(), state("place")(run)[:-1]
    here = of_graph("here")(run)[:-1]
    risen = np.where(rises.any(1), (rises * places).sum(1), here)
    marks = _standing_at(run, _of_begun(run, np.append(0, risen)))
    marks[_phase_of_heap(run) == 1] = mark_at(np.array(0), run.graph.num_nodes)
    return marks


def _of_begun(run: Run, places: np.ndarray) -> np.ndarray:
    """Places, which are the last one in the first state that CLRS has."""
    return np.where(np.arange(len(places)) < 2, run.graph.num_nodes - 1, places)


SORTS = (
    ClrsTask(
        "insertion_sort",
        "insertion_sort",
        "Step by step the same; CLRS begins with the first number inserted.",
        inputs=keys,
        outputs=SORTED,
        hints={"pred_h": _predecessors, "i": _insertion_place, "j": newly("inserted")},
        skipped=1,
    ),
    ClrsTask(
        "bubble_sort",
        "bubble_sort",
        "Step by step the same; our first step looks for the last place, and CLRS's i and j mean "
        "nothing before the first comparison.",
        inputs=keys,
        outputs=SORTED,
        hints={
            "pred_h": _predecessors,
            "i": _from_the_third_state(_standing_where("bottom")),
            "j": _from_the_third_state(_standing_where("here")),
        },
        skipped=1,
    ),
    ClrsTask(
        "heapsort",
        "heapsort",
        "Step by step the same; our first step looks for the last place.",
        inputs=keys,
        outputs=SORTED,
        hints={
            "pred_h": _predecessors,
            "parent": _heap,
            "i": _outer,
            "j": _sinking,
            "largest": _largest,
            "heap_size": lambda run: _standing_at(run, of_graph("size")(run) - 1),
            "phase": lambda run: mark_at(_phase_of_heap(run), 3),
        },
        skipped=1,
    ),
    ClrsTask(
        "quicksort",
        "quicksort",
        "Step by step the same; our first step looks for the last place, and CLRS has no hint "
        "before the first comparison.",
        inputs=keys,
        outputs=SORTED,
        hints=PARTITIONED,
        skipped=2,
    ),
    ClrsTask(
        "quickselect",
        "quickselect",
        "As quicksort. CLRS looks for the rank n // 2, counted from 0.",
        inputs=_keys_and_rank,
        outputs={"median": final("found")},
        hints={
            **PARTITIONED,
            "i_rank": _rank_of_front,
            "target": _rank_in_part,
            "pivot": _pivot,
        },
        skipped=2,
    ),
)
