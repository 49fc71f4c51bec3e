"""Work that takes long says so; work that outgrows the memory stops in a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import algolens as al
from algolens import memory
from algolens.algorithms import algorithms
from algolens.algorithms.bfs import Bfs
from algolens.api import progress
from tests import melting

FILE = Path(melting.__file__)
SAFE = 8 * 10**9  # bytes of addresses that a child may ask for, whatever it does


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """A folder and a cache of one's own, where the algorithms with long runs are known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", str(FILE))
    algorithms.cache_clear()
    yield tmp_path
    algorithms.cache_clear()


# a child begins with the peak of who starts it, and this process may have grown large
IN_BETWEEN = """
import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
done = subprocess.run(sys.argv[2:])
sys.stderr.write(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}")
sys.exit(done.returncode)
"""


def command(allowed: int, *words: str) -> tuple[int, str, str, int]:
    """The command in a process that is allowed so many bytes: status, output, and its peak."""

    done = subprocess.run(
        [
            *(sys.executable, "-c", IN_BETWEEN, str(SAFE)),
            *(sys.executable, "-m", "algolens", *words, "--max-memory", str(allowed)),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    *err, peak = done.stderr.splitlines(keepends=True)
    return done.returncode, done.stdout, "".join(err), 1024 * int(peak)


@pytest.mark.skipif(sys.platform != "linux", reason="where the system says what a process takes")
@pytest.mark.parametrize(
    ("allowed", "words", "named"),
    [
        (600, ("execute", "ticking", "grid:8000", "--json", "--trace"), "running ticking"),
        (800, ("train", "melting"), "learning melting from 700 runs of up to "),
    ],
)
def test_work_that_outgrows_what_is_allowed_stops_in_a_line(allowed, words, named):
    """A run in which every node changes 4,000 times; and 700 runs of 1,000 steps.

    allowed: megabytes, of which the libraries take about 350.
    """
    status, out, err, peak = command(allowed * 10**6, *words)
    line = err.splitlines()[-1]
    assert (status, out) == (2, "")
    assert line.startswith("error: ")
    assert named in line
    assert f"{allowed}.0 MB" in line
    assert "--max-memory" in line
    assert "Traceback" not in err
    assert peak < (allowed + 100) * 10**6


def test_sizes_of_which_there_are_too_few_graphs_are_refused_before_training(run, folder):
    status, out, err = run("train", "bfs", "--sizes", "3", "--out", "trained")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "too few different graphs of 3 nodes" in err
    assert not (folder / "trained").exists()


def test_every_phase_is_said_and_a_proof_before_the_scores(run, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_UNSEEN", 0.01)
    status, out, err = run("train", "few_melting", "--out", "trained", "--no-picture")
    assert status == 0, err
    phases = [
        "drawing true traces of few_melting on 8 graphs of 20 nodes, 0:00",
        "proven right on every graph",
        "extracting the rules of few_melting, 0:00",
        "scoring few_melting at 20 nodes, 0:00",
        "scoring few_melting at 40 nodes, 0:00",
    ]
    places = [err.find(phase) for phase in phases]
    assert -1 not in places, err
    assert places == sorted(places)
    # where runs are long, and nobody chose sizes, larger graphs are left out
    assert "runs of few_melting are long" in err
    assert "--sizes gives others" in err
    assert "40 nodes" in out
    assert "100 nodes" not in out
    _, _, err = run("explain", "trained")
    assert "auditing the concepts of few_melting, 0:00" in err


@pytest.mark.parametrize(("preset", "is_exact"), [("exact", True), ("standard", False)])
def test_a_proven_network_is_explained_without_drawing_any_graph(preset, is_exact):
    """Truth tables decide whether its rules are the true ones; of another, samples do."""
    drawn: list[Any] = []

    class Counted(Bfs):
        name = "counted"
        recipe = melting.FewMelting.recipe

        def sample(self, graph, rng):
            drawn.append(graph)
            return super().sample(graph, rng)

    epochs = None if is_exact else 1
    model = al.train(Counted, preset=preset, epochs=epochs, progress=False, sizes=[20])
    assert drawn
    drawn.clear()
    explained = al.explain(model)
    written = explained.to_python_source(), explained.to_markdown()
    said = "equal to the true rules on every pattern of concepts"
    assert all(said in text for text in written) == is_exact
    assert explained.is_right == is_exact
    assert bool(drawn) != is_exact


def test_a_machine_that_is_nearly_full_stops_work_in_a_line(run, monkeypatch, folder):
    """By default, what is free counts."""
    told = folder / "meminfo"
    told.write_text("MemTotal: 2000000 kB\nMemAvailable: 100000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", told)
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    monkeypatch.setattr(memory, "SECONDS_BETWEEN_LOOKS", 0.0)
    status, out, err = run("execute", "ticking", "grid:9")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "running ticking by algorithm has grown to" in err
    assert "only 102.4 MB are left free: give a smaller graph" in err
