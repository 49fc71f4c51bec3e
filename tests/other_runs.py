"""A run made otherwise: with another field, or kept as what changed."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from algolens.execution import Run, Timeline
from algolens.execution.run import OVER_TIME


def with_field(run: Run, name: str, rows: Tensor) -> Run:
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
