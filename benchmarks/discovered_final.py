"""Which algorithms are discovered from inputs and final outputs alone.

python -m benchmarks.discovered_final --page results/pages/discovered-final.md
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits, discover
from algolens.errors import AlgoLensError
from benchmarks.kept_rows import Row, kept_rows
from benchmarks.pages import command, line, made_with, show_section, table

NAMES = ("bfs", "k_core", "components", "independent_set", "matching", "bipartite")
HEADER = ("algorithm", "found", "programs run", "price", "others", "CPU s", "remark")
WIDTHS = (18, 6, 14, 7, 8, 8, 90)


def measure(name: str, seconds: float, seed: int) -> Row:
    """The row of one algorithm."""
    began = time.process_time()
    try:
        made = discover(
            AlgorithmOracle(algorithm(name)), limits=Limits(seconds=seconds, seed=seed), final=True
        )
    except AlgoLensError as problem:
        spent = f"{time.process_time() - began:.1f}"
        return {"cells": [name, "no", "-", "-", "-", spent, str(problem)]}
    ends = made.known.ends
    assert ends is not None
    statements = [entry.text for entry in made.declaration.statements.values() if "(" in entry.text]
    figures = [f"{ends.programs:,}", str(ends.price), str(len(ends.alike))]
    said = "; ".join(f"`{text}`" for text in statements)
    return {"cells": [name, "yes", *figures, f"{made.seconds:.1f}", said]}


def _command(
    seconds: Annotated[float, typer.Option(help="Of computing, for each algorithm.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Of the random graphs.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Algorithms at once.")] = 1,
    page: Annotated[Path | None, typer.Option(help="The page to write the table into.")] = None,
) -> None:
    console = Console(width=160)
    rows = {}
    for (name, *_), row in kept_rows(
        [(name, seconds, seed) for name in NAMES], measure, jobs=jobs, keep=None
    ):
        rows[name] = row["cells"]
        console.print(line(rows[name], WIDTHS), highlight=False)
    text = (
        f"```sh\n{command('discovered_final')}\n```\n\n{made_with()}. *Others*: further programs "
        "of the same price that end alike on every run that was tried.\n\n"
        f"{table(HEADER, [rows[name] for name in NAMES])}"
    )
    show_section(page, "discovered_final", text)


if __name__ == "__main__":
    typer.run(_command)
