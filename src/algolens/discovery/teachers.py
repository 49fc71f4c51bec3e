"""What is known of a black box: its fields, runs of it, and perhaps single steps. No concept, no
rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Limit, Values
from algolens.arrays import all_to
from algolens.engines import Run, run_algorithm
from algolens.errors import DefinitionError
from algolens.graphs import Graph, Recipe, TakenGraphs
from algolens.language import ir
from algolens.language.fields import Field, Location, Number

# whether graphs are directed, by what a black box takes
DIRECTIONS = {"undirected": (False,), "directed": (True,), "any": (False, True)}


@dataclass(frozen=True)
class Schema:
    """The fields of a black box, and the graphs that it takes.

    Parameters
    ----------
    name : str
        What the algorithm that is discovered will be called.
    location : Location
        Where its outputs sit.
    inputs : mapping of str to Field
        What it reads from a graph.
    state : mapping of str to Field
        What a step changes.
    outputs : mapping of str to Field
        What it gives after every step: fields of the state, and others that follow from it.
    outcomes : tuple of str
        What it tells of a whole graph in the end.
    graphs : str
        ``undirected``, ``directed`` or ``any``.
    most_steps : Limit, optional
        The most steps that it may take; None: not known.
    """

    name: str
    location: Location
    inputs: Mapping[str, Field]
    state: Mapping[str, Field]
    outputs: Mapping[str, Field]
    outcomes: tuple[str, ...] = ()
    only_where: Mapping[str, str] = field(default_factory=dict)
    endless: Mapping[str, str] = field(default_factory=dict)
    graphs: str = "undirected"
    most_steps: Limit | None = None
    loops_matter: bool = False
    parallel_edges_matter: bool = False
    recipe: Recipe = field(default_factory=Recipe)

    def __post_init__(self) -> None:
        for name, output in self.outputs.items():
            if output.location is not self.location:
                raise DefinitionError(
                    f"output '{name}' sits at the {output.location.value}, others at the "
                    f"{self.location.value}: give outputs of one location, and keep others in "
                    "state."
                )

    @property
    def decided(self) -> dict[str, Field]:
        """What a step decides: state and outputs, the state first."""
        return {**self.state, **self.outputs}

    @property
    def before(self) -> dict[str, Field]:
        """What statements may name: inputs that steps read, and the state."""
        inputs = {name: field for name, field in self.inputs.items() if not field.start_only}
        return {**inputs, **self.state}


def as_column(field: Field) -> ir.Field:
    """A field as statements speak of it."""
    kind = field.kind
    if isinstance(kind, Number):
        sizes = (kind.bits, kind.signed, None, kind.distinct, kind.low)
        return ir.Field(field.location.value, "number", (), *sizes, drawn=field.drawn)
    if kind.points_to is not None:
        return ir.Field(
            field.location.value,
            "pointer",
            to=kind.points_to.value,
            drawn=field.drawn,
            itself_is_none=kind.itself_is_none,
        )
    if kind.is_truth_value:
        return ir.Field(field.location.value, "mask", drawn=field.drawn)
    return ir.Field(field.location.value, "category", kind.labels, drawn=field.drawn)


@dataclass(frozen=True, eq=False)
class Episodes:
    """Runs of a black box on a batch of graphs, step by step."""

    graph: Graph
    inputs: Values
    # T + 1 frames of the state and of outputs; the first has the state alone
    frames: Sequence[Values]
    lengths: Tensor  # [G] steps taken
    # [T, G]: whether another step was wanted after this one; where it is not known, the last step
    # of a run cut short, -1
    asked: Tensor
    outcomes: Values = field(default_factory=dict)  # each [G]

    def only(self, schema: Schema, runs: Tensor) -> Episodes:
        """Some of the runs. runs: the places of their graphs."""
        part = self.graph.take(runs)
        last = int(self.lengths[runs].max()) + 1
        return Episodes(
            part.graph,
            values_on(schema.inputs, self.inputs, part),
            [values_on(schema.decided, frame, part) for frame in self.frames[:last]],
            self.lengths[runs],
            self.asked[: last - 1, runs],
            {name: value[runs] for name, value in self.outcomes.items()},
        )

    @classmethod
    def of(cls, run: Run) -> Episodes:
        """The fields of a run, without its concepts."""
        declaration = run.algorithm.declaration
        names = dict.fromkeys((*declaration.state, *declaration.outputs))
        later = [{name: run[name][step] for name in names} for step in range(run.num_steps)]
        return cls(
            run.graph,
            run.inputs,
            [dict(run.start), *later],
            run.lengths,
            run.goes_on.long()
            if declaration.terminates
            else torch.full_like(run.goes_on, -1, dtype=torch.long),
            run.outcomes,
        )


@dataclass(frozen=True)
class GraphSizes:
    """How many runs there were, and on how large graphs."""

    runs: int
    nodes: tuple[int, int]  # of the smallest and the largest graph
    degree: int  # the most edges at a node

    @classmethod
    def of(cls, episodes: Iterable[Episodes]) -> GraphSizes:
        """Those of some runs."""
        graphs = [some.graph for some in episodes]
        nodes = torch.cat([graph.node_counts for graph in graphs])
        degrees = [int(graph.edges.flatten().bincount(minlength=1).max()) for graph in graphs]
        return cls(len(nodes), (int(nodes.min()), int(nodes.max())), max(degrees))

    def __str__(self) -> str:
        """The graphs alone, without the number of runs."""
        least, most = self.nodes
        nodes = f"{most}" if least == most else f"{least} to {most}"
        return f"graphs of {nodes} nodes with at most {self.degree} edges at a node"


class RunTeacher(ABC):
    """A black box: a schema, and runs."""

    schema: Schema
    can_run = True  # whether it may be asked for more runs
    can_step = False  # and for a step from any state: a StepTeacher

    @abstractmethod
    def run(self, graph: Graph, inputs: Values) -> Episodes:
        """Its runs on a batch of graphs."""

    @abstractmethod
    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        """Random inputs for a batch of graphs."""


@dataclass(frozen=True, eq=False)
class StepAnswer:
    """What a black box says of some states."""

    frame: Values  # the state and outputs that a step from there gives
    goes_on: Tensor  # [G] 1 and 0: whether it takes this step; -1: the steps are counted
    outcomes: Values = field(default_factory=dict)  # [G], if a run ends there


class StepTeacher(RunTeacher):
    """A black box that can be asked for a step from any state."""

    can_step = True

    @abstractmethod
    def begin(self, graph: Graph, inputs: Values) -> Values:
        """The first state; an error where it does not take the inputs."""

    @abstractmethod
    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        """What it does in a state. From the first one, it takes a step whatever it says."""

    @abstractmethod
    def most_steps(self, graph: Graph) -> Tensor:
        """[G] the most steps that it takes."""

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        schema, count = self.schema, graph.num_graphs
        frames: list[Values] = [dict(self.begin(graph, inputs))]
        limits, lengths = self.most_steps(graph), torch.zeros(count, dtype=torch.long)
        outcomes = {name: torch.zeros(count, dtype=torch.bool) for name in schema.outcomes}
        asked: list[Tensor] = []
        alive, steps = torch.arange(count), 0
        while len(alive):
            part = graph.take(alive)
            state = {name: frames[-1][name] for name in schema.state}
            answer = self.step(
                part.graph,
                values_on(schema.inputs, inputs, part),
                values_on(schema.state, state, part),
            )
            ends = limits[alive] <= steps
            if steps:
                ends = ends | (answer.goes_on == 0)
                asked.append(torch.full((count,), -1).index_copy(0, alive, answer.goes_on))
            lengths[alive[ends]] = steps
            for name, value in answer.outcomes.items():
                outcomes[name][alive[ends]] = value[ends]
            if not bool(ends.all()):
                frames.append(self._with(frames[-1], answer.frame, part, ~ends))
            alive, steps = alive[~ends], steps + 1
        rows = torch.stack(asked) if asked else torch.zeros(0, count, dtype=torch.long)
        return Episodes(graph, inputs, frames, lengths, rows, outcomes)

    def _with(
        self,
        last: Values,
        frame: Values,
        part: TakenGraphs,
        goes_on: Tensor,
    ) -> dict[str, Tensor]:
        """The last frame, with what a step gave on the graphs that went on."""
        made = {}
        for name, declared in self.schema.decided.items():
            places = part.index(declared.location)
            moved = goes_on[part.graph.owner(declared.location)]
            before = last.get(name)
            if before is None:  # the first frame has the state alone
                before = torch.zeros(len(places), dtype=frame[name].dtype)
            made[name] = before.index_copy(0, places[moved], frame[name][moved])
        return made


def values_on(fields: Mapping[str, Field], values: Values, part: TakenGraphs) -> dict[str, Tensor]:
    """Values of fields on some graphs of a batch."""
    return {name: value[part.index(fields[name].location)] for name, value in values.items()}


def episode(
    graph: Graph,
    inputs: Values,
    states: Sequence[Values],
    *,
    finished: bool = True,
) -> Episodes:
    """One run from its states: the first, and one after each step.

    A run has at least one step; one that has finished at once takes a step that changes nothing.
    """
    frames = [*states, states[0]] if len(states) == 1 else list(states)
    steps = len(frames) - 1
    asked = torch.ones(steps, 1, dtype=torch.long)
    asked[-1] = 0 if finished else -1
    return Episodes(graph, inputs, frames, torch.tensor([steps]), asked)


def joined_episodes(
    schema: Schema, runs: Sequence[Episodes], graph: Graph, inputs: Values
) -> Episodes:
    """Runs on the graphs of a batch, one by one, as runs on the batch."""
    if len(runs) == 1:
        return runs[0]
    most = max(len(run.frames) for run in runs)
    asked = torch.full((most - 1, len(runs)), -1)
    for number, run in enumerate(runs):
        asked[: len(run.asked), number] = run.asked[:, 0]
    return Episodes(
        graph,
        inputs,
        [
            joined_states(
                schema, [run.frames[min(step, len(run.frames) - 1)] for run in runs], graph
            )
            for step in range(most)
        ],
        torch.cat([run.lengths for run in runs]),
        asked,
    )


def joined_states(schema: Schema, states: Sequence[Values], graph: Graph) -> dict[str, Tensor]:
    """States of the graphs of a batch, one by one, as one of the batch."""

    def joined(name: str, field: Field) -> Tensor:
        parts = [state[name] for state in states]
        if field.location is Location.LINK and not graph.directed:  # all one way, then all back
            halves = [part.chunk(2) for part in parts]
            return torch.cat([half[way] for way in (0, 1) for half in halves])
        return torch.cat(parts)

    return {name: joined(name, field) for name, field in schema.state.items()}


class AlgorithmTeacher(RunTeacher):
    """An algorithm of the library as a black box: neither its look nor its rules are read.

    Parameters
    ----------
    algorithm : Algorithm
        What is run.
    """

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        declaration = algorithm.declaration
        predicted = declaration.predicted
        self.schema = Schema(
            name=algorithm.name,
            location=declaration.location,
            inputs=dict(declaration.inputs),
            state={name: predicted[name] for name in declaration.state},
            outputs={name: predicted[name] for name in declaration.outputs},
            outcomes=tuple(declaration.outcomes),
            only_where=dict(declaration.only_where),
            endless=dict(declaration.endless),
            graphs=algorithm.graphs,
            most_steps=declaration.most_steps,
            loops_matter=algorithm.loops_matter,
            parallel_edges_matter=algorithm.parallel_edges_matter,
            recipe=algorithm.recipe,
        )

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        with torch.no_grad():
            run = run_algorithm(self.algorithm, graph, inputs, kernel="tensor")
        return Episodes.of(run)

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return all_to(self.algorithm.sample(graph, rng), graph.device)
