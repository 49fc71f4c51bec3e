"""All small graphs that an algorithm takes, with its inputs: trials beside proofs, and the smallest
that shows a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.data.trial_inputs import WAYS, EveryInput, with_ties_and_extremes
from algolens.errors import AlgoLensError
from algolens.execution import Run, run_algorithm
from algolens.fields import Field
from algolens.graphs import Graph, stream

# of undirected and of directed graphs; each is tried in every numbering
MOST_NODES = {False: 5, True: 4}
DRAWS = WAYS  # of inputs, for each graph: one in each way
# on graphs of one size with every input; where there would be more, inputs are drawn
MOST_RUNS = 20_000
TRIED = (
    f"all undirected graphs of up to {MOST_NODES[False]} nodes and directed ones of up to "
    f"{MOST_NODES[True]} that it takes, in every numbering, with every input or with inputs drawn "
    f"{DRAWS} times"
)


@dataclass(frozen=True)
class ShownGraph:
    """One graph, and values of fields on it, as a person reads them."""

    nodes: int
    edges: tuple[tuple[int, int], ...]
    directed: bool
    values: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, graph: Graph, values: Values, fields: Mapping[str, Field]) -> ShownGraph:
        """A graph alone, and values of fields at all its places."""
        told = {
            name: fields[name].kind.shown(value, graph, fields[name].location)
            for name, value in values.items()
        }
        return cls(
            graph.num_nodes, tuple((u, v) for u, v in graph.edges.T.tolist()), graph.directed, told
        )

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        mark = " -> " if self.directed else "-"
        joined = ", ".join(f"{one}{mark}{other}" for one, other in self.edges) or "no edge"
        values = [f"{name} {_row(values)}" for name, values in self.values.items()]
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{nodes} ({joined})" + (f" with {', '.join(values)}" if values else "")


@dataclass(frozen=True, eq=False)
class Trial:
    """Runs of an algorithm on all graphs of one size."""

    runs: Sequence[Run]  # batches; few edges first, and all runs of a graph together
    nodes: int
    graphs: int  # how many there are of this size, each numbering counted
    directed: bool
    has_every_input: bool  # whether inputs are all there are; else they are drawn
    num_refused: int  # runs that are left out, for the algorithm takes no such graph or input


def directions(algorithm: Algorithm) -> tuple[bool, ...]:
    """Whether the graphs that an algorithm takes are undirected (False), directed (True), or
    both.
    """
    return {"undirected": (False,), "directed": (True,), "any": (False, True)}[algorithm.graphs]


def small_trials(algorithm: Algorithm) -> Iterator[Trial]:
    """The algorithm on all graphs of 1, 2, ... nodes that it takes. Inputs are checked as a user's
    are.
    """
    rng = stream(0, "small graphs with inputs", algorithm.name)
    most = {
        directed: _most_with_every_input(algorithm, directed=directed)
        for directed in directions(algorithm)
    }
    for nodes in range(1, max(MOST_NODES.values()) + 1):
        for directed in most:
            if nodes <= most[directed]:
                yield _with_every_input(algorithm, nodes, directed=directed)
            elif nodes <= MOST_NODES[directed]:
                yield _with_drawn_inputs(algorithm, nodes, rng, directed=directed)


def small_graphs(algorithm: Algorithm) -> Iterator[tuple[Graph, Values]]:
    """The graphs and inputs of ``small_trials``, a batch at a time."""
    for trial in small_trials(algorithm):
        for run in trial.runs:
            yield run.graph, run.inputs


def numbered_graphs(nodes: int, *, directed: bool) -> Graph:
    """Every graph of so many nodes in every numbering: every set of pairs of nodes, small sets
    first.

    >>> numbered_graphs(3, directed=False)
    Graph(8 graphs, 24 nodes, 12 edges)
    """
    pairs = list((permutations if directed else combinations)(range(nodes), 2))
    every = [some for size in range(len(pairs) + 1) for some in combinations(pairs, size)]
    edges = [(u + i * nodes, v + i * nodes) for i, some in enumerate(every) for u, v in some]
    return Graph.pack([nodes] * len(every), edges, directed=directed)


def _most_with_every_input(algorithm: Algorithm, *, directed: bool) -> int:
    """The number of nodes up to which every input is tried; 0 where that would be graphs of one
    node alone.
    """
    for nodes in range(1, MOST_NODES[directed] + 1):
        count = EveryInput(algorithm, nodes).count(numbered_graphs(nodes, directed=directed))
        if count is None or count > MOST_RUNS:
            return nodes - 1 if nodes > 2 else 0
    return MOST_NODES[directed]


def _with_every_input(algorithm: Algorithm, nodes: int, *, directed: bool) -> Trial:
    graph = numbered_graphs(nodes, directed=directed)
    which, inputs = EveryInput(algorithm, nodes).of(graph)
    runs = list(_taken(algorithm, graph.take(which).graph, inputs))
    return Trial(runs, nodes, graph.num_graphs, directed, True, len(which) - _count(runs))


def _with_drawn_inputs(
    algorithm: Algorithm, nodes: int, rng: np.random.Generator, *, directed: bool
) -> Trial:
    graph = numbered_graphs(nodes, directed=directed)
    batch = graph.take(torch.arange(graph.num_graphs).repeat_interleave(DRAWS)).graph
    fields = algorithm.declaration.inputs
    try:
        sampled = algorithm.sample(batch, rng)
    except AlgoLensError:
        # some graph has no inputs that it takes: of the others, those count that it takes as they
        # are drawn
        sampled = drawn(fields, batch, rng)
    moved = with_ties_and_extremes(
        fields, batch, sampled, torch.arange(batch.num_graphs) % WAYS, rng
    )
    runs = list(_taken(algorithm, batch, moved, sampled))
    return Trial(runs, nodes, graph.num_graphs, directed, False, batch.num_graphs - _count(runs))


def _taken(algorithm: Algorithm, batch: Graph, inputs: Values, *instead: Values) -> Iterator[Run]:
    """Runs on the graphs of a batch that an algorithm takes, in few parts. instead: other inputs
    where those are refused.
    """
    fields = algorithm.declaration.inputs
    waiting = [torch.arange(batch.num_graphs)] if batch.num_graphs else []
    while waiting:
        places = waiting.pop()
        part = batch.take(places)
        values, *others = (
            {name: value[part.index(fields[name].location)] for name, value in each.items()}
            for each in (inputs, *instead)
        )
        try:
            run = run_algorithm(algorithm, part.graph, values)
        except AlgoLensError:
            middle = len(places) // 2
            if middle:  # the error is about one graph, and the others may be taken
                waiting += [places[middle:], places[:middle]]
            elif others:
                yield from _taken(algorithm, part.graph, *others)
        else:
            yield run


def _count(runs: Sequence[Run]) -> int:
    return sum(run.graph.num_graphs for run in runs)


def drawn(fields: Mapping[str, Field], graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
    """Arbitrary values of fields."""
    return {name: field.kind.draw(graph, field.location, rng) for name, field in fields.items()}


def _row(values: Sequence[Any]) -> str:
    return "[" + ", ".join("-" if each is None else str(each) for each in values) + "]"
