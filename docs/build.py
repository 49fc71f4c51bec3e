"""What the site needs besides its pages, as hooks of MkDocs (`hooks` in mkdocs.yml). Nothing is downloaded.

- The figures of results/ stand outside docs/: they are copied, and links to them lead to the copies.
- A built page that would load something from elsewhere fails the build.
- A flowchart in Mermaid's language is drawn here, as an SVG. On GitHub the same block is drawn by GitHub.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
FLOWCHART = re.compile(r"```mermaid\nflowchart TD\n(.*?)```", re.DOTALL)
ARROW = re.compile(r"(\w+) --> (\w+)")
LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?(?:https?:)?//[^"'> ]+|<link[^>]*\shref=["']?(?:https?:)?//[^"'> ]+""")
BOX, GAP, ROW = 112, 14, 62  # pixels: the width of a box, the space between two, from one row to the next


def on_files(files: Any, config: Any) -> Any:
    for path in sorted((ROOT / "results" / "figures").glob("*.png")):
        files.append(File.generated(config, f"results/figures/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    markdown = markdown.replace("](../results/figures/", "](results/figures/")
    return FLOWCHART.sub(lambda found: drawing(ARROW.findall(found[1])), markdown)


def on_post_build(config: Any) -> None:
    for path in Path(config["site_dir"]).rglob("*.html"):
        if found := LOADED.search(path.read_text(encoding="utf-8")):
            raise PluginError(f"{path}: {found[0]}: a page loads nothing from elsewhere.")


def drawing(arrows: list[tuple[str, str]]) -> str:
    """An SVG of a graph without cycles: every box stands below all that lead to it."""
    names = list(dict.fromkeys(name for arrow in arrows for name in arrow))
    above = {name: [start for start, end in arrows if end == name] for name in names}
    depth: dict[str, int] = {}
    while len(depth) < len(names):
        for name in names:
            if all(each in depth for each in above[name]):
                depth[name] = max((depth[each] + 1 for each in above[name]), default=0)
    rows = [[name for name in names if depth[name] == row] for row in range(max(depth.values()) + 1)]
    width = max(len(row) for row in rows) * (BOX + GAP) + GAP
    middle: dict[str, float] = {}
    for row in rows:  # a box stands below the mean of what leads to it, as far as there is room
        row.sort(key=lambda name: sum(middle[each] for each in above[name]) / max(len(above[name]), 1))
        wish = [sum(middle[each] for each in above[name]) / len(above[name]) if above[name] else width / 2 for name in row]
        first = min(max(sum(wish) / len(wish) - (len(row) - 1) * (BOX + GAP) / 2, GAP + BOX / 2), width - GAP - BOX / 2)
        first = min(first, width - GAP - BOX / 2 - (len(row) - 1) * (BOX + GAP))
        middle.update((name, first + index * (BOX + GAP)) for index, name in enumerate(row))
    height = len(rows) * ROW + GAP
    lines = [
        f'<path d="M{middle[start]:.0f},{depth[start] * ROW + 44} C{middle[start]:.0f},{depth[end] * ROW - 4} '
        f'{middle[end]:.0f},{depth[start] * ROW + 60} {middle[end]:.0f},{depth[end] * ROW + GAP - 4}" marker-end="url(#head)"/>'
        for start, end in arrows
    ]
    boxes = [
        f'<rect x="{middle[name] - BOX / 2:.0f}" y="{depth[name] * ROW + GAP}" width="{BOX}" height="30" rx="6"/>'
        f'<text x="{middle[name]:.0f}" y="{depth[name] * ROW + GAP + 20}">{escape(name)}</text>'
        for name in names
    ]
    told = escape("; ".join(f"{start} leads to {end}" for start, end in arrows))
    return (
        f'<svg class="layers" role="img" aria-label="{told}" viewBox="0 0 {width:.0f} {height}" xmlns="http://www.w3.org/2000/svg">'
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z"/></marker></defs>' + "".join(lines) + "".join(boxes) + "</svg>"
    )
