"""What training minimises, under teacher forcing: losses after the paper's."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.execution import Run
from algolens.fields import Kind, Mask
from algolens.models import Network
from algolens.models.perceiver import Taught
from algolens.training.schedule import BEYOND_NODES, MEAN, SHARED, TAKEN, Schedule


class Objective:
    """The losses on concepts, outputs, hints and going on, by name, for each seed: [S]; training
    minimises their sum.

    Rare classes count more where they are to be balanced: a concept's positives by negatives /
    positives, an output's classes by total / (classes x count), as counted on the training set.
    Each sum is divided by the elements and steps it ran over. Smoothing takes a share of every
    target and gives it to all classes alike; but not of what is decided from concepts: a decoder
    need not be sure either then, and L1 would take its rare concepts.
    """

    def __init__(self, train: Run, schedule: Schedule, device: torch.device) -> None:
        declaration = train.algorithm.declaration
        self.declaration, self.schedule = declaration, schedule
        share = _share_of_rows(train, schedule.counted_steps)
        seen = torch.cat([train.concepts, train.resting[None]]).float()  # [T + 1, N, C]
        positives = (seen * share[:, :, None]).sum((0, 1))
        balance = (share.sum() - positives) / positives.clamp(min=1)
        self.positive = balance.to(device) if schedule.balanced_concepts else None
        self.concept = torch.tensor(
            [schedule.concept_weights.get(name, 1.0) for name in declaration.concepts],
            device=device,
        )
        self.hints = {
            name: torch.tensor(
                [classes[label] for label in declaration.predicted[name].kind.labels], device=device
            )
            for name, classes in schedule.hint_weights.items()
        }
        self.classes: dict[str, Tensor | None] = dict.fromkeys(declaration.decided)
        for name, kind in declaration.decided.items():
            if not kind.is_truth_value and schedule.balanced_outputs:
                given = torch.cat([train.outputs[name], train.final(name)[None]])
                count = torch.bincount(
                    given.flatten(), share.flatten(), minlength=len(kind.labels)
                ).float()
                self.classes[name] = (count.sum() / (len(count) * count.clamp(min=1))).to(device)

    def __call__(self, network: Network, taught: Taught) -> dict[str, Tensor]:
        """The losses of what a network gave when it was taught."""
        losses: dict[str, Tensor] = {}
        bottleneck, smoothing = network.architecture.bottleneck, self.schedule.smoothing
        if bottleneck and taught.head is not None and taught.concepts is not None:
            losses["concepts"] = self._on_concepts(
                taught.head, taught.concepts, taught.weight, network.learnt
            )
        of_output = 0.0 if bottleneck else smoothing
        for name, kind in network.outputs.items():
            each = _each(
                kind, taught.scores[name], taught.outputs[name], self.classes[name], of_output
            )
            losses[name] = _mean(each, taught.weight) / (
                kind.num_scores if self.schedule.output_loss == SHARED else 1
            )
        for name, (scores, truth) in taught.hints.items():
            kind = self.declaration.predicted[name].kind
            losses[name] = _mean(
                _each(kind, scores, truth, self.hints.get(name), smoothing), taught.hint_weight
            )
        if taught.goes_on is not None:
            losses["termination"] = _mean(
                _each(Mask(), *taught.goes_on, None, smoothing), taught.goes_on_weight
            )
        losses |= taught.others
        if self.schedule.l1 and bottleneck:
            losses["l1"] = self.schedule.l1 * torch.stack(
                [decoder.l1() for decoder in network.decoders.values()]
            ).sum(0)
        return losses

    def _on_concepts(
        self, head: Tensor, concepts: Tensor, weight_of_rows: Tensor | None, learnt: Tensor
    ) -> Tensor:
        weight = self.concept * learnt
        if self.positive is not None:
            weight = weight * torch.where(concepts > 0, self.positive, 1.0)
        each = _each(Mask(), head, concepts, None, self.schedule.smoothing) * weight
        return _mean(
            each.mean(-1) if self.schedule.concept_loss == MEAN else each.sum(-1), weight_of_rows
        )


def _share_of_rows(train: Run, counted: str) -> Tensor:
    """[T + 1, N] how often each row is counted: an element at a step, and last an element as it
    rests after the end.
    """
    graph, lengths = train.graph, train.lengths
    steps = (
        lengths
        if counted == TAKEN
        else (graph.node_counts + (counted == BEYOND_NODES)).clamp(min=0).maximum(lengths)
    )
    rests = torch.cat([train.is_alive.float(), (steps - lengths)[None].float()])
    return rests[:, graph.owner(train.algorithm.declaration.location)]


def _each(
    kind: Kind, scores: Tensor, truth: Tensor, weight: Tensor | None, smoothing: float
) -> Tensor:
    """[S, ...] the loss of every value, not averaged."""
    return kind.loss(scores, truth.expand(len(scores), *truth.shape), weight, smoothing)


def _mean(each: Tensor, weight: Tensor | None = None) -> Tensor:
    """[S] the mean of [S, N], weighted by [N] or [S, N]."""
    return each.mean(1) if weight is None else (each * weight).sum(1) / weight.sum(-1)
