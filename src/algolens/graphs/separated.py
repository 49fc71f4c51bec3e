"""Files of separated cells as people write them: read where they can be read in one way only, else
refused with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from algolens.errors import GraphFileError

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
