"""Situations: states of graphs, reached or not, and what is true there. What a network without memory learns from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.execution import Run, perceive_truly
from algolens.fields import Field
from algolens.graphs import Graph

STARS = 0.5  # share of stars among arbitrary graphs: in a star, one node sees many kinds of neighbours, and nothing else


@dataclass(frozen=True, eq=False)
class Setting:
    """Graphs side by side, each in some state, reached or not."""

    graph: Graph
    inputs: Values
    state: Values

    @classmethod
    def of_values(cls, algorithm: Algorithm, graph: Graph, values: Values) -> Setting:
        """Inputs and state by their names; what only the start reads does not matter any more, and is 0."""
        declaration = algorithm.declaration
        inputs = {
            name: values.get(name, torch.zeros(graph.count(field.location), dtype=field.kind.dtype))
            for name, field in declaration.inputs.items()
        }
        return cls(graph, inputs, {name: values[name] for name in declaration.state})

    @classmethod
    def of_run(cls, run: Run) -> Setting:
        """Every state that a run went through, the last one too."""
        declaration = run.algorithm.declaration
        parts = []
        for step in range(run.num_steps + 1):
            chosen = run.graph.take((run.lengths >= step).nonzero().flatten())
            inputs = {name: run.inputs[name][chosen.index(field.location)] for name, field in declaration.inputs.items()}
            where = {name: chosen.index(declaration.predicted[name].location) for name in declaration.state}
            state = {name: run.state(name)[step][places] for name, places in where.items()}
            parts.append(cls(chosen.graph, inputs, state))
        return cls.join(parts)

    @classmethod
    def join(cls, parts: Sequence[Setting]) -> Setting:
        """All of them side by side, in this order."""
        return cls(
            Graph.join([part.graph for part in parts]),
            {name: torch.cat([part.inputs[name] for part in parts]) for name in parts[0].inputs},
            {name: torch.cat([part.state[name] for part in parts]) for name in parts[0].state},
        )

    def take(self, algorithm: Algorithm, graphs: Tensor | Sequence[int]) -> Setting:
        """The chosen graphs, in the order of choice, as they are here."""
        chosen, declaration = self.graph.take(graphs), algorithm.declaration
        fields = {**declaration.inputs, **declaration.predicted}
        inputs, state = (
            {name: value[chosen.index(fields[name].location)] for name, value in part.items()}
            for part in (self.inputs, self.state)
        )
        return Setting(chosen.graph, inputs, state)

    def to(self, device: torch.device) -> Setting:
        """The same on a device."""
        inputs = {name: value.to(device) for name, value in self.inputs.items()}
        return Setting(self.graph.to(device), inputs, {name: value.to(device) for name, value in self.state.items()})


@dataclass(frozen=True, eq=False)
class Situations:
    """Settings, and what is true there: concepts, outputs, hints, and going on."""

    algorithm: Algorithm
    setting: Setting
    concepts: Tensor  # [N, C] bools
    outputs: Mapping[str, Tensor]  # each [N]
    hints: Mapping[str, Tensor]  # each [...]
    goes_on: Tensor | None  # [G] bools: does the algorithm take a step from here? None where it has no rule for that

    @classmethod
    def of(cls, algorithm: Algorithm, setting: Setting) -> Situations:
        """What is true in a setting."""
        declaration, graph = algorithm.declaration, setting.graph
        seen = perceive_truly(algorithm)(graph, setting.inputs, setting.state, None)
        concepts = seen.concepts
        goes_on = None
        if declaration.terminates:
            goes_on = graph.any_per_graph(declaration.program.goes_on(concepts), declaration.location)
        return cls(algorithm, setting, concepts, declaration.program.decide(concepts), seen.hints, goes_on)


def arbitrary(algorithm: Algorithm, count: int, rng: np.random.Generator, most_nodes: int = 20) -> Setting:
    """Graphs of any shape, of up to so many nodes, with any inputs, in any state: runs hardly ever show some of them."""
    declaration = algorithm.declaration
    graph = _any_graphs(count, most_nodes, rng)
    inputs = {name: _any_values(field, graph, rng) for name, field in declaration.inputs.items()}
    state = {name: _any_values(declaration.predicted[name], graph, rng) for name in declaration.state}
    return Setting(graph, inputs, state)


def _any_graphs(count: int, most_nodes: int, rng: np.random.Generator) -> Graph:
    """Stars, and graphs of any density, of 1 to so many nodes."""
    sizes = rng.integers(1, most_nodes + 1, count)
    density = rng.random((count, 1)) ** 2  # squared: more sparse ones than dense
    is_star = rng.random((count, 1)) < STARS
    low, high = np.triu_indices(most_nodes, 1)
    joined = np.where(is_star, low == 0, rng.random((count, len(low))) < density) & (high < sizes[:, None])
    graph, pair = joined.nonzero()
    first = (np.cumsum(sizes) - sizes)[graph]
    return Graph.pack(sizes, np.stack([first + low[pair], first + high[pair]], 1))


def _any_values(field: Field, graph: Graph, rng: np.random.Generator) -> Tensor:
    """Any values; classes from a distribution of each graph's own, so that many graphs hold only few of them."""
    kind = field.kind
    if not kind.labels:
        return kind.draw_alike(graph, field.location, rng)
    share = rng.gamma(0.3, size=(graph.num_graphs, len(kind.labels))) + 1e-9
    below = np.cumsum(share / share.sum(1, keepdims=True), 1)[:, :-1]
    owner = graph.owner(field.location).numpy()
    return torch.from_numpy((rng.random(len(owner))[:, None] > below[owner]).sum(1)).to(kind.dtype)
