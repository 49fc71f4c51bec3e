"""The concept-bottleneck network (eqs. 1 to 8 of the paper), and its perceivers by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, ContractError, UnknownNameError
from algolens.graphs import At
from algolens.models.architecture import EXACT, LITERAL_SETS, SETS, Architecture
from algolens.models.disjoint_sets import DisjointSets
from algolens.models.exact import Exact
from algolens.models.layers import Linear, draw_all, leaky
from algolens.models.own import NETWORKS, OwnNetwork
from algolens.models.packing import Packing
from algolens.models.perceiver import Perceiver
from algolens.models.recurrent import Recurrent
from algolens.models.weights import join_weights, split_weights

SATURATED = 200.0  # a logit whose sigmoid is 1, or of its negative 0, to the last bit


class ConceptDecoder(nn.Module):
    """Eq. 4: one output's scores from concepts [S, N, C] in (0, 1); pruned ones have no weight."""

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
        """Take away the concepts whose weights' L1 norm is below half of the largest."""
        with torch.no_grad():
            norm = self.first.weight.abs().sum(-1, keepdim=True)
            self.kept.copy_((norm >= norm.amax(1, keepdim=True) / 2).float())
            self.hold()

    def hold(self) -> None:
        """Keep a pruned concept's weights at zero, whatever an optimiser remembers."""
        with torch.no_grad():
            self.first.weight.mul_(self.kept)

    def l1(self) -> Tensor:
        """[S] the sum of the first layer's absolute weights and biases."""
        norms = [parameter.abs().sum((1, 2)) for parameter in self.first.parameters()]
        return torch.stack(norms).sum(0)


class Termination(nn.Module):
    """Eqs. 7 and 8: whether to go on, from the look-ahead's latent states.

    PrediNet (Shanahan et al. 2020) with one head, its queries from a maximum over the graph's
    nodes: two nodes are looked for, and compared.
    """

    FACT = "PrediNet of one head on the look-ahead"  # of the protocol

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.queries = Linear(seeds, width, 2 * width, bias=False, fan_in=width)
        self.key = Linear(seeds, width, width, bias=False)
        self.relate = Linear(seeds, width, width, bias=False)
        self.output = Linear(seeds, width, width)
        self.decide = Linear(seeds, width, 1)

    def forward(self, latent: Tensor, nodes: Packing) -> Tensor:
        """[S, G] logits from latent states [S, N, width]. nodes: of each graph."""
        table = nodes.table(latent)
        pooled = nodes.masked(table).amax(2)
        # (K W) q = K (W q): the keys' map is applied to the few queries instead of to every node
        seeds, graphs, width = pooled.shape
        queries = self.queries(pooled).view(seeds, 2 * graphs, width) @ self.key.weight.mT
        scores = nodes.masked(queries.view(seeds, graphs, 2, width) @ table.mT, 3)  # [S, G, 2, n]
        attended = scores.softmax(-1) @ table  # [S, G, 2, width]
        difference = self.relate(attended[:, :, 0] - attended[:, :, 1])
        return self.decide(leaky(self.output(difference))).squeeze(-1)


class Network(nn.Module):
    """A perceiver, concept decoders and a termination network, for several seeds side by side.

    Going on is learnt from the perceiver's memory (PrediNet); a perceiver without one sees it
    itself.

    Parameters
    ----------
    algorithm
        What it learns.
    architecture
        What it is made of.
    seeds
        A number for each network that is held; first weights follow from it alone.
    draws
        False: no first weights are drawn, for others are loaded at once.

    Raises
    ------
    ContractError
        The architecture cannot learn the algorithm; the message says why.
    """

    learnt: Tensor  # [C] 0 where a concept is given, 1 elsewhere

    def __init__(
        self,
        algorithm: Algorithm,
        architecture: Architecture,
        seeds: tuple[int, ...],
        *,
        draws: bool = True,
    ) -> None:
        super().__init__()
        declaration = algorithm.declaration
        self.algorithm, self.architecture, self.seeds = algorithm, architecture, seeds
        self.outputs = dict(declaration.decided)
        count, width, concepts = len(seeds), architecture.width, len(declaration.concepts)
        check_architecture(algorithm, architecture)
        self.perceiver = _named(architecture)(declaration, architecture, seeds)
        learnt = [float(name not in architecture.given) for name in declaration.concepts]
        self.register_buffer("learnt", torch.tensor(learnt), persistent=False)
        self.decoders: Mapping[str, ConceptDecoder] = nn.ModuleDict(  # type: ignore[assignment]
            {
                name: ConceptDecoder(count, concepts, width, kind.num_scores)
                for name, kind in self.outputs.items()
                if architecture.bottleneck and not self.perceiver.decides
            }
        )
        self.termination = None
        if declaration.terminates and self.perceiver.has_termination:
            self.termination = Termination(count, width)
        if draws:
            draw_all(self, seeds)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.learnt.device

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts; parameters are those of one seed."""
        parameters = sum(parameter.numel() for parameter in self.parameters())
        facts = {**self.perceiver.facts(), "parameters": parameters // len(self.seeds)}
        if self.termination is not None:
            facts["termination"] = self.termination.FACT
        return facts

    def with_given_concepts(self, head: Tensor, concepts: Tensor) -> Tensor:
        """[S, M, C] the head's logits, with true ones in the place of concepts that are given.

        These neither err nor learn. concepts: [M, C] true. In free running, the parts of the loop
        do the same.
        """
        if not self.architecture.given:
            return head
        truth = (2 * concepts.to(head.dtype) - 1) * (SATURATED * (1 - self.learnt))
        return head * self.learnt + truth

    def decide(self, head: Tensor) -> dict[str, Tensor]:
        """Eq. 4: scores of the outputs from what the head gave, as their kinds take them."""
        return self.decide_concepts(torch.sigmoid(head) if self.architecture.bottleneck else head)

    def decide_concepts(self, concepts: Tensor) -> dict[str, Tensor]:
        """The same from concepts in (0, 1); without a bottleneck, from the head's scores."""
        if self.perceiver.decides:
            return self.perceiver.decide(concepts)
        if self.architecture.bottleneck:
            scores = [decoder(concepts) for decoder in self.decoders.values()]
        else:
            sizes = [kind.num_scores for kind in self.outputs.values()]
            scores = list(concepts.split(sizes, -1))
        named = zip(self.outputs.items(), scores, strict=True)
        return {name: kind.shaped(part) for (name, kind), part in named}

    def only(self, place: int) -> Network:
        """The network of one seed alone, by its place."""
        alone = Network(self.algorithm, self.architecture, (self.seeds[place],), draws=False)
        alone.load_state_dict(self.seed_weights(place))
        return alone.to(self.device)

    def on_cpu(self) -> Network:
        """The network of one seed on the CPU: itself where it is there, else a copy."""
        return self if self.device.type == "cpu" else self.only(0).cpu()

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
        together = cls(algorithm, architecture, seeds, draws=False)
        together.load_state_dict(join_weights(weights))
        return together.to(next(iter(weights[0].values())).device)


# those that bring a name of their own; any other name is a processor of the recurrent one, or a
# network of the user's own
PERCEIVERS: dict[str, type[Perceiver]] = {
    SETS: DisjointSets,
    LITERAL_SETS: DisjointSets,
    EXACT: Exact,
}


def check_architecture(algorithm: Algorithm, architecture: Architecture) -> None:
    """Raise an error where a network of an architecture cannot learn an algorithm."""
    objection = _objection(algorithm, architecture)
    if objection is not None:
        raise ContractError(f"the network '{architecture.processor}' {objection}.")
    concepts, state = algorithm.declaration.concepts, algorithm.declaration.state
    for name in architecture.given:
        if name not in concepts:
            raise UnknownNameError(f"concept of {algorithm.name}", name, concepts)
        if not architecture.bottleneck:
            raise ContractError(
                f"'{name}' cannot be given to a network without a bottleneck, which has no "
                "concepts."
            )
        if is_exact(architecture):
            raise ContractError(
                f"'{name}' cannot be given to a network without memory, which is proven right in "
                "what it sees itself."
            )
        if name in state:
            others = ", ".join(concept for concept in concepts if concept not in state)
            raise AlgoLensError(
                f"'{name}' cannot be given: it is state of {algorithm.name}, so the algorithm "
                f"would take the steps in the network's place. Give one of {others}."
            )


def fits(algorithm: Algorithm, architecture: Architecture) -> bool:
    """Whether the perceiver that an architecture names can learn an algorithm."""
    return _objection(algorithm, architecture) is None


def reads_at(architecture: Architecture) -> At | None:
    """Where the perceiver that an architecture names has its concepts; None: anywhere."""
    return _named(architecture).location


def is_exact(architecture: Architecture) -> bool:
    """Whether an architecture names the exact network, of which there is a proof to try."""
    return issubclass(_named(architecture), Exact)


def _objection(algorithm: Algorithm, architecture: Architecture) -> str | None:
    return _named(architecture).objection(algorithm, architecture)


def _named(architecture: Architecture) -> type[Perceiver]:
    name = architecture.processor
    return OwnNetwork if name in NETWORKS else PERCEIVERS.get(name, Recurrent)
