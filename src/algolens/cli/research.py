"""The commands about research: CLRS-30, reports of models, and the paper reproduced."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from algolens import limits
from algolens.cli.options import (
    JSON_OPTION,
    ClusterOption,
    DeviceOption,
    argument,
    complete_algorithms,
    complete_models,
    limited,
    option,
)
from algolens.cli.output import note, print_json, remarks, results, say
from algolens.disk import check_writable
from algolens.errors import AlgoLensError
from algolens.limits import SIZE
from algolens.memory import check_memory
from algolens.processes import BYTES_OF_PROCESS, cores, find_workers
from algolens.protocol import SEEDS

if TYPE_CHECKING:
    from algolens.clrs import ClrsRow, Judgement
    from algolens.experiment.config import Experiment
    from algolens.training import Epoch


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


FiguresOption = Annotated[
    Literal["pdf", "png"] | None,
    typer.Option(help="Also write each figure so, besides SVG.", show_default=False),
]


def report_command(
    models: list[str] = argument(
        ...,
        "Folders that `algolens train` wrote, or names of algorithms: the models that "
        "ship for them.",
        metavar="MODEL...",
        autocompletion=complete_models,
    ),
    out: Path = option(
        Path("report"), "The folder to write; a report that is there is written over."
    ),
    markdown: Path | None = option(None, "Also write the report as a Markdown page, there."),
    figures: FiguresOption = None,
    json: bool = JSON_OPTION,
) -> None:
    """Make a page of any models: what came out and what falls short, with figures and tables.

    The folder gets `report.html` (one page, nothing outside it), `figures/` (SVG; for a paper
    `--figures pdf`), `tables/` (Markdown, LaTeX, CSV) and `tables.json`. Models of several
    algorithms may be mixed. Where the paper has figures of a network, ours stand beside them.
    Nothing is written into the models' folders.

    Examples: `algolens report runs/bfs-paper runs/bfs-exact` and `algolens report dijkstra --out
    dijkstra-report`
    """
    # what is slow to import is imported once the options are read
    from algolens.reproduction.gathering import gather_models
    from algolens.reproduction.report import check_report, run_described, write_report

    check_report(out, markdown)
    with remarks.status("Reading the models, and studying those that were not studied"):
        material = gather_models(models)
    page = out / "report.html"
    for place in filter(None, (page, markdown)):
        check_writable(place)
    with remarks.status("Drawing"):
        write_report(out, material, markdown, figures)
    described = run_described(material)
    if json:
        print_json({"folder": str(out), "report": str(page), **described})
        return
    headline = described["headline"]
    assert isinstance(headline, dict)
    for words in headline.values():
        say(words)
    say(f"\nRead {page}; tables.json, tables/ and figures/ are beside it.")


def reproduce_command(
    algorithms: list[str] | None = argument(
        None,
        "The algorithms, by default the paper's: see `algolens list`.",
        autocompletion=complete_algorithms,
    ),
    seeds: int = limited(
        SEEDS, limits.SEEDS, "How many networks of each kind are trained; with `--quick` at most 2."
    ),
    quick: bool = option(
        False,
        "Few epochs and seeds, in under ten minutes: all of the report, marked as such.",
        "--quick",
    ),
    report_only: bool = option(
        False, "Train nothing: make the report from the models that are there.", "--report-only"
    ),
    jobs: int | None = limited(
        None,
        limits.JOBS,
        "Networks of so many kinds are trained at once: by default as many as cores, on a GPU one.",
    ),
    cluster: ClusterOption = None,
    device: DeviceOption = "auto",
    out: Path = option(
        Path("reproduction"), "The folder to write; models that are there are not trained again."
    ),
    markdown: Path | None = option(None, "Also write the report as a Markdown page, there."),
    figures: FiguresOption = None,
    json: bool = JSON_OPTION,
) -> None:
    """Train what is missing, then write every table and figure of the paper, in one report.

    Repeat the command to go on after an interruption. `--report-only --figures pdf` draws the
    figures for a paper. Examples: `algolens reproduce --out full` and
    `algolens reproduce coloring --quick --out quick`
    """
    # what is slow to import is imported once the options are read
    import torch

    from algolens.algorithms import algorithm as find_algorithm
    from algolens.experiment.train import find_device, total_epochs
    from algolens.front.progress import Board
    from algolens.reproduction.plan import carry_out, complete, gather, make_plan
    from algolens.reproduction.report import check_report, run_described, write_report

    for name in algorithms or []:
        find_algorithm(name)
    plan = make_plan(algorithms or [], seeds, quick=quick)
    where = find_device(device)
    if where.type == "cpu":
        # these products are small: a second thread mostly waits for the first
        torch.set_num_threads(1)
    at_once = jobs or (cores() if where.type == "cpu" and cluster is None else 1)
    if not report_only and cluster is None:
        needed = at_once * BYTES_OF_PROCESS
        check_memory(needed, f"training in {at_once} processes", "give fewer --jobs")
    check_report(out, markdown)
    if out.exists() or not report_only:
        check_writable(out / "runs")
    if markdown is not None:
        check_writable(markdown)
    for what, why in plan.skipped.items():
        note(f"{what} is left out. {why}")
    if report_only:
        complete(out, where, quick=quick)
    else:
        with Board(remarks) as board:

            def watch(experiment: Experiment) -> AbstractContextManager[Callable[[Epoch], None]]:
                title = f"{experiment.algorithm}, {experiment.preset}"
                return board.training(title, total_epochs(experiment, where))

            workers = find_workers(at_once, cluster, gpus=int(where.type == "cuda"))
            command = f"algolens {' '.join(sys.argv[1:])}"
            try:
                carry_out(plan, out, where, command, watch, workers)
            except KeyboardInterrupt:
                raise KeyboardInterrupt("Give the same command again, and it goes on.") from None
    material = gather(out, plan)
    with remarks.status("Drawing"):
        write_report(out, material, markdown, figures)
    page = out / "report.html"
    if json:
        print_json({"folder": str(out), "report": str(page), **run_described(material)})
    else:
        count = len(material.runs)
        say(f"{count} models. Read {page}; tables.json, tables/ and figures/ are beside it.")
