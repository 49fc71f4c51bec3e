"""What benchmarks that write a page in Markdown have in common."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from PIL import Image

from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.experiment.model import versions

PageOption = Annotated[
    Path | None,
    typer.Option(
        help="A Markdown page with the marks `<!-- STEM -->` and `<!-- end -->`, between which the "
        "table is written; STEM is the name of --out without its ending. Else it is printed."
    ),
]


COLORS = 96  # of a picture of lines and texts


def small_png(picture: bytes) -> bytes:
    """The same picture in few colors: a third as large, and to the eye the same."""
    written = io.BytesIO()
    opened = Image.open(io.BytesIO(picture)).convert("RGB")
    few = opened.quantize(COLORS, dither=Image.Dither.NONE)
    few.save(written, "png", optimize=True)
    return written.getvalue()


def command(module: str) -> str:
    """The command that is running, to be written beside what it found."""
    return shlex.join(["python", "-m", f"benchmarks.{module}", *sys.argv[1:]])


def made_with() -> str:
    """The versions that it was made with."""
    return ", ".join(f"{name} {version}" for name, version in versions().items())


def seeds_in_words(seeds: Sequence[int]) -> str:
    """Seeds as a sentence names them.

    >>> seeds_in_words((0, 1, 2)), seeds_in_words((3, 7)), seeds_in_words((4,))
    ('seeds 0 to 2', 'seeds 3, 7', 'seed 4')
    """
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    in_a_row = list(seeds) == list(range(seeds[0], seeds[-1] + 1))
    return f"seeds {seeds[0]} to {seeds[-1]}" if in_a_row else f"seeds {', '.join(map(str, seeds))}"


def line(cells: Iterable[str], widths: Iterable[int]) -> str:
    """A row for a terminal: the first cell to the left, the others to the right."""
    first, *others = zip(cells, widths, strict=True)
    return first[0].ljust(first[1]) + "".join(cell.rjust(width) for cell, width in others)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def write_section(page: Path, name: str, text: str) -> None:
    """Writes a text into a page, in the place of what stands between its marks."""
    begin, end = f"<!-- {name} -->\n", "<!-- end -->\n"
    there = page.read_text(encoding="utf-8") if page.exists() else ""
    before, found, rest = there.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise AlgoLensError(
            f"{page} has no place for {name}: put the lines '{begin.strip()}' and '{end.strip()}' "
            "where the table belongs."
        )
    write_file(page, f"{before}{begin}\n{text.strip()}\n\n{end}{after}")


def show_section(page: Path | None, name: str, text: str) -> None:
    """Writes a text into a page, or prints it where there is no page."""
    if page is None:
        print(text)
    else:
        write_section(page, name, text)
