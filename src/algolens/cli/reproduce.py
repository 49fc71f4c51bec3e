"""``algolens reproduce``: every table and figure of the paper, with one command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algolens.cli import completion
from algolens.cli.options import JSON_OPTION, find_device
from algolens.cli.output import print_json, remarks, results
from algolens.disk import check_writable
from algolens.processes import cores
from algolens.protocol import SEEDS

if TYPE_CHECKING:
    from algolens.experiment import Experiment
    from algolens.training import Epoch


def reproduce_command(
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            help="The algorithms, by default the paper's: see `algolens list`.",
            autocompletion=completion.complete_algorithms,
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            min=1, help="How many networks of each kind are trained; with `--quick` at most 2."
        ),
    ] = SEEDS,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Few epochs and seeds, in under ten minutes: all of the report, marked as such.",
        ),
    ] = False,
    report_only: Annotated[
        bool,
        typer.Option(
            "--report-only", help="Train nothing: make the report from the runs that are there."
        ),
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Networks of so many kinds are trained at once: by default as many as cores, on "
            "a GPU one.",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="`auto` (CUDA when there), `cpu` or `cuda`.")
    ] = "auto",
    out: Annotated[
        Path, typer.Option(help="The folder to write; runs that are there are not trained again.")
    ] = Path("reproduction"),
    markdown: Annotated[
        Path | None, typer.Option(help="Also write the report as a Markdown page, there.")
    ] = None,
    json: bool = JSON_OPTION,
) -> None:
    """Train what is missing, then write every table and figure of the paper, and report.html with
    all of them.

    Repeat the command to go on after an interruption. Examples: `algolens reproduce --out full` and
    `algolens reproduce coloring --quick --out quick`
    """
    import torch  # what is slow to import is imported once the options are read

    from algolens.algorithms import algorithm as find
    from algolens.cli.progress import Board
    from algolens.experiment import side_by_side
    from algolens.reproduction.plan import carry_out, complete, gather, make_plan
    from algolens.reproduction.report import check_report, run_described, write_report

    for name in algorithms or []:
        find(name)
    plan = make_plan(algorithms or [], seeds, quick=quick)
    chosen = find_device(device)
    if chosen.type == "cpu":
        # these products are small: a second thread mostly waits for the first
        torch.set_num_threads(1)
    check_report(out, markdown)
    if out.exists() or not report_only:
        check_writable(out / "runs")
    if markdown is not None:
        check_writable(markdown)
    for what, why in plan.skipped.items():
        remarks.print(f"{what} is left out. {why}", style="dim", highlight=False, markup=False)
    if report_only:
        complete(out, chosen, quick=quick)
    else:
        command = "algolens " + " ".join(sys.argv[1:])

        with Board() as board:

            def watch(experiment: Experiment) -> AbstractContextManager[Callable[[Epoch], None]]:
                total = experiment.schedule.epochs * len(side_by_side(experiment, chosen))
                return board.watch(f"{experiment.algorithm}, {experiment.preset}", total)

            try:
                carry_out(
                    plan,
                    out,
                    chosen,
                    command,
                    watch,
                    jobs or (cores() if chosen.type == "cpu" else 1),
                )
            except KeyboardInterrupt:
                remarks.print("Interrupted. Give the same command again, and it goes on.")
                raise
    material = gather(out, plan)
    write_report(out, material, markdown)
    if json:
        print_json(
            {"folder": str(out), "report": str(out / "report.html"), **run_described(material)}
        )
        return
    where = (
        f"{len(material.runs)} runs. Read {out / 'report.html'}; tables.json, tables/ and figures/ "
        "are beside it."
    )
    results.print(where, highlight=False, markup=False, soft_wrap=True)
