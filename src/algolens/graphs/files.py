"""Graphs from what a user names: a file, a NetworkX built-in, or a family and a size."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

import networkx as nx

from algolens.errors import GraphError, GraphFileError, UnknownNameError
from algolens.graphs.attributes import exact_number
from algolens.graphs.convert import from_networkx
from algolens.graphs.directions import with_directions
from algolens.graphs.edge_lists import add_edge, add_node_file, read_edge_list
from algolens.graphs.families import FAMILIES, sample
from algolens.graphs.graph import Graph
from algolens.graphs.graphml import read_graphml
from algolens.graphs.random import stream

HEADER = ("source", "target")
FORMS = "an edge list (.csv, .tsv), GraphML (.graphml), node-link JSON (.json)"
FORMS_AND_NAMES = f"{FORMS}, a NetworkX built-in (nx:karate_club) or a family (grid:50)"
NODE_FORMS = "a table of nodes (.csv, .tsv) with a header like node,wall"
ReadGraph = tuple[nx.MultiGraph, tuple[str, ...]]  # and what a user should know of how it was read
T = TypeVar("T")


def load_graph(
    name: str, seed: int = 0, nodes: Path | str | None = None, *, directed: bool | None = None
) -> Graph:
    """The graph a user names: a file, ``nx:karate_club``, or ``grid:50`` (a family and a number of
    nodes).

    nodes: a file that says more of the nodes, with a header like ``node,wall``. directed: whether
    edges lead from source to target; None: as the file says itself, and where it says nothing (an
    edge list, a family), they do not.

    >>> load_graph("nx:petersen")
    Graph(10 nodes, 15 edges)
    >>> load_graph("grid:12")
    Graph(12 nodes, 17 edges)
    """
    kind, colon, rest = name.partition(":")
    if colon and kind == "nx":
        return with_directions(_complete(_built_in(rest), name, nodes), directed, name)
    if colon and kind in FAMILIES:
        if not rest.isdecimal() or int(rest) < 1:
            raise GraphError(
                f"'{name}' should be a family and a number of nodes, as in '{kind}:20'; '{rest}' "
                "is no such number."
            )
        if nodes is not None:
            raise GraphError(
                f"{nodes}: a file of nodes goes with a graph of yours, and {name} is drawn at "
                "random: give its edges."
            )
        return sample(kind, int(rest), 1, stream(seed, "graph", kind), directed=bool(directed))
    path = Path(name)
    if colon and not path.suffix and not path.exists():
        raise UnknownNameError(
            "family of graphs", kind, FAMILIES, " NetworkX's own are named as in nx:karate_club."
        )
    if name in FAMILIES and not path.exists():
        raise GraphError(f"{name} needs a size: {name}:50, say, for 50 nodes.")
    return read_graph_file(path, nodes, directed=directed)


def read_graph_file(
    path: Path | str, nodes: Path | str | None = None, *, directed: bool | None = None
) -> Graph:
    """The graph in a file: the form goes by the ending.

    nodes: a file that says more of the nodes. directed: whether edges lead from source to target;
    None: as GraphML and JSON say themselves, and in an edge list they do not.
    """
    edge_list: Callable[[Path], ReadGraph] = partial(read_edge_list, directed=bool(directed))
    readers = {".csv": edge_list, ".tsv": edge_list, ".graphml": _graphml, ".json": _node_link}
    graph, notes = _read(Path(path), readers, FORMS_AND_NAMES, FORMS)
    found = _complete(graph, str(path), nodes, notes)
    return with_directions(found, directed, str(path))


def _read(path: Path, readers: Mapping[str, Callable[[Path], T]], instead: str, forms: str) -> T:
    reader = readers.get(path.suffix.lower())
    if not path.exists():
        raise GraphFileError(f"{path}: there is no such file. Give {instead}.")
    if path.is_dir():
        raise GraphFileError(f"{path}: a folder cannot be read as a graph. Give {forms}.")
    if reader is None:
        raise GraphFileError(f"{path}: files ending in '{path.suffix}' are not read. Give {forms}.")
    try:
        return reader(path)
    except (OSError, UnicodeDecodeError) as problem:
        raise GraphFileError(
            f"{path}: cannot be read ({_reason(problem)}). Check the file and its permissions."
        ) from problem


def read_nodes(graph: nx.Graph, path: Path | str) -> tuple[str, ...]:
    """Adds what a file says of the nodes to a graph, and gives what a user should know of it."""
    add = partial(add_node_file, graph)
    return _read(Path(path), {".csv": add, ".tsv": add}, NODE_FORMS, NODE_FORMS)


def built_ins() -> list[str]:
    """The names that ``nx:`` takes: NetworkX's small and social graphs that need no arguments."""
    return [
        name.removesuffix("_graph")
        for module in (nx.generators.small, nx.generators.social)
        for name in module.__all__
        if name.endswith("_graph") and not _required_arguments(getattr(module, name))
    ]


def _built_in(name: str) -> nx.Graph:
    if name not in built_ins():
        raise UnknownNameError("NetworkX built-in", name, built_ins())
    return getattr(nx, f"{name}_graph")()


def _required_arguments(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)


def _graphml(path: Path) -> ReadGraph:
    try:
        graph, declared = read_graphml(path)
    except (ElementTree.ParseError, nx.NetworkXError, KeyError, ValueError) as problem:
        raise GraphFileError(
            f"{path}: not GraphML ({_reason(problem)}). Correct the file."
        ) from problem
    if len(set(declared)) < len(declared):
        raise GraphFileError(
            f"{path}: node '{Counter(declared).most_common(1)[0][0]}' is declared twice. Keep one "
            "of them."
        )
    for u, v in graph.edges():
        for end in (u, v):
            if end not in declared:
                raise GraphFileError(
                    f"{path}: edge ({u}, {v}) leads to node '{end}', which the file does not "
                    "declare. Add the node."
                )
    return _without_ids(graph, path), ()


def _node_link(path: Path) -> ReadGraph:
    try:
        # numbers as they are written, of any length; what is none (NaN) stays, and is refused where
        # it is needed
        data = json.loads(path.read_text(encoding="utf-8"), parse_int=_number, parse_float=_number)
        links = data["edges"] if "edges" in data else data["links"]
        nodes = [
            (node["id"], {k: v for k, v in node.items() if k != "id"}) for node in data["nodes"]
        ]
        pairs = [
            (
                link["source"],
                link["target"],
                {k: v for k, v in link.items() if k not in (*HEADER, "key")},
            )
            for link in links
        ]
    except (json.JSONDecodeError, TypeError, KeyError, AttributeError) as problem:
        raise GraphFileError(
            f"{path}: not node-link JSON ({_reason(problem)}). It needs 'nodes' with an 'id' each, "
            "and 'edges' (or 'links') with 'source' and 'target'; networkx.node_link_data writes "
            "it."
        ) from problem
    if not isinstance(data.get("directed", False), bool):
        raise GraphFileError(f"{path}: 'directed' is {data['directed']!r}. Write true or false.")
    graph = nx.MultiDiGraph() if data.get("directed") else nx.MultiGraph()
    for node, attributes in nodes:
        if _hashable(path, node) in graph:
            raise GraphFileError(
                f"{path}: node '{node}' stands twice in 'nodes'. Keep one of them."
            )
        graph.add_node(node, **{str(key): value for key, value in attributes.items()})
    for source, target, attributes in pairs:
        for end in (source, target):
            if _hashable(path, end) not in graph:
                raise GraphFileError(
                    f"{path}: edge ({source}, {target}) leads to node '{end}', which 'nodes' does "
                    "not list. Add the node."
                )
        add_edge(graph, source, target, attributes, str(path))
    return graph, ()


def _number(text: str) -> Any:
    number = exact_number(text)
    # an exponent beyond all bounds: infinite, or nothing
    return float(text) if number is None else number


def _without_ids(graph: nx.Graph, path: Path) -> nx.MultiGraph:
    """The same graph without what edges are called; such as stand several times must agree."""
    found = nx.MultiDiGraph() if graph.is_directed() else nx.MultiGraph()
    found.add_nodes_from(graph.nodes(data=True))
    for u, v, attributes in graph.edges(data=True):
        add_edge(found, u, v, {k: v for k, v in attributes.items() if k != "id"}, str(path))
    return found


def _complete(
    graph: nx.Graph, name: str, nodes: Path | str | None, notes: tuple[str, ...] = ()
) -> Graph:
    """The graph with what a file of nodes says, when it has nodes and its edges have a weight all
    or none.
    """
    notes += () if nodes is None else read_nodes(graph, nodes)
    if graph.number_of_nodes() == 0:
        raise GraphFileError(
            f"{name}: the graph is empty, it has no nodes. Give a graph with at least one."
        )
    weighted = any(weight is not None for *_, weight in graph.edges(data="weight"))
    for u, v, weight in graph.edges(data="weight") if weighted else ():
        if weight is None:
            raise GraphFileError(
                f"{name}: edge ({u}, {v}) has no weight though others have. Give every edge a "
                "weight, or none."
            )
        if exact_number(weight) is None:
            raise GraphFileError(
                f"{name}: 'weight' of edge ({u}, {v}) is '{weight}', which is no number. Correct "
                "the file."
            )
    made = from_networkx(graph, name)
    return replace(made, notes=made.notes + notes)


def _hashable(path: Path, node: Any) -> Any:
    if not isinstance(node, str | int | float | Decimal):
        raise GraphFileError(f"{path}: {node!r} cannot be a node's id. Use text or a number.")
    return node


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror.lower()
    if isinstance(problem, KeyError):
        return f"{problem} is missing"
    return str(problem).split("\n")[0] or type(problem).__name__
