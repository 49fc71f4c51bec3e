"""Growth as a picture and as tables: CPU seconds by edges, both in powers of ten.

``python -m benchmarks.growth --out rows.jsonl`` measures, ``python -m benchmarks.growth_plot
rows.jsonl results/pages/growth.svg`` draws a panel for each algorithm, and prints the tables of
results/pages/speed.md as Markdown: seconds, slopes, and how many times as long as others it takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from algolens.reports.figures import FAINT, INK, LINES, in_style, save_figure
from benchmarks.growth import OTHERS, OURS, Row, read_rows

ACROSS, WIDTH, HEIGHT = 5, 1.9, 1.75  # panels in a row, and their size in inches
GRID = "#e3e7ec"
COLORS = dict(zip((OURS, *OTHERS), LINES, strict=False))


AIM = (10_000, 1_000_000)  # edges between which the slope has an aim
AT = 1_000_000  # edges at which libraries stand side by side


def main(rows: list[Row], path: Path, at: int = AT) -> None:
    """Draws the rows, and prints the tables."""
    save_figure(draw_growth(rows), path)
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    sizes = sorted({row["size"] for row in rows})
    ends = [AIM[1], *(size for size in sizes[-1:] if size > AIM[1])]
    print_table(
        [*(f"{size:,} edges" for size in sizes), "steps", *(f"slope to {most:,}" for most in ends)],
        {name: _own_cells(_line(rows, name, OURS), sizes, ends) for name in names},
    )
    beside = [library for library in OTHERS if any(row["library"] == library for row in rows)]
    print_table(
        [f"/ {library}, {at:,} edges" for library in beside],
        {name: [_ratio(rows, name, library, at) for library in beside] for name in names},
    )
    print_table(
        [f"slope of {library}" for library in beside],
        {name: [exponent(_line(rows, name, library)) for library in beside] for name in names},
    )


def print_table(columns: Sequence[str], rows: dict[str, list[str]]) -> None:
    """A table as Markdown."""
    lines = [
        ["", *columns],
        ["---"] * (1 + len(columns)),
        *([name, *row] for name, row in rows.items()),
    ]
    print(*(f"| {' | '.join(line)} |" for line in lines), "", sep="\n")


def _own_cells(line: list[Row], sizes: Sequence[int], ends: Sequence[int]) -> list[str]:
    """Seconds at each size, the steps at the largest, and the slopes to these ends."""
    seconds = {row["size"]: f"{row['seconds']:.3f}" for row in line}
    steps = f"{line[-1]['steps']:,}" if line else "-"
    slopes = [exponent(line, most) for most in ends]
    return [*(seconds.get(size, "-") for size in sizes), steps, *slopes]


def _ratio(rows: list[Row], name: str, library: str, at: int) -> str:
    """How many times as long as another library it takes."""
    ours, theirs = (
        {row["size"]: row["seconds"] for row in _line(rows, name, of)} for of in (OURS, library)
    )
    if at in ours and at in theirs:
        return f"{ours[at] / max(theirs[at], 1e-9):.2f}"
    return "not run" if theirs else "-"  # it would have taken longer than the limit


def _power(value: float, _place: int) -> str:
    """A power of ten as text: figures of ours read no mathematics."""
    return "10" + f"{np.log10(value):.0f}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def exponent(line: list[Row], most: int | None = None) -> str:
    """The slope of a line through the logarithms of edges and seconds; none of one size.

    Smaller graphs than those of the aim are left out: calls take most of their time.
    """
    edges, seconds = (
        [row[key] for row in line if row["size"] >= AIM[0] and (not most or row["size"] <= most)]
        for key in ("edges", "seconds")
    )
    if len(edges) < 2:
        return "-"
    return f"{np.polyfit(np.log(edges), np.log(seconds), 1)[0]:.2f}"


@in_style
def draw_growth(rows: list[Row]) -> Figure:
    """A panel for each algorithm, a line for each library; our slope beside the name."""
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    down = -(-len(names) // ACROSS)
    across = min(len(names), ACROSS)
    figure = Figure(figsize=(WIDTH * across, HEIGHT * down + 0.3), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True).flatten()
    shown: dict[str, Line2D] = {}
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
            axis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(_power))
        axes.yaxis.set_major_formatter("{x:g}")
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


def _line(rows: list[Row], name: str, library: str) -> list[Row]:
    """The rows of one algorithm and library, by edges."""
    chosen = [row for row in rows if (row["algorithm"], row["library"]) == (name, library)]
    return sorted(chosen, key=lambda row: row["edges"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path, nargs="+", help="what benchmarks.growth --out wrote")
    parser.add_argument("picture", type=Path, help="where the picture goes, as .svg, .pdf or .png")
    parser.add_argument("--at", type=int, default=AT, help="edges at which libraries are compared")
    given = parser.parse_args()
    main(read_rows(*given.rows), given.picture, given.at)
