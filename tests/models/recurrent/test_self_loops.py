"""Where a node hears itself, it cannot see that a neighbour is of its own class; where it does not, it learns to."""

from __future__ import annotations

import torch
from examples.paired import Paired

from algolens.algorithms import algorithm
from algolens.data import fixed
from algolens.experiment import Experiment, preset
from algolens.models import Architecture
from algolens.training import Fit, Schedule


def test_a_neighbour_of_the_own_class_is_seen_without_self_loops_only(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path))
    sets = fixed(Paired(), 0, Paired.recipe)
    schedule = Schedule(epochs=20, learning_rate=5e-3, batch_size=8, beta2=0.95, decay=0.5, validate_every=20)
    found = {}
    for self_loops in (True, False):
        fit = Fit(sets, Architecture(self_loops=self_loops), schedule, (0,), torch.device("cpu"))
        validation = list(fit)[-1].validation
        assert validation is not None
        found[self_loops] = [scores.mean_step for scores in validation]
    assert max(found[True]) < 0.75
    assert min(found[False]) > 0.99


def test_the_papers_networks_have_self_loops_and_those_of_other_algorithms_none():
    assert not preset("paper", Paired()).architecture.self_loops
    for name in ("bfs", "coloring", "kruskal"):
        assert preset("paper", algorithm(name)).architecture.self_loops


def test_an_experiment_written_before_there_was_a_choice_means_what_it_meant():
    written = preset("paper", algorithm("bfs")).to_json()
    del written["architecture"]["self_loops"]
    assert Experiment.from_json(written).architecture.self_loops
