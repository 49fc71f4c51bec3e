"""From patterns with labels to a rule for each class: exact, or the simplest one supported."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from algolens.logic import Minimised, disjunction, minimise
from algolens.logic.clauses import Clauses
from algolens.logic.minimisation import QUICKLY_LISTED, cover_exceeds
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.rules.clause_choice import Point, Target, description_bits
from algolens.rules.rule_list import opposite
from algolens.rules.samples import Labelled
from algolens.rules.shortest import shortest
from algolens.rules.trade_off import TradeOff, trade_offs

CLEARLY = 10.0  # bits by which a rule that errs must be the shorter description: a thousand to one
NO_CLAUSES = np.zeros(0, int)
MAX_LOOKED_AT = 5000  # patterns on which an exact rule is compared with one that errs
# of fewer, a rule that errs must also be clearly shorter than the labels themselves
FEW_SAMPLES = 1000
PROOF_SECONDS = 0.4  # for each rule, while a classifier is fitted; ``prove`` may take longer


@dataclass(frozen=True)
class RuleFitting:
    """Samples as patterns, from which rules are drawn."""

    seen: Labelled
    reduced: Labelled  # the same without concepts that are copies
    names: tuple[str, ...]

    @property
    def num_classes(self) -> int:
        """As many rules are drawn."""
        return self.seen.counts.shape[1]

    def target(self, number: int) -> Target:
        """What the rule of a class is to describe."""
        return self.reduced.target(number)

    def supported(
        self, search_until: float, deadline: float
    ) -> tuple[list[Minimised], list[TradeOff]]:
        """The rule of each class that the samples support, and the trade-off it is a point of."""
        curves = self._curves(search_until)
        bits = [curve.best.bits for curve in curves]
        are_exact = self._are_exact(curves, search_until)
        seconds = max(0.0, min(PROOF_SECONDS, (deadline - time.monotonic()) / len(curves)))

        def rule(number: int) -> Minimised:
            curve = curves[number]
            if are_exact[number]:
                return self.exact(number, seconds, curve)
            return self.as_rule(curve.best)

        is_quick = are_exact[0] and len(self.reduced.columns) <= QUICKLY_LISTED
        if len(curves) != 2 or is_quick:
            return [rule(number) for number in range(len(curves))], curves
        # of both only the shorter was looked for to the end; the opposite of a short rule can be a
        # very long one
        shorter = int(bits[1] <= bits[0])
        decides = rule(shorter)
        other = opposite(decides, seconds)
        return [other, decides] if shorter else [decides, other], curves

    def _curves(self, deadline: float) -> list[TradeOff]:
        """A trade-off for each class; of two, the longer one is not followed to its end."""
        if self.num_classes == 2:
            second, first = trade_offs([self.target(1), self.target(0)], deadline=deadline)
            return [first, second]
        began, curves = time.monotonic(), []
        for number in range(self.num_classes):
            until = began + (deadline - began) * (number + 1) / self.num_classes
            curves += trade_offs([self.target(number)], deadline=until)
        return curves

    def _are_exact(self, curves: list[TradeOff], deadline: float) -> list[bool]:
        """For each class, whether to take a rule that errs nowhere, and not the curve's best."""
        num_patterns, num_concepts = self.reduced.relevant.shape
        is_whole_table = num_patterns == 2 ** min(60, num_concepts)
        if is_whole_table and not ((self.reduced.counts > 0).sum(1) > 1).any():
            return [True] * len(curves)
        if len(curves) == 2:
            decider = int(np.argmin([curve.best.bits for curve in curves]))
            return [self._is_exact(decider, curves[decider].best, deadline)] * 2
        return [self._is_exact(i, curve.best, deadline) for i, curve in enumerate(curves)]

    def _is_exact(self, number: int, best: Point, deadline: float) -> bool:
        target = self.target(number)
        if best.errors <= self.reduced.fewest_errors(number):
            return True
        labels_alone = min(
            description_bits(errors, target.total, NO_CLAUSES, 1)
            for errors in (target.all_true, target.total - target.all_true)
        )
        if target.total <= FEW_SAMPLES and best.bits > labels_alone - CLEARLY:
            return True
        if (
            time.monotonic() > deadline
        ):  # what is not known counts as noise: comparing takes a while
            return False
        here = self.reduced.some(MAX_LOOKED_AT)
        telling = here.without_needless_concepts()
        num_concepts = len(telling.columns)
        if num_concepts > MAX_PACKED_CONCEPTS:
            return False
        (taken,) = here.target(number).points([best.clauses])
        without_clauses = Point.of(
            best.clauses[:0], here.fewest_errors(number), float(here.counts.sum())
        )
        bits = taken.bits + CLEARLY - without_clauses.bits
        true, false = (patterns.astype(np.uint64) for patterns in telling.sides(number))
        until = time.monotonic() + max(0.0, deadline - time.monotonic()) / 2
        return not cover_exceeds(true, false, num_concepts, bits, deadline=until)

    def as_rule(self, point: Point) -> Minimised:
        """A point of a trade-off as a rule."""
        clauses = point.clauses.in_order().formulas([self.names[i] for i in self.reduced.columns])
        total = float(self.seen.counts.sum())
        fewest = total - float(self.seen.counts.max(1).sum())  # where labels contradict each other
        how = (
            "Clauses were added and exchanged while that made the description of the labels "
            f"shorter; it errs on {point.errors:,.10g} of {total:,.10g} samples. A better choice "
            f"of as many clauses may exist; every formula errs on {fewest:,.10g} at least."
        )
        return Minimised(disjunction(*clauses), clauses, False, how)

    def shortest(self, number: int, curve: TradeOff, rule: Minimised, seconds: float) -> Minimised:
        """A rule that errs, as far as no description can be proven shorter; else itself."""
        proof = shortest(self.target(number), curve.best, seconds=seconds)
        if proof is None:
            return rule
        known = (
            "it is proven that no formula has a shorter one"
            if proof.is_proven
            else f"every formula takes {proof.at_least:,.1f} bits at least"
        )
        how = (
            f"Its description, with its {proof.point.errors:,.10g} exceptions, takes "
            f"{proof.point.bits:,.1f} bits; {known}."
        )
        return replace(self.as_rule(proof.point), how=how)

    def exact(self, number: int, seconds: float, curve: TradeOff | None = None) -> Minimised:
        """The smallest rule that gives every pattern its most frequent label.

        curve: its best point may be such a rule. What the rule says of other patterns is free.
        """
        seen, known = self.reduced, None
        if curve is not None:
            seen, clauses = seen.without_ties(), curve.best.clauses
            is_mine = seen.labels == number
            if len(clauses) and (clauses.hold(seen.relevant).any(0) == is_mine).all():
                known = clauses
        if known is not None and len(seen.columns) > MAX_PACKED_CONCEPTS:
            used = known.care.any(0)
            if 0 < used.sum() <= MAX_PACKED_CONCEPTS:
                seen = replace(seen, columns=seen.columns[used])
                known = Clauses(known.value[:, used], known.care[:, used])
            else:
                known = None
        seen = seen.without_needless_concepts()
        true, false = seen.sides(number)
        names = [self.names[i] for i in seen.columns]
        return minimise(names, true, false, seconds=seconds, known=known)

    def nowhere_else(self, number: int, seconds: float) -> Minimised:
        """The same, but false on every pattern that never came."""
        true, _ = self.seen.sides(number)
        names = [self.names[i] for i in self.seen.columns]
        return minimise(names, true, None, seconds=seconds)
