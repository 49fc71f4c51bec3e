"""Discovering from inputs and final outputs alone: the smallest program whose run ends in them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np

from algolens.algorithms import Declaration
from algolens.data.small_graphs import MOST_NODES, small_trials
from algolens.discovery.decisions import UnsettledError
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.discover import Discovery, Known
from algolens.discovery.final_programs import ClassField, ClassProgram
from algolens.discovery.final_values import ValueField, ValueProgram
from algolens.discovery.sampling import large_runs, random_runs
from algolens.discovery.schema import Episodes, GraphSizes, RunTeacher, Schema
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from algolens.language.fields import Category, Mask

RUNS, SIZES = 30, (2, 7)
CHECKED, CHECKED_SIZES = 60, (4, 20)
MOST_PRICE = 12  # of a program
MOST_BATCHES = 4  # of all graphs of one size
Program = ClassProgram | ValueProgram


@dataclass(frozen=True)
class KnownFromEnds(Known):
    """What is known of a program that was found from final outputs."""

    enumerated: int = 0  # programs that were run
    price: int = 0  # up to which all were
    alike: tuple[str, ...] = ()  # others of the same price that no run told apart
    complete: bool = True
    bound: str = ""

    def words(self) -> str:
        """In sentences."""
        parts = [
            f"From inputs and final outputs of {self.runs.runs} runs on {self.runs}; no step was "
            "seen.",
            f"Enumerated: {self.enumerated:,} programs of up to price {self.price} ({self.bound}).",
        ]
        if not self.complete:
            parts.append("The time was spent before all of this price were run.")
        if self.alike:
            others = "; ".join(self.alike[:3])
            parts.append(
                f"It is not the only one: {len(self.alike)} others of this price end alike on "
                f"every run tried ({others})."
            )
        elif self.complete:
            parts.append("Within this bound no other program ends in these outputs.")
        if self.sampled:
            ranges = [f"{some.runs} further runs on {some}" for some in self.sampled]
            parts.append(f"Sampled: it ends alike on {' and on '.join(ranges)}.")
        parts.append("That it takes the steps of the black box is not known.")
        return " ".join(parts)


def discover_from_ends(
    teacher: RunTeacher,
    given: Sequence[Episodes] = (),
    *,
    runs: int = RUNS,
    seconds: float = 120.0,
    seed: int = 0,
    nodes: int = max(MOST_NODES.values()),
    progress: Callable[[str], None] = lambda _: None,
) -> Discovery:
    """Discover a program from inputs and final outputs; steps are not looked at.

    Parameters are those of ``discover_from``.

    Raises
    ------
    UnsettledError
        Where no program within the bound ends in the outputs.
    """
    began = time.process_time()
    until = began + seconds
    schema = teacher.schema
    if len(schema.outputs) != 1:
        raise UnsettledError(
            f"{schema.name} has {len(schema.outputs)} outputs: from final outputs alone, programs "
            "of one field are looked for."
        )
    rng = stream(seed, "ends", schema.name)
    ends = list(given) or list(random_runs(teacher, runs, SIZES, rng))
    if not ends:
        raise AlgoLensError(f"{schema.name} takes none of the random graphs that were tried.")
    enumerated = 0
    for price in range(2, MOST_PRICE + 1):
        field = _field(schema, ends)
        right, complete = [], True
        for program in field.programs(price):
            enumerated += 1
            if field.ends_right(program):
                right.append(program)
            if time.process_time() > until:
                complete = False
                break
        progress(f"price {price}: {enumerated:,} programs run, {len(right)} end right")
        if right and teacher.can_run:
            more = _more(teacher, right[0], nodes, rng, until)
            further = _field(schema, more)
            right = [program for program in right if further.ends_right(program)]
            if not right:
                ends = [*ends, *more]
        if right:
            (name,) = schema.outputs
            known = KnownFromEnds(
                GraphSizes.of(ends),
                (GraphSizes.of(more),) if teacher.can_run else (),
                (),
                None,
                teacher.can_run,
                enumerated,
                price,
                tuple(map(str, right[1:])),
                complete,
                field.BOUND,
            )
            return Discovery(
                replace(schema, state=dict(schema.outputs)),
                Declaration(right[0].program(schema, name)),
                {},
                known,
                time.process_time() - began,
                1,
                enumerated,
            )
        if not complete:
            break
    late = " in this time: give more" if time.process_time() > until else ""
    raise UnsettledError(
        f"none of {enumerated:,} programs of up to price {price} ends in these outputs{late} "
        f"({field.BOUND})."
    )


class Programs(Protocol):
    """Programs of one field, and whether their runs end right."""

    BOUND: str

    def programs(self, price: int) -> Iterator[Program]:
        """All of one price."""

    def ends_right(self, program: Any) -> bool:
        """Whether the program stops in the final outputs."""


def _field(schema: Schema, ends: Sequence[Episodes]) -> Programs:
    (name,) = schema.outputs
    if isinstance(schema.outputs[name].kind, Mask | Category):
        return ClassField(schema, name, ends)
    return ValueField(schema, name, ends)


def _more(
    teacher: RunTeacher, program: Program, nodes: int, rng: np.random.Generator, until: float
) -> list[Episodes]:
    """Further runs: on all small graphs, as far as the time goes, and on larger random ones."""
    (name,) = teacher.schema.outputs
    algorithm = algorithm_of(
        teacher.schema, Declaration(program.program(teacher.schema, name)), "candidate"
    )
    made = [*random_runs(teacher, CHECKED, CHECKED_SIZES, rng), *large_runs(teacher, rng)]
    for trial in small_trials(algorithm):
        if trial.nodes > nodes or time.process_time() > until:
            break
        made += [teacher.run(run.graph, run.inputs) for run in islice(trial.runs, MOST_BATCHES)]
    return made
