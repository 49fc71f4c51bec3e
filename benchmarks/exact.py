"""Exact networks of all algorithms: in how many seeds they are proven, and how long that takes.

python -m benchmarks.exact                                               one seed
python -m benchmarks.exact --seeds 0-9 --jobs 16 --markdown results/pages/exact.md

Every seed is trained alone, on one core, until it is proven or its epochs are over; seconds are of
that core. Nothing is
selected: a seed that is not proven counts as such.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.cli.options import read_numbers
from algolens.disk import write_file
from algolens.experiment.config import preset
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.processes import Ended, Processes, Say, Workers, find_workers
from algolens.proofs.certificate import Basis
from algolens.proofs.certify import certify_network
from algolens.training import Fit
from benchmarks.options import ClusterOption
from benchmarks.pages import command, line, made_with, seeds_in_words, table


@dataclass(frozen=True)
class Seed:
    """How one seed of an algorithm came out."""

    seed: int
    learning: float  # seconds until it was proven, or its epochs were over; with its validation
    certificate: float  # seconds that its certificate took
    proven: bool
    cases: int  # of the proof
    failures: int  # of all checks of the certificate
    message_bits: int  # of all its stages


HEADER = ("algorithm", "proven", "median, s", "worst, s", "certificate, s", "cases", "message bits")
PAGE = """# Exact networks: proven seeds, and what a proof takes

Every algorithm is trained with the preset `exact`, {seeds}. A seed is trained alone, \
on one core, until it is proven or
its epochs are over. Seconds are CPU time of that core.

- *median, worst*: the time to learn and prove, with a validation on small graphs;
- *certificate*: the time for the proof once more, and for trials on all small graphs and on some \
larger ones (median);
- *cases*: those of the proof (median);
- *message bits*: those of all stages of a network together.

```sh
{command}
```

{made_with}.

{table}
"""
WIDTHS = (22, 9, 11, 10, 16, 10, 14)


def main(
    console: Console,
    seeds: tuple[int, ...] = (0,),
    *,
    names: Iterable[str] = (),
    workers: Workers = Processes(),  # noqa: B008
    markdown: Path | None = None,
) -> None:
    """Prints a line for each algorithm as soon as all its seeds are done, and writes the table
    where one is asked for.
    """
    names = tuple(names) or tuple(algorithms())
    console.print(
        f"Exact networks, learnt and proven: {seeds_in_words(seeds)}, each alone on one core",
        style="italic",
    )
    console.print(line(HEADER, WIDTHS), highlight=False)
    rows: dict[str, tuple[str, ...]] = {}
    for name, found in _measured(names, seeds, workers):
        rows[name] = _row(name, found)
        console.print(line(rows[name], WIDTHS), highlight=False)
        for each in found:
            if not each.proven:
                console.print(f"  seed {each.seed}: {each.failures} cases fail", highlight=False)
        if markdown is not None:
            write_file(markdown, _page([rows[each] for each in names if each in rows], seeds))
    console.print()


def train(chosen: Algorithm, seed: int = 0) -> tuple[Network, float]:
    """The exact network of an algorithm and a seed, and the seconds it took to learn and prove."""
    experiment = preset("exact", chosen)
    sets = experiment.data()
    started = time.process_time()
    fit = Fit(sets, experiment.architecture, experiment.schedule, (seed,), torch.device("cpu"))
    for _ in fit:
        pass
    return fit.result().only(0).eval(), time.process_time() - started


def measure(name: str, seed: int) -> Seed:
    """Trains one seed, and certifies it."""
    network, learning = train(algorithm(name), seed)
    assert isinstance(network.perceiver, Exact)
    started = time.process_time()
    found = certify_network(network)
    return Seed(
        seed=seed,
        learning=learning,
        certificate=time.process_time() - started,
        proven=found.proven,
        cases=sum(check.cases for check in found.checks if check.basis is Basis.PROOF),
        failures=sum(check.failures for check in found.checks),
        message_bits=sum(stage.bits for stage in network.perceiver.stages.values()),
    )


def _measured(
    names: tuple[str, ...], seeds: tuple[int, ...], workers: Workers
) -> Iterator[tuple[str, list[Seed]]]:
    """The seeds of each algorithm, in the order in which algorithms are done."""
    halves = {
        f"{name} {part}": (name, seeds[part::2])
        for name in names
        for part in range(min(2, len(seeds)))
    }
    if not workers.starts_others(len(halves)):
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        _warm_up()
        for name in names:
            yield name, [measure(name, seed) for seed in seeds]
        torch.set_num_threads(threads)
        return
    found: dict[str, list[Seed]] = {name: [] for name in names}
    for part, word in workers.messages(halves, _measure_all):
        name = halves[part][0]
        if not isinstance(word, Ended):
            found[name].append(word)
            if len(found[name]) == len(seeds):
                yield name, sorted(found[name], key=lambda each: each.seed)


def _measure_all(name: str, seeds: tuple[int, ...], say: Say) -> None:
    _warm_up()
    for seed in seeds:
        say(measure(name, seed))


def _warm_up() -> None:
    """What PyTorch loads at a process's first step of training is no part of any seed's seconds."""
    experiment = preset("exact", algorithm("bfs"))
    next(
        iter(
            Fit(
                experiment.data(),
                experiment.architecture,
                experiment.schedule,
                (0,),
                torch.device("cpu"),
            )
        )
    )


def _row(name: str, seeds: list[Seed]) -> tuple[str, ...]:
    learning = [each.learning for each in seeds]
    return (
        name,
        f"{sum(each.proven for each in seeds)} of {len(seeds)}",
        f"{statistics.median(learning):.2f}",
        f"{max(learning):.2f}",
        f"{statistics.median(each.certificate for each in seeds):.2f}",
        f"{statistics.median_high([each.cases for each in seeds]):,}",
        str(seeds[0].message_bits),
    )


def _page(rows: list[tuple[str, ...]], seeds: tuple[int, ...]) -> str:
    return PAGE.format(
        seeds=seeds_in_words(seeds),
        command=command("exact"),
        made_with=made_with(),
        table=table(HEADER, rows),
    )


def _command(
    algorithms: Annotated[
        list[str] | None, typer.Argument(help="Which; all where none is named.")
    ] = None,
    seeds: Annotated[str, typer.Option(help="As in `0-9`.")] = "0",
    jobs: Annotated[
        int,
        typer.Option(
            min=1, help="Processes of one core each; the seeds of an algorithm are shared by two."
        ),
    ] = 1,
    cluster: ClusterOption = None,
    markdown: Annotated[
        Path | None, typer.Option(help="The page to write, anew after every algorithm.")
    ] = None,
) -> None:
    main(
        Console(width=140),
        read_numbers(seeds, "--seeds"),
        names=algorithms or (),
        workers=find_workers(jobs, cluster),
        markdown=markdown,
    )


if __name__ == "__main__":
    typer.run(_command)
