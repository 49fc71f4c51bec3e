"""Scores of several seeds as percentages: a number for one seed, mean and standard deviation for
several.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, pstdev
from typing import Any

from algolens.evaluation.metrics import Scores

FORMULA_METRICS = ("mean_step", "last_step", "termination", "graphs_right_last", "graphs_right")


def summary(scores: Mapping[int, Sequence[Scores]]) -> dict[str, dict[str, Any]]:
    """By size and metric: percentages, ``{"mean", "std"}`` each when there are several seeds (of
    the population).

    Under 'spread', by metric, how far single graphs lie from a seed's mean: the standard deviation,
    of a typical seed.
    """
    return {str(size): _at_size([asdict(each) for each in seeds]) for size, seeds in scores.items()}


def formula_summary(scores: Mapping[int, Sequence[Scores]]) -> dict[str, dict[str, Any]]:
    """The same of runs by rules, under the names of the formula metrics."""
    found = summary(scores)
    return {
        size: {"graphs": values["graphs"]}
        | {f"formula_{name}": values[name] for name in FORMULA_METRICS if name in values}
        | {
            "spread": {
                f"formula_{name}": each
                for name, each in values["spread"].items()
                if name in FORMULA_METRICS
            }
        }
        for size, values in found.items()
    }


def _at_size(seeds: list[dict[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {"graphs": seeds[0]["graphs"]}
    for name, first in seeds[0].items():
        if name in ("graphs", "spread") or first is None:
            continue
        if isinstance(first, Mapping):
            result[name] = {
                concept: _percent([each[name][concept] for each in seeds]) for concept in first
            }
        else:
            result[name] = _percent([each[name] for each in seeds])
    names = seeds[0]["spread"]
    result["spread"] = {
        name: 100 * math.sqrt(fmean(each["spread"][name] ** 2 for each in seeds)) for name in names
    }
    return result


def _percent(values: list[float]) -> Any:
    percent = [100 * value for value in values]
    return percent[0] if len(percent) == 1 else {"mean": fmean(percent), "std": pstdev(percent)}
