"""Text tables as columns: plain lines by PyArrow, millions at once; all others one by one.

A line is plain where PyArrow and ``Line`` cannot but read it alike: which lines are, is seen in
their bytes. A line that is not is read by ``Line``, which may refuse it.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from algolens.errors import GraphFileError
from algolens.graphs.lines import BLANKS, SEPARATORS, Line

BLOCK = 2**24  # bytes that are looked at together
OWN_BLOCK = 2**20  # bytes that PyArrow reads together
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
RETURN, LINE_FEED, QUOTE, HASH = b'\r\n"#'
# what may part the words of a line without separators: blanks of any alphabet, other separators
PARTS_WORDS = np.zeros(256, dtype=bool)
PARTS_WORDS[[*b"\t\x0b\x0c\x1c\x1d\x1e\x1f ,;", *range(128, 256)]] = True
# the columns that a first line names, and whether it is a header
ReadHeader = Callable[[Line], tuple[Sequence[str], bool]]


@dataclass
class TextTable:
    """The cells of a file by column, as texts; null where one is empty."""

    path: Path
    columns: dict[str, pa.ChunkedArray] = field(default_factory=dict)
    lines: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # [R] from 1 on
    notes: list[str] = field(default_factory=list)

    def where(self, row: int) -> str:
        """Where a row stands, for messages."""
        return f"{self.path}, line {self.lines[row]}"


def read_text_table(path: Path, words: str, read_header: ReadHeader) -> TextTable:
    """The rows of a file. words: what is separated, for messages.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no
    comma.
    """
    if not path.stat().st_size:
        return TextTable(path)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        newline = _newline(path, mapped)
        start, number, first = _first_line(path, mapped, newline, words)
        if first is None:
            return TextTable(path)
        names, is_header = read_header(first)
        if is_header:
            start, number = _line_end(mapped, newline, start) + 1, number + 1
        has_quotes = mapped.find(b'"', start) >= 0
        reader = _Reader(path, first.separator, newline, words, tuple(names), has_quotes)
        blocks = _blocks(mapped, newline, start, number)
        pieces = [reader.nothing, *(reader.read(block, at) for block, at in blocks)]
    by_column = zip(*(columns for _, columns in pieces), strict=True)
    cells = dict(zip(names, map(pa.chunked_array, by_column), strict=True))
    return TextTable(path, cells, np.concatenate([lines for lines, _ in pieces]), reader.notes)


# ---- lines of a file


def _newline(path: Path, mapped: mmap.mmap) -> int:
    """The byte that ends lines: of old files a carriage return, but then of all lines."""
    if mapped.find(b"\r") < 0:
        return LINE_FEED
    content = np.frombuffer(mapped, dtype=np.uint8)
    is_return = content == RETURN
    is_return[:-1] &= content[1:] != LINE_FEED
    ends_by_return = is_return[is_return | (content == LINE_FEED)]
    del content  # so that the file can be closed
    changes = np.flatnonzero(ends_by_return[1:] != ends_by_return[:-1])
    if len(changes):
        raise GraphFileError(
            f"{path}, line {changes[0] + 2}: a carriage return ends some lines and not others. End "
            "all lines alike."
        )
    return RETURN if ends_by_return[0] else LINE_FEED


def _line_end(mapped: mmap.mmap, newline: int, start: int) -> int:
    end = mapped.find(bytes([newline]), start)
    return end if end >= 0 else len(mapped)


def _first_line(
    path: Path, mapped: mmap.mmap, newline: int, words: str
) -> tuple[int, int, Line | None]:
    """The first line that says something: where it begins, its number, and itself."""
    separator = "\t" if path.suffix.lower() == ".tsv" else ""
    start, number = (len(BYTE_ORDER_MARK) if mapped[:3] == BYTE_ORDER_MARK else 0), 1
    while start < len(mapped):
        end = _line_end(mapped, newline, start)
        text = mapped[start:end].decode().removesuffix("\r")
        if text.strip(BLANKS):
            first_separator = next((mark for mark in SEPARATORS if mark in text), ",")
            line = Line(f"{path}, line {number}", text, separator or first_separator, words)
            if not (separator and line.is_empty):
                return start, number, line
        start, number = end + 1, number + 1
    return start, number, None


def _blocks(
    mapped: mmap.mmap, newline: int, start: int, number: int
) -> Iterator[tuple[np.ndarray, int]]:
    """Bytes of whole lines, the last of which is ended too, and the number of the first line."""
    while start < len(mapped):
        end = min(_line_end(mapped, newline, min(start + BLOCK, len(mapped) - 1)) + 1, len(mapped))
        block = np.frombuffer(mapped[start:end], dtype=np.uint8)
        if block[-1] != newline:
            block = np.append(block, np.uint8(newline))
        if (block > 127).any():
            block.tobytes().decode()  # which refuses what is not UTF-8
        yield block, number
        number += int(np.count_nonzero(block == newline))
        start = end


@dataclass(eq=False)
class _Reader:
    """Reads blocks of one file."""

    path: Path
    separator: str
    newline: int
    words: str
    columns: tuple[str, ...]
    has_quotes: bool
    notes: list[str] = field(default_factory=list)

    @property
    def nothing(self) -> tuple[np.ndarray, list[pa.Array]]:
        """No lines."""
        return np.zeros(0, np.int64), [pa.array([], pa.string()) for _ in self.columns]

    def read(self, block: np.ndarray, number: int) -> tuple[np.ndarray, list[pa.Array]]:
        """The numbers of the lines that say something, and their cells by column."""
        lines = _Lines(block, ord(self.separator), self.newline)
        is_trimmed = lines.are_trimmed
        is_odd = lines.are_odd(len(self.columns))
        if self.has_quotes:  # between which blanks stay
            is_odd |= is_trimmed
        self._note_blanks(lines, is_trimmed & lines.say_something, number)
        is_plain = lines.say_something & ~is_odd
        pieces = []
        for count in np.unique(lines.separators[is_plain]).tolist():
            chosen = is_plain & (lines.separators == count)
            longest = int((lines.ends - lines.starts)[chosen].max())
            cells = self._parsed(lines.bytes_of(chosen), count + 1, longest)
            if is_trimmed[chosen].any():
                cells = [_trimmed(column, self.separator) for column in cells]
            pieces.append((np.flatnonzero(chosen), cells))
        others = np.flatnonzero(lines.say_something & is_odd)
        if len(others):
            pieces.append((others, self._one_by_one(lines, others, number)))
        rows, columns = pieces[0] if pieces else self.nothing
        if len(pieces) > 1:
            rows = np.concatenate([rows for rows, _ in pieces])
            order = np.argsort(rows)
            by_column = zip(*(columns for _, columns in pieces), strict=True)
            columns = [pa.concat_arrays(parts).take(pa.array(order)) for parts in by_column]
            rows = rows[order]
        return rows + number, columns

    def _parsed(self, content: bytes, width: int, longest: int) -> list[pa.Array]:
        """The cells of plain lines, all of one width, by column."""
        names = list(self.columns[:width])
        table = csv.read_csv(
            pa.BufferReader(content),
            # PyArrow reads no line that is longer than a block of its own
            csv.ReadOptions(column_names=names, block_size=max(OWN_BLOCK, 2 * longest)),
            csv.ParseOptions(
                delimiter=self.separator, quote_char='"' if self.has_quotes else False
            ),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                check_utf8=False,  # the whole block was checked
            ),
        )
        columns = [table[name].combine_chunks() for name in names]
        empty = pa.nulls(len(table), pa.string())
        return columns + [empty] * (len(self.columns) - width)

    def _line(self, lines: _Lines, place: int, number: int) -> Line:
        where = f"{self.path}, line {number + place}"
        return Line(where, lines.text(place), self.separator, self.words)

    def _one_by_one(self, lines: _Lines, places: np.ndarray, number: int) -> list[pa.Array]:
        rows = [
            self._line(lines, place, number).by_column(self.columns) for place in places.tolist()
        ]
        return [pa.array([row.get(name) for row in rows], pa.string()) for name in self.columns]

    def _note_blanks(self, lines: _Lines, is_trimmed: np.ndarray, number: int) -> None:
        """Notes the first cell without quotes that has blanks around it."""
        for place in [] if self.notes else np.flatnonzero(is_trimmed).tolist():
            line = self._line(lines, place, number)
            cells = [cell.text for cell in line.split if cell.is_trimmed and cell.text]
            if cells:
                self.notes.append(
                    f"{line.where}: blanks around '{cells[0]}' are left out, as around all without "
                    "quotes."
                )
                return


def _trimmed(column: pa.Array, separator: str) -> pa.Array:
    """Texts without the blanks around them; null where nothing is left."""
    texts = pc.ascii_trim(column, BLANKS.replace(separator, ""))
    return pc.if_else(pc.equal(texts, ""), None, texts)


class _Lines:
    """The lines of a block of bytes: which are plain, in arrays [L] over all lines."""

    def __init__(self, block: np.ndarray, separator: int, newline: int) -> None:
        self.block, self.separator, self.newline = block, separator, newline
        self.ends = np.flatnonzero(block == newline)
        self.starts = np.concatenate([[0], self.ends[:-1] + 1])
        self.separator_places = np.flatnonzero(block == separator)
        self.separators = np.diff(np.searchsorted(self.separator_places, self.ends), prepend=0)
        is_blank = block == ord(" ")
        if separator != ord("\t"):
            is_blank |= block == ord("\t")
        self.blanks = np.flatnonzero(is_blank)
        # besides separators and blanks
        returns = (self.before(self.ends) == RETURN) & (newline != RETURN)
        num_marks = self.separators + self.count(self.blanks) + returns
        self.say_something = self.ends - self.starts > num_marks

    def lines_of(self, places: np.ndarray) -> np.ndarray:
        """The line in which each of some bytes stands."""
        return np.searchsorted(self.ends, places)

    def count(self, places: np.ndarray) -> np.ndarray:
        """[L] how many of some bytes stand in each line."""
        return np.bincount(self.lines_of(places), minlength=len(self.ends))

    def before(self, places: np.ndarray) -> np.ndarray:
        """The byte before each of some; before the first, the end of a line."""
        return np.where(places > 0, self.block[places - 1], self.newline)

    def end_cells(self, values: np.ndarray) -> np.ndarray:
        """Whether bytes stand between cells, or between lines."""
        return (values == self.separator) | (values == self.newline) | (values == RETURN)

    @property
    def are_trimmed(self) -> np.ndarray:
        """[L] bools: are there blanks at the edge of a cell?"""
        is_trimmed = np.zeros(len(self.ends), dtype=bool)
        before, after = self.before(self.blanks), self.block[self.blanks + 1]
        at_edge = self.blanks[self.end_cells(before) | self.end_cells(after)]
        is_trimmed[self.lines_of(at_edge)] = True
        return is_trimmed

    def are_odd(self, num_columns: int) -> np.ndarray:
        """[L] bools: may it be read in two ways, by its separators, quotes or first mark?"""
        is_odd = self.separators >= num_columns
        if not self.separators.all():
            parting = np.flatnonzero(PARTS_WORDS[self.block])
            is_odd |= (self.separators == 0) & (self.count(parting) > 0)
        hashes = np.flatnonzero(self.block == HASH)
        before = self.before(hashes)
        is_first = (before == self.newline) | (before == ord(" ")) | (before == ord("\t"))
        is_odd[self.lines_of(hashes[is_first])] = True
        if self.separator == ord(","):
            others = np.flatnonzero((self.block == ord(";")) | (self.block == ord("\t")))
            is_odd[self.lines_of(others)] = True
        return is_odd | self._have_odd_quotes()

    def _have_odd_quotes(self) -> np.ndarray:
        """[L] bools: are there other quotes than around whole cells, without separators inside?"""
        is_odd = np.zeros(len(self.ends), dtype=bool)
        quotes = np.flatnonzero(self.block == QUOTE)
        if not len(quotes):
            return is_odd
        line = self.lines_of(quotes)
        closes = (np.arange(len(quotes)) - np.searchsorted(line, line)) % 2 == 1
        at_edge = self.end_cells(np.where(closes, self.block[quotes + 1], self.before(quotes)))
        is_odd[line[~at_edge]] = True
        is_odd |= np.bincount(line, minlength=len(self.ends)) % 2 == 1
        cell = np.searchsorted(self.separator_places, quotes)
        is_odd[line[closes & (cell != np.roll(cell, 1))]] = True
        return is_odd

    def bytes_of(self, chosen: np.ndarray) -> bytes:
        """Some lines, one after the other."""
        if chosen.all():
            return self.block.tobytes()
        return self.block[np.repeat(chosen, self.ends + 1 - self.starts)].tobytes()

    def text(self, place: int) -> str:
        """One line."""
        content = self.block[self.starts[place] : self.ends[place]].tobytes()
        return content.decode().removesuffix("\r")
