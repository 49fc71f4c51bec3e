"""What a training needs, from sizes alone: refused where the machine has not got it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from algolens.data import MOST_KEPT_NODES
from algolens.experiment.config import Experiment
from algolens.graphs.family_sizes import check_drawing
from algolens.graphs.random import Recipe
from algolens.memory import check_memory
from algolens.models.network import is_exact

# of a weight: itself, its gradient and the two means of AdamW
BYTES_OF_WEIGHT, MATRICES = 16.0, 10
# of a seed, for every star of a batch, or node of its graphs, and every unit of its layers; an
# exact network has a stage for each observation: measured with 1 to 500 seeds, widths to 1,024
BYTES_OF_STAR, BYTES_OF_NODE = 104.0, 100.0


# at a time: each small operation is then started once for all; with more, they outgrow the cache
SEEDS_ON_CPU = 5


def learns_on(experiment: Experiment, device: torch.device) -> torch.device:
    """Where a training runs: an exact network learns on the CPU, where it is proven meanwhile."""
    return torch.device("cpu") if is_exact(experiment.architecture) else device


def side_by_side(experiment: Experiment, device: torch.device) -> list[tuple[int, ...]]:
    """The seeds in groups that train as one ensemble: on a GPU one group, on a CPU several."""
    seeds = experiment.seeds
    if learns_on(experiment, device).type == "cuda" or experiment.schedule.enough:
        return [seeds]
    count = -(-len(seeds) // SEEDS_ON_CPU)
    return [seeds[i * len(seeds) // count : (i + 1) * len(seeds) // count] for i in range(count)]


def tests_at(experiment: Experiment, size: int) -> Recipe:
    """The recipe of a test at a size that a user gives: of large graphs, one of each family."""
    recipe = experiment.recipe
    return replace(recipe, tested=len(recipe.families)) if size > MOST_KEPT_NODES else recipe


def check_training(experiment: Experiment, device: torch.device, sizes: Sequence[int] = ()) -> None:
    """Refuses a training that does not fit into memory, or tests that do not.

    sizes: of test graphs, where not the recipe's.
    """
    if experiment.graphs is None:
        recipe = experiment.recipe
        check_drawing(recipe.counts("train"), recipe.size)
        for size in sizes or recipe.test_sizes:
            check_drawing(tests_at(experiment, size).counts("test"), size)
    width, batch = experiment.architecture.width, experiment.schedule.batch_size
    count = len(experiment.seeds)
    needed = count * MATRICES * width * (width + 16) * BYTES_OF_WEIGHT
    if learns_on(experiment, device).type == "cpu":
        at_once = max(map(len, side_by_side(experiment, device)), default=0)
        if is_exact(experiment.architecture):
            stages = len(experiment.find_algorithm().declaration.predicted)
            needed += at_once * batch * stages * width * BYTES_OF_STAR
        else:
            graphs = min(batch, sum(experiment.recipe.counts("train").values()))
            needed += at_once * graphs * experiment.recipe.size * width * BYTES_OF_NODE
    check_memory(
        needed,
        f"training {count:,} networks of width {width:,} with batches of {batch:,}",
        "give fewer seeds, smaller batches or a smaller width",
    )
