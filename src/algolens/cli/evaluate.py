"""``algolens evaluate``: score a trained run on test graphs."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Annotated

import typer

from algolens.cli.options import JSON_OPTION, find_device, read_numbers
from algolens.cli.output import print_json, results
from algolens.data import fixed
from algolens.errors import AlgoLensError
from algolens.experiment import extract_all, load_run, run_scores
from algolens.reports import scores_table


class Deciding(Enum):
    """What decides, over the concepts that the network sees."""

    NETWORK = "network"
    RULES = "rules"


def evaluate_command(
    run: Annotated[str, typer.Argument(help="The folder that `algolens train` wrote.")],
    sizes: Annotated[str, typer.Option(help="Numbers of nodes to test at, as in `20,50,100`.")] = "20,50,100",
    by: Annotated[
        Deciding, typer.Option(help="`network`: all scores, those by rules beside; `rules`: only with the rules deciding.")
    ] = Deciding.NETWORK,
    device: Annotated[str, typer.Option(help="`auto` (CUDA when there), `cpu` or `cuda`.")] = "auto",
    json: bool = JSON_OPTION,
) -> None:
    """Score a trained run in free running: the networks see their own past outputs, and nothing of the truth.

    The formula scores put the extracted rules in the place of the concept decoder and of the termination network. Test graphs
    are those of the run's data seed, at any size. Example: `algolens evaluate runs/bfs-paper --sizes 20,200`
    """
    trained = load_run(run)
    experiment = trained.experiment
    if by is Deciding.RULES and not experiment.architecture.bottleneck:
        raise AlgoLensError(f"{run}: this run has no bottleneck (preset '{experiment.preset}'), so it has no rules to run by.")
    chosen = experiment.find_algorithm()
    recipe = replace(chosen.recipe, test_sizes=read_numbers(sizes, "--sizes"))
    network = trained.network.to(find_device(device))
    sets = fixed(chosen, experiment.data_seed, recipe)
    programs = trained.programs
    if programs is None and experiment.architecture.bottleneck:
        programs = [extraction.program for extraction in extract_all(network, sets.train)]
    found = run_scores(experiment, network, sets.tests, programs, rules_only=by is Deciding.RULES)
    found.pop("by_seed", None)
    if json:
        print_json(found)
    else:
        results.print(scores_table(found))
