"""A picture of a run of every algorithm, and a page that shows them by what they are for.

python -m benchmarks.gallery --out docs

writes gallery.md and the pictures into gallery/ beside it.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.api.checking import GROUPS
from algolens.disk import write_file
from algolens.engines import Run, run_algorithm
from algolens.graphs import Graph, Location
from algolens.graphs.cells import cells_of
from algolens.language.fields import Number
from algolens.language.layouts import Bars, Heap, Layered
from algolens.reports.drawing import Places, draw_moment, legend_of, picture_size, value_at
from algolens.reports.figures import INK, LEGEND, in_style
from algolens.reports.layout import laid_out
from algolens.text.declared import algorithm_facts, purpose_alone
from benchmarks.pages import command, small_png

PLACES = {
    0: (0, 2),
    1: (1.2, 2.3),
    2: (2.4, 2),
    3: (0, 1),
    4: (1.2, 1.1),
    5: (2.4, 0.9),
    6: (0.5, 0),
    7: (1.7, 0),
    8: (3.4, 1.6),
}
EDGES = [(0, 1), (1, 2), (0, 3), (1, 4), (3, 4), (2, 5), (4, 5), (3, 6), (4, 7), (6, 7), (5, 8)]
BACK = ((0, 3), (3, 4))  # edges that lead the other way where cycles may be
BITS = 4  # of the numbers in the pictures
MOST_TRIED = 60  # moments, to find one for the middle of a picture
LETTERS = "abcdefg"  # of two words together
FRONT = "dijkstra"  # the picture of README.md, which has a dark one, too
DARK, LIGHT = "#0d1117", "#e8edf3"
PAGE = """# A run of each algorithm

{count} algorithms ship. Each has a network that is proven to do what is declared, \
on every graph (`algolens certify
NAME`; [how long that takes](../results/pages/exact.md)). The pictures show the start, \
the middle and the end of a run on one small graph. *Play this run* shows all of it, with the \
reason for every step.

- Color and form of a node say what is decided there: a state, a class or a set. The legend names \
them. Gray means not yet.
- Thick lines are edges that are chosen, dashed ones are rejected. Bold arrows along edges are a \
tree, from the parent on; other arrows are pointers, as to the node before.
- Numbers are bars, or a heap, strings are tapes, activities and tasks lie on an axis of time, and \
edges without cycles lead from left to right \
([how to declare that](declaring.md#how-a-run-is-drawn)).
- A ring marks the source. Numbers at edges are weights; numbers beside nodes are inputs and \
results.

```sh
{command}
```

{sections}
"""


def main(
    out: Annotated[Path, typer.Option(help="The folder of gallery.md.")] = Path("docs"),
) -> None:
    """Draw a run of every algorithm, and write the page."""
    sections = []
    for group, title in GROUPS.items():
        members = [name for name in algorithms() if algorithm(name).group == group]
        if members:
            sections.append(f"## {title}\n")
            sections += [_shown(name, out) for name in members]
    page = PAGE.format(
        count=len(algorithms()), command=command("gallery"), sections="\n".join(sections)
    )
    write_file(out / "gallery.md", page.rstrip() + "\n")


def _shown(name: str, out: Path) -> str:
    run = example_run(name)
    figure = draw_run(run, places_of(run))
    _save(figure, out / "gallery" / f"{name}.png")
    if name == FRONT:
        _darken(figure)
        _save(figure, out / "gallery" / f"{name}-dark.png")
    chosen = run.algorithm
    return (
        f"### {chosen.title}\n\n`{name}`: {purpose_alone(chosen)} "
        f"{' '.join(algorithm_facts(chosen).split())}\n\n![{chosen.title}](gallery/{name}.png)\n\n"
        f"<!-- closed player: {name} -->\n"
    )


def _save(figure: Figure, path: Path) -> None:
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=120)
    write_file(path, small_png(written.getvalue()))


def _darken(figure: Figure) -> None:
    """The same picture on a dark page: what stands on the page is light, nodes stay as they are."""
    figure.set_facecolor(DARK)
    for text in figure.findobj(Text):
        box = text.get_bbox_patch()
        if box is not None:  # beside a node, or at an edge
            box.set_facecolor(DARK)
        if box is not None or not isinstance(text.axes, Axes) or text is text.axes.title:
            text.set_color(LIGHT)
    for arrow in figure.findobj(Annotation):
        if arrow.arrow_patch is not None:
            arrow.arrow_patch.set_color(LIGHT)
    for ring in figure.findobj(PathCollection):
        fill = np.asarray(ring.get_facecolor())
        if fill.size == 0 or fill[0, 3] == 0:
            ring.set_edgecolor(LIGHT)


@in_style
def draw_run(run: Run, places: Places) -> Figure:
    """A run of one graph at its start, in its middle and at its end."""
    moments = _moments(run)
    wide, high = picture_size(run, places)
    figure = Figure(figsize=(wide * len(moments), high + 0.2), layout="constrained")
    panels = figure.subplots(1, len(moments), squeeze=False)[0]
    for axes, moment in zip(panels, moments, strict=True):
        draw_moment(axes, run, moment, places)
        title = "start" if moment == 0 else f"step {moment} of {run.num_steps}"
        axes.set_title(title, fontsize=7.5, color=INK)
    if handles := legend_of(run, moments):
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), **LEGEND)
    return figure


def _moments(run: Run) -> list[int]:
    """The start, the end, and the moment nearest to the middle that shows something else."""
    declaration, last = run.algorithm.declaration, run.num_steps

    def shown(moment: int) -> list[list[int]]:
        names = (*declaration.outputs, *declaration.state)
        return [value_at(run, name, moment).tolist() for name in names]

    between = sorted(range(1, last), key=lambda moment: abs(moment - last // 2))[:MOST_TRIED]
    ends = [shown(0), shown(last)]
    return [0, *[moment for moment in between if shown(moment) not in ends][:1], last]


def places_of(run: Run) -> Places:
    """Where the nodes are drawn: as the algorithm's layout says, else the same for all."""
    if not isinstance(run.algorithm.layout, Layered):
        return PLACES
    drawn = laid_out(run.graph, layout=run.algorithm.layout).places
    return {node: (float(x), -float(y)) for node, (x, y) in enumerate(drawn)}


def example_run(name: str) -> Run:
    """A run on the graph of the gallery, with small numbers."""
    # of three there is nothing on this graph
    chosen = algorithm(name, k=2) if name == "k_core" else algorithm(name)
    if any(isinstance(field.kind, Number) for field in chosen.declaration.inputs.values()):
        chosen = algorithm(name, bits=BITS)
    graph = _graph(chosen)
    inputs = chosen.sample(graph, np.random.default_rng(5))
    for field, declared in chosen.declaration.inputs.items():
        if (
            isinstance(declared.kind, Number)
            and declared.kind.signed
            and declared.location is not Location.NODE
        ):
            inputs[field] = np.minimum(
                abs(inputs[field]), declared.kind.most
            )  # of an undirected edge, a negative weight is a cycle
    for size in inputs.keys() & {"row_size", "column_size"}:
        inputs[size] = inputs[size] + 1  # of a matrix with no row, all would cost nothing
    if isinstance(chosen.layout, Bars | Heap):
        for line in chosen.layout.lines:  # a number to look for is one of them
            inputs[line] = np.sort(inputs[chosen.layout.of])[
                (len(inputs[chosen.layout.of]) - 1) // 2
            ][None]
    return run_algorithm(chosen, graph, inputs)


def _graph(chosen: Algorithm) -> Graph:
    if chosen.table is not None:
        return _table(
            chosen.table, LETTERS if "row_letter" in chosen.declaration.inputs else "abcd"
        )
    edges = EDGES
    if chosen.graphs == "directed" and not chosen.loops_matter:
        edges = [(v, u) if (u, v) in BACK else (u, v) for u, v in EDGES]
    graph = Graph.pack([len(PLACES)], edges, directed=chosen.graphs == "directed")
    return replace(graph, names=tuple(chr(ord("a") + node) for node in PLACES))


def _table(table: str, names: str) -> Graph:
    """The cells of so many nodes."""
    letters = replace(Graph.pack([len(names)], [], directed=True), names=tuple(names))
    # what cells have is drawn
    return replace(cells_of(letters, table), node_attributes={}, edge_attributes={})


if __name__ == "__main__":
    typer.run(main)
