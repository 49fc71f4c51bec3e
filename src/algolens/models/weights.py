"""Weights of several seeds side by side and of each alone, checked, and named by fingerprints."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.arrays import sha256
from algolens.errors import AlgoLensError
from algolens.models.architecture import Architecture

if TYPE_CHECKING:
    from algolens.models.network import Network

# in the name of a weight of a module that is held once for each seed: what stands before the
# seed's place, the place, and what stands behind it
OF_ONE_SEED = re.compile(r"(.*?(?:convolutions|of_seed)\.)(\d+)(\..*)")

# SHA-256 of each part by its name; None where it is not known, which fits nothing
Fingerprint = Mapping[str, str | None]

# what something is about where a part of the fingerprint differs, the most telling first
OTHER = {
    "configuration": "another algorithm, option, architecture or seed",
    "weights": "other weights",
    "declaration": "another declaration",
    "code": "other code",
}


def place_of(name: str) -> int | None:
    """The place of the one seed that a weight belongs to; None where it holds all seeds'."""
    # a user's modules stand one after the other, all else side by side
    own = OF_ONE_SEED.fullmatch(name)
    return None if own is None else int(own[2])


def split_weights(weights: Mapping[str, Tensor], place: int) -> dict[str, Tensor]:
    """One seed's weights, named as in a network of that seed alone."""
    result = {}
    for name, value in weights.items():
        own = place_of(name)
        if own is None:
            result[name] = value[place : place + 1]
        elif own == place:
            result[OF_ONE_SEED.sub(r"\g<1>0\3", name)] = value
    return result


def join_weights(seeds: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The reverse: one network's weights from those of several seeds, each named as alone."""
    result: dict[str, Tensor] = {}
    for name in seeds[0]:
        if place_of(name) is None:
            result[name] = torch.cat([weights[name] for weights in seeds])
            continue
        for place, weights in enumerate(seeds):
            result[OF_ONE_SEED.sub(rf"\g<1>{place}\3", name)] = weights[name]
    return result


def load_weights(network: Network, weights: Mapping[str, Tensor]) -> None:
    """Put weights into a network, and refuse those that no training of it can have left.

    Parameters
    ----------
    network
        The network, which is changed.
    weights
        By name, as ``network.state_dict()`` has them.

    Raises
    ------
    AlgoLensError
        A weight is missing, unknown, of another shape or type, or not finite.
    """
    wanted = network.state_dict()
    for name in sorted(wanted.keys() | weights.keys()):
        if name not in weights:
            raise AlgoLensError(f"'{name}' is not among the weights")
        if name not in wanted:
            raise AlgoLensError(f"'{name}' is no weight of this network")
        given, place = weights[name], wanted[name]
        if given.shape != place.shape or given.dtype != place.dtype:
            raise AlgoLensError(f"'{name}' is {_shown(given)}, and should be {_shown(place)}")
        if given.is_floating_point() and not bool(given.isfinite().all()):
            raise AlgoLensError(f"'{name}' holds a number that is infinite or none")
    for name in network.decoders:
        kept = weights[f"decoders.{name}.kept"]
        strange = kept[(kept != 0) & (kept != 1)]
        if len(strange):
            raise AlgoLensError(
                f"'decoders.{name}.kept' says of a concept that it is kept (1) or pruned (0), and "
                f"holds {strange[0]:g}"
            )
    network.load_state_dict(dict(weights))


def fingerprint(network: Network) -> dict[str, str | None]:
    """SHA-256 of a network's configuration and of its weights, in hexadecimal digits."""
    made_of = network.algorithm, network.architecture, network.seeds
    return fingerprint_of(*made_of, network.state_dict())


def fingerprint_of(
    algorithm: Algorithm,
    architecture: Architecture,
    seeds: tuple[int, ...],
    weights: Mapping[str, Tensor],
) -> dict[str, str | None]:
    """The same of a network that need not be there; weights by name, as it has them."""
    configuration = {
        "algorithm": algorithm.name,
        "options": dict(algorithm.options),
        "architecture": asdict(architecture),
        "seeds": seeds,
    }
    written = json.dumps(configuration, sort_keys=True).encode()
    return {
        "configuration": hashlib.sha256(written).hexdigest(),
        "weights": sha256(weights),
    }


def misfit(written: Any, now: Fingerprint) -> str | None:
    """What a file is about, in words, where that is not the network at hand.

    Parameters
    ----------
    written
        The fingerprint that was read from the file, of any type.
    now
        The fingerprint of what is at hand.

    Returns
    -------
    str or None
        None where both are the same in every part of ``now``.
    """
    if not isinstance(written, Mapping):
        return "weights that it does not name"
    for part, what in OTHER.items():
        if part in now and (now[part] is None or written.get(part) != now[part]):
            return what
    return None


def _shown(value: Tensor) -> str:
    return f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}"
