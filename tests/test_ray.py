"""Work on a Ray cluster: the same messages and files as by processes, whoever dies."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from algolens import __version__, processes
from algolens.algorithms import algorithm, algorithms
from algolens.errors import AlgoLensError
from algolens.experiment.config import preset
from algolens.experiment.train import train_to_folder
from algolens.processes import Ended, Processes, RayCluster, find_workers
from algolens.records import Experiment
from algolens.reproduction.plan import ReproductionPlan, carry_out, folder_of
from algolens.training import Epoch
from tests.workers import count, die_once, fail_or_count


@pytest.fixture(scope="module")
def _cluster():
    """A cluster of two cores on this machine, whose workers find these tests."""
    with pytest.MonkeyPatch.context() as own:
        # a token of its own, before Ray is imported: none that may lie on this machine is used
        own.setenv("RAY_AUTH_MODE", "token")
        own.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        own.syspath_prepend(Path(__file__).parents[1])
        ray = pytest.importorskip("ray", reason="needs pip install 'algolens[ray]'")
        quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
        ray.init("local", num_cpus=2, **quiet)
        yield
        ray.shutdown()


def heard(messages: Any) -> dict[str, list[Any]]:
    by_name: dict[str, list[Any]] = {}
    for name, message in messages:
        by_name.setdefault(name, []).append("ended" if isinstance(message, Ended) else message)
    return by_name


@pytest.mark.usefixtures("_cluster")
def test_the_cluster_says_what_processes_say():
    work = {"a": (0,), "b": (10,), "c": (20,)}
    assert heard(RayCluster().messages(work, count)) == heard(Processes(1).messages(work, count))


@pytest.mark.usefixtures("_cluster")
def test_a_dead_workers_work_is_done_elsewhere_and_says_nothing_twice(tmp_path):
    messages = heard(RayCluster().messages({"dying": (tmp_path,), "b": (tmp_path,)}, die_once))
    told = [(number, str(tmp_path)) for number in range(3)]
    assert messages == {"dying": [*told, "ended"], "b": [*told, "ended"]}
    assert (tmp_path / "died").exists()


@pytest.mark.usefixtures("_cluster")
@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("refuse", AlgoLensError, "Did you mean 'paper'"),
        ("break", RuntimeError, "KeyError: 'a fault'"),
        ("die", AlgoLensError, "failing was begun 4 times on the cluster.*WorkerCrashedError"),
    ],
)
def test_a_failure_is_told_once_the_others_are_done(way, kind, said):
    messages: list[Any] = []
    with pytest.raises(kind, match=said):
        messages.extend(
            RayCluster().messages({"failing": (way,), "other": ("count",)}, fail_or_count)
        )
    assert [message for name, message in messages if name == "other"][:-1] == [0, 1, 2]


@pytest.mark.usefixtures("_cluster")
def test_a_machine_that_does_not_see_the_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_look", lambda _mark: ("far", __version__, False))
    with pytest.raises(AlgoLensError, match=r"machine far of the cluster does not see .*--out"):
        list(RayCluster().messages({"a": (0,)}, count, tmp_path))
    assert list(tmp_path.iterdir()) == []


CPU = torch.device("cpu")
EPOCHS = 4


@pytest.fixture
def paired(monkeypatch) -> Iterator[Experiment]:
    """A small experiment, of an algorithm that workers know by a variable."""
    monkeypatch.setenv(
        "ALGOLENS_ALGORITHMS", str(Path(__file__).parents[1] / "examples" / "paired.py")
    )
    algorithms.cache_clear()
    usual = replace(preset("paper", algorithm("paired")), held_out=1)
    yield replace(usual, schedule=usual.schedule.with_epochs(EPOCHS))
    algorithms.cache_clear()


def same_files(one: Path, other: Path) -> bool:
    """Whether two models are equal; what they say of themselves has seconds in it."""
    names = ("weights.safetensors", "rule_sets.json", "scores.json")
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in names)


@pytest.mark.usefixtures("_cluster")
def test_a_training_whose_worker_is_killed_goes_on_and_leaves_the_same_files(tmp_path, paired):
    psutil = pytest.importorskip("psutil")
    epochs: list[int] = []

    def watch(epoch: Epoch) -> None:
        epochs.append(epoch.epoch)
        if len(epochs) == 2:
            for process in psutil.Process().children(recursive=True):
                if "_on_worker" in " ".join(process.cmdline()):
                    process.kill()

    there, here = tmp_path / "there", tmp_path / "here"
    trained = train_to_folder(there, paired, CPU, "", watch, workers=RayCluster())
    alone = train_to_folder(here, paired, CPU, "", lambda _: None)
    assert epochs == list(range(1, EPOCHS + 1))
    assert trained.scores == alone.scores
    assert same_files(there, here)
    assert not (tmp_path / "there.unfinished").exists()


@pytest.mark.usefixtures("_cluster")
def test_a_reproduction_on_the_cluster_leaves_the_files_of_one_process(tmp_path, paired):
    plan = ReproductionPlan(("paired",), (paired,), {}, quick=True)
    for name, workers in {"there": RayCluster(), "here": Processes()}.items():
        carry_out(plan, tmp_path / name, CPU, "", lambda _: nullcontext(lambda _: None), workers)
    there, here = (folder_of(tmp_path / name, paired) for name in ("there", "here"))
    assert same_files(there, here)
    assert (there / "study.json").read_bytes() == (here / "study.json").read_bytes()


@pytest.mark.parametrize(
    ("jobs", "cluster", "why"),
    [
        (2, "ray", "--jobs 2 counts processes on this machine"),
        (None, "slurm", "--cluster slurm: give ray"),
    ],
)
def test_what_is_no_cluster_is_refused(jobs, cluster, why):
    with pytest.raises(AlgoLensError, match=why):
        find_workers(jobs, cluster)


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(AlgoLensError, match=r"pip install 'algolens\[ray\]'"):
        list(find_workers(None, "ray").messages({"a": (0,)}, count))
