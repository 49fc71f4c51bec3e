"""Minimal rules: the smallest formula that fits a table, exactly or with errors that cost."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy import ndarray

from algolens.errors import FormulaError
from algolens.logic.clauses import (
    Clauses,
    ClauseSearch,
    Occurrences,
    clause_bits,
    grown_by_later,
    implicants,
    plainest_first,
    prime_implicants,
)
from algolens.logic.formula import FALSE, TRUE, Formula, Not, disjunction
from algolens.logic.names import check_names
from algolens.logic.patterns import pack, packed_type, pattern_in_words, spread, telling, unpack

MAX_LISTED_CONCEPTS = 14  # 3**14 is 5 million conjunctions, which takes a tenth of a second
MAX_OPPOSITE = 12  # concepts of a rule, up to which its opposite is minimised
QUICKLY_LISTED = 11  # concepts, of which listing takes no time to speak of
LISTING_SECONDS = 1.0  # that must be left to list those of more, where a right formula is known
MAX_FEW = 150  # forbidden patterns, up to which prime implicants of more concepts are listed too
MAX_LISTED = 250_000  # conjunctions of as many literals that may become prime implicants
MAX_WEIGHED = 5e7  # prime implicants x patterns that are weighed against each other
EXACT = 1e6  # so much more than a bit counts what a clause holds on, and than that an error
IDLE_ROUNDS = 12  # rounds that grow no better cover, after which it stops
MAX_GROWN = 1000  # clauses to choose a cover from; with more, there is no looking for better ones
QUICK_TABLE = 1e4  # entries of a table from which a cover is chosen again and again
MAX_CANDIDATES = 128  # patterns to choose witnesses from; a few for each clause
MAX_WITNESSES_COMPARED = 3e8  # pairs of candidates, times forbidden patterns
# where errors cost: conjunctions of as many literals that grow further, and that are chosen from;
# of more, the most hopeful
MAX_GROWING, MAX_POOL = 4_000, 1_000
MAX_SECONDS = 3.0  # of the solver
# what a literal costs beyond its price, so that of formulas that cost the same the shorter is taken
OF_EQUALS = 0.01


@dataclass(frozen=True)
class Minimised:
    """A formula in disjunctive normal form, and what is known of its size."""

    formula: Formula
    # one conjunction each: fewer literals first, then in the order of the concepts
    clauses: tuple[Formula, ...]
    proven: bool  # no formula has fewer clauses, and of those with as few none has fewer literals
    how: str  # a sentence: how it was found

    def __str__(self) -> str:
        return str(self.formula)


def minimal_rules(
    names: Sequence[str],
    true: ndarray,
    false: ndarray | None,
    *,
    seconds: float = 10.0,
    known: Clauses | None = None,
) -> Minimised:
    """Find the formula with the fewest clauses, then literals, that fits true and false patterns.

    Parameters
    ----------
    names
        The concepts.
    true, false
        Packed patterns (see ``pack``) on which the formula must hold, and must not. What it says
        elsewhere does not matter. With None for ``false``, it is false on all but the true ones.
    seconds
        About how long a proof that none is smaller may take. Without one, the formula is as small
        as was found, and just as right.
    known
        A right formula, as clauses over ``names``, which a proof may find to be smallest.

    Raises
    ------
    FormulaError
        If a pattern is both true and false, or is no pattern of so many concepts.

    Examples
    --------
    >>> minimal_rules(["a", "b", "c"], np.array([4, 5, 7]), np.array([0, 3])).formula
    Formula('a')
    >>> smallest = minimal_rules(["a", "b", "c"], np.array([4, 5, 7]), None)
    >>> smallest.clauses, smallest.proven
    ((Formula('a & c'), Formula('a & ~b')), True)
    """
    names = tuple(names)
    check_names(names, "a concept")
    packed_type(len(names))  # refuses too many
    on = _checked_patterns("true", true, names)
    off = _checked_patterns("false", () if false is None else false, names)
    _refuse_overlap(names, on, off)
    if len(on) == 0:
        return Minimised(FALSE, (), True, "It is to hold nowhere.")
    if false is None:
        off = _surroundings(on, len(names))
    if len(off) == 0:
        return Minimised(TRUE, (TRUE,), True, "It is to fail nowhere.")
    places = telling(unpack(np.concatenate([on, off]), len(names)))
    on, off = (
        pack(unpack(patterns, len(names))[:, places]).astype(np.uint64) for patterns in (on, off)
    )
    if known is not None:
        speaks_of_others = np.delete(known.care, places, axis=1).any()
        known = None if speaks_of_others else Clauses(known.value[:, places], known.care[:, places])
    cover = _smallest(on, off, len(places), known, time.monotonic() + seconds)
    clauses = cover.clauses.in_order().formulas([names[i] for i in places])
    return Minimised(disjunction(*clauses), clauses, cover.is_smallest, cover.how)


def opposite(rule: Minimised, seconds: float = 10.0) -> Minimised:
    """The rule that holds where another does not, on patterns that were never seen too."""
    names = rule.formula.names
    if len(names) > MAX_OPPOSITE:
        whole = Not(rule.formula)
        how = "It is the opposite of the other rule, as it stands."
        return Minimised(whole, (whole,), False, how)
    says = rule.formula.table(names)
    return minimal_rules(names, np.flatnonzero(~says), np.flatnonzero(says), seconds=seconds)


@dataclass(frozen=True)
class _Cover:
    """Clauses that hold on all true patterns and no false one, and what is proven of them."""

    clauses: Clauses
    is_fewest: bool
    is_smallest: bool
    way: str  # in which they were found

    @property
    def how(self) -> str:
        """A sentence: how they were found, and what is proven."""
        if self.is_smallest:
            return f"{self.way}; it is proven that none is smaller."
        if self.is_fewest:
            return f"{self.way}; no formula has fewer clauses, though one may have fewer literals."
        return f"{self.way}; a smaller one may exist."


def _smallest(
    on: ndarray, off: ndarray, num_concepts: int, known: Clauses | None, deadline: float
) -> _Cover:
    """The best of covers: the known one, one of all prime implicants, one that is grown.

    on, off: [M] and [F] distinct packed patterns.
    """

    def judged(clauses: Clauses, way: str) -> _Cover:
        return _Cover(clauses, *proven_size(clauses, on, off, deadline), way)

    covers: list[_Cover] = []
    if known is not None:
        covers = [judged(known, "Clauses were added and exchanged")]
        seconds_left = deadline - time.monotonic()
        is_slow = num_concepts > QUICKLY_LISTED and seconds_left < LISTING_SECONDS
        if covers[0].is_smallest or seconds_left <= 0 or is_slow:
            return covers[0]
    is_listed = num_concepts <= MAX_LISTED_CONCEPTS
    if is_listed:
        covers += _chosen(prime_implicants(on, off, num_concepts), on, deadline)
    if not is_listed or not any(cover.is_fewest for cover in covers):
        for clauses in grown_covers(on, off, num_concepts, deadline=deadline):
            covers.append(judged(clauses, "Clauses were grown from the patterns"))
            if covers[-1].is_smallest or time.monotonic() > deadline:
                break
    if not is_listed and len(off) <= MAX_FEW and not covers[-1].is_smallest:
        anywhere, levels = Occurrences(on, np.zeros(len(on), int), 1, num_concepts), []
        for clauses, is_complete in implicants(anywhere, off, MAX_LISTED, deadline):
            levels.append(clauses)
            if not is_complete:
                break
        else:
            covers += _chosen(Clauses.join(levels).in_order(), on, deadline)
    return min(covers, key=lambda cover: (not cover.is_smallest, cover.clauses.size))


def _chosen(primes: Clauses, on: ndarray, deadline: float) -> list[_Cover]:
    """A cover chosen from all prime implicants; none where they are too many."""
    if len(primes) * len(on) > MAX_WEIGHED:
        return []
    seconds = deadline - time.monotonic()
    best = smallest_cover(primes.hold(on).T, primes.num_literals, seconds=seconds)
    way = f"Chosen from all {len(primes)} prime implicants"
    return [_Cover(primes[best.chosen], best.is_fewest, best.is_cheapest, way)]


def grown_covers(
    on: ndarray, off: ndarray, num_concepts: int, *, deadline: float = math.inf
) -> Iterator[Clauses]:
    """Ever smaller sets of prime implicants that cover ``on`` and nothing of ``off`` (packed).

    First seeds grow where nothing is covered yet; then anywhere, with patterns weighted at random,
    until nothing better is found for a while. After ``deadline`` (by ``time.monotonic``) nothing
    grows any more: patterns that are left stand for themselves.

    >>> on, off = np.array([4, 5, 6], np.uint64), np.array([0, 1, 2], np.uint64)
    >>> [cover.formulas(["a", "b", "c"]) for cover in grown_covers(on, off, 3)]
    [(Formula('a'),)]
    """
    search = ClauseSearch(unpack(np.concatenate([on, off]), num_concepts))
    uncovered = np.ones(len(on), bool)
    parts: list[Clauses] = []
    for clauses, hits in _grown_rounds(search, on, uncovered, deadline):
        # the first round is kept whole: among those clauses there is most to choose from
        parts.append(clauses[greedy_cover(hits, clauses.num_literals)] if parts else clauses)
    pool = Clauses.join([*parts, Clauses.of_patterns(on[uncovered], num_concepts)]).in_order()
    random = np.random.default_rng(0)
    best, idle_rounds = _best_cover(on, pool), 0
    yield best
    while idle_rounds < IDLE_ROUNDS and len(pool) < MAX_GROWN and time.monotonic() < deadline:
        seeds = np.sort(random.choice(len(on), min(search.num_seeds, len(on)), replace=False))
        fresh = _without_errors(search, seeds, random.exponential(size=len(on)))
        pool = Clauses.join([pool, fresh]).in_order()
        cover = _best_cover(on, pool)
        idle_rounds += 1
        if cover.size < best.size:
            best, idle_rounds = cover, 0
            yield best


def cover_exceeds(
    on: ndarray, off: ndarray, num_concepts: int, bits: float, *, deadline: float
) -> bool:
    """Whether a cover of ``on`` without ``off``, as it is grown, takes more than so many bits.

    It grows to ``deadline`` at most: what is not known then counts as more.
    """
    taken, uncovered = 0.0, np.ones(len(on), bool)
    search = ClauseSearch(unpack(np.concatenate([on, off]), num_concepts))
    for clauses, hits in _grown_rounds(search, on, uncovered, deadline):
        chosen = greedy_cover(hits, clauses.num_literals)
        taken += float(clause_bits(clauses.num_literals[chosen], num_concepts).sum())
        if taken > bits:
            return True
    return bool(uncovered.any())


def _grown_rounds(
    search: ClauseSearch, on: ndarray, uncovered: ndarray, deadline: float
) -> Iterator[tuple[Clauses, ndarray]]:
    """Clauses grown from what is uncovered ([M] bools, kept up to date), and the rows they hit."""
    while uncovered.any() and time.monotonic() < deadline:
        seeds = spread(np.flatnonzero(uncovered), search.num_seeds)
        clauses = _without_errors(search, seeds, uncovered)
        hits = clauses.hold(on[uncovered]).T
        uncovered[uncovered] = ~hits.any(1)
        yield clauses, hits[hits.any(1)]


def _without_errors(search: ClauseSearch, seeds: ndarray, worth: ndarray) -> Clauses:
    """Prime implicants that grow from seeds; worth: [M] of covering each pattern of ``on``."""
    saved = np.append(worth, np.full(len(search.table) - len(worth), -1.0))
    return search.grown(seeds, saved, EXACT, EXACT)[0]


def _best_cover(on: ndarray, pool: Clauses) -> Clauses:
    hits = pool.hold(on).T
    return pool[smallest_cover(hits, pool.num_literals, max_table=QUICK_TABLE, max_nodes=1).chosen]


# ---- with errors


def cheapest_rules(
    groups: Occurrences, wanted: ndarray, price: float, deadline: float
) -> tuple[Clauses, bool]:
    """The cheapest "or": a group at which it fails costs 1, and a literal ``price``.

    Returns its combinations, each an "and" of literals, and whether it is proven that nothing costs
    less. wanted: [groups] bools, whether one of the group's patterns should satisfy it.
    Combinations grow by a literal a level. From those up to a level a formula is chosen, and what
    it costs says which of them, and of what they grow into, can still be part of a cheaper one. The
    last choice is the solver's, where it can be asked.
    """
    right, wrong = groups.take(wanted), groups.take(~wanted)
    saved, price = np.where(wanted, 1.0, -1.0), price + OF_EQUALS
    growing = Clauses.empty(1, groups.num_concepts)
    best, cost = growing[:0], float(right.num_groups)  # to hold nowhere
    pool, gains, losses = growing[:0], np.zeros(0), np.zeros(0)
    literals, is_complete = 0, True

    def chosen(seconds: float) -> bool:
        """Takes a better choice from the pool; whether it is proven to be the best one."""
        nonlocal best, cost, pool, gains, losses
        kept = losses + price * pool.num_literals < cost  # what any formula costs with it
        pool, gains, losses = pool[kept], gains[kept], losses[kept]
        clauses = plainest_first(pool[_most_hopeful(gains - losses, MAX_POOL)])
        hits, costs = groups.table(clauses), price * clauses.num_literals
        taken, is_proven = cheapest_choice(hits, saved, costs, deadline, seconds)
        now = right.num_groups + float(costs[taken].sum() - saved[hits[taken].any(0)].sum())
        if now < cost:
            best, cost = clauses[taken].in_order(), now
        return is_proven

    while len(growing) and price * literals < cost:
        gain, loss = right.table(growing).sum(1), wrong.table(growing).sum(1)
        # it must explain more than it costs, for else the formula does better without it; what it
        # grows into explains less
        pays = gain > price * literals
        growing, gain, loss = growing[pays], gain[pays], loss[pays]
        pool = Clauses.join([pool, growing])
        gains, losses = np.append(gains, gain), np.append(losses, loss)
        chosen(seconds=0.0)
        # what occurs where nothing is wanted is worse than what it grows into, and nothing else is
        errs = np.flatnonzero(loss > 0)
        hopeful = errs[_most_hopeful((gain - loss)[errs], MAX_GROWING)]
        is_complete &= len(pool) <= MAX_POOL and len(hopeful) == len(errs)
        growing, literals = grown_by_later(growing[hopeful]), literals + 1
        if time.monotonic() > deadline:
            return best, False
    is_proven = chosen(MAX_SECONDS)
    return best, is_complete and is_proven


def _most_hopeful(gains: ndarray, most: int) -> ndarray:
    return np.sort(np.argsort(-gains, kind="stable")[:most])


# ---- proofs


def proven_size(
    cover: Clauses, on: ndarray, off: ndarray, deadline: float = math.inf
) -> tuple[bool, bool]:
    """Whether witnesses prove that no cover has fewer clauses, and none of as few is shorter."""
    patterns = witnesses(cover, on, off)
    if patterns is None:
        return False, False
    needed = 0
    for pattern in patterns:
        seconds = min(10.0, deadline - time.monotonic())
        fewest = fewest_literals(pattern, off, cover.num_concepts, seconds) if seconds > 0 else None
        if fewest is None:
            return True, False
        needed += fewest
    return True, needed == cover.size[1]


def witnesses(cover: Clauses, on: ndarray, off: ndarray) -> ndarray | None:
    """A pattern for each clause of a cover, no two of which a clause can share; or None.

    Two patterns lie in a common clause only if no pattern of ``off`` lies in the smallest clause
    that holds on both. As many patterns as clauses, pairwise apart, prove that ``on`` cannot be
    covered with fewer.

    >>> on, off = np.array([1, 2], np.uint64), np.array([0, 3], np.uint64)
    >>> cover = Clauses.of_patterns(on, 2)
    >>> witnesses(cover, on, off).tolist()
    [1, 2]
    """
    hits = cover.hold(on).T
    # each clause holds one witness at most, so a witness lies in one clause only
    alone = hits.sum(1) == 1
    num_candidates = max(2, MAX_CANDIDATES // len(cover))
    if (num_candidates * len(cover)) ** 2 * len(off) > MAX_WITNESSES_COMPARED:
        return None
    places = [
        spread(np.flatnonzero(alone & hits[:, clause]), num_candidates)
        for clause in range(len(cover))
    ]
    owner = np.repeat(np.arange(len(cover)), [len(of_clause) for of_clause in places])
    candidates = on[np.concatenate(places)]
    is_apart = np.stack([_apart(candidate, candidates, off) for candidate in candidates])
    chosen = _one_each(is_apart, owner, len(cover))
    return None if chosen is None else candidates[chosen]


def fewest_literals(
    pattern: ndarray, off: ndarray, num_concepts: int, seconds: float = 10.0
) -> int | None:
    """The fewest literals of a clause with the pattern and nothing of ``off``; None if unproven.

    >>> fewest_literals(np.uint64(3), np.array([0, 1, 2], np.uint64), 2)
    2
    """
    # every forbidden pattern must differ in one of the literals
    differs = unpack(off ^ pattern, num_concepts)
    cover = smallest_cover(differs, np.ones(num_concepts), seconds=seconds, max_nodes=100)
    return len(cover.chosen) if cover.is_fewest else None


def _apart(pattern: ndarray, others: ndarray, off: ndarray) -> ndarray:
    """[J] does a forbidden pattern lie in the smallest clause with the pattern and the other?"""
    shared = ~(pattern ^ others)
    return (((off ^ pattern)[:, None] & shared) == 0).any(0)


def _one_each(is_apart: ndarray, owner: ndarray, num_clauses: int) -> list[int] | None:
    """One candidate of each clause, all pairwise apart: always the one that leaves most choice."""
    for first in np.flatnonzero(owner == 0):
        chosen, open_to = [int(first)], is_apart[first]
        for clause in range(1, num_clauses):
            free = np.flatnonzero(open_to & (owner == clause))
            if len(free) == 0:
                break
            best = int(free[(is_apart[free] & open_to).sum(1).argmax()])
            chosen.append(best)
            open_to = open_to & is_apart[best]
        else:
            return chosen
    return None


# ---- what comes in


def _surroundings(on: ndarray, num_concepts: int) -> ndarray:
    """The other patterns that differ from one of ``on`` in one concept.

    They stand for all others: a clause that holds on one of ``on`` and on something else holds on
    two neighbours, one in ``on`` and one not.
    """
    flips = np.uint64(1) << np.arange(num_concepts, dtype=np.uint64)
    return np.setdiff1d(on[:, None] ^ flips, on)


def _checked_patterns(which: str, patterns: object, names: tuple[str, ...]) -> ndarray:
    """The distinct patterns in order, as numbers of 64 bits."""
    array = np.asarray(patterns)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise FormulaError(
            f"the {which} patterns came as {array.dtype} of shape {list(array.shape)}; they are "
            "whole numbers, one a pattern: pack bools of shape [patterns, concepts] with "
            "algolens.logic.pack."
        )
    outside = array[(array < 0) | (array > 2 ** len(names) - 1)] if array.size else array
    if outside.size:
        raise FormulaError(
            f"{outside[0]}, among the {which} patterns, is no pattern of the {len(names)} concepts "
            f"{', '.join(names)}: those go from 0 to {2 ** len(names) - 1}."
        )
    return np.unique(array.astype(np.uint64))


def _refuse_overlap(names: tuple[str, ...], on: ndarray, off: ndarray) -> None:
    both = np.intersect1d(on, off)
    if both.size:
        pattern = pattern_in_words(int(both[0]), names)
        raise FormulaError(
            f"the pattern '{pattern}' is to be true and false at once ({both.size} such patterns "
            "came). Keep each on one side, by the majority of its samples, say; or find the "
            "concept that is missing."
        )


# multiplications spent on comparing rows or columns with each other; beyond, all are kept
MAX_COMPARED = 3e9
MAX_TABLE = 4e6  # entries of a table that is handed to the solver; of more, the cover is greedy
MAX_PRICED = 300_000  # entries of one whose rows have prices
PURER = 4.0  # what an error counts, to begin with columns that err less
SMALLEST_CHANGE = 1e-3


@dataclass(frozen=True)
class Cover:
    """Columns that together hit every row."""

    chosen: ndarray  # sorted
    is_fewest: bool  # proven: no cover has fewer columns
    is_cheapest: bool  # proven: of the covers with as many columns none costs less


def smallest_cover(
    hits: ndarray,
    costs: ndarray,
    *,
    seconds: float = 10.0,
    max_table: float = MAX_TABLE,
    **limits: Any,
) -> Cover:
    """The fewest columns of ``hits`` ([R, K] bools) that hit all rows; of those the cheapest.

    Rows and columns that cannot matter are taken away first; what is left, if anything, goes to
    the solver. Where that takes more than ``seconds`` or ``max_table`` entries, the best cover
    known is given, and what is proven of it.

    >>> hits = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]], bool)
    >>> smallest_cover(hits, np.array([3, 2, 2, 2])).chosen.tolist()
    [1, 2]
    """
    deadline = time.monotonic() + seconds
    kept, core, columns = _reduced(hits, costs)
    known, must = greedy_cover(core, costs[columns]), np.full(len(core), np.inf)
    is_fewest = is_cheapest = not len(core)
    if len(core) and core.size <= max_table and time.monotonic() < deadline:
        # first as few as can be, then of as many the cheapest
        for price in (np.ones(len(columns)), costs[columns]):
            left = max(0.1, deadline - time.monotonic())
            solved = solve(core, must, price, most=len(known), seconds=left, **limits)
            if solved.chosen is not None and price[solved.chosen].sum() <= price[known].sum():
                known = solved.chosen
            is_fewest, is_cheapest = is_fewest or solved.is_proven, is_fewest and solved.is_proven
            if not is_fewest:
                break
    return Cover(np.sort(np.append(kept, columns[known])), is_fewest, is_cheapest)


def greedy_cover(hits: ndarray, costs: ndarray) -> ndarray:
    """A cover by the column that hits most of what is left, again and again; without idle ones."""
    left, chosen = np.ones(len(hits), bool), []
    gains = hits.sum(0)
    while left.any():
        best = int(np.lexsort((costs, -gains))[0])
        newly = left & hits[:, best]
        gains = gains - hits[newly].sum(0)
        left &= ~newly
        chosen.append(best)
    times = hits[:, chosen].sum(1)
    for column in sorted(chosen, key=lambda c: (hits[:, c].sum(), -costs[c])):
        if (times - hits[:, column]).all():
            times = times - hits[:, column]
            chosen.remove(column)
    return np.sort(np.array(chosen, dtype=np.intp))


def exchanged(
    hits: ndarray,
    saved: ndarray,
    costs: ndarray,
    taken: list[int],
    *,
    may_add: bool = True,
    most: int | None = None,
    deadline: float = math.inf,
) -> list[int]:
    """A choice that no dropping or exchanging (or adding) of one column makes cheaper.

    most: so many changes at most.

    hits: [K, R] zeros and ones (float32). saved: [R] what it saves to hit a row; less than zero
    where that costs.

    >>> hits = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 1]], np.float32)
    >>> exchanged(hits, np.array([5.0, 5.0, 5.0, -9.0]), np.ones(3), [2])
    [0, 1]
    """

    def cost(taken: list[int]) -> float:
        return float(costs[taken].sum() - saved[hits[taken].any(0)].sum())

    now = cost(taken)
    for _ in count() if most is None else range(most):
        if time.monotonic() > deadline:
            break
        times = hits[taken].sum(0)
        # without each of those taken in turn, and without none
        rests = np.concatenate([times - hits[taken], times[None]])[: len(taken) + may_add]
        if not len(rests):
            return taken
        without = np.append(-costs[taken], 0)[: len(rests)] + (saved * (rests == 0)).sum(1)
        without -= saved[times == 0].sum()
        free = np.where(rests == 0, saved, 0).astype(np.float32)
        changes = without[:, None] + costs - (free @ hits.T).astype(np.float64)
        changes[:, taken] = np.inf
        changes = np.concatenate([without[:, None], changes], 1)
        changes[len(taken) :, 0] = 0.0
        left_out, added = np.unravel_index(changes.argmin(), changes.shape)
        choice = [k for i, k in enumerate(taken) if i != left_out]
        choice += [int(added) - 1] if added else []
        after = cost(choice)
        # sums of large weights are rounded: by them alone, exchanges would go round in circles
        if after > now - SMALLEST_CHANGE:
            break
        taken, now = choice, after
    return taken


def cheapest_choice(
    hits: ndarray, saved: ndarray, costs: ndarray, deadline: float, seconds: float
) -> tuple[ndarray, bool]:
    """Columns that cost least, less what hitting rows saves; and whether none cost less.

    Begins with an exchange of one at a time: a broad column that errs stands in the way of several
    that do not, so one choice begins with those that err little. Then the solver is asked, for
    ``seconds``, if the table is small enough.

    hits: [K, R] bools. saved: [R] what it saves to hit a row, less than zero where that costs.
    """
    columns = _first_of_equals(hits)
    kinds = np.packbits(hits[columns], axis=0)
    _, rows, kind = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    table, saved = hits[columns][:, rows], np.bincount(kind.ravel(), saved)
    costs, floats = costs[columns], table.astype(np.float32)
    pure = exchanged(floats, np.where(saved < 0, PURER, 1) * saved, costs, [], deadline=deadline)
    choices = [exchanged(floats, saved, costs, start, deadline=deadline) for start in ([], pure)]
    solved = None
    if seconds and 0 < table.size <= MAX_PRICED:
        seconds = max(0.1, min(seconds, deadline - time.monotonic()))
        solved = solve(table.T, saved, costs, seconds=seconds)
        choices += [] if solved.chosen is None else [solved.chosen.tolist()]
    best = min(choices, key=lambda taken: costs[taken].sum() - saved[table[taken].any(0)].sum())
    is_proven = not table.size or (solved is not None and solved.is_proven)
    return columns[np.array(best, int)], is_proven


@dataclass(frozen=True)
class Solved:
    """What the solver of integer programs found, if anything, and what is proven."""

    chosen: ndarray | None
    bound: float  # no choice costs less; infinite where there is none
    is_proven: bool  # none is cheaper


def solve(
    hits: ndarray,
    saved: ndarray,
    costs: ndarray,
    *,
    seconds: float,
    most: int | None = None,
    price: float = 1.0,
    between: tuple[float, float] = (0.0, math.inf),
    max_nodes: int | None = None,
) -> Solved:
    """The cheapest choice of columns by SciPy's solver (HiGHS).

    A column costs, and so does a row that fails, ``price`` times what it saves: one that saves
    fails unless some column taken hits it, one that does not (below zero) as soon as one does.

    Parameters
    ----------
    hits
        [R, K] bools.
    saved
        [R] infinite where a row must be hit.
    costs
        [K] not below zero.
    seconds, max_nodes
        Limits; of nodes of the solver's tree one that is the same on every machine.
    most
        How many columns may be taken.
    price
        What a failure of weight one costs.
    between
        The least and the greatest weight that may fail.
    """
    # Imported lazily: SciPy takes most of a second to load.
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity, vstack

    matters = np.flatnonzero(saved)
    hits, saved = hits[matters], saved[matters]
    must = np.isinf(saved)
    weight = np.where(must, 0, saved)
    all_fail = float(weight[weight > 0].sum())
    # a variable for each column, taken or not, and one for each row, hit or not: a row that saves
    # is hit by the columns taken together at most, one that costs by each of them at least
    right = np.flatnonzero(saved > 0)
    wrong, by = np.nonzero(hits & (saved < 0)[:, None])
    taken, hit = (identity(number, format="csr") for number in hits.shape[::-1])
    hitting = [
        hstack([csr_array(hits[right].astype(float)), -hit[right]]),
        hstack([-taken[by], hit[wrong]]),
    ]
    is_column = np.append(np.ones(len(costs)), np.zeros(len(saved)))
    fails = np.append(np.zeros(len(costs)), -weight)
    low, high = between
    solved = milp(
        np.append(costs, -price * weight),
        integrality=is_column,
        bounds=Bounds(np.append(np.zeros(len(costs)), must), 1),
        constraints=[
            LinearConstraint(vstack(hitting, format="csr"), lb=0),
            LinearConstraint(fails, low - all_fail - 1e-6, high - all_fail + 1e-6),
            LinearConstraint(is_column, ub=np.inf if most is None else most),
        ],
        options={
            "time_limit": seconds,
            "mip_rel_gap": 0.0,
            **({} if max_nodes is None else {"node_limit": max_nodes}),
        },
    )
    if solved.status == 2:  # nothing fails so much
        return Solved(None, math.inf, is_proven=True)
    is_proven = solved.status == 0
    # without a column to take it is no integer program, and its optimum is the bound
    bound = solved.fun if is_proven else solved.mip_dual_bound
    bound = -math.inf if bound is None else float(bound) + price * all_fail
    chosen = None if solved.x is None else np.flatnonzero(solved.x[: len(costs)] > 0.5)
    return Solved(chosen, bound, is_proven)


def _reduced(hits: ndarray, costs: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Columns of a cheapest cover, the table that is left, and the columns it stands for."""
    columns, kept = np.arange(hits.shape[1]), np.zeros(0, np.intp)
    while True:
        before = hits.shape
        only = hits[hits.sum(1) == 1].any(0)  # the one column that hits some row
        kept = np.append(kept, columns[only])
        hits, columns = hits[~hits[:, only].any(1)][:, ~only], columns[~only]
        # a row that is missed by all that miss another is hit once that one is
        hits = hits[_largest(~hits, np.zeros(len(hits)))]
        stay = _largest(hits.T, costs[columns])
        stay = stay[hits[:, stay].any(0)]
        hits, columns = hits[:, stay], columns[stay]
        if hits.shape == before:
            return kept, hits, columns


def _first_of_equals(rows: ndarray) -> ndarray:
    """The places of rows that say what no earlier one says."""
    return np.sort(np.unique(np.packbits(rows, axis=1), axis=0, return_index=True)[1])


def _largest(sets: ndarray, costs: ndarray) -> ndarray:
    """The places of sets that are in no other that costs no more; of equals the first.

    sets: [K, R] bools.
    """
    order = np.lexsort((np.arange(len(costs)), costs))
    order = order[_first_of_equals(sets[order])] if sets.size else order[:0]
    if len(order) * sets[order].size <= MAX_COMPARED:
        table = sets[order].astype(np.float32)
        inside = table @ table.T == table.sum(1)[:, None]  # [i, j]: all of i is in j
        inside &= costs[order] <= costs[order][:, None]
        # equal sets are gone already, so no two are inside each other
        np.fill_diagonal(inside, False)
        order = order[~inside.any(1)]
    return np.sort(order)
