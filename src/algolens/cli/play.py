"""``algolens play``: a run in a browser."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import typer
from rich.text import Text

from algolens.cli.options import OptionsOption
from algolens.cli.output import remarks
from algolens.cli.task_options import (
    AlgorithmArgument,
    ByOption,
    DirectedOption,
    GivenOption,
    GraphArgument,
    HtmlOption,
    NodesOption,
    SeedOption,
    SetOption,
    SourceOption,
)


def play_command(
    context: typer.Context,
    algorithm: AlgorithmArgument,
    graph: GraphArgument,
    nodes: NodesOption = None,
    directed: DirectedOption = None,
    source: SourceOption = None,
    by: ByOption = None,
    given: GivenOption = None,
    option: OptionsOption = None,
    set_by_hand: SetOption = None,
    seed: SeedOption = 0,
    html: HtmlOption = None,
) -> None:
    """Run an algorithm on a graph, and play the run in a browser: step by step, forth and back, with the reason for each.

    Examples: `algolens play dijkstra roads.csv --source Mill` and
    `algolens play coloring roads.csv --by network --by algorithm`
    """
    from algolens.cli.task import read_task  # what loads PyTorch is imported once the options are read
    from algolens.disk import check_writable, write_file
    from algolens.reports.player import player_page

    task = read_task(
        context, algorithm, graph, nodes, directed, source, by or [], given or [], option or [], set_by_hand or [], seed
    )
    place = html or Path(tempfile.mkdtemp(prefix="algolens-")) / f"{task.algorithm.name}.html"
    check_writable(place)
    write_file(place, player_page(task.run(trace=True), graph))
    opened = webbrowser.open(place.resolve().as_uri())
    remarks.print(
        Text(str(place) if opened else f"{place}: no browser was found here; open it in one.", style="dim"), soft_wrap=True
    )
