"""Every declared algorithm is learnt and proven, and what is proven runs as the algorithm does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.data import fixed
from algolens.engines import run_algorithm
from algolens.evaluation import free_run
from algolens.experiment.config import preset, training_objection
from algolens.graphs import Graph
from algolens.proofs.network import prove
from algolens.training import Fit
from tests.effort import covering

NAMES = sorted(algorithms())
LEARNT = [name for name in NAMES if training_objection(preset("exact", algorithm(name))) is None]


def test_the_exact_preset_learns_whatever_is_declared() -> None:
    assert [name for name in NAMES if not algorithm(name).declaration.in_python] == LEARNT
    assert len(LEARNT) >= 42


@pytest.mark.parametrize("name", covering(LEARNT))
def test_it_is_learnt_proven_and_right(name: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path))
    made = preset("exact", algorithm(name))
    chosen = made.find_algorithm()
    schedule = replace(made.schedule, enough=1)
    recipe = replace(chosen.recipe, size=8, train=1, held_out=1, test_sizes=())
    fit = Fit(fixed(chosen, 0, recipe), made.architecture, schedule, (0,), torch.device("cpu"))
    history = list(fit)
    network = fit.result()
    assert len(history) < schedule.epochs
    assert not any(finding.check.failures for finding in prove(network))
    rng = np.random.default_rng(0)
    directed = chosen.graphs == "directed"
    graphs = [random_graph(rng, nodes, directed=directed) for nodes in (1, 2, 5, 9, 14)]
    graph = Graph.join(graphs)
    truth = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    assert free_run(network, truth).equals(truth)


def random_graph(rng: np.random.Generator, nodes: int, *, directed: bool) -> Graph:
    """Any edges, few or many; few enough for five colors."""
    pairs = [(u, v) for v in range(nodes) for u in range(nodes) if (u != v if directed else u < v)]
    return Graph.pack(
        [nodes], [pair for pair in pairs if rng.random() < min(1.0, 3 / nodes)], directed=directed
    )
