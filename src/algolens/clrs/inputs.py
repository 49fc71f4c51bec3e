"""What CLRS's traces give, as inputs of our algorithms; ``tasks.toml`` names these functions."""

from __future__ import annotations

import numpy as np

from algolens.clrs.traces import BITS, Trace
from algolens.errors import GraphError
from algolens.graphs import Graph
from algolens.graphs.cells import Cells

Inputs = dict[str, np.ndarray]
# CLRS's sampler cuts coordinates off after so many decimals (benchmarks/clrs_traces.py)
DECIMALS = 6


def whole(numbers: np.ndarray, bits: int = BITS - 1) -> np.ndarray:
    """Numbers of CLRS as whole numbers, exactly: floats are multiples of a power of two.

    bits: how many they have after the point; CLRS's are below 2 and have no bits beyond the 57th.
    """
    scaled = numbers.astype(np.float64) * 2.0**bits
    exact = scaled.astype(np.int64)
    if not np.array_equal(exact, scaled) or (abs(exact) >= 2**BITS).any():
        raise GraphError(
            f"a number of the trace has no room in {BITS} bits as a multiple of 1 / {2**bits:g}: "
            "give traces of CLRS's own samplers, whose numbers have it."
        )
    return exact


def keys(trace: Trace, graph: Graph) -> Inputs:
    """A number at each node."""
    return {"key": whole(trace.inputs["key"])}


def summed_keys(trace: Trace, graph: Graph) -> Inputs:
    """Numbers that are added up: sums are above 1, and no key has bits beyond the 53rd."""
    return {"key": whole(trace.inputs["key"], 53)}


def target(trace: Trace, graph: Graph) -> Inputs:
    """The number that is looked for."""
    return {"target": whole(trace.inputs["target"][None])}


def rank(trace: Trace, graph: Graph) -> Inputs:
    """The rank that CLRS looks for."""
    return {"rank": np.array([trace.num_nodes // 2])}


def weights(trace: Trace, graph: Graph) -> Inputs:
    """A number at each edge."""
    one_end, other_end = np.asarray(graph.edges)
    return {"weight": whole(trace.inputs["A"][one_end, other_end])}


def source(trace: Trace, graph: Graph) -> Inputs:
    """The node that CLRS begins from."""
    return {"source": np.array([int(trace.inputs["s"].argmax())])}


def numbers_of_nodes(trace: Trace, graph: Graph) -> Inputs:
    """Of two nodes, the one of the higher number goes first."""
    return {"priority": np.arange(graph.num_nodes)}


def times(trace: Trace, graph: Graph) -> Inputs:
    """When activities begin and end."""
    return {"begin": whole(trace.inputs["s"]), "end": whole(trace.inputs["f"])}


def deadlines_and_weights(trace: Trace, graph: Graph) -> Inputs:
    """Of tasks to schedule."""
    return {"deadline": trace.inputs["d"].astype(np.int64), "weight": whole(trace.inputs["w"])}


def letters(trace: Trace, graph: Graph) -> Inputs:
    """A text, and a pattern behind it."""
    return {"letter": trace.inputs["key"].argmax(-1), "in_pattern": trace.inputs["string"] == 1}


def points(trace: Trace, graph: Graph) -> Inputs:
    """Points in the plane."""
    placed, unit = {}, 10**DECIMALS
    for name in ("x", "y"):
        placed[name] = np.rint(trace.inputs[name] * unit).astype(np.int64)
        if not np.array_equal(placed[name] / unit, trace.inputs[name]):
            raise GraphError(
                f"a coordinate of the trace has more than {DECIMALS} decimals: make traces with "
                "benchmarks/clrs_traces.py, which cuts them off."
            )
    return placed


def four_ends(trace: Trace, graph: Graph) -> Inputs:
    """The ends of two segments."""
    return {f"p{place + 1}": np.array([place]) for place in range(4)}


# ---- of tables


def adjacencies(trace: Trace, graph: Graph) -> Inputs:
    """Of pairs of nodes: a weight, and whether there is an edge."""
    weight = trace.inputs["A"]
    beside = Cells.pairs(len(weight)).beside
    return {
        "weight": whole(weight.ravel(), 10),
        "adjacent": ((weight != 0) | np.eye(len(weight), dtype=bool)).ravel(),
        **{name: beside[name] for name in ("leftmost", "topmost", "right", "down")},
    }


def pairs_of_letters(trace: Trace, graph: Graph) -> Inputs:
    """Of pairs of letters: both, and in which word they are."""
    letter, in_second = trace.inputs["key"].argmax(-1), trace.inputs["string"] == 1
    cells = Cells.pairs(len(letter))
    at_cells = {"up": cells.beside["up"], "left": cells.beside["left"]}
    for whose, place in (("row", cells.row), ("column", cells.column)):
        at_cells |= {f"{whose}_letter": letter[place], f"{whose}_in_second": in_second[place]}
    return at_cells


def search_keys(trace: Trace, graph: Graph) -> Inputs:
    """Of intervals of nodes: how often its last key is looked for, and the gap beside it."""
    cells = Cells.intervals(trace.num_nodes)
    key, gap = (whole(trace.inputs[name], 15)[cells.column] for name in ("p", "q"))
    left, rest = cells.beside["left"], cells.splits[1]
    return {"column_key": key, "column_gap": gap, "left": left, "rest": rest}


def sizes(trace: Trace, graph: Graph) -> Inputs:
    """Of intervals of matrices: the sizes of the first and the last."""
    cells = Cells.intervals(trace.num_nodes)
    size = whole(trace.inputs["p"], 10)
    return {
        "row_size": size[cells.row],
        "column_size": size[cells.column],
        **{name: cells.beside[name] for name in ("up", "left")},
        "rest": cells.splits[1],
    }
