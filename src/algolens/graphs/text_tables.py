"""Text tables as columns: plain lines by PyArrow, all others one by one.

A line is plain where ``Line`` cannot but read it as separators alone divide it, which one regular
expression sees. ``Line`` reads any other, or says what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algolens.errors import GraphFileError
from algolens.graphs.attributes import column, exact_number, number_or_text
from algolens.graphs.tables import ENDS, UserTable, from_arrow
from algolens.lazy import pa, pc

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
BLANKS = " \t"
COLUMNS = ("source", "target", "weight")
WHOLE = re.compile("(?:-?[0-9]{1,18}\n)*")  # lines of numbers that an int64 holds
# two of these words in the first line make it a header; its columns are then found by name and
# never guessed
HEADER_WORD = re.compile(
    "source|target|weight|from|to|src|dst|start|end|head|tail|origin|destination|node_?[12]|cost"
    "|distance|length"
)


def read_edge_text(path: Path) -> UserTable:
    """``source,target[,weight]`` a line, or as a header says; a source alone is a lone node."""
    table = _read(path, "source, target and weight", _edge_columns, ("weight",))
    return table or UserTable({name: column([]) for name in ENDS}, str, str(path), [], True)


def read_node_text(path: Path) -> UserTable:
    """A header with a column ``node``, then a line for each node; cells are texts."""
    table = _read(path, "the columns", _node_columns)
    if table is None:
        raise GraphFileError(
            f"{path}: the file is empty. Write a header, as in node,wall, and a line for each node."
        )
    return table


# ---- lines


class Cell(NamedTuple):
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
        blanks, cells, at = BLANKS.replace(self.separator, ""), list[Cell](), 0
        if '"' not in self.text:
            parts = [(part, part.strip(blanks)) for part in self.text.split(self.separator)]
            return [Cell(trimmed, is_trimmed=part != trimmed) for part, trimmed in parts]
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


# the columns that a first line names, and whether it is a header
ReadHeader = Callable[[Line], tuple[Sequence[str], bool]]


# ---- headers


def _edge_columns(first: Line) -> tuple[Sequence[str], bool]:
    """The columns by a header, in any order, and whether the first line is one."""
    cells = first.cells
    names = [cell.lower() for cell in cells]
    if names == ["source"]:  # lone nodes alone
        return ENDS, True
    if {"source", "target"} <= set(names):
        _check_header(names, first)
        both = zip(names, cells, strict=True)
        return tuple(name if name in COLUMNS else cell for name, cell in both), True
    has_number = [exact_number(cell) is not None for cell in cells]
    if len(names) > 1 and all(map(HEADER_WORD.fullmatch, names[:2])) and not any(has_number):
        raise GraphFileError(
            f"{first.where}: this reads like a header, and '{', '.join(names)}' does not say "
            "which columns are source and target. Name them source, target and weight; or put "
            "such a line above, if these are nodes."
        )
    if len(cells) == len(COLUMNS) and all(cells) and not has_number[-1]:
        raise GraphFileError(
            f"{first.where}: 'weight' of edge ({cells[0]}, {cells[1]}) is '{cells[2]}', which is "
            "no number. Correct the file or, if this line is a header, name its columns source, "
            "target and weight."
        )
    return COLUMNS, False


def _node_columns(header: Line) -> tuple[Sequence[str], bool]:
    columns = ["node" if cell.lower() == "node" else cell for cell in header.cells]
    if "node" not in columns:
        raise GraphFileError(
            f"{header.where}: the header '{', '.join(columns)}' has no column 'node', which names "
            "the nodes. Write one, as in node,wall."
        )
    _check_header(columns, header)
    return columns, True


def _check_header(names: Sequence[str], line: Line) -> None:
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


# ---- cells


def _read(
    path: Path, words: str, read_header: ReadHeader, numbers: Sequence[str] = ()
) -> UserTable | None:
    """The rows of a file; None where it says nothing.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no
    comma. words: what is separated, for messages. numbers: the columns that hold numbers.
    """
    text = _ended_alike(path, path.read_bytes().decode("utf-8-sig"))
    given = "\t" if path.suffix.lower() == ".tsv" else ""
    for number, said in enumerate(text.split("\n")):
        mark = given or next((mark for mark in SEPARATORS if mark in said), ",")
        first = Line(f"{path}, line {number + 1}", said, mark, words)
        if said.strip(BLANKS) and not (given and first.is_empty):
            break
    else:
        return None
    names, is_header = read_header(first)
    above, separator = number + is_header, first.separator
    lines = pc.split_pattern(_texts([text]), "\n").flatten()[above:]
    is_row = ~_matches(lines, f"^[{separator}{BLANKS}]*$")
    lines, rows = lines.filter(_to_arrow(is_row)), above + 1 + is_row.nonzero()[0]
    cells = pc.split_pattern(pc.replace_substring(lines, '"', ""), separator)
    starts, counts = from_arrow(cells.offsets)[:-1], np.diff(from_arrow(cells.offsets))
    is_odd = ~_are_plain(lines, separator) | (counts > len(names))
    odd = [
        Line(f"{path}, line {rows[place]}", lines[place].as_py(), separator, words)
        for place in is_odd.nonzero()[0].tolist()
    ]
    own = [row.get(name, "") for row in (line.by_column(names) for line in odd) for name in names]
    nothing = len(cells.flatten())
    coded = pa.concat_arrays([cells.flatten(), _texts(["", *own])]).dictionary_encode()
    distinct, codes = coded.dictionary.to_pylist(), from_arrow(coded.indices)
    codes[codes == codes[nothing]] = -1
    columns, of_column = {}, {}
    for place, name in enumerate(names):
        index = np.where(place < counts, starts + place, nothing)
        index[is_odd] = nothing + 1 + place + len(names) * np.arange(len(odd))
        of_column[name] = codes[index]
        there, which = np.unique(of_column[name], return_inverse=True)
        texts = [None if code < 0 else distinct[code] for code in there.tolist()]
        columns[name] = column(_numbers(texts) if name in numbers else texts)[which]
    trimmed = (
        f"{line.where}: blanks around '{cell.text}' are left out, as around all without quotes."
        for line in odd
        for cell in line.split
        if cell.is_trimmed and cell.text
    )
    notes = list(islice(trimmed, 1))
    ends = np.stack([of_column[name] for name in ENDS]) if numbers else None
    return UserTable(columns, lambda row: f"{path}, line {rows[row]}", str(path), notes, True, ends)


def _texts(texts: Sequence[str]) -> pa.Array:
    """Texts as an array of Arrow, whose own way there imports pandas."""
    content = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, content)])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(content))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def _ended_alike(path: Path, text: str) -> str:
    """A text whose lines end in line feeds: of old files in carriage returns, but then all."""
    text = text.replace("\r\n", "\n")
    if "\r" in text and "\n" in text:
        ends = re.findall("[\r\n]", text)
        line = next(place for place, end in enumerate(ends, start=1) if end != ends[0])
        raise GraphFileError(
            f"{path}, line {line}: a carriage return ends some lines and not others. End all lines "
            "alike."
        )
    return text.replace("\r", "\n")


def _matches(lines: pa.Array, expression: str) -> np.ndarray:
    return from_arrow(pc.match_substring_regex(lines, expression))


def _are_plain(lines: pa.Array, separator: str) -> np.ndarray:
    """Which lines separators alone divide, and quotes alone stand around whole cells."""
    others = ";\t" if separator == "," else ""
    inner = f'"{separator}{others}'
    edge = f"[^{inner}{BLANKS.replace(separator, '')}]"
    quoted = f'"[^"{separator}]+"'
    cell = f"(?:{edge}(?:[^{inner}]*{edge})?|{quoted})?"
    lone = r"[!$-+\--:<-~]+"  # without blanks and separators of any kind
    is_divided = _matches(lines, f"^(?:{cell}(?:{separator}{cell})+|{lone}|{quoted})$")
    return is_divided & ~_matches(lines, f"^[{BLANKS}]*#")


def _numbers(texts: list[Any]) -> list[Any]:
    """The numbers that texts say; the text itself where it says none."""
    if None not in texts and WHOLE.fullmatch("\n".join([*texts, ""])):
        return list(map(int, texts))
    return list(map(number_or_text, texts))


def _to_arrow(truths: np.ndarray) -> pa.Array:
    packed = pa.py_buffer(np.packbits(truths, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(truths), [None, packed])
