"""Whoever watches a training is told of every epoch; the example in the docstring runs."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from typing import Any

import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.experiment.config import preset
from algolens.experiment.train import train_networks
from algolens.graphs import Recipe
from algolens.training import Epoch

SMALL = Recipe(families=("ladder", "tree"), size=6, train=8, held_out=4, test_sizes=(6,))


@pytest.fixture(autouse=True)
def _small(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    for cls in algorithms().values():
        monkeypatch.setattr(cls, "recipe", SMALL)


def test_the_example_of_a_watch_tells_of_every_epoch(capsys):
    known: dict[str, Any] = {}
    exec(textwrap.dedent((train_networks.__doc__ or "").partition("::\n")[2]), known)
    told: list[Epoch] = []

    def watch(epoch: Epoch) -> None:
        told.append(epoch)
        known["watch"](epoch)

    paper = preset("paper", algorithm("bfs"))
    experiment = replace(
        paper, schedule=replace(paper.schedule.with_epochs(3), validate_every=2), seeds=(0, 1)
    )
    train_networks(experiment, torch.device("cpu"), watch=watch)
    lines = capsys.readouterr().out.splitlines()
    assert [epoch.epoch for epoch in told] == [1, 2, 3]
    assert [int(number) for line in lines for number in re.findall(r"^epoch (\d+), ", line)] == [
        1,
        2,
        3,
    ]
    assert [epoch.validation is not None for epoch in told] == ["right [" in line for line in lines]
    assert all(len(values) == 2 for epoch in told for values in epoch.losses.values())
