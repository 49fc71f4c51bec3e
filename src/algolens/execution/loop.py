"""The one loop. What is measured, and what is run, is a choice of parts for its three sockets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values, check_inputs
from algolens.errors import AlgoLensError, DefinitionError
from algolens.execution.numbers import Bounds
from algolens.execution.parts import (
    Continues,
    Decide,
    Intervention,
    Perceive,
    Percept,
    check_given,
    goes_on_by,
    perceive_truly,
)
from algolens.execution.run import Run, Stopped
from algolens.execution.threads import Threads
from algolens.graphs import Graph, Location

SEEN = "all concepts"  # of a frame, beside its fields: no field can be called so


def run_algorithm(
    algorithm: Algorithm,
    graph: Graph,
    inputs: Values,
    *,
    perceive: Perceive | None = None,
    decide: Decide | None = None,
    continues: Continues | None = None,
    interventions: Sequence[Intervention] = (),
    trace: bool = True,
) -> Run:
    """Runs an algorithm on every graph of a batch; a socket that is left open holds the true
    algorithm.

    perceive: graph, inputs, state -> concepts and hints. decide: concepts -> outputs. continues:
    the next step's percept -> go on? (the paper's look-ahead, eqs. 5-6: in free running it *is* the
    next step's look, so it costs nothing extra).
    interventions: concepts set by hand, whatever was perceived. Inputs that are not of their kind
    are refused. trace: whether every step is kept; without, only the last, for graphs whose trace
    would not fit: memory then grows with the graph alone.

    >>> from algolens.algorithms import algorithm
    >>> path = Graph.pack([4], [(0, 1), (1, 2), (2, 3)])
    >>> run = run_algorithm(algorithm("bfs"), path, {"source": torch.tensor([0])})
    >>> run.state("visited").int().tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    """
    check_inputs(algorithm, graph, inputs)
    return run_trusted(
        algorithm,
        graph,
        inputs,
        perceive=perceive,
        decide=decide,
        continues=continues,
        interventions=interventions,
        trace=trace,
    )


def run_trusted(
    algorithm: Algorithm,
    graph: Graph,
    inputs: Values,
    *,
    perceive: Perceive | None = None,
    decide: Decide | None = None,
    continues: Continues | None = None,
    interventions: Sequence[Intervention] = (),
    trace: bool = True,
) -> Run:
    """The loop itself: ``execute`` for inputs that were drawn, or checked before, and are not
    looked at again.
    """
    declaration = algorithm.declaration
    perceive = perceive or perceive_truly(algorithm)
    decide = decide or declaration.rule_set.decide
    if declaration.terminates:
        continues = continues or goes_on_by(declaration.rule_set, declaration.location)
    with Threads() as threads:
        threads.suit(graph.num_nodes + graph.num_edges)
        start, bounds = _start(algorithm, graph, inputs), Bounds(algorithm, graph)
        bounds.check(start, 0, None)
        limit = algorithm.max_steps(graph)
        set_by_hand = _Hand(algorithm, graph, interventions)
        first = set_by_hand(perceive(graph, inputs, start, None), 0, None)
        record = _Record(algorithm, graph, inputs, start, first, has_trace=trace)
        alive = limit > 0
        work = _Work(graph, inputs, limit, _least(limit), alive, int(alive.sum()), percept=first)

        while work.num_alive:
            # finished graphs are put away once they are half of the work, so that little is
            # computed for them
            if work.frame is not None and work.share_alive() <= 0.5:
                work = work.without_finished(declaration)
            threads.suit(work.numbers())
            frame = {
                SEEN: _seen(work.percept, declaration),
                **decide(work.percept.concepts),
                **work.percept.hints,
            }
            frame = work.held(frame, declaration)
            record.add(frame, work)
            state = {name: _field(declaration, frame, name) for name in declaration.state}
            bounds.check(state, record.num_steps, work.where)
            upcoming = set_by_hand(
                perceive(work.graph, work.inputs, state, work.percept.memory),
                record.num_steps,
                work.where,
            )
            asks, following = work.after(record.num_steps, frame, upcoming, continues)
            record.settle(work, following, asks=asks, has_rule=continues is not None)
            work = following
        return record.run()


@dataclass(frozen=True, eq=False)
class _Work:
    """The graphs that are still worked on, and all that goes with them."""

    graph: Graph
    inputs: Values
    limit: Tensor  # [G] the most steps
    least: int  # of all limits: before, no graph has to stop
    alive: Tensor  # [G]
    num_alive: int
    percept: Percept
    frame: Mapping[str, Tensor] | None = None  # what the last step gave
    # where the work stands in the whole batch; None: it is the whole
    where: Mapping[Location, Tensor] | None = None

    def after(
        self,
        num_steps: int,
        frame: Mapping[str, Tensor],
        upcoming: Percept,
        continues: Continues | None,
    ) -> tuple[Tensor, _Work]:
        """[G] bools: who asks for a step after the last of ``num_steps``; and the work as it is
        then.
        """
        asks = self.alive if continues is None else self.alive & continues(self.graph, upcoming)
        alive = asks if num_steps < self.least else asks & (num_steps < self.limit)
        num_alive = self.num_alive if alive is self.alive else int(alive.sum())
        following = _Work(
            self.graph,
            self.inputs,
            self.limit,
            self.least,
            alive,
            num_alive,
            upcoming,
            frame=frame,
            where=self.where,
        )
        return alive if continues is None else asks, following

    def share_alive(self) -> float:
        if self.num_alive == self.graph.num_graphs:
            return 1.0
        size = self.graph.node_counts + self.graph.edge_counts
        return float((size * self.alive).sum() / size.sum())

    def numbers(self) -> int:
        """How many numbers its larger tensors hold."""
        memory = 0 if self.percept.memory is None else self.percept.memory.numel()
        return max(self.graph.num_nodes + self.graph.num_edges, memory)

    def without_finished(self, declaration: Declaration) -> _Work:
        kept = self.graph.take(self.alive.nonzero().flatten())
        before, percept = self.where, self.percept
        return _Work(
            graph=kept.graph,
            inputs={
                name: _rows(value, kept.index(declaration.inputs[name].location))
                for name, value in self.inputs.items()
            },
            limit=self.limit[kept.graphs],
            least=_least(self.limit[kept.graphs]),
            alive=self.alive[kept.graphs],
            num_alive=self.num_alive,
            percept=replace(
                percept,
                concepts=_rows(percept.concepts, kept.index(declaration.location)),
                hints={
                    name: _rows(value, kept.index(_location(declaration, name)))
                    for name, value in percept.hints.items()
                },
                memory=None
                if percept.memory is None
                else _rows(percept.memory, kept.index(percept.memory_at)),
            ),
            where={
                at: kept.index(at) if before is None else before[at][kept.index(at)]
                for at in Location
            },
        )

    def held(self, frame: dict[str, Tensor], declaration: Declaration) -> dict[str, Tensor]:
        """The frame, in which finished graphs keep what they had."""
        if self.frame is None or self.num_alive == self.graph.num_graphs:
            return frame
        locations = {name: _location(declaration, name) for name in frame}
        alive = {at: _rows(self.alive, self.graph.owner(at)) for at in set(locations.values())}
        return {
            name: torch.where(_along(alive[locations[name]], value), value, self.frame[name])
            for name, value in frame.items()
        }


class _Record:
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
        self.algorithm, self.graph, self.inputs, self.start = algorithm, graph, inputs, start
        self.has_concepts, self.has_trace = first.has_concepts, has_trace
        # a graph that takes no step has what is seen at first
        self.outcomes = {
            name: first.hints[name].clone()
            for name in algorithm.declaration.outcomes
            if name in first.hints
        }
        self.num_steps = 0
        self.frames: list[dict[str, Tensor]] = []  # of every step; without a trace, of the last
        self.asked: list[Tensor] = []
        self.lengths = torch.zeros(graph.num_graphs, dtype=torch.int64, device=graph.device)
        reason = Stopped.BY_RULE if algorithm.declaration.terminates else Stopped.BY_COUNT
        self.stopped = torch.full_like(self.lengths, reason)
        declaration = algorithm.declaration
        shape = (len(declaration.concepts), graph.count(declaration.location))
        self.resting = torch.zeros(shape, dtype=torch.bool, device=graph.device)

    def add(self, frame: dict[str, Tensor], work: _Work) -> None:
        if work.where is not None:
            whole = {name: value.clone() for name, value in self.frames[-1].items()}
            for name, value in frame.items():
                where = work.where[_location(self.algorithm.declaration, name)]
                for old, new in zip(_columns(whole[name]), _columns(value), strict=True):
                    old.index_copy_(0, where, new)
            frame = whole
        self.num_steps += 1
        if not self.has_trace:
            self.frames.clear()
        self.frames.append(frame)

    def settle(self, work: _Work, following: _Work, *, asks: Tensor, has_rule: bool) -> None:
        """Keeps who asked for another step; and of the graphs that end with this one, how and with
        what in view.
        """
        if self.has_trace:
            asked = asks
            if work.where is not None:
                asked = torch.zeros_like(self.stopped, dtype=torch.bool)
                asked[work.where[Location.GRAPH]] = asks
            self.asked.append(asked)
        if following.num_alive == work.num_alive:
            return
        ends = work.alive & ~following.alive
        graphs = (
            ends.nonzero().flatten() if work.where is None else work.where[Location.GRAPH][ends]
        )
        self.lengths[graphs] = self.num_steps
        if has_rule:
            self.stopped[graphs[asks[ends]]] = Stopped.BY_LIMIT
        self._rest(work, ends, following.percept)

    def _rest(self, work: _Work, ends: Tensor, upcoming: Percept) -> None:
        """Keeps what is seen of the graphs that end with this step."""
        location = self.algorithm.declaration.location
        elements = ends.index_select(0, work.graph.owner(location)).nonzero().flatten()
        where = elements if work.where is None else work.where[location].index_select(0, elements)
        seen = _seen(upcoming, self.algorithm.declaration)
        for row, column in zip(self.resting, seen.unbind(1), strict=True):
            row.index_copy_(0, where, column.index_select(0, elements))
        for name, found in self.outcomes.items():
            graphs = ends if work.where is None else work.where[Location.GRAPH][ends]
            found[graphs] = upcoming.hints[name][ends]

    def run(self) -> Run:
        declaration = self.algorithm.declaration
        return Run(
            algorithm=self.algorithm,
            graph=self.graph,
            inputs=dict(self.inputs),
            start=self.start,
            concepts=self._over_time(
                SEEN,
                (self.graph.count(declaration.location), len(declaration.concepts)),
                torch.bool,
            ),
            outputs={
                name: self._over_time(name, (self.graph.count(declaration.location),), kind.dtype)
                for name, kind in declaration.outputs.items()
            },
            hints={
                name: self._over_time(name, (self.graph.count(field.location),), field.kind.dtype)
                for name, field in declaration.hints.items()
            },
            goes_on=self._goes_on(),
            lengths=self.lengths,
            stopped=self.stopped,
            resting=self.resting.T,
            outcomes=self.outcomes,
            has_concepts=self.has_concepts,
            has_trace=self.has_trace,
        )

    def _goes_on(self) -> Tensor:
        if not self.has_trace and self.frames:
            return (self.stopped == Stopped.BY_LIMIT)[None]
        return (
            torch.stack(self.asked)
            if self.asked
            else torch.zeros(0, self.graph.num_graphs, dtype=torch.bool)
        )

    def _over_time(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        if not self.frames:
            return torch.zeros(0, *shape, dtype=dtype, device=self.graph.device)
        if len(shape) == 1:
            return torch.stack([frame[name] for frame in self.frames])
        # a concept after the other in memory
        return torch.stack([frame[name].T for frame in self.frames]).mT


class _Hand:
    """Sets concepts by hand, as the interventions say."""

    def __init__(
        self, algorithm: Algorithm, graph: Graph, interventions: Sequence[Intervention]
    ) -> None:
        self.declaration = algorithm.declaration
        self.interventions = [each.checked(algorithm, graph) for each in interventions]

    def __call__(
        self, percept: Percept, step: int, where: Mapping[Location, Tensor] | None
    ) -> Percept:
        now = [each for each in self.interventions if each.steps is None or step in each.steps]
        if not now:
            return percept
        if not percept.has_concepts:
            raise AlgoLensError(
                f"'{now[0].concept}' cannot be set: a network without a bottleneck has no "
                "concepts. Take one that has them."
            )
        concepts = percept.concepts.clone()
        places = None if where is None else where[self.declaration.location]
        for each in now:
            column = self.declaration.concepts.index(each.concept)
            mask = each.mask if places is None else each.mask[places]
            concepts[mask, column] = torch.tensor(
                each.value, dtype=concepts.dtype, device=concepts.device
            )
        return replace(percept, concepts=concepts)


def _start(algorithm: Algorithm, graph: Graph, inputs: Values) -> dict[str, Tensor]:
    start = algorithm.start(graph, inputs)
    if set(start) != set(algorithm.declaration.state):
        raise DefinitionError(
            f"algorithm '{algorithm.name}': start() gave {', '.join(start) or 'nothing'}; the "
            f"declared state is {', '.join(algorithm.declaration.state)}. Give a tensor for each."
        )
    for name, value in start.items():
        check_given(algorithm, "start", name, value, graph)
    return start


def _field(declaration: Declaration, frame: Mapping[str, Tensor], name: str) -> Tensor:
    if name in declaration.concepts:
        return frame[SEEN][:, declaration.concepts.index(name)]
    return frame[name]


def _location(declaration: Declaration, name: str) -> Location:
    return declaration.hints[name].location if name in declaration.hints else declaration.location


def _seen(percept: Percept, declaration: Declaration) -> Tensor:
    concepts = percept.concepts
    if percept.has_concepts:
        return concepts if concepts.dtype == torch.bool else concepts > 0.5
    none = torch.zeros(len(concepts), dtype=torch.bool, device=concepts.device)
    return torch.stack([percept.hints.get(name, none) for name in declaration.concepts]).T


def _least(limit: Tensor) -> int:
    return int(limit.min()) if len(limit) else 0


def _rows(value: Tensor, where: Tensor) -> Tensor:
    if value.dim() == 1 or value.is_contiguous():
        return value.index_select(0, where)
    # concepts, one after the other
    return torch.stack([column.index_select(0, where) for column in value.unbind(1)]).T


def _columns(value: Tensor) -> Sequence[Tensor]:
    return [value] if value.dim() == 1 else value.unbind(1)


def _along(mask: Tensor, value: Tensor) -> Tensor:
    return mask.reshape(-1, *[1] * (value.dim() - 1))
