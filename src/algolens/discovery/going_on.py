"""Whether to go on: some element is so, or none is, after the step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from algolens.discovery.bench import MOST_PRICE, Bench, own_test
from algolens.discovery.decisions import UnsettledError
from algolens.discovery.observations import Observation
from algolens.fields import Location
from algolens.logic import GoOn, minimise, pack
from algolens.logic.formula import Concept, Formula
from algolens.logic.going_on import Quantifier
from algolens.looks.language import terms, with_atoms

MOST_EXTRA = 300  # observations of one price that are tried beside all concepts
EXTRA = "extra"  # stands for the observation that is added


class _Asked:
    """What was asked of graphs, and concepts of their elements."""

    def __init__(self, bench: Bench, asked: np.ndarray) -> None:
        location, self.tolerance = bench.schema.location, bench.tolerance
        self.asked, self.graphs = asked, np.flatnonzero(asked >= 0)
        owner = bench.situations.owner(location)
        self.here = np.isin(owner, self.graphs)
        self.owner = owner[self.here]
        self.columns: dict[str, np.ndarray] = {}

    def add(self, name: str, column: np.ndarray) -> None:
        self.columns[name] = column[self.here]

    def telling(self, observations: Sequence[Observation]) -> list[Observation]:
        """Those that hold of some element, or do not, just where it goes on, or just where not."""
        if not observations or not len(self.owner):
            return list(observations)
        columns = np.stack([some.column[self.here] for some in observations], 1)
        number = np.searchsorted(self.graphs, self.owner)
        wanted = (self.asked[self.graphs] == 1)[:, None]
        tells = np.zeros(len(observations), bool)
        for turned in (columns, ~columns):
            has_one = np.zeros((len(self.graphs), len(observations)), bool)
            np.logical_or.at(has_one, number, turned)
            tells |= (has_one == wanted).all(0) | (has_one != wanted).all(0)
        return [some for some, does in zip(observations, tells, strict=True) if does]

    def rule(self, names: Sequence[str]) -> GoOn | None:
        """The rule over some concepts, where they tell."""
        packed = pack(np.stack([self.columns[name] for name in names], 1))
        for wanted, quantifier in ((1, Quantifier.EXISTS), (0, Quantifier.NO)):
            off = self._refused(packed, wanted)
            witness = ~np.isin(packed, off)
            has_one = np.zeros(len(self.asked), bool)
            has_one[self.owner[witness]] = True
            is_wrong = has_one[self.graphs] != (self.asked[self.graphs] == wanted)
            if is_wrong.mean() <= self.tolerance:
                on = np.unique(packed[witness])
                return GoOn(minimise(tuple(names), on, off, seconds=2.0).formula, quantifier)
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


def settle_going_on(bench: Bench, concepts: tuple[str, ...]) -> GoOn | None:
    """A rule over concepts, or over one more observation; None where the steps are fixed.

    Parameters
    ----------
    bench : Bench
        What was settled.
    concepts : tuple of str
        What decides the outputs.
    """
    values = bench.situations.of_graphs("asked", Location.GRAPH)
    if (values < 0).all():
        return None
    location, asked = bench.schema.location, _Asked(bench, values)
    for name in concepts:
        asked.add(name, bench.situations.own(own_test(name), location))
    for chosen in (some for size in (1, 2) for some in combinations(concepts, size)):
        if (rule := asked.rule(chosen)) is not None:
            return rule
    for bound in range(1, MOST_PRICE + 1):
        observations = [
            some
            for some in _marks_first(bench, bench.offered(location, bound))
            if some.cost == bound
        ]
        for extra in asked.telling(observations):
            asked.add(EXTRA, extra.column)
            if (rule := asked.rule((EXTRA,))) is not None:
                return _named(rule, bench.concept(location, bench.outspoken(extra.formula)))
        if bound == 2 and concepts and (rule := asked.rule(concepts)) is not None:
            return rule
        for extra in observations[:MOST_EXTRA]:
            asked.add(EXTRA, extra.column)
            if (rule := asked.rule((*concepts, EXTRA))) is not None:
                return _named(rule, bench.concept(location, bench.outspoken(extra.formula)))
            if bench.is_late():
                break
        if bench.is_late():
            break
        if bound == 3:
            bench.deepen()
    raise UnsettledError(
        "whether it goes on is not settled: no observation of some element, or of none, tells."
    )


def _named(rule: GoOn, name: str) -> GoOn:
    def renamed(atom: Formula) -> Formula:
        assert isinstance(atom, Concept)
        return Concept(name if atom.name == EXTRA else atom.name)

    return GoOn(with_atoms(rule.formula, renamed), rule.quantifier)


def _marks_first(bench: Bench, observations: Sequence[Observation]) -> list[Observation]:
    """Those that speak of what moves, before others of the same price."""
    marks = set(bench.script.marks)

    def key(observation: Observation) -> tuple[int, bool]:
        words = {word for term in terms(observation.formula) for word in term.path}
        return observation.cost, not words & marks

    return sorted(observations, key=key)
