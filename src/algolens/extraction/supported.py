"""Which rules the samples support: exact ones where nothing speaks for noise, else the simplest
that explain the most.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algolens.extraction.labelled import Labelled
from algolens.logic import Minimised, disjunction
from algolens.logic.clause_choice import Point, description_bits
from algolens.logic.growing import cover_exceeds
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.logic.trade_off import TradeOff, trade_off, trade_offs_of_two

CLEARLY = 10.0  # bits by which a rule that errs must be the shorter description: a thousand to one
NO_CLAUSES = np.zeros(0, int)
MAX_LOOKED_AT = 5000  # patterns on which an exact rule is compared with one that errs
# of fewer, a rule that errs must also be clearly shorter than the labels themselves
FEW_SAMPLES = 1000


@dataclass(frozen=True)
class Supported:
    """What the samples support for one class."""

    curve: TradeOff
    is_exact: bool  # its rule errs nowhere, but on patterns that came with other labels more often


def supported_rules(seen: Labelled, deadline: float) -> list[Supported]:
    """For every class, in their order."""
    patterns = seen.told
    totals = seen.counts.sum(1)
    num_classes = seen.counts.shape[1]
    if num_classes == 2:
        second, first = trade_offs_of_two(
            patterns, seen.counts[:, 1], seen.counts[:, 0], deadline=deadline
        )
        curves = [first, second]
    else:
        began = time.monotonic()
        curves = []
        for i in range(num_classes):
            until = began + (deadline - began) * (i + 1) / num_classes
            curves.append(
                trade_off(patterns, seen.counts[:, i], totals - seen.counts[:, i], deadline=until)
            )
    is_table = (
        len(patterns) == 2 ** min(60, patterns.shape[1])
        and not ((seen.counts > 0).sum(1) > 1).any()
    )
    if num_classes == 2:
        decider = int(np.argmin([curve.best.bits for curve in curves]))
        is_exact = is_table or _is_exact(seen, decider, curves[decider], deadline)
        return [Supported(curve, is_exact) for curve in curves]
    return [
        Supported(curve, is_table or _is_exact(seen, i, curve, deadline))
        for i, curve in enumerate(curves)
    ]


def _is_exact(seen: Labelled, number: int, curve: TradeOff, deadline: float) -> bool:
    """Whether a rule for a class that errs nowhere is the one to take, and not the best of the
    curve.
    """
    seen_total, best = float(seen.counts.sum()), curve.best
    if best.errors <= _fewest(seen, number):
        return True
    of_class = float(seen.counts[:, number].sum())
    labels_alone = min(
        description_bits(each, seen_total, NO_CLAUSES, 1)
        for each in (of_class, seen_total - of_class)
    )
    if seen_total <= FEW_SAMPLES and best.bits > labels_alone - CLEARLY:
        return True
    if time.monotonic() > deadline:  # what is not known counts as noise: comparing takes a while
        return False
    looked_at = seen.some(MAX_LOOKED_AT).without_needless_concepts()
    if len(looked_at.columns) > MAX_PACKED_CONCEPTS:
        return False
    holds, packed = looked_at.labels == number, looked_at.packed.astype(np.uint64)
    here = seen.some(MAX_LOOKED_AT)
    says = best.clauses.hold(here.told).any(0)
    total, right = float(here.counts.sum()), here.counts[:, number]
    errors = float((here.counts.sum(1) - right)[says].sum() + right[~says].sum())
    num_concepts = len(seen.columns)
    taken = description_bits(errors, total, best.clauses.num_literals, num_concepts)
    of_clauses = (
        taken + CLEARLY - description_bits(_fewest(here, number), total, NO_CLAUSES, num_concepts)
    )
    until = time.monotonic() + max(0.0, deadline - time.monotonic()) / 2
    return not cover_exceeds(
        packed[holds], packed[~holds], len(looked_at.columns), of_clauses, deadline=until
    )


def _fewest(seen: Labelled, number: int) -> float:
    """The errors that every rule for a class makes at least, or that those make which give the most
    frequent label.
    """
    right, is_mine = seen.counts[:, number], seen.labels == number
    return float((seen.counts.sum(1) - right)[is_mine].sum() + right[~is_mine].sum())


def as_minimised(point: Point, names: Sequence[str], total: float, fewest: float) -> Minimised:
    """A point of a trade-off as a formula. fewest: errors that every formula makes, where patterns
    came with several labels.
    """
    clauses = point.clauses.formulas(names)
    how = (
        "Clauses were added and exchanged while that made the description of the labels shorter; "
        f"it errs on {point.errors:,.10g} of {total:,.10g} samples. A better choice of as many "
        f"clauses may exist; every formula errs on {fewest:,.10g} at least."
    )
    return Minimised(disjunction(*clauses), clauses, False, how)
