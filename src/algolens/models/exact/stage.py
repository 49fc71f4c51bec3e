"""Bits that can be learnt: hard when computed, soft when differentiated."""

from __future__ import annotations

from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from algolens.looks import Compared, Feature, Statement
from algolens.models.layers import Linear, leaky


def harden(x: Tensor) -> Tensor:
    """1 where positive, else 0; its gradient is the sigmoid's."""
    return _Hard.apply(x)


class _Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        soft = torch.sigmoid(ctx.saved_tensors[0])
        return grad * soft * (1 - soft)


SILENCE = -5.0  # the logit of a bit that nobody sends


class Stage(nn.Module):
    """hard(M(own class, kind of other)) from everyone in view, joined; then a head on (own class,
    joined bits).

    M and the head are two layers each. Bits are joined by "or"; where others are counted, by a sum
    that stops at the largest count that is asked for, which the head sees as a thermometer of bits.
    So what is concluded is settled by the own class and by how many of each kind are in view (one,
    or none, where nothing is counted): finitely many cases, whatever the graph. What a stage knows
    of its observation is which features it reads, and how far it counts; never the formula.
    """

    own_features: Tensor  # [own classes, features] each own class as the layers see it
    kind_features: Tensor  # [kinds, features] each kind of other likewise

    def __init__(self, seeds: int, statement: Statement, *, width: int, bits: int) -> None:
        super().__init__()
        self.most = statement.most
        self.looks_at_others = statement.relation is not None
        self.register_buffer("own_features", _encoded(statement.own), persistent=False)
        self.register_buffer("kind_features", _encoded(statement.other), persistent=False)
        own, kind = self.own_features.shape[1], self.kind_features.shape[1]
        self.bits = num_bits(statement, bits)
        if self.looks_at_others:
            self.message_first = Linear(seeds, own + kind, width)
            self.message_last = Linear(seeds, width, self.bits)
        self.head_first = Linear(seeds, own + self.bits * self.most, width)
        self.head_last = Linear(seeds, width, 1)

    def messages(self, own: Tensor, kinds: Tensor) -> Tensor:
        """[S, A, bits] logits of what others of these kinds [A] send to elements of these own
        classes [A].
        """
        features = torch.cat([self.own_features[own], self.kind_features[kinds]], -1)
        seeds = len(self.message_first.weight)
        return self.message_last(leaky(self.message_first(features.expand(seeds, -1, -1))))

    def join(self, sent: Tensor, there: Tensor) -> Tensor:
        """[S, M, bits x most] what M elements receive, from logits [S, M, others, bits]. there: [M,
        others] who is there.
        """
        silent = ~there[None, :, :, None]
        if self.most == 1:
            return harden(sent.masked_fill(silent, SILENCE).amax(2))
        counts = harden(sent).masked_fill(silent, 0).sum(2)
        steps = torch.arange(self.most, device=sent.device) + 0.5
        return harden(counts[..., None] - steps).flatten(2)

    def conclude(self, own: Tensor, joined: Tensor) -> Tensor:
        """[S, M] logits of elements of these own classes [M] that receive joined bits [S, M, bits x
        most].
        """
        features = self.own_features[own].expand(len(joined), -1, -1)
        return self.head_last(leaky(self.head_first(torch.cat([features, joined], -1)))).squeeze(-1)

    def nothing(self, count: int) -> Tensor:
        """[S, count, 0] what is received where nobody is looked at."""
        weight = self.head_first.weight
        return weight.new_zeros(len(weight), count, 0)

    def forward(self, own: Tensor, kinds: Tensor, there: Tensor) -> Tensor:
        """[S, M] logits of elements of own classes [M] that have others of kinds [M, others] in
        view, where they are there.
        """
        if not self.looks_at_others:
            return self.conclude(own, self.nothing(len(own)))
        count, others = kinds.shape
        sent = self.messages(own.repeat_interleave(others), kinds.flatten())
        return self.conclude(own, self.join(sent.view(len(sent), count, others, -1), there))


def num_bits(statement: Statement, message_bits: int) -> int:
    """Of the messages of an observation's stage: twice as many where others are counted, none where
    nobody is in view.
    """
    return 0 if statement.relation is None else message_bits * (2 if statement.most > 1 else 1)


def _encoded(features: tuple[Feature, ...]) -> Tensor:
    """[combinations, width] every combination of values as a network sees it: classes one-hot, a
    comparison as two bits.
    """
    parts = [COMPARED if isinstance(each, Compared) else torch.eye(each.size) for each in features]
    rows = [torch.cat([torch.zeros(0), *row]) for row in product(*parts)]
    return torch.stack(rows)


COMPARED = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # lower, equal, higher
