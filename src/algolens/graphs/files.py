"""Graphs from what a user names: a file, a NetworkX built-in, or a family and a size."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx

from algolens.errors import GraphError, GraphFileError, UnknownNameError
from algolens.graphs.convert import from_networkx, is_number
from algolens.graphs.edge_lists import add_edge, read_edge_list
from algolens.graphs.families import FAMILIES, sample
from algolens.graphs.graph import Graph
from algolens.graphs.random import stream

HEADER = ("source", "target")
FORMS = "an edge list (.csv, .tsv), GraphML (.graphml), node-link JSON (.json)"


def load(name: str, seed: int = 0) -> Graph:
    """The graph a user names: a file, ``nx:karate_club``, or ``grid:50`` (a family and a number of nodes).

    >>> load("nx:petersen")
    Graph(10 nodes, 15 edges)
    >>> load("grid:12")
    Graph(12 nodes, 17 edges)
    """
    kind, colon, rest = name.partition(":")
    if colon and kind == "nx":
        return _built_in(rest)
    if colon and kind in FAMILIES:
        if not rest.isdecimal() or int(rest) < 1:
            raise GraphError(
                f"'{name}' should be a family and a number of nodes, as in '{kind}:20'; '{rest}' is no such number."
            )
        return sample(kind, int(rest), 1, stream(seed, "graph", kind))
    path = Path(name)
    if colon and not path.suffix and not path.exists():
        raise UnknownNameError("family of graphs", kind, FAMILIES, " NetworkX's own are named as in nx:karate_club.")
    if name in FAMILIES and not path.exists():
        raise GraphError(f"{name} needs a size: {name}:50, say, for 50 nodes.")
    return read(path)


def read(path: Path | str) -> Graph:
    """The graph in a file: the form goes by the ending."""
    path = Path(path)
    readers = {".csv": _edge_list, ".tsv": _edge_list, ".graphml": _graphml, ".json": _node_link}
    reader = readers.get(path.suffix.lower())
    if not path.exists():
        raise GraphFileError(
            f"{path}: there is no such file. Give {FORMS}, a NetworkX built-in (nx:karate_club) or a family (grid:50)."
        )
    if path.is_dir():
        raise GraphFileError(f"{path}: a folder cannot be read as a graph. Give {FORMS}.")
    if reader is None:
        raise GraphFileError(f"{path}: files ending in '{path.suffix}' are not read. Give {FORMS}.")
    try:
        return reader(path)
    except (OSError, UnicodeDecodeError) as problem:
        raise GraphFileError(f"{path}: cannot be read ({_reason(problem)}). Check the file and its permissions.") from problem


def built_ins() -> list[str]:
    """The names that ``nx:`` takes: NetworkX's small and social graphs that need no arguments."""
    return [
        name.removesuffix("_graph")
        for module in (nx.generators.small, nx.generators.social)
        for name in module.__all__
        if name.endswith("_graph") and not _required_arguments(getattr(module, name))
    ]


def _built_in(name: str) -> Graph:
    if name not in built_ins():
        raise UnknownNameError("NetworkX built-in", name, built_ins())
    return from_networkx(nx.Graph(getattr(nx, f"{name}_graph")()), f"nx:{name}")


def _required_arguments(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)


def _edge_list(path: Path) -> Graph:
    return _complete(read_edge_list(path), path)


def _graphml(path: Path) -> Graph:
    try:
        root = ElementTree.parse(path).getroot()
        graph = nx.read_graphml(path)
    except (ElementTree.ParseError, nx.NetworkXError, KeyError, ValueError) as problem:
        raise GraphFileError(f"{path}: not GraphML ({_reason(problem)}). Correct the file.") from problem
    declared = {element.get("id") for element in root.iter() if element.tag.endswith("}node") or element.tag == "node"}
    for u, v in graph.edges():
        for end in (u, v):
            if end not in declared:
                raise GraphFileError(
                    f"{path}: edge ({u}, {v}) leads to node '{end}', which the file does not declare. Add the node."
                )
    return _complete(_undirected(graph, path), path)


def _node_link(path: Path) -> Graph:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        links = data["edges"] if "edges" in data else data["links"]
        nodes = [(node["id"], {k: v for k, v in node.items() if k != "id"}) for node in data["nodes"]]
        pairs = [
            (link["source"], link["target"], {k: v for k, v in link.items() if k not in (*HEADER, "key")}) for link in links
        ]
    except (json.JSONDecodeError, TypeError, KeyError, AttributeError) as problem:
        raise GraphFileError(
            f"{path}: not node-link JSON ({_reason(problem)}). It needs 'nodes' with an 'id' each, and 'edges' (or "
            "'links') with 'source' and 'target'; networkx.node_link_data writes it."
        ) from problem
    graph = nx.Graph()
    for node, attributes in nodes:
        graph.add_node(_hashable(path, node), **{str(key): value for key, value in attributes.items()})
    if data.get("directed"):
        raise GraphFileError(f"{path}: the graph is directed; algorithms run on undirected graphs. Write it undirected.")
    for source, target, attributes in pairs:
        for end in (source, target):
            if _hashable(path, end) not in graph:
                raise GraphFileError(
                    f"{path}: edge ({source}, {target}) leads to node '{end}', which 'nodes' does not list. Add the node."
                )
        add_edge(graph, source, target, attributes, str(path))
    return _complete(graph, path)


def _undirected(graph: nx.Graph, path: Path) -> nx.Graph:
    if graph.is_directed():
        raise GraphFileError(f"{path}: the graph is directed; algorithms run on undirected graphs. Write it undirected.")
    simple = nx.Graph()
    simple.add_nodes_from(graph.nodes(data=True))
    for u, v, attributes in graph.edges(data=True):
        add_edge(simple, u, v, {k: v for k, v in attributes.items() if k != "id"}, str(path))
    return simple


def _complete(graph: nx.Graph, path: Path) -> Graph:
    """The graph, when it has nodes and its edges have a weight all or none."""
    if graph.number_of_nodes() == 0:
        raise GraphFileError(f"{path}: the graph is empty, it has no nodes. Give a graph with at least one.")
    weighted = any(weight is not None for *_, weight in graph.edges(data="weight"))
    for u, v, weight in graph.edges(data="weight") if weighted else ():
        if weight is None:
            raise GraphFileError(
                f"{path}: edge ({u}, {v}) has no weight though others have. Give every edge a weight, or none."
            )
        if isinstance(weight, bool) or not is_number(weight):
            raise GraphFileError(f"{path}: 'weight' of edge ({u}, {v}) is '{weight}', which is no number. Correct the file.")
    return from_networkx(graph, str(path))


def _hashable(path: Path, node: Any) -> Any:
    if not isinstance(node, str | int | float | bool):
        raise GraphFileError(f"{path}: {node!r} cannot be a node's id. Use text or a number.")
    return node


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror.lower()
    if isinstance(problem, KeyError):
        return f"{problem} is missing"
    return str(problem).split("\n")[0] or type(problem).__name__
