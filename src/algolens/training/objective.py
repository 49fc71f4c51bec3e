"""What training minimises, after the paper's losses; one step on it; and what a teacher is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from algolens.engines import Run
from algolens.language.fields import MASK, Field
from algolens.memory import check_growth
from algolens.models import Network
from algolens.models.perceiver import Taught
from algolens.models.weights import place_of
from algolens.training.schedule import BEYOND_NODES, MEAN, SHARED, TAKEN, Schedule


class Objective:
    """The losses on concepts, outputs, hints and going on, by name, for each seed: [S].

    Training minimises their sum. Rare classes count more where they are to be balanced: a concept's
    positives by negatives / positives, an output's classes by total / (classes x count), as counted
    on the training set. Each sum is divided by the elements and steps it ran over. Smoothing takes
    a share of every target and gives it to all classes alike; but not of what is decided from
    concepts: a decoder need not be sure either then, and L1 would take its rare concepts.
    """

    def __init__(self, train: Run, schedule: Schedule, device: torch.device) -> None:
        declaration = train.algorithm.declaration
        self.declaration, self.schedule = declaration, schedule
        share = _share_of_rows(train, schedule.counted_steps)
        patterns = train.patterns()
        check_growth(8 * patterns.numel())
        seen = torch.cat([patterns, train.resting[None]]).float()  # [T + 1, N, C]
        positives = (seen * share[:, :, None]).sum((0, 1))
        balance = (share.sum() - positives) / positives.clamp(min=1)
        self.positive = balance.to(device) if schedule.balanced_concepts else None
        self.concept = torch.tensor(
            [schedule.concept_weights.get(name, 1.0) for name in declaration.concepts],
            device=device,
        )
        self.hints = {
            name: torch.tensor(
                [classes[label] for label in declaration.predicted[name].classes], device=device
            )
            for name, classes in schedule.hint_weights.items()
        }
        self.classes: dict[str, Tensor | None] = dict.fromkeys(declaration.decided)
        for name, kind in declaration.decided.items():
            if kind.num_scores > 1 and schedule.balanced_outputs:
                given = torch.cat([train.outputs[name].dense(), train.final(name)[None]])
                count = torch.bincount(
                    given.flatten(), share.flatten(), minlength=kind.num_scores
                ).float()
                self.classes[name] = (count.sum() / (len(count) * count.clamp(min=1))).to(device)

    def __call__(self, network: Network, taught: Taught) -> dict[str, Tensor]:
        """The losses of what a network gave on true traces."""
        losses: dict[str, Tensor] = {}
        smoothing = self.schedule.smoothing
        if network.architecture.bottleneck:
            losses["concepts"] = self._on_concepts(taught, network.learnt)
        weight = taught.weight.get(self.declaration.location)
        losses |= self.on_outputs(network, taught.scores, taught.outputs, weight)
        for name, (scores, truth) in taught.hints.items():
            field = self.declaration.predicted[name]
            hint = _losses(field, scores, truth, self.hints.get(name), smoothing)
            losses[name] = _mean(hint, taught.weight.get(field.at))
        if taught.goes_on is not None:
            going_on = _losses(MASK, *taught.goes_on, None, smoothing)
            losses["termination"] = _mean(going_on, taught.weight.get("graph"))
        return losses | self.on_weights(network)

    def on_outputs(
        self,
        network: Network,
        scores: Mapping[str, Tensor],
        outputs: Mapping[str, Tensor],
        weight: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """The losses of outputs, each [M], by their scores, each [S, M, ...]."""
        losses = {}
        smoothing = 0.0 if network.architecture.bottleneck else self.schedule.smoothing
        for name, kind in network.outputs.items():
            loss = _losses(kind, scores[name], outputs[name], self.classes[name], smoothing)
            share = kind.num_scores if self.schedule.output_loss == SHARED else 1
            losses[name] = _mean(loss, weight) / share
        return losses

    def on_weights(self, network: Network) -> dict[str, Tensor]:
        """The L1 norm of the concept decoders' first layers, where it counts."""
        if not self.schedule.l1 or not network.decoders:
            return {}
        norms = [decoder.l1() for decoder in network.decoders.values()]
        return {"l1": self.schedule.l1 * torch.stack(norms).sum(0)}

    def _on_concepts(self, taught: Taught, learnt: Tensor) -> Tensor:
        weight = self.concept * learnt
        if self.positive is not None:
            weight = weight * torch.where(taught.concepts > 0, self.positive, 1.0)
        smoothing = self.schedule.smoothing
        losses = _losses(MASK, taught.head, taught.concepts, None, smoothing) * weight
        of_element = losses.mean(-1) if self.schedule.concept_loss == MEAN else losses.sum(-1)
        return _mean(of_element, taught.weight.get(self.declaration.location))


def _share_of_rows(train: Run, counted: str) -> Tensor:
    """[T + 1, N] how often each row counts: an element at a step, and last after the end."""
    graph, lengths = train.graph, train.lengths
    steps = lengths
    if counted != TAKEN:
        most = (graph.node_counts + (counted == BEYOND_NODES)).clamp(min=0)
        steps = most.maximum(lengths)
    rests = torch.cat([train.is_alive.float(), (steps - lengths)[None].float()])
    return rests[:, graph.owner(train.algorithm.declaration.location)]


def _losses(
    field: Field, scores: Tensor, truth: Tensor, weight: Tensor | None, smoothing: float
) -> Tensor:
    """[S, ...] the loss of every value, not averaged."""
    return field.loss(scores, truth.expand(len(scores), *truth.shape), weight, smoothing)


def _mean(losses: Tensor, weight: Tensor | None = None) -> Tensor:
    """[S] the mean of [S, N], weighted by [N] or [S, N]."""
    return losses.mean(1) if weight is None else (losses * weight).sum(1) / weight.sum(-1)


def facts(schedule: Schedule) -> dict[str, str]:
    """The optimiser, under the name of the protocol's fact."""
    # AdamW (Loshchilov and Hutter 2019) without weight decay is Adam
    return {"optimiser": "AdamW" if schedule.weight_decay else "Adam"}


class Step:
    """One step of AdamW on the losses of a batch; without weight decay it is Adam's.

    capturable: whether a GPU may record the step.
    """

    def __init__(self, network: Network, schedule: Schedule, *, capturable: bool = False) -> None:
        self.network, self.clip = network, schedule.clip
        # a tensor, so that a recorded CUDA graph reads the current rate
        self.rate = torch.zeros((), device=network.device)
        self.parameters = list(network.parameters())
        self.adam = torch.optim.AdamW(
            self.parameters,
            self.rate,
            betas=(0.9, schedule.beta2),
            weight_decay=schedule.weight_decay,
            fused=True,
            capturable=capturable,
        )
        self.places = [place_of(name) for name, _ in network.named_parameters()]
        self.totals: dict[str, Tensor] = {}
        self.count = 0

    def begin(self, learning_rate: float) -> None:
        """Begin an epoch."""
        self.rate.fill_(learning_rate)
        for total in self.totals.values():
            total.zero_()
        self.count = 0

    def losses(self) -> dict[str, list[float]]:
        """The mean losses since then, for each seed."""
        return {name: (total / max(self.count, 1)).tolist() for name, total in self.totals.items()}

    def __call__(self, losses: Mapping[str, Tensor]) -> None:
        """Move every weight against the gradient of the summed losses."""
        self.adam.zero_grad(set_to_none=True)
        torch.stack(list(losses.values())).sum().backward()
        if self.clip:
            self._shorten()
        self.adam.step()
        for decoder in self.network.decoders.values():
            decoder.hold()
        for name, loss in losses.items():
            self.totals.setdefault(name, torch.zeros_like(loss.detach())).add_(loss.detach())
        self.count += 1

    def changing(self) -> Iterator[Tensor]:
        """Every tensor that a step changes, as far as it exists yet."""
        yield from self.parameters
        for moments in self.adam.state.values():
            yield from moments.values()
        yield from self.totals.values()

    def _shorten(self) -> None:
        """Shorten each seed's gradient to the largest norm that it may have."""
        grads = [
            (parameter.grad, place)
            for parameter, place in zip(self.parameters, self.places, strict=True)
            if parameter.grad is not None
        ]
        squares = torch.zeros(len(self.network.seeds), device=self.rate.device)
        for grad, place in grads:
            if place is None:
                squares += grad.flatten(1).square().sum(1)
            else:
                squares[place] += grad.square().sum()
        share = (self.clip / squares.sqrt()).clamp(max=1)
        for grad, place in grads:
            grad.mul_(share.view(-1, *[1] * (grad.dim() - 1)) if place is None else share[place])


class Teacher(ABC):
    """What takes a network through an epoch of training: by true traces, or by stars."""

    step: Step

    @abstractmethod
    def epoch(self, number: int) -> None:
        """Teach one epoch, from 1 on."""

    def restore(self) -> None:
        """Put back what a proof has settled; unless overridden, nothing is."""
        return

    def examine(self, seeds: Sequence[Network]) -> list[int] | None:
        """For each seed, the cases that a proof finds wrong; None where no proof can be tried."""
        return None

    def state(self) -> dict[str, Tensor]:
        """What it needs to go on after an interruption; unless overridden, nothing."""
        return {}

    def resume(self, state: Mapping[str, Tensor]) -> None:
        """Go on from such a state."""
        return
