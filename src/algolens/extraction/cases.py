"""The cases that an element can be in, as a stage tells them apart: all, or those met in runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy import ndarray

from algolens.engines import Run
from algolens.engines.tensors import Running
from algolens.errors import ExtractionError
from algolens.language.finite import Statement
from algolens.models.exact import Exact, StageTable
from algolens.models.exact.classes import classes

MOST_GRAPHS = 200  # whose runs are gone through


@dataclass(frozen=True, eq=False)
class Cases:
    """Each case once: own class, what was met of each statement, what the stage concludes."""

    own: ndarray  # [M]
    met: ndarray  # [M, Q] how many in view satisfy each statement, as far as it is counted
    concluded: ndarray  # [M] bools
    kinds: Sequence[tuple[int, ...]]  # of each, the fewest others that bring it about

    def __len__(self) -> int:
        return len(self.own)


@dataclass(frozen=True, eq=False)
class Possible:
    """Which cases count: all of them, or only what was met in runs."""

    own: ndarray  # [own classes] bools
    kinds: ndarray  # [own classes, neighbour classes] bools

    @classmethod
    def every(cls, statement: Statement, *, counts: bool = True) -> Possible:
        """Whether everything counts that a statement can come upon, or nothing yet."""
        own, kinds = statement.num_own, statement.num_neighbours
        return cls(np.full(own, counts), np.full((own, kinds), counts))


_State = tuple[int, tuple[int, ...]]  # a case of the stage, and what was met
_States = dict[_State, tuple[int, ...]]  # with the kinds that lead to each: as few as can be


def all_cases(
    table: StageTable,
    bodies: ndarray,
    most: Sequence[int],
    exactly: int | None,
    possible: Possible,
    limit: int | None = None,
) -> Cases:
    """All that an element can come upon, by the table of a stage.

    bodies: [Q, own classes, kinds] which kinds each statement counts. most: [Q] up to how many.
    exactly: how many others there always are; None: any number. limit: cases of one own class.
    """
    owns: list[int] = []
    reached: list[tuple[_State, tuple[int, ...]]] = []
    for own in np.flatnonzero(possible.own):
        # of kinds that lead to the same and satisfy the same, one
        steps: dict[bytes, tuple[int, list[int], list[int]]] = {}
        for kind in np.flatnonzero(possible.kinds[own]).tolist():
            after, satisfied = table.after[:, kind], bodies[:, own, kind].astype(int)
            key = after.tobytes() + satisfied.tobytes()
            steps.setdefault(key, (kind, after.tolist(), satisfied.tolist()))

        def following(level: _States, steps: Any = tuple(steps.values())) -> _States:  # noqa: B008
            found: _States = {}
            for (case, met), kinds in level.items():
                for kind, after, satisfied in steps:
                    counts = zip(met, satisfied, most, strict=True)
                    more = tuple(min(count + new, stop) for count, new, stop in counts)
                    found.setdefault((after[case], more), (*kinds, kind))
            return found

        known = level = {(int(table.first[own]), (0,) * len(most)): ()}
        if exactly is not None:
            for _ in range(exactly):
                known = following(known)
        while exactly is None and level:
            level = {state: by for state, by in following(level).items() if state not in known}
            known = known | level
            if limit is not None and len(known) > limit:
                raise ExtractionError(
                    f"what is concluded depends on more than {limit:,} cases of others in view."
                )
        owns += [int(own)] * len(known)
        reached += known.items()
    return Cases(
        np.array(owns, np.int64),
        np.array([met for (_, met), _ in reached], np.int64).reshape(len(reached), len(most)),
        table.concluded[np.array([case for (case, _), _ in reached], np.int64)],
        [kinds for _, kinds in reached],
    )


def declared_cases(
    statement: Statement, table: StageTable, possible: Possible
) -> tuple[Cases, ndarray]:
    """All cases beside the declared statement, and [M] bools: what is declared in each."""
    bodies, most = statement.counted, [part.count for part in statement.quantifiers]
    cases = all_cases(table, bodies, most, statement.exactly, possible)
    return cases, statement.truth_where_met(cases.own, cases.met)


@torch.no_grad()
def met_in_runs(perceiver: Exact, truth: Run) -> dict[str, Possible]:
    """For each observation the own classes that came, and the neighbours that each had in view.

    Parameters
    ----------
    perceiver
        An exact network's perceiver.
    truth
        True runs, of which all states count.

    Returns
    -------
    dict
        By the names of observations.
    """
    truth = truth.take(range(min(MOST_GRAPHS, truth.graph.num_graphs)))
    declared = perceiver.statements
    met = {name: Possible.every(statement, counts=False) for name, statement in declared.items()}
    for seen in seen_in_states(truth, list(declared.values())):
        for possible, (own, looks, neighbours) in zip(met.values(), seen, strict=True):
            possible.own[own] = True
            possible.kinds[own[looks], neighbours] = True
    return met


def seen_in_states(
    run: Run, statements: Sequence[Statement]
) -> Iterator[list[tuple[ndarray, ndarray, ndarray]]]:
    """In each state, of each statement: own classes; of pairs in view, who looks, and the
    neighbour class.
    """
    running = Running(run.algorithm.declaration.program, run.graph)
    states = {name: run.state(name) for name in run.start}
    for step in range(run.num_steps + 1):
        running.look(run.inputs, {name: value[step] for name, value in states.items()})
        seen = (classes(statement, running.tensors) for statement in statements)
        yield [(own.numpy(), looks.numpy(), kinds.numpy()) for own, looks, kinds in seen]
