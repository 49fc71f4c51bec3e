"""How long it takes to check what ships: by the prover, by the second checker, and by solvers that
are not ours.

python -m benchmarks.certificates

CPU seconds. A solver that is not installed is left out.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
from rich.console import Console
from rich.table import Table

from algolens import checker
from algolens.algorithms import SHIPPED, shipped_names
from algolens.disk import write_json
from algolens.errors import AlgoLensError
from algolens.experiment.model import load_model
from algolens.proofs.certificate import declaration_json
from algolens.proofs.network import prove
from algolens.proofs.smt import SOLVERS, Solver, check_with, obligations, solver

Found = TypeVar("Found")


def main() -> None:
    """Prints a table, and what failed."""
    torch.set_num_threads(1)
    solvers = _installed()
    table = Table(
        "model",
        "cases",
        "prover",
        "checker",
        "obligations",
        *(f"{each.package} {each.version}" for each in solvers),
    )
    totals = [0.0] * (4 + len(solvers))
    failed: list[str] = []
    for name in shipped_names():
        row = _row(name, solvers, failed)
        totals = [total + each for total, each in zip(totals, row, strict=True)]
        table.add_row(name, *_shown(row))
    table.add_row("all", *_shown(totals))
    Console(width=120).print(table)
    for each in failed:
        print(each)


def _row(name: str, solvers: list[Solver], failed: list[str]) -> list[float]:
    """Cases, seconds of the prover and of the checker, obligations, and seconds of each solver."""
    network = load_model(name).network.only(0)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        shutil.copytree(SHIPPED / name, folder)
        write_json(folder / "declaration.json", declaration_json(network))
        proving, findings = _timed(lambda: prove(network))
        checking, parts = _timed(lambda: checker.check_folder(folder))
    if any(each.check.failures for each in findings) or any(
        wrong for _, wrong, _ in parts.values()
    ):
        failed.append(f"{name}: not proven")
    every = list(obligations(network))
    row: list[float] = [sum(cases for cases, _, _ in parts.values()), proving, checking, len(every)]
    for each in solvers:
        seconds, answers = _timed(partial(check_with, each, every))
        failed += [
            f"{name}, {each.package}: {answer.words()}" for answer in answers if not answer.is_shown
        ]
        row.append(seconds)
    return row


def _installed() -> list[Solver]:
    found = []
    for name in SOLVERS:
        try:
            found.append(solver(name))
        except AlgoLensError as problem:
            print(problem)
    return found


def _timed(work: Callable[[], Found]) -> tuple[float, Found]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def _shown(row: list[float]) -> list[str]:
    cases, proving, checking, count, *solving = row
    return [
        f"{cases:,.0f}",
        f"{proving:.2f}",
        f"{checking:.2f}",
        f"{count:.0f}",
        *(f"{each:.2f}" for each in solving),
    ]


if __name__ == "__main__":
    main()
