"""Discovering an algorithm: settle what was seen, look for a run where it errs, settle again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

import numpy as np

from algolens.algorithms import Algorithm, Declaration
from algolens.data.small_graphs import MOST_NODES
from algolens.discovery.alternatives import Alternatives, Undecided
from algolens.discovery.checks import BlackBoxCheck
from algolens.discovery.decisions import Script, SettledDecision, UnsettledError
from algolens.discovery.declaring import algorithm_of, program_of
from algolens.discovery.differences import Deviation, Fidelity, first_deviation
from algolens.discovery.sampling import random_runs
from algolens.discovery.schema import Episodes, GraphSizes, RunTeacher, Schema
from algolens.discovery.search import Search
from algolens.discovery.told_states import ToldStates
from algolens.engines.program import Program
from algolens.equality import renamed
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from algolens.language.ir import GOES_ON
from algolens.language.text import Text

FIRST_RUNS = 30  # that the search begins with
FIRST_SIZES = (3, 9)  # nodes of these
MOST_ROUNDS = 60
MORE_SIZES = (5, 14)  # nodes of further runs, where the first leave something unsettled,
MOST_UNSETTLED = 2  # so many times
# runs that tell answers of one price apart: how many, of how many nodes
APART = ((60, (2, 5)), (40, (5, 12)), (20, (12, 24)))
MOST_SHOWN = 3  # answers that were not told apart, in sentences
SECONDS = 120.0


def print_nothing(_: str) -> None:
    """Progress that nobody asked for."""


class SearchOptions(TypedDict, total=False):
    """What every way to discover takes; ``discover_from`` says what each means."""

    runs: int
    seconds: float
    seed: int
    nodes: int
    progress: Callable[[str], None]


@dataclass(frozen=True)
class Known:
    """What is known of a discovered algorithm."""

    runs: GraphSizes  # that its statements were settled on
    sampled: tuple[GraphSizes, ...]  # further random runs on which it takes the same steps
    # sizes of graphs of which all were tried: nodes, whether directed, whether with every input
    tried: tuple[tuple[int, bool, bool], ...]
    error: Deviation | None = None  # where it errs
    asked: bool = True  # whether the black box could be asked for more runs
    # answers of the same price that no run told apart
    undecided: tuple[Undecided, ...] = field(default=(), kw_only=True)
    is_late: bool = field(default=False, kw_only=True)  # whether the time ended the search

    @property
    def fidelity(self) -> Fidelity | None:
        """How often the black box decides otherwise; None where it was never seen to."""
        return None

    def words(self) -> str:
        """In sentences, by the words of docs/scope.md."""
        parts = [
            f"Settled on {self.runs.runs} runs on {self.runs}: situations that look alike were "
            "decided alike."
        ]
        parts += self.checked()
        if self.error is not None:
            why = (
                "The time was spent: give more."
                if self.is_late
                else "The search ended before its time: nothing within its bounds mends this."
            )
            parts += [f"It {self.error.what_errs()}", why]
        if self.undecided:
            shown = "; ".join(map(str, self.undecided[:MOST_SHOWN]))
            more = len(self.undecided) - MOST_SHOWN
            rest = f"; and {more} more" if more > 0 else ""
            parts.append(f"As cheap, and told apart by no run: {shown}{rest}.")
        return " ".join([*parts, *self.not_proven()])

    def checked(self) -> list[str]:
        """What it was tried on, in sentences."""
        parts = []
        for every, said in (
            (True, "Exhaustive: it takes the same steps on all"),
            (False, "On all"),
        ):
            sizes = {
                way: [
                    nodes
                    for nodes, directed, full in self.tried
                    if (directed, full) == (way, every)
                ]
                for way in (False, True)
            }
            ranges = [
                f"{'directed' if way else 'undirected'} graphs of {_range(nodes)} nodes"
                for way, nodes in sizes.items()
                if nodes
            ]
            if ranges and every:
                parts.append(f"{said} {' and all '.join(ranges)}, with every input.")
            elif ranges:
                parts.append(f"{said} {' and all '.join(ranges)} it does with inputs drawn.")
        if self.sampled:
            ranges = [f"{some.runs} further random runs on {some}" for some in self.sampled]
            parts.append(f"Sampled: it does on {' and on '.join(ranges)}.")
        return parts

    def not_proven(self) -> list[str]:
        """What nothing was tried on, in sentences."""
        recorded = [] if self.asked else ["The runs were recorded: nothing else could be asked."]
        return [
            *recorded,
            "That it is the algorithm of the black box on every graph is not proven.",
        ]


def _range(nodes: Sequence[int]) -> str:
    return f"up to {max(nodes)}" if min(nodes) == 1 else " and ".join(map(str, sorted(nodes)))


@dataclass(frozen=True, eq=False)
class Discovery:
    """An algorithm that was discovered from runs, and what is known of it."""

    schema: Schema
    declaration: Declaration
    decisions: Mapping[str, SettledDecision]
    known: Known
    seconds: float  # of computing
    rounds: int  # of settling and checking
    tried: int  # statements

    def algorithm(self, name: str | None = None) -> Algorithm:
        """As an algorithm."""
        return algorithm_of(self.schema, self.declaration, name or f"discovered_{self.schema.name}")

    def renamed(self, names: Mapping[str, str]) -> Discovery:
        """The same, observations renamed."""
        return replace(self, declaration=renamed(self.declaration, names))

    def __str__(self) -> str:
        return str(Program.of(self.algorithm()))

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        program, rules = self.declaration.program, self.declaration.rule_set
        say = Text.of(program)
        return {
            "statements": {let.name: say.let(let) for let in program.lets if let.name != GOES_ON},
            "rules": {
                output: {label: str(rule) for label, rule in classes.items()}
                for output, classes in rules.rules.items()
            },
            "continues": None if rules.continues is None else str(rules.continues),
            "decisions": {
                name: {
                    "observations": list(map(say, settled.said)),
                    "cost": round(settled.cost, 1),
                    "least_up_to_price": settled.bound if settled.proven else None,
                }
                for name, settled in self.decisions.items()
            },
            "known": self.known.words(),
            "errs": None if self.known.error is None else str(self.known.error),
            "undecided": [one.to_json() for one in self.known.undecided],
            "statements_tried": self.tried,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 2),
        }


def discover_from(
    teacher: RunTeacher,
    given: Sequence[Episodes] = (),
    *,
    runs: int = FIRST_RUNS,
    seconds: float = SECONDS,
    seed: int = 0,
    nodes: int = max(MOST_NODES.values()),
    progress: Callable[[str], None] = print_nothing,
) -> Discovery:
    """Discover an algorithm from runs.

    Parameters
    ----------
    teacher : RunTeacher
        The black box.
    given : sequence of Episodes
        Runs to begin with; without them, some are asked for.
    runs : int
        As many are asked for.
    seconds : float
        After which the best so far is given.
    seed : int
        Of the random graphs.
    nodes : int
        All graphs of up to so many are tried, at most 5 (4, if they are directed).
    progress : callable
        Is told in a line what is being done.

    Raises
    ------
    UnsettledError
        Where a decision is not settled within the bounds.
    """
    began = time.process_time()
    until = began + seconds
    rng = stream(seed, "discover", teacher.schema.name)
    episodes = list(given) or list(random_runs(teacher, runs, FIRST_SIZES, rng))
    if not episodes:
        raise AlgoLensError(
            f"{teacher.schema.name} takes none of the random graphs that were tried: record runs "
            "on graphs that it takes, and give these."
        )
    told = ToldStates(teacher.schema, episodes, rng)
    script = Script()
    best, tried, unsettled, mark_all = None, 0, 0, False
    for rounds in range(1, MOST_ROUNDS + 1):
        search = Search(
            teacher.schema,
            told.episodes,
            until,
            script,
            progress,
            mark_all=mark_all,
            kept=told.kept,
        )
        try:
            search.run()
        except (UnsettledError, KeyboardInterrupt) as problem:
            is_late = isinstance(problem, KeyboardInterrupt) or time.process_time() > until
            unsettled += 1
            can_err = search.may_have_erred and unsettled <= MOST_UNSETTLED
            more = random_runs(teacher, runs, MORE_SIZES, rng) if teacher.can_run else ()
            if is_late or not can_err or not told.add_states(list(more)):
                if best is None:
                    raise
                return replace(best, known=replace(best.known, is_late=is_late))
            progress(f"round {rounds}: {problem} More states are looked at.")
            script = Script()
            continue
        script, tried = search.bench.script, tried + search.bench.tried
        declaration = Declaration(program_of(search, told.episodes))
        algorithm = algorithm_of(teacher.schema, declaration, f"discovered_{teacher.schema.name}")
        num_wrong, is_new = told.add_errors(algorithm)
        if is_new and time.process_time() < until:
            progress(f"round {rounds}: errs on {num_wrong} of the runs given")
            continue
        checked = BlackBoxCheck(teacher, algorithm, until, nodes)
        wrong = checked.counterexample(told.episodes if num_wrong else [], rng)
        known = Known(
            GraphSizes.of(told.episodes),
            tuple(checked.sampled),
            tuple(checked.exhaustive),
            None if wrong is None else first_deviation(algorithm, teacher.schema, wrong),
            teacher.can_run,
            is_late=time.process_time() > until,
        )
        if wrong is None and teacher.can_run and time.process_time() < until:
            others = Alternatives(teacher.schema, script, search.sums, search.bench.text)
            if _errs_beside(others, teacher, told, algorithm, rng):
                progress(f"round {rounds}: errs on a run that tells answers of one price apart")
                continue
            known = replace(known, undecided=others.undecided())
        spent, decisions = time.process_time() - began, script.decisions
        best = Discovery(teacher.schema, declaration, decisions, known, spent, rounds, tried)
        if wrong is None or time.process_time() > until or (checked.is_known and mark_all):
            break
        progress(f"round {rounds}: errs on {wrong.graph}")
        if checked.is_known:  # whom several could be marked of, one was too few
            script, mark_all = Script(), True
        else:
            told.add_runs(wrong, algorithm)
    if best is None:
        raise UnsettledError(f"{MOST_ROUNDS} rounds did not suffice: give more runs.")
    return best


def _errs_beside(
    others: Alternatives,
    teacher: RunTeacher,
    told: ToldStates,
    algorithm: Algorithm,
    rng: np.random.Generator,
) -> bool:
    """Asks for runs until all answers of the same price are told apart from the one that was taken,
    or none of the sizes is left; whether that one errs, which is then looked at.
    """
    others.hold_against(told.episodes)
    for count, sizes in APART:
        if not others.are_left:
            return False
        runs = list(random_runs(teacher, count, sizes, rng))
        errs = [told.add_runs(some, algorithm) for some in runs]
        if any(errs):
            return True
        others.hold_against(runs)
    return False
