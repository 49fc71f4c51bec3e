"""What perceivers without memory have in common: they are taught by independent situations, and their messages are bits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor

from algolens.data import Situations
from algolens.execution import Run
from algolens.models.memoryless.lessons import FreshLessons
from algolens.models.perceiver import Perceiver


@dataclass(frozen=True, eq=False)
class Studied:
    """What a perceiver made of situations, every part of it given the truth of what comes before it."""

    head: Tensor  # [S, N, C] concept logits
    sent: Sequence[Tensor]  # [S, ..., bits] logits of all messages
    hints: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)  # scores [S, K, ...] and truth [K]
    others: Mapping[str, Tensor] = field(default_factory=dict)  # [S] each: further losses, by name


class WithoutMemory(Perceiver):
    """A perceiver of exchanges of bits, which sees the discrete state and nothing else: what can be proven right."""

    remembers = False
    most_nodes: ClassVar[int]  # of the graphs in arbitrary states that teach it
    runs: ClassVar[int]  # true runs that are among them now and then

    def facts(self) -> dict[str, Any]:
        """It is none of the paper's: of what makes up theirs it has nothing else, and it is taught by other graphs."""
        return {
            "network": "no memory: messages of bits between elements, in a network that can be proven right",
            "batches": "drawn anew, with what the last proof found wrong",
            "train_graphs": "fresh ones in every batch, in arbitrary states and in runs",
            "train_size": f"up to {self.most_nodes}",
        }

    @abstractmethod
    def study(self, met: Situations, noise: torch.Generator) -> Studied:
        """A look at situations, to learn by. noise: makes unsure comparisons err."""

    def lessons(self, trace: Run, device: torch.device) -> FreshLessons:
        return FreshLessons(trace.algorithm, device, self.most_nodes, self.runs)
