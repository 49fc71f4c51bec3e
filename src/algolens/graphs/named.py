"""One graph as its user has it: packed, and what the user calls it and its nodes."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from algolens.graphs.attributes import Attribute, column, exact_number
from algolens.graphs.cells import TABLES
from algolens.graphs.graph import Graph
from algolens.graphs.scales import number_type


class NodePair(NamedTuple):
    """Two nodes of a user, which are a cell of a table."""

    first: Hashable
    second: Hashable

    def __str__(self) -> str:
        return f"{self.first}:{self.second}"


@dataclass(frozen=True, eq=False)
class NamedGraph:
    """A graph as it was read, and what its user calls it and its nodes."""

    graph: Graph
    nodes: tuple[Hashable, ...]  # of each place, the user's own node
    name: str
    is_drawn: bool = False  # of a random family: what it does not carry is drawn as well
    is_text: bool = False  # of a file: its decimals are no objects of the user
    described: str = ""  # what a page calls it, where it has no name: "8 numbers"

    @property
    def title(self) -> str:
        """What a page calls it: of a file, its name alone, without folders and ending.

        >>> from algolens.graphs import read_graph
        >>> read_graph("examples/village.csv").title
        'village'
        """
        is_file = self.is_text and os.path.exists(self.name)  # else NetworkX's, as nx:petersen
        return self.described or (Path(self.name).stem if is_file else self.name)

    @cached_property
    def has_decimals(self) -> bool:
        """Whether the user counts in objects of Python's Decimal."""
        columns = [values for of in self._attributes.values() for values in of.values()]
        return not self.is_text and any(
            values.dtype == object and Decimal in set(map(type, values)) for values in columns
        )

    def on_cells(self, graph: Graph, table: str | None) -> NamedGraph:
        """The same with the graph of its table's cells, each of which is the pair of its nodes."""
        if graph is self.graph or table is None:
            return self
        cells = TABLES[table](self.graph.num_nodes)
        pairs = zip(cells.row.tolist(), cells.column.tolist(), strict=True)
        nodes = tuple(NodePair(self.nodes[i], self.nodes[j]) for i, j in pairs)
        return replace(self, graph=graph, nodes=nodes)

    @property
    def in_plain_numbers(self) -> Graph:
        """The graph with decimals of a text as floats, so that a column has numbers of one type."""
        if not self.is_text:
            return self.graph
        plain: dict[str, Any] = {
            where: {name: _plain(values) for name, values in attributes.items()}
            for where, attributes in self._attributes.items()
        }
        return replace(self.graph, **plain)

    @property
    def _attributes(self) -> dict[str, Mapping[str, Attribute]]:
        of_all = ("node_attributes", "edge_attributes", "graph_attributes")
        return {where: getattr(self.graph, where) for where in of_all}


def _plain(values: Attribute) -> Attribute:
    """A column with numbers as floats, where some are decimals or floats."""
    if values.dtype != object or number_type(values) is int:
        return values
    numbers = [None if isinstance(value, str) else exact_number(value) for value in values]
    return column(
        [
            value if number is None else float(number)
            for value, number in zip(values, numbers, strict=True)
        ]
    )
