"""Graphs from what a user names: a file, a NetworkX built-in, or a family and a size."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

from algolens.errors import (
    GraphError,
    GraphFileError,
    ReadingError,
    UnknownNameError,
    brief,
    visible,
)
from algolens.graphs.attributes import float_or_text, number_or_text
from algolens.graphs.builder import GraphBuilder
from algolens.graphs.families import FAMILIES, sample
from algolens.graphs.family_sizes import size_in_words
from algolens.graphs.graph import Graph
from algolens.graphs.random import stream
from algolens.graphs.tables import UserTable, read_parquet
from algolens.graphs.text_tables import read_edge_text, read_node_text
from algolens.lazy import nx
from algolens.memory import check_memory
from algolens.reading import MOST_NESTED, read_bytes, read_free_json

FORMS = "an edge list (.csv, .tsv, .parquet), GraphML (.graphml), node-link JSON (.json)"
FORMS_AND_NAMES = f"{FORMS}, a NetworkX built-in (nx:karate_club) or a family (grid:50)"
NODE_FORMS = "a table of nodes (.csv, .tsv, .parquet) with a header like node,wall"
MOST_BYTES = 4 * 2**30  # of GraphML and JSON
# memory that a byte of a file takes once it is a graph, at least: measured, 20 to 44; Parquet, 64
BYTES_OF_TEXT, BYTES_READ = 15.0, {".parquet": 30.0}
T = TypeVar("T")


def load_graph(
    name: str, seed: int = 0, nodes: Path | str | None = None, *, directed: bool | None = None
) -> Graph:
    """The graph a user names.

    Parameters
    ----------
    name
        A file, ``nx:karate_club``, or ``grid:50`` (a family and a number of nodes).
    seed
        From which a graph of a family is drawn.
    nodes
        A file that says more of the nodes, with a header like ``node,wall``.
    directed
        Whether edges lead from source to target; None: as the file says itself, and where it says
        nothing (an edge list, a family), they do not.

    Examples
    --------
    >>> load_graph("nx:petersen")
    Graph(10 nodes, 15 edges)
    >>> load_graph("grid:12")
    Graph(12 nodes, 17 edges)
    """
    kind, colon, rest = name.partition(":")
    if colon and kind == "nx":
        builder = GraphBuilder.of_networkx(_built_in(rest), name, is_file=True)
        return builder.build(_nodes_in(nodes), directed).graph
    if colon and kind in FAMILIES:
        size = size_in_words(name)
        if size is None:
            raise GraphError(
                f"'{brief(name)}' should be a family and a number of nodes, as in '{kind}:20'; "
                f"'{brief(rest)}' is no such number."
            )
        if nodes is not None:
            raise GraphError(
                f"{nodes}: a file of nodes goes with a graph of yours, and {name} is drawn at "
                "random: give its edges."
            )
        return sample(kind, size[0], 1, stream(seed, "graph", kind), directed=bool(directed))
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

    Parameters
    ----------
    path
        An edge list (.csv, .tsv, .parquet), GraphML (.graphml) or node-link JSON (.json).
    nodes
        A file that says more of the nodes.
    directed
        Whether edges lead from source to target; None: as GraphML and JSON say themselves, and in
        an edge list they do not. False: two edges that lead opposite ways become one.

    Raises
    ------
    GraphFileError
        Which names the file, the line where there is one, and what to correct.
    """
    tables: dict[str, Callable[[Path], UserTable]] = {
        ".csv": read_edge_text,
        ".tsv": read_edge_text,
        ".parquet": lambda file: read_parquet(file, ("source", "target")),
    }
    readers: dict[str, Callable[[Path], UserTable | GraphBuilder]] = {
        **tables,
        ".graphml": _graphml,
        ".json": _node_link,
    }
    read = _read(Path(path), readers, FORMS_AND_NAMES, FORMS)
    if isinstance(read, UserTable):
        # told that it is undirected, each row is first read as a direction
        read = GraphBuilder.of_table(read, str(path), directed=directed is not None)
    return read.build(_nodes_in(nodes), directed).graph


def read_node_file(path: Path | str) -> UserTable:
    """What a file says of nodes: text of a .csv or .tsv, values of Parquet."""
    readers: dict[str, Callable[[Path], UserTable]] = {
        ".csv": read_node_text,
        ".tsv": read_node_text,
        ".parquet": lambda file: read_parquet(file, ("node",)),
    }
    return _read(Path(path), readers, NODE_FORMS, NODE_FORMS)


def _nodes_in(path: Path | str | None) -> UserTable | None:
    return None if path is None else read_node_file(path)


def _read(path: Path, readers: Mapping[str, Callable[[Path], T]], instead: str, forms: str) -> T:
    reader = readers.get(path.suffix.lower())
    if not path.exists():
        raise GraphFileError(f"{path}: there is no such file. Give {instead}.{_guess(path)}")
    if not path.is_file():
        what = "a folder" if path.is_dir() else "a pipe or a device"
        raise GraphFileError(f"{path}: {what} cannot be read as a graph. Give {forms}.")
    if reader is None:
        raise GraphFileError(f"{path}: files ending in '{path.suffix}' are not read. Give {forms}.")
    bytes_of_each = BYTES_READ.get(path.suffix.lower(), BYTES_OF_TEXT)
    check_memory(path.stat().st_size * bytes_of_each, str(path), "give a smaller file")
    try:
        return reader(path)
    except ReadingError as problem:
        raise GraphFileError(str(problem)) from problem
    except (OSError, UnicodeDecodeError) as problem:
        raise GraphFileError(
            f"{path}: cannot be read ({_reason(problem)}). Check the file and its permissions."
        ) from problem


def _guess(path: Path) -> str:
    """A file beside it that is called nearly the same."""
    try:
        names = [one.name for one in path.parent.iterdir() if one.suffix == path.suffix]
    except (OSError, ValueError):
        return ""
    close = difflib.get_close_matches(path.name, names, n=1)
    return f" Did you mean '{visible(str(path.parent / close[0]))}'?" if close else ""


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


# ---- GraphML and JSON


def _parsed(content: bytes) -> ElementTree.Element:
    """The root of a document; one that declares entities, or is very deep, is refused."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError("it declares entities, which are not read")
    depth, events = 0, ElementTree.iterparse(BytesIO(content), ("start", "end"))
    for event, _ in events:
        depth += 1 if event == "start" else -1
        if depth > MOST_NESTED:
            raise ValueError(f"its elements are more than {MOST_NESTED} deep")
    root: ElementTree.Element = events.root  # type: ignore[attr-defined]
    return root


def _tagged(elements: Iterable[ElementTree.Element], tag: str) -> list[ElementTree.Element]:
    return [element for element in elements if element.tag.rpartition("}")[2] == tag]


def _typed(kind: str | None, text: str) -> Any:
    """What a text says, numbers exactly; what is not of its declared type stays text."""
    if kind == "boolean":
        truths = {"true": True, "1": True, "false": False, "0": False}
        return truths.get(text.strip().lower(), text)
    return float_or_text(text) if kind in ("int", "long", "float", "double") else text


def _graphml(path: Path) -> GraphBuilder:
    try:
        root = _parsed(read_bytes(path, MOST_BYTES))
        graphs = _tagged(root, "graph")
        if len(graphs) != 1:
            raise ValueError(f"there are {len(graphs)} graphs in it, and one is needed")
        keys = {key.attrib["id"]: key for key in _tagged(root, "key")}
        usual = [(keys[id], text.text) for id in keys for text in _tagged(keys[id], "default")]

        def said(element: ElementTree.Element, where: str) -> dict[str, Any]:
            """What an element says, and what is declared of all such."""
            given = [(keys[data.attrib["key"]], data.text) for data in _tagged(element, "data")]
            of_all = [(key, text) for key, text in usual if key.get("for") in (where, "all")]
            return {
                key.attrib["attr.name"]: _typed(key.get("attr.type"), text)
                for key, text in [*of_all, *given]
                if "attr.name" in key.attrib and text is not None
            }

        graph = graphs[0]
        directed = graph.get("edgedefault") == "directed"
        found = {tag: _tagged(graph.iter(), tag) for tag in ("node", "edge", "hyperedge")}
        ways = {edge.get("directed", str(directed).lower()) for edge in found["edge"]}
        if found["hyperedge"] or ways - {str(directed).lower()}:
            raise ValueError("its edges join more than two nodes, or only some have directions")
        nodes = [(node.attrib["id"], said(node, "node")) for node in found["node"]]
        edges = [
            (edge.attrib["source"], edge.attrib["target"], said(edge, "edge"))
            for edge in found["edge"]
        ]
        of_graph = said(graph, "graph")
    except (ElementTree.ParseError, KeyError, ValueError) as problem:
        raise GraphFileError(
            f"{path}: not GraphML ({_reason(problem)}). Correct the file."
        ) from problem
    return _checked(path, directed, [name for name, _ in nodes], nodes, edges, of_graph)


def _node_link(path: Path) -> GraphBuilder:
    try:
        # numbers as they are written, of any length; what is none (NaN) stays, and is refused where
        # it is needed
        data = read_free_json(path, MOST_BYTES, number_or_text, float_or_text)
        nodes = [(_node_id(path, node.pop("id")), node) for node in data["nodes"]]
        edges = [
            (_node_id(path, edge.pop("source")), _node_id(path, edge.pop("target")), edge)
            for edge in (data["edges"] if "edges" in data else data["links"])
        ]
        for *_, edge in edges:
            edge.pop("key", None)  # which NetworkX writes to tell parallel edges apart
    except (TypeError, KeyError, AttributeError) as problem:
        raise GraphFileError(
            f"{path}: not node-link JSON ({_reason(problem)}). It needs 'nodes' with an 'id' each, "
            "and 'edges' (or 'links') with 'source' and 'target'; networkx.node_link_data writes "
            "it."
        ) from problem
    directed = data.get("directed", False)
    if not isinstance(directed, bool):
        raise GraphFileError(f"{path}: 'directed' is {directed!r}. Write true or false.")
    of_graph = data.get("graph", {})
    if not isinstance(of_graph, dict):
        raise GraphFileError(f"{path}: 'graph' is {of_graph!r}. Write names with values, or none.")
    return _checked(path, directed, [node for node, _ in nodes], nodes, edges, of_graph)


def _checked(
    path: Path,
    directed: bool,
    names: Sequence[Any],
    nodes: Iterable[tuple[Any, Mapping[str, Any]]],
    edges: Sequence[tuple[Any, Any, Mapping[str, Any]]],
    of_graph: Mapping[str, Any],
) -> GraphBuilder:
    """The graph of a file that declares its nodes, each once, before edges lead to them."""
    declared = set()
    for name in names:
        if name in declared:
            raise GraphFileError(f"{path}: node '{name}' stands twice. Keep one of them.")
        declared.add(name)
    for source, target, _ in edges:
        for end in (source, target):
            if end not in declared:
                raise GraphFileError(
                    f"{path}: edge ({source}, {target}) leads to node '{end}', which the file does "
                    "not declare. Add the node."
                )
    return GraphBuilder.of_rows(str(path), directed, dict(nodes), edges, of_graph)


def _node_id(path: Path, node: Any) -> Any:
    if not isinstance(node, str | int | float | Decimal):
        raise GraphFileError(f"{path}: {node!r} cannot be a node's id. Use text or a number.")
    return node


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror.lower()
    if isinstance(problem, KeyError):
        return f"{problem} is missing"
    return brief(problem)
