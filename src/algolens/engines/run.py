"""What running an algorithm leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from algolens import arrays
from algolens.algorithms import Algorithm
from algolens.arrays import Array, Values
from algolens.engines.timeline import Timeline
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.graphs import Graph
from algolens.graphs.scales import Scale, scale_of_product

# the parts of a run: timelines by name, tensors by name, and single tensors
OVER_TIME = ("concepts", "outputs", "hints")
BY_NAME = ("inputs", "start", "outcomes")
PLAIN = ("goes_on", "lengths", "stopped", "resting")
OF_GRAPH = ("node_counts", "edge_counts", "edges")


class Stopped(IntEnum):
    """Why a graph's run ended."""

    BY_RULE = 0  # nothing asked for another step
    BY_COUNT = 1  # the algorithm takes a fixed number of steps, and has taken them
    BY_LIMIT = 2  # cut short: it asked for another step, and had taken the most it may

    @property
    def word(self) -> str:
        """As files say it: rule, count or limit."""
        return self.name.removeprefix("BY_").lower()


@dataclass(frozen=True, eq=False)
class Run:
    """Every field over time, for every graph of a batch.

    A field over time is a ``Timeline``: ``run[name][t]`` is what step t saw or gave, and
    ``run[name].dense()`` all steps in one array. Step t looks at the state before it
    (``state(name)[t]``), sees ``concepts`` and ``hints`` and gives ``outputs``. After a graph's own
    last step its values stay as they were, so ``final`` reads the last frame. Where a graph takes
    no step, its state stays as it was at first.
    """

    algorithm: Algorithm
    graph: Graph
    inputs: Values
    start: Values  # the first state
    concepts: Mapping[str, Timeline]  # bools, of T steps and N nodes (or edges, if they sit there)
    outputs: Mapping[str, Timeline]
    hints: Mapping[str, Timeline]
    goes_on: Array  # [T, G] bools: was another step asked for after this one?
    lengths: Array  # [G] steps taken
    stopped: Array  # [G] why: a Stopped
    # [N, C] bools: the concepts seen after a graph's last step, by which it was asked whether to go
    # on
    resting: Array
    # each [G]: the declared ones, seen after a graph's last step
    outcomes: Values = field(default_factory=dict)
    # False of a network without a bottleneck, which decides by none; those here then say nothing
    has_concepts: bool = True
    # False: only the last step was kept, and T is 1 (0 where there was none)
    has_trace: bool = True
    # how a user's numbers were made whole, by input
    scales: Mapping[str, Scale] = field(default_factory=dict)
    # state fields over time, once they are asked for
    _states: dict[str, Timeline] = field(default_factory=dict, init=False, repr=False)

    @property
    def num_steps(self) -> int:
        """Of the longest graph."""
        if self.has_trace:
            return len(self.goes_on)
        return int(self.lengths.max()) if len(self.lengths) else 0

    @property
    def is_cut_short(self) -> Array:
        """[G] bools: did the graph ask for another step when it had taken the most that it may?"""
        return self.stopped == Stopped.BY_LIMIT

    def with_trace(self) -> Run:
        """Itself, where every step was kept; else it is refused."""
        if not self.has_trace:
            raise AlgoLensError(
                f"this run of {self.algorithm.name} kept only its last step: read it by "
                "final(name), or run it again with trace=True."
            )
        return self

    @property
    def is_alive(self) -> Array:
        """[T, G] bools: does the graph take this step?"""
        return self.graph.arange(self.with_trace().num_steps)[:, None] < self.lengths

    def __getitem__(self, name: str) -> Timeline:
        """A concept, output or hint over time, by its name."""
        return self.with_trace()._field(name)

    def _field(self, name: str) -> Timeline:
        for fields in (self.concepts, self.outputs, self.hints):
            if name in fields:
                return fields[name]
        raise UnknownNameError(
            f"concept, output or hint of {self.algorithm.name}",
            name,
            self.algorithm.declaration.predicted,
        )

    def state(self, name: str) -> Timeline:
        """A state field over time, of T + 1 frames: before the first step, and after each."""
        if name not in self.start:
            raise UnknownNameError(f"state of {self.algorithm.name}", name, self.start)
        if name not in self._states:
            self._states[name] = self[name].preceded_by(self.start[name])
        return self._states[name]

    def patterns(self) -> Array:
        """[T, N, C] bools: all concepts in all steps, for what needs them together."""
        over_time = [timeline.dense() for timeline in self.with_trace().concepts.values()]
        # a concept after the other in memory
        return arrays.stack(over_time).swapaxes(0, 1).swapaxes(1, 2)

    def patterns_at(self, step: int) -> Array:
        """[N, C] bools: the concepts that a step saw."""
        return arrays.stack([timeline[step] for timeline in self.with_trace().concepts.values()]).T

    def patterns_ahead(self) -> Array:
        """[T, N, C] the concepts seen after each step, by which it is asked whether to go on: the
        look-ahead (eqs. 5-6).
        """
        owner = self.graph.owner(self.algorithm.declaration.location)
        is_last = self.graph.arange(self.num_steps)[:, None] + 1 >= self.lengths[owner]
        seen = self.patterns()
        ahead = arrays.concat([seen[1:], seen[-1:]])
        return arrays.where(is_last[:, :, None], self.resting, ahead)

    def final(self, name: str) -> Array:
        """[...] a state field, or any other that is there, when all is done."""
        over_time = self._field(name)
        return self.start[name] if name in self.start and not over_time.num_steps else over_time[-1]

    def shown(self, name: str, step: int | None = None) -> list[Any]:
        """An output after a step (or when all is done) as a person reads it: classes and what is
        pointed to by name, numbers in the units that the user gave.

        None where there is nothing to say: where a pointer points to none, or a number was not
        found.
        """
        declaration = self.algorithm.declaration
        values = self.final(name) if step is None else self[name][step]
        shown = self.in_own_units(name, declaration.outputs[name].shown(values, self.graph))
        if name in declaration.endless:
            pointers = self.inputs[declaration.endless[name]]
            for node in (self.graph.first_node + pointers).tolist():
                shown[node] = None
        if name not in declaration.only_where:
            return shown
        where = declaration.only_where[name]
        there = (self.final(where) if step is None else self[where][step]).tolist()
        return [value if is_there else None for value, is_there in zip(shown, there, strict=True)]

    def in_own_units(self, name: str, values: list[Any]) -> list[Any]:
        """Numbers of a field as the user counts, in the user's type."""
        scale = self.scale_of(name)
        return values if scale == Scale() else [scale.own(value) for value in values]

    def scale_of(self, name: str) -> Scale:
        """How the user's numbers were made whole, where a field is counted in their unit."""
        unit = self.algorithm.declaration.units.get(name)
        if unit is not None and unit.factors:
            return scale_of_product([self.scale_of(factor) for factor in unit.factors])
        members = () if unit is None else unit.members
        return next((self.scales[member] for member in members if member in self.scales), Scale())

    def take(self, graphs: Sequence[int] | Array) -> Run:
        """The runs of the chosen graphs, as if they had been run alone."""
        chosen, declaration = self.graph.take(graphs), self.algorithm.declaration
        fields = declaration.inputs | declaration.predicted
        lengths = self.lengths[chosen.graphs]
        steps = int(lengths.max()) if len(lengths) else 0
        steps = steps if self.has_trace else min(steps, 1)

        def taken(name: str, value: Any) -> Any:
            part, _, field = name.partition(".")
            if part == "goes_on":
                return value[:steps, chosen.graphs]
            if part in ("lengths", "stopped", "outcomes"):
                return value[chosen.graphs]
            rows = chosen.index(fields[field].at if field else declaration.location)
            return value.take(rows, steps) if part in OVER_TIME else value[rows]

        named = {name: taken(name, value) for name, value in self._named().items()}
        return replace(self, graph=chosen.graph, **_parts(named))

    def without_trace(self) -> Run:
        """Its outputs after the last step alone: far less to take graphs from."""
        last = {
            name: Timeline.of_rows(timeline[-1][None]) if timeline.num_steps else timeline
            for name, timeline in self.outputs.items()
        }
        return replace(
            self, concepts={}, outputs=last, hints={}, goes_on=self.goes_on[-1:], has_trace=False
        )

    def to(self, device: Any) -> Run:
        """The same run with tensors on a device of PyTorch; ``numpy``: with arrays of NumPy."""
        if str(self.graph.device) == str(device):
            return self
        moved = {
            name: value.to(device) if isinstance(value, Timeline) else arrays.to(value, device)
            for name, value in self._named().items()
        }
        return replace(self, graph=self.graph.to(device), **_parts(moved))

    def equals(self, other: Run) -> bool:
        """Whether both ran alike: the same steps with the same fields, bit for bit."""
        mine, theirs = self._all_named(), other._all_named()
        return mine.keys() == theirs.keys() and all(
            value.equals(theirs[name])
            if isinstance(value, Timeline)
            else arrays.equal(value, theirs[name])
            for name, value in mine.items()
        )

    def tensors(self) -> dict[str, Array]:
        """Every array of the run by name, the graph's too; of fields over time, all frames."""
        return {
            name: value.dense() if isinstance(value, Timeline) else value
            for name, value in self._all_named().items()
        }

    @property
    def num_bytes(self) -> int:
        """How many bytes all frames of its fields take."""
        return sum(
            timeline.num_bytes for part in OVER_TIME for timeline in getattr(self, part).values()
        )

    def _named(self) -> dict[str, Any]:
        """Every array and timeline by name."""
        named = {part: getattr(self, part) for part in PLAIN}
        for part in (*OVER_TIME, *BY_NAME):
            named |= {f"{part}.{name}": value for name, value in getattr(self, part).items()}
        return named

    def _all_named(self) -> dict[str, Any]:
        """These, and what else tells the run."""
        graph = self.graph
        named = {f"graph.{part}": getattr(graph, part) for part in OF_GRAPH}
        flags = {"graph.directed": graph.directed} | (
            {} if self.has_trace else {"has_trace": False}
        )
        for name, flag in flags.items():
            named[name] = arrays.full(1, flag, graph.device).reshape(())
        return named | self._named()

    @classmethod
    def from_tensors(cls, algorithm: Algorithm, named: Values) -> Run:
        """The run whose ``tensors`` these are."""
        parts = _parts(named)
        graph, has_trace = parts.pop("graph"), parts.pop("has_trace", True)
        for part in OVER_TIME:  # in the declared order, whatever that of a file is
            rows = parts[part]
            names = getattr(algorithm.declaration, part)
            parts[part] = {name: Timeline.of_rows(rows[name]) for name in names}
        graph = Graph(**{**graph, "directed": bool(graph["directed"])})
        return cls(algorithm, graph, has_trace=bool(has_trace), **parts)

    def __repr__(self) -> str:
        return f"Run({self.algorithm.name}, {self.graph!r}, {self.num_steps} steps)"


def _parts(named: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays that are named as "part.name", by part and name."""
    parts: dict[str, Any] = {part: {} for part in (*OVER_TIME, *BY_NAME)}
    for name, value in named.items():
        part, dot, key = name.partition(".")
        if dot:
            parts.setdefault(part, {})[key] = value
        else:
            parts[part] = value
    return parts
