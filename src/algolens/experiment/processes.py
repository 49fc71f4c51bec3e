"""Several pieces of work at once, each in a process of its own: one core trains one run, and a GPU has room for many."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.context import SpawnProcess
from typing import Any

import torch

from algolens.errors import AlgoLensError

Say = Callable[[Any], None]
PATIENCE = 1.0  # seconds without a word, after which it is looked whether all are alive


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ended:
    """The last word of a piece of work that is done."""


def at_once(work: Mapping[str, tuple[Any, ...]], do: Callable[..., None], jobs: int) -> Iterator[tuple[str, Any]]:
    """Does all the work, so many pieces at a time, and yields what each says, by its name; an ``Ended`` when it is done.

    work: what ``do`` takes before the function to say things with, by name. The first that fails ends the others.
    """
    context = multiprocessing.get_context("spawn")  # a forked process cannot use the GPU
    said = context.Queue()
    waiting, alive = list(work), dict[str, SpawnProcess]()
    try:
        while waiting or alive:
            while waiting and len(alive) < jobs:
                name = waiting.pop(0)
                alive[name] = context.Process(target=_work, args=(name, do, work[name], said), daemon=True)
                alive[name].start()
            try:
                name, word = said.get(timeout=PATIENCE)
            except queue.Empty:
                _check_alive(alive)
                continue
            if isinstance(word, Exception):
                raise word
            if isinstance(word, Ended):
                alive.pop(name).join()
            yield name, word
    finally:
        for process in alive.values():
            process.terminate()
        for process in alive.values():
            process.join()


def _check_alive(alive: Mapping[str, SpawnProcess]) -> None:
    for name, process in alive.items():
        if process.exitcode:  # one that ended well has had its last word, and it is on its way
            raise AlgoLensError(
                f"the process of {name} was ended from outside (status {process.exitcode}), perhaps for want of memory: give "
                "the command again, with fewer --jobs, and it goes on."
            )


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
