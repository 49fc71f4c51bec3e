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
from algolens.training.schedule import BY_LAST_STEP, BY_LOSSES, IN_ORDER, Schedule, Selection
from algolens.training.step import Step

# where the losses of validation select, its accuracies are only shown: after so many epochs, and
# the last
WATCHED = 20


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch."""

    epoch: int  # from 1 on
    losses: Mapping[str, list[float]]  # by name, for each seed
    validation: list[Scores] | None  # for each seed; None where this epoch was not validated
    # for each seed, the cases that a proof found wrong; None where there is no proof to try
    unproven: list[int] | None
    seconds: float  # since training began


class Fit:
    """A training: iterate over it for its epochs, then take the selected network.

    Where a proof can be tried, training goes on from what it finds wrong. What is selected:
    ``Selection``.
    """

    def __init__(
        self,
        sets: DataSets,
        architecture: Architecture,
        schedule: Schedule,
        seeds: tuple[int, ...],
        device: torch.device,
    ) -> None:
        self.schedule, self.device = schedule, device
        self.network = Network(sets.train.algorithm, architecture, seeds).to(device)
        self.lessons = self.network.perceiver.lessons(sets.train, device)
        self.validation = sets.validation.to(device)
        self.objective = Objective(sets.train, schedule, device)
        self.step = Step(self.network, self.objective, self.lessons, schedule)
        self.selection = Selection(self.network, schedule.selection)
        # the losses of validation weigh classes as rare as they are there
        self.on_validation = (
            Objective(sets.validation, schedule, device)
            if schedule.selection == BY_LOSSES
            else None
        )
        self.examples = (
            self.network.perceiver.lessons(sets.validation, device) if self.on_validation else None
        )
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
                all_right = all(each.graphs_right == 1 for each in scores) and not any(
                    unproven or ()
                )
                self.right = self.right + 1 if all_right else 0
            self.epoch, self.seconds = epoch, time.perf_counter() - started
            yield Epoch(epoch, self.step.losses(), scores, unproven, self.seconds)

    @property
    def finished(self) -> bool:
        """Whether there is no epoch left to train."""
        return self.epoch >= self.schedule.epochs or 0 < self.schedule.enough <= self.right

    def result(self) -> Network:
        """The network with the selected weights of every seed."""
        return Network.joined(
            self.network.algorithm,
            self.network.architecture,
            self.network.seeds,
            self.selection.weights,
        )

    def _batches(self, epoch: int) -> list[list[int]]:
        """The training graphs; a new order depends on the epoch alone, so that a seed sees the same
        batches in any company.
        """
        count, size = len(self.lessons.lengths), self.schedule.batch_size
        order = torch.randperm(count, generator=torch.Generator().manual_seed(epoch)).tolist()
        if self.schedule.batches == IN_ORDER:
            order = list(range(count))
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        return [sorted(batch, key=lambda graph: -self.lessons.lengths[graph]) for batch in batches]

    def examine(self) -> list[int] | None:
        """For each seed, the cases that a proof finds wrong, from which training goes on; None
        where there is no proof.
        """
        self.lessons.restore(self.network)
        for place, alone in enumerate(self._alone):
            alone.load_state_dict(self.network.seed_weights(place))
        if not provable(self.network):
            return None
        found = [prove(alone) for alone in self._alone]
        self.lessons.revise(
            self.network,
            [
                {each.part: each.wrong if each.check.failures else () for each in findings}
                for findings in found
            ],
        )
        self._unproven = [sum(finding.check.failures for finding in findings) for findings in found]
        return self._unproven

    def _validate(self, epoch: int) -> list[Scores] | None:
        """Takes up a validation; its scores, where they were computed."""
        scores, values = None, self._merits_by_losses()
        if values is None or epoch % WATCHED == 0 or epoch == self.schedule.epochs:
            scores = [
                score(free_run(alone, self.validation), self.validation) for alone in self._alone
            ]
        if values is None:
            assert scores is not None
            by_last = self.schedule.selection == BY_LAST_STEP
            values = [each.last_step if by_last else each.selection() for each in scores]
        for place, (alone, value) in enumerate(zip(self._alone, values, strict=True)):
            self.selection.consider(place, epoch, value, self._unproven[place], alone.state_dict())
        return scores

    @torch.no_grad()
    def _merits_by_losses(self) -> list[float] | None:
        """For each seed, its summed losses on validation in free running, negative; None where they
        do not select.
        """
        if self.on_validation is None or self.examples is None:
            return None
        losses = self.on_validation(self.network, self.examples.run_free(self.network))
        return (-torch.stack(list(losses.values())).sum(0)).tolist()
