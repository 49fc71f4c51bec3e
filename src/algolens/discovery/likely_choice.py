"""The first of those that could be, where some were chosen wrongly: the order and the condition by
which the fewest are odd.

Who could have been chosen cannot be told from wrong labels, as ``choosing`` does. So conditions of
one to three cheap observations are tried with every order, and what they choose is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from algolens.discovery.bench import Bench
from algolens.discovery.choosing import ChoiceOrder, choice_orders, first_name, observe_first
from algolens.discovery.decisions import Decision, SettledDecision
from algolens.discovery.observations import Observation
from algolens.fields import Location
from algolens.logic import pack

PRICE = 2  # of the observations that a condition is made of
MOST_OFFERED = 60  # of these, the cheapest
KEPT = 6  # conditions that are made narrower
MOST_PARTS = 3  # observations of a condition
CLEARLY = 8  # fewer odd ones, for which a condition is made narrower, or an order dearer
MOST_ODD = 0.8  # of those that were chosen; where more are odd, the order tells nothing


@dataclass(frozen=True, eq=False)
class _Condition:
    """Observations that hold, or do not, and how many are odd by it."""

    parts: tuple[tuple[int, bool], ...]  # the number of an observation, and whether it holds
    odd: int
    cost: float

    @property
    def key(self) -> float:
        """Odd ones, and what else is to be said."""
        return self.odd + CLEARLY * self.cost / 2


def observe_likely_choice(bench: Bench, decision: Decision, _: int = PRICE) -> str | None:
    """Observes the first of those that could be, where that is what was decided but for exceptions.

    Parameters
    ----------
    bench : Bench
        Where it is observed; it says how large a share may be exceptions.
    decision : Decision
        1 where an element was chosen, 0 where it was not.

    Returns
    -------
    str or None
        The name of the new observation.
    """
    most = min(bench.exceptions * len(decision.rows), MOST_ODD * decision.decided.sum())
    key = ("choice", *decision.key)
    if key not in bench.memo:
        bench.memo[key] = _likeliest(bench, decision)
    best = bench.memo[key]
    if best is None or best[1].odd > most:
        return None
    order, condition = best
    some = _offered(bench, decision, order.relation.own)
    chosen = [some[number] for number, _ in condition.parts]
    return observe_first(bench, decision, order, _all_of(decision, order, chosen, condition))


def _likeliest(bench: Bench, decision: Decision) -> tuple[ChoiceOrder, _Condition] | None:
    """The order and the condition by which the fewest are odd; dear ones must be clearly better."""
    least, best = np.inf, None
    for order in choice_orders(bench, decision, odd=True):
        if bench.is_late():
            break
        for condition in _conditions(bench, decision, order):
            key = condition.key + CLEARLY * order.cost / 2
            if key < least:
                least, best = key, (order, condition)
    return best


def _offered(bench: Bench, decision: Decision, location: Location) -> list[Observation]:
    """What conditions are made of; not this choice itself, where it was observed before."""
    itself = first_name(decision)
    some = [one for one in bench.offered(location, PRICE) if itself not in str(one.formula)]
    return sorted(some, key=lambda one: one.cost)[:MOST_OFFERED]


def _conditions(bench: Bench, decision: Decision, order: ChoiceOrder) -> Iterator[_Condition]:
    """The best conditions, of one observation, of two, and so on."""
    some = _offered(bench, decision, order.relation.own)
    columns = np.stack([one.column for one in some], 1)
    signed = np.concatenate([columns, ~columns], 1)
    prices = np.tile([float(one.cost) for one in some], 2)
    count = len(signed)
    before = csr_array(
        (np.ones(len(order.looks), np.float32), (order.looks, order.others)), shape=(count, count)
    )
    chosen = np.zeros(bench.situations.count(decision.location), bool)
    chosen[decision.rows] = decision.decided == 1
    kept = [_Condition((), len(decision.rows), 0.0)]
    for _ in range(MOST_PARTS):
        narrower: list[_Condition] = []
        for condition in kept:
            could = signed & _holds(columns, condition)[:, None]
            first = could & ~((before @ could.astype(np.float32)) > 0)
            if order.relation.own is not decision.location:
                first = _of_edges(bench, first)
            odd = (first[decision.rows] != chosen[decision.rows, None]).sum(0)
            for place in np.argsort(odd + CLEARLY * prices / 2, kind="stable")[:KEPT].tolist():
                part = (place % len(some), place < len(some))
                if part[0] not in [number for number, _ in condition.parts]:
                    parts = tuple(sorted((*condition.parts, part)))
                    cost = condition.cost + float(prices[place])
                    narrower.append(_Condition(parts, int(odd[place]), cost))
        least = min(condition.key for condition in kept)
        distinct = {condition.parts: condition for condition in narrower}
        kept = sorted(distinct.values(), key=lambda condition: condition.key)[:KEPT]
        yield from kept[:1]
        if not kept or (kept[0].key > least and len(kept[0].parts) > 1):
            return


def _holds(columns: np.ndarray, condition: _Condition) -> np.ndarray:
    """[N] bools: where a condition holds."""
    made = np.ones(len(columns), bool)
    for number, is_so in condition.parts:
        made &= columns[:, number] == is_so
    return made


def _of_edges(bench: Bench, links: np.ndarray) -> np.ndarray:
    """[E, C] bools: of which edges a link is so."""
    made = np.zeros((bench.situations.count(Location.EDGE), links.shape[1]), bool)
    np.logical_or.at(made, bench.situations.edges_of_links(), links)
    return made


def _all_of(
    decision: Decision, order: ChoiceOrder, chosen: list[Observation], condition: _Condition
) -> SettledDecision:
    """That all parts of a condition are so."""
    table = np.array(list(product((False, True), repeat=len(chosen))))
    wanted = np.array([is_so for _, is_so in condition.parts])
    return SettledDecision(
        f"may_{decision.name}",
        order.relation.own,
        tuple(some.formula for some in chosen),
        tuple(some.column for some in chosen),
        (),
        pack(table),
        (table == wanted).all(1).astype(np.int64),
        condition.cost,
        proven=False,
    )
