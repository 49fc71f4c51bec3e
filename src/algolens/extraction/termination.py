"""Termination rules: the smallest combination of concepts that exists exactly while the algorithm goes on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algolens.errors import ExtractionError
from algolens.extraction.occurrences import Occurrences
from algolens.logic import FALSE, Formula, concepts, pack, unpack
from algolens.logic.cubes import Cubes

WIDE = 4096  # combinations of one size, from which on it pays to know which have a future
ROOT_STEPS = 3
MAX_WIDTH = 2_000_000  # combinations of one size that are looked at; of more, the most hopeful


@dataclass(frozen=True)
class ExistsRule:
    """Go on while an element exists for which the formula holds."""

    formula: Formula
    fits: bool  # it says what every step says
    contradictions: tuple[int, ...]  # the steps that say otherwise
    num_steps: int
    proven: bool  # no combination fits, or fails less, with fewer literals

    def __str__(self) -> str:
        return f"exists n: {self.formula}"


def smallest_exists(
    names: Sequence[str], patterns: np.ndarray, step: np.ndarray, goes_on: np.ndarray, *, seconds: float = 10.0
) -> ExistsRule:
    """The smallest combination of ``names`` of which an element exists at the steps that go on, and at no other.

    patterns: [M, C] bools, the concepts of elements after a step; step: [M] the number of the step each belongs to, over all
    graphs; goes_on: [steps] bools. Of combinations of one size, the one of earlier concepts (so that who declares them says
    which matter most), then the one with more that are true. Where none fits, the one that fails
    at the fewest steps, of those the smallest, and the steps. After about ``seconds`` the search ends with the best that was
    found, and does not claim more.

    >>> patterns = np.array([[True, False], [True, True], [True, True], [False, False]])
    >>> rule = smallest_exists(["near", "seen"], patterns, np.array([0, 0, 1, 2]), np.array([True, False, False]))
    >>> str(rule), rule.fits
    ('exists n: near & ~seen', True)
    """
    patterns, step, goes_on = _checked(names, patterns, step, goes_on)
    if not goes_on.any():
        return ExistsRule(FALSE, True, (), len(goes_on), True)
    steps = _steps(patterns, step, len(goes_on))
    began = time.monotonic()
    best, proven = _smallest_that_fits(steps, goes_on, deadline=began + seconds / 2)
    if best is None:
        best, proven = _fails_least(steps, goes_on, deadline=began + seconds)
    wrong = tuple(np.flatnonzero(steps.occurs(best)[0] != goes_on).tolist())
    return ExistsRule(best.formulas(names)[0], not wrong, wrong, len(goes_on), proven)


def _steps(patterns: np.ndarray, step: np.ndarray, num_steps: int) -> Occurrences:
    """The distinct patterns of every step."""
    known, kind = np.unique(pack(patterns), return_inverse=True)
    owner, kind = np.divmod(np.unique(step.astype(np.int64) * max(1, len(known)) + kind), max(1, len(known)))
    return Occurrences(known[kind].astype(np.uint64), owner, num_steps, patterns.shape[1])


def _smallest_that_fits(steps: Occurrences, goes_on: np.ndarray, deadline: float) -> tuple[Cubes | None, bool]:
    """Level by level, a literal more each: what lacks at a step that goes on is dropped, with all that it would grow into.

    What matches an element of a step that stops must grow by a literal that fails there: only those are tried, and
    every smallest combination is still reached.
    """
    forbidden = np.unique(steps.patterns[~goes_on[steps.owner]])
    stopping = Occurrences(forbidden, np.zeros(len(forbidden), int), 1, steps.num_concepts)
    # an element that also occurs at a step that stops can be no reason to go on
    telling = goes_on[steps.owner] & ~np.isin(steps.patterns, forbidden)
    going = replace(steps, patterns=steps.patterns[telling], owner=steps.owner[telling]).take(goes_on)
    level, proven, roots = Cubes.empty(1, steps.num_concepts), True, None
    while len(level):
        if len(level) > WIDE and roots is None:
            roots = _roots(going, stopping)
        level = level if roots is None else level[level.inside(roots)]
        level = level[going.lacks(level, at_most=0) == 0]
        culprits = stopping.first_match(level)
        if (culprits < 0).any():
            return _first(level[culprits < 0]), proven
        level = _grown_against(level, forbidden[culprits])
        if len(level) > MAX_WIDTH:
            level, proven = level[:MAX_WIDTH], False
        if time.monotonic() > deadline:
            break
    return None, proven


def _first(level: Cubes) -> Cubes:
    """The one to take of combinations of one size."""
    opposites = level.care & ~level.value
    num_opposites = unpack(opposites, level.num_concepts).sum(1)
    return level[np.lexsort((~level.value, num_opposites, ~level.care))[:1]]


def _roots(going: Occurrences, stopping: Occurrences) -> Cubes:
    """What patterns of a few small steps have in common, without what is forbidden: whatever fits is part of one of them."""
    groups = sorted(np.split(going.patterns, np.searchsorted(going.owner, np.arange(1, going.num_groups))), key=len)
    roots = Cubes.of_patterns(groups[0], going.num_concepts)
    for patterns in groups[1:ROOT_STEPS]:
        if len(roots) * len(patterns) > MAX_WIDTH:
            break
        shared = ~(roots.value[:, None] ^ patterns) & roots.care[:, None]
        roots = Cubes((shared & patterns).ravel(), shared.ravel(), going.num_concepts).in_order()
        roots = roots[stopping.avoided(roots)]
    return roots


def _grown_against(level: Cubes, culprits: np.ndarray) -> Cubes:
    """Every combination with one more literal, one that its culprit fails."""
    grown = [level[:0]]
    for flip in np.uint64(1) << np.arange(level.num_concepts, dtype=np.uint64):
        free = (level.care & flip) == 0
        grown.append(Cubes(level.value[free] | (~culprits[free] & flip), level.care[free] | flip, level.num_concepts))
    return Cubes.join(grown).in_order()


def _fails_least(steps: Occurrences, goes_on: np.ndarray, deadline: float) -> tuple[Cubes, bool]:
    """The combination that fails at the fewest steps, among those that lack at one step at most, then at two, four, ..."""
    going, stopping = steps.take(goes_on), steps.take(~goes_on)
    allowed = 1
    while True:
        best, fails, is_complete = _fails_at_most(going, stopping, allowed, deadline)
        # what fails as seldom as is allowed lacks as seldom, and so does all that it grows out of: it was not passed over
        if fails <= allowed or not is_complete:
            return best, is_complete
        allowed *= 2


def _fails_at_most(going: Occurrences, stopping: Occurrences, allowed: int, deadline: float) -> tuple[Cubes, int, bool]:
    """Level by level, the combination that fails least of those that lack at most so often; and whether all were looked at."""
    level, is_complete = Cubes.empty(1, going.num_concepts), True
    best, fewest = level, going.num_groups + stopping.num_groups + 1
    while len(level):
        lacks = going.lacks(level, allowed)
        level, lacks = level[lacks <= allowed], lacks[lacks <= allowed]
        fails = lacks + stopping.num_groups - stopping.lacks(level, stopping.num_groups)
        least = int(fails.min(initial=fewest))
        if least < fewest:
            best, fewest = _first(level[fails == least]), least
        hopeful = np.flatnonzero(lacks < fewest)  # a lack stays, whatever is added
        if len(hopeful) > MAX_WIDTH // going.num_concepts:
            hopeful, is_complete = hopeful[np.argsort(fails[hopeful], kind="stable")[: MAX_WIDTH // going.num_concepts]], False
        if len(hopeful) and time.monotonic() > deadline:
            return best, fewest, False
        level = _grown_by_later(level[hopeful])
    return best, fewest, is_complete


def _grown_by_later(level: Cubes) -> Cubes:
    """Every combination with one more literal, of a concept after its last, so that each is made once."""
    grown = [level[:0]]
    for flip in np.uint64(1) << np.arange(level.num_concepts, dtype=np.uint64):
        free = (level.care & (2 * flip - np.uint64(1))) == 0
        value, care = level.value[free], level.care[free] | flip
        grown += [Cubes(value, care, level.num_concepts), Cubes(value | flip, care, level.num_concepts)]
    return Cubes.join(grown)


def _checked(names: Sequence[str], patterns: np.ndarray, step: np.ndarray, goes_on: np.ndarray) -> tuple[np.ndarray, ...]:
    concepts(*names)  # refuses what cannot name a concept
    patterns, step, goes_on = np.asarray(patterns), np.asarray(step), np.asarray(goes_on)
    if patterns.dtype != bool or patterns.shape != (len(step), len(names)):
        raise ExtractionError(
            f"patterns came as {patterns.dtype} of shape {list(patterns.shape)}; for {len(step)} elements and the concepts "
            f"{', '.join(names)} they are bools of shape [{len(step)}, {len(names)}]: threshold them first, as in values > 0.5."
        )
    if goes_on.dtype != bool or goes_on.ndim != 1 or len(goes_on) == 0:
        raise ExtractionError(
            f"goes_on came as {goes_on.dtype} of shape {list(goes_on.shape)}; it is a bool for every step, and one at least."
        )
    if step.ndim != 1 or step.dtype.kind not in "iu" or (step.size and not 0 <= step.min() <= step.max() < len(goes_on)):
        raise ExtractionError(
            f"steps are numbered from 0 to {len(goes_on) - 1}, as many as goes_on has; {step.dtype} came"
            + (f", from {step.min()} to {step.max()}." if step.size else ".")
        )
    return patterns, step, goes_on
