"""Discovering an algorithm: explain what was seen, look for a run where it errs, explain again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration
from algolens.discovery.checks import BlackBoxCheck, still_tied
from algolens.discovery.decisions import Explanation, Script, UnexplainedError
from algolens.discovery.declaring import algorithm_of, program_of
from algolens.discovery.differences import (
    Fidelity,
    contradictions,
    fidelity,
    first_deviation,
    first_difference,
    first_errors,
    telling_runs,
)
from algolens.discovery.examples import all_states
from algolens.discovery.majority import MajorityOracle, UndecidedBlackBoxError
from algolens.discovery.oracle import Episodes, GraphSizes, Oracle, Schema
from algolens.discovery.result import Discovery, Known, Limits
from algolens.discovery.sampling import (
    FIRST_SIZES,
    FRESH_SIZES,
    MORE_SIZES,
    asked_for,
    fewer,
    mixed_runs,
    random_runs,
)
from algolens.discovery.search import Search
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import stream

MOST_ROUNDS = 60
MOST_UNSETTLED = 2  # times that more states are looked at, where something is not explained
# runs that tell answers of one price apart: how many, of how many nodes
APART = ((60, (2, 5)), (40, (5, 12)), (20, (12, 24)))
FIRST_STATES = 260  # that are looked at first,
MORE_STATES = 600  # and where these leave something unexplained
MOST_ADDED = 40  # runs that err, of which states are added at a time
# with exceptions
LEAST_RUNS = 150  # that a search begins with: by fewer, chance is not told from rule
FRESH = 60  # runs that exceptions are counted on
LEAST_TRIALS, MOST_TRIALS = 3, 8  # rare cases come up on larger graphs, in later rounds
EXACT_SHARE = 0.6  # of the time, in which an explanation without exceptions is looked for


def discover_any(
    oracle: Oracle,
    given: Sequence[Episodes] = (),
    limits: Limits = Limits(),  # noqa: B008
    *,
    exceptions: bool | None = None,
) -> Discovery:
    """Discover without exceptions where that can be done, and else with them.

    Parameters
    ----------
    oracle : Oracle
        The black box.
    given : sequence of Episodes
        Runs to begin with; without them, some are asked for.
    limits : Limits
        Of runs, of time, and of what is tried.
    exceptions : bool, optional
        Whether exceptions are allowed; by default, where runs contradict one another and no
        majority can be asked for, or where nothing explains them.

    Raises
    ------
    UnexplainedError
        Where a decision is not explained within the bounds.
    """
    began, name = time.process_time(), oracle.schema.name
    seconds, progress, exact = limits.seconds, limits.progress, None
    by_chance = exceptions is not False and _errs_by_chance(oracle, given, limits)
    if exceptions is None and by_chance:
        exceptions = True
        how = "each step is asked for many times" if oracle.can_step else "exceptions are allowed"
        progress(f"one state is followed by different ones: {how}")
        if oracle.can_step:
            try:
                return discover_by_majority(oracle, limits)
            except (UnexplainedError, UndecidedBlackBoxError) as problem:
                progress(f"{problem} Now with exceptions.")
    if not exceptions:
        most = seconds if exceptions is False else seconds * EXACT_SHARE
        try:
            exact = discover_from(oracle, given, replace(limits, seconds=most))
            if exceptions is False or exact.known.error is None:
                return exact
        except UnexplainedError as problem:
            if exceptions is False:
                raise
            progress(f"{problem} Now with exceptions.")
    left = max(seconds - (time.process_time() - began), seconds * (1 - EXACT_SHARE))
    try:
        made = discover_with_exceptions(oracle, given, replace(limits, seconds=left))
    except UnexplainedError:
        if exact is None:
            raise
        return exact
    if exact is not None and oracle.can_run:
        fresh = mixed_runs(oracle, FRESH, FRESH_SIZES, stream(limits.seed, "closer", name))
        if _share(made, oracle, fresh) > _share(exact, oracle, fresh):
            return exact
    if by_chance or not oracle.can_run:
        return made
    # it does not err by chance: the smallest graph where it does is told too
    until = time.process_time() + seconds * (1 - EXACT_SHARE)
    check = BlackBoxCheck(oracle, made.algorithm(), until, limits.nodes)
    wrong = check.counterexample(stream(limits.seed, "errs", name))
    known = made.known
    if wrong is not None:
        deviation = first_deviation(made.algorithm(), oracle.schema, wrong)
        return replace(made, known=replace(known, error=deviation))
    shown = next((some.shown for some in (known.fresh, known.seen) if some and some.shown), (None,))
    tried, sampled = tuple(check.exhaustive), tuple(check.sampled)
    return replace(made, known=replace(known, tried=tried, sampled=sampled, error=shown[0]))


def discover_by_majority(oracle: Oracle, limits: Limits) -> Discovery:
    """Discover what a black box that errs by chance does without its errors.

    Every step is asked for again until one answer leads clearly, so that wrong ones are outvoted.

    Raises
    ------
    UndecidedBlackBoxError
        Where no answer leads.
    """
    asked = MajorityOracle(oracle)
    made = discover_from(asked, limits=limits)
    rng = stream(limits.seed, "majority", oracle.schema.name)
    fresh = fidelity(made.algorithm(), oracle.schema, mixed_runs(oracle, FRESH, FRESH_SIZES, rng))
    return replace(made, known=replace(made.known, otherwise=asked.share, fresh=fresh))


# ---- without exceptions


def discover_from(
    oracle: Oracle,
    given: Sequence[Episodes] = (),
    limits: Limits = Limits(),  # noqa: B008
) -> Discovery:
    """Discover an algorithm from runs, without exceptions; parameters as of ``discover_any``.

    Raises
    ------
    UnexplainedError
        Where a decision is not explained within the bounds.
    """
    began, schema, progress = time.process_time(), oracle.schema, limits.progress
    until = began + limits.seconds
    rng = stream(limits.seed, "discover", schema.name)
    first = random_runs(oracle, limits.runs, FIRST_SIZES, rng)
    examples = WorkingSet(schema, list(given) or asked_for(oracle, first), rng)
    best, tried, unsettled, mark_all = None, 0, 0, False
    for rounds in range(1, MOST_ROUNDS + 1):
        search = Search(
            schema, examples.episodes, until, progress, mark_all=mark_all, kept=examples.kept
        )
        try:
            search.run()
        except (UnexplainedError, KeyboardInterrupt) as problem:
            is_late = isinstance(problem, KeyboardInterrupt) or time.process_time() > until
            unsettled += 1
            can_err = search.may_have_erred and unsettled <= MOST_UNSETTLED
            more = random_runs(oracle, limits.runs, MORE_SIZES, rng) if oracle.can_run else ()
            if is_late or not can_err or not examples.add_states(list(more)):
                if best is None:
                    raise
                return replace(best, known=replace(best.known, is_late=is_late))
            progress(f"round {rounds}: {problem} More states are looked at.")
            continue
        tried += search.state.examples.tried
        declaration = Declaration(program_of(search, examples.episodes))
        algorithm = algorithm_of(schema, declaration, f"discovered_{schema.name}")
        num_wrong, is_new = examples.add_errors(algorithm)
        if is_new and time.process_time() < until:
            progress(f"round {rounds}: errs on {num_wrong} of the runs given")
            continue
        check = BlackBoxCheck(oracle, algorithm, until, limits.nodes)
        if num_wrong:
            wrong = check.first_wrong(examples.episodes)
        else:
            wrong = check.counterexample(rng) if oracle.can_run else None
        is_late, decisions = time.process_time() > until, search.state.script.decisions
        tied: list[Explanation] = []
        if wrong is None and oracle.can_run and not is_late:
            left = _left_tied(search, oracle, examples, algorithm, rng)
            if left is None:
                progress(f"round {rounds}: errs on a run that tells answers of one price apart")
                continue
            tied = left
        known = Known(
            GraphSizes.of(examples.episodes),
            tuple(check.sampled),
            tuple(check.exhaustive),
            None if wrong is None else first_deviation(algorithm, schema, wrong),
            oracle.can_run,
            tuple(
                {
                    "decision": other.name,
                    "taken": list(map(search.state.text, decisions[other.name].said)),
                    "other": list(map(search.state.text, other.said)),
                }
                for other in tied
            ),
            is_late,
        )
        spent = time.process_time() - began
        told = search.state.script.told
        best = Discovery(schema, declaration, told, known, spent, rounds, tried)
        if wrong is None or time.process_time() > until or (num_wrong and mark_all):
            break
        progress(f"round {rounds}: errs on {wrong.graph}")
        if num_wrong:  # whom several could be marked of, one was too few
            mark_all = True
        else:
            examples.add_run(wrong, algorithm)
    if best is None:
        raise UnexplainedError(f"{MOST_ROUNDS} rounds did not suffice: give more runs.")
    return best


def _left_tied(
    search: Search,
    oracle: Oracle,
    examples: WorkingSet,
    algorithm: Algorithm,
    rng: np.random.Generator,
) -> list[Explanation] | None:
    """Answers of the same price as the one that was taken that no run tells apart, of those given
    and of further ones; None where one of these errs, which is then looked at.
    """
    decisions = search.state.script.decisions.values()
    others = [other for made in decisions for other in made.others]
    tied = still_tied(search, others, examples.episodes)
    for count, sizes in APART if tied else ():
        runs, errs = list(random_runs(oracle, count, sizes, rng)), False
        for some in runs:
            wrong = (first_errors(oracle.schema, some, algorithm) >= 0).nonzero().flatten()
            if len(wrong):
                examples.add_run(some.only(oracle.schema, wrong), algorithm)
                errs = True
        if errs:
            return None
        tied = still_tied(search, tied, runs)
    return tied


class WorkingSet:
    """Runs, and those of their states that a search looks at: some at first, then those where what
    it found errs.

    Most states of a run tell nothing that others have not told. A search on a third of them takes a
    third of the time, and what it finds is held against all.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        Runs, of which some states are looked at, drawn at random, and each run's last.
    rng : np.random.Generator
        Draws them.
    """

    def __init__(
        self, schema: Schema, episodes: Sequence[Episodes], rng: np.random.Generator
    ) -> None:
        self.schema, self.rng = schema, rng
        self.episodes: list[Episodes] = []
        self.kept: list[Tensor] = []
        self.add_states(episodes, FIRST_STATES)

    def add_states(self, episodes: Sequence[Episodes], count: int = MORE_STATES) -> bool:
        """Looks at about so many further states of all runs and of some more, drawn at random;
        whether there were any.
        """
        self.episodes += episodes
        self.kept += [_last_states(some) for some in episodes]
        pairs = list(zip(self.episodes, self.kept, strict=True))
        left = [all_states(some) & ~kept for some, kept in pairs]
        total = sum(int(some.sum()) for some in left)
        for kept, some in zip(self.kept, left, strict=True):
            drawn = torch.from_numpy(self.rng.random(tuple(kept.shape)))
            kept |= some & (drawn * total < count)
        return total > 0

    def add_run(self, episodes: Episodes, algorithm: Algorithm) -> None:
        """Adds a run on which an algorithm errs."""
        self.episodes.append(episodes)
        self.kept.append(_last_states(episodes))
        self.add_errors(algorithm)

    def add_errors(self, algorithm: Algorithm) -> tuple[int, bool]:
        """Looks at the states where an algorithm first errs, and those after: in how many runs it
        does, and whether one of these states was not looked at before.
        """
        num_wrong, is_new = 0, False
        for some, kept in zip(self.episodes, self.kept, strict=True):
            firsts, before = first_errors(self.schema, some, algorithm), kept.clone()
            wrong = (firsts >= 0).nonzero().flatten()[:MOST_ADDED]
            for steps in (firsts, torch.minimum(firsts + 1, some.lengths)):
                kept[steps[wrong], wrong] = True
            num_wrong += len(wrong)
            is_new |= not torch.equal(kept, before)
        return num_wrong, is_new


def _last_states(episodes: Episodes) -> Tensor:
    """[T + 1, G] bools: the state that each run ends in."""
    return torch.arange(len(episodes.frames))[:, None] == episodes.lengths


# ---- with exceptions


def discover_with_exceptions(
    oracle: Oracle,
    given: Sequence[Episodes] = (),
    limits: Limits = Limits(),  # noqa: B008
) -> Discovery:
    """Discover what a black box does most of the time; parameters as of ``discover_any``.

    Runs are at least 150. Few exceptions are allowed at first, then more, and the shortest
    description decides.

    Raises
    ------
    UnexplainedError
        Where more than a quarter of a decision would be exceptions.
    """
    began, schema = time.process_time(), oracle.schema
    until = began + limits.seconds
    rng = stream(limits.seed, "discover", schema.name, "exceptions")
    first = mixed_runs(oracle, max(limits.runs, LEAST_RUNS), FIRST_SIZES, rng)
    episodes = list(given) or fewer(schema, asked_for(oracle, first))
    made, script, usual, tried = None, Script(), None, 0
    for rounds in range(1, MOST_TRIALS + 1):
        round_began = time.process_time()
        search = Search(schema, episodes, until, limits.progress)
        try:
            search.run_with_exceptions(script, usual)
            declaration = Declaration(program_of(search, episodes))
        except AlgoLensError:  # not explained, or by more concepts than rules can have
            if made is None:
                raise
            return made  # the best so far
        script, tried = search.state.script, tried + search.state.examples.tried
        algorithm = algorithm_of(schema, declaration, f"discovered_{schema.name}")
        more = mixed_runs(oracle, FRESH, FRESH_SIZES, rng) if oracle.can_run else []
        seen = fidelity(algorithm, schema, episodes)
        fresh = fidelity(algorithm, schema, more) if more else None
        known = Known(seen.graphs, asked=oracle.can_run, seen=seen, fresh=fresh)
        spent, usual = time.process_time() - began, seen.share
        new = Discovery(schema, declaration, script.told, known, spent, rounds, tried)
        # on runs that neither has seen: more observations always explain more of those seen
        if made is None or _share(new, oracle, more) <= _share(made, oracle, more):
            made = new
        if fresh is None:
            break
        telling = telling_runs(oracle, algorithm, fresh.share, rng)
        now = time.process_time()
        has_tried = rounds >= LEAST_TRIALS or now - began > limits.seconds / 3
        is_enough = has_tried and not telling and not _is_worse(seen, fresh)
        # a round that is cut short explains worse
        if is_enough or now + (now - round_began) > until:
            break
        limits.progress(f"round {rounds}: {100 * fresh.share:.2g} % exceptions on fresh runs")
        episodes += [*fewer(schema, more), *telling]
    assert made is not None
    return made


def _share(made: Discovery, oracle: Oracle, episodes: Sequence[Episodes]) -> float:
    return fidelity(made.algorithm(), oracle.schema, episodes).share


def _is_worse(seen: Fidelity, fresh: Fidelity) -> bool:
    """Whether a fresh share is higher by more than chance explains."""
    for name, count in fresh.decisions.items():
        total = seen.decisions[name]
        if count and total:
            expected = seen.exceptions[name] / total
            spread = max(expected * (1 - expected), 1 / count) * (1 / count + 1 / total)
            if fresh.exceptions[name] / count > expected + 4 * np.sqrt(spread):
                return True
    return False


def _errs_by_chance(oracle: Oracle, given: Sequence[Episodes], limits: Limits) -> bool:
    """Whether one state is followed by different ones.

    Raises
    ------
    DefinitionError
        Where it is, and yet runs repeat: a black box of the user's keeps something to itself.
    """
    schema, rng = oracle.schema, stream(limits.seed, "discover", oracle.schema.name)
    first = list(given) or list(random_runs(oracle, limits.runs, FIRST_SIZES, rng))
    # who errs by chance errs otherwise the second time
    again = [oracle.run(some.graph, some.inputs) for some in first if oracle.can_run]
    if not contradictions(schema, [*first, *again]):
        return False
    pairs = zip(first, again, strict=oracle.can_run)
    differs = [bool((first_difference(schema, *pair) >= 0).any()) for pair in pairs]
    if oracle.can_step and not any(differs):
        raise DefinitionError(
            f"{schema.name} follows one state by different ones, the same in every run: step() "
            "keeps something to itself. Put what it keeps into the state."
        )
    return True
