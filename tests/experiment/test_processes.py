"""Work in several processes: every word arrives, no more at once than asked for, and a failure does not stop the others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.experiment import ReproductionPlan, carry_out, preset, train
from algolens.experiment.processes import Ended, Say, at_once
from algolens.experiment.reproduce import folder_of


def count(start: int, say: Say) -> None:
    for number in range(start, start + 3):
        say(number)


def come_and_go(folder: Path, say: Say) -> None:
    mine = folder / str(os.getpid())
    mine.touch()
    time.sleep(1.5)  # so that all that were begun together are there together
    say(len(list(folder.iterdir())))
    mine.unlink()


def fail_or_count(way: str, say: Say) -> None:
    if way == "count":
        time.sleep(1)
        count(0, say)
    if way == "refuse":
        raise UnknownNameError("preset", "papr", ["paper"])
    if way == "break":
        raise KeyError("a fault")
    if way == "die":
        os.kill(os.getpid(), signal.SIGKILL)


def wait(say: Say) -> None:
    say("waiting")
    time.sleep(600)


def test_every_word_arrives_in_its_order():
    heard: dict[str, list[Any]] = {}
    for name, word in at_once({"a": (0,), "b": (10,), "c": (20,)}, count, 2):
        heard.setdefault(name, []).append(word)
    assert {name: words[:-1] for name, words in heard.items()} == {"a": [0, 1, 2], "b": [10, 11, 12], "c": [20, 21, 22]}
    assert all(isinstance(words[-1], Ended) for words in heard.values())


def test_no_more_at_once_than_asked_for(tmp_path):
    words = at_once({str(i): (tmp_path,) for i in range(4)}, come_and_go, 2)
    assert max(word for _, word in words if isinstance(word, int)) <= 2


@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("refuse", AlgoLensError, "Did you mean 'paper'"),
        ("break", RuntimeError, "KeyError: 'a fault'"),
        ("die", AlgoLensError, "the process of failing was ended from outside .status -9.*fewer --jobs"),
    ],
)
def test_a_failure_is_told_once_the_others_are_done(way, kind, said):
    heard: list[Any] = []
    with pytest.raises(kind, match=said):
        heard.extend(at_once({"failing": (way,), "other": ("count",)}, fail_or_count, 2))
    assert heard[:-1] == [("other", 0), ("other", 1), ("other", 2)]


def test_who_stops_listening_ends_all_work():
    words = at_once({"a": (), "b": ()}, wait, 2)
    assert next(words)[1] == "waiting"
    words.close()
    assert multiprocessing.active_children() == []


def test_a_reproduction_in_two_processes_gives_the_figures_of_one(tmp_path):
    cpu, bfs = torch.device("cpu"), algorithm("bfs")
    few = [replace(preset(name, bfs), held_out=1) for name in ("standard", "paper")]
    runs = [replace(each, schedule=replace(each.schedule, epochs=1)) for each in few]
    seen: list[str] = []

    def watch(experiment: Any) -> Any:
        return nullcontext(lambda _epoch: seen.append(experiment.preset))

    carry_out(ReproductionPlan(("bfs",), tuple(runs), {}, quick=True), tmp_path, cpu, "", watch, jobs=2)
    assert sorted(seen) == ["paper", "standard"]
    for run in runs:
        folder = folder_of(tmp_path, run)
        trained = train(run, cpu)
        trained.save(tmp_path / "alone")
        assert (folder / "scores.json").read_text() == (tmp_path / "alone" / "scores.json").read_text()
        assert (folder / "study.json").exists() == run.architecture.bottleneck
        (tmp_path / "alone").rename(tmp_path / run.preset)
