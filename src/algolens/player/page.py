"""The page of a run: one file that holds all it needs and asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import warnings
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from algolens.disk import check_writable, has_mark, write_file
from algolens.errors import AlgoLensWarning, WritingError
from algolens.evaluation.rightness import Side
from algolens.player.data import pages_data
from algolens.reports.tables import render

# by which a page of ours is known, and may be written over
MARK = '<meta name="generator" content="AlgoLens">'

SCRIPTS = (
    "engine.js",
    "timeline.js",
    "words.js",
    "state.js",
    "classes.js",
    "dom.js",
    "layouts.js",
    "forms.js",
    "routes.js",
    "drawing.js",
    "tags.js",
    "handling.js",
    "graph_drawing.js",
    "box_drawing.js",
    "telling.js",
    "legend.js",
    "tables.js",
    "what_if.js",
    "panel.js",
    "answer.js",
    "structure.js",
    "prediction.js",
    "own_graph.js",
    "editor.js",
    "share.js",
    "link.js",
    "controls.js",
    "player.js",
    "begin.js",
)


def player_page(
    sides: Sequence[Side], graph_name: str, *, compact: bool = False, around: int | None = None
) -> str:
    """A page in HTML that plays runs of one graph, side by side: of one algorithm, or of several.

    Parameters
    ----------
    sides
        The runs.
    graph_name
        What the user calls the graph.
    compact
        For a frame inside another page, as in a notebook: without the program, and without what
        such a frame may not do, as to save a file.
    around
        A node, near which the graph is shown; unless given, all of it where a browser has room, and
        else a part, which is told.
    """
    pages = pages_data(sides, graph_name, around=around)
    told = pages[0]["part"]
    if told is not None and around is None:
        warnings.warn(AlgoLensWarning(told["told"]), stacklevel=2)
    script, style = "\n".join(map(_read, SCRIPTS)), _read("player.css")
    return render(
        "player/player.html",
        compact=compact,
        pages=pages,
        title=f"{', '.join(page['algorithm']['title'] for page in pages)}: {graph_name}",
        script=script,
        style=style,
        script_digest=_digest(script),
        style_digest=_digest(style),
    )


def write_page(path: Path, page: str) -> None:
    """Writes a page to a file."""
    check_page(path)
    write_file(path, page)


def check_page(path: Path) -> None:
    """Raises an error where a page cannot be written, or would be written over what is none."""
    if path.exists() and not has_mark(path, [MARK]):
        raise WritingError(
            f"{path} is there already, and is no page of ours: nothing is written over it. Give "
            "another place."
        )
    check_writable(path)


def _read(name: str) -> str:
    return (files("algolens.player") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
