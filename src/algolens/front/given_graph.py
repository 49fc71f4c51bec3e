"""Graphs as a user has them, in memory, in a file or in words; results by the user's names."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.errors import GraphError, UnknownNameError
from algolens.graphs import FAMILIES, Graph, from_pyg, from_scipy, load_graph
from algolens.graphs.attributes import Attribute, column, exact_number
from algolens.graphs.cells import TABLES
from algolens.graphs.convert import GraphBuilder
from algolens.graphs.decimals import DecimalColumn
from algolens.graphs.directions import with_directions
from algolens.graphs.edge_tables import EdgeTable, edge_table, node_table
from algolens.graphs.files import NODE_FORMS, read_node_file
from algolens.graphs.scales import number_type
from algolens.graphs.tables import UserTable

FORMS = (
    "a NetworkX graph, a PyTorch Geometric Data, a SciPy sparse matrix, a table of pandas or Arrow "
    "with columns source and target, the path of a file, or words as 'nx:karate_club' and 'grid:50'"
)
THE_GRAPH = "the graph"


class NodePair(NamedTuple):
    """Two nodes of a user, which are a cell of a table."""

    first: Hashable
    second: Hashable

    def __str__(self) -> str:
        return f"{self.first}:{self.second}"


@dataclass(frozen=True, eq=False)
class GivenGraph:
    """A graph as it was read, and what its user calls it and its nodes."""

    graph: Graph
    nodes: tuple[Hashable, ...]  # of each place, the user's own node
    name: str
    is_drawn: bool = False  # of a random family: what it does not carry is drawn as well
    is_text: bool = False  # of a file: its decimals are no objects of the user

    @property
    def title(self) -> str:
        """What a page calls it: of a file, its name alone, without folders and ending.

        >>> from algolens.front.given_graph import read_graph
        >>> read_graph("examples/village.csv").title
        'village'
        """
        is_file = self.is_text and os.path.exists(self.name)  # else a family, as erdos_renyi:20
        return Path(self.name).stem if is_file else self.name

    @cached_property
    def has_decimals(self) -> bool:
        """Whether the user counts in objects of Python's Decimal."""
        columns = [values for of in self._attributes.values() for values in of.values()]
        return not self.is_text and any(
            isinstance(values, DecimalColumn)
            or (isinstance(values, np.ndarray) and Decimal in set(map(type, values)))
            for values in columns
        )

    def on_cells(self, algorithm: Algorithm) -> GivenGraph:
        """The same as an algorithm runs on it; a cell of a table is the pair of its nodes."""
        graph = algorithm.on_cells(self.graph)
        if graph is self.graph or algorithm.table is None:
            return self
        cells = TABLES[algorithm.table](self.graph.num_nodes)
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
    if isinstance(values, DecimalColumn):
        return torch.from_numpy(values.floats())
    if isinstance(values, Tensor) or number_type(values) is int:
        return values
    numbers = [exact_number(value) if not isinstance(value, str) else None for value in values]
    return column(
        [
            value if number is None else float(number)
            for value, number in zip(values, numbers, strict=True)
        ]
    )


def read_graph(
    given: Any,
    nodes: Any = None,
    *,
    directed: bool | None = None,
    seed: int = 0,
    by_default: bool = False,
) -> GivenGraph:
    """The graph that a user gives.

    nodes: a file, or a table of pandas, that says more of the nodes. directed: None: as it is.
    by_default: whether a graph of a random family is directed, where nothing is said.
    """
    if not (directed is None or isinstance(directed, bool | np.bool_)):
        raise GraphError(
            f"directed={directed!r} is neither True nor False: give one of them, or leave it out."
        )
    directed = None if directed is None else bool(directed)
    if isinstance(given, str | os.PathLike):
        return _named(os.fspath(given), nodes, directed, seed, by_default=by_default)
    if isinstance(given, nx.Graph):
        builder = GraphBuilder.of_networkx(given, THE_GRAPH)
        return _built(builder, nodes, directed, THE_GRAPH, given.name or THE_GRAPH)
    if _is_table(given):
        return _built(
            edge_table(given, directed=directed is not None),
            nodes,
            directed,
            "the table",
            "the table",
        )
    if nodes is not None:
        raise GraphError(
            "nodes= goes with a file, a NetworkX graph or a table of edges: put what it says into "
            "the graph itself."
        )
    if isinstance(given, Graph):
        graph = with_directions(given, directed, THE_GRAPH)
    elif sparse.issparse(given):
        graph = from_scipy(given, directed=directed)
    elif _is_of(given, "torch_geometric") and hasattr(given, "edge_index"):
        graph = from_pyg(given, directed=bool(directed))
    else:
        raise GraphError(
            f"a graph is {FORMS}; a {type(given).__name__} of {type(given).__module__} came."
        )
    if graph.num_graphs != 1:
        raise GraphError(
            f"one graph is run at a time, and {graph.num_graphs} came: take one of them."
        )
    return GivenGraph(graph, _numbers_or_names(graph), THE_GRAPH)


def _named(
    words: str | bytes, nodes: Any, directed: bool | None, seed: int, *, by_default: bool
) -> GivenGraph:
    name = os.fsdecode(words)
    is_drawn = name.partition(":")[0] in FAMILIES
    if is_drawn and directed is None:
        directed = by_default
    if nodes is not None and not isinstance(nodes, str | os.PathLike):
        raise GraphError(
            f"nodes= came as a {type(nodes).__name__}, and {name} is read from a file: give "
            f"{NODE_FORMS}."
        )
    graph = load_graph(name, seed, None if nodes is None else os.fspath(nodes), directed=directed)
    return GivenGraph(graph, _numbers_or_names(graph), name, is_drawn, is_text=True)


def _built(
    builder: GraphBuilder | EdgeTable, nodes: Any, directed: bool | None, what: str, name: str
) -> GivenGraph:
    table: UserTable | None
    if isinstance(nodes, str | os.PathLike):
        table = read_node_file(os.fsdecode(nodes))
    elif nodes is None or _is_table(nodes):
        table = node_table(nodes)
    else:
        raise GraphError(
            f"nodes= came as a {type(nodes).__name__}: give {NODE_FORMS}, or a table of pandas."
        )
    graph, own = builder.build(what, table)
    return GivenGraph(with_directions(graph, directed, what), tuple(own), name)


def _numbers_or_names(graph: Graph) -> tuple[Hashable, ...]:
    """What nodes are called: by their names, or numbered from 0."""
    return tuple(range(graph.num_nodes)) if graph.names is None else graph.names


def _is_table(value: object) -> bool:
    """Whether it is a table of pandas, or of a library that hands out Arrow's."""
    is_pandas = _is_of(value, "pandas") and hasattr(value, "columns")
    return is_pandas or hasattr(value, "__arrow_c_stream__")


def _is_of(value: object, library: str) -> bool:
    """Whether a value's class is of a library, which need not be there."""
    return any(cls.__module__.partition(".")[0] == library for cls in type(value).__mro__)


class Outputs(Mapping[str, "ByElement"]):
    """For each output, its values, made when they are asked for; other names are refused."""

    def __init__(
        self, algorithm: str, names: tuple[str, ...], make: Callable[[str], ByElement]
    ) -> None:
        self.algorithm, self.names, self._make = algorithm, names, make
        self._made: dict[str, ByElement] = {}

    def __getitem__(self, name: str) -> ByElement:
        if name not in self.names:
            raise UnknownNameError(f"output of {self.algorithm}", name, self.names)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return repr(dict(self))


class ByElement(dict[Any, Any]):
    """A value for each node, or for each edge by its ends; an undirected edge in either order.

    >>> weights = ByElement({("a", "b"): 1}, "edge", directed=False)
    >>> weights["b", "a"], weights.get(("b", "a")), ("b", "a") in weights
    (1, 1, True)
    """

    def __init__(self, values: dict[Any, Any], what: str, *, directed: bool) -> None:
        super().__init__(values)
        self.what, self.directed = what, directed

    def __missing__(self, element: Any) -> Any:
        known = self._known(element)
        if known is None:
            raise UnknownNameError(f"{self.what} of this graph", element, self)
        return self[known[0]]

    def __contains__(self, element: object) -> bool:
        return super().__contains__(element) or self._known(element) is not None

    def get(self, element: Any, default: Any = None) -> Any:
        """The value of an element; the default where there is no such element."""
        if element not in self:
            return default
        return self[element]

    def _known(self, element: object) -> tuple[Any] | None:
        """What the user calls an element that is named otherwise: by its text, or turned round."""
        called = self._called(element)
        there = self._by_name.get(called)
        if there is None and self.what == "edge" and not self.directed:
            there = self._by_name.get(called[::-1])
        return there

    def _called(self, element: object) -> tuple[str, ...]:
        # 3, and a file that calls it '3'
        if self.what == "edge" and isinstance(element, tuple):
            return tuple(map(str, element))
        return (str(element),)

    @cached_property
    def _by_name(self) -> dict[tuple[str, ...], tuple[Any]]:
        return {self._called(known): (known,) for known in self}
