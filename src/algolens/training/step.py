"""One step of the optimiser: on a CPU as it is, on a GPU recorded and replayed."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from algolens.models import Network
from algolens.models.layers import finish_backward
from algolens.models.perceiver import Lessons
from algolens.models.seeds import place_of
from algolens.training.objective import Objective
from algolens.training.schedule import COUNT_ON, Schedule


def facts(schedule: Schedule) -> dict[str, str]:
    """Under the names of the protocol's facts: AdamW (Loshchilov and Hutter 2019), which without
    weight decay is Adam.
    """
    return {"optimiser": "AdamW" if schedule.weight_decay else "Adam"}


class Step:
    """One step of AdamW on a batch; without weight decay it is Adam's.

    On a GPU the whole step is recorded once for each shape, and replayed.
    """

    def __init__(
        self, network: Network, objective: Objective, lessons: Lessons, schedule: Schedule
    ) -> None:
        self.network, self.objective, self.lessons = network, objective, lessons
        self.device = network.device
        self.recorded = self.device.type == "cuda" and lessons.can_record
        # a tensor, so that a recorded CUDA graph reads the current rate
        self.rate = torch.zeros((), device=self.device)
        self.adam = torch.optim.AdamW(
            network.parameters(),
            self.rate,
            betas=(0.9, schedule.beta2),
            weight_decay=schedule.weight_decay,
            fused=True,
            capturable=self.recorded,
        )
        self.parameters = list(network.parameters())
        # every step of every graph of a batch counts
        self.whole = schedule.ended_graphs == COUNT_ON
        self.clip, self.places = (
            schedule.clip,
            [place_of(name) for name, _ in network.named_parameters()],
        )
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
            self._take(graphs, lengths, always=self.whole)

    def _take(self, graphs: Tensor, lengths: list[int], *, always: bool) -> None:
        taught = self.lessons.teach(self.network, graphs, lengths, always=always)
        if self.whole:
            taught = replace(taught, weight=None, hint_weight=None, goes_on_weight=None)
        losses = self.objective(self.network, taught)
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
        grads = [
            (each.grad, place)
            for each, place in zip(self.parameters, self.places, strict=True)
            if each.grad is not None
        ]
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
        moments = [
            value.clone() for state in self.adam.state.values() for value in state.values()
        ] or None
        return weights, moments, {name: total.clone() for name, total in self.totals.items()}

    def _restore(self, before: tuple[list[Tensor], list[Tensor] | None, dict[str, Tensor]]) -> None:
        weights, moments, totals = before
        with torch.no_grad():
            for parameter, value in zip(self.parameters, weights, strict=True):
                parameter.copy_(value)
            now = [value for state in self.adam.state.values() for value in state.values()]
            for value, old in zip(
                now, moments or [torch.zeros_like(value) for value in now], strict=True
            ):
                value.copy_(old)
            for name, total in self.totals.items():
                total.copy_(totals[name]) if name in totals else total.zero_()
