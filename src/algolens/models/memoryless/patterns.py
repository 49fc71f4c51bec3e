"""Patterns of concepts met so far: what the concept decoders and the go-on bit are taught by."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from algolens.algorithms import Declaration
from algolens.data import Situations


class Patterns:
    """The different patterns of concepts met, their outputs, and whether a graph that stops ever held one.

    Frequent patterns would drown rare ones, so each counts once. Whether to go on is known of whole graphs only: in a graph
    that stops, no node asks to go on; so a node asks whose pattern was never met in such a graph.
    """

    def __init__(self, declaration: Declaration) -> None:
        self.location = declaration.location
        self.concepts = torch.zeros(0, len(declaration.concepts), dtype=torch.bool)  # [P, C]
        self.outputs = {name: torch.zeros(0, dtype=kind.dtype) for name, kind in declaration.outputs.items()}  # each [P]
        self.asks = torch.zeros(0, dtype=torch.bool)  # [P]

    def add(self, met: Situations) -> None:
        """Takes down the patterns of situations."""
        asks = torch.ones(len(met.concepts), dtype=torch.bool, device=met.concepts.device)
        if met.goes_on is not None:
            asks = met.goes_on[met.setting.graph.owner(self.location)]
        rows, asks = torch.cat([self.concepts.to(asks.device), met.concepts]), torch.cat([self.asks.to(asks.device), asks])
        here, first = _different(rows)
        always = torch.ones(len(first), dtype=torch.bool, device=rows.device)
        always[here[~asks]] = False
        outputs = {name: torch.cat([known.to(asks.device), met.outputs[name]])[first] for name, known in self.outputs.items()}
        self.concepts, self.outputs, self.asks = rows[first], outputs, always

    def state(self) -> dict[str, Tensor]:
        """All of it, by name."""
        return {
            "concepts": self.concepts,
            "asks": self.asks,
            **{f"outputs.{name}": each for name, each in self.outputs.items()},
        }

    def resume(self, state: Mapping[str, Tensor]) -> None:
        """Takes what ``state`` gave."""
        self.concepts, self.asks = state["concepts"], state["asks"]
        self.outputs = {name: state[f"outputs.{name}"] for name in self.outputs}


def _different(rows: Tensor) -> tuple[Tensor, Tensor]:
    """For each row of bools the number of its pattern, and for each pattern a row that shows it."""
    keys = torch.zeros(len(rows), dtype=torch.int64, device=rows.device)
    for column in rows.unbind(1):
        keys = keys * 2 + column
    different, here = keys.unique(return_inverse=True)
    places = torch.arange(len(rows), device=rows.device)
    return here, torch.zeros_like(different).scatter_(0, here, places)
