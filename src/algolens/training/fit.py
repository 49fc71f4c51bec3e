"""Training: several seeds as one batched ensemble, selected on validation."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean

import torch
from torch import Tensor

from algolens.certification import provable, prove
from algolens.data import DataSets
from algolens.evaluation import Scores, free_run, score
from algolens.models import Architecture, Network
from algolens.models.layers import finish_backward
from algolens.models.network import place_of, seed_weights
from algolens.models.perceiver import Lessons
from algolens.training.objective import Objective

# of what selection goes by: cases that a proof found wrong, negative; of how many validations the mean is; the mean accuracy
WORST = (-math.inf, 0, -math.inf)
STEADY = 5  # validations in a row: a single one may be luck
# how it is trained, under the names of the protocol's facts; the rest is the schedule's
FACTS = {
    "optimiser": "Adam",
    "batches": "in a new order every epoch",
    "selection": f"highest mean of the accuracies of {STEADY} validations in a row",
}
BY_PROOF = {"selection": f"fewest cases that a proof finds wrong, then {FACTS['selection']}"}  # where a proof can be tried


@dataclass(frozen=True)
class Schedule:
    """How a network is trained."""

    epochs: int = 500
    batch_size: int = 32
    learning_rate: float = 1e-3  # of Adam
    beta2: float = 0.999  # of Adam: how slowly it forgets how large gradients were
    clip: float = 0.0  # the largest norm of a seed's gradient, to which longer ones are shortened (Pascanu et al. 2013); 0: any
    weight_decay: float = 0.0  # what a step takes of every weight, times the learning rate (Loshchilov and Hutter 2019)
    decay: float = 0.0  # the last part of the epochs, as a share, in which the learning rate falls to zero (half a cosine)
    balanced_concepts: bool = True  # a concept's positives count more in the loss where they are rare
    balanced_outputs: bool = True  # an output's classes likewise
    smoothing: float = 0.0  # of labels (Szegedy et al. 2016): the share of every target that goes to all classes alike
    concept_weights: Mapping[str, float] = field(default_factory=dict)  # of concepts in the loss, 1 where not named
    hint_weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # of the classes of hints, likewise
    l1: float = 0.0  # weight of the L1 norm of the concept decoders' first layers
    prune_epoch: int | None = None  # after it, concepts of small weights are taken away; only later epochs can be selected
    validate_every: int = 1  # epochs between two validations
    enough: int = 0  # so many validations in a row, right in everything for every seed, end the training; 0: train all epochs

    def with_epochs(self, epochs: int) -> Schedule:
        """The same with so many epochs; the pruning epoch moves along."""
        prune = self.prune_epoch and max(1, self.prune_epoch * epochs // self.epochs)
        return replace(self, epochs=epochs, prune_epoch=prune)

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch (from 1 on)."""
        falling = self.decay * self.epochs
        done = (epoch - 1 - (self.epochs - falling)) / falling if falling else 0.0
        return self.learning_rate * (1 + math.cos(math.pi * max(done, 0.0))) / 2


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

    A model is selected by the highest mean of the validation accuracies (mean-step, last-step, termination, concepts) in free
    running, over five validations up to it; of equals, and until there are five, the latest. Where a proof can be tried, fewer
    wrong cases count before accuracy, and training then goes on from what was wrong. (The paper's rule, the lowest summed
    validation loss, picks early and useless epochs: while a network in free running gets more steps right, the loss of the few
    it gets wrong grows.)
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
        self.step = _Step(self.network, self.objective, self.lessons, schedule)
        self.selected = [seed_weights(self.network, place) for place in range(len(seeds))]
        self.selected_epoch = [0] * len(seeds)
        self.best = [WORST] * len(seeds)
        self.recent: list[list[float]] = [[] for _ in seeds]  # the accuracies of the last validations
        self.epoch, self.seconds = 0, 0.0  # so far
        self.right = 0  # validations in a row, up to now, that were right in everything
        self._unproven = [0] * len(seeds)
        self._alone = [self.network.only(place) for place in range(len(seeds))]

    def __iter__(self) -> Iterator[Epoch]:
        gc.freeze()  # what is there by now is there to stay: Python need not look through it again and again
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
                self.best, self.recent = [WORST] * len(self.best), [[] for _ in self.best]
            due = epoch % self.schedule.validate_every == 0 or epoch == self.schedule.epochs
            unproven = self.examine() if due else None
            # while a proof finds something wrong, nothing is to be gained from validation
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
        chosen = Network(self.network.algorithm, self.network.architecture, self.network.seeds)
        chosen.load_state_dict(joined_weights(self.selected))
        return chosen.to(self.device)

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
            alone.load_state_dict(seed_weights(self.network, place))
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
            self.recent[place] = [*self.recent[place], found.selection()][-STEADY:]
            merit = -self._unproven[place], len(self.recent[place]), fmean(self.recent[place])
            if merit >= self.best[place]:
                self.best[place], self.selected_epoch[place] = merit, epoch
                self.selected[place] = {name: value.clone() for name, value in alone.state_dict().items()}
        return scores


class _Step:
    """One step of Adam on a batch. On a GPU the whole step is recorded once for each shape, and replayed."""

    def __init__(self, network: Network, objective: Objective, lessons: Lessons, schedule: Schedule) -> None:
        self.network, self.objective, self.lessons = network, objective, lessons
        self.device = network.device
        self.recorded = self.device.type == "cuda" and lessons.can_record
        self.rate = torch.zeros((), device=self.device)  # a tensor, so that a recording reads the rate of the day
        self.adam = torch.optim.AdamW(
            network.parameters(),
            self.rate,
            betas=(0.9, schedule.beta2),
            weight_decay=schedule.weight_decay,
            fused=True,
            capturable=self.recorded,
        )
        self.parameters = list(network.parameters())
        self.clip, self.places = schedule.clip, [place_of(name) for name, _ in network.named_parameters()]
        self.totals: dict[str, Tensor] = {}
        self.count = 0
        self.graphs: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor]] = {}

    def begin(self, learning_rate: float) -> None:
        """Begins an epoch."""
        self.rate.fill_(learning_rate)
        for total in self.totals.values():
            total.zero_()
        self.count = 0

    def losses(self) -> dict[str, list[float]]:
        """The mean losses since then, for each seed."""
        return {name: (total / max(self.count, 1)).tolist() for name, total in self.totals.items()}

    def prune(self) -> None:
        """Prunes the concept decoders."""
        for decoder in self.network.decoders.values():
            decoder.prune()

    def __call__(self, batch: list[int]) -> None:
        lengths = [self.lessons.lengths[graph] for graph in batch]
        graphs = torch.tensor(batch, device=self.device)
        self.count += 1
        if self.recorded:
            self._replay(graphs, lengths)
        else:
            self._take(graphs, lengths, always=False)

    def _take(self, graphs: Tensor, lengths: list[int], *, always: bool) -> None:
        losses = self.objective(self.network, self.lessons.teach(self.network, graphs, lengths, always=always))
        for parameter in self.parameters:
            parameter.grad = None
        torch.stack(list(losses.values())).sum().backward()
        if self.device.type == "cuda":
            finish_backward(self.network)
        if self.clip:
            self._shorten()
        self.adam.step()
        for decoder in self.network.decoders.values():
            decoder.hold()
        for name, loss in losses.items():
            self.totals.setdefault(name, torch.zeros_like(loss.detach())).add_(loss.detach())

    def _shorten(self) -> None:
        """Shortens each seed's gradient to the largest norm that it may have."""
        grads = [(each.grad, place) for each, place in zip(self.parameters, self.places, strict=True) if each.grad is not None]
        squares = torch.zeros(len(self.network.seeds), device=self.device)
        for grad, place in grads:
            if place is None:
                squares += grad.flatten(1).square().sum(1)
            else:
                squares[place] += grad.square().sum()
        share = (self.clip / squares.sqrt()).clamp(max=1)
        for grad, place in grads:
            grad.mul_(share.view(-1, *[1] * (grad.dim() - 1)) if place is None else share[place])

    def _replay(self, graphs: Tensor, lengths: list[int]) -> None:
        key = (len(lengths), max(lengths))
        if key not in self.graphs:
            self.graphs[key] = self._record(graphs, lengths)
        recording, chosen = self.graphs[key]
        chosen.copy_(graphs)
        recording.replay()

    def _record(self, graphs: Tensor, lengths: list[int]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """Records a step, after rehearsals whose effect is undone."""
        chosen = graphs.clone()
        before = self._snapshot()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self._take(chosen, lengths, always=True)
        torch.cuda.current_stream().wait_stream(aside)
        recording = torch.cuda.CUDAGraph()
        self.adam.zero_grad(set_to_none=True)
        with torch.cuda.graph(recording):
            self._take(chosen, lengths, always=True)
        self._restore(before)
        return recording, chosen

    def _snapshot(self) -> tuple[list[Tensor], list[Tensor] | None, dict[str, Tensor]]:
        weights = [parameter.detach().clone() for parameter in self.parameters]
        moments = [value.clone() for state in self.adam.state.values() for value in state.values()] or None
        return weights, moments, {name: total.clone() for name, total in self.totals.items()}

    def _restore(self, before: tuple[list[Tensor], list[Tensor] | None, dict[str, Tensor]]) -> None:
        weights, moments, totals = before
        with torch.no_grad():
            for parameter, value in zip(self.parameters, weights, strict=True):
                parameter.copy_(value)
            now = [value for state in self.adam.state.values() for value in state.values()]
            for value, old in zip(now, moments or [torch.zeros_like(value) for value in now], strict=True):
                value.copy_(old)
            for name, total in self.totals.items():
                total.copy_(totals[name]) if name in totals else total.zero_()


def joined_weights(seeds: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The weights of several seeds, each named as in a network alone, as one network's."""
    result: dict[str, Tensor] = {}
    for name in seeds[0]:
        convolution, _, rest = name.partition("convolutions.0.")
        if rest:
            result |= {f"{convolution}convolutions.{place}.{rest}": weights[name] for place, weights in enumerate(seeds)}
        else:
            result[name] = torch.cat([weights[name] for weights in seeds])
    return result
