"""What encoder and processor give (eqs. 1 and 2 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.models.layers import Linear
from algolens.models.recurrent.by_hand import Recurrence, Weights
from algolens.models.recurrent.encoder import Encoder
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors import MessagePassing, Processor


@dataclass(frozen=True, eq=False)
class Processed:
    """What encoder and processor gave, for every seed; the concept head reads it."""

    encoded: Tensor  # [S, N, width] z
    latent: Tensor  # [S, N, width] h, handed back at the next step


def recur(
    encoder: Encoder,
    processor: Processor,
    given: Tensor,
    memory: Tensor,
    tables: Sequence[Neighbourhoods],
) -> Processed:
    """Eqs. 1 and 2, look after look: what all looks gave, one after the other, [S, R, width].

    given: [S, R, width] what the encoder computed of all but the memory. memory: [S, N, width]
    before the first look. tables: one for each look, whose nodes are the first of those of the look
    before.
    """
    by_hand = not given.is_cuda and not (encoder.deepen is None and encoder.ends_leaky)
    if by_hand and isinstance(processor, MessagePassing):
        return Processed(*Recurrence.apply(given, memory, tables, *_weights(encoder, processor)))
    return recur_by_autograd(encoder, processor, given, memory, tables)


def recur_by_autograd(
    encoder: Encoder,
    processor: Processor,
    given: Tensor,
    memory: Tensor,
    tables: Sequence[Neighbourhoods],
) -> Processed:
    """The same for any processor, with gradients by PyTorch."""
    encoded, latent = [], []
    for here, table in zip(
        given.split([table.num_nodes for table in tables], 1), tables, strict=True
    ):
        last = memory[:, : table.num_nodes]
        z = encoder(here, last)
        memory = processor(z, last, table)
        encoded.append(z)
        latent.append(memory)
    return Processed(torch.cat(encoded, 1), torch.cat(latent, 1))


def _weights(encoder: Encoder, processor: MessagePassing) -> Weights:
    def both(layer: Linear) -> tuple[Tensor, Tensor]:
        assert layer.bias is not None
        return layer.weight, layer.bias

    join, join_bias = both(encoder.join_memory)
    deepen, deepen_bias = (None, None) if encoder.deepen is None else both(encoder.deepen)
    update, update_bias = both(processor.update)
    from_x, from_x_bias = both(processor.gate.from_input)
    from_m, from_m_bias = both(processor.gate.from_state)
    return Weights(
        join=join,
        join_bias=join_bias,
        deepen=deepen,
        deepen_bias=deepen_bias,
        first=processor.first.weight,
        first_bias=processor.first_bias.bias,
        message=processor.message.weight,
        message_bias=processor.message_bias.bias,
        update=update,
        update_bias=update_bias,
        from_x=from_x,
        from_x_bias=from_x_bias,
        from_m=from_m,
        from_m_bias=from_m_bias,
    )
