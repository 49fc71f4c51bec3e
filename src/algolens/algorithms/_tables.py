"""What algorithms on the cells of a table share: which cell of a table a node of a graph is."""

from __future__ import annotations

from typing import Any

import numpy as np

from algolens.algorithms import Algorithm
from algolens.arrays import NUMPY
from algolens.graphs import Recipe
from algolens.graphs.cells import Cells, cells_within
from algolens.lazy import nx

DRAWN_BITS = 10  # of numbers in intervals, at most: products of three stay far below 62 bits


class Table(Algorithm, part=True):
    """The cells are the nodes of a graph that is drawn."""

    def sample(self, graph, rng):
        graph = graph.to(NUMPY)
        tables = [cells_within(self.table, nodes) for nodes in graph.node_counts.tolist()]
        drawn = self.draw(graph, tables, rng)
        drawn |= {name: [table.beside[name] for table in tables] for name in tables[0].beside}
        return {name: np.concatenate(drawn[name]) for name in self.declaration.inputs}

    def draw(self, graph, tables, rng):
        """Values of all inputs but of pointers to the cells beside, table by table."""
        raise NotImplementedError


class PairTable(Table, part=True):
    """A cell is a pair of nodes."""

    table = "pairs"
    recipe = Recipe(families=("grid",), size=25, train=60, held_out=20, test_sizes=(25, 100))


class IntervalTable(Table, part=True):
    """A cell is an interval of a row of nodes; an edge leads to it from a first part of it."""

    group, graphs, table = "tables", "directed", "intervals"
    recipe = Recipe(
        families=("intervals",), size=21, train=60, held_out=20, test_sizes=(21, 55), directed=True
    )

    def draw(self, graph, tables, rng):
        """Numbers of a row of nodes, as cells of its intervals have them; and splits."""
        drawn: dict[str, list[np.ndarray]] = {}
        of_row = (name.partition("_")[2] for name in self.declaration.inputs if "_" in name)
        names = list(dict.fromkeys(of_row))
        most = 2 ** min(self.options["bits"], DRAWN_BITS)
        for table in tables:
            for name in names:
                numbers = rng.integers(0, most, int(table.row.max()) + 1)
                drawn.setdefault(f"row_{name}", []).append(numbers[table.row])
                drawn.setdefault(f"column_{name}", []).append(numbers[table.column])
        edges = graph.edges - graph.first_node[graph.edge_owner]
        parts = np.split(edges, graph.first_edge.tolist()[1:], 1)
        return {**drawn, "rest": [t.rest(*part) for t, part in zip(tables, parts, strict=True)]}


def cells_of(graph: nx.Graph, table: str) -> dict[tuple[int, int], int]:
    """The node of each row and column, shorter intervals first; nothing where it is no table."""
    cells = cells_within(table, len(graph))
    is_table = all(
        values[name] == places[node]
        for node, values in graph.nodes.items()
        for name, places in cells.beside.items()
        if name in values
    )
    if table == "pairs":
        return _by_place(cells) if is_table else {}
    edges, rest = cells.splits
    splits = dict(zip(map(tuple, edges.tolist()), rest.tolist(), strict=True))
    is_table &= {(u, v): over for u, v, over in graph.edges(data="rest")} == splits
    by_length = sorted(_by_place(cells).items(), key=lambda item: item[0][1] - item[0][0])
    return dict(by_length) if is_table else {}


def _by_place(cells: Cells) -> dict[tuple[int, int], Any]:
    pairs = zip(cells.row.tolist(), cells.column.tolist(), strict=True)
    return {pair: node for node, pair in enumerate(pairs)}
