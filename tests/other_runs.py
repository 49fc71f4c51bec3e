"""Runs made otherwise: with another field, kept as what changed, or very long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algolens.algorithms import algorithm
from algolens.arrays import Array
from algolens.engines import Run, Timeline
from algolens.engines.run import OVER_TIME
from algolens.graphs import Graph


def with_field(run: Run, name: str, rows: Array) -> Run:
    """The run with other values of a field. rows: [T, N]."""
    part = next(part for part in OVER_TIME if name in getattr(run, part))
    return replace(run, **{part: {**getattr(run, part), name: Timeline.of_rows(rows)}})  # type: ignore[arg-type]


def as_changes(timeline: Timeline) -> Timeline:
    """The same field over time, of which only changes are kept."""
    return Timeline.of_changes(
        timeline.first, timeline.num_steps, timeline.steps, timeline.elements, timeline.values
    )


def by_changes(run: Run) -> Run:
    """The same run, of which only changes are kept."""
    parts = {
        part: {name: as_changes(timeline) for name, timeline in getattr(run, part).items()}
        for part in OVER_TIME
    }
    return replace(run, **parts)  # type: ignore[arg-type]


def long_run(num_nodes: int, num_steps: int, changes_a_step: int = 2) -> Run:
    """A run of breadth-first search on a random graph, of which random values change for very long:
    no algorithm's, but as large as one may be.
    """
    rng = np.random.default_rng(0)
    ends = rng.integers(0, num_nodes, (3 * num_nodes, 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], 1), axis=0)
    chosen, graph = algorithm("bfs"), Graph.pack([num_nodes], ends)
    count = np.array([num_steps])

    def over_time() -> Timeline:
        steps = np.arange(1, num_steps).repeat(changes_a_step)
        elements = rng.integers(0, num_nodes, len(steps))
        points = np.unique(steps * num_nodes + elements)
        steps, elements = points // num_nodes, points % num_nodes
        order = elements.argsort(kind="stable")
        # a mask is new each time: true, false, true ...
        since = np.roll(np.bincount(elements, minlength=num_nodes).cumsum(), 1)
        since[0] = 0
        values = np.empty(len(order), dtype=bool)
        values[order] = (np.arange(len(order)) - since[elements[order]]) % 2 == 0
        first = np.zeros(num_nodes, dtype=bool)
        return Timeline.of_changes(first, num_steps, steps, elements, values)

    return Run(
        algorithm=chosen,
        graph=graph,
        inputs={"source": np.array([17 % num_nodes])},
        start={"visited": np.zeros(num_nodes, dtype=bool)},
        concepts={name: over_time() for name in chosen.declaration.concepts},
        outputs={"visited": over_time()},
        hints={},
        goes_on=np.arange(num_steps)[:, None] < num_steps - 1,
        lengths=count,
        stopped=np.array([0]),
        resting=np.zeros((num_nodes, len(chosen.declaration.concepts)), dtype=bool),
    )
