"""The first of those that could be: an observation that nobody named is found by its labels.

Many steps choose one of several: the nearest that waits, the lightest edge that leads out. Such a
decision says who could have been chosen: the chosen one, and none that comes before it. These are
labels for an observation of its own, which is explained like any other decision.

Where some were chosen wrongly, labels do not tell who could have been. So conditions of one to
three cheap observations are tried with every order, and what they choose is counted: on some of the
graphs with all orders, then on all graphs with the best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy import ndarray
from scipy.sparse import csr_array

from algolens.discovery.candidates import Observation
from algolens.discovery.decisions import Decision, Explanation
from algolens.discovery.examples import Examples
from algolens.discovery.limits import Limits
from algolens.discovery.literals import Literal, relations
from algolens.discovery.names import words_of
from algolens.graphs import At
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

if TYPE_CHECKING:
    from algolens.discovery.search import Search

# of which the elements that see each other are a group of their own
GROUPS = ("other node", "other edge", "other link", "rival", "sibling", "rival by")
WAITS, CHOSEN, UNKNOWN = 0, 1, -1

Parts = tuple[tuple[int, bool], ...]  # the number of an observation, and whether it holds


@dataclass(frozen=True, eq=False)
class Order:
    """A relation and a comparison, and whom the chosen ones leave undecided: of an edge, it may
    compare its links.
    """

    relation: Relation
    literal: Literal
    cost: int
    looks: ndarray  # pairs: who looks,
    others: ndarray  # and who comes before it
    labels: ndarray  # [N] 1: could be chosen, 0: could not, -1: it does not matter

    @property
    def num_explained(self) -> int:
        """How many are not chosen since another is."""
        return int((self.labels < 0).sum())

    def first(self, could: ndarray) -> ndarray:
        """[N] bools: the first of those that could be. could: [N] bools."""
        return could & ~_some(could[self.others], self.looks, len(could))


@dataclass(frozen=True, eq=False)
class Choice:
    """An order, who could be chosen, and whom they choose."""

    decision: Decision
    order: Order
    could: Explanation
    column: ndarray  # [N] bools, of all elements where the decision is

    @classmethod
    def of(cls, examples: Examples, decision: Decision, order: Order, could: Explanation) -> Choice:
        own, location = order.relation.own, decision.location
        column = order.first(could.column(1, examples.count(own)))
        if own != location:
            column = _some(column, examples.edges_of_links(), examples.count(location))
        return cls(decision, order, could, column)

    @property
    def cost(self) -> float:
        return self.order.cost + self.could.cost

    def observe(self, search: Search) -> str:
        """Observes the first of those that could be, and gives its name."""
        could, own = search.keep(self.could).says(1), self.order.relation.own
        if _is_plain(could):
            could = _said(search, could)
        else:
            name = search.free_name(f"could_be_{self.decision.name}")
            search.observe(name, own, could)
            could = Get(name, own)
        body = conjunction(put(could, me=IT), self.order.literal.said)
        before = Quantified("some", self.order.relation.view, body)
        return search.concept(own, conjunction(could, negation(before)), first_name(self.decision))

    def said(self, search: Search) -> Expr:
        """Observes it, and says that an element is the first, or that one of its links is."""
        name = self.observe(search)
        if self.order.relation.own == self.decision.location:
            return Get(name, self.decision.location)
        (links,) = (some for some in RELATIONS if some.phrase(1) == "direction")
        return Quantified("some", links.view, Get(name, "link", IT))


def first_name(decision: Decision) -> str:
    """What the first of those that could be is called."""
    return f"is_next_{decision.name}"


def orders_of(examples: Examples, decision: Decision, *, odd: bool = False) -> Iterator[Order]:
    """The orders by which no chosen one comes before another of its group; or all of them."""
    chosen = np.full(examples.count(decision.location), UNKNOWN)
    chosen[decision.rows] = decision.decided
    places = [(decision.location, chosen)]
    if decision.location == "edge":  # it may be that one of its two links is the first
        places.append(("link", chosen[examples.edges_of_links()]))
    for location, labelled in places:
        by_link = location != decision.location
        known = relations(examples.fields, location, directed=examples.directed)
        for relation, cost in known:
            if not relation.phrase(1).startswith(GROUPS):
                continue
            looks, others = examples.pairs(relation)
            for literal, holds in examples.rows(relation.others, relation):
                match literal.said:
                    case Compare(op="<" | ">") if literal.crosses:
                        look, other = looks[holds], others[holds]
                    case _:
                        continue
                after_chosen = _some(labelled[other] == CHOSEN, look, len(labelled))
                if not odd and not by_link and (after_chosen & (labelled == CHOSEN)).any():
                    continue
                after_unknown = _some(labelled[other] != WAITS, look, len(labelled))
                labels = np.where(after_unknown & (labelled == WAITS), UNKNOWN, labelled)
                if (labels[labelled == WAITS] == UNKNOWN).any():
                    price = cost + examples.price(literal) + by_link
                    yield Order(relation, literal, price, look, other, labels)


def observe_choice(search: Search, decision: Decision, limits: Limits) -> str | None:
    """Observes the first of those that could be, where that is what was decided.

    Parameters
    ----------
    search : Search
        Where it is observed.
    decision : Decision
        1 where an element was chosen, 0 where it was not.
    limits : Limits
        The price of observations that say who could be, and what else may be tried.

    Returns
    -------
    str or None
        The name of the new observation.
    """
    best: Choice | None = None
    for orders in _tried_orders(orders_of(search.examples, decision), limits):
        labels, at = orders[0].labels, orders[0].relation.own
        rows = np.flatnonzero(labels >= 0)
        wanted = Decision(f"may_{decision.name}", at, rows, labels[rows])
        could = None if limits.is_late else search.explain(wanted, limits)
        for order in orders if could is not None else ():
            assert could is not None
            if best is None or could.cost + order.cost < best.cost:
                choice = Choice.of(search.examples, decision, order, could)
                if (choice.column[decision.rows] == (decision.decided == CHOSEN)).all():
                    best = choice
    return None if best is None else best.observe(search)


def _tried_orders(orders: Iterator[Order], limits: Limits) -> list[list[Order]]:
    """Orders that leave the same undecided together, cheapest first: all of them; where
    observations cost more than 2, the cheapest, and those that explain most.
    """
    alike: dict[bytes, list[Order]] = {}
    for order in sorted(orders, key=lambda order: (order.cost, -order.num_explained)):
        alike.setdefault(order.labels.tobytes(), []).append(order)
    groups = list(alike.values())
    if limits.price <= 2:
        return groups
    most = sorted(groups, key=lambda group: -group[0].num_explained)[: limits.orders]
    first = groups[: limits.orders]
    return first + [group for group in most if group not in first]


def observe_rule_or_choice(search: Search, decision: Decision, limits: Limits) -> str | None:
    """Observes a rule by which several are decided at once, and the first of those that could be
    among the rest: all that lead to one that is assigned; where there is none, the last.

    In a graph where several are decided at once, none of them is the first of its group. So these
    are labels of the rule; what it leaves is a choice. Parameters and what is given are those of
    ``observe_choice``.
    """
    examples, location, rows = search.examples, decision.location, decision.rows
    owner, is_chosen = examples.owner(location)[rows], decision.decided == CHOSEN
    num_chosen = np.bincount(owner, is_chosen)
    is_one = (num_chosen[owner] == 1) & is_chosen
    if not is_one.any() or (num_chosen <= 1).all():
        return None
    name, rest = f"all_{decision.name}", decision.decided[~is_one]
    rule = search.explain(Decision(name, location, rows[~is_one], rest), limits)
    if rule is None:
        return None
    holds = rule.column(1, examples.count(location))[rows]
    if not (is_one & ~holds).any():
        return None  # it is no choice
    name = search.concept(location, search.keep(rule).says(1), name)
    left = replace(decision, rows=rows[~holds], decided=decision.decided[~holds])
    prices = range(1, limits.price + 1)
    found = (observe_choice(search, left, replace(limits, price=price)) for price in prices)
    return name if any(found) else None


def _some(holds: ndarray, looks: ndarray, count: int) -> ndarray:
    """[count] bools: of whom one in view is so."""
    found = np.zeros(count, bool)
    found[looks[holds]] = True
    return found


def _is_plain(could: Expr) -> bool:
    """Whether it is one concept, or two."""
    parts = could.terms if isinstance(could, And) else (could,)
    bare = [part.term if isinstance(part, Not) else part for part in parts]
    return len(parts) <= 2 and all(isinstance(part, Get) for part in bare)


def _said(search: Search, could: Expr) -> Expr:
    """The same, concepts of own fields by what they say."""
    if not isinstance(could, Get):
        said: Expr = rebuilt(could, lambda part: _said(search, part))
        return said
    match search.script.look.get(could.column):
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

    def key(self, limits: Limits) -> float:
        """Odd ones, and what else is to be said."""
        clearly = limits.condition_clearly * sum(map(len, self.cases))
        return self.odd + clearly + limits.condition_dearer * self.cost

    def holds(self, columns: ndarray) -> ndarray:
        """[N] bools. columns: [N, C] bools."""
        return np.logical_or.reduce([_all_so(columns, parts) for parts in self.cases])

    def could(self, decision: Decision, offered: list[Observation]) -> Explanation:
        """Who could be chosen. offered: what the parts are of."""
        numbers = sorted({number for parts in self.cases for number, _ in parts})
        holds = self.holds(np.stack([one.column for one in offered], 1)).astype(np.int64)
        everyone = replace(
            decision, name=f"may_{decision.name}", rows=np.arange(len(holds)), decided=holds
        )
        chosen = [offered[number] for number in numbers]
        return Explanation.of(everyone, chosen, self.cost, proven=False)


def likely_choice(search: Search, decision: Decision, limits: Limits) -> Choice | None:
    """The first of those that could be, where that is what was decided but for exceptions.

    Parameters
    ----------
    search : Search
        Where it is observed.
    decision : Decision
        1 where an element was chosen, 0 where it was not.
    limits : Limits
        Until when it may be looked for, and what conditions are made of.
    """
    examples = search.examples
    by_links: list[At] = ["link"] if decision.location == "edge" else []
    places = [decision.location, *by_links]
    offered = {place: _offered(search, decision, place, limits) for place in places}
    known = orders_of(examples, decision, odd=True)
    orders = [order for order in known if offered[order.relation.own]]
    owner = examples.owner(decision.location)[decision.rows]
    graphs, sizes = np.unique(owner, return_counts=True)
    drawn = np.random.default_rng(0).permutation(len(graphs))
    some = graphs[drawn[: int((sizes[drawn].cumsum() <= limits.orders_on).sum()) + 1]]

    def trial(order: Order, graphs: ndarray) -> _Trial:
        return _Trial(examples, decision, order, offered[order.relation.own], graphs, limits)

    def key(condition: _Condition, order: Order) -> float:
        return condition.key(limits) + limits.condition_dearer * order.cost

    if len(orders) > limits.best_orders:
        keys = [key(trial(order, some).best(), order) for order in orders if not limits.is_late]
        best = np.argsort(keys, kind="stable")[: limits.best_orders]
        orders = [orders[place] for place in best] or orders
    least, made = np.inf, None
    for order in orders:
        if limits.is_late:
            break
        condition = trial(order, graphs).best(widened=True)
        most = limits.condition_odd * decision.decided.sum()
        if key(condition, order) < least and condition.odd <= most:
            own = order.relation.own
            could = condition.could(replace(decision, location=own), offered[own])
            least, made = key(condition, order), Choice.of(examples, decision, order, could)
    return made


class _Trial:
    """An order on some graphs: what conditions are made of, and who comes before whom."""

    def __init__(
        self,
        examples: Examples,
        decision: Decision,
        order: Order,
        offered: list[Observation],
        graphs: ndarray,
        limits: Limits,
    ) -> None:
        self.limits = limits
        own, location = order.relation.own, decision.location
        kept = np.flatnonzero(np.isin(examples.owner(own), graphs))
        place = np.full(examples.count(own), -1)
        place[kept] = np.arange(len(kept))
        is_here = place[order.looks] >= 0
        ends = place[order.looks[is_here]], place[order.others[is_here]]
        # [n, n] by whom each comes later
        self.before = csr_array(
            (np.ones(len(ends[0]), np.float32), ends), shape=(len(kept), len(kept))
        )
        self.columns = np.stack([one.column[kept] for one in offered], 1)  # [n, C]
        self.prices = np.tile([float(one.cost) for one in offered], 2)
        # [n] who is chosen by each: itself, or the edge of a link
        self.chosen_by = kept if own == location else examples.edges_of_links()[kept]
        self.size = examples.count(location)
        is_here = np.isin(examples.owner(location)[decision.rows], graphs)
        self.rows, self.chosen = decision.rows[is_here], decision.decided[is_here] == CHOSEN

    def best(self, *, widened: bool = False) -> _Condition:
        """The best condition of one observation, of two, and so on; widened: with a second case
        that has all parts of the first but one, where that is better.
        """
        limits = self.limits
        best, kept = None, [_Condition(((),), len(self.rows), 0.0)]
        for _ in range(limits.condition_parts):
            narrower: dict[tuple[Parts, ...], _Condition] = {}
            for condition in kept:
                for some in self._with_one_more((), condition.cases[0], condition.cost):
                    narrower[some.cases] = some
            kept = sorted(narrower.values(), key=lambda some: some.key(limits))
            kept = kept[: limits.condition_kept]
            if best is not None and (not kept or kept[0].key(limits) > best.key(limits)):
                break
            best = kept[0]
        assert best is not None
        (parts,), cost = best.cases, best.cost
        for left_out in range(len(parts)) if widened else ():
            rest = parts[:left_out] + parts[left_out + 1 :]
            wider = self._with_one_more((parts,), rest, cost)
            best = min(best, *wider, key=lambda one: one.key(limits))
        return best

    def _with_one_more(
        self, cases: tuple[Parts, ...], parts: Parts, cost: float
    ) -> list[_Condition]:
        """The best that have one more case: some parts, and one of all observations."""
        count, here = self.columns.shape[1], self.columns
        could = np.concatenate([here, ~here], 1) & _all_so(here, parts)[:, None]
        for other in cases:
            could |= _all_so(here, other)[:, None]
        first = could & ~((self.before @ could.astype(np.float32)) > 0)
        chosen = np.zeros((self.size, could.shape[1]), bool)
        np.logical_or.at(chosen, self.chosen_by, first)
        odd = (chosen[self.rows] != self.chosen[:, None]).sum(0)
        made = []
        ranked = np.argsort(odd + self.limits.condition_dearer * self.prices, kind="stable")
        for place in ranked[: self.limits.condition_kept].tolist():
            part = (place % count, place < count)
            if part[0] not in [number for number, _ in parts]:
                grown = (*cases, tuple(sorted((*parts, part))))
                made.append(_Condition(grown, int(odd[place]), cost + float(self.prices[place])))
        return made


def _offered(search: Search, decision: Decision, location: At, limits: Limits) -> list[Observation]:
    """What conditions are made of; not this choice itself, where it was observed before."""
    itself, price = first_name(decision), limits.condition_price
    cheap = sorted(
        search.offered(location, replace(limits, price=price)).all, key=lambda it: it.cost
    )
    others = (
        one
        for one in cheap
        if one.cost <= price and not any(word.startswith(itself) for word in words_of(one.said))
    )
    return list(islice(others, limits.condition_offered))


def _all_so(columns: ndarray, parts: Parts) -> ndarray:
    """[N] bools: where all parts are so."""
    made = np.ones(len(columns), bool)
    for number, is_so in parts:
        made &= columns[:, number] == is_so
    return made
