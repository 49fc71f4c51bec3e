"""The paper's kind of network on algorithms that the paper does not have, beside exact networks.

python -m benchmarks.recurrent --epochs 5 --seeds 0                         a quick look
python -m benchmarks.recurrent --device cuda --seeds 0-4 --markdown results/pages/recurrent.md

Recurrent networks with a bottleneck, after the preset `paper`, learn an algorithm on nodes whose
state is masks and categories. Of those beside the paper's three that is the maximal independent
set; and the k-core, once a processor sums its messages, since the paper's, which takes their
maximum, cannot count. Selected on validation; scored on the test sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from algolens.algorithms import algorithm
from algolens.cli.options import read_numbers
from algolens.disk import write_file
from algolens.experiment.config import preset
from algolens.experiment.model import Model
from algolens.experiment.train import find_device, train_networks
from algolens.extraction.grading import grade, tally
from algolens.records import Experiment
from algolens.training import Schedule
from benchmarks.pages import command, made_with, seeds_in_words, table

# an algorithm, and the processor in the place of the preset's
LEARNT = {"independent_set": None, "k_core": "GINConv"}
HEADER = (
    "",
    "nodes",
    "mean-step, %",
    "last-step, %",
    "stops, %",
    "concepts, %",
    "graphs right, %",
    "by rules, %",
    "true rules",
)
SHOWN = (
    "mean_step",
    "last_step",
    "termination",
    "concepts_mean_step",
    "graphs_right",
    "formula_graphs_right",
)
PAGE = """# The paper's kind of network on further algorithms

This study trains recurrent networks with a concept bottleneck on algorithms that the paper does \
not have, {seeds}. They
are trained as the preset `paper` trains BFS. The preset `exact` stands beside them. \
The table has means and standard
deviations over seeds, on the test sets.

- *graphs right*: right in every step and in everything;
- *by rules*: the same, where the extracted rules decide;
- *true rules*: the number of seeds whose rules are equal to the true ones on every pattern of \
concepts that occurs.

A recurrent network reads masks, categories and numbers at nodes, \
and keeps masks and categories as state. Each of the
other algorithms needs more (`algolens check NAME` says what), so they have exact networks only. \
The k-core counts, and
the paper's processor takes a maximum of messages. So the k-core is learnt with GINConv, \
which sums them.

```sh
{command}
```

{made_with}.

{table}

The rules that the recurrent networks give, with the number of seeds:

{rules}
"""


@dataclass(frozen=True)
class Study:
    """One kind of network on one algorithm."""

    title: str
    experiment: Experiment


def studies(names: list[str], seeds: tuple[int, ...], epochs: int | None) -> Iterator[Study]:
    """The recurrent network and the exact one, for each algorithm."""
    for name in names:
        chosen = algorithm(name)
        recurrent = replace(preset("paper", chosen), seeds=seeds)
        processor = LEARNT.get(name) or recurrent.architecture.processor
        schedule: Schedule = (
            recurrent.schedule if epochs is None else recurrent.schedule.with_epochs(epochs)
        )
        architecture = replace(recurrent.architecture, processor=processor)
        yield Study(
            f"{name}, recurrent ({processor})",
            replace(recurrent, architecture=architecture, schedule=schedule),
        )
        yield Study(f"{name}, exact", replace(preset("exact", chosen), seeds=seeds))


def main(
    console: Console,
    names: list[str],
    seeds: tuple[int, ...],
    epochs: int | None,
    device: torch.device,
    markdown: Path | None,
) -> None:
    """Trains them one after the other, and writes the page anew after each."""
    rows: list[tuple[str, ...]] = []
    rules: list[str] = []
    for study in studies(names, seeds, epochs):
        is_exact = study.experiment.preset == "exact"
        trained = train_networks(study.experiment, torch.device("cpu") if is_exact else device)
        rows += _rows(study, trained)
        rules += [] if is_exact else _rules(study, trained)
        seconds = trained.about["training_seconds"]
        console.print(
            f"{study.title}: {seconds:.0f} s, {len(trained.history)} epochs", style="italic"
        )
        console.print(table(HEADER, _rows(study, trained)), highlight=False, soft_wrap=True)
        if markdown is not None:
            made = {
                "seeds": seeds_in_words(seeds),
                "command": command("recurrent"),
                "made_with": made_with(),
            }
            write_file(
                markdown, PAGE.format(**made, table=table(HEADER, rows), rules="\n".join(rules))
            )


def _rows(study: Study, trained: Model) -> list[tuple[str, ...]]:
    chosen = study.experiment.find_algorithm()
    true = sum(grade(each, chosen).equal_on_seen for each in (trained.rule_sets or ()))
    return [
        (
            study.title,
            size,
            *(_told(scores[name]) for name in SHOWN),
            f"{true} of {len(trained.rule_sets or ())}",
        )
        for size, scores in trained.scores["sizes"].items()
    ]


def _rules(study: Study, trained: Model) -> list[str]:
    found = tally(trained.rule_sets or [])
    return [
        f"- {study.title}, {what}: " + "; ".join(f"`{rule}` {n}" for rule, n in rules)
        for what, rules in found.items()
    ]


def _told(percent: float | dict[str, float]) -> str:
    """A percentage; of several seeds, the mean and the deviation."""
    return (
        f"{percent['mean']:.2f} ± {percent['std']:.2f}"
        if isinstance(percent, dict)
        else f"{percent:.2f}"
    )


def _command(
    algorithms: Annotated[
        list[str] | None, typer.Argument(help="Which; all that there are where none is named.")
    ] = None,
    seeds: Annotated[str, typer.Option(help="As in `0-4`.")] = "0-4",
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Of the recurrent networks, where not the preset's.")
    ] = None,
    device: Annotated[
        str, typer.Option(help="`cpu`, `cuda` or `auto`, for the recurrent networks.")
    ] = "auto",
    markdown: Annotated[
        Path | None, typer.Option(help="The page to write, anew after every training.")
    ] = None,
) -> None:
    torch.set_num_threads(1)
    console = Console(width=160)
    main(
        console,
        algorithms or list(LEARNT),
        read_numbers(seeds, "--seeds"),
        epochs,
        find_device(device),
        markdown,
    )


if __name__ == "__main__":
    typer.run(_command)
