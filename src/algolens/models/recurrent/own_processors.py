"""Processors of a user's own: a class in a file, by its name ``FILE.py:CLASS``."""

from __future__ import annotations

import torch

from algolens.algorithms import OWN
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.models.layers import draw_all
from algolens.models.own_classes import GAVE, add_class, refuse_nan
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors import PROCESSORS, Processor, processor
from algolens.models.weights import split_weights


def add_processor(name: str, *, sha256: str | None = None) -> str | None:
    """Runs the file of a processor of the user's own, so that networks find it by its name.

    Parameters
    ----------
    name : str
        As in ``my_file.py:Mine``, from the current folder; any other processor's needs no file.
    sha256 : str, optional
        The SHA-256 that the file's text should have; a file with another is not run.

    Returns
    -------
    str or None
        The SHA-256 of the file's text; None where there is no file.

    Raises
    ------
    AlgoLensError
        There is no such file or class, its text is another, or the class is no processor.
    """
    if not isinstance(name, str):
        raise AlgoLensError(
            f"processor={name!r} should be a name: put the class into a file, and give "
            "'my_file.py:Mine'."
        )
    if OWN.fullmatch(name) is None:
        return None
    return add_class("processor", name, PROCESSORS, sha256, _try_out)


def _try_out(name: str) -> None:
    """Refuses what gives another shape, or does not keep the weights of seeds apart."""
    path, width, chosen = Graph.pack([3], [(0, 1), (1, 2)]), 5, PROCESSORS[name]
    table = Neighbourhoods.of(path, self_loops=True)
    z, memory = torch.randn(2, 2, 3, width, generator=torch.Generator().manual_seed(0))
    if not issubclass(chosen, Processor):
        convolution = processor(name, (0,), width, self_loops=True)
        draw_all(convolution, (0,))
        with torch.no_grad():
            refuse_nan(convolution(z[:1], memory[:1], table), GAVE)
        return
    for key, value in chosen((0, 1), width).state_dict().items():
        if value.shape[:1] != (2,):
            raise AlgoLensError(
                f"its '{key}' is {list(value.shape)}, and should begin with the number of seeds: "
                "take layers of algolens.models.layers, or let it be a plain nn.Module"
            )
    together = processor(name, (0, 1), width, self_loops=True).eval()
    draw_all(together, (0, 1))
    alone = processor(name, (1,), width, self_loops=True).eval()
    alone.load_state_dict(split_weights(together.state_dict(), 1))
    with torch.no_grad():
        latent = refuse_nan(together(z, memory, table), GAVE)
        if latent.shape != z.shape:
            raise AlgoLensError(f"forward gave {list(latent.shape)}, not {list(z.shape)}")
        if not torch.allclose(alone(z[1:], memory[1:], table), latent[1:], atol=1e-5):
            raise AlgoLensError("a seed has other latent states alone than among others")
