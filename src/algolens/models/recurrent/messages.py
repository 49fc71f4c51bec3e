"""The largest message that reaches each node, with gradients that gather and never scatter."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algolens.models.layers import SLOPE, Linear
from algolens.models.recurrent.neighbourhoods import Neighbourhoods


def max_message(receiver: Tensor, sender: Tensor, second: Linear, table: Neighbourhoods) -> Tensor:
    """max over all j that send to i of leaky(receiver_i + sender_j) @ weight: [S, N, F]; 0 where
    nobody does.

    The message's first layer comes as its two halves, computed per node; what is monotonic (the
    second layer's bias and LeakyReLU) may follow the maximum.
    """
    return _MaxMessage.apply(receiver, sender, second.weight, table, second.notes)


class _MaxMessage(torch.autograd.Function):
    """Gathers only, also backwards: what a node sent lies in the reverse slots of its own
    columns.
    """

    @staticmethod
    def forward(
        ctx: Any,
        receiver: Tensor,
        sender: Tensor,
        weight: Tensor,
        table: Neighbourhoods,
        notes: list[tuple[Tensor, Tensor]],
    ) -> Tensor:
        seeds, _, width = receiver.shape
        first = table.gather(sender).add_(table.columns(receiver)[:, None])
        torch.nn.functional.leaky_relu_(first, SLOPE)
        second = table.without_empty(
            torch.bmm(first.view(seeds, -1, width), weight).view(*first.shape[:3], -1)
        )
        best = table.most(second)
        ctx.save_for_backward(first, second, best, weight)
        ctx.table, ctx.notes = table, notes
        return best

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        first, second, best, weight = ctx.saved_tensors
        table: Neighbourhoods = ctx.table
        share = shares(second, best, grad, table, out=torch.empty_like(second))
        flat, share = (each.view(len(first), -1, each.shape[-1]) for each in (first, share))
        grad_weight = None
        if grad.is_cuda:  # see Linear
            ctx.notes.append((flat, share))
        else:
            grad_weight = torch.bmm(flat.mT, share)
        # LeakyReLU's gradient goes by the sign of its result as well as by that of its argument
        grad_first = torch.ops.aten.leaky_relu_backward(
            torch.bmm(share, weight.mT), flat, SLOPE, True
        ).view_as(first)
        return (
            table.nodes(grad_first.sum(1)),
            table.gather_back(grad_first),
            grad_weight,
            None,
            None,
        )


def shares(
    messages: Tensor, best: Tensor, grad: Tensor, table: Neighbourhoods, *, out: Tensor
) -> Tensor:
    """[S, D, K, F] the part of the best message's gradient [S, N, F] that each message takes; of
    equals, each the same.
    """
    # 1 or 0: as numbers, for PyTorch is slow with booleans
    torch.eq(messages, table.columns(best)[:, None], out=out)
    equals = table.nodes(out.sum(1))
    if not table.self_loops:
        # a node that nobody sends to has no message that takes a part
        equals = equals.clamp_(min=1)
    return out.mul_(table.columns(grad / equals)[:, None])
