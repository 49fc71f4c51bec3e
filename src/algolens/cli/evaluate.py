"""``algolens evaluate``: score a trained run on test graphs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from algolens.cli.options import JSON_OPTION, find_device, read_numbers
from algolens.cli.output import print_json, results
from algolens.data import fixed
from algolens.evaluation import evaluate, summary
from algolens.experiment import load_run
from algolens.reports import scores_table


def evaluate_command(
    run: Annotated[str, typer.Argument(help="The folder that `algolens train` wrote.")],
    sizes: Annotated[str, typer.Option(help="Numbers of nodes to test at, as in `20,50,100`.")] = "20,50,100",
    device: Annotated[str, typer.Option(help="`auto` (CUDA when there), `cpu` or `cuda`.")] = "auto",
    json: bool = JSON_OPTION,
) -> None:
    """Score a trained run in free running: the networks see their own past outputs, and nothing of the truth.

    Test graphs are those of the run's data seed, at any size. Example: `algolens evaluate runs/bfs-paper --sizes 20,200`
    """
    trained = load_run(run)
    chosen = trained.experiment.find_algorithm()
    recipe = replace(chosen.recipe, test_sizes=read_numbers(sizes, "--sizes"))
    tests = fixed(chosen, trained.experiment.data_seed, recipe).tests
    found = {
        "algorithm": trained.experiment.algorithm,
        "preset": trained.experiment.preset,
        "seeds": list(trained.experiment.seeds),
        "sizes": summary(evaluate(trained.network.to(find_device(device)), tests)),
    }
    if json:
        print_json(found)
    else:
        results.print(scores_table(found))
