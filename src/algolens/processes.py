"""Several pieces of work at once, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Mapping
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from algolens.errors import AlgoLensError, plain_warnings

Say = Callable[[Any], None]
KILLED = (
    "the process of {} was ended from outside (status {}), perhaps for want of memory: give "
    "the command again, with fewer --jobs, and it goes on."
)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ended:
    """The last message of a piece of work that is done."""


def at_once(
    work: Mapping[str, tuple[Any, ...]], do: Callable[..., None], jobs: int
) -> Generator[tuple[str, Any], None, None]:
    """Does all the work, ``jobs`` pieces at a time, and yields (name, message) as they come.

    The last message of a piece is an ``Ended``. work: by name, what ``do`` takes before the
    function to send messages with. Where one fails the others go on, for hours may be in them; the
    first failure is raised at the end.
    """
    context = multiprocessing.get_context("spawn")  # a forked process cannot use the GPU
    waiting, failures = list(work), list[Exception]()
    alive: dict[Connection, tuple[str, SpawnProcess]] = {}
    try:
        while waiting or alive:
            while waiting and len(alive) < jobs:
                name = waiting.pop(0)
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(
                    target=_work, args=(name, do, work[name], sender), daemon=True
                )
                process.start()
                sender.close()  # the process has its own now: when that ends, the receiver sees it
                alive[receiver] = name, process
            wait(list(alive))
            for receiver in [receiver for receiver in alive if receiver.poll()]:
                name, process = alive[receiver]
                message = _received(receiver, name, process)
                if isinstance(message, Ended | Exception):
                    del alive[receiver]
                    process.join()
                if isinstance(message, Exception):
                    failures.append(message)
                else:
                    yield name, message
    finally:
        for _, process in alive.values():
            process.terminate()
        for _, process in alive.values():
            process.join()
    if failures:
        raise failures[0]


def _received(receiver: Connection, name: str, process: SpawnProcess) -> Any:
    try:
        return receiver.recv()
    except EOFError:  # it ended without a last message
        process.join()
        return AlgoLensError(KILLED.format(name, process.exitcode))


def _work(name: str, do: Callable[..., None], what: tuple[Any, ...], sender: Connection) -> None:
    # Ctrl-C reaches all: the first process ends the others
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # an exception, so that nothing half-written stays
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # the processes share the cores; work that needs no PyTorch does not wait for it
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    plain_warnings()
    try:
        do(*what, sender.send)
        sender.send(Ended())
    except AlgoLensError as problem:
        sender.send(AlgoLensError(str(problem)))  # some kinds cannot be sent
    except Exception:  # a fault of ours: with the place where it happened
        sender.send(RuntimeError(f"{name}:\n{traceback.format_exc()}"))
