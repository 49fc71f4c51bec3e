"""What scores.json and scores-fresh.json hold."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from algolens.evaluation.metrics import Scores, figures
from algolens.reading import Count, Name, Percent, Word
from algolens.records.experiment import Seeds

TestSet = Annotated[str, Meta(pattern=r"^(?:given|[1-9][0-9]{0,8})$")]  # by the number of nodes


class MeanAndStd(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of several seeds, in percent."""

    mean: Percent
    std: Percent

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.std:.2f}"


Measure = Percent | MeanAndStd


class SizeScores(figures(Measure, Percent)):  # type: ignore[misc]
    """What was measured on a test set, by the names of ``METRICS``."""

    def figure(self, metric: str) -> MeanAndStd | None:
        """A figure by its name; of one seed, without deviation."""
        figure = getattr(self, metric)
        return MeanAndStd(figure, 0.0) if isinstance(figure, float) else figure


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
    by_seed: dict[TestSet, list[Scores]] = field(default_factory=dict)
    given: list[Name] = field(default_factory=list)
    test_graphs: TestGraphs | None = None
    by: Word | None = None

    def __post_init__(self) -> None:
        for size, scores in self.by_seed.items():
            if len(scores) != len(self.seeds):
                raise ValueError(
                    f"by_seed has {len(scores)} scores at {size} for {len(self.seeds)} seeds"
                )
