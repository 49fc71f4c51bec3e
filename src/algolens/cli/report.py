"""``algolens report`` and ``algolens reproduce``: pages of models, and of the paper."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

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
from algolens.cli.output import note, print_json, remarks, say
from algolens.disk import check_writable
from algolens.memory import check_memory
from algolens.processes import BYTES_OF_PROCESS, cores, find_workers
from algolens.protocol import SEEDS

if TYPE_CHECKING:
    from algolens.experiment import Experiment
    from algolens.training import Epoch

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
    from algolens.experiment import find_device, total_epochs
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
