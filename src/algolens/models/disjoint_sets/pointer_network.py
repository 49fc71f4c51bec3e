"""The pointer graph network (Veličković et al. 2020): messages follow the pointers of sets."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.models.disjoint_sets.packing import Packing
from algolens.models.layers import GRU, Bias, Linear, in_one_matrix, leaky

# of messages in a step: sets are trees, and an end of an edge is some pointers away from its root
ROUNDS = 4


class PointerNetwork(nn.Module):
    """Latent states of nodes, by rounds of messages along pointers, then a GRU.

    literal: as in the authors' code, with one round, a GRU whose state is zero, and no biases. Left
    out of that GRU is what can have no effect: the maps of the state, which is zero, with the gate
    that resets it.
    """

    def __init__(self, seeds: int, features: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        fan_in = features + width
        self.literal = literal
        self.join = Linear(seeds, features, width, bias=False, fan_in=fan_in)
        self.join_memory = Linear(seeds, width, width, fan_in=fan_in)
        self.first = Linear(seeds, width, 3 * width, bias=False, fan_in=2 * width)
        if not literal:
            self.first_bias = Bias(seeds, width, fan_in=2 * width)
        self.message = Linear(seeds, width, width, bias=False)
        if not literal:
            self.message_bias = Bias(seeds, width, fan_in=width)
        self.update = Linear(seeds, width, width, bias=not literal, fan_in=2 * width)
        if literal:  # how much of the state stays, and what is new
            self.gates = Linear(seeds, width, 2 * width, bias=False)
        else:
            self.gate = GRU(seeds, width)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""
        return {
            "pointer_rounds": 1 if self.literal else ROUNDS,
            "pointer_gate": "zero at every step" if self.literal else "the last latent state",
            "pointer_encoder_end": "LeakyReLU" if self.literal else "nothing",
            "pointer_biases": self.update.bias is not None,
        }

    def forward(self, joined: Tensor, memory: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """[S, N, width] encoded and latent states.

        joined: [S, N, width] the features' part of the encoding, ``join`` of them. memory: [S, N,
        width] the last latent states. target: [N] the node that each points to, numbered through
        the batch.
        """
        z = joined + self.join_memory(memory)
        if self.literal:
            z = leaky(z)
            stays, new = self.gates(self._round(z, target)).chunk(2, -1)
            return z, (1 - torch.sigmoid(stays)) * torch.tanh(new)
        x = z
        for _ in range(ROUNDS):
            x = self._round(x, target)
        return z, self.gate(x, memory)

    def _round(self, x: Tensor, target: Tensor) -> Tensor:
        """leaky(U [x_i, max_j M(x_i, x_j)]), where M is two layers with LeakyReLU."""
        receiver, sender, own = self.first(x).chunk(3, -1)
        if not self.literal:
            receiver = receiver + self.first_bias.bias
        best = best_messages(receiver, sender, self.message, target)
        if not self.literal:
            # the second layer's bias and LeakyReLU are monotonic, and may follow the maximum
            best = best + self.message_bias.bias
        return leaky(own + self.update(leaky(best)))


def best_messages(receiver: Tensor, sender: Tensor, message: Linear, target: Tensor) -> Tensor:
    """[S, N, F] max message(leaky(receiver_i + sender_j)) over all j that a pointer joins to i."""
    down = leaky(receiver + sender.index_select(1, target))  # from the node that one points to
    up = leaky(receiver.index_select(1, target) + sender)  # to the node that one points to
    down, up = message(torch.cat([down, up], 1)).chunk(2, 1)
    seeds, n, width = down.shape
    rows = in_one_matrix(target, seeds, n)
    flat = down.reshape(-1, width).scatter_reduce(
        0, rows[:, None].expand(-1, width), up.reshape(-1, width), "amax"
    )
    return flat.view(seeds, n, width)


class SetHeads(nn.Module):
    """What is read off the nodes: are the ends in one set, who keeps its pointer, and new ones."""

    def __init__(self, seeds: int, width: int, *, literal: bool = False) -> None:
        super().__init__()
        self.literal = literal  # as in the authors' code
        seen = width if literal else 2 * width  # of which new pointers come
        self.same_set = Linear(seeds, 2 * width, 1)
        self.keeps = Linear(seeds, 2 * width, 1)
        self.query = Linear(seeds, seen, width)
        # a bias would add the same to all scores of a query
        self.key = Linear(seeds, seen, width, bias=False)

    def facts(self) -> dict[str, Any]:
        """What they are, under the names of the protocol's facts; the loss is of ``taught``."""
        if self.literal:
            return {
                "pointers_from": "latent states",
                "pointer_loss": "cross-entropy of the new pointers, apart from who keeps its own",
            }
        return {
            "pointers_from": "encoded and latent states",
            "pointer_loss": (
                "cross-entropy of old and new pointers, mixed by how likely each node keeps its own"
            ),
        }

    def forward(
        self, encoded: Tensor, latent: Tensor, nodes: Packing
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Logits [S, P] of one set and [S, R] of keeping; scores [S, R, M] of new pointers."""
        both = torch.cat([encoded, latent], -1)
        pooled = nodes.table(both).masked_fill(nodes.absent[:, :, None], -torch.inf).amax(2)
        seen = latent if self.literal else both
        queries, keys = nodes.table(self.query(seen)), nodes.table(self.key(seen))
        scores = (queries @ keys.mT).masked_fill(nodes.absent[:, None], -torch.inf)
        return (
            self.same_set(pooled).squeeze(-1),
            self.keeps(both).squeeze(-1),
            nodes.members(scores),
        )

    def taught(self, keeps: Tensor, scores: Tensor, parent: Tensor) -> Tensor:
        """[S, R, M] the scores of pointers after a step that its loss is of: see ``expected``."""
        return scores if self.literal else expected(keeps, scores, parent)


def updated(keeps: Tensor, scores: Tensor, parent: Tensor) -> Tensor:
    """[S, R, M] scores of the pointers after a step; where one stays, the old one's alone.

    The appendix's equation. keeps: [S, R] logits. scores: [S, R, M] of new pointers. parent: [R]
    the old pointers.
    """
    kept = torch.zeros_like(scores[0]).masked_fill(~_is_old(scores, parent), -torch.inf)
    return torch.where((keeps > 0)[:, :, None], kept, scores)


def expected(keeps: Tensor, scores: Tensor, parent: Tensor) -> Tensor:
    """Before anything is decided: log-probabilities of old and new pointers, mixed by ``keeps``."""
    new = F.log_softmax(scores, -1) + F.logsigmoid(-keeps)[:, :, None]
    stays = F.logsigmoid(keeps)[:, :, None].expand_as(new)
    return torch.where(_is_old(scores, parent), torch.logaddexp(new, stays), new)


def _is_old(scores: Tensor, parent: Tensor) -> Tensor:
    """[R, M] bools: is this the old pointer?"""
    return torch.arange(scores.shape[-1], device=parent.device) == parent[:, None]
