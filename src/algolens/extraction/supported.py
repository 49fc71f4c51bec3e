"""Which rules the samples support: exact ones where nothing speaks for noise, else the simplest that explain the most."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algolens.extraction.labelled import Labelled
from algolens.logic import Minimised, disjunction
from algolens.logic.growing import cover_exceeds
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.logic.trade_off import Point, TradeOff, description_bits, trade_off, trade_offs_of_two

CLEARLY = 10.0  # bits by which a rule that errs must be the shorter description: a thousand to one
FEW_SAMPLES = 1000  # of fewer, a rule that errs must also be clearly shorter than the labels themselves


@dataclass(frozen=True)
class Supported:
    """What the samples support for one class."""

    curve: TradeOff
    is_exact: bool  # its rule errs nowhere, but on patterns that came with other labels more often


def supported_rules(seen: Labelled, deadline: float) -> list[Supported]:
    """For every class, in their order."""
    patterns = seen.patterns[:, seen.columns]
    totals = seen.counts.sum(1)
    num_classes = seen.counts.shape[1]
    if num_classes == 2:
        second, first = trade_offs_of_two(patterns, seen.counts[:, 1], seen.counts[:, 0], deadline=deadline)
        curves = [first, second]
    else:
        began = time.monotonic()
        curves = []
        for i in range(num_classes):
            until = began + (deadline - began) * (i + 1) / num_classes
            curves.append(trade_off(patterns, seen.counts[:, i], totals - seen.counts[:, i], deadline=until))
    is_table = len(patterns) == 2 ** min(60, patterns.shape[1]) and not ((seen.counts > 0).sum(1) > 1).any()
    if num_classes == 2:
        decider = int(np.argmin([curve.best.bits for curve in curves]))
        is_exact = is_table or _is_exact(seen, decider, curves[decider], deadline)
        return [Supported(curve, is_exact) for curve in curves]
    return [Supported(curve, is_table or _is_exact(seen, i, curve, deadline)) for i, curve in enumerate(curves)]


def _is_exact(seen: Labelled, number: int, curve: TradeOff, deadline: float) -> bool:
    """Whether a rule for a class that errs nowhere is the one to take, and not the best of the curve."""
    true = seen.counts[:, number]
    false = seen.counts.sum(1) - true
    total, best = float(seen.counts.sum()), curve.best
    holds = seen.labels == number
    fewest = float(true[~holds].sum() + false[holds].sum())
    if best.errors <= fewest:
        return True
    labels_alone = min(description_bits(float(each.sum()), total, np.zeros(0, int), 1) for each in (true, false))
    if total <= FEW_SAMPLES and best.bits > labels_alone - CLEARLY:
        return True
    if len(seen.columns) > MAX_PACKED_CONCEPTS:
        seen = seen.without_needless_concepts()
    if len(seen.columns) > MAX_PACKED_CONCEPTS:
        return False
    packed = seen.packed.astype(np.uint64)
    of_clauses = best.bits + CLEARLY - description_bits(fewest, total, np.zeros(0, int), 1)
    until = time.monotonic() + max(0.0, deadline - time.monotonic()) / 2
    return not cover_exceeds(packed[holds], packed[~holds], len(seen.columns), of_clauses, deadline=until)


def as_minimised(point: Point, names: Sequence[str], total: float, fewest: float) -> Minimised:
    """A point of a trade-off as a formula. fewest: errors that every formula makes, on patterns that came with several labels."""
    clauses = point.clauses.formulas(names)
    how = (
        "Clauses were added and exchanged while that made the description of the labels shorter; it errs on "
        f"{point.errors:,.10g} of {total:,.10g} samples. A better choice of as many clauses may exist; every formula errs on at "
        f"least {fewest:,.10g}."
    )
    return Minimised(disjunction(*clauses), clauses, False, how)
