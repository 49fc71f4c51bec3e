"""How results look: as text, as HTML in a notebook, and as pages in a frame there."""

from __future__ import annotations

import html
import io
import sys
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from algolens.errors import visible


def in_notebook() -> bool:
    """Whether a notebook (Jupyter, VS Code, Colab, marimo) shows what a cell gives."""
    if "marimo" in sys.modules and sys.modules["marimo"].running_in_notebook():
        return True
    if "IPython" not in sys.modules:
        return False
    return hasattr(sys.modules["IPython"].get_ipython(), "kernel")  # a terminal's has none


class Shown(ABC):
    """Something that ``print`` shows as text, and a notebook as HTML."""

    @abstractmethod
    def parts(self) -> Iterable[RenderableType]:
        """What is shown, from top to bottom."""

    def __str__(self) -> str:
        return as_text(self.parts())

    def _repr_html_(self) -> str:
        return as_html(self.parts())


HEIGHT = 640  # pixels
FRAME = """<div class="algolens-player">
<style>.algolens-player iframe + img {{ display: none }}</style>
<iframe srcdoc="{page}" sandbox="allow-scripts" title="A run, step by step"
 style="width: 100%; height: {height}px; border: 1px solid #8888; border-radius: 4px"></iframe>
<img alt="The start, the middle and the end of a run" src="data:image/svg+xml;base64,{picture}"/>
</div>"""


class Frame:
    """A page in a notebook: in Jupyter, VS Code, Colab, marimo, and in what nbconvert makes of it.

    The page says itself what may run in it. In a frame without an origin it reaches neither the
    notebook nor the network. A notebook that is not trusted drops frame and style, and shows the
    picture. picture: an SVG.
    """

    def __init__(self, page: str, height: int, picture: str) -> None:
        self.page, self.height, self.picture = page, height, picture

    def __repr__(self) -> str:
        return "<a run, step by step: a notebook shows it as a page>"

    def _repr_html_(self) -> str:
        picture = b64encode(self.picture.encode()).decode()
        return FRAME.format(page=html.escape(self.page), height=self.height, picture=picture)


def two_columns(rows: Iterable[tuple[str, Text]], title: str | None = None) -> Table:
    """Names, and what is said of each beside it."""
    table = Table(
        Column(no_wrap=True, style="bold"),
        Column(),
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE,
        show_header=False,
    )
    for row in rows:
        table.add_row(*row)
    return table


WIDTH = 110  # characters of a line
LINES = '<pre style="line-height:1.25;overflow-x:auto">{code}</pre>'
CELL = 'style="text-align: {justify}; vertical-align: top; white-space: pre-wrap"'


def as_text(parts: Iterable[RenderableType]) -> str:
    """Parts, one below the other."""
    lines = _recorded(parts, WIDTH).export_text().split("\n")
    return "\n".join(visible(line).rstrip() for line in lines).strip("\n")


def as_html(parts: Iterable[RenderableType]) -> str:
    """Parts, one below the other: tables as tables of HTML. Names are text, whatever they hold."""
    grouped = groupby(_flat(parts), key=lambda part: isinstance(part, Table))
    return "".join(
        "".join(map(_table, some))
        if are_tables
        else _recorded(some, WIDTH).export_html(inline_styles=True, code_format=LINES)
        for are_tables, some in grouped
    )


def _flat(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    for part in parts:
        if isinstance(part, Group):
            yield from _flat(part.renderables)
        else:
            yield part


def _table(table: Any) -> str:
    head = [f"<th {_style(column.justify)}>{_cell(column.header)}</th>" for column in table.columns]
    columns = [
        [f"<td {_style(column.justify)}>{_cell(cell)}</td>" for cell in column.cells]
        for column in table.columns
    ]
    rows = ["".join(row) for row in zip(*columns, strict=True)]
    titled = "" if table.title is None else f"<caption>{_cell(table.title)}</caption>"
    shown = f"<thead><tr>{''.join(head)}</tr></thead>" if table.show_header else ""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div style="overflow-x: auto"><table>{titled}{shown}<tbody>{body}</tbody></table></div>'
    )


def _style(justify: str) -> str:
    return CELL.format(justify=justify if justify in ("right", "center") else "left")


def _cell(content: RenderableType) -> str:
    recorded = _recorded([content], 10_000)
    return recorded.export_html(inline_styles=True, code_format="{code}").strip()


def _recorded(parts: Iterable[RenderableType], width: int) -> Console:
    """A console that has recorded all parts."""
    console = Console(file=io.StringIO(), width=width, record=True, force_jupyter=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str), highlight=False, markup=False)
    return console
