"""How experiments depart from the paper's protocol: computed from what they are, and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from algolens.graphs import Recipe
from algolens.graphs.families import FACTS as OF_FAMILIES
from algolens.models import Network
from algolens.proofs.certificate import provable
from algolens.protocol import Departure, departures, fact_in_words, known_algorithms, protocol
from algolens.records import Experiment
from algolens.reports.material import ShownModel, as_file_name
from algolens.reports.tables import Table
from algolens.training.objective import facts as facts_of_step

# which a network without a bottleneck has none of
OF_CONCEPTS = ("balanced_concepts", "concept_weights", "concept_loss")
LEGEND = (
    "Text: what the paper says. Code: what its authors' public code does; what stands there "
    "alone, only the code says. An empty cell of a network: it is as in the paper, or has no such "
    "part. All of it is computed, from the runs' settings and from what the parts of the networks "
    "state of themselves, against src/algolens/paper.json."
)


def departures_of(experiment: Experiment) -> list[Departure]:
    """In what an experiment departs from the paper's protocol for its algorithm and preset."""
    name, declaration = experiment.algorithm, experiment.find_algorithm().declaration
    facts = protocol(name, experiment.preset, at_nodes=declaration.location == "node")
    departing = departures(facts, facts_of(experiment))
    if experiment.graphs is not None:
        ours = f"of their user ({experiment.graphs['from']})"
        departing.insert(0, Departure("graphs", ours, {"text": "drawn from random families"}))
    if name not in known_algorithms():
        departing.insert(0, Departure("algorithm", name, {"text": list(known_algorithms())}))
    return departing


def facts_of(experiment: Experiment) -> dict[str, Any]:
    """What an experiment is, under the names of the protocol's facts.

    Settings are stated by the experiment, the rest beside the code that it describes.
    """
    algorithm, architecture = experiment.find_algorithm(), experiment.architecture
    schedule = experiment.schedule
    network = Network(algorithm, architecture, experiment.seeds[:1])
    outputs = algorithm.declaration.outputs.values()
    facts: dict[str, Any] = {}
    if experiment.graphs is None:
        facts |= _facts_of_recipe(experiment.recipe)
    facts |= {
        "variant": algorithm.variant_of is not None,
        **algorithm.options,
        **facts_of_step(schedule),
        **vars(schedule),
        "balanced_outputs": schedule.balanced_outputs and any(kind.labels for kind in outputs),
        "seeds": len(experiment.seeds),
        "bottleneck": architecture.bottleneck,
        "given": list(architecture.given),
    }
    if provable(network):
        facts["selection"] = f"fewest cases that a proof finds wrong, then {schedule.selection}"
    facts |= network.facts()
    if not architecture.bottleneck:
        for name in OF_CONCEPTS:
            facts.pop(name, None)
    return facts


def _facts_of_recipe(recipe: Recipe) -> dict[str, Any]:
    """How many random graphs there are, and of which families and sizes."""
    facts: dict[str, Any] = {}
    for family in recipe.families:
        facts |= OF_FAMILIES.get(str(family), {})
    return {
        **facts,
        "train_graphs": recipe.train * len(recipe.families),
        "train_size": recipe.size,
        "held_out_graphs": recipe.held_out * len(recipe.families),
        "test_sizes": list(recipe.test_sizes),
    }


def departures_table(algorithm: str, runs: Sequence[ShownModel]) -> Table:
    """A row for each thing that some network does otherwise, a column for each network."""
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for run in runs:
        for departure in run.departures:
            text, code = (
                fact_in_words(departure.said[where]) if where in departure.said else ""
                for where in ("text", "code")
            )
            row = rows.setdefault((departure.what, text, code), {})
            row[run.title] = fact_in_words(departure.ours)
    return Table(
        name=f"departures-{as_file_name(algorithm)}",
        title=f"Departures of {algorithm}",
        columns=["what", "text", "code", *(run.network for run in runs)],
        rows=[[*key, *(row.get(run.title, "") for run in runs)] for key, row in rows.items()],
        legend=LEGEND,
    )
