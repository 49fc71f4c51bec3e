"""The first of those that could be: an observation that nobody named is found by its labels.

Many steps choose one of several: the nearest that waits, the lightest edge that leads out. Such a
decision says who could have been chosen: the chosen one, and none that comes before it. These are
labels for an observation of its own, which is settled like any other decision.

Where some were chosen wrongly, labels do not tell who could have been. So conditions of one to
three cheap observations are tried with every order, and what they choose is counted: on some of the
graphs with all orders, then on all graphs with the best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from algolens.discovery.decisions import Decision, SettledDecision
from algolens.discovery.literals import Literal, relations
from algolens.discovery.names import words_of
from algolens.discovery.observations import Observation, better_pairs
from algolens.language.fields import Location
from algolens.language.ir import (
    IT,
    And,
    Compare,
    Const,
    Expr,
    Get,
    Not,
    Quantified,
    conjunction,
    negation,
    put,
    rebuilt,
)
from algolens.language.relations import RELATIONS, Relation
from algolens.logic import pack

if TYPE_CHECKING:
    from algolens.discovery.bench import Bench

# of which the elements that see each other are a group of their own
GROUPS = ("other node", "other edge", "other link", "rival", "sibling", "rival by")
WAITS, CHOSEN, UNKNOWN = 0, 1, -1
# orders that are tried where observations cost more than 2: the cheapest, and those that explain
MOST_TRIED, MOST_EXPLAINING = 12, 12  # most
# with wrong choices
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
class ChoiceOrder:
    """A relation and a comparison, and whom the chosen ones leave undecided: of an edge, it may
    compare its links.
    """

    relation: Relation
    literal: Literal
    cost: int
    looks: np.ndarray  # pairs: who looks,
    others: np.ndarray  # and who comes before it
    labels: np.ndarray  # [N] 1: could be chosen, 0: could not, -1: it does not matter

    @property
    def num_explained(self) -> int:
        """How many are not chosen since another is."""
        return int((self.labels < 0).sum())


def observe_choice(bench: Bench, decision: Decision, bound: int) -> str | None:
    """Observes the first of those that could be, where that is what was decided.

    Parameters
    ----------
    bench : Bench
        Where it is observed.
    decision : Decision
        1 where an element was chosen, 0 where it was not.
    bound : int
        The price of observations that say who could be.

    Returns
    -------
    str or None
        The name of the new observation.
    """
    best: tuple[float, ChoiceOrder, SettledDecision] | None = None
    for orders in _tried_orders(choice_orders(bench, decision), bound):
        labels, at = orders[0].labels, orders[0].relation.own
        rows = np.flatnonzero(labels >= 0)
        could = Decision(f"may_{decision.name}", at, rows, labels[rows])
        settled = None if bench.is_late() else bench.settled(could, bound)
        if settled is None:
            continue
        for order in orders:
            cost = settled.cost + order.cost
            is_less = best is None or cost < best[0]
            if is_less and _is_choice(bench, decision, order, settled):
                best = cost, order, settled
    return None if best is None else observe_first(bench, decision, best[1], best[2])


def _tried_orders(orders: Iterator[ChoiceOrder], bound: int) -> list[list[ChoiceOrder]]:
    """Orders that leave the same undecided together, cheapest first: all of them; where
    observations cost more than 2, the cheapest, and those that explain most.
    """
    alike: dict[bytes, list[ChoiceOrder]] = {}
    for order in sorted(orders, key=lambda order: (order.cost, -order.num_explained)):
        alike.setdefault(order.labels.tobytes(), []).append(order)
    groups = list(alike.values())
    if bound <= 2:
        return groups
    most = sorted(groups, key=lambda group: -group[0].num_explained)[:MOST_EXPLAINING]
    return groups[:MOST_TRIED] + [group for group in most if group not in groups[:MOST_TRIED]]


def observe_rule_or_choice(bench: Bench, decision: Decision, bound: int) -> str | None:
    """Observes a rule by which several are decided at once, and the first of those that could be
    among the rest: all that lead to one that is assigned; where there is none, the last.

    In a graph where several are decided at once, none of them is the first of its group. So these
    are labels of the rule; what it leaves is a choice. Parameters and what is given are those of
    ``observe_choice``.
    """
    owner = bench.situations.owner(decision.location)[decision.rows]
    num_chosen = np.bincount(owner, decision.decided == CHOSEN)
    is_one = (num_chosen[owner] == 1) & (decision.decided == CHOSEN)
    if not is_one.any() or (num_chosen <= 1).all():
        return None
    rest = Decision(
        f"all_{decision.name}",
        decision.location,
        decision.rows[~is_one],
        decision.decided[~is_one],
    )
    rule = bench.settled(rest, bound)
    if rule is None:
        return None
    holds = rule.column(1, bench.situations.count(decision.location))[decision.rows]
    if not (is_one & ~holds).any():
        return None  # it is no choice
    rows, decided = decision.rows[~holds], decision.decided[~holds]
    name = bench.concept(decision.location, bench.keep(rule).says(1), rest.name)
    left = Decision(decision.name, decision.location, rows, decided)
    for price in range(1, bound + 1):
        if observe_choice(bench, left, price) is not None:
            return name
    return None


def choice_orders(bench: Bench, decision: Decision, *, odd: bool = False) -> Iterator[ChoiceOrder]:
    """The orders by which no chosen one comes before another of its group; or all of them."""
    situations = bench.situations
    chosen = np.full(situations.count(decision.location), UNKNOWN)
    chosen[decision.rows] = decision.decided
    directed = any(block.graph.directed for block in situations.blocks)
    places = [(decision.location, chosen)]
    if decision.location is Location.EDGE:  # it may be that one of its two links is the first
        places.append((Location.LINK, chosen[situations.edges_of_links()]))
    for location, labelled in places:
        for relation, cost in relations(situations.fields, location.value, directed=directed):
            if not relation.phrase(1).startswith(GROUPS):
                continue
            by_link = location is not decision.location
            for literal, looks, others in better_pairs(situations, relation):
                after_chosen = _some(labelled[others] == CHOSEN, looks, len(labelled))
                if not odd and not by_link and (after_chosen & (labelled == CHOSEN)).any():
                    continue
                after_unknown = _some(labelled[others] != WAITS, looks, len(labelled))
                labels = np.where(after_unknown & (labelled == WAITS), UNKNOWN, labelled)
                if (labels[labelled == WAITS] == UNKNOWN).any():
                    price = cost + situations.price(literal) + by_link
                    yield ChoiceOrder(relation, literal, price, looks, others, labels)


def _some(holds: np.ndarray, looks: np.ndarray, count: int) -> np.ndarray:
    """[count] bools: of whom one in view is so."""
    found = np.zeros(count, bool)
    found[looks[holds]] = True
    return found


def _is_choice(
    bench: Bench, decision: Decision, order: ChoiceOrder, settled: SettledDecision
) -> bool:
    """Whether the first of those that could be is the chosen one, everywhere."""
    situations = bench.situations
    count = situations.count(settled.location)
    could = settled.column(1, count)
    first = could & ~_some(could[order.others], order.looks, count)
    if settled.location is not decision.location:
        edges = situations.edges_of_links()
        first = _some(first, edges, situations.count(decision.location))
    wrong = first[decision.rows] != (decision.decided == CHOSEN)
    return not wrong.any()


def observe_first(
    bench: Bench, decision: Decision, order: ChoiceOrder, settled: SettledDecision
) -> str:
    """Observes the first of those that could be, and gives its name."""
    could = bench.keep(settled).says(1)
    if _is_plain(could):
        could = _said(bench, could)
    else:
        name = bench.free_name(f"could_be_{decision.name}")
        bench.observe(name, settled.location, could)
        could = Get(name, settled.location.value)
    body = conjunction(put(could, me=IT), order.literal.said)
    before = Quantified("some", order.relation.view, body)
    return bench.concept(
        settled.location, conjunction(could, negation(before)), first_name(decision)
    )


def first_name(decision: Decision) -> str:
    """What the first of those that could be is called."""
    return f"is_next_{decision.name}"


def _is_plain(could: Expr) -> bool:
    """Whether it is one concept, or two."""
    parts = could.terms if isinstance(could, And) else (could,)
    bare = [part.term if isinstance(part, Not) else part for part in parts]
    return len(parts) <= 2 and all(isinstance(part, Get) for part in bare)


def _said(bench: Bench, could: Expr) -> Expr:
    """The same, concepts of own fields by what they say."""
    if not isinstance(could, Get):
        said: Expr = rebuilt(could, lambda part: _said(bench, part))
        return said
    match bench.look.get(could.column):
        case (_, Get() | Compare(right=(Const(),)) as said):
            return said
    return could


# ---- with wrong choices


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
