"""``algolens evaluate``: score a trained run on test graphs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algolens.cli.options import (
    JSON_OPTION,
    RunArgument,
    find_device,
    find_model_folder,
    read_numbers,
)
from algolens.cli.output import print_json, results
from algolens.errors import AlgoLensError

if TYPE_CHECKING:
    from algolens.execution import Run
    from algolens.models import Network

MOST_MISTAKES = 10  # shown, of a seed at a size


class Deciding(Enum):
    """What decides, over the concepts that the network sees."""

    NETWORK = "network"
    RULES = "rules"


def evaluate_command(
    run: RunArgument,
    sizes: Annotated[
        str, typer.Option(help="Numbers of nodes to test at, as in `20,50,100`.")
    ] = "20,50,100",
    by: Annotated[
        Deciding,
        typer.Option(
            help="`network`: all scores, those by rules beside; `rules`: only with the rules "
            "deciding, over the concepts that the network sees."
        ),
    ] = Deciding.NETWORK,
    graphs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many graphs of each size, shared out evenly among families; where not the "
            "paper's.",
        ),
    ] = None,
    data_seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Draw graphs with another seed than the run's: fresh ones, in none of the run's "
            "own sets.",
        ),
    ] = None,
    mistakes: Annotated[
        bool,
        typer.Option(
            "--first-mistakes", help="Also show where runs first go wrong: step, field, node."
        ),
    ] = False,
    save: Annotated[
        bool,
        typer.Option(
            "--save",
            help="Also put the scores into the run's folder, as scores-fresh.json: reports show "
            "them beside the others.",
        ),
    ] = False,
    device: Annotated[
        str, typer.Option(help="`auto` (CUDA when there), `cpu` or `cuda`.")
    ] = "auto",
    json: bool = JSON_OPTION,
) -> None:
    """Score a trained run in free running: the networks see their own past outputs, and nothing of
    the truth.

    The formula scores put the extracted rules in the place of the concept decoder and of the
    termination network. Test graphs are those of the run's data seed, at any size, or fresh ones.
    Examples: `algolens evaluate runs/bfs-paper --sizes 20,200` and `algolens evaluate
    runs/bfs-paper --data-seed 777 --graphs 800`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.cli.progress import counting
    from algolens.experiment.folder import save_fresh_scores
    from algolens.front.evaluated import TestSets, score_run
    from algolens.terminal.scores import graphs_note, mistakes_table, scores_table

    trained = find_model_folder(run)
    experiment = trained.experiment
    if by is Deciding.RULES and not experiment.architecture.bottleneck:
        raise AlgoLensError(
            f"{run}: this run has no bottleneck (preset '{experiment.preset}'), so it has no rules "
            "to run by."
        )
    if save and (
        by is Deciding.RULES
        or data_seed in (None, experiment.data_seed)
        or not (Path(run) / "experiment.json").is_file()
    ):
        raise AlgoLensError(
            f"--save keeps scores of a folder's networks on fresh graphs ({run}, --by {by.value}, "
            f"data seed {experiment.data_seed if data_seed is None else data_seed}): give a run's "
            "folder, no --by, and --data-seed with another seed than the run's, "
            f"{experiment.data_seed}."
        )
    network, at = trained.network.to(find_device(device)), read_numbers(sizes, "--sizes")
    sets = TestSets.of(trained, at, graphs, data_seed)
    with counting(f"{experiment.algorithm}, scored", len(at), "size") as done:
        found = score_run(trained, network, sets, rules_only=by is Deciding.RULES, done=done)
    found["by"] = by.value
    if save:
        save_fresh_scores(Path(run), found)
    if mistakes:
        found["first_mistakes"] = {
            str(size): _mistakes(network, parts) for size, parts in sets.traces.items()
        }
    if json:
        print_json(found)
        return
    results.print(scores_table(found))
    results.print(graphs_note(found["test_graphs"], experiment.data_seed), highlight=False)
    if mistakes:
        results.print(mistakes_table(found["first_mistakes"]))


def _mistakes(network: Network, traces: Iterable[Run]) -> list[dict[str, Any]]:
    """For each seed, how many graphs it gets wrong, and the first mistakes on some."""
    from algolens.evaluation import first_mistakes, free_run

    found: list[dict[str, Any]] = [
        {"seed": seed, "graphs_wrong": 0, "mistakes": []} for seed in network.seeds
    ]
    for trace in traces:
        truth = trace.to(network.device)
        for place, entry in enumerate(found):
            count, first = first_mistakes(free_run(network.only(place), truth), truth)
            entry["graphs_wrong"] += count
            entry["mistakes"] = (entry["mistakes"] + [each.to_json() for each in first])[
                :MOST_MISTAKES
            ]
    return found
