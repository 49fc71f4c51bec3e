"""Points in the plane, as CLRS tells of them; ``tasks.toml`` names these functions."""

from __future__ import annotations

import numpy as np

from algolens.clrs.ours import Ours, mark_at
from algolens.clrs.traces import Trace


def pointed(run: Ours, name: str) -> np.ndarray:
    """[states, N] where a pointer of the graph led in the step before; node 0 in the beginning."""
    return mark_at(np.append(0, run[name][:-1, 0]), run.n)


def of_ends(run: Ours, name: str, decimals: str = "0") -> np.ndarray:
    """[states, 4] what the graph keeps of each of four ends."""
    kept = [run[f"{name}_{place}"][:, 0] for place in range(1, 5)]
    return np.stack(kept, 1) / 10 ** int(decimals)


def _lowest(run: Ours) -> np.ndarray:
    """[states, N] the first corner."""
    in_hull = run["in_hull"]
    return np.broadcast_to(in_hull[1], in_hull.shape)


def lowest(run: Ours) -> np.ndarray:
    """[states, N] the first corner; in the beginning, node 0."""
    return _begun(run, _lowest(run))


def from_the_first_step(run: Ours, name: str) -> np.ndarray:
    """[states, N] a mark, which CLRS gives node 0 in the beginning."""
    return _begun(run, run[name])


def _begun(run: Ours, marks: np.ndarray) -> np.ndarray:
    return np.concatenate([mark_at(np.array([0]), run.n), marks[1:]])


def counted(run: Ours) -> np.ndarray:
    """[states, N] the point that is looked at."""
    return mark_at(np.maximum(run["count"][:, 0] - 1, 0), run.n)


def has_begun(run: Ours) -> np.ndarray:
    """[states, 2] whether the march has begun."""
    return mark_at(run["has_begun"][:, 0].astype(int), 2)


def sorted_at_once(trace: Trace) -> np.ndarray:
    """CLRS sorts in one hint; of ours, every point takes a step in which CLRS shows nothing."""
    before = np.append(0, np.ones(trace.num_nodes, dtype=int))
    return np.append(before, np.arange(2, len(trace.hints["phase"])))


def scanned_point(run: Ours) -> np.ndarray:
    """[states, N] the point that a step looked at; before the scan, the lowest one."""
    looked = np.concatenate([_lowest(run)[:1], run.seen("is_current")])
    return _begun(run, np.where(looked.any(1, keepdims=True), looked, _lowest(run)))


def phase_of_scan(run: Ours) -> np.ndarray:
    """[states, 5] begun, lowest found, sorted, taken off the stack, put on it."""
    phase = np.ones(run.num_states, dtype=int)
    phase[0], phase[run.n + 1] = 0, 2
    for name, number in (("pops", 3), ("pushes", 4)):
        phase[1:][run.seen(name)[:, 0]] = number
    return mark_at(phase, 5)
