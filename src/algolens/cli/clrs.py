"""``algolens clrs``: the thirty tasks of CLRS, and CLRS's own traces as the judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from algolens.cli.options import JSON_OPTION, argument, limited, option
from algolens.cli.output import print_json, results, say
from algolens.errors import AlgoLensError
from algolens.limits import SIZE

if TYPE_CHECKING:
    from algolens.clrs import ClrsRow, Judgement


def clrs_command(
    tasks: list[str] | None = argument(None, "As CLRS calls them; else all.", metavar="TASK..."),
    judge: Path | None = option(
        None,
        "Compare algorithm, network and rules with the traces in a folder: `stored` for "
        "those that come with the package; `benchmarks/clrs_traces.py` makes others.",
        metavar="FOLDER",
    ),
    by: list[str] | None = option(
        None, "With --judge: `algorithm`, `network` or `rules`; else all three."
    ),
    nodes: list[int] | None = limited(
        None, SIZE, "With --judge: only traces on graphs of this size. May be repeated."
    ),
    markdown: Path | None = option(
        None, "Write the table of all tasks into a page, between its marks.", metavar="PAGE"
    ),
    json: bool = JSON_OPTION,
) -> None:
    """The thirty tasks of CLRS-30: the algorithm here, what is compared, proven and right.

    With --judge, every output and every hint at every step is compared with CLRS's own traces; the
    status is 1 where something is not as CLRS has it.
    """
    if judge is not None:
        _judge(judge, tasks or [], by or [], nodes or [], json=json)
        return
    from algolens.clrs.table import clrs_rows, page_with_table
    from algolens.disk import write_file
    from algolens.reading import read_text

    rows = clrs_rows(tasks or [])
    if markdown is not None:
        write_file(markdown, page_with_table(read_text(markdown), rows))
        say(f"Written into {markdown}.")
    elif json:
        print_json({"tasks": [row.to_json() for row in rows]})
    else:
        _print(rows)


def _print(rows: list[ClrsRow]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for row in rows:
        table.add_row(row.task, _details(row))
    results.print(table)
    declared = [row for row in rows if row.algorithm is not None]
    proven = sum(row.ships.proven is True for row in declared)
    results.print(
        f"Declared: {len(declared)} of {len(rows)}; proven: {proven}. Right on CLRS's graphs, of "
        "dm-clrs 2.0.3: every output, and every hint compared, at every step, by algorithm, "
        "network and rules. Right on graphs of ours: everything in every step, by the network; "
        "tasks whose runs take a step for every pair of nodes are scored at fewer sizes. `algolens "
        "clrs --json` has the reasons for what is left out."
    )


def _details(row: ClrsRow) -> Text:
    if row.algorithm is None:
        return Text("not declared", style="dim")
    hints = f"hints compared: {', '.join(row.hints)}"
    if row.left_out:
        hints += f"; left out: {', '.join(row.left_out)}"
    on_clrs = f"on CLRS's graphs: {', '.join(row.judged_in_words) or 'not judged'}"
    on_ours = f"on graphs of ours: {', '.join(row.ships.right_in_words) or 'not scored'}"
    proven = row.ships.proven_in_words or "no network ships"
    return Text.assemble(f"{row.algorithm}; {proven}\n", (f"{hints}\n{on_clrs}\n{on_ours}", "dim"))


def _judge(folder: Path, tasks: list[str], by: list[str], sizes: list[int], *, json: bool) -> None:
    """Judges every task of which there are traces, size by size."""
    from algolens.clrs import judge
    from algolens.clrs.table import WAYS
    from algolens.clrs.tasks import TASKS
    from algolens.clrs.traces import STORED, sizes_in

    place = STORED if str(folder) == "stored" else folder
    judged: list[Judgement] = []
    for task in tasks or list(TASKS):
        for nodes in sizes_in(place, task):
            if sizes and nodes not in sizes:
                continue
            for way in by or WAYS:
                judged.append(judge(task, nodes, way, place))
                if not json:
                    results.print(_in_words(judged[-1]), soft_wrap=True)
    if not judged:
        raise AlgoLensError(
            f"no traces of CLRS are in {folder}: make them with `python -m benchmarks.clrs_traces "
            f"--out {folder}`, or give `stored`."
        )
    if json:
        print_json({"judged": [entry.to_json() for entry in judged]})
    if any(entry.wrong for entry in judged):
        raise typer.Exit(1)


def _in_words(judged: Judgement) -> str:
    share = (
        f"all {judged.graphs}"
        if judged.right == judged.graphs
        else (f"{judged.right} of {judged.graphs}")
    )
    first = f"; first wrong: {judged.wrong}" if judged.wrong else ""
    return f"{judged.task}, {judged.nodes} nodes, by {judged.by}: {share} right{first}"
