"""Growth as a picture: CPU seconds by edges, both in powers of ten, a panel for each algorithm.

``python -m benchmarks.growth --out rows.json`` measures, ``python -m benchmarks.growth_plot
rows.json docs/assets/growth.svg`` draws, and prints the slope of every line.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from rich.console import Console
from rich.table import Table

from algolens.reports.figures import FAINT, INK, LINES, in_style, save_figure
from benchmarks.growth import OTHERS, OURS, exponent

ACROSS, WIDTH, HEIGHT = 5, 1.9, 1.75  # panels in a row, and their size in inches
GRID = "#e3e7ec"
COLORS = dict(zip((OURS, *OTHERS), LINES, strict=False))


def main(console: Console, rows: list[dict[str, Any]], path: Path) -> None:
    """Draws the rows, and prints the slopes."""
    save_figure(draw_growth(rows), path)
    table = Table(title="Slopes", title_justify="left")
    table.add_column("algorithm")
    for library in COLORS:
        table.add_column(library, justify="right")
    for name in dict.fromkeys(row["algorithm"] for row in rows):
        table.add_row(name, *(exponent(_line(rows, name, library)) for library in COLORS))
    console.print(table)


@in_style
def draw_growth(rows: list[dict[str, Any]]) -> Figure:
    """A panel for each algorithm, a line for each library; our slope beside the name."""
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    down = -(-len(names) // ACROSS)
    across = min(len(names), ACROSS)
    figure = Figure(figsize=(WIDTH * across, HEIGHT * down + 0.3), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flatten()
    shown: dict[str, Any] = {}
    for axes, name in zip(panels, names, strict=False):
        for library, color in COLORS.items():
            line = _line(rows, name, library)
            if line:
                edges, seconds = ([row[key] for row in line] for key in ("edges", "seconds"))
                thick = 1.6 if library == OURS else 1.0
                (shown[library],) = axes.plot(
                    edges, seconds, "o-", color=color, linewidth=thick, markersize=2.5
                )
        axes.set(xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(numticks=4))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
        axes.set_title(f"{name}, slope {exponent(_line(rows, name, OURS))}", color=INK)
        axes.grid(color=GRID, linewidth=0.5)
        axes.tick_params(colors=FAINT, labelsize=6.5, which="both")
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    figure.supxlabel("edges", fontsize=8, color=FAINT)
    figure.supylabel("CPU seconds", fontsize=8, color=FAINT)
    figure.legend(
        shown.values(), shown, loc="outside upper center", ncols=len(shown), frameon=False
    )
    return figure


def _line(rows: list[dict[str, Any]], name: str, library: str) -> list[dict[str, Any]]:
    """The rows of one algorithm and library, by edges."""
    chosen = [row for row in rows if (row["algorithm"], row["library"]) == (name, library)]
    return sorted(chosen, key=lambda row: row["edges"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path, nargs="+", help="what benchmarks.growth --out wrote")
    parser.add_argument("picture", type=Path, help="where the picture goes, as .svg, .pdf or .png")
    given = parser.parse_args()
    together = [row for path in given.rows for row in json.loads(path.read_text())]
    main(Console(width=100), together, given.picture)
