"""Exact networks taught by true runs alone: how many seeds are proven all the same, and what runs
leave open.

python -m benchmarks.from_runs                                    a quick look: two seeds, few
batches python -m benchmarks.from_runs --seeds 0-9 --batches 3000 --jobs 16 --markdown
results/pages/from-runs.md

The preset `exact` teaches every stage on arbitrary situations, and goes on from what a proof finds
wrong. Here the same networks see only situations that elements of true runs on small graphs are in,
as often as they are in them; no proof is looked at before the end, and nothing is selected. How
numbers compare is taught on pairs of numbers, as in the preset.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from torch import Tensor

from algolens.algorithms import algorithm, algorithms
from algolens.cli.options import read_numbers
from algolens.data import fixed, held_out
from algolens.disk import write_file
from algolens.engines import Run
from algolens.engines.tensors import Running, Tensors
from algolens.evaluation import score_network
from algolens.experiment.config import preset
from algolens.language.finite import Statement
from algolens.models import Network
from algolens.models.architecture import GOES_ON
from algolens.models.exact import Exact, classes
from algolens.processes import Ended, Processes, Say, Workers, find_workers
from algolens.proofs.network import prove
from algolens.records import Experiment
from algolens.training import Schedule
from algolens.training.objective import Objective
from algolens.training.stars import StarTeacher
from benchmarks.options import ClusterOption
from benchmarks.pages import command, line, made_with, seeds_in_words, table

BATCHES = 25  # between two proofs, in the preset `exact`
TESTED = 28  # graphs of each size, shared out over the families
HEADER = (
    "algorithm",
    "proven",
    "wrong cases",
    "of",
    "situations",
    "right at 20",
    "right at 100",
    "left unproven",
)
WIDTHS = (22, 9, 13, 8, 12, 13, 14, 16)
PAGE = """# Exact networks taught by true runs alone

This study trains the networks of the preset `exact`, {seeds}, \
on {graphs} true runs of the algorithm's own training
set and on nothing else. Every stage sees only situations that elements of these runs are in, \
as often as they are in
them. There are {batches:,} batches. No proof is tried before the end, and nothing is selected. \
(How numbers compare is
taught on pairs of numbers, as in the preset, because runs show too few pairs that are nearly \
equal.) Then each seed is
proven, or not.

- *wrong cases, of*: how many cases of the proof are wrong, and how many there are (medians of the \
seeds);
- *situations*: the distinct situations that the runs show, of all stages together;
- *right at 20, 100*: the share of {tested} test graphs of that size that are right in every step, \
over all seeds;
- *left unproven*: the observations that some seed leaves unproven, with the number of seeds.

```sh
{command}
```

{made_with}.

{table}

The preset itself teaches arbitrary situations, and continues with what its proof finds wrong. \
It proves the seeds that
[exact.md](exact.md) lists. What is unproven here is what runs show rarely or never: \
a network that was never in a
situation may err in it. Many seeds here are right on all test graphs and still not proven. \
Accuracy alone would not have
shown the difference.
"""


@dataclass(frozen=True)
class Situations:
    """What elements of true runs see, for one observation: each combination once, and how often it
    was there.
    """

    own: Tensor  # [M] own classes
    counts: Tensor  # [M, kinds] how many of each kind are in view, as far as it matters
    times: Tensor  # [M]


@dataclass(frozen=True)
class Seed:
    """How one seed came out."""

    seed: int
    cases: int
    # cases that a proof finds wrong, by the name of the check; empty where it is proven
    wrong: Mapping[str, int]
    right: Mapping[int, float]  # share of test graphs right in every step, by size
    situations: int  # distinct ones that the runs show, of all stages


class FromRuns(StarTeacher):
    """Stars as they occur in true runs, as often as they do; and concepts likewise."""

    def __init__(self, network: Network, trace: Run, schedule: Schedule) -> None:
        unweighted = Schedule(balanced_concepts=False, balanced_outputs=False)
        super().__init__(network, Objective(trace, unweighted, torch.device("cpu")), schedule)
        assert isinstance(network.perceiver, Exact)
        self.situations = situations(network.perceiver, trace)
        alive = trace.is_alive[:, trace.graph.owner(trace.algorithm.declaration.location)]
        self.met, self.times = trace.patterns()[alive].unique(dim=0, return_counts=True)

    def draw(
        self, statement: Statement, count: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor]:
        seen = self.situations[statement.name]
        places = torch.multinomial(
            seen.times.double(), count, replacement=True, generator=generator
        )
        counts = seen.counts[places]
        most = int(counts.sum(1).max()) if counts.numel() else 0
        kinds, there = (
            torch.zeros(count, most, dtype=torch.int64),
            torch.zeros(count, most, dtype=torch.bool),
        )
        rows, columns = counts.nonzero(as_tuple=True)
        many = counts[rows, columns]
        rows, columns = rows.repeat_interleave(many), columns.repeat_interleave(many)
        first = torch.searchsorted(rows, torch.arange(count))
        within = torch.arange(len(rows)) - first[rows]
        kinds[rows, within], there[rows, within] = columns, True
        return seen.own[places], kinds, there

    def patterns(self, generator: torch.Generator) -> Tensor:
        return self.met[
            torch.multinomial(self.times.double(), 256, replacement=True, generator=generator)
        ]


def situations(perceiver: Exact, trace: Run) -> dict[str, Situations]:
    """For each statement, what elements see in every state of true runs, the last one too."""
    found: dict[str, list[Tensor]] = {name: [] for name in perceiver.statements}
    running = Running(perceiver.declaration.program, trace.graph)
    state = {name: trace.state(name) for name in trace.algorithm.declaration.state}
    for step in range(trace.num_steps + 1):
        running.look(trace.inputs, {name: values[step] for name, values in state.items()})
        for name, statement in perceiver.statements.items():
            if step or name != GOES_ON:  # which is asked after a step
                found[name].append(_seen(statement, running.tensors, trace.lengths >= step))
    return {name: _counted(torch.cat(rows)) for name, rows in found.items()}


def _seen(statement: Statement, tensors: Tensors, alive: Tensor) -> Tensor:
    """[M, 1 + kinds] the situations of one state. alive: [G] which graphs have come to it."""
    own, looks, kinds = classes(statement, tensors)
    counts = torch.zeros(len(own), statement.num_neighbours, dtype=torch.int64)
    if statement.view is not None:
        places = looks * statement.num_neighbours + kinds
        counts.view(-1).index_add_(0, places, torch.ones_like(looks))
        if statement.exactly is None:
            counts.clamp_(max=statement.most)
    there = alive[tensors.graph.owner(statement.at)]
    return torch.cat([own[there, None], counts[there]], 1)


def _counted(rows: Tensor) -> Situations:
    rows, times = rows.unique(dim=0, return_counts=True)
    return Situations(rows[:, 0], rows[:, 1:], times)


def main(
    console: Console,
    seeds: tuple[int, ...],
    *,
    names: Iterable[str] = (),
    graphs: int,
    batches: int,
    workers: Workers = Processes(),  # noqa: B008
    markdown: Path | None = None,
) -> None:
    """Prints a line for each algorithm as soon as it is done, and writes the page where one is
    asked for.
    """
    names = tuple(names) or tuple(algorithms())
    console.print(
        f"Exact networks taught by true runs alone: {seeds_in_words(seeds)}", style="italic"
    )
    console.print(line(HEADER, WIDTHS), highlight=False, soft_wrap=True)
    rows: dict[str, tuple[str, ...]] = {}
    for name, found in _measured(names, (seeds, graphs, batches), workers):
        rows[name] = _row(name, found)
        console.print(line(rows[name], WIDTHS), highlight=False, soft_wrap=True)
        if markdown is not None:
            shown = table(HEADER, [rows[each] for each in names if each in rows])
            made = {
                "seeds": seeds_in_words(seeds),
                "graphs": graphs,
                "batches": batches,
                "tested": TESTED,
            }
            page = PAGE.format(
                **made, command=command("from_runs"), made_with=made_with(), table=shown
            )
            write_file(markdown, page)


def measure(name: str, seeds: tuple[int, ...], graphs: int, batches: int) -> list[Seed]:
    """Teaches the seeds of an algorithm side by side, by the same runs, and proves each."""
    experiment = replace(preset("exact", algorithm(name)), seeds=seeds)
    chosen = experiment.find_algorithm()
    train = fixed(chosen, experiment.data_seed, replace(chosen.recipe, test_sizes=())).train
    trace = train.take(
        torch.randperm(train.graph.num_graphs, generator=torch.Generator().manual_seed(0))[:graphs]
    )
    network = Network(chosen, experiment.architecture, seeds)
    teacher = FromRuns(network, trace, experiment.schedule)
    for number in range(batches):
        if number % BATCHES == 0:
            teacher.step.begin(experiment.schedule.learning_rate)
        teacher.step(teacher.losses(experiment.schedule.batch_size))
    network.eval()
    right = _right(network, experiment)
    found = []
    for place, seed in enumerate(seeds):
        checks = [finding.check for finding in prove(network.only(place))]
        wrong = {check.name: check.failures for check in checks if check.failures}
        cases = sum(check.cases for check in checks)
        known = sum(len(each.own) for each in teacher.situations.values())
        found.append(
            Seed(seed, cases, wrong, {size: shares[place] for size, shares in right.items()}, known)
        )
    return found


def _right(network: Network, experiment: Experiment) -> dict[int, list[float]]:
    """By size, for each seed, the share of test graphs that are right in every step."""
    recipe = replace(experiment.recipe, tested=TESTED)
    tests = held_out(network.algorithm, (20, 100), experiment.data_seed, recipe)
    return {
        size: [each.graphs_right for each in scores]
        for size, scores in score_network(network, tests).items()
    }


def _measured(
    names: tuple[str, ...], settings: tuple[tuple[int, ...], int, int], workers: Workers
) -> Iterator[tuple[str, list[Seed]]]:
    if not workers.starts_others(len(names)):
        torch.set_num_threads(1)
        yield from ((name, measure(name, *settings)) for name in names)
        return
    found: dict[str, list[Seed]] = {}
    for name, word in workers.messages({name: (name, *settings) for name in names}, _measure):
        if isinstance(word, Ended):
            yield name, found[name]
        else:
            found[name] = word


def _measure(name: str, seeds: tuple[int, ...], graphs: int, batches: int, say: Say) -> None:
    say(measure(name, seeds, graphs, batches))


def _row(name: str, seeds: list[Seed]) -> tuple[str, ...]:
    left = Counter(part for seed in seeds for part in seed.wrong)
    return (
        name,
        f"{sum(not seed.wrong for seed in seeds)} of {len(seeds)}",
        f"{statistics.median(sum(seed.wrong.values()) for seed in seeds):g}",
        f"{statistics.median_high([seed.cases for seed in seeds]):,}",
        f"{seeds[0].situations:,}",
        *(
            f"{100 * statistics.mean(seed.right[size] for seed in seeds):.1f} %"
            for size in (20, 100)
        ),
        ", ".join(f"`{part}` {count}" for part, count in left.items()) or "nothing",
    )


def _command(
    algorithms: Annotated[
        list[str] | None, typer.Argument(help="Which; all where none is named.")
    ] = None,
    seeds: Annotated[str, typer.Option(help="As in `0-9`.")] = "0-1",
    graphs: Annotated[int, typer.Option(min=1, help="True runs to learn from.")] = 200,
    batches: Annotated[
        int, typer.Option(min=1, help="Of 256 situations, for every observation.")
    ] = 500,
    jobs: Annotated[
        int, typer.Option(min=1, help="Algorithms at a time, each in a process of one core.")
    ] = 1,
    cluster: ClusterOption = None,
    markdown: Annotated[
        Path | None, typer.Option(help="The page to write, anew after every algorithm.")
    ] = None,
) -> None:
    chosen = read_numbers(seeds, "--seeds")
    console = Console(width=140)
    main(
        console,
        chosen,
        names=algorithms or (),
        graphs=graphs,
        batches=batches,
        workers=find_workers(jobs, cluster),
        markdown=markdown,
    )


if __name__ == "__main__":
    typer.run(_command)
