"""What is known of a black box: its fields, runs of it, and perhaps single steps. No concept, no
rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import msgspec
import numpy as np
import torch
from numpy import ndarray
from torch import Tensor

from algolens.algorithms import Algorithm, Limit, Values
from algolens.arrays import all_to
from algolens.data import small_graphs
from algolens.engines import Run, run_algorithm
from algolens.errors import DefinitionError
from algolens.graphs import At, Graph, Recipe, TakenGraphs
from algolens.language.fields import Field
from algolens.models import Network, NetworkParts


@dataclass(frozen=True)
class Schema:
    """The fields of a black box, and the graphs that it takes.

    Parameters
    ----------
    name : str
        What the algorithm that is discovered will be called.
    location : At
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
    location: At
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
            if output.at != self.location:
                raise DefinitionError(
                    f"output '{name}' sits at the {output.at}, others at the "
                    f"{self.location}: give outputs of one location, and keep others in "
                    "state."
                )

    @property
    def decided(self) -> dict[str, Field]:
        """What a step decides: state and outputs, the state first."""
        return {**self.state, **self.outputs}

    @property
    def declared(self) -> dict[str, Field]:
        """The inputs as a program has them: what it says tells which of them steps read."""
        return {
            name: msgspec.structs.replace(field, start_only=False)
            for name, field in self.inputs.items()
        }

    @property
    def before(self) -> dict[str, Field]:
        """What statements may name: inputs that steps read, and the state."""
        inputs = {name: field for name, field in self.inputs.items() if not field.start_only}
        return {**inputs, **self.state}


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


@dataclass(frozen=True, eq=False)
class StepAnswer:
    """What a black box says of some states."""

    frame: Values  # the state and outputs that a step from there gives
    goes_on: Tensor  # [G] 1 and 0: whether it takes this step; -1: the steps are counted
    outcomes: Values = field(default_factory=dict)  # [G], if a run ends there


class Oracle:
    """A black box: a schema and runs, and perhaps single steps."""

    schema: Schema
    can_run = True  # whether it may be asked for more runs
    can_step = False  # whether it may be asked for a step from any state

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        """Random inputs for a batch of graphs."""
        return small_graphs.drawn(self.schema.inputs, graph, rng)

    def begin(self, graph: Graph, inputs: Values) -> Values:
        """The first state; an error where it does not take the inputs."""
        raise NotImplementedError

    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        """What it does in a state. From the first one, it takes a step whatever it says."""
        raise NotImplementedError

    def most_steps(self, graph: Graph) -> Tensor:
        """[G] the most steps that it takes."""
        raise NotImplementedError

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        """Its runs on a batch of graphs; by default, step by step."""
        schema, size = self.schema, graph.num_graphs
        frames: list[Values] = [self.begin(graph, inputs)]
        limits, lengths = self.most_steps(graph), torch.zeros(size, dtype=torch.long)
        outcomes = {name: torch.zeros(size, dtype=torch.bool) for name in schema.outcomes}
        asked = torch.zeros(0, size, dtype=torch.long)
        alive = torch.arange(size)
        for steps in count():
            part = graph.take(alive)
            given = values_on(schema.inputs, inputs, part)
            answer = self.step(part.graph, given, values_on(schema.state, frames[-1], part))
            ends = limits[alive] <= steps
            if steps:
                ends |= answer.goes_on == 0
                row = torch.full((1, size), -1).index_copy(1, alive, answer.goes_on[None])
                asked = torch.cat([asked, row])
            lengths[alive[ends]] = steps
            for name, value in answer.outcomes.items():
                outcomes[name][alive[ends]] = value[ends]
            if ends.all():
                break
            after = dict(frames[-1])
            for name, declared in schema.decided.items():
                places, value = part.index(declared.at), answer.frame[name]
                moved = ~ends[part.graph.owner(declared.at)]
                # the first frame has the state alone
                before = after.get(name, value.new_zeros(graph.count(declared.at)))
                after[name] = before.index_copy(0, places[moved], value[moved])
            frames.append(after)
            alive = alive[~ends]
        return Episodes(graph, inputs, frames, lengths, asked, outcomes)


def values_on(fields: Mapping[str, Field], values: Values, part: TakenGraphs) -> dict[str, Tensor]:
    """The values that there are of some fields, on some graphs of a batch."""
    return {
        name: values[name][part.index(field.at)] for name, field in fields.items() if name in values
    }


def episodes_of(
    schema: Schema,
    graph: Graph,
    inputs: Values,
    runs: Sequence[Sequence[Values]],
    *,
    finished: bool = True,
) -> Episodes:
    """Runs on a batch from the states of each: the first, and one after each step.

    A run has at least one step; one that has finished at once takes a step that changes nothing.
    """
    runs = [[*states, states[0]] if len(states) == 1 else states for states in runs]
    lengths = torch.tensor([len(states) - 1 for states in runs])
    left = lengths - torch.arange(int(lengths.max()))[:, None]  # steps
    asked = (left > 1).long() - ((left < 1) | (left == 1) & (not finished)).long()
    frames = [
        joined_states(schema, [states[min(step, len(states) - 1)] for states in runs], graph)
        for step in range(len(left) + 1)
    ]
    return Episodes(graph, inputs, frames, lengths, asked)


def joined_states(schema: Schema, states: Sequence[Values], graph: Graph) -> dict[str, Tensor]:
    """States of the graphs of a batch, one by one, as one of the batch."""

    def joined(name: str, location: At) -> Tensor:
        parts = [state[name] for state in states]
        if location == "link" and not graph.directed:  # all one way, then all back
            return torch.cat([part.view(2, -1) for part in parts], 1).flatten()
        return torch.cat(parts)

    fields = schema.decided.items()
    return {name: joined(name, field.at) for name, field in fields if name in states[0]}


class AlgorithmOracle(Oracle):
    """An algorithm of the library as a black box: neither its look nor its rules are read.

    Parameters
    ----------
    algorithm : Algorithm
        What is run.
    """

    sockets: Mapping[str, Any] = {}  # what perceives and decides, where it is a network

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm, declaration = algorithm, algorithm.declaration
        predicted = declaration.predicted
        self.schema = Schema(
            algorithm.name,
            declaration.location,
            declaration.inputs,
            {name: predicted[name] for name in declaration.state},
            {name: predicted[name] for name in declaration.outputs},
            declaration.outcomes,
            declaration.only_where,
            declaration.endless,
            algorithm.graphs,
            declaration.most_steps,
            algorithm.loops_matter,
            algorithm.parallel_edges_matter,
            algorithm.recipe,
        )

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        with torch.no_grad():
            run = run_algorithm(self.algorithm, graph, inputs, kernel="tensor", **self.sockets)
        return Episodes.of(run)

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return all_to(self.algorithm.sample(graph, rng), graph.device)


class NetworkOracle(AlgorithmOracle):
    """The network of one seed in the loop: its own decisions are the labels, right or wrong; what
    it was taught is not looked at.

    Parameters
    ----------
    network : Network
        A network of one seed, of any preset, or a module of a user's.
    """

    def __init__(self, network: Network) -> None:
        super().__init__(network.algorithm)
        self.network = network.on_cpu()  # examples are looked at there
        self.sockets = NetworkParts(self.network).sockets
        if not network.perceiver.takes_directed and self.schema.graphs == "any":
            self.schema = replace(self.schema, graphs="undirected")


# ---- a black box that errs by chance


FIRST = 10  # times that each step is asked for; then twice as often, where no answer leads clearly
MOST_ASKED = 160
RARELY = 1e-9  # how often a wrong answer may win
SHARES = (0.01, 0.4)  # between which the share of wrong answers is taken to be


class UndecidedBlackBoxError(DefinitionError):
    """Where a step was asked for many times, and no answer leads."""


class MajorityOracle(Oracle):
    """A black box whose every step is what it answers most often.

    A wrong answer that comes with probability q leads the right one by d votes with probability
    (q / (1 - q))**d. q is estimated, for each field, from the answers so far; d is the least lead
    for which a wrong answer wins once in 10**9 decisions.

    This tells wrong answers from right ones only where a black box errs otherwise the next time.

    Parameters
    ----------
    oracle : Oracle
        The black box that errs by chance.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle, self.schema = oracle, oracle.schema
        self.begin, self.sample = oracle.begin, oracle.sample  # type: ignore[method-assign]
        self.most_steps = oracle.most_steps  # type: ignore[method-assign]
        self.answers: Counter[str] = Counter()  # single values that were given, by field
        self.otherwise: Counter[str] = Counter()  # of these, those that are not the most frequent

    @property
    def share(self) -> float:
        """The share of values that were given otherwise than most."""
        return self.otherwise.total() / max(self.answers.total(), 1)

    def step(self, graph: Graph, inputs: Values, state: Values, times: int = FIRST) -> StepAnswer:
        """What is answered most of so many times."""
        schema, count = self.schema, graph.num_graphs
        if times > MOST_ASKED:
            raise UndecidedBlackBoxError(
                f"{schema.name} was asked {MOST_ASKED} times for the same step, and no answer "
                "leads clearly: it errs too often."
            )

        def on(part: TakenGraphs) -> tuple[Graph, Values, Values]:
            given = values_on(schema.inputs, inputs, part)
            return part.graph, given, values_on(schema.state, state, part)

        part = graph.take(torch.arange(count).repeat(times))
        answer = self.oracle.step(*on(part))
        is_open = np.zeros(count, bool)

        def winner(name: str, value: Tensor, location: At) -> Tensor:
            order = part.index(location).argsort(stable=True)
            won, is_close = self._counted(name, value[order].reshape(-1, times).numpy())
            is_open[graph.owner(location).numpy()[is_close]] = True
            return torch.from_numpy(won)

        places = {name: schema.decided[name].at for name in answer.frame}
        frame = {name: winner(name, answer.frame[name], at) for name, at in places.items()}
        goes_on = winner("goes_on", answer.goes_on, "graph")
        outcomes = {  # a field of the state may have the same name
            name: winner(f"outcome {name}", value, "graph")
            for name, value in answer.outcomes.items()
        }
        if is_open.any():
            some = graph.take(np.flatnonzero(is_open))
            again = self.step(*on(some), 2 * times)
            for name, at in places.items():
                frame[name][some.index(at)] = again.frame[name]
            for name, value in again.outcomes.items():
                outcomes[name][is_open] = value
            goes_on[is_open] = again.goes_on
        return StepAnswer(frame, goes_on, outcomes)

    def _counted(self, name: str, votes: ndarray) -> tuple[ndarray, ndarray]:
        """[N] what each element was given most often, and whether that does not lead clearly.

        votes: [N, times].
        """
        values = np.unique(votes)
        counts = np.zeros((len(votes), len(values) + 2), int)
        for place, value in enumerate(values):
            counts[:, place] = (votes == value).sum(1)
        second, first = np.sort(counts, 1)[:, -2:].T
        self.answers[name] += votes.size
        self.otherwise[name] += votes.size - int(first.sum())
        share = np.clip((self.otherwise[name] + 1) / (self.answers[name] + 10), *SHARES)
        lead = np.ceil(np.log(RARELY) / np.log(share / (1 - share)))
        return values[counts.argmax(1)], first - second < lead
