"""Training: several seeds as one batched ensemble, by true traces or by stars, selected on
validation.
"""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from algolens.data import DataSets
from algolens.engines import Run
from algolens.evaluation import Scores, run_and_score
from algolens.models import Architecture, Network
from algolens.models.exact import Exact
from algolens.models.layers import gradients_at_once
from algolens.training.objective import Objective, Step, Teacher
from algolens.training.schedule import (
    BY_LAST_STEP,
    BY_LOSSES,
    COUNT_ON,
    IN_ORDER,
    Schedule,
    Selection,
)
from algolens.training.stars import StarTeacher

# settings of glibc's mallopt
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4
NEVER = -1  # of TRIM_THRESHOLD
LARGEST = 32 * 2**20  # of MMAP_THRESHOLD; glibc's own threshold grows up to it
USUAL_MAPS = 65_536  # of MMAP_MAX


@contextmanager
def kept_memory() -> Iterator[None]:
    """Freed memory is not given back meanwhile, for fetching it anew takes long: an epoch of
    coloring with five seeds takes 4.4 s in place of 5.5 on one core.

    Only glibc (Linux) is asked; elsewhere this does nothing. What it changes stays changed, in
    part, so both are only to be compared in processes of their own.
    """
    try:
        library = ctypes.CDLL("libc.so.6")
        change, give_back = library.mallopt, library.malloc_trim
    except (AttributeError, OSError):
        yield
        return
    change(MMAP_MAX, 0)
    change(TRIM_THRESHOLD, NEVER)
    try:
        yield
    finally:
        change(MMAP_MAX, USUAL_MAPS)
        change(MMAP_THRESHOLD, LARGEST)
        change(TRIM_THRESHOLD, 2 * LARGEST)
        give_back(0)


class TraceTeacher(Teacher):
    """Leads a network through the true traces of a training set, batch after batch.

    On a GPU a whole step is recorded once for each shape of a batch, and replayed: an epoch of
    Kruskal's algorithm takes 0.9 s in place of 7.3 on an H200 (``python -m benchmarks.training
    --gpu``, and with ``--without recording``).
    """

    def __init__(
        self, network: Network, train: Run, objective: Objective, schedule: Schedule
    ) -> None:
        self.network, self.objective, self.schedule = network, objective, schedule
        self.lessons = network.perceiver.lessons(train, network.device)
        self.counts_on = schedule.ended_graphs == COUNT_ON and self.lessons.can_count_on
        self.at_once = network.device.type == "cuda"
        self.recorded = self.at_once and self.lessons.can_record
        self.step = Step(network, schedule, capturable=self.recorded)
        # by the size and the longest trace of a batch: the recording, and which graphs it reads
        self._recordings: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor]] = {}
        # they share memory, since none leaves anything there that another reads
        self._pool = torch.cuda.graph_pool_handle() if self.recorded else None

    def epoch(self, number: int) -> None:
        """Teach every training graph once."""
        for batch in self.batches(number):
            self.teach(batch)

    def batches(self, epoch: int) -> list[list[int]]:
        """The training graphs, in an order that depends on the epoch alone."""
        lengths, size = self.lessons.lengths, self.schedule.batch_size
        order = list(range(len(lengths)))
        if self.schedule.batches != IN_ORDER:
            generator = torch.Generator().manual_seed(epoch)
            order = torch.randperm(len(lengths), generator=generator).tolist()
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        return [sorted(batch, key=lambda graph: -lengths[graph]) for batch in batches]

    def teach(self, batch: list[int]) -> None:
        """Take one step on some graphs, the longest first."""
        lengths = [self.lessons.lengths[graph] for graph in batch]
        graphs = torch.tensor(batch, device=self.network.device)
        if not self.recorded:
            self._take(graphs, lengths, always=self.counts_on)
            return
        key = (len(lengths), max(lengths))
        if key not in self._recordings:
            self._recordings[key] = self._record(graphs, lengths)
        recording, chosen = self._recordings[key]
        chosen.copy_(graphs)
        recording.replay()
        self.step.count += 1

    def _take(self, graphs: Tensor, lengths: list[int], *, always: bool) -> None:
        with gradients_at_once(self.network) if self.at_once else nullcontext():
            taught = self.lessons.teach(self.network, graphs, lengths, always=always)
            if self.counts_on:
                taught = replace(taught, weight={})
            losses = self.objective(self.network, taught)
        self.step(losses)

    def _record(self, graphs: Tensor, lengths: list[int]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """Record a step, after rehearsals whose effect is undone."""
        chosen, count = graphs.clone(), self.step.count
        before = {tensor: tensor.detach().clone() for tensor in self.step.changing()}
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self._take(chosen, lengths, always=True)
        torch.cuda.current_stream().wait_stream(aside)
        recording = torch.cuda.CUDAGraph()
        self.step.adam.zero_grad(set_to_none=True)
        with torch.cuda.graph(recording, self._pool):
            self._take(chosen, lengths, always=True)
        with torch.no_grad():
            for tensor in self.step.changing():
                if tensor in before:
                    tensor.copy_(before[tensor])
                else:
                    tensor.zero_()
        self.step.count = count
        return recording, chosen


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
            scores = run_and_score(self.network, self.validation)
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
