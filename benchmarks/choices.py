"""The schedules chosen for coloring and Kruskal's algorithm, beside others: trained, and scored on
graphs to choose by.

python -m benchmarks.choices coloring --device cuda --jobs 6 --out
results/pages/choices-coloring.json --page results/pages/choices.md

trains the preset `paper` with each schedule of `TRIED` and scores it on 800 graphs of each size, of
a data seed that no table of results is made with. It writes the scores as JSON, and a
table of them into the page, or onto the screen. No test set is looked at.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from rich.console import Console

from algolens.algorithms import algorithm as find
from algolens.cli.options import read_numbers
from algolens.data import held_out
from algolens.disk import write_file
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.evaluation import score_network, seeds_summary
from algolens.experiment.config import check_experiment, preset
from algolens.experiment.model import versions
from algolens.experiment.train import device_name, find_device
from algolens.processes import Ended, Say, find_workers
from algolens.records import Experiment
from algolens.training import Fit
from benchmarks.options import ClusterOption
from benchmarks.pages import PageOption, show_section

CHOSEN = "as chosen"
# by algorithm: what else was tried in the place of single settings of the preset `paper`
TRIED: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "coloring": {
        CHOSEN: {},
        "labels not smoothed": {"smoothing": 0.0},
        "no weight decay": {"weight_decay": 0.0},
        "Adam's beta2 0.999": {"beta2": 0.999},
        "positives of rare concepts count more": {"balanced_concepts": True},
        "learning rate 0.001": {"learning_rate": 1e-3},
    },
    "kruskal": {
        CHOSEN: {},
        "a constant learning rate": {"decay": 0.0},
        "pointers that change count tenfold": {
            "hint_weights": {"keeps_parent": {"false": 10.0, "true": 1.0}}
        },
        "concepts count alike": {"balanced_concepts": False},
    },
}
SHOWN = {
    "mean_step": "mean-step",
    "concepts_last_step": "concepts, last step",
    "graphs_right": "graphs right in everything",
}


def main(
    algorithm: Annotated[str, typer.Argument(help=f"One of {', '.join(TRIED)}.")],
    seeds: Annotated[str, typer.Option(help="As in `0-1`.")] = "0-1",
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Where not the preset's; the pruning epoch moves along."),
    ] = None,
    sizes: Annotated[str, typer.Option(help="Numbers of nodes to score at.")] = "20,50,100",
    graphs: Annotated[int, typer.Option(min=1, help="Of each size, to score on.")] = 800,
    data_seed: Annotated[int, typer.Option(min=1, help="Of the graphs to score on.")] = 777,
    device: Annotated[str, typer.Option(help="`cpu`, `cuda` or `auto`.")] = "cpu",
    jobs: Annotated[
        int,
        typer.Option(min=1, help="Schedules that are tried at once, each in a process of its own."),
    ] = 1,
    cluster: ClusterOption = None,
    out: Annotated[Path, typer.Option(help="The JSON file to write the scores to.")] = Path(
        "choices.json"
    ),
    page: PageOption = None,
) -> None:
    """Tabulate how schedules do on graphs to choose by."""
    if algorithm not in TRIED:
        raise UnknownNameError("algorithm with schedules to try", algorithm, TRIED)
    chosen, at = find_device(device), read_numbers(sizes, "--sizes")
    tried = experiments(algorithm, read_numbers(seeds, "--seeds"), epochs)
    for experiment in tried.values():
        check_experiment(experiment)
    tried[CHOSEN].data(tests=False)  # made once, before several processes ask for it
    work = {name: (each, str(chosen), at, graphs, data_seed) for name, each in tried.items()}
    found: dict[str, Any] = {}
    console = Console(soft_wrap=True)
    workers = find_workers(jobs, cluster, gpus=int(chosen.type == "cuda"))
    for name, word in workers.messages(work, _try):
        if not isinstance(word, Ended):
            found[name] = word
            console.print(f"{name}: {len(found)} of {len(tried)} schedules tried", highlight=False)
    made = {
        "algorithm": algorithm,
        "command": shlex.join(["python", "-m", "benchmarks.choices", *sys.argv[1:]]),
        "device": device_name(chosen),
        "versions": versions(),
        "data_seed": data_seed,
        "graphs": graphs,
        "epochs": tried[CHOSEN].schedule.epochs,
        "seeds": list(tried[CHOSEN].seeds),
        "scores": {name: found[name] for name in tried},
    }
    write_file(out, json.dumps(made, indent=1) + "\n")
    show_section(page, out.stem, table(made))


def experiments(
    algorithm: str, seeds: tuple[int, ...], epochs: int | None = None
) -> dict[str, Experiment]:
    """What is trained, by name."""
    usual = replace(preset("paper", find(algorithm)), seeds=seeds)
    schedules = {
        name: replace(usual.schedule, **settings) for name, settings in TRIED[algorithm].items()
    }
    return {
        name: replace(usual, schedule=schedule if epochs is None else schedule.with_epochs(epochs))
        for name, schedule in schedules.items()
    }


def table(made: Mapping[str, Any]) -> str:
    """The section of a page: a row for each schedule."""
    sizes = list(made["scores"][CHOSEN])
    head = ["schedule", *(f"{words}, {size} nodes" for words in SHOWN.values() for size in sizes)]
    rows = [
        [name, *(_cell(scores[size][metric]) for metric in SHOWN for size in sizes)]
        for name, scores in made["scores"].items()
    ]
    lines = [
        f"### {find(made['algorithm']).title}: schedules tried",
        "",
        f"Made by `{made['command']}` on {made['device']}.",
        "",
        f"The preset `paper` with single settings changed, {made['epochs']} epochs, seeds "
        f"{', '.join(map(str, made['seeds']))}. Scores in percent, mean ± standard deviation over "
        f"seeds, on {made['graphs']} graphs of each size, of data seed {made['data_seed']}. No "
        "graph of the tables of [Results](paper.md) is among them.",
        "",
        f"| {' | '.join(head)} |",
        f"|---|{'---:|' * (len(head) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    return (
        f"{value['mean']:.2f} ± {value['std']:.2f}"
        if isinstance(value, Mapping)
        else f"{value:.2f}"
    )


def _try(
    experiment: Experiment,
    device: str,
    sizes: tuple[int, ...],
    graphs: int,
    data_seed: int,
    say: Say,
) -> None:
    """Trains a schedule and scores what is selected on graphs to choose by."""
    fit = Fit(
        experiment.data(tests=False),
        experiment.architecture,
        experiment.schedule,
        experiment.seeds,
        torch.device(device),
    )
    for _ in fit:
        pass
    chosen, own = experiment.find_algorithm(), (experiment.data_seed, experiment.recipe)
    tests = held_out(
        chosen, sizes, data_seed, replace(experiment.recipe, tested=graphs), apart_from=own
    )
    say(seeds_summary(score_network(fit.result(), tests)))


if __name__ == "__main__":
    try:
        typer.run(main)
    except AlgoLensError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
