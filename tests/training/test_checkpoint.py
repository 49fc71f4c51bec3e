"""A training that was interrupted and goes on is the training that was not interrupted."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from algolens.algorithms import algorithm
from algolens.data import DataSets, fixed
from algolens.errors import AlgoLensError
from algolens.graphs import Recipe
from algolens.models import Architecture
from algolens.training import (
    Checkpoint,
    Epoch,
    Fit,
    Schedule,
    checkpoint,
    stars,
)
from tests.effort import in_proportion

CPU = torch.device("cpu")
SMALL = Recipe(families=("ladder", "tree"), size=6, train=16, held_out=4, test_sizes=(6,))
SHORT = Schedule(epochs=5, batch_size=8, learning_rate=1e-2)
NARROW = Architecture(width=6)
CONFIGURATION = {"algorithm": "bfs", "schedule": {"epochs": 5}}
KINDS = {
    "plain": (NARROW, SHORT),
    "falling": (NARROW, replace(SHORT, decay=0.5)),
    "clipped": (NARROW, replace(SHORT, clip=0.05, weight_decay=0.05, smoothing=0.1)),
    "pruned": (NARROW, replace(SHORT, l1=0.01, prune_epoch=3)),
    "rarely validated": (NARROW, replace(SHORT, validate_every=2)),
    "without a bottleneck": (replace(NARROW, bottleneck=False), SHORT),
    "with a convolution": (replace(NARROW, processor="GATv2Conv"), SHORT),
    "on stars": (
        replace(NARROW, processor="exact"),
        replace(SHORT, batch_size=32, validate_every=2),
    ),
}


@pytest.fixture(autouse=True)
def _always(tmp_path, monkeypatch):
    """A cache of one's own; whatever was validated is kept at once; epochs of few stars."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    monkeypatch.setattr(stars, "STARS", 512)


@pytest.fixture
def sets() -> DataSets:
    return fixed(algorithm("bfs"), 0, SMALL)


def kept(tmp_path: Path, configuration: object = CONFIGURATION) -> Checkpoint:
    return Checkpoint(tmp_path / "deep" / "kept.safetensors", configuration)  # type: ignore[arg-type]


def go_on(fit: Fit, keeper: Checkpoint, epochs: int | None = None) -> list[Epoch]:
    """Goes on from what is kept, for so many epochs more, or to the end; then the training is
    forgotten, as if killed.
    """
    history = keeper.resume(fit)
    for epoch in islice(fit, epochs):
        history.append(epoch)
        keeper.keep(fit, history)
    return history


def assert_equal(one: Fit, other: Fit) -> None:
    """Bit for bit."""
    for before, after in [
        (one.network, other.network),
        (one.result(), other.result()),
    ]:
        expected = before.state_dict()
        for name, value in after.state_dict().items():
            assert torch.equal(value, expected[name]), name
    steps = one.teacher.step, other.teacher.step
    for parameter, same in zip(*(step.parameters for step in steps), strict=True):
        first, second = steps[0].adam.state[parameter], steps[1].adam.state[same]
        assert first.keys() == second.keys()
        assert all(torch.equal(first[what], second[what]) for what in first)
    for name in ("epoch", "right"):
        assert getattr(one, name) == getattr(other, name)
    for name in ("merits", "recent", "epochs"):
        assert getattr(one.selection, name) == getattr(other.selection, name)


def timeless(history: list[Epoch]) -> list[Epoch]:
    return [replace(epoch, seconds=0.0) for epoch in history]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_after_any_epoch_and_resumed_it_is_the_training_that_was_not(kind, sets, tmp_path):
    def start() -> Fit:
        return Fit(sets, *KINDS[kind], (0, 3), CPU)

    whole = start()
    history = list(whole)
    for epochs in (3,) if in_proportion(10) < 10 else (1, 2, 3):
        keeper = kept(tmp_path / str(epochs))
        go_on(start(), keeper, epochs)
        last = epochs - epochs % KINDS[kind][1].validate_every
        assert keeper.epochs() == last
        again = start()
        found = go_on(again, keeper)
        assert_equal(whole, again)
        assert timeless(found) == timeless(history)
        assert [epoch.seconds for epoch in found] == sorted(epoch.seconds for epoch in found)


def test_killed_after_every_epoch_it_is_the_same_too(sets, tmp_path):
    whole = Fit(sets, *KINDS["pruned"], (1,), CPU)
    history = list(whole)
    for _ in range(SHORT.epochs):
        fit = Fit(sets, *KINDS["pruned"], (1,), CPU)
        found = go_on(fit, kept(tmp_path), 1)
    assert_equal(whole, fit)
    assert timeless(found) == timeless(history)


def test_what_is_finished_is_not_trained_any_more(sets, tmp_path):
    first = Fit(sets, NARROW, SHORT, (0,), CPU)
    history = go_on(first, kept(tmp_path))
    second = Fit(sets, NARROW, SHORT, (0,), CPU)
    assert kept(tmp_path).resume(second) == history
    assert second.finished
    assert list(second) == []
    assert_equal(first, second)


def test_what_was_selected_before_the_interruption_stays_selected(sets, tmp_path):
    fit, keeper = Fit(sets, NARROW, SHORT, (0, 3), CPU), kept(tmp_path)
    history = list(islice(fit, 2))
    fit.selection.merits = [(1.0, 0, 0.0), (1.0, 0, 0.0)]  # as if nothing could be better
    keeper.keep(fit, history)
    again = Fit(sets, NARROW, SHORT, (0, 3), CPU)
    go_on(again, keeper)
    assert again.epoch == SHORT.epochs
    assert again.selection.epochs == fit.selection.epochs
    expected = fit.result().state_dict()
    assert all(
        torch.equal(value, expected[name]) for name, value in again.result().state_dict().items()
    )


def test_enough_counts_what_was_right_before_the_interruption(sets, tmp_path, monkeypatch):
    schedule = replace(SHORT, epochs=9, enough=3)
    fit = Fit(sets, NARROW, schedule, (0,), CPU)
    keeper = kept(tmp_path)
    go_on(fit, keeper, 2)
    fit.right = 2  # as if both had been right
    keeper.keep(
        fit,
        [
            replace(epoch, validation=[])
            for epoch in keeper.resume(Fit(sets, NARROW, schedule, (0,), CPU))
        ],
    )
    again = Fit(sets, NARROW, schedule, (0,), CPU)
    keeper.resume(again)
    assert (again.epoch, again.right, again.finished) == (2, 2, False)
    monkeypatch.setattr(again, "_validate", lambda _: [])  # right in everything there is
    assert len(list(again)) == 1
    assert again.finished


def test_nothing_is_kept_before_its_time_but_the_end_always(sets, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "EVERY", 1e9)
    fit, keeper = Fit(sets, NARROW, SHORT, (0,), CPU), kept(tmp_path)
    go_on(fit, keeper, SHORT.epochs - 1)
    assert keeper.epochs() == 0
    assert keeper.resume(Fit(sets, NARROW, SHORT, (0,), CPU)) == []
    for _ in fit:
        keeper.keep(fit, [Epoch(fit.epoch, {}, None, None, 0.0)])
    assert keeper.epochs() == SHORT.epochs


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_writing_that_fails_leaves_what_was_there_and_nothing_else(
    sets, tmp_path, monkeypatch, problem
):
    fit, keeper = Fit(sets, NARROW, SHORT, (0,), CPU), kept(tmp_path)
    go_on(fit, keeper, 2)
    before = keeper.path.read_bytes()

    def fail(_descriptor: int) -> None:  # when all is written, and not yet moved
        raise problem

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(
        KeyboardInterrupt if problem is KeyboardInterrupt else AlgoLensError,
        match=r"|No space left.*It goes on from what was kept before",
    ):
        go_on(Fit(sets, NARROW, SHORT, (0,), CPU), keeper)
    assert keeper.path.read_bytes() == before
    assert list(keeper.path.parent.iterdir()) == [keeper.path]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            {"algorithm": "coloring", "schedule": {"epochs": 5}},
            'algorithm is "bfs" there, and "coloring" here',
        ),
        ({"algorithm": "bfs", "schedule": {"epochs": 7}}, "schedule.epochs is 5 there, and 7 here"),
        (
            {"algorithm": "bfs", "schedule": {"epochs": 5}, "device": "cuda"},
            'device is null there, and "cuda" here',
        ),
    ],
)
def test_a_training_of_another_kind_is_refused(sets, tmp_path, other, told):
    go_on(Fit(sets, NARROW, SHORT, (0,), CPU), kept(tmp_path), 1)
    for ask in (
        Checkpoint.epochs,
        lambda keeper: keeper.resume(Fit(sets, NARROW, SHORT, (0,), CPU)),
    ):
        with pytest.raises(AlgoLensError, match=told):
            ask(kept(tmp_path, other))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def _nonsense(path: Path) -> None:
    path.write_bytes(b"nonsense")


def _of_somebody_else(path: Path) -> None:
    save_file({"weights": torch.zeros(3)}, path)


@pytest.mark.parametrize("spoil", [_cut, _nonsense, _of_somebody_else])
def test_a_file_that_is_none_of_ours_is_refused(sets, tmp_path, spoil: Callable[[Path], None]):
    keeper = kept(tmp_path)
    go_on(Fit(sets, NARROW, SHORT, (0,), CPU), keeper, 1)
    spoil(keeper.path)
    with pytest.raises(AlgoLensError, match="cannot be read"):
        keeper.resume(Fit(sets, NARROW, SHORT, (0,), CPU))


def test_weights_that_do_not_fit_are_refused(sets, tmp_path):
    keeper = kept(tmp_path)
    go_on(Fit(sets, NARROW, SHORT, (0,), CPU), keeper, 1)
    with pytest.raises(AlgoLensError, match="cannot be read"):
        keeper.resume(Fit(sets, replace(NARROW, width=7), SHORT, (0,), CPU))


def test_nothing_is_pickled(sets, tmp_path):
    keeper = kept(tmp_path)
    go_on(Fit(sets, NARROW, SHORT, (0,), CPU), keeper, 1)
    assert all(isinstance(value, torch.Tensor) for value in load_file(keeper.path).values())


def test_a_bit_that_has_changed_is_noticed(sets, tmp_path):
    keeper = kept(tmp_path)
    go_on(Fit(sets, *KINDS["pruned"], (1,), CPU), keeper, 2)
    whole = keeper.path.read_bytes()
    draw = random.Random(0)
    for _ in range(40):
        content = bytearray(whole)
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        keeper.path.write_bytes(content)
        with pytest.raises(AlgoLensError, match=r"start anew|of another kind") as problem:
            keeper.resume(Fit(sets, *KINDS["pruned"], (1,), CPU))
        assert str(problem.value).isprintable()
