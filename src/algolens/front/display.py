"""What is shown alike in a terminal and in a notebook."""

from __future__ import annotations

import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable

from rich.console import Console, RenderableType

from algolens.errors import visible


def in_notebook() -> bool:
    """Whether what a cell gives is shown as HTML or as a widget: in Jupyter, VS Code, Colab and
    marimo.
    """
    if "marimo" in sys.modules and sys.modules["marimo"].running_in_notebook():
        return True
    if "IPython" not in sys.modules:
        return False
    return hasattr(sys.modules["IPython"].get_ipython(), "kernel")  # a terminal's has none


WIDTH = 110  # characters of a line
HTML = '<pre style="line-height:1.25;overflow-x:auto">{code}</pre>'


class Shown(ABC):
    """Something that ``print`` shows as text, and a notebook as HTML."""

    @abstractmethod
    def parts(self) -> Iterable[RenderableType]:
        """What is shown, from top to bottom."""

    def __str__(self) -> str:
        console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
        for part in self.parts():
            console.print(part, soft_wrap=isinstance(part, str), highlight=False, markup=False)
        assert isinstance(console.file, io.StringIO)
        return "\n".join(
            visible(line).rstrip() for line in console.file.getvalue().split("\n")
        ).strip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.parts())


def as_html(parts: Iterable[RenderableType]) -> str:
    """The same as text of one width, with colors; names in it are text, whatever they hold."""
    console = Console(file=io.StringIO(), width=WIDTH, record=True, force_jupyter=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str), highlight=False, markup=False)
    return console.export_html(inline_styles=True, code_format=HTML)
