"""Commands in processes of their own, which can be disturbed from within."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from algolens.cli.app import main as algolens_main

TOUCHING = {
    *("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.listdir"),
    "os.scandir",
}


@dataclass(frozen=True)
class Child:
    """A command that was begun."""

    process: int
    said: int  # a pipe, with what it says

    def ended(self) -> tuple[int, str]:
        """Waits for its end: the status, negative where a signal ended it, and what it said."""
        with os.fdopen(self.said, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1]), said


def begun(words: list[str], place: Path, before: Callable[[], None] = lambda: None) -> Child:
    """Begins a command in a folder, in a forked process, where all is loaded; before: done there
    first.
    """
    here, there = os.pipe()
    process = os.fork()
    if process:
        os.close(there)
        return Child(process, here)
    status = 3
    try:
        os.setsid()
        os.close(here)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(there, 2)
        os.close(there)
        sys.stdout, sys.stderr = open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
        os.chdir(place)
        sys.argv = ["algolens", *words]
        for drawn in ("comparison_pictures",):  # of pictures, some are enough
            mock.patch(f"algolens.reproduction.report.{drawn}", return_value=()).start()
        # no time passes in training: what is written of it would be the same only by chance
        stopped = SimpleNamespace(perf_counter=lambda: 0.0)
        mock.patch("algolens.training.fit.time", stopped).start()
        before()
        algolens_main()
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(status)


def kill_at(number: int, place: Path, told: Callable[[], None] | None = None) -> None:
    """From now on, kills this process when it is about to touch the folder for the n-th time."""
    left = number

    def touched() -> None:
        nonlocal left
        left -= 1
        if told is not None:
            told()
        elif left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event in TOUCHING and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
            path = Path(os.fsdecode(arguments[0]))
            if not path.is_absolute() or place in path.parents:
                touched()

    sys.addaudithook(heard)
    _before(os, "fsync", touched)  # which no hook hears of


def _before(module: object, name: str, act: Callable[[], None]) -> None:
    real = getattr(module, name)

    def wrapped(*given: object, **named: object) -> object:
        act()
        return real(*given, **named)

    mock.patch.object(module, name, wrapped).start()


def fill_at(most: int) -> None:
    """From now on, no file grows over so many bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
