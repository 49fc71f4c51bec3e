"""Fields over time, kept as what changed, and how they are gathered step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np

from algolens import arrays
from algolens.arrays import NUMPY, Array, Values
from algolens.graphs.elements import owners, ranges
from algolens.memory import check_growth

LEAST_SPACING = 2**10  # changes between two keyframes
ROOM = 2**26  # bytes of frames that are kept as they come, before their changes are drawn from them
DRAWING = 3  # times as many bytes, while changes are drawn from them


class Changes(NamedTuple):
    """K values that are new, in the order of their steps; always arrays of NumPy."""

    steps: np.ndarray  # [K] from 1 on, ascending
    elements: np.ndarray  # [K]
    values: np.ndarray  # [K]


@final
class Timeline:
    """A field over time, for N elements and T steps; ``timeline[step]`` is its frame, [N].

    A long one holds its first frame and the changes after it, so that memory grows with these. A
    frame is then made from the nearest keyframe before it. A short one, as of the batches that
    networks learn from, holds its frames, and draws the changes from them when asked.

    >>> rows = np.array([[0, 0, 0], [0, 7, 0], [0, 7, 0], [5, 8, 0]])
    >>> timeline = Timeline.of_rows(rows)
    >>> timeline.steps.tolist(), timeline.elements.tolist(), timeline.values.tolist()
    ([1, 3, 3], [1, 0, 1], [7, 5, 8])
    >>> again = Timeline.of_changes(rows[0], 4, timeline.steps, timeline.elements, timeline.values)
    >>> again[2].tolist(), [column.tolist() for column in again.history(1)]
    ([0, 7, 0], [[0, 1, 3], [0, 7, 8]])
    """

    def __init__(self, first: Array, num_steps: int) -> None:
        """first: [N] the frame of step 0; where there is no step, any."""
        self.first, self.num_steps = first, num_steps
        self._rows: Array | None = None
        # the frame that was read last, and how many changes are in it
        self._read, self._num_read = first, 0

    @classmethod
    def of_rows(cls, rows: Array) -> Timeline:
        """From all its frames. rows: [T, N]."""
        none = arrays.zeros(rows.shape[1], rows.dtype, arrays.device_of(rows))
        timeline = cls(rows[0] if len(rows) else none, len(rows))
        timeline._rows = rows
        return timeline

    @classmethod
    def of_changes(
        cls,
        first: Array,
        num_steps: int,
        steps: np.ndarray,
        elements: np.ndarray,
        values: np.ndarray,
    ) -> Timeline:
        """From its first frame and its changes.

        Parameters
        ----------
        first : array
            [N] the frame of step 0.
        num_steps : int
            T, how many frames it has.
        steps, elements, values : np.ndarray
            [K] columns of changes. A change says that the frame of its step
            differs from the frame before at an element. Steps ascend, from 1 to T - 1; an element
            has one change a step at most, and its value is new.
        """
        timeline = cls(first, num_steps)
        steps, elements = (each.astype(np.int32, copy=False) for each in (steps, elements))
        timeline._changes = Changes(steps, elements, values)
        return timeline

    @cached_property
    def _changes(self) -> Changes:
        assert self._rows is not None
        return drawn_changes(self._rows)

    @property
    def steps(self) -> np.ndarray:
        """[K] the step of each change, ascending from 1 on."""
        return self._changes.steps

    @property
    def elements(self) -> np.ndarray:
        """[K] the element of each change."""
        return self._changes.elements

    @property
    def values(self) -> np.ndarray:
        """[K] the new value of each change."""
        return self._changes.values

    @property
    def num_bytes(self) -> int:
        """How many bytes all its frames take."""
        return self.num_steps * self.first.nbytes

    def __len__(self) -> int:
        return self.num_steps

    # ---- frames

    def __getitem__(self, step: int) -> Array:
        """[N] the frame of a step; negative ones count from the end."""
        number = step + self.num_steps if step < 0 else step
        if not 0 <= number < self.num_steps:
            raise IndexError(f"step {step} is not there: there are {self.num_steps}.")
        if self._rows is not None:
            return self._rows[number]
        end = int(self.steps.searchsorted(number + 1))  # how many changes there are before the next
        if end != self._num_read:
            place = end // self._spacing
            begin, frame = place * self._spacing, self._keyframes[place]
            if begin <= self._num_read < end:  # the frame read last is nearer
                begin, frame = self._num_read, self._read
            self._read, self._num_read = self._with_changes(frame, begin, end), end
        return self._read

    def dense(self) -> Array:
        """[T, N] all frames, for what needs them together, as training does."""
        if self._rows is not None:
            return self._rows
        shape = self.num_steps, len(self.first)
        check_growth(self.num_bytes + math.prod(shape) * np.dtype(np.int32).itemsize)
        rows = np.broadcast_to(arrays.to(self.first, NUMPY), shape).copy()
        rows[self.steps, self.elements] = self.values
        since = np.zeros(shape, dtype=np.int32)  # the step from which on a value stands
        since[self.steps, self.elements] = self.steps
        np.maximum.accumulate(since, axis=0, out=since)
        return arrays.to(np.take_along_axis(rows, since, 0), arrays.device_of(self.first))

    @property
    def _spacing(self) -> int:
        # so that keyframes take no more room than changes do
        return max(len(self.first), LEAST_SPACING)

    @cached_property
    def _keyframes(self) -> list[Array]:
        """The frames after so many changes, at an even spacing."""
        frames = [self.first]
        for end in range(self._spacing, len(self.values) + 1, self._spacing):
            frames.append(self._with_changes(frames[-1], end - self._spacing, end))
        return frames

    def _with_changes(self, frame: Array, begin: int, end: int) -> Array:
        """A frame after the changes from one to another."""
        changed = arrays.to(frame, NUMPY).copy()
        # NumPy puts repeated elements in order, so that the last change stays
        changed[self.elements[begin:end]] = self.values[begin:end]
        return arrays.to(changed, arrays.device_of(frame))

    # ---- changes

    def is_new(self, step: int, before: Array | None = None) -> Array:
        """[N] bools: does a value change with a step? before: the frame before the first; None: 0
        everywhere.
        """
        last = self[step - 1] if step else 0 if before is None else before
        return self[step] != last

    def history(self, element: int) -> tuple[np.ndarray, np.ndarray]:
        """The steps at which an element's value is new, from 0 on, and these values."""
        places, _ = self._changes_of(np.array([element]))
        own = arrays.to(self.first[element], NUMPY)
        return np.insert(self.steps[places], 0, 0), np.insert(self.values[places], 0, own)

    @cached_property
    def _by_element(self) -> tuple[np.ndarray, np.ndarray]:
        """[K] the changes by element and step, and both as one number, ascending."""
        keys = self.elements.astype(np.int64) * self.num_steps + self.steps
        order = keys.argsort(kind="stable")
        return order, keys[order]

    def _changes_of(self, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The changes of some elements, in the order of steps, and whose of these each is."""
        order, keys = self._by_element
        begin, end = (keys.searchsorted((elements + more) * self.num_steps) for more in (0, 1))
        places, whose = order[ranges(begin, end - begin)], owners(end - begin)
        sort = places.argsort()
        return places[sort], whose[sort]

    def values_at(self, steps: Array, elements: Array) -> Array:
        """[P] the values at single steps and elements. steps, elements: [P]."""
        if self._rows is not None:
            return self._rows[steps, elements]
        order, keys = self._by_element
        first = self.first[elements]
        if not len(order):
            return first
        steps, elements = arrays.to(steps, NUMPY), arrays.to(elements, NUMPY).astype(np.int64)
        places = keys.searchsorted(elements * self.num_steps + steps, "right") - 1
        last, device = order[places.clip(0)], arrays.device_of(first)
        has_changed = (places >= 0) & (self.elements[last] == elements)
        changed = arrays.to(self.values[last], device)
        return arrays.where(arrays.to(has_changed, device), changed, first)

    def first_differences(self, other: Timeline, num_steps: int) -> Array:
        """[N] the first of so many steps at which both differ; where they never do, num_steps."""
        if self._rows is not None and other._rows is not None:
            differs = self._rows[:num_steps] != other._rows[:num_steps]
            device = arrays.device_of(self.first)
            first = arrays.full(len(self.first), num_steps, device)
            wrong = arrays.flatnonzero(differs.any(0))  # few, if any
            if len(wrong):
                first[wrong] = arrays.cast(differs[:, wrong], int).argmax(0)
            return first
        # they can begin to differ at first, or where one of them changes
        everyone = np.arange(len(self.first))
        steps = np.concatenate([everyone * 0, self.steps, other.steps])
        elements = np.concatenate([everyone, self.elements, other.elements])
        steps, elements = (column[steps < num_steps] for column in (steps, elements))
        differs = arrays.to(
            self.values_at(steps, elements) != other.values_at(steps, elements), NUMPY
        )
        earliest = arrays.least_of(steps[differs], elements[differs], len(everyone), num_steps)
        return arrays.to(earliest, arrays.device_of(self.first))

    # ---- other timelines

    def take(self, elements: Array, num_steps: int) -> Timeline:
        """The first steps of some elements."""
        if self._rows is not None:
            return Timeline.of_rows(self._rows[:num_steps, elements])
        places, whose = self._changes_of(arrays.to(elements, NUMPY))
        within = self.steps[places] < num_steps
        places, whose = places[within], whose[within]
        return Timeline.of_changes(
            self.first[elements], num_steps, self.steps[places], whose, self.values[places]
        )

    def preceded_by(self, frame: Array) -> Timeline:
        """With a frame [N] before all others."""
        if self._rows is not None:
            return Timeline.of_rows(arrays.concat([frame[None], self._rows]))
        if not self.num_steps:
            return Timeline.of_rows(frame[None])
        new = drawn_changes(arrays.stack([frame, self.first]))
        return Timeline.of_changes(
            frame,
            self.num_steps + 1,
            np.concatenate([new.steps, self.steps + 1]),
            np.concatenate([new.elements, self.elements]),
            np.concatenate([new.values, self.values]),
        )

    def to(self, device: Any) -> Timeline:
        """The same, with its frames on a device."""
        if self._rows is not None:
            return Timeline.of_rows(arrays.to(self._rows, device))
        return Timeline.of_changes(arrays.to(self.first, device), self.num_steps, *self._changes)

    def equals(self, other: Timeline) -> bool:
        """Whether every frame is the same, bit for bit."""
        other = other.to(arrays.device_of(self.first))
        return (
            self.num_steps == other.num_steps
            and arrays.equal(self.first[:0], other.first[:0])
            and len(self.first) == len(other.first)
            and bool((self.first_differences(other, self.num_steps) == self.num_steps).all())
        )


def drawn_changes(rows: Array, numbers: np.ndarray | None = None) -> Changes:
    """Where rows [T, N] differ from the row before. numbers: [T] their steps, if not 0 to T - 1."""
    differs = rows[1:] != rows[:-1]
    places, elements = (
        arrays.to(column, NUMPY).astype(np.int32) for column in arrays.nonzero(differs)
    )
    steps = places + np.int32(1) if numbers is None else numbers[places + 1]
    return Changes(steps, elements, arrays.to(rows[1:][differs], NUMPY))


class Frames:
    """Gathers frames, one for each step, and makes a timeline of each field.

    Frames are kept as they come while there is room for them; then only what changes in them.
    """

    def __init__(self, room: int = ROOM) -> None:
        """room: in bytes."""
        self.room, self.num_steps = room, 0
        self.last: Values = {}
        self._kept: list[Values] = []  # the last of all frames
        self._num_bytes = 0
        self._first: Values = {}  # where some are kept no more
        self._before: Values = {}  # the frame before those that are kept
        self._drawn: dict[str, list[Changes]] = {}

    def add(self, frame: Values) -> None:
        """Takes the frame of the next step."""
        for name, values in frame.items():
            if values is not self.last.get(name):
                self._num_bytes += values.nbytes
        self._kept.append(frame)
        self.last, self.num_steps = frame, self.num_steps + 1
        if self._num_bytes > self.room:
            self._draw()

    def extend(self, last: Values, changes: Mapping[str, Sequence[Changes]], steps: int) -> None:
        """Takes what changed in so many further steps, and the frame of the last of them."""
        self._draw()
        for name, new in changes.items():
            self._drawn.setdefault(name, []).extend(new)
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
            new = drawn_changes(arrays.stack(rows), np.array(steps, dtype=np.int32))
            self._drawn.setdefault(name, []).append(new)
        self._before, self._kept, self._num_bytes = self.last, [], 0

    def timelines(self) -> dict[str, Timeline]:
        """Each field over all steps so far, by its name; none without a step."""
        if not self._first:
            return {
                name: Timeline.of_rows(arrays.stack([frame[name] for frame in self._kept]))
                for name in self.last
            }
        self._draw()
        return {
            name: Timeline.of_changes(
                self._first[name], self.num_steps, *map(np.concatenate, zip(*parts, strict=True))
            )
            for name, parts in self._drawn.items()
        }
