"""What a terminal shows, as HTML for a notebook: tables can be copied, and read out."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table

WIDTH = 110  # characters of a line
LINES = '<pre style="line-height:1.25;overflow-x:auto">{code}</pre>'
CELL = 'style="text-align: {justify}; vertical-align: top; white-space: pre-wrap"'


def as_html(parts: Iterable[RenderableType]) -> str:
    """Parts, one below the other. Names in them are text, whatever they hold."""
    found: list[str] = []
    lines: list[RenderableType] = []  # that stand together
    for part in _flat(parts):
        if isinstance(part, Table):
            found += [*_block(lines), _table(part)]
            lines = []
        else:
            lines.append(part)
    return "".join([*found, *_block(lines)])


def _flat(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    for part in parts:
        if isinstance(part, Group):
            yield from _flat(part.renderables)
        else:
            yield part


def _block(lines: list[RenderableType]) -> list[str]:
    return [_recorded(lines, WIDTH, LINES)] if lines else []


def _table(table: Table) -> str:
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
    return _recorded([content], 10_000, "{code}").strip()


def _recorded(parts: list[RenderableType], width: int, form: str) -> str:
    console = Console(file=io.StringIO(), width=width, record=True, force_jupyter=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str), highlight=False, markup=False)
    return console.export_html(inline_styles=True, code_format=form)
