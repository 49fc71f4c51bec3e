"""How many edges graphs of a family have, and what memory they take: before any is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from algolens.errors import UnknownNameError
from algolens.graphs.random import Family, is_own
from algolens.limits import GRAPHS, SIZE, WholeRange
from algolens.memory import check_memory

# of every node and every link of a graph, while it is drawn and packed: measured, 33 to 53
BYTES_DRAWN = 60.0


def _within_blocks(num_nodes: int) -> float:
    """Pairs of nodes of the same of four equal parts."""
    return num_nodes * (num_nodes / 4 - 1) / 2 if num_nodes > 4 else 0.0


def _pairs(num_nodes: int) -> float:
    return num_nodes * (num_nodes - 1) / 2


def _random_pairs(num_nodes: int) -> float:
    return _pairs(num_nodes) * min(math.log2(num_nodes) / num_nodes, 0.5)


# by family, the edges of a graph of so many nodes, about
EDGES: Mapping[str, Callable[[int], float]] = {
    "ladder": lambda n: 1.5 * n,
    "grid": lambda n: 2.0 * n,
    "tree": lambda n: float(n),
    "erdos_renyi": _random_pairs,
    "barabasi_albert": lambda n: 4.5 * n,
    "community": lambda n: 0.7 * _within_blocks(n) + 0.0075 * _pairs(n),
    "caveman": lambda n: 0.3 * _within_blocks(n) + 0.025 * n,
    "configuration": lambda n: 2.5 * n,
    "intervals": lambda n: (2 * n) ** 1.5 / 6,
    "barabasi_albert_5": lambda n: 5.0 * n,
    "connected_erdos_renyi": _random_pairs,
    "community_by_number": lambda n: 0.7 * _within_blocks(n) + 0.0112 * _pairs(n),
}
# these are drawn node by node, which takes half a minute for so many
LARGEST: Mapping[str, WholeRange] = {
    "tree": WholeRange(1, 200_000),
    "barabasi_albert": WholeRange(1, 1_000_000),
    "barabasi_albert_5": WholeRange(1, 1_000_000),
}


def size_in_words(words: object) -> tuple[int, float] | None:
    """The nodes and the edges, about, of a graph that is drawn, as 'grid:50' names it; else None.

    >>> size_in_words("grid:50"), size_in_words("village.csv")
    ((50, 100.0), None)
    """
    family, _, size = words.partition(":") if isinstance(words, str) else ("", "", "")
    if family not in EDGES or not size.isdecimal():
        return None
    allowed = LARGEST.get(family, SIZE)
    num_nodes = allowed.read(size, f"the number of nodes of '{family}'")
    return num_nodes, EDGES[family](num_nodes)


def check_drawing(counts: Mapping[Family, int], num_nodes: int) -> None:
    """Refuses graphs of families that do not fit into memory. counts: how many of each family.

    What a function of an author draws is not known before.
    """
    elements, what = 0.0, ""
    named = {str(family): count for family, count in counts.items() if not is_own(family)}
    for family, count in named.items():
        if family not in EDGES:
            raise UnknownNameError("family of graphs", family, EDGES)
        LARGEST.get(family, SIZE).check(num_nodes, f"the number of nodes of '{family}'")
        if count:
            GRAPHS.check(count, f"the number of graphs of '{family}'")
        elements += count * (num_nodes + 2 * EDGES[family](num_nodes))
        many = f"'{family}'" if count == 1 else f"{count:,} graphs of '{family}'"
        what = many if len(counts) == 1 else f"{sum(counts.values()):,} graphs"
    check_memory(
        BYTES_DRAWN * elements,
        f"{what} of {num_nodes:,} nodes, about {elements:,.0f} nodes and links,",
        "give fewer nodes or graphs, or a sparser family",
    )
