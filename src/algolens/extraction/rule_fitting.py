"""From patterns with labels to a rule for each class: exact and smallest, or the simplest that the
samples support.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algolens.extraction.labelled import Labelled
from algolens.extraction.rule_list import opposite
from algolens.extraction.supported import Supported, as_minimised, supported_rules
from algolens.logic import Minimised, minimise
from algolens.logic.clause_search import Clauses
from algolens.logic.cubes import Cubes
from algolens.logic.minimisation import QUICKLY_LISTED
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.logic.shortest import shortest
from algolens.logic.trade_off import TradeOff

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
