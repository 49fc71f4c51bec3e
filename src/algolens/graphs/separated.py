"""Files of separated cells as people write them: read where they can be read in one way only, else refused with the line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from algolens.errors import GraphFileError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}


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
                f"{self.where}: '{cells[0]}' has no {SEPARATORS[self.separator]}, which separates {self.columns}. "
                "Put it there, or put the name of a lone node between quotes."
            )
        if self.separator == "," and others:
            raise GraphFileError(
                f"{self.where}: there are commas and {SEPARATORS[others[0]]}s. Use one of them as the separator, and put names "
                "with the other between quotes."
            )


def read_lines(path: Path, columns: str) -> Iterator[Line]:
    """The lines that say something.

    Separators are tabs in a .tsv, else commas, or semicolons or tabs where the first line has no comma. columns: what they
    separate, for messages.
    """
    separator = "\t" if path.suffix.lower() == ".tsv" else ""
    is_first = True
    with path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(file, start=1):
            text = text.rstrip("\n")
            if not text.strip(",; \t") or text.lstrip().startswith("#"):
                continue
            separator = separator or next((each for each in SEPARATORS if each in text), ",")
            yield Line(f"{path}, line {number}", text, separator, columns, is_first)
            is_first = False


def check_header(names: list[str], line: Line) -> None:
    """Refuses a header that names a column twice, or not at all."""
    if len(set(names)) < len(names):
        raise GraphFileError(f"{line.where}: the header names a column twice ({', '.join(names)}). Name each once.")
    if "" in names:
        raise GraphFileError(f"{line.where}: column {names.index('') + 1} of the header has no name. Name it, or take it out.")
