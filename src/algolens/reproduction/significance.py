"""How certain a figure is, and whether it differs from a published one by more than chance.

Chance lies in the seeds and in the test graphs. The variance of a mean has two parts:

    over seeds: the deviation squared, divided by the number of seeds
    over test graphs: the variance of a graph's accuracy, divided by the number of graphs

Seeds that are tested on the same graphs share their luck with them, so the graphs' part does not
shrink with more seeds. The variance of a graph's accuracy is that which goes with an error e: d e -
e^2, where d is how large an error is where there is one (its mean square by its mean), measured in
our runs. For graphs that are right or wrong as a whole, d is 1.

The interval of a figure holds the means from which it does not differ by more than both margins, of
95 % each by Student's t, as the legs of a right angle: for graphs right or wrong as a whole it is
Wilson's, widened by the seeds. So 80 graphs that are all right have an interval, too.

Beside a published figure, two means are compared as Welch's test does, with all four parts: ours
and theirs over seeds, our test graphs and theirs. The paper gives no deviation over graphs. If both
were equally good, graphs would err alike in both; so, as in a test of two proportions, both get the
variance that goes with the mean of the two errors. The paper's test graphs are taken to be as many
as ours. Of many comparisons, some differ by chance: so they are marked as Holm's procedure (1979)
allows, by which all marks of a report are right in 19 of 20 cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scipy import stats

from algolens.evaluation.metrics import ScoresRecord

BETTER, EQUAL, WORSE, UNKNOWN = "▲", "≈", "▼", "?"
CERTAINTY = 0.95
PUBLISHED_SEEDS = 5
ROUNDING = 0.005  # percent: the paper gives two decimals

Published = tuple[float, float]  # a published mean and deviation, in percent


@dataclass(frozen=True)
class Figure:
    """One of our figures, in percent."""

    mean: float
    std: float  # over seeds, of the population
    seeds: int
    graphs: int
    spread: float | None  # over graphs, of a seed; None where it was not measured

    @property
    def error_size(self) -> float | None:
        """The mean square of a graph's error by its mean, from 0 to 1; None where none errs."""
        error = 1 - self.mean / 100
        if self.spread is None or error <= 0:
            return None
        return min(((self.spread / 100) ** 2 + (self.std / 100) ** 2 + error**2) / error, 1.0)


@dataclass(frozen=True)
class ComparedFigure:
    """How a figure stands to a published one."""

    difference: float  # percent
    p_value: float | None  # of the difference alone; None where graphs were not measured
    significant: bool  # among all comparisons of a report

    @property
    def mark(self) -> str:
        """Its sign."""
        if self.p_value is None:
            return EQUAL if abs(self.difference) <= ROUNDING else UNKNOWN
        return EQUAL if not self.significant else BETTER if self.difference > 0 else WORSE

    @property
    def alone(self) -> ComparedFigure:
        """The same as if nothing else were compared."""
        return replace(self, significant=self.p_value is not None and self.p_value < 1 - CERTAINTY)


def read_figure(scores: ScoresRecord, size: str, metric: str) -> Figure | None:
    """A figure of scores.json; None where there is none."""
    measured = scores.sizes[size]
    figure = measured.figure(metric)
    if figure is None:
        return None
    spread = measured.spread.get(metric)
    return Figure(figure.mean, figure.std, len(scores.seeds), measured.graphs, spread)


def interval(ours: Figure, error_size: float = 1.0) -> tuple[float, float] | None:
    """The percentages between which a figure's true mean lies; None where graphs were not measured.

    error_size: how large an error is elsewhere, for a figure without any error; 1 is the most there
    can be. Of one seed, it is over graphs alone.
    """
    if ours.spread is None:
        return None
    error = 1 - ours.mean / 100
    size = error_size if ours.error_size is None else ours.error_size
    variance, freedom = _over_seeds(ours)
    by_seeds, by_graphs = stats.t.ppf((1 + CERTAINTY) / 2, (freedom, max(ours.graphs - 1, 1))) ** 2
    # the errors e at which (e - error)^2 is the sum of both squared margins, of which that of the
    # graphs goes with d e - e^2
    square, line = 1 + by_graphs / ours.graphs, 2 * error + by_graphs * size / ours.graphs
    root = math.sqrt(max(line**2 - 4 * square * (error**2 - by_seeds * variance), 0.0))
    most, least = (line + root) / (2 * square), (line - root) / (2 * square)
    if most > size:  # where all graphs err as much as errors are large, they do not vary
        most = max(size, error + math.sqrt(by_seeds * variance))
    return 100 * (1 - min(float(most), 1.0)), 100 * (1 - max(float(least), 0.0))


def p_value(ours: Figure, theirs: Published, error_size: float = 1.0) -> float | None:
    """How often chance alone brings about as large a difference; None: graphs were not measured."""
    if ours.spread is None:
        return None
    difference = abs(ours.mean - theirs[0]) / 100
    if 100 * difference <= ROUNDING:
        return 1.0
    error = 1 - (ours.mean + theirs[0]) / 200
    size = error_size if ours.error_size is None else ours.error_size
    variance, freedom = _over_seeds(Figure(*theirs, PUBLISHED_SEEDS, ours.graphs, 0.0))
    # one seed has no deviation, and is taken to vary as theirs do
    own = _over_seeds(ours) if ours.seeds > 1 else (PUBLISHED_SEEDS * variance, freedom)
    of_graphs = max(size * error - error**2, 0.0) / ours.graphs, max(ours.graphs - 1, 1)
    parts = [(variance, freedom), own, of_graphs, of_graphs]
    total = sum(part for part, _ in parts)
    if total == 0:
        return 0.0
    # degrees of freedom of a sum of variances, after Welch and Satterthwaite
    together = 1 / sum((part / total) ** 2 / count for part, count in parts)
    return float(2 * stats.t.sf(difference / math.sqrt(total), together))


def compare_all(tests: Sequence[tuple[Figure, Published, float]]) -> list[ComparedFigure]:
    """Figures beside published ones, each with how large errors are elsewhere.

    Marks are corrected for the number of comparisons, by Holm's procedure: of n, the smallest
    p-value must be below 5 % / n, the next below 5 % / (n - 1), and so on, until one is not.
    """
    values = [p_value(*test) for test in tests]
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    significant = set()
    for rank, (value, place) in enumerate(known):
        if value >= (1 - CERTAINTY) / (len(known) - rank):
            break
        significant.add(place)
    return [
        ComparedFigure(ours.mean - theirs[0], values[place], significant=place in significant)
        for place, (ours, theirs, _) in enumerate(tests)
    ]


def _over_seeds(figure: Figure) -> tuple[float, int]:
    """The variance of a mean over seeds, whose deviation is the population's; and its freedom."""
    freedom = max(figure.seeds - 1, 1)
    return ((figure.std / 100) ** 2 / freedom if figure.seeds > 1 else 0.0), freedom
