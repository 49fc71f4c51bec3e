"""One line of a text table: read in the one way possible, or refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from algolens.errors import GraphFileError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
BLANKS = " \t"


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
