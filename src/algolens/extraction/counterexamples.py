"""The smallest graph on which an observation of a network is not what is declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.evaluation import free_run
from algolens.evaluation.rightness import GOING_ON, differences
from algolens.execution import Run, execute_trusted
from algolens.fields import Field
from algolens.graphs import Graph, Location, stream
from algolens.models import Network
from algolens.models.contract import GOES_ON
from algolens.models.exact import Exact

MOST_NODES = 5
DRAWS = 30  # of inputs, and of states, for each graph


@dataclass(frozen=True)
class ShownOn:
    """A graph and a state in which something is found otherwise than it is declared."""

    nodes: int
    edges: tuple[tuple[int, int], ...]
    directed: bool
    inputs: Mapping[str, Sequence[Any]]
    state: Mapping[str, Sequence[Any]]  # before the step
    step: int | None  # of a run, from 1 on; None of a state that no run was seen to reach
    at: str
    element: int  # its place in the graph
    found: bool

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        mark = " -> " if self.directed else "-"
        joined = ", ".join(f"{one}{mark}{other}" for one, other in self.edges) or "no edge"
        when = f"at step {self.step} of a run" if self.step is not None else "in a state that no run was seen to reach"
        values = [f"{name} {_row(value)}" for name, value in {**self.inputs, **self.state}.items()]
        told = f" with {', '.join(values)}" if values else ""
        where = f" at {self.at} {self.element}" if self.at != Location.GRAPH.value else ""
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{nodes} ({joined}){told}: {when} it is found {self.found}{where}, and is declared {not self.found}"


@torch.no_grad()
def smallest_graph(network: Network, name: str) -> ShownOn | None:
    """The smallest graph found on which an observation, by its name, is not what is declared; None where none was found.

    Tried are all graphs of up to 5 nodes, with inputs drawn 30 times: first runs of the network, then arbitrary states.
    """
    for look in (_in_runs, _in_any_state):
        for graphs, inputs in small_graphs(network.algorithm):
            found = look(network, name, graphs, inputs)
            if found is not None:
                return found
    return None


def small_graphs(algorithm: Algorithm, most: int = MOST_NODES, draws: int = DRAWS) -> Iterator[tuple[Graph, Values]]:
    """All graphs of 1, 2, ... nodes, few edges first, each so many times with other inputs."""
    rng = stream(0, "smallest graph", algorithm.name)
    directed = algorithm.graphs == "directed"
    for size in range(1, most + 1):
        alike = [graph for graph in nx.graph_atlas_g() if len(graph) == size for _ in range(draws)]
        edges = [(u + i * size, v + i * size) for i, graph in enumerate(alike) for u, v in graph.edges]
        if directed:  # a random way for each
            edges = [pair if rng.random() < 0.5 else pair[::-1] for pair in edges]
        graphs = Graph.pack([size] * len(alike), edges, directed=directed)
        yield graphs, drawn(algorithm.declaration.inputs, graphs, rng)


def drawn(fields: Mapping[str, Field], graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
    """Arbitrary values of fields."""
    return {name: field.kind.draw(graph, field.location, rng) for name, field in fields.items()}


def _in_runs(network: Network, name: str, graphs: Graph, inputs: Values) -> ShownOn | None:
    """The first graph on whose run an observation is the first thing to be wrong."""
    truth = execute_trusted(network.algorithm, graphs, inputs)
    run = free_run(network, truth)
    wanted = GOING_ON if name == GOES_ON else name
    steps = min(run.num_steps, truth.num_steps)
    wrong = torch.zeros(steps, graphs.num_graphs, dtype=torch.bool)  # anything
    here = torch.zeros_like(wrong)  # what is asked for
    for field, location, differs in differences(run, truth):
        for step in range(steps):
            found = graphs.any_per_graph(differs[step], location)
            wrong[step] |= found
            here[step] |= found if field == wanted else False
    wrong &= truth.is_alive[:steps]
    first = here & wrong & (wrong.long().cumsum(0) == 1)
    if not bool(first.any()):
        return None
    graph = int(first.any(0).nonzero()[0])
    step = int(first[:, graph].nonzero()[0])
    alone, true = run.take([graph]), truth.take([graph])
    values = alone.goes_on[step] if wanted == GOING_ON else alone[wanted][step]
    truths = true.goes_on[step] if wanted == GOING_ON else true[wanted][step]
    element = int((values != truths).nonzero()[0])
    location = Location.GRAPH if wanted == GOING_ON else network.algorithm.declaration.predicted[wanted].location
    state = {each: _before(alone, each, step) for each in network.algorithm.declaration.state}
    return _shown(alone.graph, alone.inputs, state, network.algorithm, step + 1, location, element, bool(values[element]))


def _before(run: Run, name: str, step: int) -> Tensor:
    return run.start[name] if step == 0 else run[name][step - 1]


def _in_any_state(network: Network, name: str, graphs: Graph, inputs: Values) -> ShownOn | None:
    """The first graph with a state in which an observation is wrong, those before it being right."""
    perceiver, declaration = network.perceiver, network.algorithm.declaration
    assert isinstance(perceiver, Exact)
    rng = stream(0, "any state", network.algorithm.name, graphs.num_nodes)
    state = drawn({each: declaration.predicted[each] for each in declaration.state}, graphs, rng)
    prepared = perceiver.prepare(graphs, inputs)
    batch = prepared.look.batch(inputs, state)
    prepared.look.observer.see(batch)
    reading = perceiver.readings[name]
    found, true = prepared.running.observe(reading, batch), prepared.look.observer.observe(reading, batch)
    wrong = (found != true).nonzero().flatten()
    if not len(wrong):
        return None
    location = reading.observation.location
    graph = int(graphs.owner(location)[wrong].min())
    picked = graphs.take([graph])
    element = int(wrong[graphs.owner(location)[wrong] == graph][0])
    place = int(graphs.place(location)[element]) if location is not Location.GRAPH else 0
    return _shown(
        picked.graph,
        {each: value[picked.index(declaration.inputs[each].location)] for each, value in inputs.items()},
        {each: value[picked.index(declaration.predicted[each].location)] for each, value in state.items()},
        network.algorithm,
        None,
        location,
        place,
        bool(found[element]),
    )


def _shown(
    graph: Graph,
    inputs: Values,
    state: Values,
    algorithm: Algorithm,
    step: int | None,
    location: Location,
    element: int,
    found: bool,
) -> ShownOn:
    declaration = algorithm.declaration
    fields = {**declaration.inputs, **declaration.predicted}

    def told(values: Values) -> dict[str, list[Any]]:
        return {name: fields[name].kind.shown(value, graph, fields[name].location) for name, value in values.items()}

    return ShownOn(
        nodes=graph.num_nodes,
        edges=tuple((int(u), int(v)) for u, v in graph.edges.T.tolist()),
        directed=graph.directed,
        inputs=told(inputs),
        state=told(state),
        step=step,
        at=location.value,
        element=element,
        found=found,
    )


def _row(values: Sequence[Any]) -> str:
    return "[" + ", ".join("-" if each is None else str(each) for each in values) + "]"
