"""An algorithm that errs by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values, check_inputs
from algolens.discovery import AlgorithmOracle, Episodes
from algolens.discovery.oracle import Oracle, StepAnswer
from algolens.engines import decides_by, goes_on_by, perceive_truly
from algolens.engines.record import frame_of
from algolens.graphs import Graph
from algolens.language.fields import Field


class StepAlgorithm(AlgorithmOracle):
    """An algorithm that can be asked for a step from any state."""

    can_step = True

    def begin(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        check_inputs(self.algorithm, graph, inputs)
        return self.algorithm.start(graph, inputs)

    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        declaration = self.algorithm.declaration
        percept = perceive_truly(self.algorithm)(graph, inputs, state, None)
        frame = frame_of(percept, decides_by(declaration.rule_set)(percept.concepts), declaration)
        goes_on = torch.full((graph.num_graphs,), -1)
        if declaration.terminates:
            goes_on = goes_on_by(declaration.rule_set, declaration.location)(graph, percept).long()
        outcomes = {name: percept.hints[name] for name in declaration.outcomes}
        return StepAnswer({name: frame[name] for name in self.schema.decided}, goes_on, outcomes)

    def most_steps(self, graph: Graph) -> Tensor:
        return self.algorithm.max_steps(graph)


class NoisyOracle(StepAlgorithm):
    """An algorithm whose outputs are wrong now and then; it goes on from what it gave.

    Everything that a step decides is wrong equally often: a wrong mask is turned, a wrong class is
    one of the others, a wrong pointer leads to another element of the graph, a wrong number is
    drawn, up to twice the largest of its field. Whether to go on is not made wrong.

    Parameters
    ----------
    algorithm : Algorithm
        What is run.
    share : float
        How often an output of an element is wrong in a step.
    seed : int
        Of what is wrong.
    """

    def __init__(self, algorithm: Algorithm, share: float, seed: int = 0) -> None:
        super().__init__(algorithm)
        self.share, self.rng = share, np.random.default_rng(seed)

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        return Oracle.run(self, graph, inputs)  # each step goes on from wrong outputs

    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        answer = super().step(graph, inputs, state)
        frame = {
            name: self._wrong(self.schema.decided[name], value, graph)
            for name, value in answer.frame.items()
        }
        return replace(answer, frame=frame)

    def _wrong(self, declared: Field, values: Tensor, graph: Graph) -> Tensor:
        whole = values.long()
        low = torch.zeros_like(whole)
        if declared.to is not None:
            size = graph.counts(declared.to)[graph.owner(declared.at)]
        elif declared.kind == "number":
            least, most = declared.bounds
            whole = whole.clamp(least, most)
            highest = int((2 * whole.max()).clamp(least + 1, most)) if len(whole) else 1
            low += least if not declared.signed else -highest
            size = torch.full_like(whole, highest + 1) - low
        else:
            size = torch.full_like(whole, len(declared.classes))
        other = 1 + torch.from_numpy(self.rng.random(len(whole))) * (size - 1)
        turned = low + (whole - low + other.long()) % size.clamp(min=1)
        is_wrong = torch.from_numpy(self.rng.random(len(whole)) < self.share)
        return torch.where(is_wrong, turned, whole).to(values.dtype)
