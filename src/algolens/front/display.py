"""How results look: as text, as HTML in a notebook, and as pages in a frame there."""

from __future__ import annotations

import html
import io
import sys
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterable

from rich.console import Console, RenderableType

from algolens.errors import visible
from algolens.front.html_tables import WIDTH, as_html


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
        lines = self._console().export_text().split("\n")
        return "\n".join(visible(line).rstrip() for line in lines).strip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.parts())

    def _console(self) -> Console:
        """A console that has recorded all parts."""
        console = Console(
            file=io.StringIO(), width=WIDTH, record=True, force_jupyter=False, color_system=None
        )
        for part in self.parts():
            console.print(part, soft_wrap=isinstance(part, str), highlight=False, markup=False)
        return console


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
