"""How soon ``at least k`` is learnt and proven, for one k after the other.

python -m benchmarks.counting                                    k = 2, 3, 4, 6, ... 32, one seed
python -m benchmarks.counting --most 32 --seeds 0-9 --markdown results/pages/counting.md

The k-core is trained with the preset exact: its nodes have at least k neighbours left. Every seed
is trained alone, on one core, until it is proven or its epochs are over; seconds are of that core,
without what PyTorch takes to start. Nothing is selected: a seed that is not proven counts as such.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from algolens.algorithms import algorithm
from algolens.cli.options import read_numbers
from algolens.disk import write_file
from algolens.proofs.network import prove
from benchmarks.exact import train
from benchmarks.pages import command, line, made_with, seeds_in_words, table

COUNTS = (2, 3, 4, 6, 8, 9, 12, 15, 24, 32)
HEADER = ("at least", "proven", "median, s", "worst, s", "cases")
WIDTHS = (10, 10, 11, 10, 8)
PAGE = """# Counting: how soon `at least k` is learnt and proven

The k-core of k from 2 to {most}, trained with the preset `exact`, {seeds}. A seed is trained \
alone, on one core, until it is
proven or its epochs are over. Seconds are CPU time of that core, with a validation on small \
graphs, without what PyTorch takes to
start. *cases*: those of the proof (the most of any seed).

```sh
{command}
```

{made_with}.

{table}
"""


def main(
    console: Console, seeds: Sequence[int] = (0,), *, most: int = 32, markdown: Path | None = None
) -> None:
    """Prints a line for each k, and writes the table where one is asked for."""
    torch.set_num_threads(1)
    train(algorithm("k_core", k=2), 0)  # what is only done once is done now
    console.print(line(HEADER, WIDTHS), highlight=False)
    rows = []
    for count in (count for count in COUNTS if count <= most):
        rows.append(measure(count, seeds))
        console.print(line(rows[-1], WIDTHS), highlight=False)
        if markdown is not None:
            page = PAGE.format(
                most=most,
                seeds=seeds_in_words(seeds),
                command=command("counting"),
                made_with=made_with(),
                table=table(HEADER, rows),
            )
            write_file(markdown, page)


def measure(count: int, seeds: Sequence[int]) -> tuple[str, ...]:
    """The row of one k."""
    proven, seconds, cases = 0, [], []
    for seed in seeds:
        network, learning = train(algorithm("k_core", k=count), seed)
        checks = [finding.check for finding in prove(network)]
        proven += not any(check.failures for check in checks)
        seconds.append(learning)
        cases.append(sum(check.cases for check in checks))
    return (
        str(count),
        f"{proven} of {len(seeds)}",
        f"{statistics.median(seconds):.2f}",
        f"{max(seconds):.2f}",
        f"{max(cases):,}",
    )


def _command(
    seeds: Annotated[str, typer.Option(help="As 0-9 or 0,3.")] = "0",
    most: Annotated[int, typer.Option(help="The largest k.")] = 32,
    markdown: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
) -> None:
    main(Console(width=100), read_numbers(seeds, "--seeds"), most=most, markdown=markdown)


if __name__ == "__main__":
    typer.run(_command)
