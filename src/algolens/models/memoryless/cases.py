"""A look case by case: elements that are alike, and hear others that are alike, go through the layers once."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.models.memoryless.exchange import Exchange

MOST_KINDS = 54  # of others: with the own class, a case is a number of 63 bits


class Cases:
    """What each kind of other sends to each class of element, as a table, for the exchange of one seed.

    A kind is a class and the bits of the comparison. Since messages are joined by "or", what an element concludes is settled by
    its class and by the set of kinds that it hears; there are few such cases in a graph, and every element looks its own up.
    """

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, own, channels = exchange, exchange.num_own, exchange.num_channels
        device = exchange.message.weight.device
        self.num_kinds = num_kinds(exchange)
        self.shifts = torch.arange(channels, device=device)
        compared = (torch.arange(2**channels, device=device)[:, None] >> self.shifts & 1).float()
        receivers = torch.arange(own, device=device).repeat_interleave(self.num_kinds)
        senders = torch.arange(exchange.num_others, device=device).repeat_interleave(2**channels).repeat(own)
        logits = exchange.messages(receivers, senders, compared.repeat(own * exchange.num_others, 1)[None])[0]
        self.bits = (logits > 0).float().view(own, self.num_kinds, -1)  # [own classes, kinds, bits]

    def combinations(self, compared: Tensor) -> Tensor:
        """[A] the bits of comparisons [A, channels] as one number."""
        return (compared.long() << self.shifts).sum(-1)

    def kinds(self, classes: Tensor, combinations: Tensor | int = 0) -> Tensor:
        """[A] the kinds of others of these classes, whose numbers compare so."""
        return classes * 2 ** len(self.shifts) + combinations

    def conclude(self, own: Tensor, present: Tensor) -> Tensor:
        """[1, N, outputs] logits of elements of these classes [N] that hear these kinds, [kinds, N] bools."""
        keys = own
        for kind in present:
            keys = keys * 2 + kind
        cases, here = keys.unique(return_inverse=True)
        places = torch.arange(self.num_kinds - 1, -1, -1, device=own.device)
        return self.of(cases >> self.num_kinds, cases[:, None] >> places & 1).index_select(1, here)

    def of(self, own: Tensor, members: Tensor) -> Tensor:
        """[1, M, outputs] logits in cases: own classes [M], and which kinds are there [M, kinds]."""
        joined = (torch.einsum("mk,mkb->mb", members.float(), self.bits[own]) > 0).float()
        return self.exchange.conclude(own, joined[None])


def num_kinds(exchange: Exchange) -> int:
    """How many kinds of others there are to be heard."""
    return exchange.num_others * 2**exchange.num_channels
