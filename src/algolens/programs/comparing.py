"""Two programs side by side: equal in every case, or the smallest graph found on which they differ.

Equal are programs with the same fields, start, sums, moves, limit of steps, graphs and results, whose observations are the same
in every case, and whose rules and going on are the same on every pattern. Numbers of fewer bits are given those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from algolens.algorithms import Values
from algolens.data.small_graphs import TRIED, ShownGraph, small_graphs
from algolens.errors import AlgoLensError, DefinitionError
from algolens.execution import Run, execute_trusted
from algolens.fields import Field, Number
from algolens.fields.kinds import Kind
from algolens.graphs import Graph
from algolens.logic.remarks import SAMPLED, WARNING, warnings
from algolens.looks import Compared, Observation, Quantity, Reading
from algolens.looks.reading import EQUAL
from algolens.models.exact.table import closure
from algolens.programs.readable import in_words
from algolens.programs.whole import WholeProgram

# what else a program declares, and what is so of two of which that differs
DECLARED = {
    "graphs": "are for other graphs",
    "loops_matter": "do not both refuse self-loops",
    "parallel_edges_matter": "do not both refuse parallel edges",
    "most_steps": "may take other numbers of steps",
    "only_where": "show outputs at other places",
    "outcomes": "tell other outcomes",
}
SAMPLES = " It is proven of the programs: one was found on samples of its network, which may do otherwise elsewhere."


@dataclass(frozen=True)
class ProgramComparison:
    """How two programs compare."""

    proven: bool  # they are equal on every graph: nothing was sampled
    unproven: str | None  # where the proof ends
    graph: ShownGraph | None  # on which they differ, with its inputs
    difference: str | None  # in words
    bits: str | None = None  # in words, where a number of one has more bits than that of the other, and both got as many

    sampled: bool = False  # a program was found on samples of what its network does

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
            "bits": self.bits,
            "sampled": self.sampled,
        }

    def __str__(self) -> str:
        compared = "" if self.bits is None else f"Compared {self.bits}. "
        if self.differ:
            return f"{compared}They differ. The smallest graph found: {self.graph}. There {self.difference}."
        if self.proven:
            said = "They are equal: on every graph, both see, decide, move and go on alike. That is proven, case by case."
            return f"{compared}{said}{SAMPLES if self.sampled else ''}"
        return f"{compared}No difference was found on {TRIED}. That they are equal is not proven: {self.unproven}."


def compare(first: WholeProgram, second: WholeProgram) -> ProgramComparison:
    """Whether two programs do the same on every graph: alike in outputs, step by step, in outcomes, and in when they stop."""
    (first, second), bits = _widened(first, second)
    _check(first, second)
    sampled = any(remark.startswith(SAMPLED) for remark in (*first.remarks, *second.remarks))
    unproven = _unproven(first, second)
    if unproven is None:
        return ProgramComparison(True, None, None, None, bits, sampled)
    for graphs, inputs in small_graphs((second if first.graphs == "any" else first).algorithm):  # which both can be given
        found = _differing(first, second, graphs, inputs)
        if found is not None:
            return ProgramComparison(False, None, *found, bits, sampled)
    return ProgramComparison(False, unproven, None, None, bits, sampled)


def _widened(first: WholeProgram, second: WholeProgram) -> tuple[tuple[WholeProgram, WholeProgram], str | None]:
    """Both, every number with as many bits as it has in the one that gives it more; and, where that changed one, in words."""
    ours, theirs = _numbers(first), _numbers(second)
    pairs = {name: (ours[name].bits, theirs[name].bits) for name in ours if name in theirs}
    told = {(max(pair), min(pair)): None for pair in pairs.values() if pair[0] != pair[1]}
    if not told:
        return (first, second), None
    most = {name: max(pair) for name, pair in pairs.items()}
    said = ", and ".join(f"{more} bits in place of {fewer}" for more, fewer in told)
    return (_with_bits(first, most), _with_bits(second, most)), f"with {said}"


def _numbers(program: WholeProgram) -> dict[str, Number]:
    """The numbers among its inputs, outputs and state."""
    declaration = program.declaration
    fields = {**declaration.inputs, **declaration.predicted}
    return {name: field.kind for name, field in fields.items() if isinstance(field.kind, Number)}


def _with_bits(program: WholeProgram, bits: Mapping[str, int]) -> WholeProgram:
    """The same program, numbers of some names having so many bits."""

    def kind(name: str, kind: Kind) -> Kind:
        return replace(kind, bits=bits[name]) if isinstance(kind, Number) and name in bits else kind

    def fields(fields: Mapping[str, Field]) -> dict[str, Field]:
        return {name: replace(field, kind=kind(name, field.kind)) for name, field in fields.items()}

    declaration = program.declaration
    return replace(
        program,
        declaration=replace(
            declaration,
            inputs=fields(declaration.inputs),
            hints=fields(declaration.hints),
            outputs={name: kind(name, each) for name, each in declaration.outputs.items()},
        ),
    )


def _check(first: WholeProgram, second: WholeProgram) -> None:
    """Refuses programs that no graph can be given to both of."""
    names = f"'{first.name}' and '{second.name}'"
    if first.declaration.location is not second.declaration.location:
        raise AlgoLensError(f"{names} decide at other places: they cannot be compared.")
    for what, of in (("input", _inputs), ("output", _outputs)):
        ours, theirs = of(first), of(second)
        if set(ours) != set(theirs):
            raise AlgoLensError(
                f"{names} have other {what}s ({', '.join(ours) or 'none'}; {', '.join(theirs) or 'none'}): only programs for "
                "one task can be compared."
            )
        for name in ours:
            if ours[name] != theirs[name]:
                raise AlgoLensError(
                    f"the {what} '{name}' of {names} is not the same ({in_words(ours[name])}; {in_words(theirs[name])}): only "
                    "programs for one task can be compared."
                )
    if {first.graphs, second.graphs} == {"directed", "undirected"}:
        raise AlgoLensError(f"one of {names} is for directed graphs, the other for undirected: they cannot be compared.")


def _inputs(program: WholeProgram) -> Mapping[str, Field]:
    return program.look.starting


def _outputs(program: WholeProgram) -> Mapping[str, Field]:
    declaration = program.declaration
    return {name: declaration.predicted[name] for name in declaration.outputs}


def _unproven(first: WholeProgram, second: WholeProgram) -> str | None:
    """What keeps two programs from being proven equal; None where nothing does."""
    ours, theirs = first.to_json(), second.to_json()
    for part, told in DECLARED.items():
        if ours[part] != theirs[part]:
            return f"they {told}"
    for part in ("fields", "starting", "state", "start", "sums", "moves"):
        if ours["look"][part] != theirs["look"][part]:
            return f"they have other {part}"
    readings = {reading.observation.name: reading for reading in second.look.readings}
    if set(first.look.observed) != set(readings):
        return "they see things of other names"
    for reading in first.look.readings:
        name = reading.observation.name
        if not always_alike(reading, readings[name]):
            return f"'{name}' is not the same in every case"
    if not first.rules.equivalent(second.rules):
        return "their rules differ on a pattern of concepts"
    warned = [remark.removeprefix(WARNING).rstrip(".") for remark in warnings([*first.remarks, *second.remarks])]
    return f"as they are written they are, but with a warning: {'; '.join(warned)}" if warned else None


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
