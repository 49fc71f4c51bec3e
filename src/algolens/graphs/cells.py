"""Tables as graphs: a node for every cell, which points to the cells beside it.

Algorithms that go over pairs of nodes run on such a graph, which is made from a user's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, at_both_links, column, joined, picked
from algolens.graphs.graph import Graph

# by the name of a pointer, how many rows and columns away the cell stands that it leads to
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
CELL_POINTERS = {*STEPS, "leftmost", "topmost"}
ADJACENT, REST = "adjacent", "rest"
MOST_NODES = {"pairs": 2_000, "intervals": 300}  # about four million cells, or splits


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a table with as many rows as columns, row by row.

    >>> table = Cells.intervals(3)
    >>> [(int(i), int(j)) for i, j in zip(table.row, table.column)]
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    >>> table.beside["up"].tolist()
    [0, 1, 2, 1, 2, 4]
    """

    row: np.ndarray  # [N]
    column: np.ndarray  # [N]

    @classmethod
    def pairs(cls, size: int) -> Cells:
        """Every row with every column."""
        return cls(*np.indices((size, size)).reshape(2, -1))

    @classmethod
    def intervals(cls, size: int) -> Cells:
        """Every row with the columns from its own number on."""
        return cls(*np.triu_indices(size))

    @cached_property
    def _number(self) -> np.ndarray:
        """[rows, columns] the number of a cell; -1 where there is none."""
        size = int(self.row.max(initial=-1)) + 1
        numbers = np.full((size, size), -1, dtype=np.int64)
        numbers[self.row, self.column] = np.arange(len(self.row))
        return numbers

    @cached_property
    def beside(self) -> dict[str, np.ndarray]:
        """[N] by direction, the next cell there; and the first of the row, and of the column.

        Where there is none, the cell itself.
        """
        cells = np.arange(len(self.row))
        around = np.pad(self._number, 1, constant_values=-1)
        pointers = {}
        for name, (down, right) in STEPS.items():
            there = around[self.row + down + 1, self.column + right + 1]
            pointers[name] = np.where(there < 0, cells, there)
        is_cell = self._number >= 0
        pointers["leftmost"] = self._number[self.row, is_cell.argmax(1)[self.row]]
        pointers["topmost"] = self._number[is_cell.argmax(0)[self.column], self.column]
        return pointers

    @cached_property
    def splits(self) -> tuple[np.ndarray, np.ndarray]:
        """Of intervals, every way to split one in two: [E, 2] from the first part to the whole, and
        [E] the second part.
        """
        lengths = self.column - self.row
        whole = np.repeat(np.arange(len(self.row)), lengths)
        middle = np.arange(len(whole)) - np.repeat(lengths.cumsum() - lengths, lengths)
        middle += self.row[whole]
        part = self._number[self.row[whole], middle]
        order = np.lexsort([whole, part])
        part, whole = part[order], whole[order]
        return np.stack([part, whole], 1), self.rest(part, whole)

    def rest(self, part: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """[E] what a part leaves of a whole interval; itself where it is not its first part."""
        is_first = (self.row[part] == self.row[whole]) & (self.column[part] < self.column[whole])
        after = np.minimum(self.column[part] + 1, len(self._number) - 1)
        return np.where(is_first, self._number[after, self.column[whole]], part)


TABLES: dict[str, Callable[[int], Cells]] = {"pairs": Cells.pairs, "intervals": Cells.intervals}


@cache
def cells_within(table: str, most: int) -> Cells:
    """The largest table with at most so many cells, and those that are left over, each alone.

    >>> cells = cells_within("intervals", 7)
    >>> [*zip(cells.row.tolist(), cells.column.tolist())]
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (3, 3)]
    """
    size = math.isqrt(most) if table == "pairs" else (math.isqrt(8 * most + 1) - 1) // 2
    cells = TABLES[table](size)
    over = np.arange(size, size + most - len(cells.row))
    return Cells(np.append(cells.row, over), np.append(cells.column, over))


def cells_of(graph: Graph, table: str) -> Graph:
    """The graph of all pairs of nodes of a graph, or of all intervals of its row of nodes.

    Parameters
    ----------
    graph : Graph
        One graph.
    table : str
        ``"pairs"``: a cell for each node and each node, itself too. ``"intervals"``: a cell for
        each node and each that is not before it, and an edge from (i, k) to (i, j) for each k from
        i to before j, whose ``rest`` is (k + 1, j).

    Returns
    -------
    Graph
        Its nodes are called ``i:j``. What node i has under a name, cells of its row have as
        ``row_NAME``, and cells of its column as ``column_NAME``. What a link has, its cell has; a
        cell without one has 0, and is not ``adjacent``. Each points to the cells beside it.

    Examples
    --------
    >>> path = Graph.pack([2], [(0, 1)], directed=True)
    >>> cells = cells_of(path, "pairs")
    >>> cells.names, cells.node_attributes["adjacent"].tolist()
    (('0:0', '0:1', '1:0', '1:1'), [True, True, False, True])
    """
    if graph.num_graphs != 1:
        raise GraphError(f"the cells of one graph are made, and {graph.num_graphs} came: take one.")
    if graph.num_nodes > MOST_NODES[table]:
        raise GraphError(
            f"the {table} of {graph.num_nodes:,} nodes are too many to look at: give at most "
            f"{MOST_NODES[table]:,} nodes."
        )
    cells = TABLES[table](graph.num_nodes)
    names = _names([graph.name_of(node) for node in range(graph.num_nodes)], cells)
    row, other = cells.row, cells.column
    at_nodes: dict[str, Attribute] = {}
    for name, values in graph.node_attributes.items():
        at_nodes |= {f"row_{name}": picked(values, row), f"column_{name}": picked(values, other)}
    at_nodes |= _of_links(graph, cells) | {
        name: names[places] for name, places in cells.beside.items()
    }
    if table == "pairs":
        made = Graph.pack([len(names)], [], directed=graph.directed)
        return replace(made, names=tuple(names), node_attributes=at_nodes)
    edges, rest = cells.splits
    return replace(
        Graph.pack([len(names)], edges, directed=True),
        names=tuple(names),
        node_attributes=at_nodes,
        edge_attributes={REST: names[rest]},
    )


def _names(nodes: list[str], cells: Cells) -> np.ndarray:
    """[N] what cells are called; two are never called alike."""
    is_doubtful = any(":" in node for node in nodes)
    called = [f"({node!r})" if is_doubtful else node for node in nodes]
    return np.array(
        [f"{called[i]}:{called[j]}" for i, j in zip(cells.row, cells.column, strict=True)],
        dtype=object,
    )


def _of_links(graph: Graph, cells: Cells) -> dict[str, Attribute]:
    """What the link of a cell has, and whether there is one; from a node to itself, there is."""
    size, (sender, receiver) = graph.num_nodes, graph.links
    link = np.full((size, size), graph.num_links, dtype=np.int64)
    link[sender, receiver] = np.arange(graph.num_links)
    of_cell = link[cells.row, cells.column]
    there = (of_cell < graph.num_links) | (cells.row == cells.column)
    at_edges = graph.edge_attributes
    at_links = at_edges if graph.directed else at_both_links(at_edges)
    return {ADJACENT: there} | {
        name: picked(joined([values, column([0])]), of_cell) for name, values in at_links.items()
    }
