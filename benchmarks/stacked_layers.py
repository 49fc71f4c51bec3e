"""Five seeds' message passing, 12 steps and their gradients: layers with a dimension of seeds, and
PyTorch's own layers stacked by ``torch.func``. ``--gpu``: recorded on a GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from algolens.models.layers import draw_all, gradients_at_once
from algolens.models.recurrent import MessagePassing

# as in a batch of the paper's sets
SEEDS, NODES, ARCS, WIDTH, STEPS = 5, 640, 3_500, 32, 12
TIMED = 10  # of which the fastest counts


class Plain(nn.Module):
    """The same message passing for one seed, of PyTorch's own layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.bias = nn.Parameter(torch.zeros(WIDTH))
        self.message, self.update = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        # vmap cannot take PyTorch's fused GRU cell
        self.from_input, self.from_state = (nn.Linear(WIDTH, 3 * WIDTH) for _ in range(2))

    def forward(self, z: Tensor, memory: Tensor, edge_index: Tensor) -> Tensor:
        senders, receivers = edge_index
        receiver, sender, own = self.first(z).chunk(3, -1)
        receiver = (receiver + self.bias).index_select(0, receivers)
        messages = self.message(F.leaky_relu(receiver + sender.index_select(0, senders)))
        rows = receivers[:, None].expand_as(messages)
        best = torch.full_like(z, -torch.inf).scatter_reduce(0, rows, messages, "amax")
        best = F.leaky_relu(torch.where(best.isinf(), 0.0, best))
        x = F.leaky_relu(own + self.update(best))
        reset_x, update_x, new_x = self.from_input(x).chunk(3, -1)
        reset_h, update_h, new_h = self.from_state(memory).chunk(3, -1)
        update = torch.sigmoid(update_x + update_h)
        new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
        return new + update * (memory - new)


def main(device: torch.device) -> None:
    """Prints milliseconds."""
    torch.set_num_threads(1)
    edge_index = torch.randint(0, NODES, (2, ARCS), generator=torch.Generator().manual_seed(0))
    edge_index[1, :NODES] = torch.arange(NODES)  # everybody receives
    edge_index, z = edge_index.to(device), torch.randn(SEEDS, NODES, WIDTH).to(device)
    own = MessagePassing(SEEDS, WIDTH)
    draw_all(own, range(SEEDS))
    own.to(device)
    modules = [Plain().to(device) for _ in range(SEEDS)]
    stacked, _ = stack_module_state(modules)
    one = vmap(lambda weights, *x: functional_call(modules[0], weights, (*x, edge_index)))

    def run(step: Callable[[Tensor, Tensor], Tensor], weights: list[Tensor]) -> None:
        memory = torch.zeros_like(z)
        for _ in range(STEPS):
            memory = step(z + memory, memory)
        torch.autograd.grad(memory.sum(), weights)

    def with_seeds() -> None:
        edges = own.connect(edge_index, SEEDS, NODES)
        with gradients_at_once(own) if device.type == "cuda" else nullcontext():
            run(lambda z, memory: own(z, memory, edges), list(own.parameters()))

    def by_func() -> None:
        run(lambda z, memory: one(stacked, z, memory), list(stacked.values()))

    for name, call in (("a dimension of seeds", with_seeds), ("torch.func", by_func)):
        print(f"{name}: {_milliseconds(call, device):.1f} ms")


def _milliseconds(call: Callable[[], None], device: torch.device) -> float:
    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize()

    if device.type == "cuda":
        aside = torch.cuda.Stream()
        with torch.cuda.stream(aside):
            call()
        wait()
        recording = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recording):
            call()
        call = recording.replay
    seconds = []
    for _ in range(TIMED):
        wait()
        started = time.perf_counter()
        call()
        wait()
        seconds.append(time.perf_counter() - started)
    return 1000 * min(seconds)


if __name__ == "__main__":
    main(torch.device("cuda" if "--gpu" in sys.argv else "cpu"))
