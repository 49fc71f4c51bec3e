"""Discovering from runs with wrong decisions: what few observations settle, and the exceptions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from algolens.algorithms import Algorithm, Declaration
from algolens.data.small_graphs import MOST_NODES
from algolens.discovery.checks import BlackBoxCheck
from algolens.discovery.decisions import Script, UnsettledError
from algolens.discovery.declaring import algorithm_of, program_of
from algolens.discovery.differences import (
    Fidelity,
    contradictions,
    fidelity,
    first_deviation,
    telling_runs,
)
from algolens.discovery.discover import (
    FIRST_RUNS,
    SECONDS,
    Discovery,
    Known,
    SearchOptions,
    discover_from,
    print_nothing,
)
from algolens.discovery.majority import MajorityTeacher, UndecidedBlackBoxError
from algolens.discovery.sampling import FIRST_SIZES, fewer, mixed_runs, random_runs
from algolens.discovery.schema import Episodes, RunTeacher, StepTeacher
from algolens.discovery.tolerant import TolerantSearch
from algolens.errors import AlgoLensError
from algolens.graphs import stream

RUNS = 150  # that a search with exceptions begins with: by fewer, chance is not told from rule
FRESH, FRESH_SIZES = 60, (4, 20)  # runs that exceptions are counted on
LEAST_ROUNDS, MOST_ROUNDS = 3, 8  # rare cases come up on larger graphs, in later rounds
EXACT_SHARE = 0.6  # of the time, in which a settlement without exceptions is looked for


@dataclass(frozen=True)
class KnownButForExceptions(Known):
    """What is known of an algorithm that a black box follows most of the time."""

    seen: Fidelity | None = None  # on the runs that it was settled on
    fresh: Fidelity | None = None  # on runs that the search never saw

    @property
    def fidelity(self) -> Fidelity | None:
        return self.fresh or self.seen

    def words(self) -> str:
        """In sentences."""
        assert self.seen is not None
        counted = [some for some in (self.seen, self.fresh) if some is not None]
        is_exact = not any(sum(some.exceptions.values()) for some in counted)
        parts = [
            "It was described with exceptions allowed, and none came up."
            if is_exact
            else "The runs are not settled without exceptions.",
            f"Of {_counted(self.seen, 'runs that it was described by')}.",
            "Its description is the shortest that a beam search found.",
        ]
        if self.fresh is not None:
            parts.append(f"Sampled: of {_counted(self.fresh, 'fresh runs')}.")
        # rare exceptions may not come up on fresh runs
        shown = next((some.shown for some in reversed(counted) if some.shown), ())
        if shown:
            parts.append(f"The smallest: {'; '.join(some.in_short() for some in shown)}.")
        if self.error is not None and self.error not in shown:
            parts.append(f"Held against other runs, it {self.error.what_errs()}")
        return " ".join([*parts, *self.checked(), *self.not_proven()])


@dataclass(frozen=True)
class KnownByMajority(Known):
    """What is known of an algorithm that a black box follows but for errors by chance."""

    otherwise: float = 0.0  # the share of values that it gave otherwise than most often
    fresh: Fidelity | None = None  # on runs as they came, which the search never saw

    @property
    def fidelity(self) -> Fidelity | None:
        return self.fresh

    def words(self) -> str:
        """In sentences."""
        assert self.fresh is not None
        parts = [
            "It errs by chance: each step was asked for again until one answer led clearly "
            f"({100 * self.otherwise:.2g} % of all values were given otherwise), and the answers "
            "that won are what follows speaks of.",
            super().words(),
            f"Of {_counted(self.fresh, 'fresh runs as they came')}.",
        ]
        if self.fresh.shown:
            parts.append(f"The smallest: {'; '.join(one.in_short() for one in self.fresh.shown)}.")
        return " ".join(parts)


def _counted(some: Fidelity, where: str) -> str:
    total, wrong = sum(some.decisions.values()), sum(some.exceptions.values())
    share = f"{100 * some.share:.2g} %"
    return (
        f"{total:,} decisions on {some.graphs.runs} {where} ({some.graphs}), {wrong:,} are "
        f"exceptions ({share})"
    )


def discover_with_exceptions(
    teacher: RunTeacher, given: Sequence[Episodes] = (), **options: Unpack[SearchOptions]
) -> Discovery:
    """Discover what a black box does most of the time.

    Parameters are those of ``discover_from``; runs are at least 150. Few exceptions are
    allowed at first, then more, and the shortest description decides.

    Raises
    ------
    UnsettledError
        Where more than a quarter of a decision would be exceptions.
    """
    began, seconds = time.process_time(), options.get("seconds", SECONDS)
    until, runs = began + seconds, max(options.get("runs", RUNS), RUNS)
    progress = options.get("progress", print_nothing)
    rng = stream(options.get("seed", 0), "discover", teacher.schema.name, "exceptions")
    episodes = list(given) or fewer(teacher.schema, mixed_runs(teacher, runs, FIRST_SIZES, rng))
    if not episodes:
        raise AlgoLensError(
            f"{teacher.schema.name} takes none of the random graphs that were tried."
        )
    made, script, usual, tried = None, Script(), None, 0
    for rounds in range(1, MOST_ROUNDS + 1):
        round_began = time.process_time()
        search = TolerantSearch(teacher.schema, episodes, until, script, progress)
        try:
            search.run(usual)
            declaration = Declaration(program_of(search, episodes))
        except AlgoLensError:  # not settled, or by more concepts than rules can have
            if made is None:
                raise
            return made  # the best so far
        script, tried = search.bench.script, tried + search.bench.tried
        algorithm = algorithm_of(teacher.schema, declaration, f"discovered_{teacher.schema.name}")
        more = mixed_runs(teacher, FRESH, FRESH_SIZES, rng) if teacher.can_run else []
        seen = fidelity(algorithm, teacher.schema, episodes)
        fresh = fidelity(algorithm, teacher.schema, more) if more else None
        known = KnownButForExceptions(seen.graphs, (), (), None, teacher.can_run, seen, fresh)
        spent, decisions, usual = time.process_time() - began, script.decisions, seen.share
        # on runs that neither has seen: more observations always explain more of those seen
        if made is None or _share(algorithm, teacher, more) <= _share(
            made.algorithm(), teacher, more
        ):
            made = Discovery(teacher.schema, declaration, decisions, known, spent, rounds, tried)
        telling = [] if fresh is None else telling_runs(teacher, algorithm, fresh.share, rng)
        now = time.process_time()
        is_enough = (rounds >= LEAST_ROUNDS or now - began > seconds / 3) and not (
            telling or (fresh and _is_worse(seen, fresh))
        )
        # a round that is cut short settles worse
        if fresh is None or is_enough or now + (now - round_began) > until:
            break
        progress(f"round {rounds}: {100 * fresh.share:.2g} % exceptions on fresh runs")
        episodes += [*fewer(teacher.schema, more), *telling]
    assert made is not None
    return made


def _share(algorithm: Algorithm, teacher: RunTeacher, episodes: Sequence[Episodes]) -> float:
    return fidelity(algorithm, teacher.schema, episodes).share


def _is_worse(seen: Fidelity, fresh: Fidelity) -> bool:
    """Whether a fresh share is higher by more than chance explains."""
    for name, count in fresh.decisions.items():
        if not count or not seen.decisions[name]:
            continue
        expected = seen.exceptions[name] / seen.decisions[name]
        share = fresh.exceptions[name] / count
        spread = np.sqrt(
            max(expected * (1 - expected), 1 / count) * (1 / count + 1 / seen.decisions[name])
        )
        if share > expected + 4 * spread:
            return True
    return False


def discover_by_majority(teacher: StepTeacher, **options: Unpack[SearchOptions]) -> Discovery:
    """Discover what a black box that errs by chance does without its errors.

    Parameters are those of ``discover_from``. Every step is asked for again until one answer
    leads clearly, so that wrong ones are outvoted.

    Raises
    ------
    UndecidedBlackBoxError
        Where no answer leads.
    """
    asked = MajorityTeacher(teacher)
    made = discover_from(asked, **options)
    rng = stream(options.get("seed", 0), "majority", teacher.schema.name)
    fresh = fidelity(made.algorithm(), teacher.schema, mixed_runs(teacher, FRESH, FRESH_SIZES, rng))
    known = KnownByMajority(**vars(made.known), otherwise=asked.share, fresh=fresh)
    return replace(made, known=known)


def discover_any(
    teacher: RunTeacher,
    given: Sequence[Episodes] = (),
    *,
    exceptions: bool | None = None,
    **options: Unpack[SearchOptions],
) -> Discovery:
    """Discover without exceptions where that can be done, and else with them.

    Parameters are those of ``discover_from``, and

    exceptions : bool, optional
        Whether exceptions are allowed; by default, where runs contradict one another and no
        majority can be asked for, or where nothing settles them.
    """
    began = time.process_time()
    seconds, seed = options.get("seconds", SECONDS), options.get("seed", 0)
    progress = options.get("progress", print_nothing)
    by_chance = exceptions is not False and _errs_by_chance(teacher, given, options)
    if exceptions is None and by_chance:
        if isinstance(teacher, StepTeacher) and teacher.can_step:
            progress(
                "one state is followed by different ones: each step is asked for many times (if "
                "step() keeps something to itself, put that into the state)"
            )
            try:
                return discover_by_majority(teacher, **options)
            except (UnsettledError, UndecidedBlackBoxError) as problem:
                progress(f"{problem} Now with exceptions.")
        else:
            progress("one state is followed by different ones: exceptions are allowed")
        exceptions = True
    exact = None
    if not exceptions:
        try:
            most = seconds if exceptions is False else seconds * EXACT_SHARE
            exact = discover_from(teacher, given, **_within(most, options))
            if exceptions is False or exact.known.error is None:
                return exact
        except UnsettledError as problem:
            if exceptions is False:
                raise
            progress(f"{problem} Now with exceptions.")
    left = max(seconds - (time.process_time() - began), seconds * (1 - EXACT_SHARE))
    try:
        made = discover_with_exceptions(teacher, given, **_within(left, options))
    except UnsettledError:
        if exact is None:
            raise
        return exact
    if exact is not None and teacher.can_run and not _is_closer(teacher, made, exact, seed):
        return exact
    if by_chance or not teacher.can_run:
        return made
    # it does not err by chance: the smallest graph where it does is told too
    until = time.process_time() + seconds * (1 - EXACT_SHARE)
    nodes = options.get("nodes", max(MOST_NODES.values()))
    check = BlackBoxCheck(teacher, made.algorithm(), until, nodes)
    wrong = check.counterexample([], stream(seed, "errs", teacher.schema.name))
    known = made.known
    assert isinstance(known, KnownButForExceptions)
    if wrong is not None:
        error = first_deviation(made.algorithm(), teacher.schema, wrong)
        return replace(made, known=replace(known, error=error))
    counted = [some for some in (known.fresh, known.seen) if some is not None]
    errors = [one for some in counted for one in some.shown]
    known = replace(
        known,
        tried=tuple(check.exhaustive),
        sampled=tuple(check.sampled),
        error=errors[0] if errors else None,
    )
    return replace(made, known=known)


def _within(seconds: float, options: SearchOptions) -> SearchOptions:
    """The same options with another limit of time."""
    made = options.copy()
    made["seconds"] = seconds
    return made


def _errs_by_chance(teacher: RunTeacher, given: Sequence[Episodes], options: SearchOptions) -> bool:
    """Whether one state is followed by different ones."""
    rng = stream(options.get("seed", 0), "discover", teacher.schema.name)
    count = options.get("runs", FIRST_RUNS)
    first = list(given) or list(random_runs(teacher, count, FIRST_SIZES, rng))
    if teacher.can_run:  # who errs by chance errs otherwise the second time
        first += [teacher.run(some.graph, some.inputs) for some in first]
    return contradictions(teacher.schema, first) > 0


def _is_closer(teacher: RunTeacher, made: Discovery, exact: Discovery, seed: int) -> bool:
    """Whether what has exceptions decides as the black box more often than what errs."""
    fresh = mixed_runs(teacher, FRESH, FRESH_SIZES, stream(seed, "closer", teacher.schema.name))
    return _share(made.algorithm(), teacher, fresh) <= _share(exact.algorithm(), teacher, fresh)
