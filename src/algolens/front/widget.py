"""The player inside a notebook: its page in a frame of its own, so that nothing of the two can get
in each other's way.
"""

from __future__ import annotations

import html
from functools import cache
from typing import Any

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
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="A run, step by step" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #8888; border-radius: 4px"></iframe>'
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
