"""An algorithm of the library as a black box."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values, check_inputs
from algolens.discovery.schema import Episodes, Schema, StepAnswer, StepTeacher
from algolens.engines import decides_by, goes_on_by, perceive_truly, run_algorithm
from algolens.engines.record import frame_of
from algolens.graphs import Graph


class AlgorithmTeacher(StepTeacher):
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
        return self.algorithm.sample(graph, rng)

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
