"""What scores.json and scores-fresh.json hold."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from algolens.reading import Count, Name, Percent, Share, Word
from algolens.records.experiment import Seeds

TestSet = Annotated[str, Meta(pattern=r"^(?:given|[1-9][0-9]{0,8})$")]  # by the number of nodes


class MeanAndStd(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of several seeds, in percent."""

    mean: Percent
    std: Percent

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.std:.2f}"


Measure = Percent | MeanAndStd


class SizeScores(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What was measured on a test set; None: a figure that there is none of."""

    graphs: Count
    mean_step: Measure | None = None
    last_step: Measure | None = None
    termination: Measure | None = None
    concepts_mean_step: Measure | None = None
    concepts_last_step: Measure | None = None
    per_concept_mean_step: dict[Name, Measure] = field(default_factory=dict)
    per_concept_last_step: dict[Name, Measure] = field(default_factory=dict)
    graphs_right_last: Measure | None = None
    graphs_right: Measure | None = None
    spread: dict[Name, Percent] | None = None
    formula_mean_step: Measure | None = None
    formula_last_step: Measure | None = None
    formula_termination: Measure | None = None
    formula_graphs_right_last: Measure | None = None
    formula_graphs_right: Measure | None = None

    def figure(self, metric: str) -> MeanAndStd | None:
        """A figure by its name; of one seed, without deviation."""
        figure = getattr(self, metric)
        return MeanAndStd(figure, 0.0) if isinstance(figure, float) else figure


class SeedScores(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same of one seed, as shares."""

    graphs: Count
    mean_step: Share
    last_step: Share
    termination: Share | None = None
    concepts_mean_step: Share | None = None
    concepts_last_step: Share | None = None
    per_concept_mean_step: dict[Name, Share] = field(default_factory=dict)
    per_concept_last_step: dict[Name, Share] = field(default_factory=dict)
    graphs_right_last: Share
    graphs_right: Share
    spread: dict[Name, Share] = field(default_factory=dict)

    def share(self, metric: str) -> float | None:
        """A figure by its name; None where seeds have no such figure."""
        return getattr(self, metric, None)


class TestGraphs(Struct, frozen=True, forbid_unknown_fields=True):
    """Which graphs scores were measured on."""

    __test__ = False  # no test of pytest's

    data_seed: Count
    fresh: bool = False
    of_each_size: dict[Word, Count] = field(default_factory=dict)


class ScoresRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What scores.json and scores-fresh.json hold."""

    algorithm: Word
    preset: Word
    seeds: Seeds
    sizes: Annotated[dict[TestSet, SizeScores], Meta(min_length=1)]
    by_seed: dict[TestSet, list[SeedScores]] = field(default_factory=dict)
    given: list[Name] = field(default_factory=list)
    test_graphs: TestGraphs | None = None
    by: Word | None = None

    def __post_init__(self) -> None:
        for size, scores in self.by_seed.items():
            if len(scores) != len(self.seeds):
                raise ValueError(
                    f"by_seed has {len(scores)} scores at {size} for {len(self.seeds)} seeds"
                )
