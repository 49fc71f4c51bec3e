"""Node files: what a user says of each node, in a table whose header names a column ``node`` and
one for each attribute.
"""

from __future__ import annotations

from pathlib import Path

import networkx as nx

from algolens.errors import GraphFileError
from algolens.graphs.separated import blanks_left_out, check_header, read_lines

MOST_NAMED = 5


def add_node_file(graph: nx.Graph, path: Path) -> tuple[str, ...]:
    """Adds what a file says of the nodes to a graph, as text, and gives what a user should know of
    it.

    A node that no edge has is added: so lone nodes can be listed. An empty cell says nothing.
    """
    lines = list(read_lines(path, "the columns"))
    if not lines:
        raise GraphFileError(
            f"{path}: the file is empty. Write a header, as in node,wall, and a line for each node."
        )
    header, *rows = lines
    columns = ["node" if cell.lower() == "node" else cell for cell in header.cells]
    if "node" not in columns:
        raise GraphFileError(
            f"{header.where}: the header '{', '.join(columns)}' has no column 'node', which names "
            "the nodes. Write one, as in node,wall."
        )
    check_header(columns, header)
    known, listed, added = {str(node): node for node in graph}, set(), []
    for line in rows:
        cells = line.cells
        if len(cells) > len(columns):
            raise GraphFileError(
                f"{line.where}: {len(cells)} columns came, not {len(columns)} "
                f"({', '.join(columns)}). Correct the line."
            )
        values = dict(zip(columns, cells, strict=False))
        name = values.pop("node", "")
        if not name:
            raise GraphFileError(
                f"{line.where}: the node is missing. Write {line.separator.join(columns)}."
            )
        if name in listed:
            raise GraphFileError(
                f"{line.where}: node '{name}' stands twice. Keep one of the lines."
            )
        listed.add(name)
        added += [] if name in known else [name]
        attributes = graph.nodes[known[name]] if name in known else {}
        for column, value in values.items():
            if column in attributes:
                raise GraphFileError(
                    f"{line.where}: the graph itself says that {column} of node '{name}' is "
                    f"'{attributes[column]}'. Keep it in one of the files."
                )
            if value:
                attributes[column] = value
        graph.add_node(known.get(name, name), **attributes)
    return blanks_left_out(rows) + _remarks(path, added)


def _remarks(path: Path, added: list[str]) -> tuple[str, ...]:
    if not added:
        return ()
    shown = ", ".join(f"'{name}'" for name in added[:MOST_NAMED]) + (
        ", ..." if len(added) > MOST_NAMED else ""
    )
    return (f"{path} lists nodes that no edge has; they are added as lone nodes: {shown}.",)
