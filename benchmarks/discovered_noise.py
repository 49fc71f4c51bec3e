"""Which algorithms are discovered from runs with wrong outputs.

python -m benchmarks.discovered_noise bfs k_core --shares 0,0.05
python -m benchmarks.discovered_noise --jobs 16 --seed 7 --again 0.05 --minutes 9 \\
    --keep noise.jsonl --markdown results/pages/discovered-noise.md

Fields are called f1, f2, ... as in benchmarks.discovered. Everything that a step decides is wrong
now and then, pointers and numbers included. What is found is held against the algorithm without
noise: on all graphs of up to 4 nodes, and on fresh random runs. Rows that a file keeps are not
measured again: after --minutes, or stopped, the same command goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits, discover
from algolens.discovery.differences import BlackBoxCheck, fidelity
from algolens.discovery.sampling import random_runs
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from benchmarks.discovered import FIRST, ShuffledOracle
from benchmarks.kept_rows import Row, kept_rows
from benchmarks.noisy_oracle import NoisyOracle
from benchmarks.pages import command, line, made_with, table

AGAIN, AS_THEY_ARE = "asked again", "as they are"
WAYS = (AGAIN, AS_THEY_ARE)
FRESH, SIZES, NODES = 50, (2, 24), 4
PAGE = """# Algorithms discovered from wrong runs

Everything that a step decides (masks, classes, pointers and numbers) was wrong with the \
probability of the column, at every element and step, and the run went on from there; whether to \
go on was not made wrong. Fields had other names. Each cell has *yes* or *no* and the CPU seconds; \
each search had {seconds} at most.

*yes*: without noise, what was discovered takes the algorithm's own steps on all graphs of up to \
{nodes} nodes that were tried, and on {fresh} fresh random runs of up to {size} nodes. This is \
measured, not proven. Under *no* stands the share (%) of decisions of these runs that are right, \
or a dash where nothing came back.

```sh
{command}
```

{made_with}.

## Steps asked for again

The black box can be asked for a step from a given state, as every class with `step(graph, state)` \
can, and it errs otherwise the next time. Each step is asked for until one answer leads clearly: \
wrong answers are outvoted. This does not help where the same state is always followed by the same \
error.

{again}

## Runs as they are

The black box runs from the start alone, each run is looked at once, and nothing is asked for \
again: as for recorded runs, or for a network whose errors come back. What costs more to settle \
than to list is an exception.

{as_they_are}
"""


def oracles(name: str, share: float, seed: int) -> tuple[ShuffledOracle, ShuffledOracle]:
    """An algorithm that errs and one that does not, both under the same other names."""
    ours = algorithm(name)
    errs = NoisyOracle(ours, share, seed) if share else AlgorithmOracle(ours)
    return (
        ShuffledOracle(errs, stream(seed, "names", name)),
        ShuffledOracle(AlgorithmOracle(ours), stream(seed, "names", name)),
    )


def measure(name: str, share: float, way: str, seconds: float, seed: int) -> Row:
    """Whether an algorithm is discovered, the share of decisions right, and the CPU seconds."""
    oracle, clean = oracles(name, share, seed)
    exceptions = True if way == AS_THEY_ARE and share else None
    began = time.process_time()
    try:
        made = discover(oracle, limits=Limits(seconds=seconds, seed=seed), exceptions=exceptions)
    except AlgoLensError as problem:
        spent = time.process_time() - began
        return {"found": False, "right": None, "seconds": spent, "remark": str(problem)}
    spent = time.process_time() - began
    check = BlackBoxCheck(
        clean, made.algorithm(), Limits(until=time.process_time() + seconds, nodes=NODES)
    )
    wrong = check.counterexample(stream(seed, "checked", name))
    fresh = list(random_runs(clean, FRESH, SIZES, stream(seed, "fresh", name)))
    right = 1 - fidelity(made.algorithm(), clean.schema, fresh).share
    found = wrong is None and right == 1
    return {"found": found, "right": right, "seconds": spent, "remark": ""}


def cell(row: Row | None) -> str:
    """What stands in the table."""
    if row is None:
        return ""
    right = "-" if row["right"] is None else f"{100 * row['right']:.2f}"
    return f"{'yes' if row['found'] else f'no, {right}'} ({row['seconds']:.0f})"


def section(
    names: Sequence[str], shares: Sequence[float], rows: Mapping[tuple[str, float], Row]
) -> str:
    """How many were found, and the table of the shares that were measured."""
    shares = [share for share in shares if any((name, share) in rows for name in names)]
    if not shares:
        return "Not measured by this command."
    counts = ", ".join(
        f"{sum(rows[name, share]['found'] for name in names if (name, share) in rows)} with "
        f"{100 * share:g} %"
        for share in shares
    )
    header = ("algorithm", *(f"{100 * share:g} %" for share in shares))
    lines = [(name, *(cell(rows.get((name, share))) for share in shares)) for name in names]
    return (
        f"Of {len(names)} algorithms, so many were discovered: {counts} wrong outputs.\n\n"
        f"{table(header, lines)}"
    )


def main(
    console: Console,
    names: Sequence[str],
    shares: Sequence[float],
    ways: Sequence[str],
    *,
    seconds: float,
    seed: int,
    again: Sequence[float] | None = None,
    jobs: int = 1,
    keep: Path | None = None,
    markdown: Path | None = None,
    minutes: float | None = None,
) -> None:
    """Prints a line for each cell, and writes the page where one is asked for."""
    tasks = [
        (name, share, way, seconds, seed)
        for share in sorted(shares, key=lambda share: share != 0.05)  # the figure that is promised
        for way in ways
        for name in names
        if (share or way == AGAIN)  # without noise, both are the same
        and (way == AS_THEY_ARE or again is None or share in again or not share)
    ]
    rows: dict[str, dict[tuple[str, float], Row]] = {way: {} for way in WAYS}
    measured = kept_rows(tasks, measure, jobs=jobs, keep=keep, minutes=minutes)
    for (name, share, way, *_), row in measured:
        rows[way][name, share] = row
        if not share:
            rows[AS_THEY_ARE][name, share] = row
        shown = (name, f"{100 * share:g} %", way, cell(row), row["remark"][:80])
        console.print(line(shown, (22, 6, 13, 18, 82)), highlight=False)
    sections = {way: section(names, shares, rows[way]) for way in WAYS}
    for way in ways:
        console.print(f"\n{way}\n{sections[way]}", highlight=False)
    if markdown is not None:
        page = PAGE.format(
            command=command("discovered_noise"),
            made_with=made_with(),
            seconds=f"{seconds:g}",
            nodes=NODES,
            fresh=FRESH,
            size=SIZES[1],
            again=sections[AGAIN],
            as_they_are=sections[AS_THEY_ARE],
        )
        write_file(markdown, page)


def _command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Algorithms; by default the first 24.")
    ] = None,
    shares: Annotated[str, typer.Option(help="Of wrong outputs.")] = "0,0.01,0.05,0.1",
    ways: Annotated[
        str, typer.Option(help="Whether steps are asked for again, or runs taken as they are.")
    ] = ",".join(WAYS),
    seconds: Annotated[float, typer.Option(help="Of computing, for each search.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Of names, graphs and what is wrong.")] = 0,
    again: Annotated[
        str | None, typer.Option(help="Shares at which steps are asked for again; by default all.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Searches at once.")] = 1,
    keep: Annotated[Path | None, typer.Option(help="The file that rows are kept in.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
    minutes: Annotated[
        float | None, typer.Option(help="By the clock, after which it ends.")
    ] = None,
) -> None:
    main(
        Console(width=160),
        names or FIRST,
        [float(share) for share in shares.split(",")],
        [way for way in WAYS if way in ways.split(",")],
        seconds=seconds,
        seed=seed,
        again=None if again is None else [float(share) for share in again.split(",")],
        jobs=jobs,
        keep=keep,
        markdown=markdown,
        minutes=minutes,
    )


if __name__ == "__main__":
    typer.run(_command)
