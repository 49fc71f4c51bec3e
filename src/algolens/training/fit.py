"""Training: several seeds as one batched ensemble, selected on validation."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from algolens.certification import provable, prove
from algolens.data import DataSets
from algolens.evaluation import Scores, free_run, score
from algolens.models import Architecture, Network
from algolens.training.objective import Objective
from algolens.training.schedule import Schedule
from algolens.training.selection import FACTS as OF_SELECTION
from algolens.training.selection import Selection
from algolens.training.step import Step

# under the names of the protocol's facts; the rest is the schedule's, and the step's
FACTS = {**OF_SELECTION, "batches": "in a new order every epoch"}


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch."""

    epoch: int  # from 1 on
    losses: Mapping[str, list[float]]  # by name, for each seed
    validation: list[Scores] | None  # for each seed; None where this epoch was not validated
    unproven: list[int] | None  # for each seed, the cases that a proof found wrong; None where there is no proof to try
    seconds: float  # since training began


class Fit:
    """A training: iterate over it for its epochs, then take the selected network.

    Where a proof can be tried, training goes on from what it finds wrong. What is selected: ``Selection``.
    """

    def __init__(
        self, sets: DataSets, architecture: Architecture, schedule: Schedule, seeds: tuple[int, ...], device: torch.device
    ) -> None:
        self.schedule, self.device = schedule, device
        self.network = Network(sets.train.algorithm, architecture, seeds).to(device)
        self.lessons = self.network.perceiver.lessons(sets.train, device)
        self.validation = sets.validation.to(device)
        self.objective = Objective(
            sets.train,
            schedule.concept_weights,
            schedule.l1,
            device,
            schedule.hint_weights,
            balanced_concepts=schedule.balanced_concepts,
            balanced_outputs=schedule.balanced_outputs,
            smoothing=schedule.smoothing,
        )
        self.step = Step(self.network, self.objective, self.lessons, schedule)
        self.selection = Selection(self.network)
        self.epoch, self.seconds = 0, 0.0  # so far
        self.right = 0  # validations in a row, up to now, that were right in everything
        self._unproven = [0] * len(seeds)
        self._alone = [self.network.only(place) for place in range(len(seeds))]

    def __iter__(self) -> Iterator[Epoch]:
        gc.freeze()  # all objects made so far stay: Python's collector need not scan them again
        try:
            yield from self._epochs()
        finally:
            gc.unfreeze()

    def _epochs(self) -> Iterator[Epoch]:
        started = time.perf_counter() - self.seconds
        while not self.finished:
            epoch = self.epoch + 1
            self.step.begin(self.schedule.rate(epoch))
            for batch in self._batches(epoch):
                self.step(batch)
            if epoch == self.schedule.prune_epoch:
                self.step.prune()
                self.selection.restart()
            due = epoch % self.schedule.validate_every == 0 or epoch == self.schedule.epochs
            unproven = self.examine() if due else None
            # while a proof finds something wrong, validation cannot change what is selected
            worth = not any(unproven or ()) or epoch == self.schedule.epochs
            scores = self._validate(epoch) if due and worth else None
            if scores is not None:
                all_right = all(each.graphs_right == 1 for each in scores) and not any(unproven or ())
                self.right = self.right + 1 if all_right else 0
            self.epoch, self.seconds = epoch, time.perf_counter() - started
            yield Epoch(epoch, self.step.losses(), scores, unproven, self.seconds)

    @property
    def finished(self) -> bool:
        """Whether there is no epoch left to train."""
        return self.epoch >= self.schedule.epochs or 0 < self.schedule.enough <= self.right

    def result(self) -> Network:
        """The network with the selected weights of every seed."""
        return Network.joined(self.network.algorithm, self.network.architecture, self.network.seeds, self.selection.weights)

    def _batches(self, epoch: int) -> list[list[int]]:
        """The training graphs in a new order, which depends on the epoch alone: a seed sees the same batches in any company."""
        order = torch.randperm(len(self.lessons.lengths), generator=torch.Generator().manual_seed(epoch)).tolist()
        size = self.schedule.batch_size
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        return [sorted(batch, key=lambda graph: -self.lessons.lengths[graph]) for batch in batches]

    def examine(self) -> list[int] | None:
        """For each seed, the cases that a proof finds wrong, from which training goes on; None where there is no proof."""
        self.lessons.restore(self.network)
        for place, alone in enumerate(self._alone):
            alone.load_state_dict(self.network.seed_weights(place))
        if not provable(self.network):
            return None
        found = [prove(alone) for alone in self._alone]
        self.lessons.revise(
            self.network,
            [{each.part: each.wrong if each.check.failures else () for each in findings} for findings in found],
        )
        self._unproven = [sum(finding.check.failures for finding in findings) for findings in found]
        return self._unproven

    def _validate(self, epoch: int) -> list[Scores]:
        scores = []
        for place, alone in enumerate(self._alone):
            found = score(free_run(alone, self.validation), self.validation)
            scores.append(found)
            self.selection.consider(place, epoch, found.selection(), self._unproven[place], alone.state_dict())
        return scores
