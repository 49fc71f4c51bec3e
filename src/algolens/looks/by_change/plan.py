"""What an observation keeps of its view so that a step costs only what changes.

An observation is a table over the values of own features and over counts of those in view, be it
declared or what a stage of a network concludes. A count is kept by parts: each is an index of
those in view that are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from algolens.graphs import Location
from algolens.looks.by_change.layout import COUNT, DIFFER, MEET, ORDER
from algolens.looks.features import EQUAL, HIGHER, LOWER, Compared, Feature, Meeting
from algolens.looks.language import Quantified, Quantity, atoms
from algolens.looks.relations import Relation
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose

MOST_TABLE = 2**20  # entries of an observation's table
MOST_PARTS = 60  # of a count: those that matter to an own class are the bits of a number

ITSELF = ((Term(Whose.ITS),), (Term(Whose.MY),))  # "it" beside "me"


@dataclass(frozen=True, eq=False)
class ViewPart:
    """An index of the marked ones in view: their number, those of my value, or the lowest."""

    kind: int
    mask: np.ndarray  # [kinds without comparisons] whether one of such a kind is marked
    feature: Feature | None = None  # that compares one in view with the element that looks
    sign: int = 1  # of an order: -1 where the highest counts
    with_equal: bool = False  # of an order: whether an equal one counts
    is_alike: bool = True  # both sides say the same, so no element differs from itself
    without_itself: bool = False  # of a count: an element that is in its own view does not count


@dataclass(frozen=True, eq=False)
class ViewCount:
    """How many in view are of some kinds, between ``least - 1`` and ``most``."""

    relation: Relation
    own: tuple[Feature, ...]  # that decide which kinds count
    other: tuple[Feature, ...]  # that tell those in view apart
    kinds: np.ndarray  # [own classes, *kinds] bools
    least: int
    most: int

    @property
    def size(self) -> int:
        """The number of its values."""
        return self.most - self.least + 2

    @property
    def plain(self) -> tuple[Feature, ...]:
        """The features of one in view alone."""
        return tuple(feature for feature in self.other if not feature.crosses)

    @cached_property
    def parts(self) -> tuple[list[ViewPart], list[list[int]]]:
        """The parts that it is kept by, and for each own class the numbers of those it needs."""
        known: dict[tuple[object, ...], int] = {}
        parts: list[ViewPart] = []
        of_class: list[list[int]] = []
        for kinds in self.kinds:
            of_class.append([])
            for part in self._parts_of(kinds):
                label = (
                    part.kind,
                    part.mask.tobytes(),
                    part.feature,
                    part.sign,
                    part.with_equal,
                    part.without_itself,
                )
                if label not in known:
                    known[label] = len(parts)
                    parts.append(part)
                of_class[-1].append(known[label])
        return parts, of_class

    @property
    def obstacle(self) -> str | None:
        """Why it costs a pass in every step; None where changes bound it."""
        for kinds in self.kinds:
            telling = self._telling(kinds)
            if len(telling) > 1:
                return "it compares those in view with the element in two ways at once"
            if self.most > 1 and any(part.kind != COUNT for part in self._parts_of(kinds)):
                return "it counts those in view that compare with the element"
            if telling and self.relation.others_only:
                feature = self.other[telling[0]]
                differs = any(part.kind == DIFFER for part in self._parts_of(kinds))
                if differs and not _is_alike(feature):
                    return "it asks for another value than its own, of which the two sides differ"
        if self.most > 1 and self._looks_at_several_groups:
            return "it counts those in view at both ends"
        return None if len(self.parts[0]) <= MOST_PARTS else "it has too many cases"

    @property
    def _looks_at_several_groups(self) -> bool:
        joins = self.relation.joins
        paths = [{join.paths[side] for join in joins} for side in (0, 1)]
        return not joins[0].through_links and len(paths[0]) > 1 and paths[1] != {()}

    def _telling(self, kinds: np.ndarray) -> list[int]:
        """The comparisons that make a difference."""
        return [
            axis
            for axis, feature in enumerate(self.other)
            if feature.crosses and bool((kinds != kinds.take([0], axis)).any())
        ]

    def _mask(self, kinds: np.ndarray, outcome: int = 0, telling: int | None = None) -> np.ndarray:
        """The marked kinds without comparisons, where one that tells has this outcome."""
        for axis in range(len(self.other) - 1, -1, -1):
            if self.other[axis].crosses:
                kinds = kinds.take(outcome if axis == telling else 0, axis)
        return kinds.reshape(-1)

    def _parts_of(self, kinds: np.ndarray) -> list[ViewPart]:
        telling = self._telling(kinds)
        if not telling:
            mask = self._mask(kinds)
            return [ViewPart(COUNT, mask)] if mask.any() else []
        axis = telling[0]
        feature = self.other[axis]
        never_equal = isinstance(feature, Compared) and feature.distinct
        alike: dict[bytes, tuple[list[int], np.ndarray]] = {}  # outcomes with the same marks
        for outcome in range(feature.size):
            mask = self._mask(kinds, outcome, axis)
            if mask.any() and not (outcome == EQUAL and never_equal and self.relation.others_only):
                alike.setdefault(mask.tobytes(), ([], mask))[0].append(outcome)
        is_itself = isinstance(feature, Meeting) and feature.sides == ITSELF
        if (
            is_itself
            and self.relation.pointers
            and list(alike.values())
            and all(outcomes == [0] for outcomes, _ in alike.values())
        ):
            return [ViewPart(COUNT, mask, without_itself=True) for _, mask in alike.values()]
        return [_compared_part(feature, set(outcomes), mask) for outcomes, mask in alike.values()]


def _compared_part(feature: Feature, outcomes: set[int], mask: np.ndarray) -> ViewPart:
    if len(outcomes) == feature.size:
        return ViewPart(COUNT, mask)
    if not isinstance(feature, Compared) or outcomes in ({EQUAL}, {LOWER, HIGHER}):
        equal = outcomes == {EQUAL}  # of a meeting, 1 says that both are one element
        return ViewPart(MEET if equal else DIFFER, mask, feature, is_alike=_is_alike(feature))
    sign = 1 if LOWER in outcomes else -1
    return ViewPart(ORDER, mask, feature, sign, EQUAL in outcomes, _is_alike(feature))


def _is_alike(feature: Feature) -> bool:
    return len({tuple(term.path for term in side) for side in feature.sides}) == 1


@dataclass(frozen=True, eq=False)
class ObservationPlan:
    """An observation as a table over own features and counts of those in view.

    Parameters
    ----------
    statement : Statement
        What it observes.
    own : tuple of Feature
        The first axes of the table.
    counts : tuple of ViewCount
        The further axes.
    table : np.ndarray
        [*own, *counts] bools.
    """

    statement: Statement
    own: tuple[Feature, ...]
    counts: tuple[ViewCount, ...]
    table: np.ndarray | None  # None where it would be too large

    @classmethod
    def declared(cls, statement: Statement) -> ObservationPlan:
        """As its statement says."""
        own = tuple(
            dict.fromkeys(
                statement.features[atom][0]
                for atom in atoms(statement.formula)
                if not isinstance(atom, Quantified)
            )
        )
        counts = tuple(_quantified(statement, atom) for atom in statement.quantifiers)
        table = None
        if prod(feature.size for feature in own) * 2 ** len(counts) <= MOST_TABLE:
            table = statement.table(statement.formula, (*own, *statement.quantifiers))
            for place, atom in enumerate(statement.quantifiers):
                if atom.quantity is Quantity.EVERY:  # it holds where fewer than one is otherwise
                    table = np.flip(table, len(own) + place)
        return cls(statement, own, counts, table)

    @classmethod
    def concluded(
        cls,
        statement: Statement,
        groups: Sequence[np.ndarray],
        conclude: Callable[[], np.ndarray],
    ) -> ObservationPlan:
        """As a stage of a network concludes it from counts of groups of kinds.

        Parameters
        ----------
        statement : Statement
            Whose own classes and kinds the stage tells apart.
        groups : sequence of np.ndarray
            [kinds] bools: kinds that make the same difference.
        conclude : callable
            Gives the table of all cases, [own classes, *counts].
        """
        own, most = statement.own, statement.most
        sizes = [feature.size for feature in statement.other]
        assert statement.relation is not None or not groups
        counts = tuple(
            ViewCount(statement.relation, (), statement.other, group.reshape(1, *sizes), 1, most)
            for group in groups
            if statement.relation is not None
        )
        axes = [*(feature.size for feature in own), *(count.size for count in counts)]
        table = conclude().reshape(axes) if prod(axes) <= MOST_TABLE else None
        return cls(statement, own, counts, table)

    @property
    def obstacle(self) -> str | None:
        """Why it costs a pass in every step; None where changes bound it."""
        if self.table is None:
            return "it has too many cases"
        obstacles = (count.obstacle for count in self.counts)
        return next((obstacle for obstacle in obstacles if obstacle is not None), None)


def _quantified(statement: Statement, atom: Quantified) -> ViewCount:
    features = dict.fromkeys(statement.features[part][0] for part in atoms(atom.body))
    own = tuple(feature for feature in features if not feature.of_another)
    other = tuple(feature for feature in features if feature.of_another)
    kinds = statement.table(atom.counted, (*own, *other))
    kinds = kinds.reshape(-1, *kinds.shape[len(own) :])
    return ViewCount(atom.relation, own, other, kinds, atom.count, atom.count)


@dataclass(frozen=True, eq=False)
class Witness:
    """Going on while some element is a witness, or while none is."""

    table: np.ndarray  # [2**C] by pattern of concepts, whether an element is one
    exists: bool  # whether one is to go on; else to stop


@dataclass(frozen=True, eq=False)
class ConceptTables:
    """How outputs and going on follow from concepts."""

    location: Location
    concepts: tuple[str, ...]
    outputs: Mapping[str, np.ndarray]  # for each, its value by pattern of concepts
    carried: Mapping[str, str]  # observations that are state: their names as such
    witness: Witness | None = None
    observed: str | None = None  # the observation of the graph that says whether to go on
