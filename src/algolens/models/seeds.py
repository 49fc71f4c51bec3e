"""The weights of several seeds side by side, and of each alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

# what the names of PyTorch Geometric's weights hold before their seed's place
CONVOLUTIONS = "convolutions."


def place_of(name: str) -> int | None:
    """The place of the one seed that a weight belongs to; None where it holds those of all seeds
    side by side.

    PyTorch Geometric's convolutions stand one after the other.
    """
    _, _, rest = name.partition(CONVOLUTIONS)
    return int(rest.partition(".")[0]) if rest else None


def split_weights(weights: Mapping[str, Tensor], place: int) -> dict[str, Tensor]:
    """One seed's weights, named as in a network of that seed alone."""
    result = {}
    for name, value in weights.items():
        own = place_of(name)
        if own is None:
            result[name] = value[place : place + 1]
        elif own == place:
            result[name.replace(f"{CONVOLUTIONS}{own}.", f"{CONVOLUTIONS}0.")] = value
    return result


def join_weights(seeds: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The reverse: the weights of several seeds, each named as in a network alone, as one
    network's.
    """
    result: dict[str, Tensor] = {}
    for name in seeds[0]:
        before, _, rest = name.partition(f"{CONVOLUTIONS}0.")
        if rest:
            result |= {
                f"{before}{CONVOLUTIONS}{place}.{rest}": weights[name]
                for place, weights in enumerate(seeds)
            }
        else:
            result[name] = torch.cat([weights[name] for weights in seeds])
    return result
