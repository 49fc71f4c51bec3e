"""The first of those that could be: an observation that nobody named is found by its labels.

Many steps choose one of several: the nearest that waits, the lightest edge that leads out. Such a
decision says who could have been chosen: the chosen one, and none that comes before it. These are
labels for an observation of its own, which is settled like any other decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from algolens.discovery.bench import Bench
from algolens.discovery.decisions import Decision, SettledDecision
from algolens.discovery.literals import Literal, relations
from algolens.discovery.observations import better_pairs
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
from algolens.language.relations import Relation

# of which the elements that see each other are a group of their own
GROUPS = ("other node", "other edge", "other link", "rival", "sibling", "rival by")
ChoiceObserver = Callable[[Bench, Decision, int], str | None]
WAITS, CHOSEN, UNKNOWN = 0, 1, -1
# orders that are tried where observations cost more than 2: the cheapest, and those that explain
MOST_TRIED, MOST_EXPLAINING = 12, 12  # most


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
