"""The recurrence of the paper's encoder and processor with its gradients by hand, look after look,
for a CPU.

PyTorch's own would cost three times as many small operations as are needed. For every node, m being
its memory and j running over all nodes that send to it (its neighbours, and itself where there are
self-loops; of none, the maximum is 0):

    a = given + J m                            what the encoder joins
    z = leaky(E leaky(a) + e), or a            encoded; where the encoder has one layer, a
    r, s, o = R z + b_r, S z, O z + b_o        what is received, sent, and kept for oneself
    f_j = leaky(r + s_j)                       the first layer of a message
    g = leaky(max_j M f_j + b_m)               the best of the messages
    x = leaky(o + U g)                         what goes into the gated unit
    reset = sigmoid(A_r x + B_r m), keep = sigmoid(A_k x + B_k m), both with biases
    new = tanh(A_n x + reset * (B_n m)), with biases
    h = new + keep * (m - new)                 latent, and the next look's memory

Backwards, with dy for the gradient of the loss by y, and by what a function is applied to where y
is its result:

    dnew = (1 - keep) dh * (1 - new^2)
    dkeep = (1 - keep) dh * (h - new)          for keep * (m - new) is h - new
    dreset = dnew * (B_n m) * reset (1 - reset)
    dm = keep dh + B_r' dreset + B_k' dkeep + B_n' (reset dnew) + J' da
    dx = A_r' dreset + A_k' dkeep + A_n' dnew, where x > 0, and SLOPE times that elsewhere;
         so it is with every leaky
    dg = U' dx;  do = dx
    a message takes its part in dg where it is the maximum; of equals, each takes the same
    dr and ds: sums of df over the messages that a node received, and sent
    dz = R' dr + S' ds + O' do, and what comes from outside;  da = E' dz

A weight's gradient is the sum of what came in times the gradient of what went out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from algolens.models.layers import SLOPE
from algolens.models.recurrent.messages import shares
from algolens.models.recurrent.neighbourhoods import Neighbourhoods

_leaky_ = torch.nn.functional.leaky_relu_
_leaky_backward = torch.ops.aten.leaky_relu_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input
_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input


class Weights(NamedTuple):
    """Of encoder and processor, each [S, inputs, outputs] or [S, 1, outputs]."""

    join: Tensor
    join_bias: Tensor
    deepen: Tensor | None  # None where the encoder has one layer
    deepen_bias: Tensor | None
    first: Tensor  # R, S and O
    first_bias: Tensor
    message: Tensor
    message_bias: Tensor
    update: Tensor
    update_bias: Tensor
    from_x: Tensor  # A_r, A_k and A_n
    from_x_bias: Tensor
    from_m: Tensor  # B_r, B_k and B_n
    from_m_bias: Tensor


class _JoinedWeights(NamedTuple):
    """The same, what is applied to one thing side by side."""

    by_m: Tensor  # B_r, B_k, B_n and J
    by_m_bias: Tensor
    # A_n, A_r and A_k: the last two have the gradients of B_r and B_k, so that both products'
    # overlap
    by_x: Tensor
    by_x_bias: Tensor
    first_bias: Tensor  # of R, S and O


def _joined(w: Weights) -> _JoinedWeights:
    width = w.join.shape[-1]
    return _JoinedWeights(
        torch.cat([w.from_m, w.join], -1),
        torch.cat([w.from_m_bias, w.join_bias], -1),
        w.from_x.roll(width, -1),
        w.from_x_bias.roll(width, -1),
        torch.cat([w.first_bias, torch.zeros_like(w.first_bias), w.update_bias], -1),
    )


class _Kept(NamedTuple):
    """What a look keeps for the way back, by the names of the equations."""

    a: Tensor | None  # leaky(a); None where the encoder has one layer
    f: Tensor
    messages: Tensor  # M f_j
    best: Tensor  # max_j M f_j
    g: Tensor
    x: Tensor
    reset: Tensor
    keep: Tensor
    new_m: Tensor  # B_n m
    new: Tensor


class Recurrence(torch.autograd.Function):
    """What all looks gave: encoded and latent, both [S, R, width], from given [S, R, width] and
    memory [S, N, width].
    """

    @staticmethod
    def forward(
        ctx: Any, given: Tensor, memory: Tensor, tables: Sequence[Neighbourhoods], *weights: Any
    ) -> tuple[Tensor, Tensor]:
        w = Weights(*weights)
        joined = _joined(w)
        seeds, _, width = given.shape
        sizes = [table.num_nodes for table in tables]
        encoded, latent = torch.empty_like(given), torch.empty_like(given)
        kept = []
        m = memory
        for table, here, z, h in zip(
            tables, *(each.split(sizes, 1) for each in (given, encoded, latent)), strict=True
        ):
            m = m[:, : table.num_nodes]
            from_m = torch.baddbmm(joined.by_m_bias, m, joined.by_m)
            a = None
            if w.deepen is None or w.deepen_bias is None:
                torch.add(here, from_m[..., 3 * width :], out=z)
            else:
                a = _leaky_(here + from_m[..., 3 * width :], SLOPE)
                _leaky_(torch.baddbmm(w.deepen_bias, a, w.deepen, out=z), SLOPE)
            parts = torch.baddbmm(joined.first_bias, z, w.first)
            f = table.gather(parts[..., width : 2 * width]).add_(
                table.columns(parts[..., :width])[:, None]
            )
            _leaky_(f, SLOPE)
            messages = table.without_empty(
                torch.bmm(f.view(seeds, -1, width), w.message).view_as(f)
            )
            best = table.most(messages)
            g = _leaky_(best + w.message_bias, SLOPE)
            x = _leaky_(torch.baddbmm(parts[..., 2 * width :], g, w.update), SLOPE)
            from_x = torch.baddbmm(joined.by_x_bias, x, joined.by_x)
            gates = torch.add(from_x[..., width:], from_m[..., : 2 * width]).sigmoid_()
            reset, keep = gates[..., :width], gates[..., width:]
            # alone, so that the rest need not be kept
            new_m = from_m[..., 2 * width : 3 * width].clone()
            # tanh(y) = 2 sigmoid(2 y) - 1, and PyTorch's sigmoid is several times as fast
            new = (
                torch.addcmul(from_x[..., :width], reset, new_m).mul_(2).sigmoid_().mul_(2).sub_(1)
            )
            m = torch.lerp(new, m, keep, out=h)
            kept.append(_Kept(a, f, messages, best, g, x, reset, keep, new_m, new))
        ctx.save_for_backward(memory, encoded, latent, *weights)
        ctx.tables, ctx.kept, ctx.joined = tables, kept, joined
        return encoded, latent

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_encoded: Tensor, d_latent: Tensor) -> tuple[Tensor | None, ...]:
        memory, encoded, latent, *weights = ctx.saved_tensors
        w, joined = Weights(*weights), ctx.joined
        tables, kept = ctx.tables, ctx.kept
        del ctx.kept  # it is overwritten here, and cannot be used twice
        seeds, _, width = encoded.shape
        sizes = [table.num_nodes for table in tables]
        d_given = torch.empty_like(encoded)
        z_s, h_s, d_z_s, d_h_s, d_a_s = (
            each.split(sizes, 1) for each in (encoded, latent, d_encoded, d_latent.clone(), d_given)
        )
        m_s = (memory, *h_s)
        by_m, by_x, first, message, update = (
            torch.zeros_like(each)
            for each in (joined.by_m, joined.by_x, w.first, w.message, w.update)
        )
        deepen = None if w.deepen is None else torch.zeros_like(w.deepen)
        # gradients that belong together lie side by side, and at every look in the same place, and
        # so in the cache
        all_gates, all_parts = encoded.new_empty(2, seeds, max(sizes), 5 * width)
        gates_bias, parts_bias = encoded.new_zeros(2, seeds, 1, 5 * width)
        d_memory = None
        for i in range(len(tables) - 1, -1, -1):
            table, n, d_h, d_a = tables[i], sizes[i], d_h_s[i], d_a_s[i]
            a, f, messages, best, g, x, reset, keep, new_m, new = kept[i]
            d_gates, d_parts = all_gates[:, :n], all_parts[:, :n]
            d_new, d_reset, d_keep, d_new_m, d_joined = d_gates.split(width, -1)
            d_r, d_s, d_x, d_g, d_z = d_parts.split(width, -1)
            # the gated unit
            through_keep = d_h * keep
            through_new = d_h - through_keep
            _tanh_backward(through_new, new, grad_input=d_new)
            torch.sub(h_s[i], new, out=d_keep).mul_(through_new)
            torch.mul(d_new, reset, out=d_new_m)
            _sigmoid_backward(d_new * new_m, reset, grad_input=d_reset)
            # the update
            d_from_x = d_gates[..., : 3 * width]
            by_x.baddbmm_(x.mT, d_from_x)
            _leaky_backward(torch.bmm(d_from_x, joined.by_x.mT), x, SLOPE, True, grad_input=d_x)
            update.baddbmm_(g.mT, d_x)
            _leaky_backward(torch.bmm(d_x, w.update.mT), g, SLOPE, True, grad_input=d_g)
            # the messages
            share = shares(messages, best, d_g, table, out=messages).view(seeds, -1, width)
            flat = f.view(seeds, -1, width)
            message.baddbmm_(flat.mT, share)
            d_f = torch.bmm(share, w.message.mT)
            d_f = _leaky_backward(d_f, flat, SLOPE, True, grad_input=d_f).view_as(f)
            d_r.copy_(table.nodes(d_f.sum(1)))
            d_s.copy_(table.gather_back(d_f))
            # the encoder
            d_first = d_parts[..., : 3 * width]
            first.baddbmm_(z_s[i].mT, d_first)
            if w.deepen is None or deepen is None:
                d_z.zero_()  # a bias that is not there
                d_a.copy_(torch.baddbmm(d_z_s[i], d_first, w.first.mT))
            else:
                _leaky_backward(
                    torch.baddbmm(d_z_s[i], d_first, w.first.mT),
                    z_s[i],
                    SLOPE,
                    True,
                    grad_input=d_z,
                )
                deepen.baddbmm_(a.mT, d_z)
                _leaky_backward(torch.bmm(d_z, w.deepen.mT), a, SLOPE, True, grad_input=d_a)
            d_joined.copy_(d_a)
            # the memory
            d_from_m = d_gates[..., width:]
            by_m.baddbmm_(m_s[i][:, :n].mT, d_from_m)
            if i:
                d_h_s[i - 1][:, :n].add_(through_keep).baddbmm_(d_from_m, joined.by_m.mT)
            elif ctx.needs_input_grad[1]:
                d_memory = through_keep.baddbmm_(d_from_m, joined.by_m.mT)
                if n < memory.shape[1]:
                    d_memory = torch.nn.functional.pad(d_memory, (0, 0, 0, memory.shape[1] - n))
            gates_bias.add_(d_gates.sum(1, keepdim=True))
            parts_bias.add_(d_parts.sum(1, keepdim=True))
        gradients = Weights(
            join=by_m[..., 3 * width :],
            join_bias=gates_bias[..., 4 * width :],
            deepen=deepen,
            deepen_bias=None if deepen is None else parts_bias[..., 4 * width :],
            first=first,
            first_bias=parts_bias[..., :width],
            message=message,
            message_bias=parts_bias[..., 3 * width : 4 * width],
            update=update,
            update_bias=parts_bias[..., 2 * width : 3 * width],
            from_x=by_x.roll(-width, -1),
            from_x_bias=gates_bias[..., : 3 * width].roll(-width, -1),
            from_m=by_m[..., : 3 * width],
            from_m_bias=gates_bias[..., width : 4 * width],
        )
        return d_given, d_memory, None, *gradients
