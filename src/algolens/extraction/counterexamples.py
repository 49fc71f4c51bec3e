"""The smallest graph on which an observation of a network is not what is declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from algolens.algorithms import Values
from algolens.data.small_graphs import ShownGraph, drawn, small_graphs
from algolens.evaluation import free_run
from algolens.evaluation.rightness import GOING_ON, differences
from algolens.execution import Run, run_algorithm
from algolens.fields import Field
from algolens.graphs import Graph, Location, stream
from algolens.models import Network
from algolens.models.contract import GOES_ON
from algolens.models.exact import Exact


@dataclass(frozen=True)
class ShownOn:
    """A graph and a state in which something is found otherwise than it is declared."""

    situation: ShownGraph  # inputs, and the state before the step
    step: int | None  # of a run, from 1 on; None of a state that no run was seen to reach
    at: str
    element: int  # its place in the graph
    found: bool

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        rest = {"step": self.step, "at": self.at, "element": self.element, "found": self.found}
        return {**self.situation.to_json(), **rest}

    def __str__(self) -> str:
        when = (
            f"at step {self.step} of a run"
            if self.step is not None
            else "in a state that no run was seen to reach"
        )
        where = f" at {self.at} {self.element}" if self.at != Location.GRAPH.value else ""
        return (
            f"{self.situation}: {when} it is found {self.found}{where}, and is declared "
            f"{not self.found}"
        )


@torch.no_grad()
def smallest_graph(network: Network, name: str) -> ShownOn | None:
    """The smallest graph found on which an observation, by its name, is not what is declared; None
    where none was found.

    Tried are ``small_graphs``: first runs of the network, then arbitrary states.
    """
    for look in (_in_runs, _in_any_state):
        for graphs, inputs in small_graphs(network.algorithm):
            found = look(network, name, graphs, inputs)
            if found is not None:
                return found
    return None


def _in_runs(network: Network, name: str, graphs: Graph, inputs: Values) -> ShownOn | None:
    """The first graph on whose run an observation is the first thing to be wrong."""
    truth = run_algorithm(network.algorithm, graphs, inputs, check=False)
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
    location = (
        Location.GRAPH
        if wanted == GOING_ON
        else network.algorithm.declaration.predicted[wanted].location
    )
    state = {each: _before(alone, each, step) for each in network.algorithm.declaration.state}
    situation = ShownGraph.of(alone.graph, {**alone.inputs, **state}, _fields(network))
    return ShownOn(situation, step + 1, location.value, element, bool(values[element]))


def _before(run: Run, name: str, step: int) -> Tensor:
    return run.start[name] if step == 0 else run[name][step - 1]


def _in_any_state(network: Network, name: str, graphs: Graph, inputs: Values) -> ShownOn | None:
    """The first graph with a state in which an observation is wrong, those before it being
    right.
    """
    perceiver, declaration = network.perceiver, network.algorithm.declaration
    assert isinstance(perceiver, Exact)
    rng = stream(0, "any state", network.algorithm.data_name, graphs.num_nodes)
    state = drawn({each: declaration.predicted[each] for each in declaration.state}, graphs, rng)
    prepared = perceiver.prepare(graphs, inputs)
    batch = prepared.look.batch(inputs, state)
    prepared.look.observer.see(batch)
    reading = perceiver.readings[name]
    found, true = (
        prepared.running.stages[name].find(batch),
        prepared.look.observer.observe(reading, batch),
    )
    wrong = (found != true).nonzero().flatten()
    if not len(wrong):
        return None
    location = reading.observation.location
    graph = int(graphs.owner(location)[wrong].min())
    picked = graphs.take([graph])
    element = int(wrong[graphs.owner(location)[wrong] == graph][0])
    place = int(graphs.place(location)[element]) if location is not Location.GRAPH else 0
    fields = _fields(network)
    values = {
        each: value[picked.index(fields[each].location)]
        for each, value in {**inputs, **state}.items()
    }
    return ShownOn(
        ShownGraph.of(picked.graph, values, fields),
        None,
        location.value,
        place,
        bool(found[element]),
    )


def _fields(network: Network) -> dict[str, Field]:
    declaration = network.algorithm.declaration
    return {**declaration.inputs, **declaration.predicted}
