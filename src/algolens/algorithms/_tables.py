"""What algorithms on the cells of a table share: which cell of a table a node of a graph is.

Cells are numbered row by row; nodes that are left over are cells of their own, beside none.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from algolens.algorithms._strings import LETTERS
from algolens.arrays import NUMPY
from algolens.graphs import Graph, Recipe
from algolens.graphs.cells import Cells
from algolens.lazy import nx

# the cells are the nodes of a graph that is drawn
PAIR_TABLES = Recipe(families=("grid",), size=25, train=60, held_out=20, test_sizes=(25, 100))
INTERVAL_TABLES = Recipe(
    families=("intervals",), size=21, train=60, held_out=20, test_sizes=(21, 55), directed=True
)

DRAWN_BITS = 10  # of numbers in intervals, at most: products of three stay far below 62 bits


@cache
def pairs_in(num_nodes: int) -> Cells:
    """The largest square table with at most so many cells."""
    return _filled(Cells.pairs(math.isqrt(num_nodes)), num_nodes)


@cache
def intervals_in(num_nodes: int) -> Cells:
    """The largest table of intervals with at most so many cells."""
    return _filled(Cells.intervals(_ends(num_nodes)), num_nodes)


def _ends(num_nodes: int) -> int:
    """Of how many nodes in a row all intervals are at most so many."""
    return (math.isqrt(8 * num_nodes + 1) - 1) // 2


def _filled(cells: Cells, num_nodes: int) -> Cells:
    size = int(cells.row.max(initial=-1)) + 1
    over = np.arange(size, size + num_nodes - len(cells.row))
    return Cells(np.append(cells.row, over), np.append(cells.column, over))


def draw_distances(graph: Graph, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Which pairs are adjacent, each node with itself too, and the cells beside them."""
    tables = [pairs_in(nodes) for nodes in graph.node_counts.tolist()]
    loops = np.concatenate([table.row == table.column for table in tables])
    adjacent = loops | (rng.random(len(loops)) < 0.3)
    return {"adjacent": adjacent, **_beside(tables)}


def draw_words(graph: Graph, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two words, one after the other, whose letters are the rows and the columns."""
    tables = [pairs_in(nodes) for nodes in graph.node_counts.tolist()]
    parts: dict[str, list[np.ndarray]] = {}
    for table in tables:
        size = int(table.row.max()) + 1
        letter = rng.integers(0, LETTERS, size)
        in_second = np.arange(size) >= rng.integers(1, max(size, 2))
        for whose, place in (("row", table.row), ("column", table.column)):
            parts.setdefault(f"{whose}_letter", []).append(letter[place])
            parts.setdefault(f"{whose}_in_second", []).append(in_second[place])
    words = {name: np.concatenate(values) for name, values in parts.items()}
    return {**words, **_beside(tables)}


def draw_intervals(
    graph: Graph, rng: np.random.Generator, bits: int, *names: str
) -> dict[str, np.ndarray]:
    """Numbers of a row of nodes, as cells of its intervals have them; cells beside and splits."""
    graph = graph.to(NUMPY)
    tables = [intervals_in(nodes) for nodes in graph.node_counts.tolist()]
    parts: dict[str, list[np.ndarray]] = {}
    for table in tables:
        for name in names:
            numbers = rng.integers(0, 2 ** min(bits, DRAWN_BITS), int(table.row.max()) + 1)
            parts.setdefault(f"row_{name}", []).append(numbers[table.row])
            parts.setdefault(f"column_{name}", []).append(numbers[table.column])
    edges = np.split(
        graph.edges - graph.first_node[graph.edge_owner],
        graph.first_edge.tolist()[1:],
        1,
    )
    rest = [table.rest(*ends) for table, ends in zip(tables, edges, strict=True)]
    return {
        **{name: np.concatenate(values) for name, values in parts.items()},
        **_beside(tables),
        "rest": np.concatenate(rest),
    }


def _beside(tables: list[Cells]) -> dict[str, np.ndarray]:
    """What cells of tables side by side point to, each inside its own."""
    names = tables[0].beside
    return {name: np.concatenate([table.beside[name] for table in tables]) for name in names}


def pairs_of(graph: nx.Graph) -> dict[tuple[int, int], int]:
    """The node of each pair of rows and columns; nothing where the graph is no such table."""
    return _places(graph, pairs_in(len(graph)))


def intervals_of(graph: nx.Graph) -> dict[tuple[int, int], int]:
    """The node of each interval, the shorter ones first; nothing where the graph is no table."""
    cells = intervals_in(len(graph))
    edges, rest = Cells.intervals(_ends(len(graph))).splits
    splits = {
        (int(part), int(whole)): int(over) for (part, whole), over in zip(edges, rest, strict=True)
    }
    if {(u, v): values["rest"] for u, v, values in graph.edges(data=True)} != splits:
        return {}
    return dict(sorted(_places(graph, cells).items(), key=lambda item: item[0][1] - item[0][0]))


def _places(graph: nx.Graph, cells: Cells) -> dict[tuple[int, int], int]:
    is_table = all(
        values[name] == places[node]
        for node, values in graph.nodes.items()
        for name, places in cells.beside.items()
        if name in values
    )
    pairs = zip(cells.row.tolist(), cells.column.tolist(), strict=True)
    return {pair: node for node, pair in enumerate(pairs)} if is_table else {}
