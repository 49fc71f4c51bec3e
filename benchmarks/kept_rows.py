"""Rows of a table that are measured side by side and kept in a file, so that a table can be gone on
with.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import torch

Row = dict[str, Any]
Task = tuple[Any, ...]  # what a row is told apart by, and what it is measured with


def kept_rows(
    tasks: Sequence[Task],
    measure: Callable[..., Row],
    *,
    jobs: int,
    keep: Path | None,
    minutes: float | None = None,
) -> Iterator[tuple[Task, Row]]:
    """Rows as they are done: first those that the file has, then the others, which it gets.

    Parameters
    ----------
    tasks : sequence of tuple
        Each is measured by ``measure(*task)``, a function of a module.
    measure : callable
        Gives what JSON can hold.
    jobs : int
        As many processes measure at once.
    keep : Path, optional
        A file with a line for each row.
    minutes : float, optional
        By the clock, after which it ends without the rows that are still being measured.
    """
    until = None if minutes is None else time.monotonic() + 60 * minutes
    text = keep.read_text(encoding="utf-8") if keep is not None and keep.exists() else ""
    known = {tuple(task): row for task, row in map(json.loads, text.splitlines())}
    left = []
    for task in tasks:
        if task in known:
            yield task, known[task]
        else:
            left.append(task)
    for task, row in _measured(left, measure, jobs, until):
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps([task, row]) + "\n")
        yield task, row


def _measured(
    tasks: Sequence[Task], measure: Callable[..., Row], jobs: int, until: float | None
) -> Iterator[tuple[Task, Row]]:
    if jobs == 1:
        torch.set_num_threads(1)
        for task in tasks:
            if until is None or time.monotonic() < until:
                yield task, measure(*task)
        return
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        futures = {pool.submit(measure, *task): task for task in tasks}
        left = None if until is None else max(0.0, until - time.monotonic())
        try:
            for future in as_completed(futures, left):
                yield futures[future], future.result()
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in active_children():
                child.terminate()
