"""Traces that CLRS made, read from plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.graphs.cells import TABLES

FOLDER = Path(__file__).parent / "stored"
SIZES = (16, 64)
# CLRS's numbers times this are whole: they are below 2 and have no bits beyond the 57th after the
# point
SCALE = 2.0**57
BITS = 58  # that hold them


@dataclass(frozen=True)
class Trace:
    """One run of CLRS's algorithm, by the names that CLRS gives its probes."""

    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    hints: Mapping[str, np.ndarray]  # each [T, ...]

    @property
    def num_nodes(self) -> int:
        return next(iter(self.inputs.values())).shape[0]

    def graph(self, *, directed: bool, table: str | None = None) -> Graph:
        """Its edges; a task without edges has nodes alone. Self-loops, which CLRS's samplers draw,
        are left out. table: the cells of which table of its nodes it is instead.
        """
        if table is not None:
            cells = TABLES[table](self.num_nodes)
            splits = cells.splits[0] if table == "intervals" else []
            return Graph.pack([len(cells.row)], splits, directed=directed)
        pairs = (
            np.argwhere(self.inputs["A"])
            if "A" in self.inputs
            else np.zeros((0, 2), dtype=np.int64)
        )
        return Graph.pack([self.num_nodes], pairs[pairs[:, 0] != pairs[:, 1]], directed=directed)


def read_traces(task: str, nodes: int) -> list[Trace]:
    """The stored traces of a task."""
    with np.load(FOLDER / f"{task}_{nodes}.npz", allow_pickle=False) as file:
        arrays = dict(file)

    def part(prefix: str, trace: int) -> dict[str, np.ndarray]:
        named = {
            name.removeprefix(f"{prefix}."): data
            for name, data in arrays.items()
            if name.startswith(f"{prefix}.")
        }
        if prefix == "hint":
            return {name: data[: arrays["lengths"][trace], trace] for name, data in named.items()}
        return {name: data[trace] for name, data in named.items()}

    return [
        Trace(part("input", i), part("output", i), part("hint", i))
        for i in range(len(arrays["lengths"]))
    ]


def whole(numbers: np.ndarray, scale: float = SCALE) -> Tensor:
    """Numbers of CLRS as whole numbers, exactly: floats are multiples of a power of two."""
    scaled = numbers.astype(np.float64) * scale
    found = scaled.astype(np.int64)
    assert np.array_equal(found, scaled), "a number has bits beyond the last that is kept"
    assert (abs(found) < 2**BITS).all()
    return torch.from_numpy(found)


def real(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers as CLRS has them, to the nearest float."""
    return numbers / SCALE
