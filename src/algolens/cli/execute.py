"""``algolens execute`` and ``algolens play``: a run, step by step, in a terminal or a browser."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from algolens.cli.options import JSON_OPTION
from algolens.cli.output import print_json, remarks, results
from algolens.cli.task_options import AskedTask, HtmlOption, with_task
from algolens.errors import AlgoLensError


@with_task
def execute_command(
    asked: AskedTask,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Every node (or edge) in every step; with --json, under the key `trace`.",
        ),
    ] = False,
    json: bool = JSON_OPTION,
    html: HtmlOption = None,
) -> None:
    """Run an algorithm on a graph, and see every step with its concepts and the rule that fired.

    Examples: `algolens execute bfs nx:petersen --source 3` and `algolens execute coloring roads.csv
    --by network --json`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.cli.run_json import Asked, run_as_json
    from algolens.front.task import verdict
    from algolens.player.page import check_page, player_page, write_page
    from algolens.terminal.outcome import count_in_words
    from algolens.terminal.steps import steps

    task = asked.task
    if len(task.ways) > 1 and html is None:
        raise AlgoLensError(
            "--by is given more than once: runs stand side by side on a page alone. Give --html "
            "run.html."
        )
    if html is not None:
        check_page(html)
    # where no step is shown, and none compared with the algorithm's, none but the last is kept:
    # large graphs fit
    ran = asked.run(trace=trace or not json or html is not None)
    if html is not None:
        write_page(html, player_page(ran, asked.graph))
        remarks.print(
            Text(f"{html}: open it in a browser. It needs nothing else.", style="dim"),
            soft_wrap=True,
        )
    side = ran[0]
    if json:
        found = [] if side.mistake is None else [side.mistake]
        said = Asked(asked.name, asked.graph, asked.seed, task.remarks(ran), task.interventions)
        print_json(run_as_json(side.run, side.by, side.rule_set, found, said, with_trace=trace))
    elif html is None:
        size = (
            f"{count_in_words(task.graph.num_nodes, 'node')}, "
            f"{count_in_words(task.graph.num_edges, 'edge')}"
        )
        results.print(
            Text.assemble(
                (task.algorithm.name, "bold"), f" on {asked.graph}: {size}, by {side.by}."
            ),
            soft_wrap=True,
        )
        for part in steps(side.run, rule_set=side.rule_set, everything=trace):
            results.print(part)
        if not task.is_the_algorithm(side.by):
            results.print(Text(verdict(side.run, side.mistake)))


@with_task
def play_command(asked: AskedTask, html: HtmlOption = None) -> None:
    """Run an algorithm on a graph, and play the run in a browser: step by step, forth and back,
    with the reason for each.

    Examples: `algolens play dijkstra roads.csv --source Mill` and
    `algolens play coloring roads.csv --by network --by algorithm`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.playing import open_page
    from algolens.player.page import check_page, player_page

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
