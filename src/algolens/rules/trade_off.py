"""Samples as patterns with labels, and the formulas that err least of each number of clauses."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.errors import ExtractionError
from algolens.logic import Formula
from algolens.logic.clauses import Clauses, ClauseSearch, clause_bits
from algolens.logic.minimal import exchanged, solve
from algolens.logic.names import as_name, check_name
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, pack, telling


@dataclass(frozen=True)
class Conflict:
    """A pattern with several labels: a concept is missing, or a label is wrong."""

    pattern: Formula  # the conjunction that says it all
    # samples, or their weight, by label; the first is the one that it counts as
    counts: dict[Any, float]


@dataclass(frozen=True)
class Labelled:
    """Distinct patterns, each with its most frequent label.

    >>> patterns = np.array([[True, False], [True, False], [True, True], [True, False]])
    >>> seen = Labelled.of(patterns, np.array([1, 0, 0, 1]), 2)
    >>> seen.patterns.tolist(), seen.labels.tolist()
    ([[True, False], [True, True]], [1, 0])
    >>> seen.conflicts(["a", "b"], ["no", "yes"])
    (Conflict(pattern=Formula('a & ~b'), counts={'yes': 2, 'no': 1}),)
    """

    patterns: ndarray  # [P, C] bools
    counts: ndarray  # [P, classes] the weight of the samples
    columns: ndarray  # [c] the concepts that rules may speak of

    @classmethod
    def of(
        cls,
        patterns: ndarray,
        labels: ndarray,
        num_classes: int,
        weights: ndarray | None = None,
    ) -> Labelled:
        """From [M, C] bools, [M] numbers of classes, and [M] weights, by default one each."""
        first, kind = _distinct(patterns)
        counts = np.bincount(
            kind * num_classes + labels, weights, minlength=len(first) * num_classes
        )
        # a copy of a million rows takes as long as the search
        is_all = len(first) == len(patterns) and (first == np.arange(len(first))).all()
        return cls(
            patterns if is_all else patterns[first],
            counts.reshape(len(first), num_classes),
            np.arange(patterns.shape[1]),
        )

    @property
    def labels(self) -> ndarray:
        """[P] the most frequent class of each; of equals the first."""
        return self.counts.argmax(1)

    @cached_property
    def relevant(self) -> ndarray:
        """[P, c] the patterns of the concepts that rules may speak of."""
        is_all = len(self.columns) == self.patterns.shape[1]
        return self.patterns if is_all else self.patterns[:, self.columns]

    def target(self, number: int) -> Target:
        """What the rule of a class is to describe."""
        mine = self.counts[:, number]
        return Target(self.relevant, mine, self.counts.sum(1) - mine)

    def fewest_errors(self, number: int) -> float:
        """Those of a rule that gives every pattern its most frequent label."""
        return self.target(number).errors((self.labels == number)[None])

    def sides(self, number: int) -> tuple[ndarray, ndarray]:
        """Packed patterns whose label is a class, and the others."""
        if len(self.columns) > MAX_PACKED_CONCEPTS:
            raise ExtractionError(
                f"{len(self.columns)} concepts are needed to tell the classes apart; rules can "
                f"speak of at most {MAX_PACKED_CONCEPTS}. Leave out concepts, or take "
                "unseen='dont-care'."
            )
        packed, is_mine = pack(self.relevant), self.labels == number
        return packed[is_mine], packed[~is_mine]

    def without_copies(self) -> Labelled:
        """Without concepts that never vary, or say what an earlier one says, or the opposite."""
        return replace(self, columns=self.columns[telling(self.relevant)])

    def without_ties(self) -> Labelled:
        """Of two classes, without patterns that came with both equally often: either is right."""
        tied = self.counts[:, 0] == self.counts[:, -1]
        if self.counts.shape[1] != 2 or not tied.any() or tied.all():
            return self
        return replace(self, patterns=self.patterns[~tied], counts=self.counts[~tied])

    def some(self, at_most: int) -> Labelled:
        """At most so many of the patterns, drawn at random, always the same ones."""
        if len(self.patterns) <= at_most:
            return self
        drawn = np.sort(np.random.default_rng(0).choice(len(self.patterns), at_most, replace=False))
        return replace(self, patterns=self.patterns[drawn], counts=self.counts[drawn])

    def without_needless_concepts(self) -> Labelled:
        """Where there are too many concepts, those by which a decision tree tells labels apart."""
        if len(self.columns) <= MAX_PACKED_CONCEPTS:
            return self
        from sklearn.tree import DecisionTreeClassifier  # takes most of a second to load

        tree = DecisionTreeClassifier(random_state=0).fit(self.relevant, self.labels).tree_
        return replace(self, columns=self.columns[np.unique(tree.feature[tree.feature >= 0])])

    def conflicts(self, names: Sequence[str], classes: Sequence[Any]) -> tuple[Conflict, ...]:
        """The patterns that came with several labels, the most frequent first."""
        mixed = np.flatnonzero((self.counts > 0).sum(1) > 1)
        mixed = mixed[np.argsort(-self.counts[mixed].sum(1), kind="stable")]
        in_full = Clauses(self.patterns[mixed], np.ones((len(mixed), len(names)), bool))
        return tuple(
            Conflict(pattern, _by_label(counts, classes))
            for pattern, counts in zip(in_full.formulas(names), self.counts[mixed], strict=True)
        )


def _distinct(patterns: ndarray) -> tuple[ndarray, ndarray]:
    """The place of each distinct pattern, and [M] which of them each pattern is."""
    if patterns.shape[1] <= MAX_PACKED_CONCEPTS:
        keys = pack(patterns)
    else:  # rows of bytes as one value each
        packed = np.packbits(patterns, axis=1)
        keys = packed.view(f"V{packed.shape[1]}")[:, 0]
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    return first, kind


def _by_label(counts: ndarray, classes: Sequence[Any]) -> dict[Any, float]:
    """The labels that came, the most frequent first."""
    return {
        classes[k]: int(counts[k]) if counts[k] == int(counts[k]) else float(counts[k])
        for k in np.argsort(-counts, kind="stable")
        if counts[k]
    }


@dataclass(frozen=True)
class ConceptColumns:
    """How columns are read, learnt from the samples that rules are fitted to."""

    threshold: float  # above it, a number counts as true
    # the columns that miss a value in some sample: that they do is a concept too
    may_miss: ndarray
    names: tuple[str, ...]  # one for each concept

    @classmethod
    def learnt(
        cls,
        X: ndarray,
        threshold: float,
        missing: str,
        given: Sequence[str] | None,
        columns: Sequence[str],
    ) -> ConceptColumns:
        """From samples [M, columns]; given: names of the concepts, else those of the columns."""
        may_miss = np.zeros(0, int)
        if missing == "concept" and X.dtype.kind == "f":
            may_miss = np.flatnonzero(np.isnan(X).any(0))
        names = tuple(given) if given is not None else tuple(as_name(str(c)) for c in columns)
        for name in names:
            check_name(name, "a concept")
        if len(names) == len(columns):
            names += tuple(f"{names[i]}_is_missing" for i in may_miss)
        expected = len(columns) + len(may_miss)
        if len(names) != expected or len(set(names)) < len(names):
            raise ExtractionError(
                f"{len(set(names))} different names came for {expected} concepts: "
                f"{', '.join(names)}. Give every concept a name of its own in feature_names."
            )
        return cls(threshold, may_miss, names)

    def as_bools(self, X: ndarray) -> ndarray:
        """[M, concepts] from samples [M, columns]."""
        is_missing = np.zeros((len(X), len(self.may_miss)), bool)
        if X.dtype == bool:
            bools = X
        else:
            if X.dtype.kind == "f":
                is_missing = np.isnan(X[:, self.may_miss])
            self._warn_of_numbers(X)
            bools = np.greater(X, self.threshold)
        return np.concatenate([bools, is_missing], 1) if len(self.may_miss) else bools

    def _warn_of_numbers(self, X: ndarray) -> None:
        """Warns where the default threshold meets numbers that are no probabilities."""
        if self.threshold != 0.5 or (X.dtype.kind == "f" and np.isnan(X).all()):
            return
        low, high = np.nanmin(X), np.nanmax(X)
        if not 0 <= low <= high <= 1:
            warnings.warn(
                f"X holds numbers from {low:g} to {high:g}, so neither bools nor probabilities; "
                "they count as true above 0.5. Give the threshold that suits them, 0 for logits, "
                "or threshold them yourself.",
                stacklevel=5,
            )


FIRST_SEARCHED = 1_500  # patterns that clauses are looked for on first
MAX_SEARCHED = 20_000  # and then; of more, as many at random
MAX_CELLS = 2_000_000  # patterns x concepts that clauses are looked for on
MAX_POOL = 600  # conjunctions that a formula is chosen from
PURER = 4.0  # what an error counts, to find clauses that err less
MAX_ADDED = 16  # rounds in which a choice may be given further clauses
THRIFTS = (0.1, 0.2, 0.4, 0.7, 1.0)  # what a bit of a clause counts, while a choice settles
ROUNDS = 4  # in which other clauses are looked for, at each of those
MAX_CONCEPTS = 10  # of more, there are too many conjunctions to choose among: 3**10 is 59,049
MAX_ENTRIES = 3e5  # conjunctions x patterns that a program may speak of
WITHIN = 0.01  # bits to which a proof goes


@dataclass(frozen=True)
class Point:
    """A formula as clauses, and what it costs."""

    clauses: Clauses
    errors: float  # the weight of the samples that it gets wrong
    bits: float  # that write down the clauses, and then which samples are exceptions to them

    @classmethod
    def of(cls, clauses: Clauses, errors: float, total: float) -> Point:
        """The clauses, and the weight of the samples that they get wrong, of ``total``."""
        bits = description_bits(errors, total, clauses.num_literals, clauses.num_concepts)
        return cls(clauses, errors, bits)


def description_bits(errors: float, total: float, literals: ndarray, num_concepts: int) -> float:
    """Bits that write down clauses of so many literals each, and which samples are exceptions.

    >>> round(description_bits(10, 1000, np.array([2, 3]), 8), 1)
    108.2
    """
    few = min(errors, total / 2)  # a formula that is wrong on more than half tells nothing
    which = math.lgamma(total + 1) - math.lgamma(few + 1) - math.lgamma(total - few + 1)
    return (
        float(clause_bits(literals, num_concepts).sum())
        + math.log2(total + 1)
        + which / math.log(2)
    )


@dataclass(frozen=True, eq=False)
class Target:
    """What a formula is to describe: distinct patterns, and what they were labelled."""

    patterns: ndarray  # [M, C] bools
    true: ndarray  # [M] the weight of the samples on which it should hold
    false: ndarray  # [M] the weight of those on which it should not

    @cached_property
    def saved(self) -> ndarray:
        """[M] the errors that covering each pattern saves, or adds."""
        return (self.true - self.false).astype(np.float64)

    @cached_property
    def all_true(self) -> float:
        """The errors of a formula that holds nowhere."""
        return float(self.true.sum())

    @cached_property
    def total(self) -> float:
        """The weight of all samples."""
        return float(self.true.sum() + self.false.sum())

    @cached_property
    def fewest(self) -> float:
        """The errors that every formula makes."""
        return float(np.minimum(self.true, self.false).sum())

    def errors(self, held: ndarray) -> float:
        """Those of a formula; held: [K, M] where each of its clauses holds."""
        return self.all_true - float(self.saved[held.any(0)].sum())

    def at(self, rows: ndarray | slice) -> Target:
        """Some of the patterns."""
        return Target(self.patterns[rows], self.true[rows], self.false[rows])

    def point(self, clauses: Clauses) -> Point:
        """A formula with what it costs."""
        return Point.of(clauses, self.errors(clauses.hold(self.patterns)), self.total)


@dataclass(frozen=True)
class TradeOff:
    """For each number of clauses the best formula found; errors fall from point to point."""

    points: tuple[Point, ...]
    in_time: bool  # the search came to its end, not to its deadline

    @property
    def best(self) -> Point:
        """The formula that the data support: the shortest description, with its exceptions."""
        return min(self.points, key=lambda point: point.bits)

    def at(self, num_clauses: int) -> Point:
        """Return the best formula with at most this many clauses."""
        return [point for point in self.points if len(point.clauses) <= num_clauses][-1]


def trade_offs(targets: Sequence[Target], *, deadline: float = math.inf) -> list[TradeOff]:
    """For each target the fewest errors by number of clauses, as far as the data support more.

    Of many patterns clauses are looked for on some, drawn at random; then, of the target with the
    shortest description, on more. They are measured on all. After ``deadline`` (by
    ``time.monotonic``) nothing better is looked for.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns = all_patterns(3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> (curve,) = trade_offs([Target(patterns, np.where(holds, 38, 2), np.where(holds, 2, 38))])
    >>> [(len(point.clauses), point.errors) for point in curve.points]
    [(0, 88.0), (1, 16.0)]
    >>> curve.best.clauses.num_literals.tolist()
    [2]
    """
    num_patterns, num_concepts = targets[0].patterns.shape
    order = np.random.default_rng(0).permutation(num_patterns)
    some, is_all = np.sort(order[:FIRST_SEARCHED]), num_patterns <= FIRST_SEARCHED
    until = deadline if is_all else (time.monotonic() + deadline) / 2
    curves = [_Search(target.at(some), until).trade_off(target) for target in targets]
    if not is_all:
        at_most = max(FIRST_SEARCHED, min(MAX_SEARCHED, MAX_CELLS // max(1, num_concepts)))
        some, k = np.sort(order[:at_most]), int(np.argmin([curve.best.bits for curve in curves]))
        search = _Search(targets[k].at(some), deadline)
        curves[k] = search.trade_off(targets[k], curves[k].best.clauses)
    return curves


class _Search:
    """A pool of clauses, and ever better choices from it: lists of places in the pool."""

    def __init__(self, target: Target, deadline: float) -> None:
        self.target, self.deadline = target, deadline
        self.thrift = 1.0  # as how many bits of exceptions a bit of a clause counts
        self.num_concepts = target.patterns.shape[1]
        self.search = ClauseSearch(target.patterns)
        is_packed = self.num_concepts <= MAX_PACKED_CONCEPTS
        self.patterns = pack(target.patterns) if is_packed else target.patterns
        self.pool, self.in_pool = Clauses.empty(0, self.num_concepts), set[bytes]()
        self.held = np.zeros((0, len(target.patterns)), np.float32)
        self.costs = np.zeros(0)

    @property
    def in_time(self) -> bool:
        return time.monotonic() < self.deadline

    def trade_off(self, target: Target, known: Clauses | None = None) -> TradeOff:
        """Ever fewer clauses, from a choice that begins as the known one or with none.

        target: on which they are measured.
        """
        if known is not None:
            self.add(known)
        taken = self.settled(list(range(len(self.pool))))
        if known is None and self.errors(taken) > self.target.fewest:
            other = self.settled(self.settled([], THRIFTS))
            taken = min(taken, other, key=lambda taken: self.target.point(self.formula(taken)).bits)
        formulas = [self.formula(taken)]
        while taken:  # without the clause that is missed least, and with others for the rest
            fewer = min((_without(taken, clause) for clause in taken), key=self.errors)
            taken = self.improved(fewer)
            formulas.append(self.formula(taken))
        falling: list[Point] = []
        for point in map(target.point, reversed(formulas)):
            if not falling or point.errors < falling[-1].errors:
                falling.append(point)
        return TradeOff(tuple(falling), self.in_time)

    def settled(self, taken: list[int], thrifts: Sequence[float] = (1.0,)) -> list[int]:
        """A choice that begins with many clauses, and loses some as they come to cost more.

        They err little: a broad clause that errs stands in the way of several that do not.
        """
        self.thrift = thrifts[0]
        taken = self.improved(taken, PURER)
        for self.thrift in thrifts:
            taken = self.improved(taken)
        return taken

    def improved(self, taken: list[int], purity: float = 1.0) -> list[int]:
        """With clauses exchanged or dropped, for known ones or new ones, while that costs less.

        purity: how many errors saved an error counts that is made; above 1, clauses are added too.
        """
        may_add = purity > 1
        for _ in range(MAX_ADDED if may_add else ROUNDS):
            if not self.in_time:
                break
            before, price = taken, self.price(self.errors(taken))
            for clause in [-1] if may_add else taken:
                left = self.left(_without(taken, clause))
                self.add(self.search.best(np.where(left < 0, purity * left, left), price))
            saved = price * np.where(self.target.saved < 0, purity, 1) * self.target.saved
            most = 1 if may_add else None
            taken = exchanged(self.held, saved, self.costs, taken, may_add=may_add, most=most)
            if taken == before:
                break
        return taken

    def formula(self, taken: list[int]) -> Clauses:
        return self.pool[np.array(taken, int)]

    def errors(self, taken: list[int]) -> float:
        return self.target.errors(self.held[taken])

    def price(self, errors: float) -> float:
        """Bits that a formula may take for one exception less."""
        total = self.target.total
        errors = max(0.25, min(errors, total / 2 - 0.5))
        return max(0.1, math.log2(max(total - errors, errors) / errors)) / self.thrift

    def left(self, taken: list[int]) -> ndarray:
        """[M] what covering each pattern saves beyond what the clauses taken cover."""
        return np.where(self.held[taken].any(0), 0, self.target.saved)

    def add(self, clauses: Clauses) -> None:
        """To the pool, those that are not in it yet."""
        keys = [key.tobytes() for key in clauses.keys]
        new = [i for i, key in enumerate(keys) if key not in self.in_pool]
        if not new or len(self.pool) > MAX_POOL:
            return
        self.in_pool.update(keys)
        fresh = clauses[np.array(new)]
        self.pool = Clauses.join([self.pool, fresh])
        self.held = np.concatenate([self.held, fresh.hold(self.patterns).astype(np.float32)])
        self.costs = np.append(self.costs, clause_bits(fresh.num_literals, self.num_concepts))


def _without(taken: list[int], left_out: int) -> list[int]:
    return [clause for clause in taken if clause != left_out]


@dataclass(frozen=True)
class Shortest:
    """The shortest description that was found, and what every one takes at least."""

    point: Point
    at_least: float  # bits

    @property
    def is_proven(self) -> bool:
        """No formula has a shorter description."""
        return self.point.bits - self.at_least <= WITHIN


def shortest(target: Target, known: Point, *, seconds: float) -> Shortest | None:
    """The formula whose description is shortest; None where there are too many clauses.

    The bits that exceptions take grow with the errors, ever more slowly. Between two numbers of
    errors they lie above the straight line between their ends. With that line a shortest formula is
    an integer program, and its value a bound. An interval is cut in two while its bound is below
    what was found. known: a formula to begin with.

    >>> from algolens.logic.patterns import all_patterns
    >>> patterns, nothing = all_patterns(3), Clauses.empty(0, 3)
    >>> holds = patterns[:, 0] & patterns[:, 1]
    >>> target = Target(patterns, np.where(holds, 38, 2), np.where(holds, 2, 38))
    >>> proof = shortest(target, Point.of(nothing, 88, 320), seconds=20)
    >>> proof.point.errors, proof.is_proven
    (16.0, True)
    """
    if target.patterns.shape[1] > MAX_CONCEPTS:
        return None
    clauses, held, costs = _that_pay(target)
    if held.sum() > MAX_ENTRIES:
        return None
    deadline = time.monotonic() + seconds
    # a formula that errs on more than half takes no fewer bits than one of no clauses
    nothing = Point.of(clauses[:0], target.all_true, target.total)
    best = min(known, nothing, key=lambda point: point.bits)
    low, high = target.fewest, min(target.all_true, target.total / 2)
    open_intervals, at_least = [(-math.inf, low, max(low, high))], math.inf
    while open_intervals:
        bound, low, high = open_intervals.pop()
        if bound >= best.bits - WITHIN or time.monotonic() > deadline:
            at_least = min(at_least, bound)
            continue
        at_low, at_high = _exceptions(target, low), _exceptions(target, high)
        slope = (at_high - at_low) / (high - low) if high > low else 0.0
        solved = solve(
            held.T,
            target.saved,
            costs,
            seconds=max(0.1, deadline - time.monotonic()),
            price=slope,
            between=(low - target.fewest, high - target.fewest),
        )
        bound, errors = solved.bound + at_low + slope * (target.fewest - low), low
        if solved.chosen is not None:
            errors = target.errors(held[solved.chosen])
            point = Point.of(clauses[solved.chosen], errors, target.total)
            best = min(best, point, key=lambda point: point.bits)
        middle = errors if low < errors < high else (low + high) / 2
        if high - low < 1e-6:  # at one end, and at the other
            middle = high
        ends = [(low, middle), (middle, high)]
        open_intervals += [(bound, *each) for each in ends if each[0] < each[1] or low == high]
    return Shortest(best, max(0.0, min(at_least, best.bits)))


def _that_pay(target: Target) -> tuple[Clauses, ndarray, ndarray]:
    """The clauses that can be part of a shortest description, where each holds, and its bits."""
    num_concepts = target.patterns.shape[1]
    every = Clauses.numbered(np.arange(3**num_concepts), num_concepts)
    every = every[np.argsort(every.num_literals, kind="stable")]
    held, bits = every.hold(target.patterns), clause_bits(every.num_literals, num_concepts)
    # taken away from a shortest description, a conjunction must be missed: at most all it is right
    # to cover comes to be an exception, each for at most the bits that the first one takes
    steepest = _exceptions(target, target.fewest + 1) - _exceptions(target, target.fewest)
    pays = np.flatnonzero(steepest * (held @ np.maximum(target.saved, 0)) > bits)
    # of those that hold on the same patterns, the first is shortest
    _, first = np.unique(np.packbits(held[pays], axis=1), axis=0, return_index=True)
    chosen = pays[np.sort(first)]
    return every[chosen], held[chosen], bits[chosen]


def _exceptions(target: Target, errors: float) -> float:
    """Bits that say how many samples are exceptions, and which."""
    return description_bits(errors, target.total, np.zeros(0, int), 1)
