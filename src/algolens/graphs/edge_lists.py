"""Tables of edges and of nodes as people write them: read in the one way possible, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import networkx as nx

from algolens.errors import GraphFileError
from algolens.graphs.attributes import ExactNumber, exact_number

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
BLANKS = " \t"


@dataclass(frozen=True)
class Cell:
    """A cell of a line: exactly what stands between quotes, and without them, what stands there
    less the blanks around it.
    """

    text: str
    is_quoted: bool = False
    is_trimmed: bool = False  # whether there were blanks around it


@dataclass(frozen=True)
class Line:
    """One line that says something."""

    where: str
    text: str
    separator: str
    columns: str  # what is separated, in words
    is_first: bool

    @property
    def cells(self) -> list[str]:
        self._check()
        return [cell.text for cell in self.split]

    @cached_property
    def split(self) -> list[Cell]:
        """Its cells; a quote that is not closed, or has something behind it, is refused."""
        blanks, found, at = BLANKS.replace(self.separator, ""), [], 0
        quoted = re.compile(rf'[{blanks}]*"((?:[^"]|"")*)"[{blanks}]*(?={self.separator}|$)')
        while True:
            cell = quoted.match(self.text, at)
            if cell is not None:
                found.append(Cell(cell[1].replace('""', '"'), is_quoted=True))
                at = cell.end()
            else:
                end = self.text.find(self.separator, at)
                text = self.text[at:] if end < 0 else self.text[at:end]
                if text.lstrip(blanks).startswith('"'):
                    raise GraphFileError(
                        f"{self.where}: cannot be read (a quote). Close every quote in its line."
                    )
                found.append(Cell(text.strip(blanks), is_trimmed=text != text.strip(blanks)))
                at += len(text)
            if at == len(self.text):
                return found
            at += 1

    @property
    def is_empty(self) -> bool:
        """Whether it holds separators alone, as spreadsheets write an empty row."""
        return not any(cell.text or cell.is_quoted for cell in self.split)

    def _check(self) -> None:
        """Whether names without quotes hold nothing that may have been meant otherwise."""
        plain = [cell.text for cell in self.split if not cell.is_quoted]
        if self.is_empty:
            raise GraphFileError(
                f"{self.where}: there are separators alone. Take the line out, or put names "
                "between quotes."
            )
        if self.text.lstrip(BLANKS).startswith("#"):
            raise GraphFileError(
                f"{self.where}: it begins with '#', and a remark cannot be told from a name. Take "
                "the remark out, or put the name between quotes."
            )
        others = [
            other
            for other in SEPARATORS
            if other != self.separator and any(other in text for text in plain)
        ]
        if len(self.split) == 1 and plain and (others or len(plain[0].split()) > 1):
            raise GraphFileError(
                f"{self.where}: '{plain[0]}' has no {SEPARATORS[self.separator]}, which separates "
                f"{self.columns}. Put it there, or put the name of a lone node between quotes."
            )
        if self.separator == "," and others:
            raise GraphFileError(
                f"{self.where}: there are commas and {SEPARATORS[others[0]]}s. Use one of them as "
                "the separator, and put names with the other between quotes."
            )


def read_lines(path: Path, columns: str) -> Iterator[Line]:
    """The lines that say something.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no
    comma. columns: what they separate, for messages.
    """
    separator = "\t" if path.suffix.lower() == ".tsv" else ""
    is_first, are_returns = True, None
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(file, start=1):
            where, text = f"{path}, line {number}", line.rstrip("\r\n")
            is_return = line.endswith("\r")  # as lines of old files end, all of them
            if are_returns not in (None, is_return) and line != text:
                raise GraphFileError(
                    f"{where}: a carriage return ends some lines and not others. End all lines "
                    "alike."
                )
            are_returns = is_return
            if not text.strip(BLANKS):
                continue
            found = Line(
                where,
                text,
                separator or next((each for each in SEPARATORS if each in text), ","),
                columns,
                is_first,
            )
            if separator and found.is_empty:
                continue
            separator, is_first = found.separator, False
            yield found


def blanks_left_out(lines: Iterable[Line]) -> tuple[str, ...]:
    """What a user should know of blanks around cells."""
    for line in lines:
        for cell in line.split:
            if cell.is_trimmed and cell.text:
                return (
                    f"{line.where}: blanks around '{cell.text}' are left out, as around all "
                    "without quotes.",
                )
    return ()


def check_header(names: list[str], line: Line) -> None:
    """Refuses a header that names a column twice, or not at all."""
    if len(set(names)) < len(names):
        raise GraphFileError(
            f"{line.where}: the header names a column twice ({', '.join(names)}). Name each once."
        )
    if "" in names:
        raise GraphFileError(
            f"{line.where}: column {names.index('') + 1} of the header has no name. Name it, or "
            "take it out."
        )


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
