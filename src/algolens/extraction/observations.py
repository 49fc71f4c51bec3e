"""The concept patterns of a run, each once, with how often it came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from algolens.execution import Run
from algolens.logic import pack, unpack


@dataclass(frozen=True, eq=False)
class Observations:
    """What was seen and decided at M elements and steps, of which P patterns are distinct."""

    names: tuple[str, ...]
    patterns: np.ndarray  # [P] packed
    counts: np.ndarray  # [P] how often each was seen
    which: np.ndarray  # [M] the place of each element's pattern
    decided: Mapping[str, np.ndarray]  # each [M], the number of the class that the run decided on
    true: Mapping[str, np.ndarray]  # each [M], that of the true trace

    @property
    def bools(self) -> np.ndarray:
        """[P, C] the patterns unpacked."""
        return unpack(self.patterns, len(self.names))

    def over(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The patterns as some of the concepts show them: [Q] packed, and [P] the place of each
        pattern among them.
        """
        columns = [self.names.index(name) for name in names]
        return np.unique(pack(self.bools[:, columns]), return_inverse=True)


def observe(run: Run, truth: Run) -> Observations:
    """Every element of every step that both a run and the true trace of the same graphs took."""
    declaration = run.algorithm.declaration
    steps = min(run.num_steps, truth.num_steps)
    alive = (run.is_alive[:steps] & truth.is_alive[:steps])[
        :, run.graph.owner(declaration.location)
    ]

    def numbers(values: Mapping[str, Tensor]) -> dict[str, np.ndarray]:
        return {
            name: value[:steps][alive].cpu().numpy().astype(np.int64)
            for name, value in values.items()
        }

    patterns, which, counts = np.unique(
        pack(run.concepts[:steps][alive].cpu().numpy()), return_inverse=True, return_counts=True
    )
    return Observations(
        declaration.concepts, patterns, counts, which, numbers(run.outputs), numbers(truth.outputs)
    )


def steps_ahead(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What ``smallest_exists`` takes: the concepts after every step of every graph, [M, C]; the
    step each belongs to; and whether the run went on there.
    """
    location = run.algorithm.declaration.location
    owner = run.graph.owner(location)
    took = run.is_alive  # [T, G]
    number = torch.full(took.shape, -1, dtype=torch.int64, device=took.device)
    number[took] = torch.arange(int(took.sum()), device=took.device)
    of_element = number[:, owner]
    alive = of_element >= 0
    return (
        run.concepts_ahead[alive].cpu().numpy(),
        of_element[alive].cpu().numpy(),
        run.goes_on[took].cpu().numpy(),
    )
