"""Graphs as users give them: in memory, in a file, or in words."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from algolens.errors import GraphError
from algolens.graphs.builder import GraphBuilder
from algolens.graphs.convert import from_pyg, from_scipy
from algolens.graphs.directions import with_directions
from algolens.graphs.families import FAMILIES
from algolens.graphs.files import NODE_FORMS, load_graph, read_node_file
from algolens.graphs.graph import Graph
from algolens.graphs.named import NamedGraph
from algolens.graphs.tables import UserTable, table_of
from algolens.lazy import is_instance

FORMS = (
    "a NetworkX graph, a PyTorch Geometric Data, a SciPy sparse matrix, a table of pandas or Arrow "
    "with columns source and target, the path of a file, or words as 'nx:karate_club' and 'grid:50'"
)
THE_GRAPH, THE_TABLE = "the graph", "the table"


def read_graph(
    given: Any,
    nodes: Any = None,
    *,
    directed: bool | None = None,
    seed: int = 0,
    by_default: bool = False,
) -> NamedGraph:
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
        return _named(os.fsdecode(given), nodes, directed, seed, by_default=by_default)
    if is_instance(given, "networkx", "Graph"):
        read = GraphBuilder.of_networkx(given, THE_GRAPH).build(_node_table(nodes), directed)
        return replace(read, name=given.name or THE_GRAPH)
    if _is_table(given):
        table = _edge_table(given)
        builder = GraphBuilder.of_table(table, THE_TABLE, directed=directed is not None)
        return builder.build(_node_table(nodes), directed)
    if nodes is not None:
        raise GraphError(
            "nodes= goes with a file, a NetworkX graph or a table of edges: put what it says into "
            "the graph itself."
        )
    if isinstance(given, Graph):
        graph = with_directions(given, directed, THE_GRAPH)
    elif is_instance(given, "scipy.sparse", "sparray", "spmatrix"):
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
    return _numbered_or_named(graph, THE_GRAPH)


def from_pandas(edges: Any, nodes: Any = None, *, directed: bool = False) -> Graph:
    """One graph from a table of edges, with columns ``source`` and ``target``.

    Parameters
    ----------
    edges
        A table of pandas, Arrow or Polars. All other columns are attributes of edges. A cell
        without a value says nothing; a row without a target is a lone node.
    nodes
        A table with a column ``node``, whose others are attributes of nodes; a node that no edge
        has is added.
    directed
        Whether edges lead from source to target.
    """
    builder = GraphBuilder.of_table(_edge_table(edges), THE_TABLE, directed=directed)
    return builder.build(_node_table(nodes)).graph


def _named(
    name: str, nodes: Any, directed: bool | None, seed: int, *, by_default: bool
) -> NamedGraph:
    is_drawn = name.partition(":")[0] in FAMILIES
    if is_drawn and directed is None:
        directed = by_default
    if nodes is not None and not isinstance(nodes, str | os.PathLike):
        raise GraphError(
            f"nodes= came as a {type(nodes).__name__}, and {name} is read from a file: give "
            f"{NODE_FORMS}."
        )
    graph = load_graph(name, seed, None if nodes is None else os.fspath(nodes), directed=directed)
    return _numbered_or_named(graph, name, is_drawn=is_drawn, is_text=True)


def _edge_table(edges: Any) -> UserTable:
    return table_of(edges, ("source", "target"), "the table of edges")


def _node_table(nodes: Any) -> UserTable | None:
    if nodes is None:
        return None
    if isinstance(nodes, str | os.PathLike):
        return read_node_file(os.fsdecode(nodes))
    if _is_table(nodes):
        return table_of(nodes, ("node",), "the table of nodes")
    raise GraphError(
        f"nodes= came as a {type(nodes).__name__}: give {NODE_FORMS}, or a table of pandas."
    )


def _numbered_or_named(graph: Graph, name: str, **more: Any) -> NamedGraph:
    """A graph whose nodes are called by their names, or numbered from 0."""
    nodes = tuple(range(graph.num_nodes)) if graph.names is None else graph.names
    return NamedGraph(graph, nodes, name, **more)


def _is_table(value: object) -> bool:
    """Whether it is a table of pandas, or of a library that hands out Arrow's."""
    is_pandas = _is_of(value, "pandas") and hasattr(value, "columns")
    return is_pandas or hasattr(value, "__arrow_c_stream__")


def _is_of(value: object, library: str) -> bool:
    """Whether a value's class is of a library, which need not be there."""
    return any(cls.__module__.partition(".")[0] == library for cls in type(value).__mro__)
