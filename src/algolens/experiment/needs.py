"""What a training needs, from sizes alone: refused where the machine has not got it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import torch

from algolens.data import LESS_TO_LEARN, MOST_KEPT_NODES, check_different, takes_long
from algolens.engines import Run
from algolens.errors import AlgoLensWarning
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


# of every element at every step of a trace, while it is looked at: of a concept, of an output
BYTES_OF_CONCEPT, BYTES_OF_OUTPUT = 8.0, 24.0


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
    is_large = size > MOST_KEPT_NODES and size not in recipe.test_sizes
    return replace(recipe, tested=len(recipe.families)) if is_large else recipe


def usual_sizes(experiment: Experiment, truth: Run) -> tuple[int, ...]:
    """The sizes of test graphs where a user gives none: the recipe's, or smaller where runs are
    long and the recipe is not the author's.

    truth: the training set.
    """
    recipe, size = experiment.recipe, experiment.recipe.size
    if recipe.test_sizes != Recipe().test_sizes or not takes_long(truth, size):
        return recipe.test_sizes
    sizes = size, 2 * size
    warnings.warn(
        f"runs of {truth.algorithm.name} are long ({truth.num_steps:,} steps on {size} nodes): it "
        f"is tested on graphs of {sizes[0]} and {sizes[1]} nodes. --sizes gives others (in Python, "
        "sizes=).",
        AlgoLensWarning,
        stacklevel=2,
    )
    return sizes


def check_training(experiment: Experiment, device: torch.device, sizes: Sequence[int] = ()) -> None:
    """Refuses a training that does not fit into memory, or tests that do not.

    sizes: of test graphs, where not the recipe's.
    """
    if experiment.graphs is None:
        recipe = experiment.recipe
        check_drawing(recipe.counts("train"), recipe.size)
        for size in sizes or recipe.test_sizes:
            tests = replace(tests_at(experiment, size), test_sizes=(size,))
            check_drawing(tests.counts("test"), size)
            check_different(experiment.find_algorithm(), tests, experiment.data_seed)
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


def check_traces(truth: Run) -> None:
    """Refuses a training whose traces do not fit into memory, by the steps that they took.

    truth: the training set.
    """
    algorithm, graph = truth.algorithm, truth.graph
    declaration = algorithm.declaration
    bytes_of = BYTES_OF_CONCEPT * len(declaration.concepts)
    bytes_of += BYTES_OF_OUTPUT * len(declaration.outputs)
    elements = graph.count(declaration.location)
    check_memory(
        truth.num_steps * elements * bytes_of,
        f"learning {algorithm.name} from {graph.num_graphs:,} runs of up to {truth.num_steps:,} "
        f"steps on {graph.num_nodes:,} nodes",
        LESS_TO_LEARN,
    )
