"""A search that was stopped goes on from what it had settled, however it was stopped."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import algolens as al
from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.partial import PartialFile
from algolens.errors import AlgoLensError

COMMAND = [sys.executable, "-m", "algolens", "discover", "dijkstra", "--nodes", "2", "--runs", "8"]


def test_a_stopped_search_goes_on(tmp_path):
    path, lines = tmp_path / "part.json", []
    options = {"runs": 8, "nodes": 2, "seed": 4, "partial": path}

    def interrupted(line):
        lines.append(line)
        if sum("settled" in line for line in lines) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        al.discover("dijkstra", progress=interrupted, **options)
    record = json.loads(path.read_text())
    assert record["settled"]
    assert record["unsettled"]
    lines.clear()
    found = al.discover("dijkstra", progress=lines.append, **options)
    assert any("going on from" in line for line in lines)
    assert found.discovery.known.error is None
    assert not path.exists()
    whole = al.discover("dijkstra", runs=8, nodes=2, seed=4)
    assert found.declaration.look == whole.declaration.look
    assert found.declaration.rules == whole.declaration.rules
    assert found.declaration.moves == whole.declaration.moves


def test_what_was_settled_of_other_fields_is_not_gone_on_from(tmp_path):
    path = tmp_path / "part.json"
    ours = PartialFile(path, AlgorithmTeacher(algorithm("bfs")).schema, 0)
    script = ours.read()
    ours.write(script, ["visited"])
    assert not PartialFile(path, AlgorithmTeacher(algorithm("k_core")).schema, 0).read().decisions
    path.write_text("{")
    with pytest.raises(AlgoLensError, match="is no JSON"):
        ours.read()


def test_a_killed_command_goes_on(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    part = tmp_path / "discovered_dijkstra_partial.json"
    first = subprocess.Popen(
        COMMAND, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while first.poll() is None and not part.exists():
            time.sleep(0.01)
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    was_there = part.exists()
    again = subprocess.run(COMMAND, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert ("going on from" in again.stderr) == was_there
    assert (tmp_path / "discovered_dijkstra.py").exists()
    assert not part.exists()
