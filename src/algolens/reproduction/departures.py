"""How experiments depart from the paper's protocol: computed from what they are, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from algolens.certification import provable
from algolens.experiment.config import Experiment
from algolens.graphs import Location
from algolens.graphs.families import FACTS as OF_FAMILIES
from algolens.models import Network
from algolens.protocol import Departure, departures, fact_in_words, known_algorithms, protocol
from algolens.reports.material import HOW_MUCH, ShownModel, as_file_name
from algolens.reports.tables import Table
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
        kind.labels and not kind.is_truth_value for kind in algorithm.declaration.outputs.values()
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


LEGEND = (
    "Text: what the paper says. Code: what its authors' public code does; what stands there "
    "alone, only the code says. An empty cell of a network: it is as in the paper, or has no such "
    "part. All of it is computed, from the runs' settings and from what the parts of the networks "
    "state of themselves, against src/algolens/protocol/paper.json."
)


def departures_table(algorithm: str, runs: Sequence[ShownModel]) -> Table:
    """A row for each thing that some network does otherwise, a column for each network."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for run in runs:
        for each in run.departures:
            said = [
                fact_in_words(each.said[where]) if where in each.said else ""
                for where in ("text", "code")
            ]
            found.setdefault((each.what, said[0], said[1]), {})[run.title] = fact_in_words(
                each.ours
            )
    titles = [run.title for run in runs]
    return Table(
        name=f"departures-{as_file_name(algorithm)}",
        title=f"Departures of {algorithm}",
        columns=["what", "text", "code", *(run.network for run in runs)],
        rows=[[*key, *(ours.get(title, "") for title in titles)] for key, ours in found.items()],
        legend=LEGEND,
    )


def departures_warning(runs: Sequence[ShownModel]) -> str:
    """What the page says of all runs: none is the paper's own, in how many points, and how much was
    trained.
    """
    departing = [run for run in runs if run.departures]
    if not departing:
        return ""
    counts = ", ".join(f"{run.title} in {len(run.departures)}" for run in departing)
    parts = [
        (
            f"These networks are after the paper's, and depart from them: {counts} points. The "
            "tables of departures list all."
        )
    ]
    for what in HOW_MUCH:
        titles_by_departure: dict[str, list[str]] = {}
        for run in departing:
            for each in run.departures:
                if each.what == what:
                    titles_by_departure.setdefault(str(each), []).append(run.title)
        parts += [f"{words}: {', '.join(titles)}." for words, titles in titles_by_departure.items()]
    return " ".join(parts)
