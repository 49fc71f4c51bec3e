"""Training: several seeds as one batched ensemble, selected on validation."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from algolens.data import DataSets
from algolens.evaluation import Scores, free_runs, score
from algolens.models import Architecture, Network
from algolens.models.exact import Exact
from algolens.training.kept_memory import kept_memory
from algolens.training.objective import Objective, Teacher
from algolens.training.schedule import BY_LAST_STEP, BY_LOSSES, Schedule, Selection
from algolens.training.stars import StarTeacher
from algolens.training.traces import TraceTeacher

# where the losses of validation select, its accuracies are only shown: after so many epochs, and
# the last
WATCHED = 20


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch.

    Attributes
    ----------
    epoch
        From 1 on.
    losses
        By name, for each seed.
    validation
        For each seed; None where this epoch was not validated.
    unproven
        For each seed, the cases that a proof found wrong; None where there is no proof to try.
    seconds
        Since training began.
    """

    epoch: int
    losses: Mapping[str, list[float]]
    validation: list[Scores] | None
    unproven: list[int] | None
    seconds: float


class Fit:
    """A training: iterate over it for its epochs, then take the selected network.

    Where a proof can be tried, training goes on from what it finds wrong. What is selected:
    ``Selection``.

    Parameters
    ----------
    sets
        Training graphs with their traces, and those of validation.
    architecture
        What the network is made of.
    schedule
        How it is trained.
    seeds
        They train side by side; each sees the same batches.
    device
        Where it is trained.

    Raises
    ------
    ContractError
        The architecture cannot learn the algorithm.
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
        self.validation = sets.validation.to(device)
        objective = Objective(sets.train, schedule, device)
        self.teacher: Teacher = (
            StarTeacher(self.network, objective, schedule)
            if isinstance(self.network.perceiver, Exact)
            else TraceTeacher(self.network, sets.train, objective, schedule)
        )
        self.selection = Selection(self.network, schedule.selection)
        self._on_validation = None
        if schedule.selection == BY_LOSSES:
            # the losses of validation weigh classes as rare as they are there
            self._on_validation = (
                Objective(sets.validation, schedule, device),
                self.network.perceiver.lessons(sets.validation, device),
            )
        self.epoch, self.seconds = 0, 0.0  # so far
        self.right = 0  # validations in a row, up to now, that were right in everything
        self._unproven = [0] * len(seeds)
        self._alone = [self.network.only(place) for place in range(len(seeds))]

    def __iter__(self) -> Iterator[Epoch]:
        gc.freeze()  # all objects made so far stay: Python's collector need not scan them again
        try:
            with kept_memory():
                yield from self._epochs()
        finally:
            gc.unfreeze()

    def _epochs(self) -> Iterator[Epoch]:
        started = time.perf_counter() - self.seconds
        step = self.teacher.step
        while not self.finished:
            epoch = self.epoch + 1
            step.begin(self.schedule.rate(epoch))
            self.teacher.epoch(epoch)
            if epoch == self.schedule.prune_epoch:
                for decoder in self.network.decoders.values():
                    decoder.prune()
                self.selection.restart()
            is_last = epoch == self.schedule.epochs
            is_due = is_last or epoch % self.schedule.validate_every == 0
            unproven = self.examine() if is_due else None
            is_proven = not any(unproven or ())
            # while a proof finds something wrong, validation cannot change what is selected
            scores = self._validate(epoch) if is_due and (is_proven or is_last) else None
            if scores is not None:
                all_right = is_proven and all(seed.graphs_right == 1 for seed in scores)
                self.right = self.right + 1 if all_right else 0
            self.epoch, self.seconds = epoch, time.perf_counter() - started
            yield Epoch(epoch, step.losses(), scores, unproven, self.seconds)

    @property
    def finished(self) -> bool:
        """Whether there is no epoch left to train."""
        return self.epoch >= self.schedule.epochs or 0 < self.schedule.enough <= self.right

    def result(self) -> Network:
        """The network with the selected weights of every seed."""
        network = self.network
        return Network.joined(
            network.algorithm, network.architecture, network.seeds, self.selection.weights
        )

    def examine(self) -> list[int] | None:
        """For each seed, the cases that a proof finds wrong; None where no proof can be tried."""
        self.teacher.restore()
        for place, alone in enumerate(self._alone):
            alone.load_state_dict(self.network.seed_weights(place))
        unproven = self.teacher.examine(self._alone)
        if unproven is not None:
            self._unproven = unproven
        return unproven

    def _validate(self, epoch: int) -> list[Scores] | None:
        """Take up a validation; its scores, where they were computed."""
        scores, merits = None, self._merits_by_losses()
        if merits is None or epoch % WATCHED == 0 or epoch == self.schedule.epochs:
            truth = self.validation
            scores = [score(run, truth) for run in free_runs(self.network, truth)]
        if merits is None:
            assert scores is not None
            by_last = self.schedule.selection == BY_LAST_STEP
            merits = [seed.last_step if by_last else seed.selection() for seed in scores]
        for place, (alone, merit) in enumerate(zip(self._alone, merits, strict=True)):
            self.selection.consider(place, epoch, merit, self._unproven[place], alone.state_dict())
        return scores

    @torch.no_grad()
    def _merits_by_losses(self) -> list[float] | None:
        """Each seed's summed losses in free running, negative; None where they do not select."""
        if self._on_validation is None:
            return None
        objective, lessons = self._on_validation
        losses = objective(self.network, lessons.run_free(self.network))
        return (-torch.stack(list(losses.values())).sum(0)).tolist()
