"""The explanation of a run: what its concepts mean, the rules that it decides by, and the program
of both.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Any

from algolens.data import fixed
from algolens.errors import ExtractionError
from algolens.evaluation import free_run
from algolens.execution import Run
from algolens.experiment.folder import TrainedModel
from algolens.experiment.run_files import extract_all
from algolens.extraction import (
    Meaning,
    SampledMeaning,
    ShownOn,
    Unseen,
    audit,
    grade,
    meanings,
    met_in_runs,
    sampled_meanings,
    smallest_graph,
    tally,
)
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.programs import Program
from algolens.terminal.rules import Explained

SAMPLED_GRAPHS = 100


class WhichCases(Enum):
    """Which cases of an observation count."""

    ALL = "all"
    MET = "met"


SAID = {
    WhichCases.ALL: "All cases count that an element of any graph can be in.",
    WhichCases.MET: (
        "Cases count that true runs on training graphs came upon; elsewhere it may say anything."
    ),
}


def explain_model(
    trained: TrainedModel,
    unseen: Unseen = Unseen.DONT_CARE,
    seed: int | None = None,
    cases: WhichCases = WhichCases.ALL,
) -> Explained:
    """The explanation of a run. seed: whose rules are shown; None: one with the commonest rules."""
    network, experiment = trained.network, trained.experiment
    truth = fixed(network.algorithm, experiment.data_seed).train
    rules: Any = trained.rules
    if rules is None or any(entry["unseen"] != unseen.value for entry in rules):
        found = extract_all(network, truth, unseen)
        rules = [{**extraction.to_json(), "rule_set": extraction.rule_set} for extraction in found]
    rule_sets = [entry["rule_set"] for entry in rules]
    commonest = Counter(map(str, rule_sets)).most_common(1)[0][0]
    shown = next(i for i, rule_set in enumerate(rule_sets) if str(rule_set) == commonest)
    if seed is not None:
        shown = experiment.seeds.index(seed)
    alone = copy.deepcopy(network.only(shown)).eval().cpu()
    read_off, sampled = _read_off(alone, truth, cases), _sampled(alone, truth)
    return Explained(
        algorithm=experiment.algorithm,
        seeds=experiment.seeds,
        rules=rules,
        verdicts=[grade(rule_set, network.algorithm) for rule_set in rule_sets],
        counts=tally(rule_sets),
        shown=shown,
        audit=audit(truth, rule_sets[shown]),
        meanings=read_off,
        cases=SAID[cases],
        sampled=sampled,
        found_in=network.algorithm if _is_whole(read_off, sampled) else None,
    )


def _is_whole(
    read_off: Sequence[tuple[Meaning, ShownOn | None]], sampled: Sequence[SampledMeaning]
) -> bool:
    """Whether all that is seen was found."""
    return bool(read_off or sampled) and all(meaning.found is not None for meaning, _ in read_off)


def _read_off(
    network: Network, truth: Run, cases: WhichCases
) -> list[tuple[Meaning, ShownOn | None]]:
    """What each observation means to an exact network; of another, whose concepts come from a
    memory, nothing.
    """
    if not isinstance(network.perceiver, Exact):
        return []
    possible = met_in_runs(network.perceiver, truth) if cases is WhichCases.MET else None
    found = meanings(network, possible)
    return [(each, None if each.equal else smallest_graph(network, each.name)) for each in found]


def _sampled(network: Network, truth: Run) -> list[SampledMeaning]:
    """What each concept means to a network with a memory, on samples."""
    if isinstance(network.perceiver, Exact) or network.algorithm.declaration.seen is None:
        return []
    some = truth.take(range(min(SAMPLED_GRAPHS, truth.graph.num_graphs)))
    return sampled_meanings(free_run(network, some))


def program_of_model(trained: TrainedModel, seed: int | None = None) -> Program:
    """The program that stands alone of one seed's network."""
    found = explain_model(trained, seed=seed)
    if found.program is None:
        raise ExtractionError(
            f"there is no program that stands alone of this network: {found.why_no_program}."
        )
    return found.program
