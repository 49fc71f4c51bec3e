"""What training minimises: the paper's losses, under teacher forcing."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.execution import Run
from algolens.fields import Category
from algolens.models import Network
from algolens.training.samples import Samples
from algolens.training.unrolled import Unrolled, unroll


class Objective:
    """The losses on concepts, outputs and going on, by name, for each seed: [S]; training minimises their sum.

    Rare classes count more: a concept's positives by negatives / positives, an output's classes by total / (classes x count),
    as counted on the training set. Each sum is divided by the elements and steps it ran over; a graph that has ended
    contributes nothing.
    """

    def __init__(self, train: Run, concept_weights: Mapping[str, float], l1: float, device: torch.device) -> None:
        declaration = train.algorithm.declaration
        self.declaration, self.l1 = declaration, l1
        alive = train.is_alive[:, train.graph.owner(declaration.location)]
        seen = train.concepts[alive].float()
        positives = seen.sum(0)
        self.positive = ((len(seen) - positives) / positives.clamp(min=1)).to(device)
        self.concept = torch.tensor([concept_weights.get(name, 1.0) for name in declaration.concepts], device=device)
        self.classes: dict[str, Tensor | None] = dict.fromkeys(declaration.outputs)
        for name, kind in declaration.outputs.items():
            if isinstance(kind, Category):
                count = torch.bincount(train.outputs[name][alive], minlength=len(kind.labels)).float()
                self.classes[name] = (count.sum() / (len(count) * count.clamp(min=1))).to(device)

    def __call__(
        self, network: Network, samples: Samples, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> dict[str, Tensor]:
        """The losses of a batch; see ``unroll`` for what comes in."""
        done = unroll(network, samples, graphs, lengths, always=always)
        weight = torch.cat(done.alive_nodes) if done.alive_nodes else None
        losses: dict[str, Tensor] = {}
        if network.architecture.bottleneck:
            losses["concepts"] = self._on_concepts(torch.cat(done.heads, 1), torch.cat(done.concepts), weight)
        for name, kind in self.declaration.outputs.items():
            scores, truth = torch.cat(done.scores[name], 1), torch.cat(done.outputs[name])
            each = kind.loss(scores, truth.expand(len(scores), *truth.shape), self.classes[name])
            losses[name] = _mean(each, weight)
        if network.termination is not None:
            losses["termination"] = self._on_going_on(network, done, samples)
        if self.l1 and network.architecture.bottleneck:
            losses["l1"] = self.l1 * torch.stack([decoder.l1() for decoder in network.decoders.values()]).sum(0)
        return losses

    def _on_concepts(self, logits: Tensor, truth: Tensor, weight: Tensor | None) -> Tensor:
        each = F.binary_cross_entropy_with_logits(logits, truth.expand_as(logits), reduction="none", pos_weight=self.positive)
        return _mean((each * self.concept).sum(-1), weight)

    def _on_going_on(self, network: Network, done: Unrolled, samples: Samples) -> Tensor:
        assert network.termination is not None
        latent, truth = torch.cat(done.latent, 1), torch.cat(done.goes_on)
        logits = network.termination(latent, samples.table.members_of(torch.cat(done.node_counts)))
        each = F.binary_cross_entropy_with_logits(logits, truth.expand_as(logits), reduction="none")
        return _mean(each, torch.cat(done.alive_graphs) if done.alive_graphs else None)


def _mean(each: Tensor, weight: Tensor | None) -> Tensor:
    """[S] the mean of [S, N], weighted."""
    return each.mean(1) if weight is None else (each * weight).sum(1) / weight.sum()
