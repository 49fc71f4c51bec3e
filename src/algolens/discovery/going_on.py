"""Whether to go on: some element is so, or none is, after the step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
import torch

from algolens.algorithms import Limit
from algolens.discovery.bench import MOST_PRICE, Bench
from algolens.discovery.bits import BitTable
from algolens.discovery.decisions import UnsettledError
from algolens.discovery.names import words_of
from algolens.discovery.observations import Observation
from algolens.discovery.schema import Episodes
from algolens.language.fields import Location
from algolens.language.ir import Expr, Get
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
    Limit(per=Location.EDGE),
    Limit(squared=True),
    Limit(2, squared=True),
)


class _Asked:
    """What was asked of graphs, and concepts of their elements."""

    def __init__(self, bench: Bench, asked: np.ndarray, tolerance: float) -> None:
        location, self.tolerance = bench.schema.location, tolerance
        self.asked, self.graphs = asked, np.flatnonzero(asked >= 0)
        owner = bench.situations.owner(location)
        self.here = np.isin(owner, self.graphs)
        self.owner = owner[self.here]
        self.columns: dict[str, np.ndarray] = {}

    def add(self, name: str, column: np.ndarray) -> None:
        self.columns[name] = column[self.here]

    def telling(self, bits: BitTable) -> np.ndarray:
        """[K] bools: of which columns some element has one, or not, just where it goes on, or just
        where not, but for what is tolerated.
        """
        order = np.argsort(self.owner, kind="stable")
        rows = bits.rows(np.flatnonzero(self.here)[order])
        present, first = np.unique(self.owner[order], return_index=True)
        wanted = (self.asked[self.graphs] == 1)[:, None]
        tells = np.zeros(len(bits), bool)
        if not len(present) or not len(bits):
            return ~tells
        some, every = np.bitwise_or.reduceat(rows, first), np.bitwise_and.reduceat(rows, first)
        for packed in (some, ~every):
            has_one = np.zeros((len(self.graphs), len(bits)), bool)
            has_one[np.searchsorted(self.graphs, present)] = bits.unpacked(packed)
            right = (has_one == wanted).mean(0)
            tells |= (right >= 1 - self.tolerance) | (right <= self.tolerance)
        return tells

    def rule(self, names: Sequence[str], extra: Callable[[], str] = lambda: EXTRA) -> GoOn | None:
        """The rule over some concepts, where they tell. extra: names the one that is added."""
        packed = pack(np.stack([self.columns[name] for name in names], 1))
        for wanted, quantifier in ((1, Quantifier.EXISTS), (0, Quantifier.NO)):
            off = self._refused(packed, wanted)
            witness = ~np.isin(packed, off)
            has_one = np.zeros(len(self.asked), bool)
            has_one[self.owner[witness]] = True
            is_wrong = has_one[self.graphs] != (self.asked[self.graphs] == wanted)
            if is_wrong.mean() <= self.tolerance:
                on = np.unique(packed[witness])
                called = tuple(extra() if name == EXTRA else name for name in names)
                if len({*called}) < len(called):  # what is added is among the concepts
                    return self.rule(tuple(dict.fromkeys(called)))
                return GoOn(minimal_rules(called, on, off, seconds=2.0).formula, quantifier)
        return None

    def _refused(self, packed: np.ndarray, wanted: int) -> np.ndarray:
        """Patterns that are seen in graphs where it is otherwise, more often than is tolerated."""
        if not self.tolerance:
            return np.unique(packed[self.asked[self.owner] != wanted])
        seen = np.unique(np.stack([packed.astype(np.int64), self.owner]), axis=1)
        patterns, place = np.unique(seen[0], return_inverse=True)
        is_wanted = self.asked[seen[1]] == wanted
        wrong = np.bincount(place, ~is_wanted, minlength=len(patterns))
        right = np.bincount(place, is_wanted, minlength=len(patterns))
        return patterns[wrong > self.tolerance * right].astype(packed.dtype)


def limit_of(episodes: Sequence[Episodes], *, fixed: bool) -> Limit | None:
    """The least limit that all runs keep; of a fixed number of steps, the one that all meet."""
    for limit in LIMITS:
        allowed = torch.cat([limit.on(some.graph) for some in episodes])
        lengths = torch.cat([some.lengths for some in episodes])
        if bool((lengths == allowed).all() if fixed else (lengths <= allowed).all()):
            return limit
    return None


def settle_going_on(
    bench: Bench,
    concepts: tuple[str, ...],
    *,
    may_be_fixed: bool = False,
    tolerance: float = 0.0,
) -> GoOn | None:
    """A rule over concepts, or over one more observation; None where the steps are fixed.

    Parameters
    ----------
    bench : Bench
        What was settled.
    concepts : tuple of str
        What decides the outputs.
    may_be_fixed : bool
        Whether all runs have the same number of steps, by the size of their graph: where no cheap
        observation tells, that number is fixed.
    tolerance : float
        The share of graphs of which it may be an exception.
    """
    values = bench.situations.of_graphs("asked", Location.GRAPH)
    if (values < 0).all():
        return None
    location, asked = bench.schema.location, _Asked(bench, values, tolerance)

    def named(said: Expr) -> str:
        return bench.concept(location, bench.outspoken(said))

    for name in concepts:
        asked.add(name, bench.situations.own(Get(name, location.value), location.value))
    for chosen in (some for size in (1, 2) for some in combinations(concepts, size)):
        if (rule := asked.rule(chosen)) is not None:
            return rule
    for bound in range(1, 1 + (MOST_IF_FIXED if may_be_fixed else MOST_PRICE)):
        offered = bench.offered(location, bound)
        tells = asked.telling(bench.bits(location))
        new = [number for number, some in enumerate(offered) if some.cost == bound]
        telling = [offered[number] for number in new if tells[number]]
        observations = _marks_first(bench, [offered[number] for number in new[:MOST_SORTED]])
        if bench.is_late():
            break
        for extra in _marks_first(bench, telling[:MOST_SORTED]):
            asked.add(EXTRA, extra.column)
            if (rule := asked.rule((EXTRA,), partial(named, extra.said))) is not None:
                return rule
        if bound == 2 and concepts and (rule := asked.rule(concepts)) is not None:
            return rule
        for extra in observations[:MOST_EXTRA]:
            asked.add(EXTRA, extra.column)
            if (rule := asked.rule((*concepts, EXTRA), partial(named, extra.said))) is not None:
                return rule
            if bench.is_late():
                break
        if bench.is_late():
            break
        if bound == 3 and not may_be_fixed:
            bench.deepen()
    if may_be_fixed:
        return None
    raise UnsettledError(
        "whether it goes on is not settled: no observation of some element, or of none, tells. "
        "Where it counts its steps, put the count into the state."
    )


def _marks_first(bench: Bench, observations: Sequence[Observation]) -> list[Observation]:
    """Those that speak of what moves, before others of the same price."""
    marks = set(bench.script.marks)

    def key(observation: Observation) -> tuple[int, bool]:
        return observation.cost, not words_of(observation.said) & marks

    return sorted(observations, key=key)
