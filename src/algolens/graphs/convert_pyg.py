"""Graphs from and to PyTorch Geometric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from algolens.errors import AlgoLensError, GraphError
from algolens.graphs.attributes import Attribute, column, joined, picked
from algolens.graphs.convert import only_one
from algolens.graphs.directions import repeated
from algolens.graphs.graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Data


WEIGHTS = ("edge_weight", "edge_attr")


def from_pyg(data: Data, *, directed: bool = False) -> Graph:
    """One PyTorch Geometric ``Data``: ``edge_index`` both ways or one way. A column that stands
    twice is a parallel edge.

    directed: every column of ``edge_index`` is an edge that leads from its first node to its
    second. Attributes with a row for each node, or for each column of ``edge_index``, are kept:
    ``wall`` under its name, ``edge_open`` as ``open`` of edges, and ``edge_weight`` or
    ``edge_attr`` as their weight. Of others a note says that they are left out.
    """
    _pyg()
    if data.num_nodes is None or data.num_nodes == 0 or data.edge_index is None:
        raise GraphError(f"{data} has no nodes or no edge_index; give a Data with both.")
    ends = data.edge_index.cpu().numpy()
    graph = Graph.pack([data.num_nodes], ends.T, directed=directed)
    at_nodes: dict[str, Attribute] = {}
    at_edges: dict[str, Attribute] = {}
    left_out: list[str] = []
    for key, value in data.to_dict().items():
        if key in ("edge_index", "num_nodes") or (key == "edge_attr" and "edge_weight" in data):
            continue
        rows = (
            len(value)
            if isinstance(value, list | tuple)
            or (isinstance(value, Tensor | np.ndarray) and value.ndim)
            else -1
        )
        of_edges = key.startswith("edge_") or rows != data.num_nodes
        if of_edges and rows == ends.shape[1]:
            name = "weight" if key == "edge_attr" else key.removeprefix("edge_")
            if name in at_edges:
                raise GraphError(
                    f"{data} has two attributes that give the {name} of edges; keep one."
                )
            at_edges[name] = _of_edges(data, name, _attribute(value), graph, ends)
        elif not of_edges:
            at_nodes[key] = _attribute(value)
        elif key in WEIGHTS:
            raise GraphError(
                f"{data} has {ends.shape[1]} columns in edge_index, and {key} has not as many "
                "rows: give each one."
            )
        else:
            left_out.append(key)
    return replace(
        graph,
        node_attributes=at_nodes,
        edge_attributes=at_edges,
        notes=_without_rows(left_out),
        loops=tuple(np.unique(ends[0, ends[0] == ends[1]]).tolist()),
        parallel=repeated(graph, ends),
    )


def _attribute(value: Any) -> Attribute:
    return value.cpu() if isinstance(value, Tensor) else column(list(value))


def _of_edges(data: Data, name: str, value: Attribute, graph: Graph, ends: np.ndarray) -> Attribute:
    """The values of edges that stand in ``edge_index``, some both ways, in the order of the
    graph's.
    """
    if isinstance(value, Tensor) and value.dim() > 1:
        if value[0:1].numel() > 1:
            raise GraphError(
                f"{data} has {value[0].numel()} numbers for each edge; an edge has one {name}: "
                "keep one column."
            )
        value = value.reshape(-1)
    first, second = ends if graph.directed else (ends.min(0), ends.max(0))
    keys = first * data.num_nodes + second
    order = np.argsort(keys, kind="stable")
    alike = keys[order][1:] == keys[order][:-1]
    given = value.tolist()
    for i in np.flatnonzero(alike).tolist():
        if given[order[i]] != given[order[i + 1]]:
            u, v = ends[:, order[i]].tolist()
            raise GraphError(f"{data} has edge ({u}, {v}) {_difference(name, graph.directed)}.")
    wanted = (graph.edges[0] * data.num_nodes + graph.edges[1]).numpy()
    return picked(value, torch.from_numpy(order[np.searchsorted(keys[order], wanted)]))


def _difference(name: str, directed: bool) -> str:
    if directed:
        return f"twice, with a different {name}; keep one"
    return (
        f"with a different {name} each way; give both directions the same, or read it as directed, "
        "with directed=True"
    )


def _without_rows(names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    return (
        f"left out is what has a row neither for each node nor for each edge: {', '.join(names)}.",
    )


def to_pyg(graph: Graph) -> Data:
    """One graph as PyTorch Geometric ``Data``: every edge both ways, a directed one as it leads;
    attributes by name.
    """
    _pyg()
    from torch_geometric.data import Data

    only_one(graph, "to_pyg")
    links = {
        f"edge_{key}": _for_pyg(value if graph.directed else joined([value, value]))
        for key, value in graph.edge_attributes.items()
    }
    nodes = {key: _for_pyg(value) for key, value in graph.node_attributes.items()}
    return Data(edge_index=graph.links, num_nodes=graph.num_nodes, **nodes, **links)


def _for_pyg(value: Attribute) -> Tensor | list[Any]:
    return value if isinstance(value, Tensor) else value.tolist()


def _pyg() -> None:
    try:
        import torch_geometric  # noqa: F401
    except ImportError as missing:
        raise AlgoLensError(
            "PyTorch Geometric is not installed: pip install 'algolens[pyg]'."
        ) from missing
