"""Training on the paper's sets: AlgoLens against plain PyTorch Geometric, and against the authors'
code, on one core.

``python -m benchmarks.training --gpu`` times five seeds together on a GPU alone, within 3 minutes;
with ``--without recording``, ``at-once`` or ``values`` without what makes it faster.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, pairwise

import torch
from rich.console import Console
from rich.table import Table

from algolens.algorithms import algorithm
from algolens.data import DataSets, fixed
from algolens.evaluation import score_network
from algolens.experiment.config import preset
from algolens.models import Architecture
from algolens.models.recurrent import MessagePassing
from algolens.training import Fit, Schedule
from algolens.training.fit import TraceTeacher
from benchmarks.plain_network import PlainTraining

# seconds an epoch on one core of a 2-core machine, as measured on the authors' code (torch 2.13)
AUTHORS = {"bfs": 1.99, "coloring": 3.64}
# epochs after which BFS errs no more, and coloring in every other step of a graph
LATER = {"bfs": 15, "coloring": 60}
TIMED = 3  # epochs, of which the fastest counts
SEEDS = 5  # that train as one ensemble
# on a GPU: whether an epoch is validated, epochs that warm up (which record each shape of a batch),
# epochs that are timed, and the size of a test that is timed
ON_GPU = (
    ("coloring", False, 3, 3, None),
    ("bfs", True, 3, 3, None),
    ("kruskal_union_find", False, 2, 2, 100),
)


def main(console: Console) -> None:
    """Prints the table of ratios."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    table = Table(
        title="Training on one core: CPU seconds an epoch and a seed", title_justify="left"
    )
    columns = (
        "algorithm",
        "graphs",
        "seeds",
        "epoch",
        "AlgoLens",
        "plain PyG",
        "plain / AlgoLens",
        "authors' / AlgoLens",
    )
    for column in columns:
        table.add_column(column, justify="right" if column != "algorithm" else "left")
    for name in AUTHORS:
        sets, schedule = fixed(algorithm(name)), _schedule(name)
        plain = _plain(sets, schedule)
        for seeds in (1, SEEDS):
            for epoch, ours in _ours(sets, schedule, LATER[name], seeds).items():
                table.add_row(
                    name,
                    f"{sets.train.graph.num_graphs:,}",
                    str(seeds),
                    epoch,
                    f"{ours:.3f}",
                    f"{plain:.2f}",
                    f"{plain / ours:.1f}",
                    f"{AUTHORS[name] / ours:.1f}",
                )
    torch.set_num_threads(threads)
    console.print(table)
    console.print(
        "AlgoLens looks a second time only at graphs in which the network erred (some seed of "
        "those that train together), so that\nepochs get faster as it learns. Several seeds: "
        "their epoch, divided by their number.\nEach figure but the 2nd epoch's is the fastest "
        f"of {TIMED}.\nauthors': 1.99 and 3.64 s an epoch, measured once on one core of another "
        "2-core machine.\n",
        style="dim",
    )


def on_gpu(console: Console, without: str = "") -> None:
    """Prints seconds an epoch of five seeds together, and how the first losses compare."""
    device = torch.device("cuda")
    console.print(f"{SEEDS} seeds together on {torch.cuda.get_device_name()}, seconds an epoch:")
    for name, validated, warm_up, timed, size in ON_GPU:
        sets, schedule = fixed(algorithm(name)), _schedule(name)
        if validated:
            schedule = replace(schedule, validate_every=1)
        chosen = preset("paper", algorithm(name)).architecture
        fit = Fit(sets, chosen, schedule, tuple(range(SEEDS)), device)
        assert isinstance(fit.teacher, TraceTeacher)
        fit.teacher.recorded &= without != "recording"
        fit.teacher.at_once &= without != "at-once"
        for part in fit.network.modules():
            if isinstance(part, MessagePassing):
                part.by_values = without != "values"
        seconds = _epochs(fit, warm_up + timed, time.perf_counter)
        with_validation = ", with a validation after each" if validated else ""
        recorded = ", recorded" if fit.teacher.recorded else ""
        console.print(
            f"{name}{with_validation}{recorded}: {min(seconds[warm_up:]):.3f} "
            f"(the first took {seconds[0]:.1f})"
        )
        if size is not None:
            truth, started = sets.tests[size], time.perf_counter()
            score_network(fit.network, {size: truth})
            console.print(
                f"{name}, a test on {truth.graph.num_graphs} graphs of {size} nodes: "
                f"{time.perf_counter() - started:.1f} s"
            )


def _schedule(name: str) -> Schedule:
    """The paper's, without validation: only training is timed."""
    schedule = preset("paper", algorithm(name)).schedule
    return replace(schedule, validate_every=schedule.epochs + 1)


def _ours(sets: DataSets, schedule: Schedule, later: int, seeds: int) -> dict[str, float]:
    """Seconds an epoch and a seed, by when: early, and after so many epochs."""
    fit = Fit(sets, Architecture(), schedule, tuple(range(seeds)), torch.device("cpu"))
    seconds = [each / seeds for each in _epochs(fit, later + TIMED, time.process_time)]
    return {"2nd": seconds[1], f"after {later}": min(seconds[-TIMED:])}


def _plain(sets: DataSets, schedule: Schedule) -> float:
    """Seconds an epoch in plain PyTorch Geometric, after a warm-up; they do not depend on what it
    has learnt.
    """
    training = PlainTraining(sets.train, schedule, seed=0)
    losses, seconds = [training.epoch()], []
    for _ in range(TIMED):
        started = time.process_time()
        losses.append(training.epoch())
        seconds.append(time.process_time() - started)
    assert losses[-1] < losses[0], f"the yardstick does not learn: its losses are {losses}"
    return min(seconds)


def _epochs(fit: Fit, count: int, clock: Callable[[], float]) -> list[float]:
    """Seconds that each of the first epochs takes."""
    finished = [clock(), *(clock() for _ in islice(fit, count))]
    return [after - before for before, after in pairwise(finished)]


if __name__ == "__main__":
    if "--gpu" in sys.argv:
        on_gpu(Console(width=140), sys.argv[-1] if "--without" in sys.argv else "")
    else:
        main(Console(width=140))
