"""Whether to go on: some element is so, or none is, after the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import torch
from numpy import ndarray

from algolens.algorithms import Limit
from algolens.discovery.bits import BitTable
from algolens.discovery.candidates import Observation
from algolens.discovery.decisions import MOST_PRICE, Bounds, UnsettledError
from algolens.discovery.names import words_of
from algolens.discovery.schema import Episodes
from algolens.discovery.state import SearchState
from algolens.language.ir import Get
from algolens.logic import GoOn, minimal_rules, pack
from algolens.logic.going_on import Quantifier

MOST_EXTRA = 300  # observations of one price that are tried beside all concepts
MOST_SORTED = 2000  # of these, the first that are looked through for what moves go by
EXTRA = "extra"  # stands for the observation that is added
MOST_IF_FIXED = 3  # price of observations that are tried where the number of steps may be fixed
LIMITS = (
    Limit(),
    Limit(2),
    Limit(3),
    Limit(per="edge"),
    Limit(per="pair"),
    Limit(2, "pair"),
)


class _Asked:
    """What was asked of graphs, and concepts of their elements.

    Parameters
    ----------
    state : SearchState
        What was found.
    asked : ndarray
        [G] 1 and 0: whether a run goes on; -1: it was not asked.
    allowed : float
        The share of graphs of which a rule may be wrong.
    """

    def __init__(self, state: SearchState, asked: ndarray, allowed: float) -> None:
        owner = state.examples.owner(state.schema.location)
        self.here = np.flatnonzero(asked[owner] >= 0)
        self.here = self.here[np.argsort(owner[self.here], kind="stable")]
        self.graphs = np.flatnonzero(asked >= 0)
        self.wanted = asked[self.graphs] == 1
        self.owner = np.searchsorted(self.graphs, owner[self.here])
        self.allowed = allowed
        self.columns: dict[str, ndarray] = {}

    def add(self, name: str, column: ndarray) -> None:
        self.columns[name] = column[self.here]

    def telling(self, bits: BitTable) -> ndarray:
        """[K] bools: of which columns some element has one, or not, just where it goes on, or just
        where not, but for what is allowed.
        """
        tells = np.zeros(len(bits), bool)
        present, first = np.unique(self.owner, return_index=True)
        if not len(present) or not len(bits):
            return ~tells
        rows = bits.rows(self.here)
        some, every = np.bitwise_or.reduceat(rows, first), np.bitwise_and.reduceat(rows, first)
        for packed in (some, ~every):
            has_one = np.zeros((len(self.graphs), len(bits)), bool)
            has_one[present] = bits.unpacked(packed)
            right = (has_one == self.wanted[:, None]).mean(0)
            tells |= (right >= 1 - self.allowed) | (right <= self.allowed)
        return tells

    def rule(self, names: Sequence[str], extra: Callable[[], str] = lambda: EXTRA) -> GoOn | None:
        """The rule over some concepts, where they tell. extra: names the one that is added."""
        packed = pack(np.stack([self.columns[name] for name in names], 1))
        patterns, pattern = np.unique(packed, return_inverse=True)
        # of each pattern, in how many graphs it is seen
        seen = np.unique(np.stack([pattern, self.owner]), axis=1)
        for wanted, quantifier in ((True, Quantifier.EXISTS), (False, Quantifier.NO)):
            is_right = (self.wanted == wanted)[seen[1]]
            right = np.bincount(seen[0][is_right], minlength=len(patterns))
            wrong = np.bincount(seen[0][~is_right], minlength=len(patterns))
            off = wrong > self.allowed * right
            has_one = np.zeros(len(self.graphs), bool)
            has_one[self.owner[~off[pattern]]] = True
            if (has_one != (self.wanted == wanted)).mean() <= self.allowed:
                called = tuple(extra() if name == EXTRA else name for name in names)
                if len({*called}) < len(called):  # what is added is among the concepts
                    return self.rule(tuple(dict.fromkeys(called)))
                rules = minimal_rules(called, patterns[~off], patterns[off], seconds=2.0)
                return GoOn(rules.formula, quantifier)
        return None


def limit_of(episodes: Sequence[Episodes], *, fixed: bool) -> Limit | None:
    """The least limit that all runs keep; of a fixed number of steps, the one that all meet."""
    lengths = torch.cat([some.lengths for some in episodes])
    for limit in LIMITS:
        allowed = torch.cat([limit.on(some.graph) for some in episodes])
        if bool((lengths == allowed).all() if fixed else (lengths <= allowed).all()):
            return limit
    return None


def explain_going_on(
    state: SearchState, concepts: tuple[str, ...], bounds: Bounds, *, may_be_fixed: bool = False
) -> GoOn | None:
    """A rule over concepts, or over one more observation; None where the steps are fixed.

    Parameters
    ----------
    state : SearchState
        What was found.
    concepts : tuple of str
        What decides the outputs.
    bounds : Bounds
        Until when it may be looked for; ``allowed`` is the share of graphs where it may be wrong.
    may_be_fixed : bool
        Whether all runs have the same number of steps, by the size of their graph: where no cheap
        observation tells, that number is fixed.
    """
    values = torch.cat([block.asked for block in state.examples.blocks]).numpy()
    if (values < 0).all():
        return None
    location, asked = state.schema.location, _Asked(state, values, bounds.allowed)

    def with_extra(extra: Observation, *beside: str) -> GoOn | None:
        asked.add(EXTRA, extra.column)
        return asked.rule(
            (*beside, EXTRA), lambda: state.concept(location, state.outspoken(extra.said))
        )

    for name in concepts:
        asked.add(name, state.examples.own(Get(name, location.value), location.value))
    for chosen in (some for size in (1, 2) for some in combinations(concepts, size)):
        if (rule := asked.rule(chosen)) is not None:
            return rule
    marks = state.script.marks
    for price in range(1, 1 + (MOST_IF_FIXED if may_be_fixed else MOST_PRICE)):
        offered = state.offered(location, price, bounds)
        tells = asked.telling(state.bits(location))
        new = [number for number, some in enumerate(offered) if some.cost == price]
        # those that speak of what moves come first
        extras, telling = (
            sorted(some[:MOST_SORTED], key=lambda one: not words_of(one.said) & marks)
            for some in ([offered[n] for n in new], [offered[n] for n in new if tells[n]])
        )
        if bounds.is_late:
            break
        for extra in telling:
            if (rule := with_extra(extra)) is not None:
                return rule
        if price == 2 and concepts and (rule := asked.rule(concepts)) is not None:
            return rule
        for extra in extras[:MOST_EXTRA]:
            if (rule := with_extra(extra, *concepts)) is not None:
                return rule
            if bounds.is_late:
                break
        if bounds.is_late:
            break
        if price == 3 and not may_be_fixed:
            state.deepen(bounds)
    if may_be_fixed:
        return None
    raise UnsettledError(
        "whether it goes on is not settled: no observation of some element, or of none, tells. "
        "Where it counts its steps, put the count into the state."
    )
