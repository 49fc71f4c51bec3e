"""CLRS's tasks on points in the plane."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algolens.clrs.task import ClrsTask, Ours, final, in_a_row, mark_at, of_graph, state
from algolens.clrs.traces import Trace
from algolens.engines import Run
from algolens.errors import GraphError
from algolens.graphs import Graph

# CLRS's sampler cuts coordinates off after so many decimals (benchmarks/clrs_traces.py)
DECIMALS = 6
UNIT = 10**DECIMALS


def _points(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    placed = {}
    for name in ("x", "y"):
        counted = np.rint(trace.inputs[name] * UNIT).astype(np.int64)
        if not np.array_equal(counted / UNIT, trace.inputs[name]):
            raise GraphError(
                f"a coordinate of the trace has more than {DECIMALS} decimals: make traces with "
                "benchmarks/clrs_traces.py, which cuts them off."
            )
        placed[name] = torch.from_numpy(counted)
    return placed


def _two_segments(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    ends = {f"p{place + 1}": torch.tensor([place]) for place in range(4)}
    return {**_points(trace, graph), **ends}


def _pointed(name: str) -> Ours:
    """[states, N] where a pointer of the graph led in the step before; node 0 in the beginning."""

    def values(run: Run) -> np.ndarray:
        pointed = of_graph(name)(run)
        return mark_at(np.append(0, pointed[:-1]), run.graph.num_nodes)

    return values


def _of_ends(name: str, unit: int = 1) -> Ours:
    """[states, 4] what the graph keeps of each of four ends."""

    def values(run: Run) -> np.ndarray:
        kept = [of_graph(f"{name}_{place}")(run) for place in range(1, 5)]
        return np.stack(kept, 1) / unit

    return values


def _from_the_first_step(values: Ours) -> Ours:
    """[states, N] a mark, which CLRS gives node 0 in the beginning."""

    def marks(run: Run) -> np.ndarray:
        marked = values(run).astype(int)
        marked[0] = mark_at(np.array(0), run.graph.num_nodes)
        return marked

    return marks


def _lowest(run: Run) -> np.ndarray:
    """[states, N] the first corner."""
    in_hull = state("in_hull")(run)
    return np.broadcast_to(in_hull[1], in_hull.shape).copy()


def _looked_at(run: Run) -> np.ndarray:
    count = of_graph("count")(run)
    return mark_at(np.maximum(count - 1, 0), run.graph.num_nodes)


def _begun(run: Run) -> np.ndarray:
    return mark_at(of_graph("has_begun")(run).astype(int), 2)


def _sorted_at_once(trace: Trace) -> np.ndarray:
    """CLRS sorts in one hint; of ours, every point takes a step in which CLRS shows nothing."""
    before = np.append(0, np.ones(trace.num_nodes, dtype=int))
    return np.append(before, np.arange(2, len(trace.hints["phase"])))


def _scanned(run: Run) -> np.ndarray:
    """[states, N] the point that a step looked at; before the scan, the lowest one."""
    looked = np.concatenate([_lowest(run)[:1], run["is_current"].dense().numpy()])
    return np.where(looked.any(1, keepdims=True), looked, _lowest(run))


def _phase_of_scan(run: Run) -> np.ndarray:
    """[states, 5] begun, lowest found, sorted, taken off the stack, put on it."""
    phase = np.ones(run.num_steps + 1, dtype=int)
    phase[0], phase[run.graph.num_nodes + 1] = 0, 2
    for name, number in (("pops", 3), ("pushes", 4)):
        phase[1:][run[name].dense().numpy()[:, 0]] = number
    return mark_at(phase, 5)


POINTS = (
    ClrsTask(
        "segments_intersect",
        "segments_intersect",
        "Step by step the same; ours holds the three points that the next step looks at, CLRS "
        "those of the last one. Coordinates have six decimals, so our cross products are exact; "
        "CLRS's are rounded.",
        inputs=_two_segments,
        outputs={"intersect": lambda run: np.array(int(run.outcomes["intersects"][0]))},
        hints={
            "i": _pointed("i"),
            "j": _pointed("j"),
            "k": _pointed("k"),
            "dir": _of_ends("turn", UNIT**2),
            "on_seg": _of_ends("on"),
        },
    ),
    ClrsTask(
        "jarvis_march",
        "jarvis_march",
        "Step by step the same. Coordinates have six decimals, so our cross products are exact.",
        inputs=_points,
        outputs={"in_hull": final("in_hull")},
        hints={
            "pred_h": in_a_row,
            "in_hull_h": state("in_hull"),
            "best": _from_the_first_step(_lowest),
            "last_point": _from_the_first_step(state("is_corner")),
            "endpoint": _from_the_first_step(state("is_end")),
            "i": _looked_at,
            "phase": _begun,
        },
    ),
    ClrsTask(
        "graham_scan",
        "graham_scan",
        "Step by step the same, but for the sorting, which CLRS does within one hint: ours takes a "
        "step for each point, in which every other one counts whether that comes before it.",
        inputs=_points,
        outputs={"in_hull": final("in_hull")},
        hints={
            "best": _from_the_first_step(state("is_lowest")),
            "in_hull_h": state("in_hull"),
            "stack_prev": state("under"),
            "last_stack": _from_the_first_step(state("is_top")),
            "i": _from_the_first_step(_scanned),
            "phase": _phase_of_scan,
        },
        left_out={
            "atans": "CLRS sorts by angles, which are no whole numbers; ours by cross products, "
            "whose order is the same and exact",
        },
        moments=_sorted_at_once,
    ),
)
