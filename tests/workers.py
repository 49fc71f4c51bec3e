"""Work for processes of their own. This file imports no PyTorch, so that they start at once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from algolens.errors import UnknownNameError
from algolens.processes import Say


def count(start: int, say: Say) -> None:
    for number in range(start, start + 3):
        say(number)


def come_and_go(folder: Path, say: Say) -> None:
    mine = folder / str(os.getpid())
    mine.touch()
    time.sleep(1)  # so that all that were begun together are there together
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


def die_once(folder: Path, say: Say) -> None:
    """Says three numbers; the first time, its process is killed after the second."""
    mark = folder / "died"
    say((0, str(folder)))
    say((1, str(folder)))
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    say((2, str(folder)))


def wait(say: Say) -> None:
    say("waiting")
    time.sleep(600)


def say_who_and_wait(say: Say) -> None:
    """Says which process it is, and goes on for long."""
    say(os.getpid())
    while True:
        time.sleep(0.01)
