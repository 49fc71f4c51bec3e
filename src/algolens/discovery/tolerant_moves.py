"""Moves of pointers and numbers that are wrong now and then: marks by the majority of who looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np

from algolens.discovery.decisions import Decision, SettledDecision
from algolens.discovery.move_search import MoveSearch
from algolens.discovery.moving import Reach, sources
from algolens.discovery.tolerant_bench import MOST_SHARE, TolerantBench
from algolens.language.fields import Pointer

MOST_PARTIAL = 12  # sources of which pairs are tried
MOST_PLANS = 3
ODD_BITS = 8.0  # of a change that no source explains
PRICE_BITS = 10.0  # of what a source costs
TELLING = 0.3  # the least share of wrong values that a source must lack, to estimate how many are


class TolerantMoveSearch(MoveSearch):
    """The moves of one field, of which a share of the values may be exceptions.

    Parameters are those of ``MoveSearch``; the bench says how large a share.
    """

    bench: TolerantBench

    def doubt(self) -> float:
        """The share of values that look wrong: those that the best source does not have, and as
        many more as it has by chance, since a wrong pointer may lead to one in view.
        """
        kind, situations = self.declared.kind, self.bench.situations
        by_chance = np.zeros(len(self.steps))
        if isinstance(kind, Pointer):
            sizes = np.bincount(situations.owner(kind.to))
            by_chance += 1 / sizes[situations.owner(self.declared.location)].clip(1)
        shares = [MOST_SHARE]
        for reach in self.reaches:
            offers = np.unique(np.stack([reach.looks, reach.values[reach.others]]), axis=1)[0]
            in_view = np.bincount(offers, minlength=len(by_chance))
            tells = (1 - by_chance * in_view).clip(0)[self.steps].sum()
            if tells > TELLING * self.steps.sum():
                shares.append(self._num_odd((reach,)) / tells)
        return float(min(shares))

    def is_settled(self, bound: int, *, choose: bool, mixed: bool = False) -> bool:
        """Whether its moves are settled; fewer exceptions may need other sources."""
        if self.changed.any():
            self.plans = list(self._plans())
            self._declare_sums()
        return bool(self.plans or not self.changed.any()) and super().is_settled(
            bound, choose=choose, mixed=mixed
        )

    def _num_odd(self, plan: Sequence[Reach]) -> int:
        covers = np.logical_or.reduce([reach.covers for reach in plan])
        return int((self.changed & ~covers).sum())

    @cached_property
    def reaches(self) -> list[Reach]:
        """The sources that have some of the values."""
        situations = self.bench.situations
        made = []
        for source in sources(situations, self.name):
            reach = Reach.of(source, situations, self.declared.location, self.after)
            if (reach.covers & self.changed).any():
                made.append(reach)
        return made

    def _plans(self) -> Iterator[tuple[Reach, ...]]:
        """Ways to explain all changes but for exceptions, the shortest descriptions first."""
        allowed = self.share * self.steps.sum()
        some = [replace(reach, share=self.share) for reach in self.reaches]
        plans: list[tuple[Reach, ...]] = [(r,) for r in some if self._num_odd((r,)) <= allowed]
        if not plans:  # where one source is enough, a second explains exceptions by chance
            likely = sorted(some, key=lambda reach: self._bits((reach,)))[:MOST_PARTIAL]
            pairs = combinations(likely, 2)
            plans = [pair for pair in pairs if self._num_odd(pair) <= allowed]
        for plan in sorted(plans, key=self._bits)[:MOST_PLANS]:
            yield tuple(sorted(plan, key=lambda reach: reach.source.relation is None))

    def _bits(self, plan: Sequence[Reach]) -> float:
        """What it takes to say where each change comes from: which of those in view, or the value.

        Sources with much in view have wrong values by chance; these bits tell them from the true
        ones, which have few in view.
        """
        bits = np.full(len(self.changed), ODD_BITS)
        for reach in plan:
            in_view = np.log2(np.bincount(reach.looks, minlength=len(bits)).clip(1))
            bits = np.where(reach.covers, np.minimum(bits, in_view), bits)
        return float(bits[self.changed].sum()) + PRICE_BITS * _price(plan)

    def _settled(self, decision: Decision, bound: int, choose: bool) -> SettledDecision | None:
        """What describes a decision; a choice may be part of it."""
        if choose:
            self.bench.offer_choice(decision)
        return self.bench.settled(decision, bound)


def _price(plan: Sequence[Reach]) -> int:
    return sum(reach.source.cost + 1 for reach in plan)
