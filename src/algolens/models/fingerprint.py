"""Which network something was said of: rules and certificates carry the fingerprint of the weights
that they are about.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import torch

from algolens.models.network import Network

# SHA-256 of each part by its name; None where it cannot be found, which fits nothing
Fingerprint = Mapping[str, str | None]

OTHER = {
    "configuration": "another algorithm, option, architecture or seed",
    "weights": "other weights",
    "declaration": "another declaration",
    "code": "other code",
}  # what it is about where a part differs, the most telling first


def fingerprint(network: Network) -> dict[str, str | None]:
    """Of the weights by content (names, types, shapes, bytes), and of what makes a network of
    them.
    """
    weights = hashlib.sha256()
    for name, value in sorted(network.state_dict().items()):
        weights.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        weights.update(
            value.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
        )
    configuration = {
        "algorithm": network.algorithm.name,
        "options": dict(network.algorithm.options),
        "architecture": asdict(network.architecture),
        "seeds": network.seeds,
    }
    return {
        "configuration": hashlib.sha256(
            json.dumps(configuration, sort_keys=True).encode()
        ).hexdigest(),
        "weights": weights.hexdigest(),
    }


def misfit(written: Any, now: Fingerprint) -> str | None:
    """What something is about, in words, where that is not what is here now; None where it fits.
    written: as it was read.
    """
    if not isinstance(written, Mapping):
        return "weights that it does not name"
    return next(
        (
            what
            for part, what in OTHER.items()
            if part in now and not _same(written.get(part), now[part])
        ),
        None,
    )


def _same(written: object, now: str | None) -> bool:
    return now is not None and written == now
