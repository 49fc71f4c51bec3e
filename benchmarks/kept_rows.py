"""Rows of a table that are measured side by side and kept in a file, so that a table can be gone on
with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

Row = dict[str, Any]
Task = tuple[Any, ...]  # what a row is told apart by, and what it is measured with


def kept_rows(
    tasks: Sequence[Task], measure: Callable[..., Row], *, jobs: int, keep: Path | None
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
    """
    text = keep.read_text(encoding="utf-8") if keep is not None and keep.exists() else ""
    known = {tuple(task): row for task, row in map(json.loads, text.splitlines())}
    left = []
    for task in tasks:
        if task in known:
            yield task, known[task]
        else:
            left.append(task)
    for task, row in _measured(left, measure, jobs):
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps([task, row]) + "\n")
        yield task, row


def _measured(
    tasks: Sequence[Task], measure: Callable[..., Row], jobs: int
) -> Iterator[tuple[Task, Row]]:
    if jobs == 1 or len(tasks) < 2:
        torch.set_num_threads(1)
        yield from ((task, measure(*task)) for task in tasks)
        return
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        futures = {pool.submit(measure, *task): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()
