"""How an experiment differs from the paper's: computed from what it is, nobody has to write it
down.
"""

from __future__ import annotations

from typing import Any

from algolens.certification import provable
from algolens.experiment.config import Experiment
from algolens.fields import Category
from algolens.graphs import Location
from algolens.graphs.families import FACTS as OF_FAMILIES
from algolens.models import Network
from algolens.protocol import Departure, departures, known_algorithms, protocol
from algolens.training.step import facts as facts_of_step

# which a network without a bottleneck has none of
OF_CONCEPTS = ("balanced_concepts", "concept_weights", "concept_loss")


def departures_of(experiment: Experiment) -> list[Departure]:
    """In what an experiment departs from the paper's protocol for its algorithm and preset."""
    name, declaration = experiment.algorithm, experiment.find_algorithm().declaration
    facts = protocol(name, experiment.preset, at_nodes=declaration.location is Location.NODE)
    found = departures(facts, facts_of(experiment))
    if name not in known_algorithms():
        found.insert(0, Departure("algorithm", name, {"text": list(known_algorithms())}))
    return found


def facts_of(experiment: Experiment) -> dict[str, Any]:
    """What an experiment is, under the names of the protocol's facts.

    Each fact is stated where it is made: settings by the experiment, the rest beside the code that
    it describes.
    """
    algorithm, architecture, schedule = (
        experiment.find_algorithm(),
        experiment.architecture,
        experiment.schedule,
    )
    network = Network(algorithm, architecture, experiment.seeds[:1])
    recipe = experiment.recipe
    weighs_classes = any(
        isinstance(kind, Category) for kind in algorithm.declaration.outputs.values()
    )
    found = {
        **{
            name: value
            for family in recipe.families
            for name, value in OF_FAMILIES.get(family, {}).items()
        },
        "train_graphs": recipe.train * len(recipe.families),
        "train_size": recipe.size,
        "held_out_graphs": recipe.held_out * len(recipe.families),
        "test_sizes": list(recipe.test_sizes),
        **algorithm.options,
        **facts_of_step(schedule),
        **vars(schedule),
        "balanced_outputs": schedule.balanced_outputs and weighs_classes,
        "seeds": len(experiment.seeds),
        "bottleneck": architecture.bottleneck,
        "given": list(architecture.given),
        **(
            {"selection": f"fewest cases that a proof finds wrong, then {schedule.selection}"}
            if provable(network)
            else {}
        ),
        **network.facts(),
    }
    return (
        found
        if architecture.bottleneck
        else {name: each for name, each in found.items() if name not in OF_CONCEPTS}
    )
