"""Edge lists: ``source,target[,weight]`` a line, and whatever else a header names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import networkx as nx

from algolens.errors import GraphFileError
from algolens.graphs.attributes import ExactNumber, exact_number
from algolens.graphs.separated import Line, blanks_left_out, check_header, read_lines

COLUMNS = ("source", "target", "weight")
# two of these words in the first line make it a header; its columns are then found by name and
# never guessed
HEADER_WORDS = {
    "source",
    "target",
    "weight",
    "from",
    "to",
    "src",
    "dst",
    "start",
    "end",
    "head",
    "tail",
    "origin",
}
HEADER_WORDS |= {"destination", "node1", "node2", "node_1", "node_2", "cost", "distance", "length"}


def read_edge_list(path: Path, *, directed: bool = False) -> tuple[nx.MultiGraph, tuple[str, ...]]:
    """``source,target[,weight]`` a line, or as a header says; a line with a source alone is a lone
    node.

    directed: edges lead from source to target. Beside the graph, what a user should know of how it
    was read.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no
    comma.
    """
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    lines = list(read_lines(path, "source, target and weight"))
    columns = _columns(lines[0]) if lines else None
    rows = lines[1:] if columns else lines
    for row in rows:
        _read(row, columns or COLUMNS, graph)
    return graph, blanks_left_out(rows)


def add_edge(
    graph: nx.MultiGraph, source: Any, target: Any, attributes: Mapping[str, Any], where: str
) -> None:
    """Adds an edge to a multigraph; one that stands there already must agree."""
    before = next(iter(graph.get_edge_data(source, target, default={}).values()), attributes)
    if before != attributes:
        shown = [
            ", ".join(f"{k} {v}" for k, v in each.items()) or "nothing"
            for each in (before, attributes)
        ]
        raise GraphFileError(
            f"{where}: edge ({source}, {target}) stands twice, once with {shown[0]} and once with "
            f"{shown[1]}. Keep one of them."
        )
    graph.add_edge(source, target, **attributes)


def _columns(first: Line) -> tuple[str, ...] | None:
    """The columns by a header, in any order; None where the first line is none."""
    cells = first.cells
    names = [cell.lower() for cell in cells]
    if not {"source", "target"} <= set(names):
        if (
            len(names) > 1
            and set(names[:2]) <= HEADER_WORDS
            and not any(exact_number(name) is not None for name in names)
        ):
            raise GraphFileError(
                f"{first.where}: this reads like a header, and '{', '.join(names)}' does not say "
                "which columns are source and target. Name them source, target and weight; or put "
                "such a line above, if these are nodes."
            )
        return None
    check_header(names, first)
    return tuple(low if low in COLUMNS else name for low, name in zip(names, cells, strict=True))


def _read(line: Line, columns: tuple[str, ...], graph: nx.MultiGraph) -> None:
    row = line.cells
    if len(row) > len(columns):
        raise GraphFileError(
            f"{line.where}: {len(row)} columns came, not {len(columns)} ({', '.join(columns)}). "
            "Correct the line."
        )
    cells = dict(zip(columns, row, strict=False))
    source, target = cells.pop("source", ""), cells.pop("target", "")
    for end, name in (("source", source), ("target", target or not any(cells.values()))):
        if not name:
            raise GraphFileError(
                f"{line.where}: the {end} is missing. Write {line.separator.join(columns)}."
            )
    graph.add_node(source)
    if target:
        attributes: dict[str, Any] = {key: text for key, text in cells.items() if text}
        if "weight" in attributes:
            attributes["weight"] = _weight(line, attributes["weight"], (source, target))
        add_edge(graph, source, target, attributes, line.where)


def _weight(line: Line, text: str, edge: tuple[str, str]) -> ExactNumber:
    number = exact_number(text)
    if number is None:
        header = (
            " or, if this line is a header, name its columns source, target and weight"
            if line.is_first
            else ""
        )
        raise GraphFileError(
            f"{line.where}: 'weight' of edge ({edge[0]}, {edge[1]}) is '{text}', which is no "
            f"number. Correct the file{header}."
        )
    return number
