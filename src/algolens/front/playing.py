"""Playing runs: as a widget in a notebook, in a browser elsewhere."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from algolens.errors import AlgoLensError
from algolens.front.display import in_notebook
from algolens.front.execution import Execution
from algolens.player.page import write_page

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


def frame(page: str, height: int = HEIGHT) -> Any:
    """A widget that shows a page; where anywidget is not installed, HTML that shows it."""
    try:
        return _widget()(page=page, height=height)
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

    return PlayerWidget


def play(*executions: Execution | Sequence[Execution], height: int = HEIGHT) -> Any:
    """Plays a run, or several of one task side by side: step by step, forth and back, with the
    reason for each.

    In a notebook (Jupyter, VS Code, marimo) it gives a widget, height pixels high; elsewhere it
    opens a page in a browser and gives its path. ``execution.save_html(path)`` writes the page to a
    file.
    """
    given = [
        each for some in executions for each in (some if isinstance(some, list | tuple) else [some])
    ]
    several = [each for each in given if isinstance(each, Execution)]
    if not several or len(several) < len(given):
        came = ", ".join(type(each).__name__ for each in given) or "nothing"
        raise AlgoLensError(f"what al.execute gives can be played, one or several; {came} came.")
    if any(each.run.algorithm != several[0].run.algorithm for each in several):
        raise AlgoLensError(
            "runs that stand side by side are of one algorithm with the same options; beside a "
            "network's run, play its truth: al.play(execution, execution.truth)."
        )
    if in_notebook():
        return frame(several[0].page(*several[1:], compact=True), height)
    return open_page(several[0].page(*several[1:]), several[0].algorithm)[0]


def open_page(page: str, name: str, path: Path | None = None) -> tuple[Path, bool]:
    """Writes a page, to a place of its own where no path is given, and opens it: the path, and
    whether a browser was found.
    """
    place = path or Path(tempfile.mkdtemp(prefix="algolens-")) / f"{name}.html"
    write_page(place, page)
    return place, webbrowser.open(place.resolve().as_uri())
