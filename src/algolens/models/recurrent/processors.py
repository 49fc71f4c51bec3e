"""Processors: the paper's message passing, and convolutions, as those of PyTorch Geometric."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from algolens.errors import AlgoLensError, UnknownNameError
from algolens.models.architecture import LITERAL, PAPERS
from algolens.models.layers import GRU, SLOPE, Bias, Linear, leaky, weight_gradient
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.weights import join_weights


class Processor(nn.Module, ABC):
    """Eq. 2: H = P(Z, E), one round of messages between neighbours."""

    # whether a GPU can record it: shapes do not depend on the graphs of a batch, as in edge_index
    can_record: ClassVar[bool] = False
    # whether a node's latent state follows from its own values and the set of its senders': how
    # many send the same makes no difference
    by_set: ClassVar[bool] = False

    @abstractmethod
    def __init__(self, seeds: tuple[int, ...], width: int) -> None:
        super().__init__()

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""

    @abstractmethod
    def forward(self, z: Tensor, memory: Tensor, table: Neighbourhoods) -> Tensor:
        """[S, N, width] latent states, from encoded inputs and the last ones, of the same shape."""


class MessagePassing(Processor):
    """h_i = GRU(leaky(U [z_i, max_j M(z_i, z_j)]), h_i), where M is two layers with LeakyReLU."""

    can_record = True
    by_set = True

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

    def forward(self, z: Tensor, memory: Tensor, table: Neighbourhoods) -> Tensor:
        receiver, sender, own = self.first(z).chunk(3, -1)
        best = max_message(receiver + self.first_bias.bias, sender, self.message.weight, table)
        # the second layer's bias and LeakyReLU are monotonic, and may follow the maximum
        message = leaky(best + self.message_bias.bias)
        return self.gate(leaky(own + self.update(message)), memory)


def max_message(receiver: Tensor, sender: Tensor, weight: Tensor, table: Neighbourhoods) -> Tensor:
    """[S, N, F] max over all j that send to i of leaky(receiver_i + sender_j) @ weight, or 0."""
    return _MaxMessage.apply(receiver, sender, weight, table)


class _MaxMessage(torch.autograd.Function):
    """Only gathers, also backwards: what a node sent lies in the reverse slots of its columns."""

    @staticmethod
    def forward(
        ctx: Any, receiver: Tensor, sender: Tensor, weight: Tensor, table: Neighbourhoods
    ) -> Tensor:
        first = table.gather(sender).add_(table.columns(receiver)[:, None])
        nn.functional.leaky_relu_(first, SLOPE)
        second = torch.bmm(first.view(len(first), -1, first.shape[-1]), weight)
        second = table.without_empty(second.view(*first.shape[:3], -1))
        best = table.most(second)
        ctx.save_for_backward(first, second, best, weight)
        ctx.table = table
        return best

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        first, second, best, weight = ctx.saved_tensors
        table: Neighbourhoods = ctx.table
        # 1 where a message is the best, else 0: as numbers, for PyTorch is slow with booleans
        share = torch.eq(second, table.columns(best)[:, None], out=torch.empty_like(second))
        # equal messages share the gradient; a node that nobody sends to has none
        equals = table.nodes(share.sum(1)).clamp_(min=1)
        share.mul_(table.columns(grad / equals)[:, None])
        flat, share = (x.view(len(first), -1, x.shape[-1]) for x in (first, share))
        # LeakyReLU's gradient goes by the sign of its result as well as by that of its argument
        grad_first = torch.ops.aten.leaky_relu_backward(
            torch.bmm(share, weight.mT), flat, SLOPE, True
        ).view_as(first)
        grad_weight = weight_gradient(flat, share)
        return table.nodes(grad_first.sum(1)), table.gather_back(grad_first), grad_weight, None


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

    def forward(self, z: Tensor, memory: Tensor, table: Neighbourhoods) -> Tensor:
        edges = table.edge_index
        latent = torch.stack(
            [leaky(convolve(x, edges)) for convolve, x in zip(self.convolutions, z, strict=True)]
        )
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
    if not issubclass(chosen, Processor):
        return Convolution(seeds, width, chosen, self_loops=self_loops)
    alone = []
    for seed in seeds:  # what a class draws itself follows from the seed alone, too
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            alone.append(chosen((seed,), width).state_dict())
    together = chosen(seeds, width)
    together.load_state_dict(join_weights(alone))
    return together
