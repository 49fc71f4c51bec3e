"""How many threads a piece of work is worth."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from algolens.arrays import NUMPY
from algolens.lazy import torch

# numbers in a tensor: with fewer, threads wait for each other longer than they work, on a busy
# machine by far
LARGE = 2**18


def threads_for(numbers: int, most: int) -> int:
    """One for small tensors, for large ones as many as there may be."""
    return most if numbers >= LARGE else 1


class Threads:
    """As many threads as tensors are worth, while some work goes on; afterwards as many as before,
    and never more than that. NumPy's arrays are worked on by one thread.
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.most = self.now = 1 if device == NUMPY else torch.get_num_threads()

    def __enter__(self) -> Threads:
        return self

    def suit(self, numbers: int) -> None:
        """From now on, tensors hold about so many numbers."""
        wanted = threads_for(numbers, self.most)
        if wanted != self.now:
            torch.set_num_threads(wanted)
            self.now = wanted

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.suit(LARGE)
