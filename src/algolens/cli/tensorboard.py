"""A training as TensorBoard reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from algolens.errors import AlgoLensError
from algolens.training import Epoch


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
