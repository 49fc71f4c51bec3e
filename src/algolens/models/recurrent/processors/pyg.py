"""Any convolution of PyTorch Geometric as a processor, by its name."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor, nn

from algolens.errors import AlgoLensError, UnknownNameError
from algolens.models.layers import GRU, leaky
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.processors.mpnn import Processor


class Convolution(Processor):
    """h_i = GRU(leaky(convolution(z)_i), h_i), with a convolution of its own for each seed."""

    # it takes a list of edges, and how long that is depends on the graphs of a batch
    can_record = False

    def __init__(
        self, seeds: tuple[int, ...], width: int, convolution: str, *, self_loops: bool
    ) -> None:
        super().__init__(seeds, width)
        self.convolutions = nn.ModuleList()
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                self.convolutions.append(_convolution(convolution, width, self_loops=self_loops))
        self.gate = GRU(len(seeds), width)

    def facts(self) -> dict[str, Any]:
        return {"processor": f"{type(self.convolutions[0]).__name__} of PyTorch Geometric"}

    def forward(self, z: Tensor, memory: Tensor, table: Neighbourhoods) -> Tensor:
        edges = table.edge_index
        latent = torch.stack(
            [leaky(convolve(x, edges)) for convolve, x in zip(self.convolutions, z, strict=True)]
        )
        return self.gate(latent, memory)


def _convolution(name: str, width: int, *, self_loops: bool) -> nn.Module:
    try:
        from torch_geometric import nn as pyg
    except ImportError as missing:
        raise AlgoLensError(
            "PyTorch Geometric is not installed: pip install 'algolens[pyg]'."
        ) from missing
    convolution = getattr(pyg, name, None)
    known = [each for each in dir(pyg) if each.endswith("Conv")]
    if convolution is None or name not in known:
        raise UnknownNameError("convolution of PyTorch Geometric", name, known)
    needed: dict[str, Any] = {
        # GINConv and its like
        "nn": nn.Sequential(nn.Linear(width, width), nn.LeakyReLU(), nn.Linear(width, width)),
        "aggregators": ["mean", "max", "std"],  # PNAConv
        "scalers": ["identity", "amplification", "attenuation"],
        "deg": torch.tensor([0, 1, 2, 4, 4, 8, 2, 1]),
    }
    accepted = inspect.signature(convolution).parameters
    options = {
        key: value
        for key, value in needed.items()
        if key in accepted and accepted[key].default is inspect.Parameter.empty
    }
    if not self_loops and "add_self_loops" in accepted:
        options["add_self_loops"] = False  # some add them where the edges have none
    try:
        sizes = (
            {"in_channels": width, "out_channels": width}
            if {"in_channels", "out_channels"} <= set(accepted)
            else {}
        )
        made: nn.Module = convolution(**sizes, **options)
        with torch.no_grad():
            fits = made(torch.zeros(2, width), torch.tensor([[0, 1], [1, 0]])).shape == (2, width)
    except Exception as problem:
        raise AlgoLensError(
            _not_usable(
                name, str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            )
        ) from problem
    if not fits:
        raise AlgoLensError(_not_usable(name, "it gives another width"))
    return made


def _not_usable(name: str, reason: str) -> str:
    return (
        f"{name} cannot be used with nodes, edges and a width alone ({reason}): choose another, as "
        "GATv2Conv or GINConv."
    )
