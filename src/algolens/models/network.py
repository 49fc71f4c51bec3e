"""The concept-bottleneck network (eqs. 1 to 8 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.models.architecture import Architecture
from algolens.models.layers import Linear, draw_all, leaky
from algolens.models.perceivers import perceiver
from algolens.models.predinet import Termination
from algolens.models.seeds import join_weights, split_weights

SATURATED = 200.0  # a logit whose sigmoid is 1, or of its negative 0, to the last bit


class ConceptDecoder(nn.Module):
    """Eq. 4: one output from concepts alone; [S, N, C] in (0, 1) to scores. A pruned concept's
    weights are zero and stay so.
    """

    kept: Tensor  # [S, C, 1] 0 where a concept is pruned

    def __init__(self, seeds: int, concepts: int, width: int, scores: int) -> None:
        super().__init__()
        self.first = Linear(seeds, concepts, width)
        self.last = Linear(seeds, width, scores)
        self.register_buffer("kept", torch.ones(seeds, concepts, 1))

    def forward(self, concepts: Tensor) -> Tensor:
        # a pruned concept is taken out of the input: its weights then get no gradient
        return self.last(leaky(self.first(concepts * self.kept.mT)))

    def prune(self) -> None:
        """Takes away the concepts whose weights' L1 norm is below half of the largest."""
        with torch.no_grad():
            norm = self.first.weight.abs().sum(-1, keepdim=True)
            self.kept.copy_((norm >= norm.amax(1, keepdim=True) / 2).float())
            self.hold()

    def hold(self) -> None:
        """Keeps a pruned concept's weights at zero, whatever an optimiser remembers."""
        with torch.no_grad():
            self.first.weight.mul_(self.kept)

    def l1(self) -> Tensor:
        """[S] the sum of the first layer's absolute weights and biases."""
        return sum(
            (each.abs().sum((1, 2)) for each in self.first.parameters()),
            torch.zeros((), device=self.kept.device),
        )


class Network(nn.Module):
    """A perceiver, concept decoders and a termination network, for several seeds side by side.

    Going on is learnt from the perceiver's memory (PrediNet); a perceiver without one sees it
    itself.
    """

    learnt: Tensor  # [C] 0 where a concept is given, 1 elsewhere

    def __init__(
        self, algorithm: Algorithm, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__()
        declaration = algorithm.declaration
        self.algorithm, self.architecture, self.seeds = algorithm, architecture, seeds
        self.outputs = dict(declaration.decided)
        self.scores = {name: kind.num_scores for name, kind in self.outputs.items()}
        count, width, concepts = len(seeds), architecture.width, len(declaration.concepts)
        self.perceiver = perceiver(algorithm, architecture, seeds)
        learnt = torch.tensor(
            [float(name not in architecture.given) for name in declaration.concepts]
        )
        self.register_buffer("learnt", learnt, persistent=False)
        self.decoders: Mapping[str, ConceptDecoder] = nn.ModuleDict(  # type: ignore[assignment]
            {
                name: ConceptDecoder(count, concepts, width, scores)
                for name, scores in self.scores.items()
                if architecture.bottleneck
            }
        )
        self.termination = (
            Termination(count, width)
            if declaration.terminates and self.perceiver.remembers
            else None
        )
        draw_all(self, seeds)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next(self.parameters()).device

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts; parameters are those of one seed."""
        found = {
            **self.perceiver.facts(),
            "parameters": sum(each.numel() for each in self.parameters()) // len(self.seeds),
        }
        return (
            found if self.termination is None else {**found, "termination": self.termination.FACT}
        )

    def with_given_concepts(self, head: Tensor, concepts: Tensor) -> Tensor:
        """[S, M, C] what the head gave, with true logits in the place of given concepts, which so
        neither err nor learn.

        concepts: [M, C] true. In free running, the parts of the loop do the same.
        """
        if not self.architecture.given:
            return head
        return head * self.learnt + (2 * concepts.to(head.dtype) - 1) * (
            SATURATED * (1 - self.learnt)
        )

    def decide(self, head: Tensor) -> dict[str, Tensor]:
        """Eq. 4: scores of the outputs from what the head gave, as their kinds take them."""
        return self.decide_concepts(torch.sigmoid(head) if self.architecture.bottleneck else head)

    def decide_concepts(self, concepts: Tensor) -> dict[str, Tensor]:
        """The same from concepts in (0, 1); without a bottleneck, from the head's scores."""
        if self.architecture.bottleneck:
            return {
                name: self._shaped(name, decoder(concepts))
                for name, decoder in self.decoders.items()
            }
        parts = concepts.split(list(self.scores.values()), -1)
        return {
            name: self._shaped(name, part) for name, part in zip(self.scores, parts, strict=True)
        }

    def _shaped(self, name: str, scores: Tensor) -> Tensor:
        return self.outputs[name].shaped(scores)

    def only(self, place: int) -> Network:
        """The network of one seed alone, by its place."""
        alone = Network(self.algorithm, self.architecture, (self.seeds[place],))
        alone.load_state_dict(self.seed_weights(place))
        return alone.to(self.device)

    def seed_weights(self, place: int) -> dict[str, Tensor]:
        """The weights of one seed, by its place, named as in a network of that seed alone."""
        return split_weights(self.state_dict(), place)

    @classmethod
    def joined(
        cls,
        algorithm: Algorithm,
        architecture: Architecture,
        seeds: tuple[int, ...],
        weights: Sequence[Mapping[str, Tensor]],
    ) -> Network:
        """The network of several seeds, from the weights of each, where those are."""
        together = cls(algorithm, architecture, seeds)
        together.load_state_dict(join_weights(weights))
        return together.to(next(iter(weights[0].values())).device)
