"""``algolens evaluate``: models scored."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    DeviceOption,
    DirectedOption,
    FamilyOption,
    ModelArgument,
    limited,
    load_noted,
    option,
    read_sizes,
)
from algolens.cli.output import print_result, remarks
from algolens.errors import AlgoLensError
from algolens.limits import GRAPHS, SEED


def evaluate_command(
    model: ModelArgument,
    sizes: str = option("20,50,100", "Numbers of nodes to test at, as in `20,50,100`."),
    by: Literal["network", "rules"] = option(
        "network",
        "`network`: all scores, those by rules beside; `rules`: only with the rules "
        "deciding, over the concepts that the network sees.",
    ),
    graphs: str | None = option(
        None,
        "How many graphs of each size, shared out evenly among families, where not the "
        "paper's; or graphs of yours: a folder of files.",
    ),
    family: FamilyOption = None,
    directed: DirectedOption = None,
    data_seed: int | None = limited(
        None,
        SEED,
        "Draw graphs with another seed than the model's: fresh ones, in none of the "
        "model's own sets.",
    ),
    mistakes: bool = option(
        False, "Also show where runs first go wrong: step, field, node.", "--first-mistakes"
    ),
    save: bool = option(
        False,
        "Also put the scores into the model's folder, as scores-fresh.json: reports show "
        "them beside the others.",
        "--save",
    ),
    device: DeviceOption = "auto",
    json: bool = JSON_OPTION,
) -> None:
    """Score a model in free running: networks see their own past outputs, nothing of the truth.

    The formula scores put the extracted rules in the place of the concept decoder and of the
    termination network. Test graphs are those of the model's data seed, at any size, or fresh ones.
    Examples: `algolens evaluate runs/bfs-paper --sizes 20,200` and `algolens evaluate
    runs/bfs-paper --data-seed 777 --graphs 800`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment import save_fresh_scores
    from algolens.front.progress import Board

    trained, at = load_noted(model), read_sizes(sizes)
    own_seed = trained.experiment.data_seed
    is_folder = (Path(model) / "experiment.json").is_file()
    is_count = graphs is not None and graphs.isdecimal()
    count = GRAPHS.read(graphs, "--graphs") if graphs and is_count else graphs
    is_given = isinstance(count, str)
    if save and (
        is_given
        or family is not None
        or by == "rules"
        or data_seed in (None, own_seed)
        or not is_folder
    ):
        raise AlgoLensError(
            f"--save keeps scores of a folder's networks on fresh graphs ({model}, --by "
            f"{by}, data seed {own_seed if data_seed is None else data_seed}): give a "
            "model's folder, no --by, no graphs of yours, and --data-seed with another seed than "
            f"the model's, {own_seed}."
        )
    title = f"{trained.algorithm.name}, scored"
    with Board(remarks) as board, board.counting(title, 1 if is_given else len(at), "size") as done:
        evaluated = al.evaluate(
            trained,
            at,
            graphs=count,
            family=family,
            directed=directed,
            data_seed=data_seed,
            by=by,
            first_mistakes=mistakes,
            device=device,
            done=done,
        )
    if save:
        scores = dict(evaluated.scores)
        scores.pop("first_mistakes", None)
        save_fresh_scores(Path(model), scores)
    print_result(evaluated, json=json)
