"""Progress of trainings: for each a bar with the time left, and under it the last losses and the last validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from algolens.cli.output import remarks

if TYPE_CHECKING:
    from algolens.training import Epoch


class Board:
    """Where trainings are shown while they go, one under the other; what has ended stays above."""

    def __init__(self) -> None:
        self.shown: list[_Training] = []
        self.live = Live(get_renderable=lambda: Group(*(each.drawn() for each in self.shown)), console=remarks, transient=True)

    def __enter__(self) -> Board:
        self.live.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.live.stop()

    @contextmanager
    def watch(self, title: str, epochs: int) -> Iterator[Callable[[Epoch], None]]:
        """Shows a training: what it gives is to be called after every epoch."""
        training = _Training(title, epochs)
        self.shown.append(training)
        try:
            yield training.advance
        finally:
            self.shown.remove(training)
            training.progress.stop_task(training.task)
            remarks.print(training.drawn())


class _Training:
    def __init__(self, title: str, epochs: int) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self.progress, self.losses, self.validation = Progress(*columns, console=remarks), "", ""
        self.task = self.progress.add_task(title, total=epochs)

    def advance(self, epoch: Epoch) -> None:
        self.losses = ", ".join(f"{name} {sum(values) / len(values):.2g}" for name, values in epoch.losses.items())
        if epoch.validation:
            right = sum(each.graphs_right for each in epoch.validation) / len(epoch.validation)
            accuracy = sum(each.selection() for each in epoch.validation) / len(epoch.validation)
            self.validation = f"validation: {100 * accuracy:.2f} % right, {100 * right:.1f} % of graphs entirely"
        self.progress.advance(self.task)

    def drawn(self) -> Group:
        lines = [f"loss: {self.losses}", self.validation] if self.losses else []
        return Group(self.progress, *(Text(line, style="dim") for line in lines if line))
