"""What a report is made from: the files of runs, read and nothing more."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from algolens.algorithms import Algorithm
from algolens.data.datasets import GIVEN
from algolens.evaluation.metrics import ScoresRecord
from algolens.extraction.extraction import Extraction
from algolens.logic.rule_set import RuleSet
from algolens.proofs.certificate import Certificate
from algolens.protocol import Departure
from algolens.reading import Row
from algolens.records import (
    Experiment,
    OwnGraphs,
    StudyRecord,
)

# presets, as the paper's tables call the networks, in the order of the report
MODELS = {
    "standard": "standard",
    "paper-literal": "literal",
    "paper": "bottleneck",
    "paper-unregularised": "bottleneck_unregularised",
    "exact": "exact",
    "oracle": "oracle",
}
MODEL_TITLES = {
    "standard": "standard",
    "literal": "bottleneck, as in the paper",
    "bottleneck": "bottleneck",
    "bottleneck_unregularised": "bottleneck, unregularised",
    "exact": "exact",
    "oracle": "bottleneck",
}

T = TypeVar("T")
# departures that are said by name everywhere: how much was trained
HOW_MUCH = ("seeds", "epochs")


@dataclass(frozen=True, eq=False)
class ShownModel:
    """A run as its folder tells of it."""

    folder: Path
    experiment: Experiment
    scores: ScoresRecord
    history: Sequence[Row]  # a row for each epoch and seed
    # of each seed; none without a bottleneck
    rules: Sequence[Extraction]
    study: StudyRecord | None  # verdicts and decisions; None where it was not made
    remarks: str  # what its reader should know, in Markdown
    departures: Sequence[Departure] = ()  # in what it departs from the paper's protocol
    # of each seed; none where none is about its weights
    certificates: Sequence[Certificate] = ()
    variant: str = ""  # what tells its algorithm from the one of that name, as options do
    fresh: ScoresRecord | None = None  # scores on fresh graphs; None where none are kept
    # its folder's name, or its whole path where another in the same report has that name
    name: str = ""
    # what tells it from another run of the same algorithm and network in the same report
    called: str = ""

    @property
    def rule_sets(self) -> list[RuleSet]:
        """The rules of each seed; none without a bottleneck."""
        return [entry.rule_set for entry in self.rules]

    @property
    def algorithm(self) -> str:
        """The algorithm's name, and what tells it from others of that name."""
        return ", ".join(filter(None, (self.experiment.algorithm, self.variant)))

    @property
    def model(self) -> str:
        """What the paper's tables call its network."""
        return MODELS.get(self.experiment.preset, self.experiment.preset)

    @property
    def key(self) -> str:
        """Its network's name in tables.json and in the names of files."""
        return "-".join(filter(None, (self.model, self.called)))

    @property
    def kind(self) -> str:
        """The kind of its network, in words."""
        return MODEL_TITLES.get(self.model, self.model)

    @property
    def network(self) -> str:
        """Its network, in words."""
        named = (
            self.kind,
            *(f"{concept} given" for concept in self.given),
            self.called,
        )
        return ", ".join(filter(None, named))

    @property
    def title(self) -> str:
        """Algorithm and network, in words."""
        return f"{self.algorithm} ({self.network})"

    @property
    def file_name(self) -> str:
        """Algorithm and network, as a part of a file's name."""
        return as_file_name(f"{self.algorithm}-{self.key}")

    @property
    def own_graphs(self) -> OwnGraphs | None:
        """Of a user's graphs that it was trained on: where they come from, and their sets."""
        return self.experiment.graphs

    @property
    def given(self) -> Sequence[str]:
        """The concepts that the algorithm gave to its network; none where it learnt all of them."""
        return self.experiment.architecture.given


def as_file_name(text: str) -> str:
    """A text as a part of a file's name.

    >>> as_file_name("coloring, colors=7")
    'coloring-colors-7'
    """
    return re.sub(r"[^\w.-]+", "-", text.replace("=", "-"))


@dataclass(frozen=True, eq=False)
class Material:
    """All that a report shows."""

    about: str  # what kind of report it is, in a few words
    runs: Sequence[ShownModel]
    skipped: Mapping[str, str]  # what was left out, and why
    declared: Mapping[str, Algorithm]  # by the names of runs

    @property
    def algorithms(self) -> list[str]:
        """The algorithms of all runs, in their order."""
        return list(dict.fromkeys(run.algorithm for run in self.runs))

    @property
    def learnt(self) -> list[ShownModel]:
        """The runs whose networks learnt all of their concepts: those of the tables."""
        return [run for run in self.runs if not run.given]

    def oracle_studies(self) -> list[tuple[ShownModel, ShownModel]]:
        """The runs to which concepts were given, each after the one that learnt all of them."""
        plain = {run.algorithm: run for run in self.learnt if run.model == "bottleneck"}
        return [
            (plain[run.algorithm], run)
            for run in self.runs
            if run.given
            and run.algorithm in plain
            and plain[run.algorithm].own_graphs == run.own_graphs
        ]


def in_order(tests: Iterable[str]) -> list[str]:
    """Test sets by their numbers of nodes; a user's graphs, which have any, at the end.

    >>> in_order(["given", "100", "20"])
    ['20', '100', 'given']
    """
    return sorted(tests, key=lambda name: sys.maxsize if name == GIVEN else int(name))


def nodes_in_words(test: str) -> str:
    """How large the graphs of a test set are, after 'of'.

    >>> nodes_in_words("20"), nodes_in_words("given")
    ('20 nodes', 'sizes as given')
    """
    return "sizes as given" if test == GIVEN else f"{test} nodes"


def departures_note(runs: Iterable[ShownModel]) -> str:
    """In how many points runs depart from the paper, and whether in how much was trained."""
    sentences = []
    for run in runs:
        much = [str(departure) for departure in run.departures if departure.what in HOW_MUCH]
        if count := len(run.departures):
            points = f"{count} departure{'' if count == 1 else 's'} from the paper"
            among = f", among them {'; '.join(much)}" if much else ""
            sentences.append(f"{run.title}: {points}{among}.")
    return " ".join([*sentences, "The tables of departures list all."]) if sentences else ""
