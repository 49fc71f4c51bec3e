"""Discovering an algorithm: explain what was seen, look for a run where it errs, explain again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration
from algolens.discovery.decisions import Explanation, Script, UnexplainedError
from algolens.discovery.declaring import algorithm_of, program_of
from algolens.discovery.differences import (
    BlackBoxCheck,
    Fidelity,
    contradictions,
    fidelity,
    first_deviation,
    first_difference,
    first_errors,
    still_tied,
    telling_runs,
)
from algolens.discovery.examples import all_states
from algolens.discovery.final import discover_from_ends
from algolens.discovery.limits import Limits
from algolens.discovery.oracle import (
    Episodes,
    GraphSizes,
    MajorityOracle,
    Oracle,
    Schema,
    UndecidedBlackBoxError,
)
from algolens.discovery.result import Discovery, Known
from algolens.discovery.sampling import asked_for, fewer, mixed_runs, random_runs
from algolens.discovery.search import Search
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import stream


def discover(
    oracle: Oracle,
    given: Sequence[Episodes] = (),
    limits: Limits = Limits(),  # noqa: B008
    *,
    exceptions: bool | None = None,
    final: bool = False,
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
    final : bool
        Whether inputs and final outputs alone are looked at, and no step.

    Raises
    ------
    UnexplainedError
        Where a decision is not explained within the limits; with exceptions, where more than a
        quarter of a decision would be exceptions.
    """
    if final:
        return discover_from_ends(oracle, given, limits)
    if exceptions is False:
        return _in_rounds(oracle, given, limits)
    began, name = time.process_time(), oracle.schema.name
    seconds, progress, exact = limits.seconds, limits.progress, None
    by_chance = _errs_by_chance(oracle, given, limits)
    if by_chance and exceptions is None:
        how = "each step is asked for many times" if oracle.can_step else "exceptions are allowed"
        progress(f"one state is followed by different ones: {how}")
    try:
        if by_chance and oracle.can_step and exceptions is None:
            return _by_majority(oracle, limits)
        if not by_chance and exceptions is None:
            first = replace(limits, seconds=seconds * limits.exact_share)
            exact = _in_rounds(oracle, given, first)
            if exact.known.error is None:
                return exact
    except (UnexplainedError, UndecidedBlackBoxError) as problem:
        progress(f"{problem} Now with exceptions.")
    rest = seconds * (1 - limits.exact_share)
    spent, allowed = time.process_time() - began, limits.shares[-1]
    try:
        left = replace(limits, seconds=max(seconds - spent, rest), allowed=allowed)
        made = _in_rounds(oracle, given, left)
    except UnexplainedError:
        if exact is None:
            raise
        return exact
    if exact is not None and oracle.can_run:
        rng = stream(limits.seed, "closer", name)
        fresh = mixed_runs(oracle, limits.fresh, limits.fresh_sizes, rng)
        if _share(made, oracle, fresh) > _share(exact, oracle, fresh):
            return exact
    if by_chance or not oracle.can_run:
        return made
    # it does not err by chance: the smallest graph where it does is told too
    soon = replace(limits, until=time.process_time() + rest)
    check = BlackBoxCheck(oracle, made.algorithm(), soon)
    wrong = check.counterexample(stream(limits.seed, "errs", name))
    known = made.known
    if wrong is not None:
        deviation = first_deviation(made.algorithm(), oracle.schema, wrong)
        return replace(made, known=replace(known, error=deviation))
    shown = next((some.shown for some in (known.fresh, known.seen) if some and some.shown), (None,))
    tried, sampled = tuple(check.exhaustive), tuple(check.sampled)
    return replace(made, known=replace(known, tried=tried, sampled=sampled, error=shown[0]))


def _by_majority(oracle: Oracle, limits: Limits) -> Discovery:
    """What a black box that errs by chance does without its errors: every step is asked for again
    until one answer leads clearly, so that wrong ones are outvoted.
    """
    asked = MajorityOracle(oracle)
    made = _in_rounds(asked, (), limits)
    rng = stream(limits.seed, "majority", oracle.schema.name)
    runs = mixed_runs(oracle, limits.fresh, limits.fresh_sizes, rng)
    fresh = fidelity(made.algorithm(), oracle.schema, runs)
    return replace(made, known=replace(made.known, otherwise=asked.share, fresh=fresh))


def _in_rounds(oracle: Oracle, given: Sequence[Episodes], limits: Limits) -> Discovery:
    """Explain what was seen, look for a run where the explanation errs, and explain again.

    Where no exceptions are allowed, a run on which it errs is looked at. Else it goes on while it
    errs more often on fresh runs than on those it was described by, or in a case that comes up
    again and again; few exceptions are allowed at first, and the shortest description decides.
    """
    began, schema, progress = time.process_time(), oracle.schema, limits.progress
    exceptions = limits.allowed > 0
    limits = replace(limits, until=began + limits.seconds)
    rng = stream(limits.seed, "discover", schema.name, *["exceptions"] * exceptions)
    episodes = list(given)
    if not given and exceptions:
        runs = mixed_runs(oracle, max(limits.runs, limits.odd_runs), limits.first_sizes, rng)
        episodes = fewer(schema, asked_for(oracle, runs))
    elif not given:
        episodes = asked_for(oracle, random_runs(oracle, limits.runs, limits.first_sizes, rng))
    examples = WorkingSet(schema, episodes, rng, None if exceptions else limits.first_states)
    best, script, usual, tried, unexplained = None, Script(), None, 0, 0
    for rounds in range(1, 1 + (limits.odd_rounds[1] if exceptions else limits.rounds)):
        round_began = time.process_time()
        search = Search(schema, examples.episodes, limits, examples.kept)
        try:
            search.run(script, usual)
            declaration = Declaration(program_of(search, examples.episodes))
        except (AlgoLensError, KeyboardInterrupt) as problem:
            is_late = limits.is_late or isinstance(problem, KeyboardInterrupt)
            unexplained += 1
            may_go_on = not exceptions and isinstance(problem, UnexplainedError) and not is_late
            if may_go_on and search.may_have_erred and unexplained <= limits.unexplained:
                sizes = limits.more_sizes
                further = random_runs(oracle, limits.runs, sizes, rng) if oracle.can_run else ()
                if examples.add_states(list(further), limits.more_states):
                    progress(f"round {rounds}: {problem} More states are looked at.")
                    continue
            if best is None:
                raise
            return replace(best, known=replace(best.known, is_late=is_late))
        script, tried = search.script, tried + search.examples.tried
        algorithm = algorithm_of(schema, declaration, f"discovered_{schema.name}")
        found = partial(Discovery, schema, declaration, script.told, rounds=rounds, tried=tried)
        if exceptions:
            drawn = mixed_runs if oracle.can_run else lambda *_: []
            more = drawn(oracle, limits.fresh, limits.fresh_sizes, rng)
            seen = fidelity(algorithm, schema, examples.episodes)
            fresh, usual = fidelity(algorithm, schema, more) if more else None, seen.share
            known = Known(seen.graphs, asked=oracle.can_run, seen=seen, fresh=fresh)
            new = found(known, seconds=time.process_time() - began)
            # on runs that neither has seen: more observations always explain more of those seen
            if best is None or _share(new, oracle, more) <= _share(best, oracle, more):
                best = new
            if fresh is None:
                break
            telling = telling_runs(oracle, algorithm, fresh.share, rng)
            now = time.process_time()
            has_tried = rounds >= limits.odd_rounds[0] or now - began > limits.seconds / 3
            is_enough = has_tried and not telling and not _is_worse(seen, fresh)
            # a round that is cut short explains worse
            if is_enough or now + (now - round_began) > limits.until:
                break
            progress(f"round {rounds}: {100 * fresh.share:.2g} % exceptions on fresh runs")
            examples.add([*fewer(schema, more), *telling])
            continue
        num_wrong, is_new = examples.add_errors(algorithm, limits.added)
        if is_new and not limits.is_late:
            progress(f"round {rounds}: errs on {num_wrong} of the runs given")
            continue
        check = BlackBoxCheck(oracle, algorithm, limits)
        if num_wrong:
            wrong = check.first_wrong(examples.episodes)
        else:
            wrong = check.counterexample(rng) if oracle.can_run else None
        is_late, tied = limits.is_late, list[Explanation]()
        if wrong is None and oracle.can_run and not is_late:
            left = _left_tied(search, oracle, examples, algorithm, rng)
            if left is None:
                progress(f"round {rounds}: errs on a run that tells answers of one price apart")
                continue
            tied = left
        undecided = (
            {
                "decision": other.name,
                "taken": list(map(search.text, script.decisions[other.name].said)),
                "other": list(map(search.text, other.said)),
            }
            for other in tied
        )
        known = Known(
            GraphSizes.of(examples.episodes),
            tuple(check.sampled),
            tuple(check.exhaustive),
            None if wrong is None else first_deviation(algorithm, schema, wrong),
            oracle.can_run,
            tuple(undecided),
            is_late,
        )
        best = found(known, seconds=time.process_time() - began)
        if wrong is None or limits.is_late or (num_wrong and limits.mark_all):
            break
        progress(f"round {rounds}: errs on {wrong.graph}")
        if num_wrong:  # whom several could be marked of, one was too few
            limits = replace(limits, mark_all=True)
        else:
            examples.add_run(wrong, algorithm, limits.added)
    if best is None:
        raise UnexplainedError(f"{limits.rounds} rounds did not suffice: give more runs.")
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
    decisions = search.script.decisions.values()
    others = [other for made in decisions for other in made.others]
    tied = still_tied(search, others, examples.episodes)
    limits = search.limits
    for count, sizes in limits.apart if tied else ():
        runs, errs = list(random_runs(oracle, count, sizes, rng)), False
        for some in runs:
            wrong = (first_errors(oracle.schema, some, algorithm) >= 0).nonzero().flatten()
            if len(wrong):
                examples.add_run(some.only(oracle.schema, wrong), algorithm, limits.added)
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
    count : int, optional
        About how many; by default all.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        rng: np.random.Generator,
        count: int | None,
    ) -> None:
        self.schema, self.rng = schema, rng
        self.episodes: list[Episodes] = []
        self.kept: list[Tensor] = []
        if count is None:
            self.add(episodes)
        else:
            self.add_states(episodes, count)

    def add(self, episodes: Sequence[Episodes]) -> None:
        """Looks at all states of further runs."""
        self.episodes += episodes
        self.kept += map(all_states, episodes)

    def add_states(self, episodes: Sequence[Episodes], count: int) -> bool:
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

    def add_run(self, episodes: Episodes, algorithm: Algorithm, most: int) -> None:
        """Adds a run on which an algorithm errs."""
        self.episodes.append(episodes)
        self.kept.append(_last_states(episodes))
        self.add_errors(algorithm, most)

    def add_errors(self, algorithm: Algorithm, most: int) -> tuple[int, bool]:
        """Looks at the states where an algorithm first errs, and those after, of at most so many
        runs: in how many it does, and whether one of these states was not looked at before.
        """
        num_wrong, is_new = 0, False
        for some, kept in zip(self.episodes, self.kept, strict=True):
            firsts, before = first_errors(self.schema, some, algorithm), kept.clone()
            wrong = (firsts >= 0).nonzero().flatten()[:most]
            for steps in (firsts, torch.minimum(firsts + 1, some.lengths)):
                kept[steps[wrong], wrong] = True
            num_wrong += len(wrong)
            is_new |= not torch.equal(kept, before)
        return num_wrong, is_new


def _last_states(episodes: Episodes) -> Tensor:
    """[T + 1, G] bools: the state that each run ends in."""
    return torch.arange(len(episodes.frames))[:, None] == episodes.lengths


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
    first = list(given) or list(random_runs(oracle, limits.runs, limits.first_sizes, rng))
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
