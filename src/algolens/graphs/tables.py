"""Text tables of edges and nodes: read in the one way possible, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from algolens.errors import GraphFileError
from algolens.graphs.attributes import exact_number, number_or_text
from algolens.graphs.convert import GraphBuilder

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
BLANKS = " \t"
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
    "destination",
    "node1",
    "node2",
    "node_1",
    "node_2",
    "cost",
    "distance",
    "length",
}
MOST_NAMED = 5


@dataclass(frozen=True)
class Cell:
    """A cell of a line: what stands between quotes, or without them and the blanks around it."""

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

    @property
    def cells(self) -> list[str]:
        """The text of each cell; a line that may have been meant otherwise is refused."""
        self._check()
        return [cell.text for cell in self.split]

    def by_column(self, columns: Sequence[str]) -> dict[str, Any]:
        """The cells by column, without empty ones."""
        cells = self.cells
        if len(cells) > len(columns):
            raise GraphFileError(
                f"{self.where}: {len(cells)} columns came, not {len(columns)} "
                f"({', '.join(columns)}). Correct the line."
            )
        return {name: cell for name, cell in zip(columns, cells, strict=False) if cell}

    @cached_property
    def split(self) -> list[Cell]:
        """Its cells; a quote that is not closed, or has something behind it, is refused."""
        blanks, cells, at = BLANKS.replace(self.separator, ""), [], 0
        quoted = re.compile(rf'[{blanks}]*"((?:[^"]|"")*)"[{blanks}]*(?={self.separator}|$)')
        while True:
            match = quoted.match(self.text, at)
            if match is not None:
                cells.append(Cell(match[1].replace('""', '"'), is_quoted=True))
                at = match.end()
            else:
                text = self.text[at:].split(self.separator, 1)[0]
                trimmed = text.strip(blanks)
                if trimmed.startswith('"'):
                    raise GraphFileError(
                        f"{self.where}: cannot be read (a quote). Close every quote in its line."
                    )
                cells.append(Cell(trimmed, is_trimmed=text != trimmed))
                at += len(text)
            if at == len(self.text):
                return cells
            at += 1

    @property
    def is_empty(self) -> bool:
        """Whether it holds separators alone, as spreadsheets write an empty row."""
        return not any(cell.text or cell.is_quoted for cell in self.split)

    def _check(self) -> None:
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
    """The lines that say something. columns: what is separated, for messages.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no
    comma.
    """
    separator = "\t" if path.suffix.lower() == ".tsv" else ""
    are_returns = None
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, ended in enumerate(file, start=1):
            where, text = f"{path}, line {number}", ended.rstrip("\r\n")
            is_return = ended.endswith("\r")  # as lines of old files end, all of them
            if are_returns not in (None, is_return) and ended != text:
                raise GraphFileError(
                    f"{where}: a carriage return ends some lines and not others. End all lines "
                    "alike."
                )
            are_returns = is_return
            if not text.strip(BLANKS):
                continue
            first_separator = next((mark for mark in SEPARATORS if mark in text), ",")
            line = Line(where, text, separator or first_separator, columns)
            if not (separator and line.is_empty):
                separator = line.separator
                yield line


def _blanks_left_out(lines: Iterable[Line]) -> list[str]:
    """What a user should know of blanks around cells."""
    for line in lines:
        for cell in line.split:
            if cell.is_trimmed and cell.text:
                return [
                    f"{line.where}: blanks around '{cell.text}' are left out, as around all "
                    "without quotes."
                ]
    return []


def _check_header(names: list[str], line: Line) -> None:
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


# ---- edges


def read_edge_list(path: Path, *, directed: bool = False) -> GraphBuilder:
    """``source,target[,weight]`` a line, or as a header says; a source alone is a lone node.

    directed: edges lead from source to target.
    """
    builder = GraphBuilder(directed=directed, is_file=True)
    lines = list(read_lines(path, "source, target and weight"))
    columns = _columns(lines[0]) if lines else None
    rows = lines[1:] if columns else lines
    for row in rows:
        cells: dict[str, Any] = row.by_column(columns or COLUMNS)
        if "weight" in cells:
            cells["weight"] = number_or_text(cells["weight"])
        builder.add_row(cells, row.where)
    builder.notes += _blanks_left_out(rows)
    return builder


def _columns(first: Line) -> tuple[str, ...] | None:
    """The columns by a header, in any order; None where the first line is none."""
    cells = first.cells
    names = [cell.lower() for cell in cells]
    if {"source", "target"} <= set(names):
        _check_header(names, first)
        return tuple(
            name if name in COLUMNS else cell for name, cell in zip(names, cells, strict=True)
        )
    numbers = [exact_number(cell) for cell in cells]
    if (
        len(names) > 1
        and set(names[:2]) <= HEADER_WORDS
        and not any(n is not None for n in numbers)
    ):
        raise GraphFileError(
            f"{first.where}: this reads like a header, and '{', '.join(names)}' does not say "
            "which columns are source and target. Name them source, target and weight; or put "
            "such a line above, if these are nodes."
        )
    if len(cells) == len(COLUMNS) and all(cells) and numbers[-1] is None:
        raise GraphFileError(
            f"{first.where}: 'weight' of edge ({cells[0]}, {cells[1]}) is '{cells[2]}', which is "
            "no number. Correct the file or, if this line is a header, name its columns source, "
            "target and weight."
        )
    return None


# ---- nodes


def add_node_file(builder: GraphBuilder, path: Path) -> None:
    """Adds what a file says of the nodes to a graph, as text.

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
    _check_header(columns, header)
    added = builder.add_node_rows((row.where, row.by_column(columns)) for row in rows)
    builder.notes += _blanks_left_out(rows)
    if added:
        shown = ", ".join(f"'{name}'" for name in added[:MOST_NAMED])
        more = ", ..." if len(added) > MOST_NAMED else ""
        builder.notes.append(
            f"{path} lists nodes that no edge has; they are added as lone nodes: {shown}{more}."
        )
