"""Linear probes: how well a discovered concept is read off a network's hidden units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.discovery.differences import stepped
from algolens.discovery.examples import unrolled
from algolens.discovery.oracle import Episodes, NetworkOracle, values_on
from algolens.discovery.sampling import random_runs
from algolens.engines import Percept, run_algorithm
from algolens.graphs import Graph, stream

GRAPHS, SIZES = 40, (4, 16)  # that probes are fitted and tested on, half each


@dataclass(frozen=True)
class ConceptProbe:
    """How well a discovered concept is read off the hidden units: a measure, no proof."""

    concept: str
    statement: str
    share: float  # of elements of which it is true
    accuracy: float  # balanced, of a linear probe, on graphs that it was not fitted on
    unit: int  # the one that tells most alone
    alone: float  # balanced accuracy of a threshold on this unit, on the same graphs


def probes(
    oracle: NetworkOracle, algorithm: Algorithm, *, graphs: int = GRAPHS, seed: int = 0
) -> list[ConceptProbe]:
    """A linear probe for each concept of a discovered algorithm, on the network's hidden units.

    A logistic regression is fitted on the states of half of the graphs and tested on the other
    half. A concept that can be read off need not be what the network decides by.

    Parameters
    ----------
    oracle : NetworkOracle
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
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    rng = stream(seed, "probes", oracle.schema.name)
    units: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    truths: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    place = 0
    for some in random_runs(oracle, graphs, SIZES, rng):
        for number in range(some.graph.num_graphs):
            part = some.graph.take([number])
            inputs = values_on(oracle.schema.inputs, some.inputs, part)
            made, shown = hidden(oracle, part.graph, inputs)
            if shown is None:
                return []
            units[place % 2].append(shown.flatten(0, 1).numpy())
            truths[place % 2].append(_concepts(oracle, algorithm, made))
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
                algorithm.declaration.statements[name].text,
                float(wanted[:, column].mean()),
                _balanced(linear.predict(tested), test),
                int(max(stump.tree_.feature[0], 0)),
                _balanced(stump.predict(tested), test),
            )
        )
    return made_probes


def _concepts(oracle: NetworkOracle, algorithm: Algorithm, made: Episodes) -> np.ndarray:
    """[(T + 1) N, C] the discovered concepts in the states that the network came to."""
    percept, _ = stepped(algorithm, oracle.schema, unrolled(oracle.schema, made))
    return np.asarray(percept.concepts.numpy())


def _balanced(said: Sequence[bool] | np.ndarray, truth: np.ndarray) -> float:
    """The mean of the shares right among those that are so, and among those that are not."""
    right = np.asarray(said) == truth
    return float((right[truth].mean() + right[~truth].mean()) / 2)


def hidden(oracle: NetworkOracle, graph: Graph, inputs: Values) -> tuple[Episodes, Tensor | None]:
    """A run on one graph, and [T + 1, N, W] the hidden units of every element in every state.

    None where the network shows none: a module of a user's gives scores alone.
    """
    looks: list[Tensor | None] = []
    sockets = oracle.sockets
    look = sockets["perceive"]

    def perceive(graph: Graph, given: Values, state: Values, memory: Tensor | None) -> Percept:
        percept = look(graph, given, state, memory)
        looks.append(_units(oracle, percept))
        return percept

    with torch.no_grad():
        run = run_algorithm(
            oracle.algorithm, graph, inputs, kernel="tensor", **{**sockets, "perceive": perceive}
        )
    shown = [some for some in looks if some is not None]
    return Episodes.of(run), torch.stack(shown) if len(shown) == len(looks) else None


def _units(oracle: NetworkOracle, percept: Percept) -> Tensor | None:
    if oracle.schema.location == "node":
        return percept.memory
    return None if percept.has_concepts else percept.concepts
