"""Several pieces of work at once, each in a process of its own: one core trains one run, and a GPU has room for many."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Mapping
from multiprocessing.context import SpawnProcess
from typing import Any

import torch

from algolens.errors import AlgoLensError

Say = Callable[[Any], None]
KILLED = (
    "the process of {} was ended from outside (status {}), perhaps for want of memory: give the command again, with fewer "
    "--jobs, and it goes on."
)
PATIENCE = 1.0  # seconds without a word, after which it is looked whether all are alive


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ended:
    """The last word of a piece of work that is done."""


def at_once(work: Mapping[str, tuple[Any, ...]], do: Callable[..., None], jobs: int) -> Generator[tuple[str, Any], None, None]:
    """Does all the work, so many pieces at a time, and yields what each says, by its name; an ``Ended`` when it is done.

    work: what ``do`` takes before the function to say things with, by name. Where one fails the others go on, for hours may
    be in them; the first failure is raised at the end.
    """
    context = multiprocessing.get_context("spawn")  # a forked process cannot use the GPU
    said = context.Queue()
    waiting, alive, failures = list(work), dict[str, SpawnProcess](), list[Exception]()
    try:
        while waiting or alive:
            while waiting and len(alive) < jobs:
                name = waiting.pop(0)
                alive[name] = context.Process(target=_work, args=(name, do, work[name], said), daemon=True)
                alive[name].start()
            try:
                name, word = said.get(timeout=PATIENCE)
            except queue.Empty:
                for name in _killed(alive):
                    failures.append(AlgoLensError(KILLED.format(name, alive.pop(name).exitcode)))
                continue
            if isinstance(word, Ended | Exception):
                alive.pop(name).join()
            if isinstance(word, Exception):
                failures.append(word)
            else:
                yield name, word
    finally:
        for process in alive.values():
            process.terminate()
        for process in alive.values():
            process.join()
    if failures:
        raise failures[0]


def _killed(alive: Mapping[str, SpawnProcess]) -> list[str]:
    """Those without a last word; one that ended well has had it, and it is on its way."""
    return [name for name, process in alive.items() if process.exitcode]


def _work(name: str, do: Callable[..., None], what: tuple[Any, ...], said: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the first process ends the others
    signal.signal(signal.SIGTERM, lambda *_: _leave(said))
    torch.set_num_threads(1)
    try:
        do(*what, lambda word: said.put((name, word)))
        said.put((name, Ended()))
    except AlgoLensError as problem:
        said.put((name, AlgoLensError(str(problem))))  # some kinds cannot be sent
    except Exception:  # a fault of ours: with the place where it happened
        said.put((name, RuntimeError(f"{name}:\n{traceback.format_exc()}")))


def _leave(said: Any) -> None:
    """Ends the process with an exception, so that nothing half-written stays; nobody hears it any more."""
    said.cancel_join_thread()
    sys.exit(1)
