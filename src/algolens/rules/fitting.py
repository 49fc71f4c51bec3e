"""From patterns with labels to a rule for each class: exact, or the simplest one supported."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algolens.logic import Minimised, disjunction, minimise
from algolens.logic.clause_search import Clauses
from algolens.logic.cubes import Cubes
from algolens.logic.growing import cover_exceeds
from algolens.logic.minimisation import QUICKLY_LISTED
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.rules.clause_choice import Point, description_bits
from algolens.rules.rule_list import opposite
from algolens.rules.samples import Labelled
from algolens.rules.shortest import shortest
from algolens.rules.trade_off import TradeOff, trade_off, trade_offs_of_two

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


PROOF_SECONDS = 0.4  # for each rule, while a classifier is fitted; ``prove`` may take longer


@dataclass(frozen=True)
class RuleFitting:
    """Samples as patterns, from which rules are drawn."""

    seen: Labelled
    told: Labelled  # the same without concepts that are copies
    names: tuple[str, ...]

    @property
    def total(self) -> float:
        """The weight of all samples."""
        return float(self.seen.counts.sum())

    @property
    def fewest(self) -> float:
        """Errors that all rules make: of patterns that came with several labels."""
        return self.total - float(self.seen.counts.max(1).sum())

    @property
    def told_names(self) -> list[str]:
        """Of the concepts that are no copies."""
        return [self.names[i] for i in self.told.columns]

    def supported(
        self, search_until: float, deadline: float
    ) -> tuple[list[Minimised], list[TradeOff]]:
        """The rule of each class that the samples support, and the trade-off that it is a point
        of.
        """
        found = supported_rules(self.told, search_until)
        seconds = max(0.0, min(PROOF_SECONDS, (deadline - time.monotonic()) / len(found)))
        return self._chosen(found, seconds), [each.curve for each in found]

    def _chosen(self, found: Sequence[Supported], seconds: float) -> list[Minimised]:
        def rule(number: int) -> Minimised:
            each = found[number]
            return (
                self.exact(number, seconds, each.curve)
                if each.is_exact
                else self.at(each.curve, None)
            )

        if len(found) != 2 or (found[0].is_exact and len(self.told.columns) <= QUICKLY_LISTED):
            return [rule(number) for number in range(len(found))]
        # of both only the shorter was looked for to the end; the opposite of a short rule can be a
        # very long one
        shorter = int(found[1].curve.best.bits <= found[0].curve.best.bits)
        decides = rule(shorter)
        other = opposite(decides, seconds)
        return [other, decides] if shorter else [decides, other]

    def at(self, curve: TradeOff, num_clauses: int | None) -> Minimised:
        """A point of a trade-off as a rule: the best, or the one with at most so many clauses."""
        point = curve.best if num_clauses is None else curve.at(num_clauses)
        return as_minimised(point, self.told_names, self.total, self.fewest)

    def shortest(self, number: int, curve: TradeOff, rule: Minimised, seconds: float) -> Minimised:
        """A rule that errs, as far as it can be proven that no description is shorter; itself where
        nothing can be said.
        """
        mine = self.told.counts[:, number]
        found = shortest(
            self.told.told, mine, self.told.counts.sum(1) - mine, curve.best, seconds=seconds
        )
        if found is None:
            return rule
        made = as_minimised(found.point, self.told_names, self.total, self.fewest)
        known = (
            "it is proven that no formula has a shorter one"
            if found.is_proven
            else f"every formula takes {found.at_least:,.1f} bits at least"
        )
        how = (
            f"Its description, with its {found.point.errors:,.10g} exceptions, takes "
            f"{found.point.bits:,.1f} bits; {known}."
        )
        return replace(made, how=how)

    def exact(
        self, number: int, seconds: float, curve: TradeOff | None = None, unseen: str = "dont-care"
    ) -> Minimised:
        """The smallest rule of a class that gives every pattern its most frequent label. curve: it
        may hold such a rule.
        """
        seen, known = self.seen, None
        if unseen == "dont-care":
            seen = self.told if curve is None else self.told.without_ties()
            clauses = None if curve is None else _right_clauses(number, curve, seen)
            if clauses is not None and len(seen.columns) > MAX_PACKED_CONCEPTS:
                used = np.asarray(clauses.care.any(0))
                if 0 < used.sum() <= MAX_PACKED_CONCEPTS:
                    seen, clauses = (
                        seen.only(used),
                        Clauses(clauses.value[:, used], clauses.care[:, used]),
                    )
                else:
                    clauses = None
            seen = seen.without_needless_concepts()
            if clauses is not None:
                known = Cubes.from_bits(clauses.value, clauses.care)
        true, false = seen.packed[seen.labels == number], seen.packed[seen.labels != number]
        names = [self.names[i] for i in seen.columns]
        return minimise(
            names, true, None if unseen == "negative" else false, seconds=seconds, known=known
        )


def _right_clauses(number: int, curve: TradeOff, seen: Labelled) -> Clauses | None:
    """Those of the best point, if they give every pattern its most frequent label."""
    clauses = curve.best.clauses
    is_right = (clauses.hold(seen.told).any(0) == (seen.labels == number)).all()
    return clauses if is_right and len(clauses) else None
