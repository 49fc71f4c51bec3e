"""Graphs from NetworkX, and to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algolens.arrays import NUMPY, Array, to
from algolens.errors import GraphError
from algolens.graphs.attributes import Attribute, picked, turned
from algolens.graphs.builder import GraphBuilder
from algolens.graphs.elements import Location
from algolens.graphs.graph import Graph
from algolens.lazy import nx


def from_networkx(source: nx.Graph, what: str = "the graph") -> Graph:
    """One NetworkX graph, directed or not.

    Node names are kept as text, and attributes as they are. Self-loops are left out, and parallel
    edges, which must agree, become one. The graph remembers both: an algorithm that would find
    something else with them refuses it, and otherwise the user is told.

    Parameters
    ----------
    source
        The graph.
    what
        What messages call it.

    Raises
    ------
    GraphError
        Where it has no nodes, nodes that read alike as text, or parallel edges that disagree.

    Examples
    --------
    >>> from_networkx(nx.petersen_graph())
    Graph(10 nodes, 15 edges)
    """
    return GraphBuilder.of_networkx(source, what).build().graph


def edges_as_named(graph: Graph) -> tuple[Array, dict[str, Attribute]]:
    """[2, E] the edges of one graph in the user's order and direction, and their attributes."""
    order = graph.named_order(Location.EDGE)
    attributes = turned(graph.edge_attributes, to(graph.is_turned, NUMPY))
    named = {name: picked(values, order) for name, values in attributes.items()}
    return graph.ends(Location.EDGE)[:, order], named


def to_networkx(graph: Graph) -> nx.Graph:
    """One graph as a NetworkX graph (a DiGraph where it is directed), with names and attributes."""
    only_one(graph, "to_networkx")
    result = nx.DiGraph() if graph.directed else nx.Graph()
    names: list[Any] = list(range(graph.num_nodes)) if graph.names is None else list(graph.names)
    for name, attributes in zip(names, _rows(graph.node_attributes, graph.num_nodes), strict=True):
        result.add_nodes_from([(name, attributes)])  # any name may be an attribute's
    edges, at_edges = edges_as_named(graph)
    for (u, v), attributes in zip(edges.T.tolist(), _rows(at_edges, graph.num_edges), strict=True):
        result.add_edges_from([(names[u], names[v], attributes)])
    result.graph.update(*_rows(graph.graph_attributes, 1))
    return result


def _rows(attributes: Mapping[str, Attribute], count: int) -> list[dict[str, Any]]:
    """The attributes of each node or edge by name, without those that it does not have."""
    values = {name: column.tolist() for name, column in attributes.items()}
    return [
        {name: column[place] for name, column in values.items() if column[place] is not None}
        for place in range(count)
    ]


def only_one(graph: Graph, what: str) -> None:
    """Refuses a batch of several graphs."""
    if graph.num_graphs != 1:
        raise GraphError(
            f"{what} converts one graph and {graph.num_graphs} came: take one with "
            "graph.take([i]).graph."
        )
