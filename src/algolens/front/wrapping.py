"""A network that its user has trained, as a model like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError
from algolens.experiment import save_model, wrap_network
from algolens.front.arguments import path_of
from algolens.front.model import Model
from algolens.front.training import find_trainable
from algolens.limits import SIZE


def wrap(
    algorithm: Algorithm | type[Algorithm] | str,
    network: nn.Module | type[nn.Module] | str,
    weights: Mapping[str, Tensor] | str | PathLike[str] | None = None,
    *,
    out: str | PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    sizes: Sequence[int] = (),
    overwrite: bool = False,
) -> Model:
    """Takes up a network that you have trained: its rules are drawn, and it is scored.

    Nothing is trained. The model runs, is explained, scored, saved and played as any other.

    Parameters
    ----------
    algorithm : Algorithm, its class, or str
        What the network carries out, a step at a time.
    network : nn.Module, its class, or str
        The module. Or its class, or file and class as in ``"my_file.py:MyNet"``: it is made anew,
        and gets the weights.
    weights : mapping or path, optional
        A state of the module, or a file with one that ``torch.save`` or safetensors wrote.
    out : path, optional
        A folder to save the model in.
    options : mapping, optional
        Of the algorithm, as ``{"colors": 7}``.
    sizes : sequence of int
        Of test graphs, where not the paper's.
    overwrite : bool
        Whether a model that is in the folder may be replaced.

    Returns
    -------
    Model
        The network with its rules.

    Raises
    ------
    AlgoLensError
        The network does not give what the algorithm declares, or the weights are another's.
    """
    if isinstance(network, nn.Module) and weights is not None:
        raise AlgoLensError("a module has its own weights: give weights= with a class alone.")
    tested = tuple(SIZE.check(size, "one of sizes") for size in sizes)
    chosen = find_trainable(algorithm, options or {})
    read = path_of(weights, "weights=") if isinstance(weights, str | PathLike) else weights
    wrapped = wrap_network(chosen, network, read, f"al.wrap({chosen.name!r})", tested)
    folder = None if out is None else path_of(out, "out=")
    if folder is not None:
        save_model(folder, wrapped, overwrite=overwrite)
    return Model(wrapped, folder)
