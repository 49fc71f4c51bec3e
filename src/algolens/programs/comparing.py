"""Two programs side by side: equal in every case, or the smallest graph found on which they differ.

Equal are programs with the same fields, start, sums, moves, limit of steps, graphs and results,
whose observations are the same in every case, and whose rules and going on are the same on every
pattern. Numbers of fewer bits are given those of the other; where these are not inputs, a run may
leave the bits of one alone, and equality is not proven of such runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Values
from algolens.data.small_graphs import TRIED, ShownGraph, small_graphs
from algolens.errors import AlgoLensError, DefinitionError
from algolens.execution import Run, run_trusted
from algolens.fields import Field, Location, Mask, Number, numbers_in
from algolens.fields.kinds import Kind
from algolens.graphs import Graph
from algolens.logic import Formula
from algolens.logic.formula import as_formula
from algolens.logic.remarks import SAMPLED, WARNING, warnings
from algolens.looks import Compared, Comparison, Observation, Quantified, Quantity, Statement
from algolens.looks.language import Order, holds
from algolens.looks.reading import EQUAL
from algolens.models.exact.table import closure
from algolens.programs.readable import in_words
from algolens.programs.whole import Program

# what else a program declares, and what is so of two of which that differs
DECLARED = {
    "graphs": "are for other graphs",
    "loops_matter": "do not both refuse self-loops",
    "parallel_edges_matter": "do not both refuse parallel edges",
    "most_steps": "may take other numbers of steps",
    "only_where": "show outputs at other places",
    "outcomes": "tell other outcomes",
}
WITHIN_BITS = (
    "They are equal wherever neither refuses a run because a number leaves its bits: there both "
    "see, decide, move and go on alike. That is proven, case by case. That they are equal on "
    "every graph is not"
)
SAMPLES = (
    " It is proven of the programs: one was found on samples of its network, which may do "
    "otherwise elsewhere."
)


@dataclass(frozen=True)
class ProgramComparison:
    """How two programs compare."""

    proven: bool  # they are equal on every graph: nothing was sampled
    unproven: str | None  # where the proof ends
    graph: ShownGraph | None  # on which they differ, with its inputs
    difference: str | None  # in words
    # in words, where a number of one has more bits than that of the other, and both got as many
    bits: str | None = None
    sampled: bool = False  # a program was found on samples of what its network does
    # proven, but for runs that one alone may refuse: a number that is no input has other bits
    within_bits: bool = False

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
            "within_bits": self.within_bits,
        }

    def __str__(self) -> str:
        compared = "" if self.bits is None else f"Compared {self.bits}. "
        if self.differ:
            return (
                f"{compared}They differ. The smallest graph found: {self.graph}. There "
                f"{self.difference}."
            )
        if self.proven:
            said = (
                "They are equal: on every graph, both see, decide, move and go on alike. That is "
                "proven, case by case."
            )
            return f"{compared}{said}{SAMPLES if self.sampled else ''}"
        if self.within_bits:
            return f"{compared}{WITHIN_BITS}: {self.unproven}.{SAMPLES if self.sampled else ''}"
        return (
            f"{compared}No difference was found on {TRIED}. That they are equal is not proven: "
            f"{self.unproven}."
        )


def compare_programs(first: Program, second: Program) -> ProgramComparison:
    """Whether two programs do the same on every graph: see and give the same at every step, tell
    the same, and stop alike.
    """
    own = _own_bits(first, second)
    (first, second), bits = _widened(first, second)
    _check(first, second)
    sampled = any(remark.startswith(SAMPLED) for remark in (*first.remarks, *second.remarks))
    unproven = _unproven(first, second)
    if unproven is None:
        return ProgramComparison(
            own is None, own, None, None, bits, sampled, within_bits=own is not None
        )
    # which both can be given
    for graphs, inputs in small_graphs((second if first.graphs == "any" else first).algorithm):
        found = _differing(first, second, graphs, inputs)
        if found is not None:
            return ProgramComparison(False, None, *found, bits, sampled)
    return ProgramComparison(False, unproven, None, None, bits, sampled)


def _own_bits(first: Program, second: Program) -> str | None:
    """In words, a number that is no input and has not as many bits in both; None where there is
    none.
    """
    theirs = _numbers(second)
    for name, number in _numbers(first).items():
        if (
            name not in first.declaration.inputs
            and name in theirs
            and number.bits != theirs[name].bits
        ):
            return (
                f"'{name}' has {number.bits} bits in the first, {theirs[name].bits} in the second"
            )
    return None


def _widened(first: Program, second: Program) -> tuple[tuple[Program, Program], str | None]:
    """Both, every number with as many bits as it has in the one that gives it more; and, where that
    changed one, in words.
    """
    ours, theirs = _numbers(first), _numbers(second)
    pairs = {name: (ours[name].bits, theirs[name].bits) for name in ours if name in theirs}
    told = {(max(pair), min(pair)): None for pair in pairs.values() if pair[0] != pair[1]}
    if not told:
        return (first, second), None
    most = {name: max(pair) for name, pair in pairs.items()}
    said = ", and ".join(f"{more} bits in place of {fewer}" for more, fewer in told)
    return (_with_bits(first, most), _with_bits(second, most)), f"with {said}"


def _numbers(program: Program) -> dict[str, Number]:
    """The numbers among its inputs, outputs and state."""
    declaration = program.declaration
    fields = {**declaration.inputs, **declaration.predicted}
    return numbers_in(fields)


def _with_bits(program: Program, bits: Mapping[str, int]) -> Program:
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


def _check(first: Program, second: Program) -> None:
    """Refuses programs that no graph can be given to both of."""
    names = f"'{first.name}' and '{second.name}'"
    if first.declaration.location is not second.declaration.location:
        raise AlgoLensError(f"{names} decide at other places: they cannot be compared.")
    for what, of in (("input", _inputs), ("output", _outputs)):
        ours, theirs = of(first), of(second)
        if set(ours) != set(theirs):
            raise AlgoLensError(
                f"{names} have other {what}s ({', '.join(ours) or 'none'}; "
                f"{', '.join(theirs) or 'none'}): only programs for one task can be compared."
            )
        for name in ours:
            if ours[name] != theirs[name]:
                raise AlgoLensError(
                    f"the {what} '{name}' of {names} is not the same ({in_words(ours[name])}; "
                    f"{in_words(theirs[name])}): only programs for one task can be compared."
                )
    if {first.graphs, second.graphs} == {"directed", "undirected"}:
        raise AlgoLensError(
            f"one of {names} is for directed graphs, the other for undirected: they cannot be "
            "compared."
        )


def _inputs(program: Program) -> Mapping[str, Field]:
    return program.look.starting


def _outputs(program: Program) -> Mapping[str, Field]:
    declaration = program.declaration
    return {name: declaration.predicted[name] for name in declaration.outputs}


def _unproven(first: Program, second: Program) -> str | None:
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
            return f"'{name}' could not be shown to be the same in every case"
    if not first.rules.equivalent(second.rules):
        return "their rules differ on a pattern of concepts"
    warned = [
        remark.removeprefix(WARNING).rstrip(".")
        for remark in warnings([*first.remarks, *second.remarks])
    ]
    return (
        f"as they are written they are, but with a warning: {'; '.join(warned)}" if warned else None
    )


def always_alike(first: Statement, second: Statement) -> bool:
    """Whether two observations are the same in every case that an element of any graph can be in.

    False also where that is not settled so: where one looks at other relations than the other.
    """
    if first.observation.location is not second.observation.location:
        return False
    ours, theirs = _one_way(first.observation.formula), _one_way(second.observation.formula)
    if ours == theirs:
        return True
    fields = {**first.scope.fields, **second.scope.fields}
    scope = type(first.scope)(fields)
    try:
        differ = Statement(
            Observation("differ", first.observation.location, (ours & ~theirs) | (~ours & theirs)),
            scope,
        )
    except DefinitionError:  # two relations
        return False
    return not any(_holds(differ, own) for own in range(differ.num_own))


def _one_way(formula: Formula) -> Formula:
    """The same statement, of which every comparison says first what comes first in the alphabet."""

    def turned(atom: Formula) -> Formula:
        match atom:
            case Comparison(left, order, right) if tuple(map(str, right)) < tuple(map(str, left)):
                outcomes = {2 - each for each in order.outcomes}
                return Comparison(
                    right, next(each for each in Order if each.outcomes == outcomes), left
                )
            case Quantified(body=body):
                return replace(atom, body=_one_way(body))
        return atom

    return as_formula(holds(formula, turned))


def _holds(reading: Statement, own: int) -> bool:
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
    are_so = np.where(is_every, met == 0, met >= needed)
    return bool(reading.answer(torch.full((len(are_so),), own), torch.from_numpy(are_so)).any())


def _possible_kinds(reading: Statement) -> np.ndarray:
    """The kinds of others that can be: numbers that are distinct in a graph are never equal of two
    elements.
    """
    assert reading.relation is not None
    sizes = [each.size for each in reading.other]
    values = np.indices(sizes).reshape(len(sizes), -1) if sizes else np.zeros((0, 1), np.int64)
    possible = np.ones(values.shape[1], bool)
    for row, feature in zip(values, reading.other, strict=True):
        if isinstance(feature, Compared) and feature.distinct and reading.relation.others_only:
            possible &= row != EQUAL
    return np.flatnonzero(possible)


@torch.no_grad()
def _differing(
    first: Program, second: Program, graphs: Graph, inputs: Values
) -> tuple[ShownGraph, str] | None:
    """The first of some graphs on which two programs differ, and how."""
    try:
        ours, theirs = (run_trusted(each.algorithm, graphs, inputs) for each in (first, second))
    except AlgoLensError as problem:  # one of them takes these graphs
        if graphs.num_graphs == 1:
            return ShownGraph.of(
                graphs, inputs, first.declaration.inputs
            ), f"one refuses the run ({str(problem).rstrip('.')})"
        halves = (graphs.take(some) for some in torch.arange(graphs.num_graphs).chunk(2))
        fields = first.declaration.inputs
        found = (
            _differing(
                first,
                second,
                half.graph,
                {name: value[half.index(fields[name].location)] for name, value in inputs.items()},
            )
            for half in halves
        )
        return next((each for each in found if each is not None), None)
    wrong = torch.zeros(graphs.num_graphs, dtype=torch.bool)
    for difference in _differences(ours, theirs):
        wrong |= graphs.any_per_graph(difference.at, difference.location)
    if not bool(wrong.any()):
        return None
    graph = int(wrong.nonzero()[0])
    alone = ours.take([graph]), theirs.take([graph])
    situation = ShownGraph.of(alone[0].graph, alone[0].inputs, first.declaration.inputs)
    shown = next(each for each in _differences(*alone) if bool(each.at.any()))
    return situation, shown.words(int(shown.at.nonzero()[0]))


@dataclass(frozen=True)
class _Difference:
    """Where two runs differ in one thing, and how at a place."""

    location: Location
    at: Tensor  # bools, of every place
    words: Callable[[int], str]


def _differences(ours: Run, theirs: Run) -> Iterator[_Difference]:
    """All that two runs on the same graphs are compared in: what they give, when they stop, what
    they tell and see.
    """
    declaration, other = ours.algorithm.declaration, theirs.algorithm.declaration
    steps = range(min(len(ours.concepts), len(theirs.concepts)))
    for step in steps:
        for name in declaration.outputs:
            yield _shown_apart(ours, theirs, name, step)
    for name in declaration.outputs:  # of a graph that takes no step, how it starts
        if name in ours.start and name in theirs.start:
            yield _shown_apart(ours, theirs, name, None)
    lengths = ours.lengths, theirs.lengths
    yield _Difference(
        Location.GRAPH,
        lengths[0] != lengths[1],
        lambda graph: (
            f"the first takes {int(lengths[0][graph])} steps, the second {int(lengths[1][graph])}"
        ),
    )
    for name in declaration.outcomes:
        if name in other.outcomes:
            yield _apart(
                name,
                "",
                Field(Location.GRAPH, Mask()),
                ours.graph,
                ours.outcomes[name],
                theirs.outcomes[name],
            )
    yield _Difference(
        Location.GRAPH, ours.stopped != theirs.stopped, lambda _: "they stop for other reasons"
    )
    for name, field in declaration.predicted.items():
        if name in declaration.outputs or other.predicted.get(name) != field:
            continue
        for step in steps:
            yield _apart(
                name,
                f"at step {step + 1} ",
                field,
                ours.graph,
                ours[name][step],
                theirs[name][step],
            )
        if name in declaration.concepts and name in other.concepts:
            rest = (
                run.resting[:, run.algorithm.declaration.concepts.index(name)]
                for run in (ours, theirs)
            )
            yield _apart(name, "after the last step ", field, ours.graph, *rest)


def _shown_apart(ours: Run, theirs: Run, name: str, step: int | None) -> _Difference:
    """Where an output differs, or whether it is shown, after a step or in the end."""
    when = "in the end " if step is None else f"at step {step + 1} "

    def of(run: Run, name: str) -> Tensor:
        return run.final(name) if step is None else run[name][step]

    values, shown = [], []
    for run in (ours, theirs):
        where = run.algorithm.declaration.only_where.get(name)
        values.append(of(run, name))
        shown.append(
            torch.ones_like(values[-1], dtype=torch.bool)
            if where is None
            else of(run, where).bool()
        )
    difference = _apart(name, when, ours.algorithm.declaration.predicted[name], ours.graph, *values)

    def words(place: int) -> str:
        if bool(shown[0][place] == shown[1][place]):
            return difference.words(place)
        first, second = ("shown" if bool(each[place]) else "not shown" for each in shown)
        return (
            f"{when}{name} of {difference.location.value} {place} is {first} by the first, "
            f"{second} by the second"
        )

    return _Difference(difference.location, difference.at | (shown[0] != shown[1]), words)


def _apart(
    name: str, when: str, field: Field, graph: Graph, ours: Tensor, theirs: Tensor
) -> _Difference:
    """Where a field differs."""

    def words(place: int) -> str:
        first, second = (
            field.kind.shown(values, graph, field.location)[place] for values in (ours, theirs)
        )
        of = "" if field.location is Location.GRAPH else f" of {field.location.value} {place}"
        return f"{when}{name}{of} is {first} by the first, {second} by the second"

    return _Difference(field.location, ours != theirs, words)
