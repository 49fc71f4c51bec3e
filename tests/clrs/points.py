"""CLRS's tasks on points in the plane."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algolens.execution import Run
from algolens.graphs import Graph
from tests.clrs.task import Ours, Task, final, state
from tests.clrs.traces import Trace

# CLRS's sampler cuts coordinates off after so many decimals (benchmarks/clrs_traces.py)
UNIT = 10**6
PLACED = {"bits": 22}


def _points(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    placed = {}
    for name in ("x", "y"):
        counted = np.rint(trace.inputs[name] * UNIT).astype(np.int64)
        assert np.array_equal(counted / UNIT, trace.inputs[name])
        placed[name] = torch.from_numpy(counted)
    return placed


def _two_segments(trace: Trace, graph: Graph) -> dict[str, Tensor]:
    ends = {f"p{place + 1}": torch.tensor([place]) for place in range(4)}
    return {**_points(trace, graph), **ends}


def _one(nodes: np.ndarray, num_nodes: int) -> np.ndarray:
    return np.eye(num_nodes, dtype=int)[nodes]


def _pointed(name: str) -> Ours:
    """[states, N] where a pointer of the graph led in the step before; node 0 in the beginning."""

    def values(run: Run) -> np.ndarray:
        pointed = run.state(name).dense().numpy()[:, 0]
        return _one(np.append(0, pointed[:-1]), run.graph.num_nodes)

    return values


def _of_ends(name: str, unit: int = 1) -> Ours:
    """[states, 4] what the graph keeps of each of four ends."""

    def values(run: Run) -> np.ndarray:
        kept = [run.state(f"{name}_{place}").dense().numpy()[:, 0] for place in range(1, 5)]
        return np.stack(kept, 1) / unit

    return values


def _row(run: Run) -> np.ndarray:
    before = np.maximum(np.arange(run.graph.num_nodes) - 1, 0)
    return np.broadcast_to(before, (run.num_steps + 1, len(before)))


def _from_the_first_step(values: Ours) -> Ours:
    """[states, N] a mark, which CLRS gives node 0 in the beginning."""

    def marks(run: Run) -> np.ndarray:
        found = values(run).astype(int)
        found[0] = _one(np.array(0), run.graph.num_nodes)
        return found

    return marks


def _lowest(run: Run) -> np.ndarray:
    """[states, N] the first corner."""
    in_hull = run.state("in_hull").dense().numpy()
    return np.broadcast_to(in_hull[1], in_hull.shape).copy()


def _looked_at(run: Run) -> np.ndarray:
    count = run.state("count").dense().numpy()[:, 0]
    return _one(np.maximum(count - 1, 0), run.graph.num_nodes)


def _begun(run: Run) -> np.ndarray:
    return _one(run.state("has_begun").dense().numpy()[:, 0].astype(int), 2)


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
    return _one(phase, 5)


POINTS = (
    Task(
        "segments_intersect",
        "segments_intersect",
        "Step by step the same; ours holds the three points that the next step looks at, CLRS "
        "those of the last one. Coordinates have six decimals, so our cross products are exact; "
        "CLRS's are rounded.",
        inputs=_two_segments,
        options=PLACED,
        outputs={"intersect": lambda run: np.array(int(run.outcomes["intersects"][0]))},
        hints={
            "i": _pointed("i"),
            "j": _pointed("j"),
            "k": _pointed("k"),
            "dir": _of_ends("turn", UNIT**2),
            "on_seg": _of_ends("on"),
        },
    ),
    Task(
        "jarvis_march",
        "jarvis_march",
        "Step by step the same. Coordinates have six decimals, so our cross products are exact.",
        inputs=_points,
        options=PLACED,
        outputs={"in_hull": final("in_hull")},
        hints={
            "pred_h": _row,
            "in_hull_h": state("in_hull"),
            "best": _from_the_first_step(_lowest),
            "last_point": _from_the_first_step(state("is_corner")),
            "endpoint": _from_the_first_step(state("is_end")),
            "i": _looked_at,
            "phase": _begun,
        },
    ),
    Task(
        "graham_scan",
        "graham_scan",
        "Step by step the same, but for the sorting, which CLRS does within one hint: ours takes a "
        "step for each point, in which every other one counts whether that comes before it. Left "
        "out: atans. CLRS sorts by angles, which are no whole numbers, and ours by cross products, "
        "whose order is the same and exact.",
        inputs=_points,
        options=PLACED,
        outputs={"in_hull": final("in_hull")},
        hints={
            "best": _from_the_first_step(state("is_lowest")),
            "in_hull_h": state("in_hull"),
            "stack_prev": state("under"),
            "last_stack": _from_the_first_step(state("is_top")),
            "i": _from_the_first_step(_scanned),
            "phase": _phase_of_scan,
        },
        moments=_sorted_at_once,
    ),
)
