"""Graphs from tables of pandas: a row for each edge."""

from __future__ import annotations

from typing import Any

import networkx as nx

from algolens.errors import GraphError
from algolens.graphs.convert import from_networkx
from algolens.graphs.edge_lists import add_edge
from algolens.graphs.graph import Graph

ENDS = ("source", "target")


def from_pandas(edges: Any, nodes: Any = None, *, directed: bool = False) -> Graph:
    """One graph from a table of edges, with columns ``source`` and ``target``; all others are
    attributes of edges.

    nodes: a table with a column ``node``, whose others are attributes of nodes; a node that no edge
    has is added. directed: edges lead from source to target. A cell without a value says nothing; a
    row without a target is a lone node.
    """
    graph = networkx_of_table(edges, directed=directed)
    if nodes is not None:
        add_node_table(graph, nodes)
    return from_networkx(graph, "the table")


def networkx_of_table(edges: Any, *, directed: bool) -> nx.Graph:
    """The graph of a table of edges as NetworkX has it, nodes being what the cells hold."""
    rows = _rows(edges, ENDS, "the table of edges")
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    for number, row in enumerate(rows):
        source, target = row.pop("source", None), row.pop("target", None)
        where = f"row {number} of the table of edges"
        if source is None or (target is None and row):
            raise GraphError(
                f"{where}: the {'source' if source is None else 'target'} is missing. Give both "
                "ends of the edge."
            )
        graph.add_node(source)
        if target is not None:
            add_edge(graph, source, target, row, where)
    return graph


def add_node_table(graph: nx.Graph, nodes: Any) -> None:
    """Adds what a table says of nodes to a graph."""
    known = {str(node): node for node in graph}
    listed: set[str] = set()
    for row in _rows(nodes, ("node",), "the table of nodes"):
        name = row.pop("node", None)
        if name is None or str(name) in listed:
            wrong = "a node is missing" if name is None else f"node '{name}' stands twice"
            raise GraphError(f"the table of nodes: {wrong}. Give each node one row.")
        listed.add(str(name))
        node = known.get(str(name), name)
        there = graph.nodes[node] if node in graph else {}
        for column in row:
            if column in there:
                raise GraphError(
                    f"the table of nodes: the graph itself says that {column} of node '{name}' is "
                    f"'{there[column]}'. Keep one."
                )
        graph.add_node(node, **row)


def _rows(table: Any, wanted: tuple[str, ...], what: str) -> list[dict[str, Any]]:
    """The cells of each row by column, without those that hold no value."""
    import pandas as pd

    names = [str(column) for column in table.columns]
    missing = [column for column in wanted if column not in names]
    if missing:
        raise GraphError(
            f"{what} has no column '{missing[0]}'; it has {', '.join(names) or 'none'}. Rename one "
            "of them."
        )
    if len(set(names)) < len(names):
        raise GraphError(
            f"{what} has two columns of one name, among {', '.join(names)}. Rename one of them."
        )
    # cell by cell in Python's own types: a row of pandas would make one type of all its numbers
    columns = [
        [None if pd.isna(cell) is True else cell for cell in table[column].tolist()]
        for column in table.columns
    ]
    return [
        {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None}
        for cells in zip(*columns, strict=True)
    ]
