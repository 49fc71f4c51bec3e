"""CLRS's tasks on rows of numbers or letters: sorts, searches, strings, greedy choices."""

from __future__ import annotations

import numpy as np
import torch
from numpy.ma import masked_array
from torch import Tensor

from algolens.clrs.task import WEIGHED, Ours, final, keys, state
from algolens.clrs.task import ClrsTask as Task
from algolens.clrs.traces import Trace, whole
from algolens.execution import Run
from algolens.graphs import Graph

# Kadane's sums are above 1, so their scale is less: no key of CLRS has bits beyond the 53rd
SUMMED_SCALE = 2.0**53
SUMMED = {"bits": 54}

# ---- inputs


def _times(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"begin": whole(trace.inputs["s"]), "end": whole(trace.inputs["f"])}


def _deadlines_and_weights(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    deadline = torch.from_numpy(trace.inputs["d"].astype(np.int64))
    return {"deadline": deadline, "weight": whole(trace.inputs["w"])}


def _keys_and_target(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"key": whole(trace.inputs["key"]), "target": whole(trace.inputs["target"][None])}


def _keys_and_rank(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"key": whole(trace.inputs["key"]), "rank": torch.tensor([trace.num_nodes // 2])}


def _summed_keys(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"key": whole(trace.inputs["key"], SUMMED_SCALE)}


def _letters(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {
        "letter": torch.from_numpy(trace.inputs["key"].argmax(-1)),
        "in_pattern": torch.from_numpy(trace.inputs["string"] == 1),
    }


# ---- numbers of the graph, and nodes that they name


def _number(run: Run, name: str) -> np.ndarray:
    """[states] a number, or a mask, of the whole graph."""
    return run.state(name).dense().numpy()[:, 0]


def _before(values: np.ndarray) -> np.ndarray:
    """What it was a state earlier; in the beginning, what it is."""
    return np.concatenate([values[:1], values[:-1]])


def _step(run: Run, name: str) -> np.ndarray:
    """[states] whether it was seen at the graph in the step that led to a state."""
    seen = run[name].dense().numpy()[:, 0]
    return np.concatenate([np.zeros(1, dtype=bool), seen])


def _one(nodes: np.ndarray, num_nodes: int) -> np.ndarray:
    """[..., N] a mark at one node."""
    return np.eye(num_nodes, dtype=int)[nodes]


def _at(name: str, less: int = 0) -> Ours:
    """A mark at the node whose number is a number of the graph, or so much less."""
    return lambda run: _one(_number(run, name) - less, run.graph.num_nodes)


def _at_the_end(name: str) -> Ours:
    return lambda run: _at(name)(run)[-1]


def _middle(run: Run) -> np.ndarray:
    return _one((_number(run, "low") + _number(run, "high")) // 2, run.graph.num_nodes)


def _of_graph(name: str) -> Ours:
    """A number or a mask of the whole graph, as it is."""
    return lambda run: _number(run, name)


def _summed(name: str) -> Ours:
    return lambda run: _number(run, name) / SUMMED_SCALE


def _newly(name: str) -> Ours:
    """[states, N] the node that has just got a mark; nothing where none has."""

    def values(run: Run) -> np.ndarray:
        new = np.diff(run.state(name).dense().numpy(), axis=0, prepend=False)
        return masked_array(new, np.broadcast_to(~new.any(1, keepdims=True), new.shape))

    return values


# ---- orders


def _row(run: Run) -> np.ndarray:
    """[states, N] the node before, in the order in which nodes are given."""
    before = np.maximum(np.arange(run.graph.num_nodes) - 1, 0)
    return np.broadcast_to(before, (run.num_steps + 1, len(before)))


def _two_rows(run: Run) -> np.ndarray:
    """The letter before, in the text and in the pattern; a first letter has itself."""
    head = int(run.inputs["in_pattern"].int().argmax())
    before = _row(run).copy()
    before[:, head] = head
    return before


def _order(run: Run) -> np.ndarray:
    """[states, N] which node stands at a place."""
    return run.state("place").dense().numpy().argsort(1)


def _predecessors(run: Run) -> np.ndarray:
    """[states, N] which node stands before a node; the first has itself."""
    order, before = _order(run), np.zeros((run.num_steps + 1, run.graph.num_nodes), dtype=int)
    np.put_along_axis(before, order, np.concatenate([order[:, :1], order[:, :-1]], 1), 1)
    return before


def _standing_at(run: Run, places: np.ndarray) -> np.ndarray:
    """[states, N] a mark at the node that stands at a place after the step."""
    nodes = np.take_along_axis(_order(run), places[:, None], 1)[:, 0]
    return _one(nodes, run.graph.num_nodes)


def _standing_where(name: str) -> Ours:
    """A mark at the node that stands after the step where a number of the graph pointed before
    it.
    """
    return lambda run: _standing_at(run, _before(_number(run, name)))


def _from_the_third_state(values: Ours) -> Ours:
    """CLRS says nothing of it before the first step."""

    def later(run: Run) -> np.ndarray:
        marks = values(run)
        return masked_array(marks, (np.arange(len(marks)) < 2)[:, None] * np.ones_like(marks))

    return later


SORTED = {"pred": lambda run: _predecessors(run)[-1]}


def _insertion_place(run: Run) -> np.ndarray:
    """[states, N] the node that stood where the next number was inserted."""
    places, inserted = run.state("place").dense().numpy(), run.state("inserted").dense().numpy()
    new = np.diff(inserted, axis=0, prepend=False).argmax(1)
    at = np.take_along_axis(places, new[:, None], 1)
    return _one(np.take_along_axis(_before(_order(run)), at, 1)[:, 0], run.graph.num_nodes)


# ---- partition


def _front(run: Run) -> np.ndarray:
    """[states] where the part of small numbers ends after the step."""
    return _before(_number(run, "front")) + _step(run, "swaps")


def _scanned(run: Run) -> np.ndarray:
    """[states] the place that was looked at; at the end of a part, its last."""
    closes = _step(run, "closes")
    return np.where(closes, _before(_number(run, "high")), _before(_number(run, "current")))


def _pivot(run: Run) -> np.ndarray:
    closes = _step(run, "closes")
    return _standing_at(run, np.where(closes, _front(run), _before(_number(run, "high"))))


def _rank_of_front(run: Run) -> np.ndarray:
    """[states] counted from the first place; at the end of a part, from its first."""
    low = np.where(_step(run, "closes"), _before(_number(run, "low")), 0)
    return (_front(run) - low) / run.graph.num_nodes


def _rank_in_part(run: Run) -> np.ndarray:
    rank = int(run.inputs["rank"][0])
    return (rank - _before(_number(run, "low"))) / run.graph.num_nodes


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
    order, sizes = _order(run), _number(run, "size")
    above = np.tile(np.arange(run.graph.num_nodes), (len(order), 1))
    for step, size in enumerate(sizes):
        inside = np.arange(1, size)
        above[step, order[step, inside]] = order[step, (inside - 1) // 2]
    return above


def _phase_of_heap(run: Run) -> np.ndarray:
    """[states] 0: a heap is built; 1: its first number is taken; 2: a number sinks."""
    builds = _before(_number(run, "builds"))
    return np.where(_step(run, "takes"), 1, np.where(builds, 0, 2))


def _outer(run: Run) -> np.ndarray:
    outer = _before(_number(run, "outer"))
    return _standing_at(run, np.where(_phase_of_heap(run) == 1, 0, _of_begun(run, outer)))


def _sinking(run: Run) -> np.ndarray:
    outer, here = _before(_number(run, "outer")), _before(_number(run, "here"))
    return _standing_at(run, _of_begun(run, np.where(_phase_of_heap(run) == 1, outer, here)))


def _largest(run: Run) -> np.ndarray:
    """Where the number sank to; where one was taken, CLRS has node 0."""
    rises, places = run["rises"].dense().numpy(), run.state("place").dense().numpy()[:-1]
    here = _number(run, "here")[:-1]
    risen = np.where(rises.any(1), (rises * places).sum(1), here)
    marks = _standing_at(run, _of_begun(run, np.append(0, risen)))
    marks[_phase_of_heap(run) == 1] = _one(np.array(0), run.graph.num_nodes)
    return marks


def _of_begun(run: Run, places: np.ndarray) -> np.ndarray:
    """Places, which are the last one in the first state that CLRS has."""
    return np.where(np.arange(len(places)) < 2, run.graph.num_nodes - 1, places)


ROWS = (
    Task(
        "minimum",
        "minimum",
        "Step by step the same; CLRS begins with the first node looked at.",
        inputs=keys,
        options=WEIGHED,
        outputs={"min": final("is_least")},
        hints={"min_h": state("is_least")},
        skipped=1,
    ),
    Task(
        "binary_search",
        "binary_search",
        "Step by step the same; our first step looks for the last place, and our last one marks "
        "the result.",
        inputs=_keys_and_target,
        options=WEIGHED,
        outputs={"return": final("is_result")},
        hints={"pred_h": _row, "low": _at("low"), "high": _at("high"), "mid": _middle},
        skipped=1,
        closing=1,
    ),
    Task(
        "insertion_sort",
        "insertion_sort",
        "Step by step the same; CLRS begins with the first number inserted.",
        inputs=keys,
        options=WEIGHED,
        outputs=SORTED,
        hints={"pred_h": _predecessors, "i": _insertion_place, "j": _newly("inserted")},
        skipped=1,
    ),
    Task(
        "bubble_sort",
        "bubble_sort",
        "Step by step the same; our first step looks for the last place, and CLRS's i and j mean "
        "nothing before the first comparison.",
        inputs=keys,
        options=WEIGHED,
        outputs=SORTED,
        hints={
            "pred_h": _predecessors,
            "i": _from_the_third_state(_standing_where("bottom")),
            "j": _from_the_third_state(_standing_where("here")),
        },
        skipped=1,
    ),
    Task(
        "heapsort",
        "heapsort",
        "Step by step the same; our first step looks for the last place.",
        inputs=keys,
        options=WEIGHED,
        outputs=SORTED,
        hints={
            "pred_h": _predecessors,
            "parent": _heap,
            "i": _outer,
            "j": _sinking,
            "largest": _largest,
            "heap_size": lambda run: _standing_at(run, _number(run, "size") - 1),
            "phase": lambda run: _one(_phase_of_heap(run), 3),
        },
        skipped=1,
    ),
    Task(
        "quicksort",
        "quicksort",
        "Step by step the same; our first step looks for the last place, and CLRS has no hint "
        "before the first comparison.",
        inputs=keys,
        options=WEIGHED,
        outputs=SORTED,
        hints=PARTITIONED,
        skipped=2,
    ),
    Task(
        "quickselect",
        "quickselect",
        "As quicksort. CLRS looks for the rank n // 2, counted from 0.",
        inputs=_keys_and_rank,
        options=WEIGHED,
        outputs={"median": final("found")},
        hints={
            **PARTITIONED,
            "i_rank": _rank_of_front,
            "target": _rank_in_part,
            "pivot": _pivot,
        },
        skipped=2,
    ),
    Task(
        "find_maximum_subarray_kadane",
        "maximum_subarray",
        "Step by step the same; CLRS begins with the first number added. Our sums are exact, "
        "CLRS's are rounded.",
        inputs=_summed_keys,
        options=SUMMED,
        outputs={"start": _at_the_end("low"), "end": _at_the_end("high")},
        hints={
            "pred_h": _row,
            "best_low": _at("low"),
            "best_high": _at("high"),
            "best_sum": _summed("best"),
            "i": _at("begin"),
            "j": _at("count", 1),
            "sum": _summed("sum"),
        },
        skipped=1,
    ),
    Task(
        "activity_selector",
        "activity_selection",
        "Step by step the same.",
        inputs=_times,
        options=WEIGHED,
        outputs={"selected": final("selected")},
        hints={"selected_h": state("selected"), "m": _newly("looked_at")},
    ),
    Task(
        "task_scheduling",
        "task_scheduling",
        "Step by step the same. CLRS selects the heaviest task whatever its deadline, which its "
        "sampler never draws below 1; its i means nothing before the first step.",
        inputs=_deadlines_and_weights,
        options=WEIGHED,
        outputs={"selected": final("selected")},
        hints={
            "pred_h": _row,
            "selected_h": state("selected"),
            "i": _newly("looked_at"),
            "t": _of_graph("slots"),
        },
    ),
    Task(
        "naive_string_matcher",
        "naive_string_matcher",
        "Step by step the same; our first step looks where the pattern begins and ends, and our "
        "last one marks the match.",
        inputs=_letters,
        outputs={"match": final("match")},
        hints={"pred_h": _two_rows, "s": _at("shift"), "i": _at("in_text"), "j": _at("in_needle")},
        skipped=1,
        closing=1,
    ),
    Task(
        "kmp_matcher",
        "kmp_matcher",
        "As naive_string_matcher.",
        inputs=_letters,
        outputs={"match": final("match")},
        hints={
            "pred_h": _two_rows,
            "pi": state("fall"),
            "is_reset": state("is_reset"),
            "k": _at("k"),
            "k_reset": _of_graph("k_reset"),
            "q": _at("q"),
            "q_reset": _of_graph("q_reset"),
            "s": _at("shift"),
            "i": _at("in_text"),
            "phase": _of_graph("reads_text"),
        },
        skipped=1,
        closing=1,
    ),
)
