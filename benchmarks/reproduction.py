"""How long the full reproduction takes on this machine: a few epochs of every run, and all that
comes after its training.

It takes half an hour itself, so `make bench` leaves it out: python -m benchmarks.reproduction
"""

from __future__ import annotations

import heapq
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from algolens.experiment.model import claim
from algolens.experiment.train import train_into
from algolens.processes import Ended, Processes, Say, cores
from algolens.records import Experiment
from algolens.reproduction.plan import complete, make_plan
from algolens.training import Epoch

EPOCHS = 4  # the last of them with a validation
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Cost:
    """What one run takes, in seconds on one core."""

    epoch: float
    validation: float
    rest: float  # rules, tests and study
    epochs: int
    validations: int

    @property
    def total(self) -> float:
        return self.epoch * self.epochs + self.validation * self.validations + self.rest


def main(console: Console) -> None:
    """Prints what each run takes, and all of them."""
    runs = {f"{run.algorithm}-{run.preset}": run for run in make_plan([]).runs}
    jobs = cores()
    costs: dict[str, Cost] = {}
    with console.status("measuring"):
        work = {name: (run,) for name, run in runs.items()}
        for name, word in Processes(jobs).messages(work, _measure):
            if not isinstance(word, Ended):
                costs[name] = word
                console.print(f"{name}: {word.total / 3600:.2f} hours", style="dim")
    table = Table(
        title="The full protocol, five seeds of each, one core for each: seconds",
        title_justify="left",
    )
    for column in (
        "run",
        "an epoch",
        "epochs",
        "a validation",
        "validations",
        "rules, tests, study",
        "hours",
    ):
        table.add_column(column, justify="right" if column != "run" else "left")
    for name, cost in costs.items():
        numbers = (
            f"{cost.epoch:.2f}",
            f"{cost.epochs}",
            f"{cost.validation:.2f}",
            f"{cost.validations}",
            f"{cost.rest:.0f}",
        )
        table.add_row(name, *numbers, f"{cost.total / 3600:.2f}")
    console.print(table)
    console.print(
        f"All of them: {sum(each.total for each in costs.values()) / 3600:.1f} hours on one core, "
        f"{_at_once([costs[name].total for name in runs], jobs) / 3600:.1f} hours with {jobs} at "
        f"once. An epoch is the mean of the first {EPOCHS - 1}, which are slower than later ones; "
        "exact networks are trained to their end.",
        style="dim",
    )


def _measure(run: Experiment, say: Say) -> None:
    schedule = run.schedule
    if schedule.enough:  # it ends by itself, and soon
        shown = run
    else:
        shorter = replace(
            schedule, epochs=EPOCHS, validate_every=EPOCHS, prune_epoch=schedule.prune_epoch and 1
        )
        shown = replace(run, schedule=shorter)
    run.data()  # made once on a machine
    epochs: list[Epoch] = []
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        with claim(Path(folder) / "runs" / "run") as place:
            trained = train_into(place, shown, CPU, "", epochs.append)
        complete(Path(folder), CPU)
    rest = time.perf_counter() - started - trained.about["training_seconds"]
    if schedule.enough:
        say(Cost(epochs[-1].seconds / len(epochs), 0.0, rest, len(epochs), 0))
        return
    plain = epochs[-2].seconds / (len(epochs) - 1)
    last = max(epochs[-1].seconds - epochs[-2].seconds - plain, 0.0)
    say(
        Cost(
            plain,
            last,
            rest,
            schedule.epochs,
            schedule.epochs // schedule.validate_every,
        )
    )


def _at_once(totals: list[float], jobs: int) -> float:
    """When the last of them ends, if each begins as soon as a core is free."""
    free = [0.0] * jobs
    for total in totals:
        heapq.heapreplace(free, free[0] + total)
    return max(free)


if __name__ == "__main__":
    main(Console(width=140))
