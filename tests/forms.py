"""One graph in every form that a user may bring it in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import networkx as nx
from torch_geometric.data import Data

from algolens.graphs import Graph, from_networkx, from_pyg, read_graph_file

GRAPHML_TYPES = {bool: "boolean", int: "long", Decimal: "double", str: "string"}


def every_form(graph: nx.Graph, folder: Path) -> Iterator[tuple[str, Graph]]:
    """By name: the same graph, directed or not, from CSV files, node-link JSON, GraphML, NetworkX
    and PyTorch Geometric.

    Nodes are named 0, 1, ... in their order; attributes are bools, whole numbers, decimals and
    words.
    """
    yield "networkx", from_networkx(graph)
    yield "pyg", from_pyg(_pyg(graph), directed=graph.is_directed())
    for name, write in {"g.csv": _csv, "g.json": _json, "g.graphml": _graphml}.items():
        write(graph, folder / name)
        beside = (
            {"nodes": folder / "nodes.csv", "directed": graph.is_directed()}
            if name == "g.csv"
            else {}
        )
        yield name, read_graph_file(folder / name, **beside)


def _pyg(graph: nx.Graph) -> Data:
    import torch

    ways = [False] if graph.is_directed() else [False, True]
    both = [
        (*((v, u) if back else (u, v)), data)
        for u, v, data in graph.edges(data=True)
        for back in ways
    ]
    ends = torch.tensor([edge[:2] for edge in both], dtype=torch.int64).reshape(-1, 2).T
    at_edges = {
        f"edge_{name}": [data[name] for *_, data in both] for name in (both[0][2] if both else ())
    }
    at_nodes = {name: [data[name] for _, data in graph.nodes(data=True)] for name in graph.nodes[0]}
    return Data(edge_index=ends, num_nodes=len(graph), **at_nodes, **at_edges)


def _csv(graph: nx.Graph, path: Path) -> None:
    _table(path, ["source", "target"], [((u, v), data) for u, v, data in graph.edges(data=True)])
    header, *rows = path.read_text().splitlines()
    # each node alone first: so they keep their order
    path.write_text("\n".join([header, *map(str, graph), *rows]))
    _table(
        path.parent / "nodes.csv",
        ["node"],
        [((node,), data) for node, data in graph.nodes(data=True)],
    )


def _table(
    path: Path, first: list[str], rows: list[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    names = list(rows[0][1]) if rows else []
    lines = [",".join(map(str, (*key, *(data[name] for name in names)))) for key, data in rows]
    path.write_text("\n".join([",".join(first + names), *lines]) + "\n")


def _json(graph: nx.Graph, path: Path) -> None:
    nodes = [_object({"id": node, **data}) for node, data in graph.nodes(data=True)]
    edges = [_object({"source": u, "target": v, **data}) for u, v, data in graph.edges(data=True)]
    directed = str(graph.is_directed()).lower()
    path.write_text(
        f'{{"directed": {directed}, "nodes": [{", ".join(nodes)}], "edges": [{", ".join(edges)}]}}'
    )


def _object(values: dict[str, Any]) -> str:
    written: dict[type, Callable[[Any], str]] = {
        bool: lambda value: str(value).lower(),
        str: lambda value: f'"{value}"',
    }
    return (
        "{"
        + ", ".join(
            f'"{name}": {written.get(type(value), str)(value)}' for name, value in values.items()
        )
        + "}"
    )


def _graphml(graph: nx.Graph, path: Path) -> None:
    keys: dict[tuple[str, str], type] = {}
    for kind, elements in (("node", graph.nodes(data=True)), ("edge", graph.edges(data=True))):
        for *_, data in elements:
            keys |= {
                (kind, name): type(value)
                for name, value in data.items()
                if keys.get((kind, name)) is not Decimal
            }
    declared = [
        (
            f'<key id="{kind}_{name}" for="{kind}" attr.name="{name}" '
            f'attr.type="{GRAPHML_TYPES[one]}"/>'
        )
        for (kind, name), one in keys.items()
    ]

    def data_of(kind: str, data: dict[str, Any]) -> str:
        return "".join(
            f'<data key="{kind}_{name}">{str(value).lower()}</data>' for name, value in data.items()
        )

    nodes = [
        f'<node id="{node}">{data_of("node", data)}</node>' for node, data in graph.nodes(data=True)
    ]
    edges = [
        f'<edge source="{u}" target="{v}">{data_of("edge", data)}</edge>'
        for u, v, data in graph.edges(data=True)
    ]
    default = "directed" if graph.is_directed() else "undirected"
    inside = f'<graph edgedefault="{default}">{"".join(nodes + edges)}</graph>'
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{"".join(declared)}{inside}</graphml>'
    )
