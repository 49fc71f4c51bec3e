"""``algolens report``: a page of one's own runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from algolens.cli import completion
from algolens.cli.options import JSON_OPTION
from algolens.cli.output import print_json, remarks, results
from algolens.disk import check_writable


def report_command(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Folders that `algolens train` wrote, or names of algorithms: the models that "
            "ship for them.",
            autocompletion=completion.complete_models,
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="The folder to write; a report that is there is written over.")
    ] = Path("report"),
    markdown: Annotated[
        Path | None, typer.Option(help="Also write the report as a Markdown page, there.")
    ] = None,
    json: bool = JSON_OPTION,
) -> None:
    """Make the page of any runs: what was run, what came out, what falls short; then figures,
    tables, and how it was made.

    The folder gets `report.html` (one page, nothing outside it), `figures/` (PDF, SVG, PNG),
    `tables/` (Markdown, LaTeX, CSV) and `tables.json`. Runs of several algorithms may be mixed.
    Where the paper has figures of a network, ours stand beside them. Nothing is written into the
    folders of the runs.

    Examples: `algolens report runs/bfs-paper runs/bfs-exact` and `algolens report dijkstra --out
    dijkstra-report`
    """
    # what is slow to import is imported once the options are read
    from algolens.reproduction.gathering import gather_models
    from algolens.reproduction.report import check_report, run_described, write_report

    check_report(out, markdown)
    with remarks.status("Reading the runs, and studying those that were not studied"):
        material = gather_models(runs)
    for place in (out / "report.html", markdown):
        if place is not None:
            check_writable(place)
    with remarks.status("Drawing"):
        write_report(out, material, markdown)
    if json:
        print_json(
            {"folder": str(out), "report": str(out / "report.html"), **run_described(material)}
        )
        return
    found = run_described(material)["headline"]
    assert isinstance(found, dict)
    for words in found.values():
        results.print(words, highlight=False, markup=False, soft_wrap=True)
    where = f"\nRead {out / 'report.html'}; tables.json, tables/ and figures/ are beside it."
    results.print(where, highlight=False, markup=False, soft_wrap=True)
