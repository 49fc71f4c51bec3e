"""How pointers and numbers move: sources that explain all changes, and marks that are settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from algolens.discovery.bench import MOST_SHARE, Bench
from algolens.discovery.choosing import observe_choice
from algolens.discovery.decisions import Decision, SettledDecision, SettledMove, UnsettledError
from algolens.discovery.moving import Reach, Source, sources
from algolens.language.check import MOST_BITS
from algolens.language.fields import Pointer
from algolens.language.ir import At, Field, Get, Let
from algolens.language.text import Text

MOST_PLANS = 6  # ways to explain a field, that are tried
DEARER = 1  # than the cheapest, that plans may be
MOST_PARTS = 3  # moves of one field
MOST_MIXED = 2  # sources in view, and of one's own, that are tried together
MOST_PARTIAL = 40  # sources that explain some changes, of which plans are made
# with exceptions
MOST_LIKELY = 12  # sources of which pairs are tried
ODD_BITS = 8.0  # of a change that no source explains
PRICE_BITS = 10.0  # of what a source costs
TELLING = 0.3  # the least share of wrong values that a source must lack, to estimate how many are


@dataclass(frozen=True, eq=False)
class _Part:
    """A move that is settled, and where it applies."""

    source: Source
    mark: SettledDecision | None
    guard: SettledDecision | None
    applies: np.ndarray  # [N] bools

    def taken(self, reach: Reach) -> np.ndarray:
        """[N] the value that each would take."""
        if self.mark is None:
            return reach.values
        marked = self.mark.column(1, len(reach.values))[reach.others]
        taken = np.zeros(len(reach.covers), reach.values.dtype)
        taken[reach.looks[marked]] = reach.values[reach.others[marked]]
        return taken


class MoveSearch:
    """The moves of one field.

    Parameters
    ----------
    bench : Bench
        Where marks and guards are settled.
    name : str
        The field.
    sums : dict
        The sums that were declared, by name.
    mark_all : bool
        Whether all are marked that a value may be taken from.
    """

    def __init__(self, bench: Bench, name: str, sums: dict[str, Let], *, mark_all: bool) -> None:
        self.bench, self.name, self.sums, self.mark_all = bench, name, sums, mark_all
        self.declared = bench.schema.state[name]
        situations = bench.situations
        self.after = situations.after(name)
        self.steps = situations.of_graphs("has_step", self.declared.location).astype(bool)
        self.changed = self.steps & (self.after != situations.earlier(name))
        self.mixed: list[tuple[Reach, ...]] = []  # plans for when no other is settled
        self.plans: list[tuple[Reach, ...]] = []
        self._find_plans()
        if self.changed.any() and not self.plans:
            raise UnsettledError(
                f"nothing in view has the values that '{name}' takes: the language cannot say "
                f"where they come from, or more than {MOST_PARTS} moves are needed."
            )

    @property
    def share(self) -> float:
        """Of elements that may be exceptions."""
        return self.bench.exceptions

    def is_settled(self, bound: int, *, choose: bool, mixed: bool = False) -> bool:
        """Whether its moves are settled by observations of up to a price; they are then kept."""
        if not self.changed.any():
            self.bench.script.moves[self.name] = []
            return True
        if self.share:  # fewer exceptions may need other sources
            self._find_plans()
        for plan in self.mixed if mixed else self.plans:
            parts = self._settled_plan(plan, bound, choose)
            if parts is not None:
                self.bench.script.moves[self.name] = [self._kept_part(part) for part in parts]
                return True
        return False

    def _find_plans(self) -> None:
        if self.changed.any():
            self.plans = list(self._likely_plans() if self.share else self._plans())
            self._declare_sums()

    @cached_property
    def _reaches(self) -> list[Reach]:
        """The sources that have some of the values, cheapest first."""
        situations, own = self.bench.situations, self.declared.location
        made = [
            Reach.of(source, situations, own, self.after)
            for source in sources(situations, self.name)
        ]
        return [reach for reach in made if (reach.covers & self.changed).any()]

    def _num_odd(self, plan: Sequence[Reach]) -> int:
        """How many changes no source explains."""
        covers = np.logical_or.reduce([reach.covers for reach in plan])
        return int((self.changed & ~covers).sum())

    def _plans(self) -> Iterator[tuple[Reach, ...]]:
        """Ways to explain all changes: by one source or by several, cheapest first."""
        changed = self.changed
        whole = [reach for reach in self._reaches if not self._num_odd((reach,))]
        partial = [reach for reach in self._reaches if self._num_odd((reach,))]
        # a mark that needs no guard says more than one that does
        alone = [
            reach
            for reach in whole
            if reach.source.relation is None or reach.marks(changed, self.steps) is not None
        ]
        for reach in (alone or whole)[:MOST_PLANS]:
            if reach.source.cost <= (alone or whole)[0].source.cost + DEARER:
                yield (reach,)
        if whole:
            # one in view may explain what a value of one's own explains more simply
            own = [reach for reach in partial if reach.source.relation is None]
            seen = [reach for reach in whole if reach.source.relation is not None]
            self.mixed = [(one, other) for other in own[:MOST_MIXED] for one in seen[:MOST_MIXED]]
            # who sees everyone sees whatever a pointer may become, which explains nothing
            if not all(reach.source.sees_everyone for reach in whole):
                return
        plans = sorted(
            self._covering(partial[:MOST_PARTIAL]),
            key=_price,
        )
        least = _price(plans[0]) if plans else 0
        for plan in plans[: MOST_PLANS // 2]:
            if _price(plan) > least + DEARER:
                return
            # marks say where a move applies; where none is marked, a value of one's own is taken
            ordered = sorted(plan, key=lambda reach: reach.source.relation is None)
            yield tuple(ordered)
            yield tuple(ordered[::-1])

    def _covering(self, partial: Sequence[Reach]) -> Iterator[tuple[Reach, ...]]:
        """Sets of sources that explain all changes, of which none is needless."""
        covers = np.array([reach.covers[self.changed] for reach in partial]).reshape(
            len(partial), -1
        )
        smaller: list[set[int]] = []
        for size in range(2, MOST_PARTS + 1):
            for chosen in combinations(range(len(partial)), size):
                if covers[list(chosen)].any(0).all() and not any(
                    some <= set(chosen) for some in smaller
                ):
                    smaller.append(set(chosen))
                    yield tuple(partial[number] for number in chosen)

    # ---- with exceptions

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
        for reach in self._reaches:
            offers = np.unique(np.stack([reach.looks, reach.values[reach.others]]), axis=1)[0]
            in_view = np.bincount(offers, minlength=len(by_chance))
            tells = (1 - by_chance * in_view).clip(0)[self.steps].sum()
            if tells > TELLING * self.steps.sum():
                shares.append(self._num_odd((reach,)) / tells)
        return float(min(shares))

    def _likely_plans(self) -> Iterator[tuple[Reach, ...]]:
        """Ways to explain all changes but for exceptions, the shortest descriptions first."""
        allowed = self.share * self.steps.sum()
        some = self._reaches
        plans: list[tuple[Reach, ...]] = [(r,) for r in some if self._num_odd((r,)) <= allowed]
        if not plans:  # where one source is enough, a second explains exceptions by chance
            likely = sorted(some, key=lambda reach: self._bits((reach,)))[:MOST_LIKELY]
            pairs = combinations(likely, 2)
            plans = [pair for pair in pairs if self._num_odd(pair) <= allowed]
        for plan in sorted(plans, key=self._bits)[: MOST_PLANS // 2]:
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

    # ---- settling a plan

    def _settled_plan(self, plan: Sequence[Reach], bound: int, choose: bool) -> list[_Part] | None:
        """Marks and guards of a plan, where what moves by them is right but for exceptions; None
        where one is not settled yet.

        Where there are exceptions and several have the value, none of them is marked at first, then
        all: who is never marked where another has the same value looks as if it must not be.
        """
        for mark_all in (False, True) if self.share else (self.mark_all,):
            if (parts := self._marked_plan(plan, bound, choose, mark_all)) is not None:
                return parts
        return None

    def _marked_plan(
        self, plan: Sequence[Reach], bound: int, choose: bool, mark_all: bool
    ) -> list[_Part] | None:
        covers = np.logical_or.reduce([reach.covers for reach in plan])
        changed, steps = self.changed & covers, self.steps & (covers | ~self.changed)
        parts: list[_Part] = []
        moved = np.zeros(len(changed), bool)
        became = self.bench.situations.earlier(self.name).copy()
        for number, reach in enumerate(plan):
            name = self.name if len(plan) == 1 else f"{self.name}_{number + 1}"
            elsewhere = np.zeros(len(changed), bool)
            for later in plan[number + 1 :]:
                elsewhere |= later.covers
            must = changed & ~moved & ~elsewhere
            part = self._settled_part(name, reach, must, steps & ~moved, bound, choose, mark_all)
            if part is None:
                return None
            applies = part.applies & ~moved
            became[applies] = part.taken(reach)[applies]
            parts.append(part)
            moved |= applies
        wrong = (became != self.after)[self.steps]
        return parts if wrong.mean() <= self.share else None

    def _settled_part(
        self,
        name: str,
        reach: Reach,
        must: np.ndarray,
        considered: np.ndarray,
        bound: int,
        choose: bool,
        mark_all: bool,
    ) -> _Part | None:
        """The mark alone, or a guard with it; of an own value, the guard.

        must, considered: [N] bools of those that take a value, and of those that take no wrong one.
        """
        count, source = len(must), reach.source
        harmful = considered & ~must
        if source.relation is None:
            harmful = harmful & ~reach.covers
        rows = np.flatnonzero(must | harmful)
        decided = must[rows].astype(np.int64)
        guard = Decision(f"moves_{name}", self.declared.location, rows, decided, judged_later=True)
        if source.relation is None:
            if not harmful.any():
                return _Part(source, None, None, np.ones(count, bool))
            guarded = self._settled(guard, bound, choose)
            if guarded is None:
                return None
            return _Part(source, None, guarded, guarded.column(1, count))
        marks = reach.marks(must, considered, mark_all=mark_all, share=self.share)
        needs_guard = marks is None
        if marks is None:
            marks = reach.marks(must, must, mark_all=mark_all, share=self.share)
        if marks is None:
            return None
        marked = self._settled(
            Decision(f"gives_{name}", source.relation.others, *marks, judged_later=True),
            bound,
            choose,
        )
        if marked is None:
            return None
        applies = np.zeros(count, bool)
        applies[reach.looks[marked.column(1, len(reach.values))[reach.others]]] = True
        if not needs_guard:
            return _Part(source, marked, None, applies)
        guarded = self._settled(guard, bound, choose)
        if guarded is None:
            return None
        return _Part(source, marked, guarded, applies & guarded.column(1, count))

    def _settled(self, decision: Decision, bound: int, choose: bool) -> SettledDecision | None:
        """What settles a decision; where it is a choice, that is observed first."""
        if choose and self.share:
            self.bench.offer_choice(decision)
            choose = False
        settled = self.bench.settled(decision, bound)
        if settled is None and choose and observe_choice(self.bench, decision, bound):
            settled = self.bench.settled(decision, 1)
        return settled

    # ---- what was settled

    def _kept_part(self, part: _Part) -> SettledMove:
        said = [None if some is None else self._kept(some) for some in (part.mark, part.guard)]
        return SettledMove(self._by_name(part.source), *said)

    def _kept(self, settled: SettledDecision) -> Get:
        said = self.bench.keep(settled).says(1)
        if isinstance(said, Get):  # another field goes by the same
            return said
        name = self.bench.free_name(settled.name)  # an earlier search may have named it so
        self.bench.observe(name, settled.location, said)
        return Get(name, settled.location.value)

    # ---- sums

    def _declare_sums(self) -> None:
        plans = (*self.plans, *self.mixed)
        for reach in {reach.source: reach for plan in plans for reach in plan}.values():
            self._declare_sum(reach.source)

    def _declare_sum(self, source: Source) -> None:
        """Adds the sum of a source to what statements may name."""
        name, at = self._sum_name(source), source.at or self.declared.location
        if not source.is_sum or name in self.sums:
            return
        self.sums[name] = Let(name, at.value, source.said)
        situations = self.bench.situations
        values = source.values(situations, self.declared.location)
        self.bench.add(
            name,
            Field(at.value, "number", bits=MOST_BITS, signed=True),
            situations.split(values, at),
        )

    def _sum_name(self, source: Source) -> str:
        words = Text({})(source.said).replace("'s ", "_").replace(" + ", "_plus_")
        at = (source.at or self.declared.location).value
        is_other = words in self.sums and self.sums[words].at != at
        return f"{words}_at_{at}" if is_other else words

    def _by_name(self, source: Source) -> Source:
        """The source, its sum by name."""
        if not source.is_sum:
            return source
        at: At = (source.at or self.declared.location).value
        return replace(source, said=Get(self._sum_name(source), at))


def _price(plan: Sequence[Reach]) -> int:
    return sum(reach.source.cost + 1 for reach in plan)
