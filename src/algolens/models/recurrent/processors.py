"""Processors: the paper's message passing, convolutions of PyTorch Geometric, a user's own.

Edges come as PyTorch Geometric has them: ``edge_index`` [2, A], senders and receivers.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.algorithms import OWN
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.models.architecture import LITERAL, PAPERS
from algolens.models.layers import (
    GRU,
    SLOPE,
    Bias,
    Linear,
    in_one_matrix,
    leaky,
    weight_gradient,
)
from algolens.models.own_classes import GAVE, add_class, refuse_nan


class Processor(nn.Module, ABC):
    """Eq. 2: H = P(Z, E), one round of messages between neighbours."""

    # whether it takes a maximum of messages: how many neighbours send the same makes no
    # difference, and a batch's edges can be repeated until a GPU can record its shapes
    takes_maximum: ClassVar[bool] = False

    @abstractmethod
    def __init__(self, seeds: tuple[int, ...], width: int) -> None:
        super().__init__()

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""

    @abstractmethod
    def forward(self, z: Tensor, memory: Tensor, edge_index: Tensor) -> Tensor:
        """[S, N, width] latent states, from encoded inputs and the last ones, of the same shape."""


class MessagePassing(Processor):
    """h_i = GRU(leaky(U [z_i, max_j M(z_i, z_j)]), h_i), where M is two layers with LeakyReLU."""

    takes_maximum = True

    def __init__(self, seeds: tuple[int, ...], width: int) -> None:
        super().__init__(seeds, width)
        count = len(seeds)
        # what the encoded input gives to its own message, to its neighbours' messages, and to its
        # update, in one product
        self.first = Linear(count, width, 3 * width, bias=False, fan_in=2 * width)
        self.first_bias = Bias(count, width, fan_in=2 * width)
        self.message = Linear(count, width, width, bias=False)
        self.message_bias = Bias(count, width, fan_in=width)
        self.update = Linear(count, width, width, fan_in=2 * width)
        self.gate = GRU(count, width)

    def facts(self) -> dict[str, Any]:
        return {"processor": "message passing with maximum", "processor_layers": 2}

    def forward(self, z: Tensor, memory: Tensor, edge_index: Tensor) -> Tensor:
        receiver, sender, own = self.first(z).chunk(3, -1)
        best = max_message(receiver + self.first_bias.bias, sender, self.message.weight, edge_index)
        # the second layer's bias and LeakyReLU are monotonic, and may follow the maximum
        message = leaky(best + self.message_bias.bias)
        return self.gate(leaky(own + self.update(message)), memory)


def max_message(receiver: Tensor, sender: Tensor, weight: Tensor, edge_index: Tensor) -> Tensor:
    """[S, N, F] max over all j that send to i of leaky(receiver_i + sender_j) @ weight, or 0."""
    return _MaxMessage.apply(receiver, sender, weight, edge_index)


class _MaxMessage(torch.autograd.Function):
    """Messages in place: autograd's own would keep each of them four times.

    The rows of all seeds are one matrix, along which PyTorch gathers and scatters fastest.
    """

    @staticmethod
    def forward(
        ctx: Any, receiver: Tensor, sender: Tensor, weight: Tensor, edge_index: Tensor
    ) -> Tensor:
        seeds, n, width = receiver.shape
        senders, receivers = (in_one_matrix(index, seeds, n) for index in edge_index)
        first = sender.reshape(-1, width).index_select(0, senders)
        first += receiver.reshape(-1, width).index_select(0, receivers)
        first = F.leaky_relu_(first, SLOPE).view(seeds, -1, width)
        second = torch.bmm(first, weight).flatten(0, 1)
        best = second.new_full((seeds * n, second.shape[1]), -torch.inf)
        best.scatter_reduce_(0, receivers[:, None].expand_as(second), second, "amax")
        ctx.save_for_backward(first, second, best, weight, senders, receivers)
        return best.masked_fill(best == -torch.inf, 0).view(seeds, n, -1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        first, second, best, weight, senders, receivers = ctx.saved_tensors
        # 1 where a message is the best, else 0: as numbers, for PyTorch is slow with booleans
        share = torch.eq(second, best.index_select(0, receivers), out=torch.empty_like(second))
        # equal messages share the gradient; a node that nobody sends to has none
        equals = torch.zeros_like(best).index_add_(0, receivers, share).clamp_(min=1)
        share.mul_((grad.flatten(0, 1) / equals).index_select(0, receivers))
        share = share.view(len(first), -1, share.shape[1])
        # LeakyReLU's gradient goes by the sign of its result as well as by that of its argument
        grad_first = torch.ops.aten.leaky_relu_backward(
            torch.bmm(share, weight.mT), first, SLOPE, True
        ).flatten(0, 1)
        shape = (*grad.shape[:2], first.shape[2])
        grad_receiver, grad_sender = (
            grad_first.new_zeros(len(best), shape[2]).index_add_(0, index, grad_first).view(shape)
            for index in (receivers, senders)
        )
        return grad_receiver, grad_sender, weight_gradient(first, share), None


class Convolution(Processor):
    """h_i = GRU(leaky(convolution(z)_i), h_i), with a convolution of its own for each seed."""

    def __init__(
        self,
        seeds: tuple[int, ...],
        width: int,
        convolution: type[nn.Module],
        *,
        self_loops: bool,
    ) -> None:
        super().__init__(seeds, width)
        self.convolutions = nn.ModuleList()
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                self.convolutions.append(_made(convolution, width, self_loops=self_loops))
        self.gate = GRU(len(seeds), width)

    def facts(self) -> dict[str, Any]:
        convolution = type(self.convolutions[0])
        is_pyg = convolution.__module__.startswith("torch_geometric.")
        whose = "of PyTorch Geometric" if is_pyg else "of the user's own"
        return {"processor": f"{convolution.__name__} {whose}"}

    def forward(self, z: Tensor, memory: Tensor, edge_index: Tensor) -> Tensor:
        modules = zip(self.convolutions, z, strict=True)
        latent = torch.stack([leaky(convolve(x, edge_index)) for convolve, x in modules])
        return self.gate(latent, memory)


def _of_pyg(name: str) -> type[nn.Module]:
    """The convolution of PyTorch Geometric of a name."""
    try:
        from torch_geometric import nn as pyg
    except ImportError as missing:
        raise AlgoLensError(
            f"'{name}' would be a convolution of PyTorch Geometric, which is not installed: pip "
            "install 'algolens[pyg]', or name a class in a file of yours, as my_file.py:Mine."
        ) from missing
    known = [convolution for convolution in dir(pyg) if convolution.endswith("Conv")]
    if name not in known:
        hint = " A class in a file of yours is named as in my_file.py:Mine."
        raise UnknownNameError("convolution of PyTorch Geometric", name, known, hint)
    convolution: type[nn.Module] = getattr(pyg, name)
    return convolution


def _made(convolution: type[nn.Module], width: int, *, self_loops: bool) -> nn.Module:
    """A convolution with what it asks for, tried on two nodes."""
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
    if "width" in accepted:
        options["width"] = width  # a user's own
    if {"in_channels", "out_channels"} <= set(accepted):
        options |= {"in_channels": width, "out_channels": width}
    try:
        made: nn.Module = convolution(**options)
        with torch.no_grad():
            fits = made(torch.zeros(2, width), torch.tensor([[0, 1], [1, 0]])).shape == (2, width)
        reason = "it gives another width"
    except Exception as problem:  # whatever a convolution raises, the user should choose another
        fits, reason = False, (str(problem).splitlines() or [type(problem).__name__])[0]
    if not fits:
        raise AlgoLensError(
            f"{convolution.__name__} cannot be used with nodes, edges and a width alone "
            f"({reason}): choose another, as GATv2Conv or GINConv."
        )
    return made


# those that bring a name of their own; any other name is a convolution of PyTorch Geometric
PROCESSORS: dict[str, type[nn.Module]] = {PAPERS: MessagePassing, LITERAL: MessagePassing}


def processor(name: str, seeds: tuple[int, ...], width: int, *, self_loops: bool) -> Processor:
    """The processor of a name: ``mpnn``, ``mpnn-literal``, one that was added, or a convolution."""
    chosen = PROCESSORS.get(name) or _of_pyg(name)
    if issubclass(chosen, Processor):
        return chosen(seeds, width)
    return Convolution(seeds, width, chosen, self_loops=self_loops)


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


@torch.no_grad()
def _try_out(name: str) -> None:
    """Run a user's class on a path of three nodes; ``_made`` refuses what gives another shape."""
    made = _made(PROCESSORS[name], 5, self_loops=True)
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    refuse_nan(made(x, torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])), GAVE)
