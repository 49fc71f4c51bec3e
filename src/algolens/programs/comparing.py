"""Two programs side by side: equal in every case, or the smallest graph found on which they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from algolens.algorithms import Values
from algolens.data.small_graphs import TRIED, ShownGraph, small_graphs
from algolens.errors import AlgoLensError, DefinitionError
from algolens.execution import Run, execute_trusted
from algolens.graphs import Graph
from algolens.looks import Compared, Observation, Quantity, Reading
from algolens.looks.reading import EQUAL
from algolens.models.exact.table import closure
from algolens.programs.whole import WholeProgram


@dataclass(frozen=True)
class ProgramComparison:
    """How two programs compare."""

    proven: bool  # they are equal on every graph: nothing was sampled
    unproven: str | None  # where the proof ends
    graph: ShownGraph | None  # on which they differ, with its inputs
    difference: str | None  # in words

    @property
    def differ(self) -> bool:
        """Whether a graph was found on which they differ."""
        return self.graph is not None

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "equal": False if self.differ else True if self.proven else None,
            "proven": self.proven,
            "unproven": self.unproven,
            "graph": None if self.graph is None else self.graph.to_json(),
            "difference": self.difference,
        }

    def __str__(self) -> str:
        if self.differ:
            return f"They differ. The smallest graph found: {self.graph}. There {self.difference}."
        if self.proven:
            return "They are equal: on every graph, both see, decide, move and go on alike. That is proven, case by case."
        return f"No difference was found on {TRIED}. That they are equal is not proven: {self.unproven}."


def compare(first: WholeProgram, second: WholeProgram) -> ProgramComparison:
    """Whether two programs do the same on every graph: alike in outputs, step by step, in outcomes, and in when they stop."""
    _check(first, second)
    unproven = _unproven(first, second)
    if unproven is None:
        return ProgramComparison(True, None, None, None)
    for graphs, inputs in small_graphs(first.algorithm):
        found = _differing(first, second, graphs, inputs)
        if found is not None:
            return ProgramComparison(False, None, *found)
    return ProgramComparison(False, unproven, None, None)


def _check(first: WholeProgram, second: WholeProgram) -> None:
    """Refuses programs that no graph can be given to both of."""
    pairs = (
        ("inputs", first.look.starting, second.look.starting),
        ("outputs", first.declaration.outputs, second.declaration.outputs),
    )
    for what, ours, theirs in pairs:
        if dict(ours) != dict(theirs):
            raise AlgoLensError(
                f"'{first.name}' and '{second.name}' have other {what} ({', '.join(ours) or 'none'}; "
                f"{', '.join(theirs) or 'none'}), or of other kinds: only programs for one task can be compared."
            )
    if first.declaration.location is not second.declaration.location:
        raise AlgoLensError(f"'{first.name}' decides at other places than '{second.name}': they cannot be compared.")
    if (first.graphs == "directed") != (second.graphs == "directed"):
        raise AlgoLensError(f"one of '{first.name}' and '{second.name}' is for directed graphs alone: they cannot be compared.")


def _unproven(first: WholeProgram, second: WholeProgram) -> str | None:
    """What keeps two programs from being proven equal; None where nothing does."""
    ours, theirs = first.look.to_json(), second.look.to_json()
    for part in ("fields", "starting", "state", "start", "sums", "moves"):
        if ours[part] != theirs[part]:
            return f"they have other {part}"
    if first.limit != second.limit:
        return "they may take other numbers of steps"
    readings = {reading.observation.name: reading for reading in second.look.readings}
    if set(first.look.observed) != set(readings):
        return "they see things of other names"
    for reading in first.look.readings:
        name = reading.observation.name
        if not always_alike(reading, readings[name]):
            return f"'{name}' is not the same in every case"
    if tuple(first.declaration.outcomes) != tuple(second.declaration.outcomes):
        return "they tell other outcomes"
    return None if first.rules.equivalent(second.rules) else "their rules differ on a pattern of concepts"


def always_alike(first: Reading, second: Reading) -> bool:
    """Whether two observations are the same in every case that an element of any graph can be in.

    False also where that is not settled so: where one looks at other relations than the other.
    """
    if first.observation.location is not second.observation.location:
        return False
    ours, theirs = first.observation.formula, second.observation.formula
    if ours == theirs:
        return True
    fields = {**first.scope.fields, **second.scope.fields}
    scope = type(first.scope)(fields)
    try:
        differ = Reading(Observation("differ", first.observation.location, (ours & ~theirs) | (~ours & theirs)), scope)
    except DefinitionError:  # two relations
        return False
    return not any(_holds(differ, own) for own in range(differ.num_own))


def _holds(reading: Reading, own: int) -> bool:
    """Whether an observation can hold of an element of an own class."""
    if reading.relation is None:
        return bool(reading.answer(torch.tensor([own]), torch.zeros(1, 0, dtype=torch.bool)))
    satisfied = reading.bodies[:, own].numpy().T[_possible_kinds(reading)]  # [kinds, Q]
    is_every = np.array([each.quantity is Quantity.EVERY for each in reading.quantifiers])
    needed = np.array([each.count for each in reading.quantifiers])
    found = closure((satisfied ^ is_every).astype(np.uint8), needed)
    cases = np.arange(len(found.received))
    if reading.relation.exactly is not None:
        cases = np.array([0])
        for _ in range(reading.relation.exactly):
            cases = np.unique(found.after[cases])
    met = found.received[cases]
    holds = np.where(is_every, met == 0, met >= needed)
    return bool(reading.answer(torch.full((len(holds),), own), torch.from_numpy(holds)).any())


def _possible_kinds(reading: Reading) -> np.ndarray:
    """The kinds of others that can be: numbers that are distinct in a graph are never equal of two elements."""
    assert reading.relation is not None
    sizes = [each.size for each in reading.other]
    values = np.indices(sizes).reshape(len(sizes), -1) if sizes else np.zeros((0, 1), np.int64)
    possible = np.ones(values.shape[1], bool)
    for row, feature in zip(values, reading.other, strict=True):
        if isinstance(feature, Compared) and feature.distinct and reading.relation.others_only:
            possible &= row != EQUAL
    return np.flatnonzero(possible)


@torch.no_grad()
def _differing(first: WholeProgram, second: WholeProgram, graphs: Graph, inputs: Values) -> tuple[ShownGraph, str] | None:
    """The first of some graphs on which two programs differ, and how."""
    ours, theirs = (execute_trusted(each.algorithm, graphs, inputs) for each in (first, second))
    wrong = (ours.lengths != theirs.lengths) | (ours.stopped != theirs.stopped)
    steps, location = min(ours.num_steps, theirs.num_steps), first.declaration.location
    for name in first.declaration.outputs:
        wrong |= graphs.any_per_graph((ours[name][:steps] != theirs[name][:steps]).any(0), location)
    common = [name for name in first.declaration.outcomes if name in second.declaration.outcomes]
    for name in common:
        wrong |= ours.outcomes[name] != theirs.outcomes[name]
    if not bool(wrong.any()):
        return None
    graph = int(wrong.nonzero()[0])
    alone = ours.take([graph]), theirs.take([graph])
    situation = ShownGraph.of(alone[0].graph, alone[0].inputs, first.declaration.inputs)
    return situation, _told(*alone, common)


def _told(ours: Run, theirs: Run, outcomes: list[str]) -> str:
    """How two runs on one graph differ, in words."""
    declaration = ours.algorithm.declaration
    for step in range(min(ours.num_steps, theirs.num_steps)):
        for name, kind in declaration.outputs.items():
            differs = (ours[name][step] != theirs[name][step]).nonzero().flatten()
            if len(differs):
                place = int(differs[0])
                one, other = (kind.shown(run[name][step], run.graph, declaration.location)[place] for run in (ours, theirs))
                where = f"at step {step + 1} {name} of {declaration.location.value} {place}"
                return f"{where} is {one} by the first, {other} by the second"
    if ours.num_steps != theirs.num_steps:
        return f"the first takes {ours.num_steps} steps, the second {theirs.num_steps}"
    for name in outcomes:
        if bool(ours.outcomes[name] != theirs.outcomes[name]):
            return f"{name} is {bool(ours.outcomes[name])} by the first, {bool(theirs.outcomes[name])} by the second"
    return "they stop for other reasons"
