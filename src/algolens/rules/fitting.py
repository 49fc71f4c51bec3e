"""From patterns with labels to a rule for each class: exact, or the simplest one supported."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from algolens.logic import Minimised, disjunction, minimal_rules
from algolens.logic.clauses import Clauses
from algolens.logic.minimal import QUICKLY_LISTED, cover_exceeds, opposite
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.rules.trade_off import (
    Labelled,
    Point,
    TradeOff,
    description_bits,
    shortest,
    trade_offs,
)

CLEARLY = 10.0  # bits by which a rule that errs must be the shorter description: a thousand to one
NO_CLAUSES = np.zeros(0, int)
MAX_LOOKED_AT = 5000  # patterns on which an exact rule is compared with one that errs
# of fewer, a rule that errs must also be clearly shorter than the labels themselves
FEW_SAMPLES = 1000
SEARCHING = 0.6  # of the time that is given, at most
PROOF_SECONDS = 0.4  # for each rule, while a classifier is fitted; ``prove`` may take longer


@dataclass(frozen=True)
class RuleFitting:
    """Samples as patterns, from which rules are drawn."""

    seen: Labelled
    reduced: Labelled  # the same without concepts that are copies
    names: tuple[str, ...]

    def supported_rules(
        self, began: float, seconds: float
    ) -> tuple[list[Minimised], list[TradeOff]]:
        """The rule of each class that the samples support, and the trade-off it is a point of."""
        deadline, now = began + seconds, time.monotonic()
        # what is found is measured on all samples, which takes about as long as reading them
        until = min(began + SEARCHING * seconds, deadline - (now - began))
        search_until = max(until, now + 0.1 * seconds)
        curves = self._curves(search_until)
        are_exact = self._are_exact(curves, search_until)
        proof_seconds = max(0.0, min(PROOF_SECONDS, (deadline - time.monotonic()) / len(curves)))

        def rule(number: int) -> Minimised:
            if are_exact[number]:
                return self.exact(number, proof_seconds, curves[number])
            return self.as_rule(curves[number].best)

        is_quick = are_exact[0] and len(self.reduced.columns) <= QUICKLY_LISTED
        if len(curves) != 2 or is_quick:
            return [rule(number) for number in range(len(curves))], curves
        # of both only the shorter was looked for to the end; the opposite of a short rule can be a
        # very long one
        shorter = int(curves[1].best.bits <= curves[0].best.bits)
        rules = [rule(shorter)]
        rules.insert(1 - shorter, opposite(rules[0], proof_seconds))
        return rules, curves

    def _curves(self, deadline: float) -> list[TradeOff]:
        """A trade-off for each class; of two, the longer one is not followed to its end."""
        num_classes = self.seen.counts.shape[1]
        targets = [self.reduced.target(number) for number in range(num_classes)]
        if num_classes == 2:
            return trade_offs(targets[::-1], deadline=deadline)[::-1]
        began, curves = time.monotonic(), []
        for number, target in enumerate(targets):
            until = began + (deadline - began) * (number + 1) / num_classes
            curves += trade_offs([target], deadline=until)
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
        """Whether an exact rule is no clearly longer description than the curve's best point."""
        target = self.reduced.target(number)
        if best.errors <= self.reduced.fewest_errors(number):
            return True
        labels_alone = min(
            description_bits(errors, target.total, NO_CLAUSES, 1)
            for errors in (target.all_true, target.total - target.all_true)
        )
        if target.total <= FEW_SAMPLES and best.bits > labels_alone - CLEARLY:
            return True
        if time.monotonic() > deadline:  # what is not known counts as noise
            return False
        here = self.reduced.some(MAX_LOOKED_AT)
        telling = here.without_needless_concepts()
        num_concepts = len(telling.columns)
        if num_concepts > MAX_PACKED_CONCEPTS:
            return False
        taken = here.target(number).point(best.clauses)
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

    def proven(
        self, number: int, rule: Minimised, curve: TradeOff | None, seconds: float
    ) -> Minimised:
        """A rule as exact and smaller, or with a shorter description, or what is proven of it."""
        if rule.proven:
            return rule
        if (rule.formula.on(self.names, self.seen.patterns) == (self.seen.labels == number)).all():
            return self.exact(number, seconds)
        target = self.reduced.target(number)
        proof = None if curve is None else shortest(target, curve.best, seconds=seconds)
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

    def exact_rules(self, seconds: float, *, unseen_is_false: bool = False) -> list[Minimised]:
        """The smallest rules that give every pattern its most frequent label."""
        num_classes = self.seen.counts.shape[1]
        if not unseen_is_false:
            return [self.exact(number, seconds / num_classes) for number in range(num_classes)]
        names = [self.names[i] for i in self.seen.columns]
        return [
            minimal_rules(names, self.seen.sides(number)[0], None, seconds=seconds / num_classes)
            for number in range(num_classes)
        ]

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
        return minimal_rules(names, true, false, seconds=seconds, known=known)
