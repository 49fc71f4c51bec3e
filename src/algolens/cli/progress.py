"""Progress of long work: a bar on a terminal, plain lines in a log, events for TensorBoard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from algolens.cli.output import remarks
from algolens.errors import visible

if TYPE_CHECKING:
    from algolens.training import Epoch
from collections.abc import Sequence
from pathlib import Path

from algolens.errors import AlgoLensError
from algolens.training import Epoch

SECONDS_BETWEEN_LINES = 30.0  # in a log


class Board:
    """Where trainings are shown while they go, one under the other; what has ended stays above."""

    def __init__(self) -> None:
        self.shown: list[_Training] = []
        self.live = Live(
            get_renderable=lambda: Group(*(each.drawn() for each in self.shown)),
            console=remarks,
            transient=True,
        )

    def __enter__(self) -> Board:
        if remarks.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *problem: object) -> None:
        if remarks.is_terminal:
            self.live.stop()

    @contextmanager
    def watch(self, title: str, epochs: int) -> Iterator[Callable[[Epoch], None]]:
        """Shows a training: what it gives is to be called after every epoch."""
        training = _Training(title, epochs)
        self.shown.append(training)
        try:
            yield training.advance
            training.bar.finish()
        finally:
            self.shown.remove(training)
            training.bar.stop("; ".join(training.lines()))
            if remarks.is_terminal:
                remarks.print(training.drawn())


@contextmanager
def counting(title: str, total: int, what: str) -> Iterator[Callable[[], None]]:
    """Shows how many of some things are done: what it gives is to be called after each. what: such
    a thing, in one word.
    """
    bar = _Bar(title, total, what)
    try:
        with (
            Live(bar.progress, console=remarks, transient=True)
            if remarks.is_terminal
            else nullcontext()
        ):
            yield bar.advance
            bar.finish()
    finally:
        bar.stop()


class _Bar:
    """How far something is: a bar, or lines."""

    def __init__(self, title: str, total: int, what: str) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self.progress = Progress(*columns, TimeRemainingColumn(), console=remarks)
        self.title, self.total, self.what, self.done = visible(title), total, what, 0
        self.task = self.progress.add_task(self.title, total=total)
        self.began = monotonic()
        self.last_line = -SECONDS_BETWEEN_LINES
        self.is_finished = False

    def advance(self, more: str = "") -> None:
        """One more is done. more: what a line says besides."""
        self.done += 1
        self.progress.advance(self.task)
        elapsed = monotonic() - self.began
        if (
            not remarks.is_terminal
            and elapsed - self.last_line >= SECONDS_BETWEEN_LINES
            and self.done < self.total
        ):
            self.last_line = elapsed
            left = elapsed / self.done * (self.total - self.done)
            self._line(
                f"{self.what} {self.done} of {self.total}, {_clock(elapsed)}, at most "
                f"{_clock(left)} left",
                more,
            )

    def finish(self) -> None:
        """It ended well, though perhaps early: the bar is full then."""
        self.progress.update(self.task, total=self.done, completed=self.done)
        self.is_finished = True

    def stop(self, more: str = "") -> None:
        """It ended, well or not."""
        self.progress.stop_task(self.task)
        if not remarks.is_terminal:
            early = f" (of at most {self.total})" if self.done < self.total else ""
            verb = "done" if self.is_finished else "stopped"
            plural = "" if self.done == 1 else "s"
            self._line(
                f"{verb} after {self.done} {self.what}{plural}{early}, "
                f"{_clock(monotonic() - self.began)}",
                more,
            )

    def _line(self, line: str, more: str) -> None:
        remarks.print(Text(f"{self.title}: {line}{f'; {more}' if more else ''}"), soft_wrap=True)


class _Training:
    """A training's bar, the last losses and the last validation."""

    def __init__(self, title: str, epochs: int) -> None:
        self.bar, self.losses, self.validation = _Bar(title, epochs, "epoch"), "", ""

    def advance(self, epoch: Epoch) -> None:
        self.losses = ", ".join(
            f"{name} {sum(values) / len(values):.2g}" for name, values in epoch.losses.items()
        )
        if epoch.validation:
            right = sum(each.graphs_right for each in epoch.validation) / len(epoch.validation)
            accuracy = sum(each.selection() for each in epoch.validation) / len(epoch.validation)
            self.validation = (
                f"validation: {100 * accuracy:.2f} % right, {100 * right:.1f} % of graphs entirely"
            )
        self.bar.advance("; ".join(self.lines()))

    def lines(self) -> list[str]:
        return [
            line
            for line in (f"loss: {self.losses}" if self.losses else "", self.validation)
            if line
        ]

    def drawn(self) -> Group:
        return Group(self.bar.progress, *(Text(line, style="dim") for line in self.lines()))


def _clock(seconds: float) -> str:
    """Time as on a clock.

    >>> _clock(3725.4)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class EventWriter:
    """Writes losses, validations and what is not proven, a curve for each seed."""

    def __init__(self, folder: Path, seeds: Sequence[int]) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as problem:
            raise AlgoLensError(
                "--tensorboard: TensorBoard is not installed. Install it with `pip install "
                "'algolens[tensorboard]'`, or leave the option out: history.csv in the run's "
                "folder holds the same numbers."
            ) from problem
        self.writer, self.seeds = SummaryWriter(str(folder)), tuple(seeds)
        self.first, self.last_epoch, self.at_once = 0, 0, 0

    def beside(self, watch: Callable[[Epoch], None]) -> Callable[[Epoch], None]:
        """What is to be called after every epoch: it writes, and tells another who watches."""

        def both(epoch: Epoch) -> None:
            self.write(epoch)
            watch(epoch)

        return both

    def write(self, epoch: Epoch) -> None:
        """The numbers of an epoch."""
        if epoch.epoch <= self.last_epoch:  # many seeds are trained in groups, one after the other
            self.first += self.at_once
        curves = {f"loss/{name}": values for name, values in epoch.losses.items()}
        if epoch.validation:
            curves["validation/right"] = [each.selection() for each in epoch.validation]
            curves["validation/graphs right"] = [each.graphs_right for each in epoch.validation]
        if epoch.unproven is not None:
            curves["unproven cases"] = [float(count) for count in epoch.unproven]
        for name, values in curves.items():
            for seed, value in zip(self.seeds[self.first :], values, strict=False):
                self.writer.add_scalar(f"{name}/seed {seed}", value, epoch.epoch)
        self.last_epoch, self.at_once = epoch.epoch, len(next(iter(epoch.losses.values()), []))
        self.writer.flush()  # so that the curves can be seen while training goes on
