"""What training minimises, under teacher forcing: losses after the paper's."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from algolens.execution import Run
from algolens.fields import Category, Kind, Mask
from algolens.models import Network
from algolens.models.perceiver import Taught

# what is minimised, under the names of the protocol's facts
FACTS = {"concept_loss": "their sum", "output_loss": "its cross-entropy", "ended_graphs": "count no more"}


class Objective:
    """The losses on concepts, outputs, hints and going on, by name, for each seed: [S]; training minimises their sum.

    Rare classes count more where they are to be balanced: a concept's positives by negatives / positives, an output's classes
    by total / (classes x count), as counted on the training set. Each sum is divided by the elements and steps it ran over; a
    graph that has ended contributes nothing. Smoothing takes a share of every target and gives it to all classes alike;
    but not of what is decided from concepts: a decoder need not be sure either then, and L1 would take its rare concepts.
    """

    def __init__(
        self,
        train: Run,
        concept_weights: Mapping[str, float],
        l1: float,
        device: torch.device,
        hint_weights: Mapping[str, Mapping[str, float]] | None = None,
        *,
        balanced_concepts: bool = True,
        balanced_outputs: bool = True,
        smoothing: float = 0.0,
    ) -> None:
        declaration = train.algorithm.declaration
        self.declaration, self.l1, self.smoothing = declaration, l1, smoothing
        alive = train.is_alive[:, train.graph.owner(declaration.location)]
        seen = train.concepts[alive].float()
        positives = seen.sum(0)
        self.positive = ((len(seen) - positives) / positives.clamp(min=1)).to(device) if balanced_concepts else None
        self.concept = torch.tensor([concept_weights.get(name, 1.0) for name in declaration.concepts], device=device)
        self.hints = {
            name: torch.tensor([classes[label] for label in declaration.predicted[name].kind.labels], device=device)
            for name, classes in (hint_weights or {}).items()
        }
        self.classes: dict[str, Tensor | None] = dict.fromkeys(declaration.decided)
        for name, kind in declaration.decided.items():
            if isinstance(kind, Category) and balanced_outputs:
                count = torch.bincount(train.outputs[name][alive], minlength=len(kind.labels)).float()
                self.classes[name] = (count.sum() / (len(count) * count.clamp(min=1))).to(device)

    def __call__(self, network: Network, taught: Taught) -> dict[str, Tensor]:
        """The losses of what a network gave when it was taught."""
        losses: dict[str, Tensor] = {}
        bottleneck, smoothing = network.architecture.bottleneck, self.smoothing
        if bottleneck and taught.head is not None and taught.concepts is not None:
            losses["concepts"] = self._on_concepts(taught.head, taught.concepts, taught.weight, network.learnt)
        of_output = 0.0 if bottleneck else smoothing
        for name, kind in network.outputs.items():
            each = _each(kind, taught.scores[name], taught.outputs[name], self.classes[name], of_output)
            losses[name] = _mean(each, taught.weight)
        for name, (scores, truth) in taught.hints.items():
            kind = self.declaration.predicted[name].kind
            losses[name] = _mean(_each(kind, scores, truth, self.hints.get(name), smoothing), taught.hint_weight)
        if taught.goes_on is not None:
            losses["termination"] = _mean(_each(Mask(), *taught.goes_on, None, smoothing), taught.goes_on_weight)
        losses |= taught.others
        if self.l1 and bottleneck:
            losses["l1"] = self.l1 * torch.stack([decoder.l1() for decoder in network.decoders.values()]).sum(0)
        return losses

    def _on_concepts(self, head: Tensor, concepts: Tensor, weight_of_rows: Tensor | None, learnt: Tensor) -> Tensor:
        weight = self.concept * learnt
        if self.positive is not None:
            weight = weight * torch.where(concepts > 0, self.positive, 1.0)
        each = _each(Mask(), head, concepts, None, self.smoothing)
        return _mean((each * weight).sum(-1), weight_of_rows)


def _each(kind: Kind, scores: Tensor, truth: Tensor, weight: Tensor | None, smoothing: float) -> Tensor:
    """[S, ...] the loss of every value, not averaged."""
    return kind.loss(scores, truth.expand(len(scores), *truth.shape), weight, smoothing)


def _mean(each: Tensor, weight: Tensor | None = None) -> Tensor:
    """[S] the mean of [S, N], weighted."""
    return each.mean(1) if weight is None else (each * weight).sum(1) / weight.sum()
