"""The commands about research: CLRS-30, reports of models, and the paper reproduced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from algolens import limits
from algolens.cli.output import (
    board,
    command_line,
    note,
    print_json,
    remarks,
    results,
    say,
)
from algolens.disk import check_writable, write_file
from algolens.errors import AlgoLensError
from algolens.lazy import Library
from algolens.limits import SIZE
from algolens.memory import check_memory
from algolens.processes import BYTES_OF_PROCESS, cores, find_workers
from algolens.protocol import SEEDS

display = Library("algolens.text.display")
torch = Library("torch")
judging, tracing = Library("algolens.clrs.judge"), Library("algolens.clrs.traces")
tables, tasks_of = Library("algolens.clrs.table"), Library("algolens.clrs.tasks")
gathering, planning = (
    Library("algolens.reproduction.gathering"),
    Library("algolens.reproduction.plan"),
)
reports, trainings = Library("algolens.reproduction.report"), Library("algolens.experiment.train")


def clrs_command(
    tasks: list[str] | None = None,
    *,
    judge: Path | None = None,
    by: list[str] | None = None,
    nodes: Annotated[list[int] | None, SIZE] = None,
    markdown: Path | None = None,
    json: bool = False,
) -> None:
    """List the thirty tasks of CLRS-30, or judge runs by its traces.

    For each task, the list names the algorithm here, the hints compared, the proof and the scores.
    With --judge, every output and every hint at every step is compared with CLRS's own traces; the
    exit status is 1 if anything differs.

    Options
    -------
    tasks
        CLRS's names of the tasks; by default, all.
    judge
        Compare algorithm, network and rules with the traces in this folder, or `stored` for those
        that ship with the package; `benchmarks/clrs_traces.py` makes others.
    by
        With --judge: `algorithm`, `network` or `rules`; by default, all three.
    nodes
        With --judge: only traces on graphs of this size. May be repeated.
    markdown
        Write the table of all tasks into this page, between its markers.
    """
    if judge is not None:
        _judge(judge, tasks or [], by or [], nodes or [], json=json)
        return
    rows = tables.clrs_rows(tasks or [])
    if markdown is not None:
        from algolens.reading import read_text  # slow to import

        write_file(markdown, tables.page_with_table(read_text(markdown), rows))
        say(f"Written into {markdown}.")
    elif json:
        print_json({"tasks": [row.to_json() for row in rows]})
    else:
        results.print(display.two_columns([(row.task, _details(row)) for row in rows]))
        proven = sum(row.ships.proven is True for row in rows)
        results.print(
            f"Declared: {len(rows)} of {len(rows)}; proven: {proven}. Right on CLRS's graphs, "
            "of dm-clrs 2.0.3: every output, and every hint compared, at every step, by algorithm, "
            "network and rules. Right on graphs of ours: everything in every step, by the network; "
            "tasks whose runs take a step for every pair of nodes are scored at fewer sizes. "
            "`algolens clrs --json` has the reasons for what is left out."
        )


def _details(row: Any) -> Text:
    left_out = f"; left out: {', '.join(row.left_out)}" if row.left_out else ""
    facts = (
        f"hints compared: {', '.join(row.hints)}{left_out}",
        f"on CLRS's graphs: {', '.join(row.judged_in_words) or 'not judged'}",
        f"on graphs of ours: {', '.join(row.ships.right_in_words) or 'not scored'}",
    )
    proven = row.ships.proven_in_words or "no network ships"
    return Text.assemble(f"{row.algorithm}; {proven}\n", ("\n".join(facts), "dim"))


def _judge(folder: Path, tasks: list[str], by: list[str], sizes: list[int], *, json: bool) -> None:
    """Judges every task of which there are traces, size by size."""
    place = tracing.STORED if str(folder) == "stored" else folder
    judged: list[Any] = []
    for task in tasks or list(tasks_of.TASKS):
        for nodes in tracing.sizes_in(place, task):
            for way in (by or tables.WAYS) if not sizes or nodes in sizes else ():
                one = judging.judge(task, nodes, way, place)
                judged.append(one)
                if not json:
                    share = (
                        f"{'all' if one.right == one.graphs else f'{one.right} of'} {one.graphs}"
                    )
                    first = f"; first wrong: {one.wrong}" if one.wrong else ""
                    say(f"{task}, {nodes} nodes, by {way}: {share} right{first}")
    if not judged:
        raise AlgoLensError(
            f"no traces of CLRS are in {folder}: make them with `python -m benchmarks.clrs_traces "
            f"--out {folder}`, or give `stored`."
        )
    if json:
        print_json({"judged": [one.to_json() for one in judged]})
    if any(one.wrong for one in judged):
        raise typer.Exit(1)


def report_command(
    models: list[str],
    *,
    out: Path = Path("report"),
    markdown: Path | None = None,
    figures: Literal["pdf", "png"] | None = None,
    json: bool = False,
) -> None:
    """Report on your own models: figures, tables and shortcomings.

    Writes `report.html` (one self-contained page), `figures/` (SVG; for a paper, add `--figures
    pdf`), `tables/` (Markdown, LaTeX, CSV) and `tables.json`. You can mix models of several
    algorithms. If the paper published figures for a network, they are shown next to ours. The
    models' folders stay unchanged.

    Examples: `algolens report runs/bfs-paper runs/bfs-exact` and `algolens report dijkstra --out
    dijkstra-report`

    Options
    -------
    models
        Folders written by `algolens train`, or names of algorithms for the models that ship.
    out
        The folder to write; an existing report is overwritten.
    """
    reports.check_report(out, markdown)
    with remarks.status("Reading the models, and studying those that were not studied"):
        material = gathering.gather_models(models)
    for place in filter(None, (out / "report.html", markdown)):
        check_writable(place)
    written = _written(out, material, markdown, figures)
    if json:
        print_json(written)
        return
    for words in written["headline"].values():
        say(words)
    say(f"\nRead {written['report']}; tables.json, tables/ and figures/ are beside it.")


def _written(out: Path, material: Any, markdown: Path | None, figures: str | None) -> Any:
    """Writes a report, and says for machines what is in it."""
    with remarks.status("Drawing"):
        reports.write_report(out, material, markdown, figures)
    described = reports.run_described(material)
    return {"folder": str(out), "report": str(out / "report.html"), **described}


def reproduce_command(
    algorithms: list[str] | None = None,
    *,
    seeds: Annotated[int, limits.SEEDS] = SEEDS,
    quick: bool = False,
    report_only: bool = False,
    jobs: Annotated[int | None, limits.JOBS] = None,
    cluster: str | None = None,
    device: str = "auto",
    out: Path = Path("reproduction"),
    markdown: Path | None = None,
    figures: Literal["pdf", "png"] | None = None,
    json: bool = False,
) -> None:
    """Make every table and figure of the paper.

    Missing models are trained, then everything is written to one report. To resume after an
    interruption, repeat the command. `--report-only --figures pdf` draws the figures for a paper.
    Examples: `algolens reproduce --out full` and `algolens reproduce coloring --quick --out quick`

    Options
    -------
    algorithms
        The algorithms; by default, the paper's. `algolens list` shows all.
    seeds
        Number of networks of each kind to train; with `--quick`, at most 2.
    quick
        Use few epochs and seeds, which takes under ten minutes; the report is complete but marked
        as quick.
    report_only
        Train nothing: make the report from the existing models.
    jobs
        Number of kinds of networks to train at once; by default, the number of cores, or 1 on a
        GPU.
    out
        The folder to write; existing models are not trained again.
    """
    plan = planning.make_plan(algorithms or [], seeds, quick=quick)
    where = trainings.find_device(device)
    if where.type == "cpu":
        # these products are small: a second thread mostly waits for the first
        torch.set_num_threads(1)
    at_once = jobs or (cores() if where.type == "cpu" and cluster is None else 1)
    if not report_only and cluster is None:
        needed = at_once * BYTES_OF_PROCESS
        check_memory(needed, f"training in {at_once} processes", "give fewer --jobs")
    reports.check_report(out, markdown)
    if out.exists() or not report_only:
        check_writable(out / "runs")
    if markdown is not None:
        check_writable(markdown)
    for what, why in plan.skipped.items():
        note(f"{what} is left out. {why}")
    if report_only:
        planning.complete(out, where, quick=quick)
    else:
        with board() as shown:

            def watch(experiment: Any) -> Any:
                title = f"{experiment.algorithm}, {experiment.preset}"
                return shown.training(title, experiment.schedule.epochs)

            workers = find_workers(at_once, cluster, gpus=int(where.type == "cuda"))
            try:
                planning.carry_out(plan, out, where, command_line(), watch, workers)
            except KeyboardInterrupt:
                raise KeyboardInterrupt("Give the same command again, and it goes on.") from None
    material = planning.gather(out, plan)
    written = _written(out, material, markdown, figures)
    if json:
        print_json(written)
    else:
        count = len(material.runs)
        say(
            f"{count} models. Read {written['report']}; tables.json, tables/ and figures/ are "
            "beside it."
        )
