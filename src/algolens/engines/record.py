"""What the loop holds: the graphs that are still worked on, and what their steps gave."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from algolens import arrays
from algolens.algorithms import Algorithm, Declaration, Values
from algolens.arrays import Array
from algolens.engines.parts import Percept
from algolens.engines.run import Run, Stopped
from algolens.engines.timeline import Changes, Frames, Timeline
from algolens.graphs import LOCATIONS, At, Graph
from algolens.language.inputs import ReadInputs

Frame = Values  # what one step gave, by field


class Work:
    """The graphs that are still worked on, and all that goes with them."""

    def __init__(
        self,
        declaration: Declaration,
        graph: Graph,
        inputs: Values,
        start: Values,
        limit: Array,
        percept: Percept,
    ) -> None:
        """limit: [G] the most steps."""
        self.declaration, self.graph, self.inputs = declaration, graph, inputs
        self.limit, self.percept = limit, percept
        self.least_limit = int(limit.min()) if len(limit) else 0  # before, no graph has to stop
        self.alive = limit > 0  # [G]
        self.num_alive = int(self.alive.sum())
        # what the last step gave; before the first, the state
        self.frame: Frame = start
        # by location: the places of the elements in the whole batch; None: it is the whole
        self.where: Mapping[At, Array] | None = None

    def places(self, location: At, elements: Array) -> Array:
        """The places of some elements in the whole batch."""
        return elements if self.where is None else arrays.take(self.where[location], elements)

    def share_alive(self) -> float:
        """The share of the work that is done for graphs that go on."""
        if self.num_alive == self.graph.num_graphs:
            return 1.0
        size = self.graph.node_counts + self.graph.edge_counts
        return float((size * self.alive).sum() / size.sum())

    def num_values(self) -> int:
        """How many values its larger tensors hold."""
        memory = 0 if self.percept.memory is None else math.prod(self.percept.memory.shape)
        return max(self.graph.num_nodes + self.graph.num_edges, memory)

    def alive_after(self, step: int, asks: Array | None) -> Array:
        """[G] which graphs take another step. asks: [G] those that ask for one; None: all."""
        asks = self.alive if asks is None else asks
        return asks if step < self.least_limit else asks & (step < self.limit)

    def advance(self, frame: Frame, percept: Percept, alive: Array) -> None:
        """Goes on to the next step."""
        if alive is not self.alive:
            self.alive, self.num_alive = alive, int(alive.sum())
        self.frame, self.percept = frame, percept

    def put_finished_away(self) -> None:
        """Keeps only the graphs that go on."""
        declaration, percept, before = self.declaration, self.percept, self.where
        kept = self.graph.take(arrays.flatnonzero(self.alive))
        self.graph, self.frame = kept.graph, {}
        self.inputs = {
            name: _rows(value, kept.index(declaration.inputs[name].at))
            for name, value in self.inputs.items()
        }
        self.limit, self.alive = self.limit[kept.graphs], self.alive[kept.graphs]
        self.least_limit = int(self.limit.min())
        memory = percept.memory
        self.percept = replace(
            percept,
            concepts=_rows(percept.concepts, kept.index(declaration.location)),
            hints={
                name: _rows(value, kept.index(declaration.predicted[name].at))
                for name, value in percept.hints.items()
            },
            memory=None if memory is None else arrays.take(memory, kept.index("node")),
            goes_on=None,  # which was asked when the step before was settled
        )
        self.where = {
            at: kept.index(at) if before is None else before[at][kept.index(at)] for at in LOCATIONS
        }

    def held_finished(self, frame: Frame) -> Frame:
        """A frame in which finished graphs keep what they had."""
        if not self.frame or self.num_alive == self.graph.num_graphs:
            return frame
        fields = self.declaration.predicted
        alive = {
            at: arrays.take(self.alive, self.graph.owner(at))
            for at in {fields[name].at for name in self.frame}
        }
        return {
            name: arrays.where(alive[fields[name].at], value, self.frame[name])
            if name in self.frame
            else value
            for name, value in frame.items()
        }


class Record:
    """Gathers what the steps give, for the whole batch."""

    def __init__(
        self,
        algorithm: Algorithm,
        graph: Graph,
        inputs: Values,
        start: Values,
        first: Percept,
        *,
        has_trace: bool,
    ) -> None:
        declaration = algorithm.declaration
        self.algorithm, self.graph, self.inputs, self.start = algorithm, graph, inputs, start
        self.has_concepts, self.has_trace = first.has_concepts, has_trace
        # a graph that takes no step has what is seen, or holds, at first
        told = {**first.hints, **start}
        self.outcomes = {
            name: arrays.clone(told[name]) for name in declaration.outcomes if name in told
        }
        self.num_steps = 0
        self.frames = Frames()  # of every step; without a trace, of the last
        self.asked: list[Array] = []  # [steps, G] each
        self.lengths = arrays.zeros(graph.num_graphs, int, graph.device)
        reason = Stopped.BY_RULE if declaration.terminates else Stopped.BY_COUNT
        self.stopped = arrays.full(graph.num_graphs, int(reason), graph.device)
        shape = (len(declaration.concepts), graph.count(declaration.location))
        self.resting = arrays.zeros(shape, bool, graph.device)

    def add(self, frame: Frame, work: Work) -> None:
        """Keeps a frame; those of graphs that were put away stay as they were."""
        if work.where is not None:
            fields, last = self.algorithm.declaration.predicted, self.frames.last
            frame = {
                name: _put(last[name], work.where[fields[name].at], value)
                for name, value in frame.items()
            }
        self.num_steps += 1
        if not self.has_trace:
            self.frames = Frames()
        self.frames.add(frame)

    def extend(self, frame: Frame, changes: Mapping[str, Sequence[Changes]], steps: int) -> None:
        """Keeps several steps of one graph by what changed in them. frame: of the last."""
        self.num_steps += steps
        if not self.has_trace:
            self.frames = Frames()
            self.frames.add(frame)
            return
        self.frames.extend(frame, changes, steps)
        # after the last of them it is asked yet
        all_ask = np.ones((steps - 1, self.graph.num_graphs), dtype=bool)
        self.asked.append(arrays.to(all_ask, self.graph.device))

    def settle(
        self, work: Work, alive: Array, asks: Array | None, state: Values, upcoming: Percept
    ) -> None:
        """Keeps who asked for another step, and what is seen of the graphs that end.

        alive: [G] those that take another step. asks: [G] by the rule; None where there is none.
        state: after the step.
        """
        if self.has_trace:
            asked = alive if asks is None else asks
            if work.where is not None:
                nobody = arrays.zeros(self.graph.num_graphs, bool, self.graph.device)
                asked = _put(nobody, work.where["graph"], asked)
            self.asked.append(asked[None])
        has_ended = work.alive & ~alive
        if not has_ended.any():
            return
        ends = arrays.flatnonzero(has_ended)
        graphs = work.places("graph", ends)
        self.lengths[graphs] = self.num_steps
        if asks is not None:
            self.stopped[graphs[asks[ends]]] = int(Stopped.BY_LIMIT)
        told = {**upcoming.hints, **state}
        for name, values in self.outcomes.items():
            values[graphs] = told[name][ends]
        location = self.algorithm.declaration.location
        elements = arrays.flatnonzero(arrays.take(has_ended, work.graph.owner(location)))
        where = work.places(location, elements)
        seen = seen_concepts(upcoming, self.algorithm.declaration)
        for row, column in zip(self.resting, seen.T, strict=True):
            row[where] = arrays.take(column, elements)

    def run(self) -> Run:
        """The run so far."""
        declaration = self.algorithm.declaration
        if self.has_trace and self.asked:
            goes_on = arrays.concat(self.asked)
        else:
            goes_on = (self.stopped == Stopped.BY_LIMIT)[None][: self.frames.num_steps]
        over_time = self.frames.timelines() or self._without_steps()
        return Run(
            algorithm=self.algorithm,
            graph=self.graph,
            inputs=dict(self.inputs),
            scales=self.inputs.scales if isinstance(self.inputs, ReadInputs) else {},
            start=self.start,
            concepts={name: over_time[name] for name in declaration.concepts},
            outputs={name: over_time[name] for name in declaration.outputs},
            hints={name: over_time[name] for name in declaration.hints},
            goes_on=goes_on,
            lengths=self.lengths,
            stopped=self.stopped,
            resting=self.resting.T,
            outcomes=self.outcomes,
            has_concepts=self.has_concepts,
            has_trace=self.has_trace,
        )

    def _without_steps(self) -> dict[str, Timeline]:
        return {
            name: Timeline.of_rows(
                arrays.zeros((0, self.graph.count(field.at)), field.dtype, self.graph.device)
            )
            for name, field in self.algorithm.declaration.predicted.items()
        }


def frame_of(percept: Percept, outputs: Frame, declaration: Declaration) -> Frame:
    """What a step gave, by field."""
    concepts = seen_concepts(percept, declaration).T
    given = {**percept.hints, **outputs, **dict(zip(declaration.concepts, concepts, strict=True))}
    return {name: given[name] for name in declaration.predicted}


def seen_concepts(percept: Percept, declaration: Declaration) -> Array:
    """[N, C] bools: the concepts of a percept; without any, those that the state needs."""
    concepts = percept.concepts
    if percept.has_concepts:
        return concepts if arrays.is_of(concepts, bool) else concepts > 0.5
    none = arrays.zeros(len(concepts), bool, arrays.device_of(concepts))
    return arrays.stack([percept.hints.get(name, none) for name in declaration.concepts]).T


def _rows(value: Array, where: Array) -> Array:
    if value.ndim == 1:
        return arrays.take(value, where)
    # concepts, one after the other
    return arrays.stack([arrays.take(column, where) for column in value.T]).T


def _put(values: Array, where: Array, some: Array) -> Array:
    """A copy with other values at some places."""
    changed = arrays.clone(values)
    changed[where] = some
    return changed
