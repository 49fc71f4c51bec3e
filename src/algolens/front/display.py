"""How results look: as text, as HTML in a notebook, and as pages in a frame there."""

from __future__ import annotations

import html
import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache
from typing import Any

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

# The page says itself what may run in it. In a frame without an origin it can reach neither the
# notebook nor the network.
SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "A run, step by step";
  frame.style.cssText = "width: 100%; border: 1px solid #8888; border-radius: 4px";
  const show = () => {
    frame.srcdoc = model.get("page");
    frame.style.height = `${model.get("height")}px`;
  };
  model.on("change:page change:height", show);
  show();
  el.append(frame);
}
export default { render };
"""


class Frame:
    """The page as a notebook shows it where there are no widgets."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" '
            'title="A run, step by step" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #8888; '
            'border-radius: 4px"></iframe>'
        )


def frame(page: str, height: int = HEIGHT, picture: str = "") -> Any:
    """A widget that shows a page; where anywidget is not installed, HTML that shows it.

    picture: an SVG element, which a saved notebook shows where no widget can run.
    """
    try:
        return _widget()(page, height, picture)
    except ImportError:
        return Frame(page, height)


@cache
def _widget() -> Any:
    import anywidget
    import traitlets

    class PlayerWidget(anywidget.AnyWidget):
        """A frame that shows a page."""

        _esm = SCRIPT
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)

        def __init__(self, page: str, height: int, picture: str) -> None:
            super().__init__(page=page, height=height)
            self._picture = picture

        def _repr_mimebundle_(self, **asked: Any) -> Any:
            bundle = super()._repr_mimebundle_(**asked)
            if bundle is not None and self._picture:
                bundle[0]["image/svg+xml"] = self._picture
            return bundle

    return PlayerWidget
