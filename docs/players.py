"""The pages that play runs, as a hook of MkDocs: made when the site is built, never committed.

A line `<!-- player: NAME -->` in a page becomes a frame that plays a run, `<!-- closed player: NAME
-->` one that opens on a click. NAME is an algorithm, which runs on its own example, or one
of `VILLAGE`; the end of an address may follow it, as in `kruskal-village#step=6`.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

import algolens as al
from algolens.algorithms import algorithm, algorithms

ROOT = Path(__file__).parents[1]

VILLAGE = {
    "bfs-village": ("bfs", {"source": "Mill"}),
    "dijkstra-village": ("dijkstra", {"source": "Mill"}),
    "kruskal-village": ("kruskal", {}),
}
MARK = re.compile(r"^<!-- (?P<closed>closed )?player: (?P<name>\w[\w-]*)(?P<end>#\S+)? -->$", re.M)


def on_files(files: Any, config: Any) -> Any:
    for name in [*algorithms(), *VILLAGE]:
        files.append(File.generated(config, f"play/{name}.html", content=_page(name)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    up = "../" * page.file.src_uri.count("/")
    return MARK.sub(lambda found: _frame(found, up), markdown)


@cache  # `mkdocs serve` asks again at every change
def _page(name: str) -> str:
    if name in VILLAGE:
        chosen, inputs = VILLAGE[name]
        return al.execute(chosen, ROOT / "examples" / "village.csv", **inputs).page(compact=True)
    return al.execute(name).page(compact=True)


def _frame(found: re.Match[str], up: str) -> str:
    name, end = found["name"], found["end"] or ""
    chosen = VILLAGE[name][0] if name in VILLAGE else name
    if chosen not in algorithms():
        raise PluginError(f"'{found[0]}': {name} is no run that plays; see docs/players.py.")
    title, address = escape(algorithm(chosen).title), escape(f"{up}play/{name}.html")
    frame = (
        f'<iframe class="player" loading="lazy" src="{address}{escape(end)}" '
        f'title="{title}, step by step"></iframe>'
    )
    if found["closed"]:
        return f'<details class="run"><summary>Play this run</summary>{frame}</details>'
    whole = f'<a href="{address}" target="_blank">Open this run in a page of its own</a>'
    return f'<div class="run">{frame}<p>{whole}</p></div>'
