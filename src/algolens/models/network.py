"""The concept-bottleneck network (eqs. 1 to 8 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError
from algolens.fields import Location, Mask
from algolens.models.encoder import Constant, Encoder
from algolens.models.layers import Linear, add_leaky, draw_all, leaky
from algolens.models.neighbourhoods import Neighbourhoods
from algolens.models.predinet import Termination
from algolens.models.processors import PAPERS, processor


@dataclass(frozen=True)
class Architecture:
    """What a network is made of."""

    width: int = 32  # of latent states and hidden layers
    processor: str = PAPERS  # 'mpnn', or a convolution of PyTorch Geometric, as 'GATv2Conv'
    bottleneck: bool = True  # outputs from concepts alone; without it, straight from the latent states


@dataclass(frozen=True, eq=False)
class Thought:
    """What one look gave, for every seed."""

    encoded: Tensor  # [S, N, width] z
    latent: Tensor  # [S, N, width] h, handed back at the next step


class ConceptDecoder(nn.Module):
    """Eq. 4: one output from concepts alone; [S, N, C] in (0, 1) to scores. A pruned concept's weights are zero and stay so."""

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
        return sum((each.abs().sum((1, 2)) for each in self.first.parameters()), torch.zeros((), device=self.kept.device))


class Network(nn.Module):
    """Encoder, processor, concept head, concept decoders and termination network, for several seeds side by side."""

    def __init__(self, algorithm: Algorithm, architecture: Architecture, seeds: tuple[int, ...]) -> None:
        super().__init__()
        declaration = algorithm.declaration
        if declaration.location is not Location.NODE or declaration.hints:
            raise AlgoLensError(f"{algorithm.name} works on edges; this network learns algorithms whose concepts sit at nodes.")
        self.algorithm, self.architecture, self.seeds = algorithm, architecture, seeds
        count, width, concepts = len(seeds), architecture.width, len(declaration.concepts)
        inputs = {name: field.kind for name, field in declaration.inputs.items() if not field.start_only}
        self.outputs = dict(declaration.outputs)
        self.encoder = Encoder(count, inputs, {name: declaration.outputs[name] for name in declaration.state}, width)
        self.processor = processor(architecture.processor, seeds, width)
        self.scores = {name: kind.num_scores for name, kind in self.outputs.items()}
        last = concepts if architecture.bottleneck else sum(self.scores.values())
        self.head_encoded = Linear(count, width, width, fan_in=2 * width)
        self.head_latent = Linear(count, width, width, bias=False, fan_in=2 * width)
        self.head_last = Linear(count, width, last)
        self.decoders: Mapping[str, ConceptDecoder] = nn.ModuleDict(  # type: ignore[assignment]
            {
                name: ConceptDecoder(count, concepts, width, scores)
                for name, scores in self.scores.items()
                if architecture.bottleneck
            }
        )
        self.termination = Termination(count, width) if declaration.terminates else None
        draw_all(self, seeds)

    def look(self, constant: Constant, state: Mapping[str, Tensor], memory: Tensor, table: Neighbourhoods) -> Thought:
        """Eqs. 1 and 2 (or 5 and 6). constant: what the encoder computed before; state: encoded."""
        encoded = self.encoder(constant, state, memory)
        return Thought(encoded, self.processor(encoded, memory, table))

    def head(self, thought: Thought) -> Tensor:
        """Eq. 3 before the sigmoid: concept logits [S, N, C]; without a bottleneck, all outputs' scores."""
        return self.head_last(add_leaky(self.head_encoded(thought.encoded), self.head_latent(thought.latent)))

    def decide(self, head: Tensor) -> dict[str, Tensor]:
        """Eq. 4: scores of the outputs from what the head gave, as their kinds take them."""
        return self.decide_concepts(torch.sigmoid(head) if self.architecture.bottleneck else head)

    def decide_concepts(self, concepts: Tensor) -> dict[str, Tensor]:
        """The same from concepts in (0, 1); without a bottleneck, from the head's scores."""
        if self.architecture.bottleneck:
            return {name: self._shaped(name, decoder(concepts)) for name, decoder in self.decoders.items()}
        parts = concepts.split(list(self.scores.values()), -1)
        return {name: self._shaped(name, part) for name, part in zip(self.scores, parts, strict=True)}

    def _shaped(self, name: str, scores: Tensor) -> Tensor:
        return scores.squeeze(-1) if isinstance(self.outputs[name], Mask) else scores

    def only(self, place: int) -> Network:
        """The network of one seed alone, by its place."""
        alone = Network(self.algorithm, self.architecture, (self.seeds[place],))
        alone.load_state_dict(seed_weights(self, place))
        return alone.to(self.head_last.weight.device)

    def no_memory(self, num_nodes: int, device: torch.device) -> Tensor:
        """[S, N, width] the latent state before the first step."""
        return torch.zeros(len(self.seeds), num_nodes, self.architecture.width, device=device)


def seed_weights(network: Network, place: int) -> dict[str, Tensor]:
    """One seed's weights, named as in a network of that seed alone."""
    many = len(network.seeds)
    result = {}
    for name, value in network.state_dict().items():
        convolution, _, rest = name.partition("convolutions.")
        if rest:  # PyTorch Geometric's stand one after the other
            number, _, own = rest.partition(".")
            if int(number) == place:
                result[f"{convolution}convolutions.0.{own}"] = value
        else:
            result[name] = value[place : place + 1] if many > 1 else value
    return result
