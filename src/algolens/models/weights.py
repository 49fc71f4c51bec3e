"""Weights from a file: whether they are a network's, before it is run."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from algolens.errors import AlgoLensError
from algolens.models.network import ConceptDecoder, Network


def load_weights(network: Network, weights: Mapping[str, Tensor]) -> None:
    """Puts weights into a network; what no training of it can have left is refused, by name."""
    wanted = network.state_dict()
    for name in sorted(wanted.keys() | weights.keys()):
        if name not in weights or name not in wanted:
            raise AlgoLensError(
                f"'{name}' is "
                f"{'not among the weights' if name in wanted else 'no weight of this network'}"
            )
        found, place = weights[name], wanted[name]
        if found.shape != place.shape or found.dtype != place.dtype:
            raise AlgoLensError(f"'{name}' is {_shown(found)}, and should be {_shown(place)}")
        if found.is_floating_point() and not bool(found.isfinite().all()):
            raise AlgoLensError(f"'{name}' holds a number that is infinite or none")
    for name, module in network.named_modules():
        if isinstance(module, ConceptDecoder):
            kept = weights[f"{name}.kept"]
            if not bool(((kept == 0) | (kept == 1)).all()):
                strange = kept[(kept != 0) & (kept != 1)][0]
                raise AlgoLensError(
                    f"'{name}.kept' says of a concept that it is kept (1) or pruned (0), and holds "
                    f"{strange:g}"
                )
    network.load_state_dict(dict(weights))


def _shown(value: Tensor) -> str:
    return f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}"
