"""Work in several processes: every word arrives, no more at once than asked for, and a failure does
not stop the others.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from algolens.errors import AlgoLensError
from algolens.processes import Ended, Processes
from tests.workers import come_and_go, count, fail_or_count, wait


def test_every_word_arrives_in_its_order():
    heard: dict[str, list[Any]] = {}
    for name, word in Processes(2).messages({"a": (0,), "b": (10,), "c": (20,)}, count):
        heard.setdefault(name, []).append(word)
    assert {name: words[:-1] for name, words in heard.items()} == {
        "a": [0, 1, 2],
        "b": [10, 11, 12],
        "c": [20, 21, 22],
    }
    assert all(isinstance(words[-1], Ended) for words in heard.values())


def test_no_more_at_once_than_asked_for(tmp_path):
    words = Processes(2).messages({str(i): (tmp_path,) for i in range(4)}, come_and_go)
    assert max(word for _, word in words if isinstance(word, int)) <= 2


@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("refuse", AlgoLensError, "Did you mean 'paper'"),
        ("break", RuntimeError, "KeyError: 'a fault'"),
        (
            "die",
            AlgoLensError,
            "the process of failing was ended from outside .status -9.*fewer --jobs",
        ),
    ],
)
def test_a_failure_is_told_once_the_others_are_done(way, kind, said):
    heard: list[Any] = []
    with pytest.raises(kind, match=said):
        heard.extend(Processes(2).messages({"failing": (way,), "other": ("count",)}, fail_or_count))
    assert heard[:-1] == [("other", 0), ("other", 1), ("other", 2)]


def test_who_stops_listening_ends_all_work():
    words = Processes(2).messages({"a": (), "b": ()}, wait)
    assert next(words)[1] == "waiting"
    words.close()
    assert multiprocessing.active_children() == []


PARENT = """
from algolens.processes import Processes
from tests.workers import say_who_and_wait
if __name__ == "__main__":
    for _, who in Processes(2).messages({"a": (), "b": ()}, say_who_and_wait):
        print(who, flush=True)
"""
COMMAND = """
import algolens.__main__, algolens.cli.app as app, sys
from algolens.processes import Processes
from tests.workers import say_who_and_wait
def work():
    for _, who in Processes(2).messages({"a": (), "b": ()}, say_who_and_wait):
        print(who, flush=True)
if __name__ == "__main__":
    app.app.registered_commands[0].callback = app.with_shared_options(work)
    sys.argv = ["algolens", "list"]
    algolens.__main__.run_command()
"""
FUZZ = """
import os, time
from benchmarks.fuzz.gate import Gate
from benchmarks.fuzz.running import run
class Waiting(Gate):
    name, share = "waiting", 1
    def draw(self, draw):
        return ""
    def enter(self, given, folder):
        os.write(1, f"{os.getpid()}\\n".encode())
        time.sleep(60)
run([Waiting()], 2, seed=1, jobs=2, seconds=60)
"""


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("source", [PARENT, COMMAND, FUZZ], ids=["processes", "command", "fuzz"])
def test_all_processes_are_gone_soon_after_the_first(way, source, tmp_path):
    (tmp_path / "parent.py").write_text(source)
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "parent.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [ROOT / "src", ROOT]))},
    )
    assert parent.stdout is not None
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.send_signal(way)
    began = time.monotonic()
    # a command waits for its children
    while (any(map(_lives, children)) or parent.poll() is None) and time.monotonic() - began < 20:
        time.sleep(0.02)
    took = time.monotonic() - began
    _, said = parent.communicate(timeout=20)
    assert took < 5  # on a machine that has much else to do; a second where it has not
    assert "BrokenPipe" not in said
    if source is COMMAND and way == signal.SIGTERM:
        assert (parent.returncode, said) == (130, "Interrupted.\n")


ROOT = Path(__file__).parents[1]


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
