"""Experiments that are interrupted, at any moment, and go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from algolens.algorithms import algorithms
from algolens.errors import AlgoLensError
from algolens.experiment.model import Model, claim, load_model
from algolens.experiment.train import epochs_kept, train_into, train_networks, unfinished
from algolens.graphs import Recipe
from algolens.models import Architecture
from algolens.records import Experiment
from algolens.training import Epoch, Schedule, checkpoint
from algolens.training.fit import TraceTeacher

CPU = torch.device("cpu")
SMALL = Recipe(families=("ladder", "tree"), size=6, train=8, held_out=4, test_sizes=(6,))
SHORT = Schedule(epochs=3, batch_size=8, learning_rate=1e-2)
BFS = Experiment("bfs", "paper", Architecture(width=4), SHORT, (4, 0, 7), 1, {})


class Killed(BaseException):
    """What no code along the way can catch by mistake."""


@pytest.fixture(autouse=True)
def _small(tmp_path, monkeypatch):
    """A cache of one's own, small sets, and every validation kept at once."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    for cls in algorithms().values():
        monkeypatch.setattr(cls, "recipe", SMALL)


@pytest.fixture
def trained_epochs(monkeypatch) -> list[tuple[tuple[int, ...], int]]:
    """Which seeds were trained for which epoch, as it happens."""
    found = []
    teach = TraceTeacher.epoch

    def watched(teacher: TraceTeacher, number: int) -> None:
        found.append((teacher.network.seeds, number))
        teach(teacher, number)

    monkeypatch.setattr(TraceTeacher, "epoch", watched)
    return found


def killed_at(number: int) -> Callable[[Epoch], None]:
    """Dies when it is told of so many epochs."""
    told = []

    def watch(epoch: Epoch) -> None:
        told.append(epoch)
        if len(told) == number:
            raise Killed

    return watch


def assert_same(one: Model, other: Model) -> None:
    expected = one.network.state_dict()
    assert all(
        torch.equal(value, expected[name]) for name, value in other.network.state_dict().items()
    )
    assert [replace(epoch, seconds=0.0) for epoch in one.history] == [
        replace(epoch, seconds=0.0) for epoch in other.history
    ]
    assert one.scores == other.scores
    assert one.about["selected_epochs"] == other.about["selected_epochs"]


def test_killed_at_any_epoch_it_goes_on_and_ends_the_same(tmp_path, trained_epochs):
    every = [((4, 0, 7), 1), ((4, 0, 7), 2), ((4, 0, 7), 3)]
    whole = train_networks(BFS, CPU)
    assert trained_epochs == every
    for number in range(1, len(every) + 1):
        keep = tmp_path / str(number)
        with pytest.raises(Killed):
            train_networks(BFS, CPU, watch=killed_at(number), keep=keep)
        trained_epochs.clear()
        told: list[Epoch] = []
        assert_same(whole, train_networks(BFS, CPU, watch=told.append, keep=keep))
        assert trained_epochs == every[number:]  # what was done is not done again, and yet told of
        assert [epoch.epoch for epoch in told] == [1, 2, 3]


def test_a_run_that_is_saved_leaves_nothing_beside_it(tmp_path):
    folder = tmp_path / "runs" / "bfs"
    with pytest.raises(Killed), claim(folder) as place:
        train_into(place, BFS, CPU, "", killed_at(2))
    assert epochs_kept(folder, BFS, CPU) == 2
    assert [path.name for path in folder.parent.iterdir()] == ["bfs.unfinished"]
    with claim(folder) as place:
        trained = train_into(place, BFS, CPU, "", lambda _: None)
    assert [path.name for path in folder.parent.iterdir()] == ["bfs"]
    assert epochs_kept(folder, BFS, CPU) == 0
    saved = load_model(folder)
    assert saved.about["training_seconds"] == round(trained.history[-1].seconds, 1)


@pytest.mark.parametrize(
    "other",
    [
        replace(BFS, schedule=replace(SHORT, learning_rate=0.5)),
        replace(BFS, architecture=Architecture(width=5)),
        replace(BFS, data_seed=2),
        replace(BFS, seeds=(4, 0, 9)),
        replace(BFS, preset="standard"),
    ],
)
def test_another_experiment_is_refused_before_it_begins(tmp_path, other, trained_epochs):
    with pytest.raises(Killed), claim(tmp_path / "run") as place:
        train_into(place, BFS, CPU, "", killed_at(2))
    kept = unfinished(tmp_path / "run").read_bytes()
    trained_epochs.clear()
    for begin in (
        lambda: epochs_kept(tmp_path / "run", other, CPU),
        lambda: train_networks(other, CPU, keep=unfinished(tmp_path / "run")),
    ):
        with pytest.raises(AlgoLensError, match="keeps an unfinished training of another kind"):
            begin()
    assert trained_epochs == []
    assert unfinished(tmp_path / "run").read_bytes() == kept


def test_one_that_is_not_kept_is_trained_from_the_beginning(tmp_path, trained_epochs):
    for _ in range(2):
        trained_epochs.clear()
        with pytest.raises(Killed):
            train_networks(BFS, CPU, watch=killed_at(2))
        assert trained_epochs == [((4, 0, 7), 1), ((4, 0, 7), 2)]
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
