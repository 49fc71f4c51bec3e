"""The cases that an element can be in, as a stage tells them apart: all, or those met in runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    def all_of(cls, statement: Statement) -> Possible:
        """Everything that a statement can come upon."""
        return cls(
            np.ones(statement.num_own, bool),
            np.ones((statement.num_own, statement.num_neighbours), bool),
        )

    @classmethod
    def nothing_of(cls, statement: Statement) -> Possible:
        """Nothing yet."""
        everything = cls.all_of(statement)
        return cls(~everything.own, ~everything.kinds)


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
    after, concluded = table.after, table.concluded
    reached: list[tuple[int, tuple[int, ...], bool, tuple[int, ...]]] = []
    for own in np.flatnonzero(possible.own):
        steps = _steps(after, bodies[:, own], np.flatnonzero(possible.kinds[own]))
        for (case, met), kinds in _reached(int(table.first[own]), steps, most, exactly, limit):
            reached.append((int(own), met, bool(concluded[case]), kinds))
    owns, all_met, conclusions, all_kinds = zip(*reached, strict=True) if reached else ((),) * 4
    return Cases(
        np.array(owns, np.int64),
        np.array(all_met, np.int64).reshape(len(reached), len(most)),
        np.array(conclusions, bool),
        list(all_kinds),
    )


def declared_cases(
    statement: Statement, table: StageTable, possible: Possible
) -> tuple[Cases, ndarray]:
    """All cases beside the declared statement, and [M] bools: what is declared in each."""
    bodies, most = statement.counted, [part.count for part in statement.quantifiers]
    cases = all_cases(table, bodies, most, statement.exactly, possible)
    return cases, statement.truth_where_met(cases.own, cases.met)


# a kind, where it leads from each case, which statements it satisfies
_Step = tuple[int, ndarray, tuple[int, ...]]
_State = tuple[int, tuple[int, ...]]  # a case of the stage, and what was met


def _steps(after: ndarray, bodies: ndarray, kinds: ndarray) -> list[_Step]:
    """The kinds that differ in what they lead to or in what they satisfy: one for each."""
    distinct: dict[bytes, _Step] = {}
    for kind in kinds:
        satisfied = bodies[:, kind]
        key = after[:, kind].tobytes() + satisfied.tobytes()
        step = int(kind), after[:, kind], tuple(satisfied.astype(int).tolist())
        distinct.setdefault(key, step)
    return list(distinct.values())


def _reached(
    first: int, steps: Sequence[_Step], most: Sequence[int], exactly: int | None, limit: int | None
) -> list[tuple[_State, tuple[int, ...]]]:
    """All states from the first one on, with the kinds that lead to each: as few as can be."""
    start: _State = (first, (0,) * len(most))
    level: dict[_State, tuple[int, ...]] = {start: ()}
    if exactly is not None:
        for _ in range(exactly):
            level = _next(level, steps, most)
        return list(level.items())
    known = dict(level)
    while level:
        if limit is not None and len(known) > limit:
            raise ExtractionError(
                f"what is concluded depends on more than {limit:,} cases of others in view."
            )
        level = {
            state: kinds for state, kinds in _next(level, steps, most).items() if state not in known
        }
        known |= level
    return list(known.items())


def _next(
    level: dict[_State, tuple[int, ...]], steps: Sequence[_Step], most: Sequence[int]
) -> dict[_State, tuple[int, ...]]:
    reached: dict[_State, tuple[int, ...]] = {}
    for (case, met), kinds in level.items():
        for kind, leads, satisfied in steps:
            more = tuple(
                min(count + new, stop)
                for count, new, stop in zip(met, satisfied, most, strict=True)
            )
            reached.setdefault((int(leads[case]), more), (*kinds, kind))
    return reached


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
    met = {name: Possible.nothing_of(statement) for name, statement in declared.items()}
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
