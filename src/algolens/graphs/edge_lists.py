"""Edge lists as people write them: read where they can be read in one way only, else refused with the line."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx

from algolens.errors import GraphFileError

COLUMNS = ("source", "target", "weight")
# two of these in the first line are a header, of whose columns it must not be guessed which is which
HEADER_WORDS = {"source", "target", "weight", "from", "to", "src", "dst", "start", "end", "head", "tail", "origin"}
HEADER_WORDS |= {"destination", "node1", "node2", "node_1", "node_2", "cost", "distance", "length"}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}


def read_edge_list(path: Path) -> nx.Graph:
    """``source,target[,weight]`` a line, or as a header says; a line with a source alone is a lone node.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no comma.
    """
    graph = nx.Graph()
    lines = list(_lines(path))
    columns = _columns(lines[0]) if lines else None
    for line in lines[1:] if columns else lines:
        _read(line, columns or COLUMNS, graph)
    return graph


def add_edge(graph: nx.Graph, source: Any, target: Any, attributes: Mapping[str, Any], where: str) -> None:
    """Adds an edge; one that stands there already must agree."""
    before = graph.get_edge_data(source, target)
    if before is not None and before != attributes:
        shown = [", ".join(f"{k} {v}" for k, v in each.items()) or "nothing" for each in (before, attributes)]
        raise GraphFileError(
            f"{where}: edge ({source}, {target}) stands twice, once with {shown[0]} and once with {shown[1]}. Keep one of them."
        )
    graph.add_edge(source, target, **attributes)


@dataclass(frozen=True)
class _Line:
    """One line that says something."""

    where: str
    text: str
    separator: str
    is_first: bool

    @property
    def cells(self) -> list[str]:
        try:
            (row,) = csv.reader([self.text], delimiter=self.separator, skipinitialspace=True, strict=True)
        except csv.Error as problem:
            raise GraphFileError(f"{self.where}: cannot be read ({problem}). Close every quote in its line.") from problem
        cells = [cell.strip() for cell in row]
        if '"' not in self.text:
            self._check(cells)
        return cells

    def _check(self, cells: list[str]) -> None:
        """Whether names without quotes hold nothing that may have been meant as a separator."""
        others = [other for other in SEPARATORS if other != self.separator and other in self.text]
        if len(cells) == 1 and (others or len(self.text.split()) > 1):
            raise GraphFileError(
                f"{self.where}: '{cells[0]}' has no {SEPARATORS[self.separator]}, which separates source, target and weight. "
                "Put it there, or put the name of a lone node between quotes."
            )
        if self.separator == "," and others:
            raise GraphFileError(
                f"{self.where}: there are commas and {SEPARATORS[others[0]]}s. Use one of them as the separator, and put names "
                "with the other between quotes."
            )


def _lines(path: Path) -> Iterator[_Line]:
    separator = "\t" if path.suffix.lower() == ".tsv" else ""
    is_first = True
    with path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, start=1):
            text = text.rstrip("\n")
            if not text.strip(",; \t") or text.lstrip().startswith("#"):
                continue
            separator = separator or next((each for each in SEPARATORS if each in text), ",")
            yield _Line(f"{path}, line {number}", text, separator, is_first)
            is_first = False


def _columns(first: _Line) -> tuple[str, ...] | None:
    """The columns by a header, in any order; None where the first line is none."""
    names = tuple(cell.lower() for cell in first.cells)
    if not {"source", "target"} <= set(names):
        if len(names) > 1 and set(names[:2]) <= HEADER_WORDS and not any(map(_is_finite, names)):
            raise GraphFileError(
                f"{first.where}: this reads like a header, and '{', '.join(names)}' does not say which columns are source and "
                "target. Name them source, target and weight; or put such a line above, if these are nodes."
            )
        return None
    if len(set(names)) < len(names):
        raise GraphFileError(f"{first.where}: the header names a column twice ({', '.join(names)}). Name each once.")
    return names


def _read(line: _Line, columns: tuple[str, ...], graph: nx.Graph) -> None:
    row = line.cells
    if len(row) > len(columns):
        raise GraphFileError(
            f"{line.where}: {len(row)} columns came, not {len(columns)} ({', '.join(columns)}). Correct the line."
        )
    cells = dict(zip(columns, row, strict=False))
    source, target = cells.pop("source", ""), cells.pop("target", "")
    for end, name in (("source", source), ("target", target or not any(cells.values()))):
        if not name:
            raise GraphFileError(f"{line.where}: the {end} is missing. Write {line.separator.join(columns)}.")
    graph.add_node(source)
    if target:
        attributes = {key: _number(line, key, text, (source, target)) for key, text in cells.items() if text}
        add_edge(graph, source, target, attributes, line.where)


def _number(line: _Line, key: str, text: str, edge: tuple[str, str]) -> float:
    if not _is_finite(text):
        header = " or, if this line is a header, name its columns source, target and weight" if line.is_first else ""
        raise GraphFileError(
            f"{line.where}: '{key}' of edge ({edge[0]}, {edge[1]}) is '{text}', which is no number. Correct the file{header}."
        )
    try:
        return int(text)  # exactly, also where a float has not so many digits
    except ValueError:
        value = float(text)
        return int(value) if value.is_integer() else value


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
