"""What decision trees on handmade features make of the runs that algorithms are discovered from.

python -m benchmarks.discovered_peers bfs k_core
python -m benchmarks.discovered_peers --jobs 16 --seed 7 --keep peers.jsonl \\
    --page results/pages/discovered-peers.md

All are judged alike: by the decisions (masks and classes) that they make right on fresh runs of
larger graphs. ``--noise 0.05`` makes every output of the runs taught wrong now and then.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from algolens.discovery import Limits, discover
from algolens.discovery.differences import fidelity
from algolens.discovery.sampling import random_runs
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from benchmarks.discovered import FIRST
from benchmarks.discovered_noise import FRESH, SIZES, oracles
from benchmarks.kept_rows import Row, kept_rows
from benchmarks.neighbourhood_tree import Neighbourhoods, is_class, share_right
from benchmarks.pages import command, line, show_section, table

RUNS = (50, 500)
LAYERS = 3
HEADER = (
    "algorithm",
    "discovered",
    *(f"tree, {runs} runs" for runs in RUNS),
    f"layered, {RUNS[-1]} runs",
)
WIDTHS = (22, 14, 16, 16, 19)
TEXT = """Decisions (masks and classes) that are right on {fresh} fresh random runs of up to \
{size} nodes, in %; **100** where all are. All saw runs on random graphs of {small} to {large} \
nodes{noise}. \
*Discovered*: began with {few} runs and could ask for more, for {seconds:g} CPU seconds; a dash \
where nothing came back. *Tree*: scikit-learn's decision tree, one for each output, on features \
made by hand: own fields and index, over every relation how many are in view, how many of each \
class, and the least and greatest difference of every number. *Layered*: {layers} trees in a row, \
each of which counts in view the leaves of the one before, as iterated decision trees (IDT) do. \
Trees decide neither pointers nor numbers, nor when to stop; algorithms that decide nothing else \
have no figure. Popper, which learns logic programs, was not found on a package index under the \
names that were tried, and was not run.

{summary}

```sh
{command}
```

{table}"""


def measure(name: str, noise: float, seconds: float, seed: int) -> Row:
    """The shares of decisions right, by column."""
    oracle, clean = oracles(name, noise, seed)
    schema = clean.schema
    names = [output for output, field in schema.outputs.items() if is_class(field)]
    shares: list[float | None] = [None]
    fresh_runs = list(random_runs(clean, FRESH, SIZES, stream(seed, "fresh", name)))
    try:
        made = discover(oracle, limits=Limits(RUNS[0], seconds, seed))
        compared = fidelity(made.algorithm(), schema, fresh_runs)
        wrong = sum(compared.exceptions[output] for output in names)
        shares = [1 - wrong / max(sum(compared.decisions[output] for output in names), 1)]
    except AlgoLensError:
        pass
    began = time.process_time()
    fresh = Neighbourhoods(schema, fresh_runs)
    for runs in RUNS:
        some = random_runs(oracle, runs, Limits.first_sizes, stream(seed, "tree", name))
        taught = Neighbourhoods(schema, list(some))
        shares.append(share_right(taught, fresh))
    shares.append(share_right(taught, fresh, layers=LAYERS))
    return {"shares": shares, "decides": bool(names), "seconds": time.process_time() - began}


def cells(name: str, row: Row) -> tuple[str, ...]:
    """A row of the table."""
    if not row["decides"]:
        return (name, *("" for _ in row["shares"]))
    return (name, *map(_percent, row["shares"]))


def _percent(share: float | None) -> str:
    return "-" if share is None else "**100**" if share == 1 else f"{100 * share:.2f}"


def main(
    console: Console,
    names: Sequence[str],
    *,
    noise: float,
    seconds: float,
    seed: int,
    jobs: int = 1,
    keep: Path | None = None,
    page: Path | None = None,
) -> None:
    """Prints a line for each algorithm, and writes the table where a page is given."""
    console.print(line(HEADER, WIDTHS), highlight=False)
    rows = {}
    tasks = [(name, noise, seconds, seed) for name in names]
    for (name, *_), row in kept_rows(tasks, measure, jobs=jobs, keep=keep):
        rows[name] = row
        console.print(line(cells(name, row), WIDTHS), highlight=False)
    decided = [row["shares"] for row in rows.values() if row["decides"]]
    counts = ", ".join(
        f"{sum(shares[place] == 1 for shares in decided)} *{head}*"
        for place, head in enumerate(HEADER[1:])
    )
    text = TEXT.format(
        fresh=FRESH,
        size=SIZES[1],
        small=Limits.first_sizes[0],
        large=Limits.first_sizes[1],
        noise=f", every output wrong with probability {noise:g}" if noise else "",
        few=RUNS[0],
        seconds=seconds,
        layers=LAYERS,
        summary=f"Of {len(decided)} algorithms, all decisions are right of so many: {counts}.",
        command=command("discovered_peers"),
        table=table(HEADER, [cells(name, rows[name]) for name in names]),
    )
    show_section(page, "discovered_peers", text)


def _command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Algorithms; by default the first 24.")
    ] = None,
    noise: Annotated[float, typer.Option(help="The share of wrong outputs.")] = 0.0,
    seconds: Annotated[float, typer.Option(help="Of computing, for each search.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Of names and graphs.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Algorithms at once.")] = 1,
    keep: Annotated[Path | None, typer.Option(help="The file that rows are kept in.")] = None,
    page: Annotated[Path | None, typer.Option(help="The page to write the table into.")] = None,
) -> None:
    main(
        Console(width=160),
        names or FIRST,
        noise=noise,
        seconds=seconds,
        seed=seed,
        jobs=jobs,
        keep=keep,
        page=page,
    )


if __name__ == "__main__":
    typer.run(_command)
