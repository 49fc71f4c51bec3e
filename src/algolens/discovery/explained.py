"""Decisions one by one: what observations explain each of, where no whole algorithm is wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.discovery.bench import Bench, own_test
from algolens.discovery.decisions import Decision, SettledDecision
from algolens.discovery.schema import Episodes, RunTeacher
from algolens.discovery.tolerant import TolerantSearch
from algolens.discovery.tolerant_bench import EXACT, MOST_SHARE
from algolens.logic import pack
from algolens.looks.language import statement_text

PRICES = range(1, 6)


@dataclass(frozen=True)
class ExplainedDecision:
    """What explains a mask or a class that a black box decides, but for exceptions."""

    field: str
    statements: tuple[str, ...]
    seen: float  # the share of exceptions where it was described
    fresh: float  # the share on fresh runs
    usual: float  # on these, the share of exceptions to the label that is most frequent


def explained_decisions(
    teacher: RunTeacher,
    episodes: Sequence[Episodes],
    fresh: Sequence[Episodes],
    *,
    seconds: float = 60.0,
    progress: Callable[[str], None] = lambda _: None,
) -> list[ExplainedDecision]:
    """What explains each mask and class that a step decides; pointers and numbers are left alone.

    Parameters
    ----------
    teacher : RunTeacher
        The black box.
    episodes : sequence of Episodes
        The runs that are described.
    fresh : sequence of Episodes
        Other runs, on which exceptions are counted.
    seconds : float
        Of computing.
    progress : callable
        Is told in a line what is being done.

    Returns
    -------
    list of ExplainedDecision
        In the order in which they were settled; what is not, within a quarter of exceptions, is
        left out.
    """
    until = time.process_time() + seconds
    search = TolerantSearch(teacher.schema, episodes, until, progress=progress)
    other = TolerantSearch(teacher.schema, fresh, until)
    pending, made = list(search.decisions()), []
    asked = {decision.name: decision for decision in other.decisions()}
    for price in PRICES:
        search.bench.exceptions = 0.0 if price <= EXACT else MOST_SHARE
        for decision in list(pending):
            settled = search.bench.settled(decision, price)
            if settled is None:
                continue
            pending.remove(decision)
            search.bench.keep_output(settled)
            kept = search.bench.script.decisions[decision.name]
            for name, (location, formula) in search.bench.look.items():
                if name not in other.bench.look:
                    other.bench.observe(name, location, formula)
            labels = asked[decision.name].decided
            frequent = np.bincount(labels).max() / max(len(labels), 1)
            made.append(
                ExplainedDecision(
                    decision.name,
                    tuple(statement_text(search.bench.look[name][1]) for name in kept.concepts),
                    _share(search.bench, decision, kept),
                    _share(other.bench, asked[decision.name], kept),
                    float(1 - frequent),
                )
            )
    return made


def _share(bench: Bench, decision: Decision, settled: SettledDecision) -> float:
    """The share of a decision's elements that are decided otherwise than the patterns say."""
    if not len(decision.rows):
        return 0.0
    usual = np.bincount(settled.decided).argmax()
    said = np.full(len(decision.rows), usual)
    if settled.concepts:
        columns = [
            bench.situations.own(own_test(name), settled.location) for name in settled.concepts
        ]
        packed = pack(np.stack(columns, 1)[decision.rows])
        place = np.searchsorted(settled.patterns, packed).clip(max=len(settled.patterns) - 1)
        known = settled.patterns[place] == packed
        said[known] = settled.decided[place[known]]
    return float((said != decision.decided).mean())
