"""What scores.json and study.json hold."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta

from algolens.reading import Count, Name, Percent, Share, Text, Word
from algolens.records.experiment import Seeds

TestSet = Annotated[str, Meta(pattern=r"^(?:given|[1-9][0-9]{0,8})$")]  # by the number of nodes


class MeanAndStd(TypedDict):
    """A figure of several seeds, in percent."""

    mean: Percent
    std: Percent


Measure = Percent | MeanAndStd


def mean_and_std(figure: Measure) -> MeanAndStd:
    """A figure of several seeds as it is; of one seed, without deviation."""
    return figure if isinstance(figure, dict) else {"mean": figure, "std": 0.0}


class SizeScores(TypedDict, total=False):
    """What was measured on a test set; a figure that there is none of is left out."""

    graphs: Count
    mean_step: Measure
    last_step: Measure
    termination: Measure
    concepts_mean_step: Measure
    concepts_last_step: Measure
    per_concept_mean_step: dict[Name, Measure]
    per_concept_last_step: dict[Name, Measure]
    graphs_right_last: Measure
    graphs_right: Measure
    spread: dict[Name, Percent]
    formula_mean_step: Measure
    formula_last_step: Measure
    formula_termination: Measure
    formula_graphs_right_last: Measure
    formula_graphs_right: Measure


class SeedScores(TypedDict, total=False):
    """The same of one seed, as shares."""

    graphs: Count
    mean_step: Share
    last_step: Share
    termination: Share | None
    concepts_mean_step: Share | None
    concepts_last_step: Share | None
    per_concept_mean_step: dict[Name, Share]
    per_concept_last_step: dict[Name, Share]
    graphs_right_last: Share
    graphs_right: Share
    spread: dict[Name, Share]


class TestGraphs(TypedDict, total=False):
    """Which graphs scores were measured on."""

    data_seed: Count
    fresh: bool
    of_each_size: dict[Word, Count]


class ScoresRecord(TypedDict):
    """What scores.json and scores-fresh.json hold."""

    algorithm: Word
    preset: Word
    seeds: Seeds
    given: NotRequired[list[Name]]
    sizes: dict[TestSet, SizeScores]
    by_seed: NotRequired[dict[TestSet, list[SeedScores]]]
    test_graphs: NotRequired[TestGraphs]
    by: NotRequired[Word]


class VerdictRecord(TypedDict):
    """How rules compare with the true ones."""

    equal_on_seen: bool
    equal_on_all: bool
    in_words: Text


class DecisionsRecord(TypedDict):
    """How often which pattern of concepts, packed, was decided as which class."""

    output: Name
    concepts: list[Name]
    decided: dict[Word, dict[Annotated[str, Meta(pattern="^[0-9]{1,20}$")], Count]]


class ExampleInput(TypedDict):
    """An input of the example."""

    location: Literal["node", "edge", "link", "graph"]
    values: list[int | float | bool]


class ExampleState(TypedDict):
    """What a picture shows of a moment of the example."""

    classes: list[Count]  # of each element
    sets: list[Count]  # of each node, where edges are decided by sets of nodes
    texts: list[Word]  # beside each node
    pointers: list[Count]  # of each node; none where nothing is pointed to


class ExampleRecord(TypedDict):
    """One step on a small graph."""

    by: Literal["network", "algorithm"]
    seed: Count | None
    nodes: list[Word]
    edges: list[tuple[Count, Count]]
    directed: NotRequired[bool]
    location: Literal["node", "edge"]
    elements: list[Word]
    inputs: dict[Name, ExampleInput]
    step: Count
    steps: Count
    concepts: dict[Name, list[bool]]
    output: Name
    labels: list[Word]
    before: list[Count]
    after: list[Count]
    agrees: bool
    class_names: NotRequired[list[Word]]
    states: NotRequired[list[ExampleState]]  # before the step and after it
    sentences: NotRequired[list[Text]]  # what the step did, and why


class ExactnessRecord(TypedDict):
    """Scores on graphs far beyond the size of training."""

    larger: dict[TestSet, SizeScores]


class StudyRecord(TypedDict, total=False):
    """What study.json holds."""

    seed: Count
    example: ExampleRecord
    decisions: list[DecisionsRecord]
    verdicts: list[VerdictRecord]
    exactness: ExactnessRecord
