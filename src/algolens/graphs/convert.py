"""Graphs from and to NetworkX and PyTorch Geometric."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.errors import AlgoLensError, GraphError
from algolens.graphs.graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Data


def from_networkx(source: nx.Graph, what: str = "the graph") -> Graph:
    """One NetworkX graph; node names are kept as text, and attributes that are numbers everywhere as tensors.

    Self-loops are left out, with a note: they change none of the algorithms. Parallel edges must agree.

    >>> from_networkx(nx.petersen_graph())
    Graph(10 nodes, 15 edges)
    """
    if source.is_directed():
        raise GraphError(f"{what} is directed; algorithms run on undirected graphs: use .to_undirected() on it first.")
    if source.number_of_nodes() == 0:
        raise GraphError(f"{what} is empty: it has no nodes; give a graph with at least one.")
    number = {node: i for i, node in enumerate(source.nodes)}
    names = tuple(str(node) for node in source.nodes)
    if len(set(names)) < len(names):
        raise GraphError(f"{what} has different nodes that read alike as text ({_repeated(names)!r}); rename one of them.")
    merged: dict[tuple[int, int], dict[str, Any]] = {}
    for u, v, attributes in source.edges(data=True):
        ends = (min(number[u], number[v]), max(number[u], number[v]))
        if ends in merged and merged[ends] != attributes:
            raise GraphError(
                f"{what} has edge ({u}, {v}) twice, with different attributes {merged[ends]} and {attributes}; keep one."
            )
        merged[ends] = attributes
    pairs = sorted(ends for ends in merged if ends[0] != ends[1])
    packed = Graph.pack([len(names)], np.array(pairs, dtype=np.int64).reshape(-1, 2))
    return Graph(
        packed.node_counts,
        packed.edge_counts,
        packed.edges,
        names,
        node_attributes=numeric_attributes([source.nodes[node] for node in source.nodes]),
        edge_attributes=numeric_attributes([merged[ends] for ends in pairs]),
        notes=_loops([names[u] for u, v in merged if u == v]),
    )


def to_networkx(graph: Graph) -> nx.Graph:
    """One graph as a NetworkX graph, with its names and attributes."""
    _only_one(graph, "to_networkx")
    result = nx.Graph()
    names: list[Any] = list(range(graph.num_nodes)) if graph.names is None else list(graph.names)
    for i, name in enumerate(names):
        result.add_node(name, **{key: value[i].tolist() for key, value in graph.node_attributes.items()})
    for i, (u, v) in enumerate(graph.edges.T.tolist()):
        result.add_edge(names[u], names[v], **{key: value[i].tolist() for key, value in graph.edge_attributes.items()})
    return result


def from_pyg(data: Data) -> Graph:
    """One PyTorch Geometric ``Data``: ``edge_index`` both ways or one way, ``edge_weight`` or ``edge_attr`` as weight.

    Other attributes with a row per node are kept under their names.
    """
    _pyg()
    if data.num_nodes is None or data.num_nodes == 0 or data.edge_index is None:
        raise GraphError(f"{data} has no nodes or no edge_index; give a Data with both.")
    ends = data.edge_index.cpu().numpy()
    weight = data.edge_weight if "edge_weight" in data else data.edge_attr if "edge_attr" in data else None
    graph = Graph.pack([data.num_nodes], ends.T)
    edge_attributes: dict[str, Tensor] = {}
    if weight is not None:
        if weight[0:1].numel() > 1:
            raise GraphError(f"{data} has {weight[0].numel()} numbers for each edge; an edge has one weight: keep one column.")
        values = weight.cpu().numpy().reshape(-1)
        keys = ends.min(0) * data.num_nodes + ends.max(0)
        order = np.argsort(keys, kind="stable")
        alike = keys[order][1:] == keys[order][:-1]
        if not (values[order][1:] == values[order][:-1])[alike].all():
            raise GraphError(f"{data} has edges with different weights each way; give both directions the same weight.")
        wanted = (graph.edges[0] * data.num_nodes + graph.edges[1]).numpy()
        at = order[np.searchsorted(keys[order], wanted)]
        edge_attributes["weight"] = torch.from_numpy(values[at])
    nodes = {
        key: value for key, value in data.to_dict().items()
        if isinstance(value, Tensor) and data.is_node_attr(key) and key not in ("edge_index", "edge_weight", "edge_attr")
    }  # fmt: skip
    return Graph(graph.node_counts, graph.edge_counts, graph.edges, None, nodes, edge_attributes)


def to_pyg(graph: Graph) -> Data:
    """One graph as PyTorch Geometric ``Data``: every edge both ways, attributes under their names."""
    _pyg()
    from torch_geometric.data import Data

    _only_one(graph, "to_pyg")
    both = {f"edge_{key}": torch.cat([value, value]) for key, value in graph.edge_attributes.items()}
    return Data(edge_index=graph.links, num_nodes=graph.num_nodes, **graph.node_attributes, **both)


def numeric_attributes(rows: list[dict[str, Any]]) -> dict[str, Tensor]:
    """A tensor for each attribute that every row has as a finite number."""
    shared = [key for key in (rows[0] if rows else {}) if all(is_number(row.get(key)) for row in rows)]
    return {key: _tensor([row[key] for row in rows]) for key in shared}


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold."""
    try:
        return isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False


def _tensor(values: list[float]) -> Tensor:
    """Whole numbers as such while they have room; others with all the digits they came with, so that their order stays."""
    whole = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values)
    return torch.tensor(values, dtype=None if whole else torch.float64)


def _loops(nodes: list[str]) -> tuple[str, ...]:
    if not nodes:
        return ()
    if len(nodes) == 1:
        return (f"the self-loop at node '{nodes[0]}' is left out: it changes none of the algorithms.",)
    shown = ", ".join(f"'{node}'" for node in nodes[:5]) + (", ..." if len(nodes) > 5 else "")
    return (f"{len(nodes)} self-loops are left out, at nodes {shown}: they change none of the algorithms.",)


def _repeated(names: tuple[str, ...]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def _only_one(graph: Graph, what: str) -> None:
    if graph.num_graphs != 1:
        raise GraphError(f"{what} converts one graph and {graph.num_graphs} came: take one with graph.take([i]).graph.")


def _pyg() -> None:
    try:
        import torch_geometric  # noqa: F401
    except ImportError as missing:
        raise AlgoLensError("PyTorch Geometric is not installed: pip install 'algolens[pyg]'.") from missing
