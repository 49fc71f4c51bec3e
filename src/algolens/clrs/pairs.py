"""CLRS's tasks on pairs of nodes, which are cells of a table here."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from algolens.clrs.task import ClrsTask, Ours, final, mark_at, state
from algolens.clrs.traces import Trace, whole
from algolens.engines import Run
from algolens.graphs import Graph
from algolens.graphs.cells import Cells

# CLRS's numbers times these are whole: they were drawn with so few bits
PATH_SCALE = 2.0**10
SIZE_SCALE = 2.0**10
TREE_SCALE = 2.0**15

MASKED = -1  # CLRS's mark where a category has no class


# ---- inputs


def _beside(cells: Cells, *names: str) -> dict[str, Tensor]:
    return {name: torch.from_numpy(cells.beside[name]) for name in names}


def _adjacencies(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    weight = trace.inputs["A"]
    adjacent = (weight != 0) | np.eye(len(weight), dtype=bool)
    return {
        "weight": whole(weight.ravel(), PATH_SCALE),
        "adjacent": torch.from_numpy(adjacent.ravel()),
        **_beside(Cells.pairs(len(weight)), "leftmost", "topmost", "right", "down"),
    }


def _words(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    letter, in_second = trace.inputs["key"].argmax(-1), trace.inputs["string"] == 1
    cells = Cells.pairs(len(letter))
    at_cells = {
        f"{whose}_{name}": torch.from_numpy(values[place])
        for whose, place in (("row", cells.row), ("column", cells.column))
        for name, values in (("letter", letter), ("in_second", in_second))
    }
    return {**at_cells, **_beside(cells, "up", "left")}


def _searches(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    cells = Cells.intervals(trace.num_nodes)
    key, gap = (whole(trace.inputs[name], TREE_SCALE) for name in ("p", "q"))
    return {
        "column_key": key[cells.column],
        "column_gap": gap[cells.column],
        **_beside(cells, "left"),
        "rest": torch.from_numpy(cells.splits[1]),
    }


def _sizes(trace: Trace, _graph: Graph) -> dict[str, Tensor]:
    cells = Cells.intervals(trace.num_nodes)
    size = whole(trace.inputs["p"], SIZE_SCALE)
    return {
        "row_size": size[cells.row],
        "column_size": size[cells.column],
        **_beside(cells, "up", "left"),
        "rest": torch.from_numpy(cells.splits[1]),
    }


# ---- what a field of CLRS is in a run of ours


def _square(values: Ours) -> Ours:
    """[..., N, N] what cells of all pairs have."""

    def squared(run: Run) -> np.ndarray:
        flat = values(run)
        size = math.isqrt(run.graph.num_nodes)
        return flat.reshape(*flat.shape[:-1], size, size)

    return squared


def _real(values: Ours, scale: float) -> Ours:
    return lambda run: values(run) / scale


def _before(values: Ours) -> Ours:
    """[..., N, N] the last node but one on a path: the row of the cell of its last edge."""

    def rows(run: Run) -> np.ndarray:
        pairs = _square(values)(run)
        return pairs // pairs.shape[-1]

    return rows


def _through(run: Run) -> np.ndarray:
    """[states, N] the node that paths go through in the next step."""
    first = _square(state("first"))(run)
    return mark_at(first[:, 0, 0], first.shape[-1])


def _classes(values: Ours) -> Ours:
    """[..., N, N, 4] a class of three, and the mark of pairs that are none of two letters."""

    def marks(run: Run) -> np.ndarray:
        inside = ~run.inputs["row_in_second"].numpy() & run.inputs["column_in_second"].numpy()
        one_hot = np.append(np.eye(3, dtype=int), np.zeros((3, 1), dtype=int), 1)[
            _square(values)(run)
        ]
        return np.where(_square(lambda _: inside)(run)[..., None], one_hot, [0, 0, 0, MASKED])

    return marks


def _in_two_rows(run: Run) -> np.ndarray:
    """[states, N] the letter before; a first letter has itself."""
    in_second = _square(lambda run: run.inputs["column_in_second"].numpy())(run)[0]
    before = np.arange(len(in_second)) - 1
    begins = np.diff(in_second, prepend=~in_second[:1])
    before[begins] += 1
    return np.broadcast_to(before, (run.num_steps + 1, len(before)))


def _upper(values: Ours) -> Ours:
    """[..., N, N] what cells of intervals have; below the diagonal, nothing."""

    def squared(run: Run) -> np.ndarray:
        flat, cells = values(run), _intervals(run)
        size = int(cells.row.max()) + 1
        square = np.zeros((*flat.shape[:-1], size, size), dtype=flat.dtype)
        square[..., cells.row, cells.column] = flat
        return square

    return squared


def _intervals(run: Run) -> Cells:
    return Cells.intervals((math.isqrt(8 * run.graph.num_nodes + 1) - 1) // 2)


def _where(values: Ours, name: str) -> Ours:
    """Numbers where a mask of the state is; elsewhere 0, as in CLRS."""
    return lambda run: np.where(state(name)(run), values(run), 0)


def _split(values: Ours) -> Ours:
    """[..., cells] where an interval is split: the last of its first part; 0 where it is not."""

    def last(run: Run) -> np.ndarray:
        first_part, cells = values(run), _intervals(run)
        is_split = first_part != np.arange(len(cells.row))
        return np.where(is_split, cells.column[first_part], 0)

    return last


def _in_one_row(run: Run) -> np.ndarray:
    """[states, N] the node before, in the order in which nodes are given."""
    before = np.maximum(np.arange(int(_intervals(run).row.max()) + 1) - 1, 0)
    return np.broadcast_to(before, (run.num_steps + 1, len(before)))


PAIRS = (
    ClrsTask(
        "floyd_warshall",
        "floyd_warshall",
        "Step by step the same; after the last step, CLRS has no hint. Self-loops, which CLRS's "
        "samplers draw, are weights of nodes to themselves.",
        inputs=_adjacencies,
        outputs={"Pi": _before(final("last_edge"))},
        hints={
            "Pi_h": _before(state("last_edge")),
            "D": _real(_square(state("distance")), PATH_SCALE),
            "msk": _square(state("reached")),
            "k": _through,
        },
        closing=1,
    ),
    ClrsTask(
        "lcs_length",
        "lcs_length",
        "Step by step the same. CLRS begins with the first row and the first column, which our "
        "first step fills, and has no hint after the last step.",
        inputs=_words,
        outputs={"b": _classes(final("taken_from"))},
        hints={
            "b_h": _classes(state("taken_from")),
            "c": _square(state("length")),
            "pred_h": _in_two_rows,
        },
        skipped=1,
        closing=1,
    ),
    ClrsTask(
        "matrix_chain_order",
        "matrix_chain_order",
        "Step by step the same; after the last step, CLRS has no hint.",
        inputs=_sizes,
        directed=True,
        outputs={"s": _upper(_split(final("first_part")))},
        hints={
            "s_h": _upper(_split(state("first_part"))),
            "m": _real(_upper(state("cost")), SIZE_SCALE**3),
            "msk": _upper(state("known")),
            "pred_h": _in_one_row,
        },
        closing=1,
    ),
    ClrsTask(
        "optimal_bst",
        "optimal_bst",
        "Step by step the same. What is not known yet is 0 in CLRS.",
        inputs=_searches,
        directed=True,
        outputs={"root": _upper(_split(final("left_tree")))},
        hints={
            "root_h": _upper(_split(state("left_tree"))),
            "e": _real(_upper(_where(state("cost"), "known")), TREE_SCALE),
            "w": _real(_upper(_where(state("weight"), "known")), TREE_SCALE),
            "msk": _upper(state("known")),
            "pred_h": _in_one_row,
        },
    ),
)
