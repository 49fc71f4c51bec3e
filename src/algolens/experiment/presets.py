"""The presets: networks after the paper's models, and one of our own, as data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from algolens.algorithms import Algorithm, algorithms, variants
from algolens.algorithms import algorithm as find
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.experiment.config import Experiment
from algolens.models import Architecture
from algolens.models.architecture import EXACT, LITERAL, LITERAL_SETS, PAPERS, SETS
from algolens.models.network import fits, reads_at
from algolens.protocol import PRESETS
from algolens.training import Schedule
from algolens.training.schedule import (
    AS_NODES,
    BEYOND_NODES,
    BY_LAST_STEP,
    BY_LOSSES,
    COUNT_ON,
    IN_ORDER,
    MEAN,
    SHARED,
)

# What is chosen where the paper is silent, or otherwise than in the paper, and why:
# docs/design.md. What departs from the paper is computed from these by departures.py, against
# paper.json.
PAPER_SCHEDULES = {
    "bfs": Schedule(
        epochs=500,
        learning_rate=4e-3,
        beta2=0.95,
        clip=0.1,
        weight_decay=0.05,
        decay=1.0,
        smoothing=0.1,
    ),
    "coloring": Schedule(
        epochs=600,
        learning_rate=4e-3,
        beta2=0.95,
        weight_decay=0.05,
        decay=0.5,
        balanced_concepts=False,
        smoothing=0.2,
        l1=0.005,
        prune_epoch=400,
        validate_every=20,
    ),
    "kruskal": Schedule(
        epochs=100, decay=0.5, hint_weights={"keeps_parent": {"false": 60.0, "true": 1.0}}
    ),
}
# the same as in the paper's text and its authors' code; where the two differ, as in the code, which
# made the paper's figures
LITERAL_SCHEDULES = {
    "bfs": Schedule(
        epochs=500,
        batches=IN_ORDER,
        ended_graphs=COUNT_ON,
        counted_steps=AS_NODES,
        concept_loss=MEAN,
        output_loss=SHARED,
        selection=BY_LOSSES,
    ),
    "coloring": Schedule(
        epochs=3000,
        batches=IN_ORDER,
        ended_graphs=COUNT_ON,
        counted_steps=BEYOND_NODES,
        concept_weights={"has_priority": 10.0},
        concept_loss=MEAN,
        output_loss=SHARED,
        l1=0.005,
        prune_epoch=2000,
        selection=BY_LOSSES,
    ),
    "kruskal": Schedule(
        epochs=100,
        batches=IN_ORDER,
        balanced_concepts=False,
        concept_loss=MEAN,
        hint_weights={"keeps_parent": {"false": 10.0, "true": 1.0}},
        selection=BY_LAST_STEP,
    ),
}
LITERAL_FAMILIES = {
    "bfs": (
        "erdos_renyi",
        "ladder",
        "grid",
        "tree",
        "barabasi_albert_5",
        "caveman",
        "community_by_number",
    ),
    "kruskal": ("connected_erdos_renyi", "ladder", "grid", "barabasi_albert_5"),
}
# of the networks of a kind, the first that can learn an algorithm is taken
PAPER_PROCESSORS = (PAPERS, SETS)
LITERAL_PROCESSORS = (LITERAL, LITERAL_SETS)
PAPER_VARIANTS = {"kruskal": "kruskal_union_find"}  # how the paper keeps sets

# The paper's oracle study: the concept that its networks find hardest.
ORACLES = {"coloring": "has_priority"}

# presets of which there is none for other algorithms
OF_PAPERS: Mapping[str, Collection[str]] = {"oracle": ORACLES, "paper-literal": LITERAL_SCHEDULES}

EXACT_SCHEDULE = Schedule(
    epochs=400,
    batch_size=256,
    learning_rate=1e-2,
    balanced_concepts=False,
    balanced_outputs=False,
    enough=1,
)  # an epoch is 25 batches of stars; it ends as soon as everything is proven
EXACT_BITS = 32  # of numbers, at least
EXACT_WIDTH = 16  # of hidden layers


def preset(name: str, algorithm: Algorithm) -> Experiment:
    """The experiment of a preset for an algorithm; one that the paper does not know is trained as
    BFS is.
    """
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    if name == "exact":
        return _exact(algorithm)
    literal = name == "paper-literal"
    options, known_as = _not_as_declared(algorithm), algorithm.data_name
    variant = algorithm.name if algorithm.variant_of else PAPER_VARIANTS.get(algorithm.name)
    learnt = type(algorithm)(**options) if variant is None else find(variant, **options)
    schedule = (
        _literal(algorithm) if literal else PAPER_SCHEDULES.get(known_as, PAPER_SCHEDULES["bfs"])
    )
    # every node of the paper's graphs has a self-loop. But a maximum of messages that includes the
    # node's own does not show whether something holds of a neighbour, where it holds of the node
    # itself
    plain = Architecture(bottleneck=name != "standard", self_loops=known_as in PAPER_SCHEDULES)
    architecture = _fitting(LITERAL_PROCESSORS if literal else PAPER_PROCESSORS, learnt, plain)
    if name == "oracle":
        architecture = replace(architecture, given=(_oracle(algorithm),))
    elif name in ("paper-unregularised", "standard"):
        schedule = replace(schedule, l1=0.0, prune_epoch=None)
    return Experiment(
        algorithm=known_as,
        preset=name,
        architecture=architecture,
        schedule=schedule,
        variant=variant,
        options=options,
        own=_own(algorithm),
        families=LITERAL_FAMILIES.get(known_as) if literal else None,
    )


def _literal(algorithm: Algorithm) -> Schedule:
    if algorithm.data_name not in LITERAL_SCHEDULES:
        known = ", ".join(LITERAL_SCHEDULES)
        raise AlgoLensError(
            f"the paper trains no network for {algorithm.name}, only for {known}: train the preset "
            "'paper', made after those."
        )
    return LITERAL_SCHEDULES[algorithm.data_name]


def _oracle(algorithm: Algorithm) -> str:
    if algorithm.name not in ORACLES:
        known = ", ".join(f"{concept} of {name}" for name, concept in ORACLES.items())
        raise AlgoLensError(
            f"no concept of {algorithm.name} is named for an oracle study; there is {known}. To "
            "give another, train the preset 'paper' with --given CONCEPT."
        )
    return ORACLES[algorithm.name]


def _exact(algorithm: Algorithm) -> Experiment:
    options = _not_as_declared(algorithm)
    if "bits" in algorithm.options:
        options["bits"] = max(algorithm.options["bits"], EXACT_BITS)
    architecture = Architecture(processor=EXACT, width=EXACT_WIDTH)
    return Experiment(
        algorithm.data_name,
        "exact",
        architecture,
        EXACT_SCHEDULE,
        variant=algorithm.name if algorithm.variant_of else None,
        options=options,
        own=_own(algorithm),
    )


def _fitting(
    processors: tuple[str, ...], algorithm: Algorithm, architecture: Architecture
) -> Architecture:
    """With the first processor that can learn an algorithm; where none can, the first for concepts
    that sit where its do.
    """
    declaration = algorithm.declaration
    choices = [replace(architecture, processor=name) for name in processors]
    near = [each for each in choices if reads_at(each) is declaration.location]
    return next((each for each in choices if fits(algorithm, each)), (near or choices)[0])


def _own(algorithm: Algorithm) -> type[Algorithm] | None:
    """Its class, where it is not the one that its name stands for: one of a notebook, say."""
    known = algorithms().get(algorithm.name) or variants().get(algorithm.name)
    return None if known is type(algorithm) else type(algorithm)


def _not_as_declared(algorithm: Algorithm) -> dict[str, Any]:
    return {
        key: value
        for key, value in algorithm.options.items()
        if value != type(algorithm)().options[key]
    }
