"""CLRS's tasks on rows of numbers or letters: searches, sums, greedy choices, strings."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algolens.clrs.task import (
    ClrsTask,
    Ours,
    final,
    in_a_row,
    keys,
    latest,
    mark_at,
    newly,
    of_graph,
    state,
)
from algolens.clrs.traces import Trace, whole
from algolens.engines import Run
from algolens.graphs import Graph

# Kadane's sums are above 1, so their scale is less: no key of CLRS has bits beyond the 53rd
SUMMED_SCALE = 2.0**53

# ---- inputs


def _times(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"begin": whole(trace.inputs["s"]), "end": whole(trace.inputs["f"])}


def _deadlines_and_weights(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    deadline = torch.from_numpy(trace.inputs["d"].astype(np.int64))
    return {"deadline": deadline, "weight": whole(trace.inputs["w"])}


def _keys_and_target(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"key": whole(trace.inputs["key"]), "target": whole(trace.inputs["target"][None])}


def _summed_keys(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {"key": whole(trace.inputs["key"], SUMMED_SCALE)}


def _letters(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    return {
        "letter": torch.from_numpy(trace.inputs["key"].argmax(-1)),
        "in_pattern": torch.from_numpy(trace.inputs["string"] == 1),
    }


# ---- nodes that numbers name


def _at(name: str, less: int = 0) -> Ours:
    """A mark at the node whose number is a number of the graph, or so much less."""
    return lambda run: mark_at(of_graph(name)(run) - less, run.graph.num_nodes)


def _at_the_end(name: str) -> Ours:
    return lambda run: _at(name)(run)[-1]


def _middle(run: Run) -> np.ndarray:
    return mark_at((of_graph("low")(run) + of_graph("high")(run)) // 2, run.graph.num_nodes)


def _summed(name: str) -> Ours:
    return lambda run: of_graph(name)(run) / SUMMED_SCALE


def _two_rows(run: Run) -> np.ndarray:
    """The letter before, in the text and in the pattern; a first letter has itself."""
    head = int(run.inputs["in_pattern"].int().argmax())
    before = in_a_row(run).copy()
    before[:, head] = head
    return before


ROWS = (
    ClrsTask(
        "minimum",
        "minimum",
        "Step by step the same; CLRS begins with the first node looked at.",
        inputs=keys,
        outputs={"min": final("is_least")},
        hints={"pred_h": in_a_row, "min_h": state("is_least"), "i": newly("seen")},
        skipped=1,
    ),
    ClrsTask(
        "binary_search",
        "binary_search",
        "Step by step the same; our first step looks for the last place, and our last one marks "
        "the result.",
        inputs=_keys_and_target,
        outputs={"return": final("is_result")},
        hints={"pred_h": in_a_row, "low": _at("low"), "high": _at("high"), "mid": _middle},
        skipped=1,
        closing=1,
    ),
    ClrsTask(
        "find_maximum_subarray_kadane",
        "maximum_subarray",
        "Step by step the same; CLRS begins with the first number added. Our sums are exact, "
        "CLRS's are rounded.",
        inputs=_summed_keys,
        outputs={"start": _at_the_end("low"), "end": _at_the_end("high")},
        hints={
            "pred_h": in_a_row,
            "best_low": _at("low"),
            "best_high": _at("high"),
            "best_sum": _summed("best"),
            "i": _at("begin"),
            "j": _at("count", 1),
            "sum": _summed("sum"),
        },
        skipped=1,
    ),
    ClrsTask(
        "activity_selector",
        "activity_selection",
        "Step by step the same; CLRS's m and k mean nothing before the first step.",
        inputs=_times,
        outputs={"selected": final("selected")},
        hints={
            "pred_h": in_a_row,
            "selected_h": state("selected"),
            "m": newly("looked_at"),
            "k": latest("selected"),
        },
    ),
    ClrsTask(
        "task_scheduling",
        "task_scheduling",
        "Step by step the same. CLRS selects the heaviest task whatever its deadline, which its "
        "sampler never draws below 1; its i means nothing before the first step.",
        inputs=_deadlines_and_weights,
        outputs={"selected": final("selected")},
        hints={
            "pred_h": in_a_row,
            "selected_h": state("selected"),
            "i": newly("looked_at"),
            "t": of_graph("slots"),
        },
    ),
    ClrsTask(
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
    ClrsTask(
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
            "k_reset": of_graph("k_reset"),
            "q": _at("q"),
            "q_reset": of_graph("q_reset"),
            "s": _at("shift"),
            "i": _at("in_text"),
            "phase": of_graph("reads_text"),
        },
        skipped=1,
        closing=1,
    ),
)
