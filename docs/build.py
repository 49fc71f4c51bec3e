"""What the site needs besides its pages, as hooks of MkDocs (`hooks` in mkdocs.yml). Nothing is
downloaded.

- Pages and figures of results/, CONTRIBUTING.md and CHANGELOG.md stand outside docs/. They become
  pages of the site that are neither in the navigation nor found by its search.
- Questions for students are the lesson without its answers.
- A built page that would load something from elsewhere fails the build.
- A flowchart in Mermaid's language is drawn here, as an SVG. On GitHub the same block is drawn by
  GitHub.
"""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md")
SHEET = """\
The map is `examples/village.csv`: nine places, nine roads, and the length of each road. You need a
browser and the pages `bfs.html`, `dijkstra.html`, `kruskal.html` and `trees.html` of your teacher.
**›** takes one step, **Predict** asks you what comes next, **What if** changes a weight or a
concept."""
FLOWCHART = re.compile(r"```mermaid\nflowchart TD\n(.*?)```", re.DOTALL)
ARROW = re.compile(r"(\w+) --> (\w+)")
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?(?:https?:)?//[^"'> ]+"""
    r"""|<link[^>]*\shref=["']?(?:https?:)?//[^"'> ]+"""
)
# pixels: width and height of a box, between two, between rows, width of a bend
BOX, HIGH, GAP, ROW, BEND = 112, 30, 16, 66, 2


def on_files(files: Any, config: Any) -> Any:
    results = ROOT / "results"
    paths = [*(ROOT / name for name in BESIDE), *results.glob("*/*.md"), *results.glob("*/*.svg")]
    for path in sorted(paths):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    files.append(File.generated(config, "teaching-sheet.md", content=sheet()))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    name = page.file.src_uri
    if name in BESIDE:
        markdown = markdown.replace("](docs/", "](")
    elif name.startswith("results/"):
        markdown = markdown.replace("](../../docs/", "](../../")
    elif "/" not in name:
        markdown = markdown.replace("](../", "](")
    if name in BESIDE or name.startswith("results/"):
        page.meta["search"] = {"exclude": True}
    return FLOWCHART.sub(lambda found: drawing(ARROW.findall(found[1])), markdown)


def sheet() -> str:
    """The exercises of the lesson, without answers and without what only a teacher needs."""
    lesson = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    kept = re.findall(r"^(## .*|\*\*Exercise .*(?:\n\S.*)*)", lesson, re.MULTILINE)
    exercises = re.sub(r"(## [^\n]*\n+)(?=## |\Z)", "", "\n\n".join(kept) + "\n")
    return f"# Questions for students\n\n{SHEET}\n\n{exercises}"


def on_post_build(config: Any) -> None:
    for path in Path(config["site_dir"]).rglob("*.html"):
        if found := LOADED.search(path.read_text(encoding="utf-8")):
            raise PluginError(f"{path}: {found[0]}: a page loads nothing from elsewhere.")


def drawing(arrows: list[tuple[str, str]]) -> str:
    """An SVG of a graph without cycles: every box stands below all that lead to it, and long arrows
    pass between boxes.
    """
    depth = rows_of(arrows)
    chains = {
        (start, end): [
            start,
            *(f"{start}>{end}>{row}" for row in range(depth[start] + 1, depth[end])),
            end,
        ]
        for start, end in arrows
    }
    bends = {
        bend: depth[arrow[0]] + 1 + index
        for arrow, chain in chains.items()
        for index, bend in enumerate(chain[1:-1])
    }
    above: dict[str, list[str]] = {name: [] for name in [*depth, *bends]}
    for chain in chains.values():
        for start, end in pairwise(chain):
            above[end].append(start)
    middle = placed(
        [
            [name for name in above if (depth | bends)[name] == row]
            for row in range(max(depth.values()) + 1)
        ],
        above,
    )
    shift, width = (
        GAP + BOX / 2 - min(middle.values()),
        max(middle.values()) - min(middle.values()) + BOX + 2 * GAP,
    )
    points = {name: (x + shift, (depth | bends)[name] * ROW + GAP) for name, x in middle.items()}
    height = max(depth.values()) * ROW + HIGH + 2 * GAP
    lines = [
        f'<path d="{curve([points[each] for each in chain])}" marker-end="url(#head)"/>'
        for chain in chains.values()
    ]
    boxes = [
        f'<rect x="{points[name][0] - BOX / 2:.0f}" y="{points[name][1]}" width="{BOX}" '
        f'height="{HIGH}" rx="6"/>'
        f'<text x="{points[name][0]:.0f}" y="{points[name][1] + 20}">{escape(name)}</text>'
        for name in depth
    ]
    told = escape("; ".join(f"{start} leads to {end}" for start, end in arrows))
    return (
        f'<svg class="layers" role="img" aria-label="{told}" viewBox="0 0 {width:.0f} {height}" '
        'xmlns="http://www.w3.org/2000/svg"><defs><marker id="head" viewBox="0 0 8 8" refX="8" '
        'refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z"/></marker></defs>' + "".join(lines + boxes) + "</svg>"
    )


def rows_of(arrows: list[tuple[str, str]]) -> dict[str, int]:
    """The row of each box: one below the lowest that leads to it."""
    above = {
        name: [start for start, end in arrows if end == name] for arrow in arrows for name in arrow
    }
    depth: dict[str, int] = {}
    while len(depth) < len(above):
        found = {
            name
            for name, starts in above.items()
            if name not in depth and all(each in depth for each in starts)
        }
        depth |= {
            name: max((depth[each] + 1 for each in above[name]), default=0)
            for name in above
            if name in found
        }
    return depth


def placed(rows: list[list[str]], above: dict[str, list[str]]) -> dict[str, float]:
    """Where the middle of each box or bend is: below the mean of what leads to it, as far as its
    neighbours leave room.
    """
    middle: dict[str, float] = {}
    for row in rows:
        wish = {
            name: sum(middle[each] for each in above[name]) / len(above[name])
            if above[name]
            else 0.0
            for name in row
        }
        order = sorted(row, key=lambda name: wish[name])
        size = [BEND if ">" in name else BOX for name in order]
        places = [sum(size[:index]) + index * GAP + size[index] / 2 for index in range(len(order))]
        for name, place, previous in zip(order, places, [None, *order], strict=False):
            least = (
                -1e9
                if previous is None
                else middle[previous] + place - places[order.index(previous)]
            )
            middle[name] = max(wish[name], least)
        over = sum(middle[name] - wish[name] for name in order) / len(order)
        middle |= {name: middle[name] - over for name in order}
    return middle


def curve(points: list[tuple[float, float]]) -> str:
    """A line from below the first box, through the bends, to above the last box."""
    (x, y), path = points[0], ""
    y += HIGH
    path = f"M{x:.0f},{y:.0f}"
    for index, (to, top) in enumerate(points[1:], 1):
        end = top if index == len(points) - 1 else top + HIGH
        path += f" C{x:.0f},{y + 18:.0f} {to:.0f},{top - 18:.0f} {to:.0f},{top:.0f}" + (
            "" if end == top else f" L{to:.0f},{end:.0f}"
        )
        x, y = to, end
    return path
