"""The first of those that could be, where some were chosen wrongly: the order and the condition by
which the fewest are odd.

Who could have been chosen cannot be told from wrong labels, as ``choosing`` does. So conditions of
one to three cheap observations are tried with every order, and what they choose is counted: on some
of the graphs with all orders, then on all graphs with the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from algolens.discovery.bench import Bench, words_of
from algolens.discovery.choosing import ChoiceOrder, choice_orders, first_name, observe_first
from algolens.discovery.decisions import Decision, SettledDecision
from algolens.discovery.observations import Observation
from algolens.language.fields import Location
from algolens.language.ir import IT, Expr, Get, Quantified
from algolens.language.relations import RELATIONS
from algolens.logic import pack

PRICE = 2  # of the observations that a condition is made of
MOST_OFFERED = 60  # of these, the cheapest
KEPT = 6  # conditions that are made narrower
MOST_PARTS = 3  # observations of a condition
CLEARLY = 4  # fewer odd ones, for which a condition may have one part more,
DEARER = 2  # or cost 1 more, or an order
MOST_ODD = 0.8  # of those that were chosen; where more are odd, the order tells nothing
FEW = 1200  # elements that all orders are tried on
BEST = 5  # orders that are tried on all

Parts = tuple[tuple[int, bool], ...]  # the number of an observation, and whether it holds


@dataclass(frozen=True, eq=False)
class _Condition:
    """That all parts of one of its cases are so, and how many are odd by it."""

    cases: tuple[Parts, ...]
    odd: int
    cost: float

    @property
    def key(self) -> float:
        """Odd ones, and what else is to be said."""
        return self.odd + CLEARLY * sum(map(len, self.cases)) + DEARER * self.cost

    def holds(self, columns: np.ndarray) -> np.ndarray:
        """[N] bools. columns: [N, C] bools."""
        made = np.zeros(len(columns), bool)
        for parts in self.cases:
            made |= _all_so(columns, parts)
        return made


@dataclass(frozen=True, eq=False)
class LikelyChoice:
    """An order and a condition, and whom they choose."""

    decision: Decision
    order: ChoiceOrder
    condition: _Condition
    offered: list[Observation]
    column: np.ndarray  # [N] bools, of all elements where the decision is

    @property
    def cost(self) -> float:
        return self.order.cost + self.condition.cost

    def observe(self, bench: Bench) -> Expr:
        """Observes it, and says that an element is the first, or that one of its links is."""
        name = observe_first(bench, self.decision, self.order, self._could())
        if self.order.relation.own is self.decision.location:
            return Get(name, self.decision.location.value)
        (links,) = (some for some in RELATIONS if some.phrase(1) == "direction")
        return Quantified("some", links.view, Get(name, "link", IT))

    def _could(self) -> SettledDecision:
        """Who could be chosen."""
        numbers = sorted({number for parts in self.condition.cases for number, _ in parts})
        table = np.array(list(product((False, True), repeat=len(numbers))))
        whole = np.zeros((len(table), len(self.offered)), bool)
        whole[:, numbers] = table
        chosen = [self.offered[number] for number in numbers]
        return SettledDecision(
            f"may_{self.decision.name}",
            self.order.relation.own,
            tuple(some.said for some in chosen),
            tuple(some.column for some in chosen),
            (),
            pack(table),
            self.condition.holds(whole).astype(np.int64),
            self.condition.cost,
            proven=False,
        )


def likely_choice(bench: Bench, decision: Decision) -> LikelyChoice | None:
    """The first of those that could be, where that is what was decided but for exceptions.

    Parameters
    ----------
    bench : Bench
        Where it is observed.
    decision : Decision
        1 where an element was chosen, 0 where it was not.
    """
    orders = [
        order
        for order in choice_orders(bench, decision, odd=True)
        if _offered(bench, decision, order.relation.own)
    ]
    owner = bench.situations.owner(decision.location)[decision.rows]
    graphs, sizes = np.unique(owner, return_counts=True)
    drawn = np.random.default_rng(0).permutation(len(graphs))
    some = graphs[drawn[: int((sizes[drawn].cumsum() <= FEW).sum()) + 1]]
    tried = []
    for order in orders if len(orders) > BEST else ():
        if not bench.is_late():
            best = _Trial.of(bench, decision, order, some).best()
            tried.append((best.key + DEARER * order.cost, order))
    likely = [order for _, order in sorted(tried, key=lambda pair: pair[0])[:BEST]] or orders
    least, made = np.inf, None
    for order in likely:
        if bench.is_late():
            break
        trial = _Trial.of(bench, decision, order, graphs)
        condition = trial.widened(trial.best())
        key = condition.key + DEARER * order.cost
        if key < least and condition.odd <= MOST_ODD * decision.decided.sum():
            could = condition.holds(trial.columns[trial.kept])
            column = trial.first(could[:, None])[:, 0]
            least, made = key, LikelyChoice(decision, order, condition, trial.offered, column)
    return made


@dataclass(frozen=True, eq=False)
class _Trial:
    """An order on some graphs: what conditions are made of, and who comes before whom."""

    offered: list[Observation]
    columns: np.ndarray  # [N, C] bools, of all elements where the order is
    prices: np.ndarray  # [C]
    kept: np.ndarray  # [n] the elements of these graphs
    before: csr_array  # [n, n] by whom each comes later
    edges: np.ndarray | None  # [N] the edge of each link, where edges are chosen by their links
    rows: np.ndarray  # [M] the elements that were decided
    chosen: np.ndarray  # [M] bools

    @classmethod
    def of(cls, bench: Bench, decision: Decision, order: ChoiceOrder, graphs: np.ndarray) -> _Trial:
        own, situations = order.relation.own, bench.situations
        offered = _offered(bench, decision, own)
        kept = np.flatnonzero(np.isin(situations.owner(own), graphs))
        place = np.full(situations.count(own), -1)
        place[kept] = np.arange(len(kept))
        looks, others = place[order.looks], place[order.others]
        here = looks >= 0
        before = csr_array(
            (np.ones(int(here.sum()), np.float32), (looks[here], others[here])),
            shape=(len(kept), len(kept)),
        )
        is_here = np.isin(situations.owner(decision.location)[decision.rows], graphs)
        return cls(
            offered,
            np.stack([one.column for one in offered], 1),
            np.array([float(one.cost) for one in offered]),
            kept,
            before,
            None if own is decision.location else situations.edges_of_links(),
            decision.rows[is_here],
            decision.decided[is_here] == 1,
        )

    def best(self) -> _Condition:
        """The best condition of one observation, of two, and so on."""
        best, kept = None, [_Condition(((),), len(self.rows), 0.0)]
        for size in range(1, MOST_PARTS + 1):
            narrower: dict[tuple[Parts, ...], _Condition] = {}
            for condition in kept:
                for some in self._with_one_more((), condition.cases[0], condition.cost):
                    narrower[some.cases] = some
            kept = sorted(narrower.values(), key=lambda some: some.key)[:KEPT]
            if best is not None and (not kept or (kept[0].key > best.key and size > 1)):
                break
            best = kept[0]
        assert best is not None
        return best

    def widened(self, condition: _Condition) -> _Condition:
        """With a second case that has all parts of the first but one, where that is better."""
        (parts,) = condition.cases
        best = condition
        for left_out in range(len(parts)):
            rest = parts[:left_out] + parts[left_out + 1 :]
            for some in self._with_one_more(condition.cases, rest, condition.cost):
                best = min(best, some, key=lambda some: some.key)
        return best

    def _with_one_more(
        self, cases: tuple[Parts, ...], parts: Parts, cost: float
    ) -> list[_Condition]:
        """The best that have one more case: some parts, and one of all observations."""
        count, here = self.columns.shape[1], self.columns[self.kept]
        could = np.concatenate([here, ~here], 1) & _all_so(here, parts)[:, None]
        could |= _Condition(cases, 0, 0.0).holds(here)[:, None]
        odd = (self.first(could)[self.rows] != self.chosen[:, None]).sum(0)
        prices = np.tile(self.prices, 2)
        made = []
        for place in np.argsort(odd + DEARER * prices, kind="stable")[:KEPT].tolist():
            part = (place % count, place < count)
            if part[0] not in [number for number, _ in parts]:
                grown = (*cases, tuple(sorted((*parts, part))))
                made.append(_Condition(grown, int(odd[place]), cost + float(prices[place])))
        return made

    def first(self, could: np.ndarray) -> np.ndarray:
        """[N, C] bools, of all elements: the first of those of these graphs that could be.

        could: [n, C] bools.
        """
        first = could & ~((self.before @ could.astype(np.float32)) > 0)
        size = len(self.columns) if self.edges is None else int(self.edges.max()) + 1
        made = np.zeros((size, could.shape[1]), bool)
        if self.edges is None:
            made[self.kept] = first
        else:
            np.logical_or.at(made, self.edges[self.kept], first)
        return made


def _offered(bench: Bench, decision: Decision, location: Location) -> list[Observation]:
    """What conditions are made of; not this choice itself, where it was observed before."""
    itself = first_name(decision)
    made: list[Observation] = []
    for one in sorted(bench.offered(location, PRICE), key=lambda one: one.cost):
        if one.cost <= PRICE and not any(word.startswith(itself) for word in words_of(one.said)):
            made.append(one)
        if len(made) == MOST_OFFERED:
            break
    return made


def _all_so(columns: np.ndarray, parts: Parts) -> np.ndarray:
    """[N] bools: where all parts are so."""
    made = np.ones(len(columns), bool)
    for number, is_so in parts:
        made &= columns[:, number] == is_so
    return made
