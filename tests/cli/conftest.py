"""The command as a person runs it."""

from __future__ import annotations

import sys

import pytest

from algolens.algorithms import algorithms, variants
from algolens.cli import main
from algolens.experiment.model import Model
from algolens.graphs import Recipe
from algolens.records import Experiment
from algolens.training import Schedule
from tests.models.networks import right_bfs


@pytest.fixture(autouse=True)
def _without_curves(plain_curves):
    """Trainings are many here."""


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command in this process: status, standard output, standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["algolens", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture
def file(tmp_path):
    """Writes a graph's file and gives its name."""

    def write(text: str, name: str = "g.csv") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


@pytest.fixture
def small_sets(monkeypatch, tmp_path):
    """Sets of few and small graphs, and a cache of one's own."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    recipe = Recipe(families=("ladder", "tree"), size=8, train=10, held_out=3, test_sizes=(8, 12))
    for cls in (algorithms() | variants()).values():
        monkeypatch.setattr(cls, "recipe", recipe)


@pytest.fixture
def bfs_that_is_right(monkeypatch, tmp_path):
    """A model's folder, of a network whose weights are set by hand, without its program."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    # not all is reached
    recipe = Recipe(families=("ladder", "caveman"), size=12, train=10, held_out=3, test_sizes=(12,))
    network = right_bfs()
    monkeypatch.setattr(type(network.algorithm), "recipe", recipe)
    made = Experiment("bfs", "paper", network.architecture, Schedule(), network.seeds, 0, {})
    Model(made, network, {}).save(tmp_path / "right")
    return tmp_path / "right"
