"""Text tables as columns: plain files by PyArrow; all others line by line.

A file is plain where PyArrow and ``Line`` cannot but read it alike, which is seen in its bytes. The
lines of any other are read by ``Line``, one by one, which says what is wrong with which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from algolens.errors import GraphFileError
from algolens.graphs.lines import BLANKS, SEPARATORS, Line
from algolens.lazy import csv, pa

BLOCK = 2**24  # bytes that PyArrow reads together; a longer line is read by itself
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# the columns that a first line names, and whether it is a header
ReadHeader = Callable[[Line], tuple[Sequence[str], bool]]


@dataclass
class TextTable:
    """The cells of a file by column, as texts; null where one is empty."""

    path: Path
    columns: dict[str, pa.ChunkedArray] = field(default_factory=dict)
    content: bytes = b""  # its lines, each ended by a line feed
    first: int = 0  # the index of the first line with cells
    notes: list[str] = field(default_factory=list)

    @cached_property
    def _lines(self) -> list[int]:
        """The number of the line of each row, from 1 on."""
        marks = "".join(SEPARATORS).encode() + b" \r"
        lines = self.content.split(b"\n")[self.first :]
        return [self.first + 1 + place for place, line in enumerate(lines) if line.strip(marks)]

    def where(self, row: int) -> str:
        """Where a row stands, for messages."""
        return f"{self.path}, line {self._lines[row]}"


def read_text_table(path: Path, words: str, read_header: ReadHeader) -> TextTable:
    """The rows of a file. words: what is separated, for messages.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no
    comma.
    """
    content = _ended_alike(path, path.read_bytes().removeprefix(BYTE_ORDER_MARK))
    content.decode()  # which refuses what is not UTF-8
    given = "\t" if path.suffix.lower() == ".tsv" else ""
    for line in _lines(path, content, given, words):
        if given and line.is_empty:
            continue
        names, is_header = read_header(line)
        first = int(line.where.rpartition(" ")[2]) - 1 + is_header
        break
    else:
        return TextTable(path)
    start = 0
    for _ in range(first):
        start = content.find(b"\n", start) + 1
    cells = _plain(content[start:] if start or not first else b"", line.separator, names)
    notes: list[str] = []
    if cells is None:
        after = _lines(path, content, line.separator, words, first)
        own = [other for other in after if not other.is_empty]
        rows = [other.by_column(names) for other in own]
        cells = [pa.chunked_array([[row.get(name) for row in rows]], pa.string()) for name in names]
        notes = _on_blanks(own)
    return TextTable(path, dict(zip(names, cells, strict=True)), content, first, notes)


def _ended_alike(path: Path, content: bytes) -> bytes:
    """Lines that end in line feeds: of old files in carriage returns, but then all of them."""
    if content.count(b"\r") == content.count(b"\r\n"):
        return content
    ends = [end[0] for end in re.finditer(rb"\r(?!\n)|\n", content)]
    for place, end in enumerate(ends):
        if end != ends[0]:
            raise GraphFileError(
                f"{path}, line {place + 1}: a carriage return ends some lines and not others. End "
                "all lines alike."
            )
    return content.replace(b"\r", b"\n")


def _lines(
    path: Path, content: bytes, separator: str, words: str, first: int = 0
) -> Iterator[Line]:
    """The lines that say something. separator: unless given, the first that stands in a line."""
    for place, text in enumerate(content.decode().split("\n")[first:], start=first + 1):
        text = text.removesuffix("\r")
        if text.strip(BLANKS):
            mark = separator or next((mark for mark in SEPARATORS if mark in text), ",")
            yield Line(f"{path}, line {place}", text, mark, words)


def _on_blanks(lines: Sequence[Line]) -> list[str]:
    """Notes the first cell without quotes that has blanks around it."""
    for line in lines:
        for cell in line.split:
            if cell.is_trimmed and cell.text:
                return [
                    f"{line.where}: blanks around '{cell.text}' are left out, as around all "
                    "without quotes."
                ]
    return []


def _plain(content: bytes, separator: str, names: Sequence[str]) -> list[pa.ChunkedArray] | None:
    """The cells by column, where all lines are plain and equally wide; else None."""
    mark = separator.encode()
    lines = b"\n" + content.replace(b"\r\n", b"\n") + b"\n"
    has_quotes = b'"' in content
    if has_quotes:  # around whole cells, without quotes inside
        lines = re.sub(rb'(?<=[\n%b])"[^"\n]*"(?=[\n%b])' % (mark, mark), b"q", lines)
    edges = [b"\n", mark]
    blanks = [blank.encode() for blank in BLANKS if blank != separator]
    odd = [b'"', b"\n#", *([b";", b"\t"] if separator == "," else [])]
    odd += [pair for blank in blanks for edge in edges for pair in (edge + blank, blank + edge)]
    if any(part in lines for part in odd):
        return None
    width = lines.lstrip(b"\n").partition(b"\n")[0].count(mark) + 1
    if not has_quotes:
        padded, width = _padded(content, separator)
        if padded is None:
            return None
        content = padded
    if not 1 < width <= len(names):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            csv.ReadOptions(column_names=list(names[:width]), block_size=BLOCK),
            csv.ParseOptions(delimiter=separator, quote_char='"' if has_quotes else False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names[:width], pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                check_utf8=False,  # the whole file was checked
            ),
        )
    except pa.ArrowInvalid:  # lines of other widths
        return None
    columns = table.columns
    is_empty = np.logical_and.reduce([from_arrow(column.is_null()) for column in columns])
    if is_empty.any():  # separators alone, or quotes around nothing
        if has_quotes:
            return None
        columns = [column.take(to_arrow(np.flatnonzero(~is_empty))) for column in columns]
    empty = pa.chunked_array([pa.nulls(len(columns[0]), pa.string())])
    return [*columns, *[empty] * (len(names) - width)]


def _padded(content: bytes, separator: str) -> tuple[bytes | None, int]:
    """The lines with separators behind those that have fewer cells; and how many the widest has.

    None where a line may be one whose separator was forgotten.
    """
    content = content if content.endswith(b"\n") else content + b"\n"
    values = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(values == ord("\n"))
    counts = np.diff(np.searchsorted(np.flatnonzero(values == ord(separator)), ends), prepend=0)
    most, at, pieces = int(counts.max()), 0, list[bytes]()
    for place in np.flatnonzero(counts < most).tolist():
        start = int(ends[place - 1]) + 1 if place else 0
        line = content[start : int(ends[place])].removesuffix(b"\r")
        if not counts[place]:
            text = line.decode()
            if len(text.split()) > 1 or any(mark in text for mark in SEPARATORS):
                return None, 0
        if line:
            end = start + len(line)
            pieces += [content[at:end], separator.encode() * (most - int(counts[place]))]
            at = end
    return b"".join([*pieces, content[at:]]), most + 1


# ---- numbers of Arrow and of NumPy; its own ways to and fro import pandas


def from_arrow(numbers: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """[R] a copy of numbers or truth values, none of which is null."""
    if isinstance(numbers, pa.ChunkedArray):
        numbers = numbers.combine_chunks()
    if pa.types.is_boolean(numbers.type):
        return from_arrow(numbers.cast(pa.uint8())).view(bool)
    return np.from_dlpack(numbers).copy()


def to_arrow(numbers: np.ndarray) -> pa.Array:
    """[R] whole numbers, as an array of Arrow."""
    kind = pa.int32() if numbers.dtype == np.int32 else pa.int64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
