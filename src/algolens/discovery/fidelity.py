"""How often a discovered algorithm decides as a black box does, in the states of the latter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from algolens.algorithms import Algorithm
from algolens.data.small_graphs import ShownGraph
from algolens.discovery.schema import Episodes, GraphSizes, Schema
from algolens.discovery.situations import Block, unrolled
from algolens.engines import Percept, decides_by, goes_on_by, perceive_truly
from algolens.engines.record import frame_of
from algolens.errors import AlgoLensError
from algolens.language.fields import Category, Location

GOES_ON = "goes_on"
RESULT = "result"  # what is wrong where every single decision is as recorded
MOST_SHOWN = 5  # exceptions that are shown as graphs
MOST_NODES = 20  # of a graph that a sentence shows


@dataclass(frozen=True)
class Deviation:
    """A state in which the black box decides otherwise."""

    field: str
    element: int  # its number in the graph
    decided: Any  # by the black box
    expected: Any  # by the discovered algorithm
    graph: ShownGraph  # with the state before the step

    def __str__(self) -> str:
        return f"{self._what()} on {self.graph}"

    def in_short(self) -> str:
        """The same without a large graph's edges and values."""
        nodes, edges = self.graph.nodes, len(self.graph.edges)
        if nodes <= MOST_NODES:
            return str(self)
        return f"{self._what()} on a graph of {nodes} nodes and {edges} edges (--json has them)"

    def what_errs(self) -> str:
        """The same, with what is wrong before it, as the rest of a sentence."""
        what = {GOES_ON: "going on", RESULT: "the result"}.get(self.field, self.field)
        return f"errs in {what}: {self.in_short()}."

    def _what(self) -> str:
        if self.field == RESULT:
            return "a run ends otherwise"
        if self.field == GOES_ON:
            return f"the black box takes {'another' if self.decided else 'no further'} step"
        return f"{self.field} of {self.element} becomes {self.decided}, not {self.expected},"


@dataclass(frozen=True)
class Fidelity:
    """Decisions of a black box, and how many of them a discovered algorithm makes alike."""

    graphs: GraphSizes
    decisions: Mapping[str, int]  # by field, and of going on
    exceptions: Mapping[str, int]
    shown: tuple[Deviation, ...] = ()  # the smallest

    @property
    def share(self) -> float:
        """The share of decisions that are exceptions."""
        return sum(self.exceptions.values()) / max(sum(self.decisions.values()), 1)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "runs": self.graphs.runs,
            "decisions": dict(self.decisions),
            "exceptions": dict(self.exceptions),
            "shown": [
                {
                    "field": one.field,
                    "element": one.element,
                    "decided": one.decided,
                    "expected": one.expected,
                    "graph": one.graph.to_json(),
                }
                for one in self.shown
            ],
        }


def fidelity(
    algorithm: Algorithm, schema: Schema, episodes: Sequence[Episodes], shown: int = MOST_SHOWN
) -> Fidelity:
    """How often an algorithm decides as recorded, a step at a time.

    From every state of the runs, the algorithm takes one step, and its decisions are compared with
    those recorded. An error is counted once, whatever it leads to.

    Parameters
    ----------
    algorithm : Algorithm
        A declared algorithm with the fields of the schema.
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    shown : int
        As many exceptions are shown, on the smallest graphs.
    """
    declaration = algorithm.declaration
    decisions: dict[str, int] = dict.fromkeys(schema.decided, 0)
    exceptions: dict[str, int] = dict.fromkeys(schema.decided, 0)
    found: list[tuple[int, Deviation]] = []
    for some in episodes:
        block = unrolled(schema, some)
        graph = block.graph
        percept, frame = stepped(algorithm, schema, block)
        compared = {
            name: (frame[name], block.after[name], block.has_step[graph.owner(field.location)])
            for name, field in schema.decided.items()
        }
        if declaration.terminates:
            goes_on = goes_on_by(declaration.rule_set, declaration.location)(graph, percept)
            compared[GOES_ON] = (goes_on, block.asked > 0, block.asked >= 0)
        for name, (ours, theirs, counts) in compared.items():
            location = Location.GRAPH if name == GOES_ON else schema.decided[name].location
            wrong = counts & (ours != theirs)
            decisions[name] = decisions.get(name, 0) + int(counts.sum())
            exceptions[name] = exceptions.get(name, 0) + int(wrong.sum())
            owners = graph.owner(location)
            smallest = sorted(
                wrong.nonzero().flatten().tolist(), key=lambda e: int(graph.node_counts[owners[e]])
            )
            for element in smallest[:shown]:
                number = int(owners[element])
                part = graph.take([number])
                values = {
                    field: value[part.index(schema.before[field].location)]
                    for field, value in block.values.items()
                    if field in schema.before
                }
                place = element - int(graph.first(location)[number])
                one = Deviation(
                    name,
                    place,
                    _plain(schema, name, theirs[element]),
                    _plain(schema, name, ours[element]),
                    ShownGraph.of(part.graph, values, schema.before),
                )
                found.append((part.graph.num_nodes, one))
    found.sort(key=lambda item: item[0])
    return Fidelity(
        GraphSizes.of(episodes), decisions, exceptions, tuple(one for _, one in found[:shown])
    )


def first_deviation(algorithm: Algorithm, schema: Schema, wrong: Episodes) -> Deviation:
    """What an algorithm decides otherwise in one run on which it errs."""
    try:
        shown = fidelity(algorithm, schema, [wrong], 1).shown
    except AlgoLensError:  # it refuses what the black box takes
        shown = ()
    graph = ShownGraph.of(wrong.graph, wrong.inputs, schema.inputs)
    return shown[0] if shown else Deviation(RESULT, 0, None, None, graph)


def judged(
    algorithm: Algorithm, schema: Schema, episodes: Episodes
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of every element in every state from which a step was taken: its run, the concepts that the
    algorithm sees of it ([M, C]), and whether one of its outputs was decided otherwise.
    """
    block = unrolled(schema, episodes)
    percept, frame = stepped(algorithm, schema, block)
    owner = block.graph.owner(schema.location)
    wrong = torch.zeros(len(owner), dtype=torch.bool)
    for name in schema.outputs:
        wrong |= frame[name] != block.after[name]
    counts = block.has_step[owner]
    lengths = episodes.lengths
    which = torch.cat(  # the run of each state, as situations have them
        [(lengths >= step).nonzero().flatten() for step in range(len(episodes.frames))]
    )
    run = which[owner][counts]
    return run.numpy(), percept.concepts[counts].numpy(), wrong[counts].numpy()


def stepped(
    algorithm: Algorithm, schema: Schema, block: Block
) -> tuple[Percept, Mapping[str, torch.Tensor]]:
    """What an algorithm sees in every state, and what its step gives."""
    declaration = algorithm.declaration
    state = {name: block.values[name] for name in schema.state}
    inputs = {name: block.values[name] for name in schema.inputs if name in block.values}
    percept = perceive_truly(algorithm)(block.graph, inputs, state, None)
    decided = decides_by(declaration.rule_set)(percept.concepts)
    return percept, frame_of(percept, decided, declaration)


def _plain(schema: Schema, name: str, value: torch.Tensor) -> Any:
    if name == GOES_ON or value.dtype == torch.bool:
        return bool(value)
    kind = schema.decided[name].kind
    return kind.labels[int(value)] if isinstance(kind, Category) else int(value)
