"""Values of fields as people write them, by node or by edge, and as tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from algolens.algorithms import Values
from algolens.errors import DefinitionError
from algolens.graphs import Graph
from algolens.language.fields import Category, Field, Location, Number, Pointer


def as_tensor(
    name: str, field: Field, given: Any, graph: Graph, names: Mapping[Any, int]
) -> Tensor:
    """The values of a field on one graph.

    Parameters
    ----------
    name, field
        What it is.
    given
        By node, or by edge ``(u, v)``; or in their order; at the graph, one value.
    graph : Graph
        The graph.
    names : mapping
        The number of each node, by what the values call it.
    """
    if field.location is Location.GRAPH:
        values = [given]
    elif isinstance(given, Mapping):
        values = [_of(name, given, key) for key in _keys(field.location, graph, names)]
    elif isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DefinitionError(f"'{name}' has the value {given!r}: give one for each element.")
    else:
        values = list(given)
    count = graph.count(field.location)
    if len(values) != count:
        raise DefinitionError(
            f"'{name}' has {len(values)} values on a graph of {count} {field.location.value}s: "
            "give one for each."
        )
    return torch.tensor([_whole(name, field, value, names) for value in values]).to(
        field.kind.dtype
    )


def plain_values(field: Field, values: Tensor, graph: Graph) -> Any:
    """The values of a field on one graph, by node number or by edge."""
    shown = values.tolist()
    if isinstance(field.kind, Category):
        shown = [field.kind.labels[value] for value in shown]
    if field.location is Location.GRAPH:
        return shown[0]
    keys = _keys(field.location, graph, {node: node for node in range(graph.num_nodes)})
    return dict(zip((key[0] for key in keys), shown, strict=True))


def graph_with_inputs(graph: Graph, fields: Mapping[str, Field], inputs: Values) -> nx.Graph:
    """One graph with its inputs as attributes: of nodes, of edges, and of the graph."""
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.num_nodes))
    made.add_edges_from(map(tuple, graph.edges.T.tolist()))
    for name, field in fields.items():
        values = plain_values(field, inputs[name], graph)
        if field.location is Location.NODE:
            nx.set_node_attributes(made, values, name)
        elif field.location is Location.EDGE:
            nx.set_edge_attributes(made, values, name)
        else:
            made.graph[name] = values
    return made


def _keys(location: Location, graph: Graph, names: Mapping[Any, int]) -> list[tuple[Any, ...]]:
    """What each element of a location may be called."""
    called = {place: name for name, place in names.items()}
    if location is Location.NODE:
        return [(called[node],) for node in range(graph.num_nodes)]
    ends = graph.edges if location is Location.EDGE else graph.links
    both = location is Location.EDGE and not graph.directed
    pairs = [(called[u], called[v]) for u, v in ends.T.tolist()]
    return [((u, v), (v, u)) if both else ((u, v),) for u, v in pairs]


def _of(name: str, given: Mapping[Any, Any], keys: tuple[Any, ...]) -> Any:
    for key in keys:
        if key in given:
            return given[key]
    raise DefinitionError(f"'{name}' has no value for {keys[0]!r}: give one for each element.")


def _whole(name: str, field: Field, value: Any, names: Mapping[Any, int]) -> int:
    try:
        if isinstance(field.kind, Category):
            return field.kind.labels.index(str(value))
        if isinstance(field.kind, Pointer):
            return names[value] if field.kind.to is Location.NODE else int(value)
        whole = int(value)
        if whole != value or not _fits(field, whole):
            raise ValueError(value)
        return whole
    except (KeyError, ValueError, TypeError, OverflowError) as problem:
        raise DefinitionError(
            f"'{name}' has the value {value!r}, which is no {type(field.kind).__name__.lower()} as "
            "it is declared: correct it, or declare another kind."
        ) from problem


def _fits(field: Field, whole: int) -> bool:
    return field.kind.holds(whole) if isinstance(field.kind, Number) else whole in (0, 1)
