"""Pairs and intervals of nodes, which are cells of a table here, as CLRS tells of them;
``tasks.toml`` names these functions.
"""

from __future__ import annotations

import numpy as np

from algolens.clrs.ours import Ours, mark_at
from algolens.clrs.traces import MASKED


def _squared(run: Ours, values: np.ndarray) -> np.ndarray:
    """[..., N, N] what cells have; where there is no cell, nothing."""
    size, cells = run.num_nodes, run.cells
    square = np.zeros((*values.shape[:-1], size, size), dtype=values.dtype)
    square[..., cells.row, cells.column] = values
    return square


def square(run: Ours, name: str, bits: str = "0", where: str = "") -> np.ndarray:
    """[..., N, N] a field of cells, in units of so many bits. where: a mask, else it is 0."""
    values = run[name] * run[where] if where else run[name]
    return _squared(run, values) / 2.0 ** int(bits)


def row_of(run: Ours, name: str) -> np.ndarray:
    """[..., N, N] the last node but one on a path: the row of the cell of its last edge."""
    return _squared(run, run[name]) // run.num_nodes


def through(run: Ours) -> np.ndarray:
    """[states, N] the node that paths go through in the next step."""
    return mark_at(run["first"][:, 0], run.num_nodes)


def taken_from(run: Ours) -> np.ndarray:
    """[..., N, N, 4] a class of three, and the mark of pairs that are none of two letters."""
    inside = ~run.given("row_in_second") & run.given("column_in_second")
    marks = np.eye(3, 4, dtype=int)[_squared(run, run["taken_from"])]
    return np.where(_squared(run, inside)[..., None], marks, [0, 0, 0, MASKED])


def split(run: Ours, name: str) -> np.ndarray:
    """[..., N, N] where an interval is split: the last of its first part; 0 where it is not."""
    first_part = run[name]
    is_split = first_part != np.arange(run.n)
    return _squared(run, np.where(is_split, run.cells.column[first_part], 0))
