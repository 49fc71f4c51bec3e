"""GraphML: NetworkX's reader, but with numbers exactly as they are written, and defaults where a
node or edge says nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
from networkx.readwrite.graphml import GraphMLReader

from algolens.graphs.attributes import exact_number

NAMESPACE = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def read_graphml(path: Path) -> tuple[nx.Graph, list[str]]:
    """The graph of a file, and the names of the nodes that it declares.

    Raises what NetworkX and the parser of XML raise where a file is no GraphML.
    """
    content = path.read_bytes()
    if b"xmlns" not in content:
        content = content.replace(b"<graphml>", NAMESPACE)  # as NetworkX reads it
    graphs = list(_Reader()(string=content))
    if len(graphs) != 1:
        raise nx.NetworkXError(f"there are {len(graphs)} graphs in it, and one is needed")
    graph = graphs[0]
    for kind, everywhere in (("node", graph.nodes), ("edge", graph.edges)):
        for name, value in graph.graph[f"{kind}_default"].items():
            for each in everywhere:
                everywhere[each].setdefault(name, value)
    elements = ElementTree.fromstring(content).iter()
    return graph, [element.get("id", "") for element in elements if element.tag.endswith("}node")]


class _Reader(GraphMLReader):  # type: ignore[misc]
    """What is not of its declared type stays text: the algorithm that needs it then says whose it
    is.
    """

    def construct_types(self) -> None:
        super().construct_types()
        self.python_type.update(
            dict.fromkeys(("int", "long", "float", "double"), _number) | {"boolean": _truth}
        )


def _number(text: Any) -> Any:
    number = exact_number(text)
    return text if number is None else number


def _truth(text: Any) -> Any:
    return (
        {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
        if isinstance(text, str)
        else text
    )
