"""The page of a run: one file that holds all it needs and asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from algolens.disk import check_writable, has_mark, write_file
from algolens.errors import WritingError
from algolens.evaluation import Side
from algolens.player.data import page_data

# by which a page of ours is known, and may be written over
MARK = '<meta name="generator" content="AlgoLens">'

SCRIPTS = (
    "program.js",
    "words.js",
    "state.js",
    "dom.js",
    "drawing.js",
    "telling.js",
    "legend.js",
    "tables.js",
    "what_if.js",
    "panel.js",
    "share.js",
    "player.js",
)


def player_page(sides: Sequence[Side], graph_name: str, *, compact: bool = False) -> str:
    """A page in HTML that plays runs of one graph, side by side.

    graph_name: what the user calls the graph. compact: for a frame inside another page, as in a
    notebook: without the program, and without what such a frame may not do, as to save a file.
    """
    data = page_data(sides, graph_name)
    script, style = "\n".join(map(_read, SCRIPTS)), _read("player.css")
    title = f"{data['algorithm']['name']} on {graph_name}"
    return Template(_read("player.html")).substitute(
        title=html.escape(title),
        kind="compact" if compact else "page",
        style=style,
        script=script,
        data=json_in_html(data),
        # what is no part of the page neither runs nor loads, whatever a name in a file says;
        # pictures are its own drawings
        policy=f"default-src 'none'; style-src 'sha256-{_digest(style)}'; script-src "
        f"'sha256-{_digest(script)}'; img-src blob:; base-uri 'none'; form-action 'none'",
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


def json_in_html(value: Any) -> str:
    """JSON that can stand inside a script element: no name in it ends that element.

    >>> json_in_html("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read(name: str) -> str:
    return (files("algolens.player") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
