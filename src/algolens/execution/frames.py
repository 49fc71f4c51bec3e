"""Frames as they come, one for each step, and the timelines that they make."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from algolens.execution.timeline import Changes, Timeline, drawn_changes
from algolens.memory import check_growth

ROOM = 2**26  # bytes of frames that are kept as they come, before their changes are drawn from them
DRAWING = 3  # times as many bytes, while changes are drawn from them


class Frames:
    """Gathers frames, one for each step, and makes a timeline of each field.

    Frames are kept as they come while there is room for them; then only what changes in them.
    """

    def __init__(self, room: int = ROOM) -> None:
        """room: in bytes."""
        self.room, self.num_steps = room, 0
        self.last: Mapping[str, Tensor] = {}
        self._kept: list[Mapping[str, Tensor]] = []  # the last of all frames
        self._num_bytes = 0
        self._first: Mapping[str, Tensor] = {}  # where some are kept no more
        self._before: Mapping[str, Tensor] = {}  # the frame before those that are kept
        self._drawn: dict[str, list[Changes]] = {}

    def add(self, frame: Mapping[str, Tensor]) -> None:
        """Takes the frame of the next step."""
        for name, values in frame.items():
            if values is not self.last.get(name):
                self._num_bytes += values.numel() * values.element_size()
        self._kept.append(frame)
        self.last, self.num_steps = frame, self.num_steps + 1
        if self._num_bytes > self.room:
            self._draw()

    def extend(
        self, last: Mapping[str, Tensor], changes: Mapping[str, Changes], steps: int
    ) -> None:
        """Takes what changed in so many further steps, and the frame of the last of them."""
        self._draw()
        for name, new in changes.items():
            self._drawn.setdefault(name, []).append(new)
        self.last = self._before = last
        self.num_steps += steps

    def _draw(self) -> None:
        """Keeps of the frames what changes in them."""
        if not self._kept:
            return
        check_growth(DRAWING * self._num_bytes)
        self._first = self._first or self._kept[0]
        begin = self.num_steps - len(self._kept)
        for name, before in (self._before or self._first).items():
            steps, rows = [begin], [before]
            for step, frame in enumerate(self._kept, begin):
                if frame[name] is not rows[-1]:  # a field that stays is often the same tensor
                    steps.append(step)
                    rows.append(frame[name])
            new = drawn_changes(torch.stack(rows), torch.tensor(steps, dtype=torch.int32))
            self._drawn.setdefault(name, []).append(new)
        self._before, self._kept, self._num_bytes = self.last, [], 0

    def timelines(self) -> dict[str, Timeline]:
        """Each field over all steps so far, by its name; none without a step."""
        if not self._first:
            return {
                name: Timeline.of_rows(torch.stack([frame[name] for frame in self._kept]))
                for name in self.last
            }
        self._draw()
        return {
            name: Timeline.of_changes(
                self._first[name], self.num_steps, *map(torch.cat, zip(*parts, strict=True))
            )
            for name, parts in self._drawn.items()
        }
