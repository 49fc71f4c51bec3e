"""Colors and line styles of all figures, distinct for color-blind eyes and in print; files."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from algolens.disk import write_file, write_inside

INK, FAINT, QUESTION, PALE = "#1c2430", "#5b6570", "#eef2f7", "#9aa5b1"
# The player's colors, after Okabe and Ito's; the first, gray, is for class 0: not visited, not
# colored, not in the tree. Every class has a form besides, so that it can be read without colors.
ANSWERS = ("#e1e4e8", "#e69f00", "#56b4e9", "#2bb58c", "#f0e442", "#dd93bd", "#ee7733", "#7fa8ff")
FORMS = ("o", "s", "D", "h", "^", "v", "p", "8")
# of lines; the first two are whole, and differ by their width
DASHES: tuple[Any, ...] = (
    "-",
    "-",
    (0, (1.6, 1)),
    (0, (0.6, 1)),
    (0, (3, 1, 1, 1)),
    (0, (1, 1)),
    (0, (4, 1)),
    "-.",
)
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 7, "labelcolor": INK}
NARROW = 4.2  # inches
# the same figure gives the same bytes: no date, and names inside an SVG that do not change from run
# to run
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "algolens",
    "svg.fonttype": "none",  # text stays text: it can be searched, and takes little room
    "text.parse_math": False,  # a name may hold dollars, and is no mathematics
    "pdf.fonttype": 42,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # the second is as wide, where a browser asks
    "font.size": 8,
    "axes.titlesize": 8.5,
}
P = ParamSpec("P")
R = TypeVar("R")
METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {},
}
CAPTION = {"pdf": "Subject", "svg": "Description", "png": "Description"}


def in_style(draw: Callable[P, R]) -> Callable[P, R]:
    """A function that draws, with the settings that all figures share."""

    @functools.wraps(draw)
    def drawing(*given: P.args, **named: P.kwargs) -> R:
        with rc_context(SETTINGS):
            return draw(*given, **named)

    return drawing


def save_figure(figure: Figure, path: Path) -> None:
    """Writes a figure in the format of its ending, whole or not at all."""
    write_file(path, figure_bytes(figure, path.suffix.removeprefix(".")))


@in_style
def figure_bytes(figure: Figure, ending: str, caption: str = "") -> bytes:
    """A figure as a file of a format, which says in its metadata what it shows."""
    # parts are placed once, not again for every format
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.execute(figure)
        figure.set_layout_engine("none")
    written = io.BytesIO()
    metadata = {**METADATA[ending], **({CAPTION[ending]: caption} if caption else {})}
    figure.savefig(written, format=ending, dpi=200, metadata=metadata)
    return _shortened(written.getvalue()) if ending == "svg" else written.getvalue()


def _shortened(svg: bytes) -> bytes:
    """An SVG that looks the same and is half as long: two digits after the dot, no indentation."""
    svg = re.sub(rb' transform="rotate\(-0 [^"]*"', b"", svg)
    svg = re.sub(rb' (d|x|y|transform)="[^"]*"', _two_digits, svg)
    svg = re.sub(rb' d="([^"]*)"', _joined, svg)
    return re.sub(rb"\n\s+", b"\n", svg)


def _two_digits(numbers: re.Match[bytes]) -> bytes:
    return re.sub(rb"(\.\d\d)\d+", rb"\1", numbers[0])


def _joined(path: re.Match[bytes]) -> bytes:
    """A path in one line; after M and L, another L need not be said."""
    text, before = b"", b""
    for command, numbers in re.findall(rb"([A-Za-z])([^A-Za-z]*)", path[1]):
        is_said = command != b"L" or before not in (b"M", b"L")
        text += (command if is_said else b" ") + b" ".join(numbers.split())
        before = command
    return b' d="' + text + b'"'


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, what it is called and what it shows."""

    name: str  # of its files
    caption: str
    figure: Figure

    shown_as: ClassVar = "picture"

    def save(self, folder: Path, ending: str | None = None) -> None:
        """Writes it among the figures in a folder: as SVG, and in a further format."""
        write_inside(folder, f"figures/{self.name}.svg", self._svg)
        if ending is not None:
            content = figure_bytes(self.figure, ending, self.caption)
            write_inside(folder, f"figures/{self.name}.{ending}", content)

    @functools.cached_property
    def _svg(self) -> bytes:
        return figure_bytes(self.figure, "svg", self.caption)

    @property
    def width(self) -> float:
        """Its width in inches."""
        return float(self.figure.get_figwidth())

    @property
    def is_narrow(self) -> bool:
        """Whether several stand beside each other on a wide page."""
        return self.width <= NARROW

    @property
    def alt(self) -> str:
        """What it shows, in a sentence."""
        return self.caption.partition(". ")[0].rstrip(".")

    def svg(self, prefix: str, attributes: str = "") -> str:
        """Itself as an SVG element; prefix: keeps its inner names apart from those of others."""
        text = self._svg.decode()
        text = text[text.index("<svg") :]
        text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        # every inner name, where it is given and where it is used
        text = re.sub(r'\bid="', f'id="{prefix}-', text)
        text = re.sub(r'href="#', f'href="#{prefix}-', text)
        text = re.sub(r"url\(#", f"url(#{prefix}-", text)
        return text.replace("<svg", f"<svg{attributes}", 1)
