"""A network in the loop as a teacher: its own decisions are the labels, right or wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.discovery.algorithm_teacher import AlgorithmTeacher
from algolens.discovery.checks import random_runs
from algolens.discovery.fidelity import stepped
from algolens.discovery.schema import Episodes
from algolens.discovery.situations import _unrolled
from algolens.discovery.stepwise import values_on
from algolens.execution import Percept, run_algorithm
from algolens.fields import Location
from algolens.graphs import Graph, stream
from algolens.models import Network, NetworkParts

GRAPHS, SIZES = 40, (4, 16)  # that probes are fitted and tested on, half each


class NetworkTeacher(AlgorithmTeacher):
    """The network of one seed as a black box; what it was taught is not looked at.

    Parameters
    ----------
    network : Network
        A network of one seed, of any preset, or a module of a user's.
    """

    can_step = False  # its memory is no part of the state

    def __init__(self, network: Network) -> None:
        self.network = network.on_cpu()  # situations are looked at there
        self.parts = NetworkParts(self.network)
        super().__init__(network.algorithm)
        if not network.perceiver.takes_directed and self.schema.graphs == "any":
            self.schema = replace(self.schema, graphs="undirected")

    def run(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Episodes:
        with torch.no_grad():
            run = run_algorithm(
                self.algorithm, graph, inputs, kernel="tensor", **self.parts.sockets
            )
        return Episodes.of(run)

    def hidden(self, graph: Graph, inputs: Mapping[str, Tensor]) -> tuple[Episodes, Tensor | None]:
        """A run on one graph, and [T + 1, N, W] the hidden units of every element in every state.

        None where the network shows none: a module of a user's gives scores alone.
        """
        looks: list[Tensor | None] = []
        sockets = self.parts.sockets
        look = sockets["perceive"]

        def perceive(graph: Graph, given: Values, state: Values, memory: Tensor | None) -> Percept:
            percept = look(graph, given, state, memory)
            looks.append(self._units(percept))
            return percept

        with torch.no_grad():
            run = run_algorithm(
                self.algorithm, graph, inputs, kernel="tensor", **{**sockets, "perceive": perceive}
            )
        shown = [some for some in looks if some is not None]
        return Episodes.of(run), torch.stack(shown) if len(shown) == len(looks) else None

    def _units(self, percept: Percept) -> Tensor | None:
        if self.schema.location is Location.NODE:
            return percept.memory
        return None if percept.has_concepts else percept.concepts


@dataclass(frozen=True)
class ConceptProbe:
    """How well a discovered concept is read off the hidden units: a measure, no proof."""

    concept: str
    statement: str
    share: float  # of elements of which it is true
    accuracy: float  # balanced, of a linear probe, on graphs that it was not fitted on
    unit: int  # the one that tells most alone
    alone: float  # balanced accuracy of a threshold on this unit, on the same graphs

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        return (
            f"{self.concept}: linear probe {100 * self.accuracy:.0f} %, unit {self.unit} alone "
            f"{100 * self.alone:.0f} %"
        )


def probes(
    teacher: NetworkTeacher, algorithm: Algorithm, *, graphs: int = GRAPHS, seed: int = 0
) -> list[ConceptProbe]:
    """A linear probe for each concept of a discovered algorithm, on the network's hidden units.

    A logistic regression is fitted on the states of half of the graphs and tested on the other
    half. A concept that can be read off need not be what the network decides by.

    Parameters
    ----------
    teacher : NetworkTeacher
        The network.
    algorithm : Algorithm
        What was discovered of it.
    graphs : int
        As many random graphs are run.
    seed : int
        Of these.

    Returns
    -------
    list of ConceptProbe
        Empty where the network shows no hidden units.
    """
    # here, for it takes seconds to load
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    rng = stream(seed, "probes", teacher.schema.name)
    units: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    truths: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    place = 0
    for some in random_runs(teacher, graphs, SIZES, rng):
        for number in range(some.graph.num_graphs):
            part = some.graph.take([number])
            inputs = values_on(teacher.schema.inputs, some.inputs, part)
            made, shown = teacher.hidden(part.graph, inputs)
            if shown is None:
                return []
            units[place % 2].append(shown.flatten(0, 1).numpy())
            truths[place % 2].append(_concepts(teacher, algorithm, made))
            place += 1
    fitted, tested = (np.concatenate(some) for some in units)
    known, wanted = (np.concatenate(some) for some in truths)
    made_probes = []
    for column, name in enumerate(algorithm.declaration.concepts):
        truth, test = known[:, column], wanted[:, column]
        if len(np.unique(truth)) < 2 or len(np.unique(test)) < 2:
            continue
        linear = make_pipeline(
            StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=500)
        ).fit(fitted, truth)
        stump = DecisionTreeClassifier(max_depth=1, class_weight="balanced", random_state=0)
        stump.fit(fitted, truth)
        made_probes.append(
            ConceptProbe(
                name,
                algorithm.declaration.look[name].text,
                float(wanted[:, column].mean()),
                _balanced(linear.predict(tested), test),
                int(max(stump.tree_.feature[0], 0)),
                _balanced(stump.predict(tested), test),
            )
        )
    return made_probes


def _concepts(teacher: NetworkTeacher, algorithm: Algorithm, made: Episodes) -> np.ndarray:
    """[(T + 1) N, C] the discovered concepts in the states that the network came to."""
    percept, _ = stepped(algorithm, teacher.schema, _unrolled(teacher.schema, made))
    return np.asarray(percept.concepts.numpy())


def _balanced(said: Sequence[bool] | np.ndarray, truth: np.ndarray) -> float:
    """The mean of the shares right among those that are so, and among those that are not."""
    right = np.asarray(said) == truth
    return float((right[truth].mean() + right[~truth].mean()) / 2)
