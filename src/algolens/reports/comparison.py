"""Whether a figure is better or worse than a published one, beyond what graphs and seeds bring about by chance.

Two means are compared as Welch's test does, at 95 %. The variance of their difference has four parts:

    ours over seeds, and theirs over seeds: the deviation squared, divided by the number of seeds
    our test graphs, and theirs: the variance of a graph's accuracy, divided by the number of graphs

Seeds that are tested on the same graphs share their luck with them, so the graphs' part does not shrink with more seeds. The
paper gives no deviation over graphs. If both were equally good, graphs would err alike in both; so, as in a test of two
proportions, both get the variance that goes with the mean of the two errors e: d e - e^2, where d is how large an error is
where there is one (its mean square by its mean), measured in our runs. For graphs that are right or wrong as a whole, d is 1,
and this is the test of two proportions. The paper's test graphs are taken to be as many as ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scipy import stats

BETTER, EQUAL, WORSE, UNKNOWN = "▲", "≈", "▼", "?"
CERTAINTY = 0.95
PUBLISHED_SEEDS = 5
ROUNDING = 0.005  # percent: the paper gives two decimals


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
        """How large a graph's error is where there is one, from 0 to 1: its mean square by its mean; None where none errs."""
        error = 1 - self.mean / 100
        if self.spread is None or error <= 0:
            return None
        return min(((self.spread / 100) ** 2 + (self.std / 100) ** 2 + error**2) / error, 1.0)


def read_figure(scores: Mapping[str, Any], size: str, metric: str) -> Figure | None:
    """A figure of scores.json; None where there is none."""
    found = scores["sizes"].get(size, {})
    if metric not in found:
        return None
    cell = mean_and_std(found[metric])
    return Figure(cell["mean"], cell["std"], len(scores["seeds"]), found["graphs"], found.get("spread", {}).get(metric))


def mean_and_std(value: Any) -> dict[str, float]:
    """A score of several seeds as it is; of one seed, without deviation."""
    if isinstance(value, Mapping):
        return {"mean": value["mean"], "std": value["std"]}
    return {"mean": value, "std": 0.0}


def compared(ours: Figure, theirs: tuple[float, float] | None, error_size: float = 1.0) -> str:
    """The mark of a figure beside a published one, its mean and deviation in percent; nothing where there is none.

    error_size: how large an error is elsewhere, for a figure without any error; 1 is the most there can be.
    """
    if theirs is None:
        return ""
    difference = ours.mean - theirs[0]
    if ours.spread is None:
        return EQUAL if abs(difference) <= ROUNDING else UNKNOWN
    if abs(difference) <= max(margin(ours, theirs, error_size), ROUNDING):
        return EQUAL
    return BETTER if difference > 0 else WORSE


def margin(ours: Figure, theirs: tuple[float, float], error_size: float = 1.0) -> float:
    """By how many percent a figure must differ from a published one to be better or worse."""
    mean, deviation = theirs[0] / 100, theirs[1] / 100
    error = (2 - ours.mean / 100 - mean) / 2
    size = error_size if ours.error_size is None else ours.error_size
    of_graphs = max(size * error - error**2, 0.0) / ours.graphs
    # each a variance of a mean, and its degrees of freedom; deviations over n seeds are those of the population: hence n - 1
    parts = [(deviation**2 / (PUBLISHED_SEEDS - 1), PUBLISHED_SEEDS - 1)]
    if ours.seeds > 1:
        parts.append(((ours.std / 100) ** 2 / (ours.seeds - 1), ours.seeds - 1))
    else:  # one seed has no deviation, and is taken to vary as theirs do
        parts.append((deviation**2 * PUBLISHED_SEEDS / (PUBLISHED_SEEDS - 1), PUBLISHED_SEEDS - 1))
    parts += [(of_graphs, max(ours.graphs - 1, 1))] * 2
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return 0.0
    freedom = 1 / sum((part / variance) ** 2 / count for part, count in parts)  # Welch and Satterthwaite
    return 100 * float(stats.t.ppf((1 + CERTAINTY) / 2, freedom)) * math.sqrt(variance)
