"""``algolens play``: a run in a browser."""

from __future__ import annotations

from rich.text import Text

from algolens.cli.output import remarks
from algolens.cli.task_options import AskedTask, HtmlOption, with_task


@with_task
def play_command(asked: AskedTask, html: HtmlOption = None) -> None:
    """Run an algorithm on a graph, and play the run in a browser: step by step, forth and back,
    with the reason for each.

    Examples: `algolens play dijkstra roads.csv --source Mill` and
    `algolens play coloring roads.csv --by network --by algorithm`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.playing import open_page
    from algolens.reports.player import check_page, player_page

    if html is not None:
        check_page(html)
    page = player_page(asked.run(trace=True), asked.graph)
    place, opened = open_page(page, asked.task.algorithm.name, html)
    remarks.print(
        Text(
            str(place) if opened else f"{place}: no browser was found here; open it in one.",
            style="dim",
        ),
        soft_wrap=True,
    )
