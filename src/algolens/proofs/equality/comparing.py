"""Two programs side by side: equal in every case, or the smallest graph found where they differ.

Equal are programs with the same fields, start, sums, moves, limit of steps, graphs and results,
whose observations are the same in every case, and whose rules and going on are the same on every
pattern.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from typing import Any

import numpy as np
from msgspec.structs import asdict, replace

from algolens.algorithms import Values
from algolens.arrays import NUMPY
from algolens.data.small_graphs import TRIED, ShownGraph, small_graphs
from algolens.engines import Run, run_algorithm
from algolens.engines.exports import in_words
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.graphs import At, Graph
from algolens.language import ir
from algolens.language.fields import Field
from algolens.language.finite import columns
from algolens.logic.remarks import SAMPLED, WARNING, warnings
from algolens.proofs.equality.renaming import aligned, says_the_same

# what else a program declares, and what is so of two of which that differs
DECLARED = {
    "graphs": "are for other graphs",
    "table": "are for other tables",
    "checks": "do not refuse the same inputs",
    "loops_matter": "do not both refuse self-loops",
    "parallel_edges_matter": "do not both refuse parallel edges",
    "times": "may take other numbers of steps",
    "per": "may take other numbers of steps",
    "only_where": "show outputs at other places",
    "endless": "show other numbers as endless",
    "outcomes": "tell other outcomes",
}
WITHIN_BITS = " where neither refuses a run because a number leaves its bits"
SAMPLES = (
    " It is proven of the programs: one was found on samples of its network, which may do "
    "otherwise elsewhere."
)


@dataclass(frozen=True)
class ProgramComparison:
    """How two programs compare."""

    # they are equal on every graph, and refuse the same runs: nothing was sampled
    proven: bool = False
    unproven: str | None = None  # where the proof ends
    graph: ShownGraph | None = None  # on which they differ, with its inputs
    difference: str | None = None  # in words
    # in words, where a number of one has more bits than that of the other, and both got as many
    bits: str | None = None
    sampled: bool = False  # a program was found on samples of what its network does
    # proven, but for runs that one alone may refuse: a number that is no input has other bits, or a
    # sum may leave 62
    within_bits: bool = False
    # what holds in every state that a run reaches, where the proof rests on it; None where they
    # see, decide and go on alike in every state
    invariant: tuple[str, ...] | None = None
    # the search for a difference ended before all graphs were tried, for its time was over
    is_cut_short: bool = False

    @property
    def differ(self) -> bool:
        """Whether a graph was found on which they differ."""
        return self.graph is not None

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        shown = {"equal": False if self.differ else self.proven or None, **vars(self)}
        del shown["is_cut_short"]
        graph = None if self.graph is None else self.graph.to_json()
        invariant = None if self.invariant is None else list(self.invariant)
        return {**shown, "graph": graph, "invariant": invariant}

    def __str__(self) -> str:
        compared = "" if self.bits is None else f"Compared {self.bits}. "
        if self.differ:
            return (
                f"{compared}They differ. The smallest graph found: {self.graph}. There "
                f"{self.difference}."
            )
        if self.proven or self.within_bits:
            where = "on every graph" if self.proven else "there"
            by_steps = self.invariant is not None
            alike = "take the same steps and stop" if by_steps else "see, decide, move and go on"
            how = "by Z3" if by_steps else "case by case"
            said = f"{compared}They are equal{'' if self.proven else WITHIN_BITS}: {where}, both "
            said += f"{alike} alike. That is proven, {how}"
            if not self.proven:
                said += f". That they are equal on every graph is not: {self.unproven}"
            if self.invariant:
                said += (
                    f"{', with' if self.proven else '. The proof rests on'} what holds in every "
                )
                return "\n  ".join([f"{said}state that is reached:", *self.invariant])
            return f"{said}.{SAMPLES if self.sampled else ''}"
        part = "in the time given, on a part of" if self.is_cut_short else "on"
        return (
            f"{compared}No difference was found {part} {TRIED}. That they are equal is not proven: "
            f"{self.unproven}."
        )


def compare_programs(
    first: Program, second: Program, *, seconds: float = math.inf
) -> ProgramComparison:
    """Whether two programs do the same on every graph: see, give and tell the same, and stop alike.

    Numbers of fewer bits are given those of the other. Where these are not inputs, a run may leave
    the bits of one program alone; equality is then proven of all other runs.

    Parameters
    ----------
    first, second : Program
        Two programs for one task: of the same inputs, outputs and location.
    seconds : float
        CPU seconds after which no further graphs are tried.

    Returns
    -------
    ProgramComparison
        Equal, by a proof; or the smallest graph found on which they differ; or neither.

    Raises
    ------
    AlgoLensError
        Where no graph can be given to both.
    """
    ours, theirs = _bits(first), _bits(second)
    other = {
        name: (ours[name], theirs[name])
        for name in ours
        if name in theirs and ours[name] != theirs[name]
    }
    own = [
        f"'{name}' has {pair[0]} bits in the first, {pair[1]} in the second"
        for name, pair in other.items()
        if name not in first.program.inputs
    ]
    words = None
    if other:
        widths = dict.fromkeys((max(pair), min(pair)) for pair in other.values())
        said = ", and ".join(f"{more} bits in place of {fewer}" for more, fewer in widths)
        words = f"with {said}"
        most = {name: max(pair) for name, pair in other.items()}
        first, second = _with_bits(first, most), _with_bits(second, most)
    _check(first, second)
    sampled = any(remark.startswith(SAMPLED) for remark in (*first.remarks, *second.remarks))
    compared = ProgramComparison(bits=words, sampled=sampled)
    mine, its = first.program, second.program
    unproven = declared_otherwise(first, second)
    if unproven is None and says_otherwise(mine, its) is not None:
        unproven = says_otherwise(mine, aligned(mine, its))
    if unproven is None:
        return changed(compared, proven=not own, unproven=(*own, None)[0], within_bits=bool(own))
    until = time.process_time() + seconds
    difference = find_difference(first, second, until)
    if difference is None:
        is_cut_short = time.process_time() > until
        return changed(compared, unproven=unproven, is_cut_short=is_cut_short)
    return changed(compared, graph=difference[0], difference=difference[1])


def _bits(program: Program) -> dict[str, int]:
    """How many bits numbers have, among its inputs, outputs and state."""
    hir = program.program
    fields = hir.inputs | hir.outputs | hir.state
    return {name: field.bits for name, field in fields.items() if field.kind == "number"}


def _with_bits(program: Program, bits: Mapping[str, int]) -> Program:
    """The same program, numbers of some names having so many bits."""
    wider = {
        part: {
            name: replace(field, bits=bits.get(name, field.bits)) for name, field in fields.items()
        }
        for part, fields in asdict(program.program).items()
        if part in ("inputs", "state", "outputs")
    }
    return replace(program, program=replace(program.program, **wider))


def _check(first: Program, second: Program) -> None:
    """Refuses programs that no graph can be given to both of."""
    names = f"'{first.name}' and '{second.name}'"
    if first.at != second.at:
        raise AlgoLensError(f"{names} decide at other places: they cannot be compared.")
    for what in ("input", "output"):
        ours, theirs = (getattr(each.program, f"{what}s") for each in (first, second))
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


def declared_otherwise(first: Program, second: Program) -> str | None:
    """What two programs declare otherwise, besides what they see and do; None: nothing."""
    ours, theirs = (asdict(each.program) | asdict(each) for each in (first, second))
    for part, difference in DECLARED.items():
        if ours[part] != theirs[part]:
            return f"they {difference}"
    warned = [
        remark.removeprefix(WARNING).rstrip(".")
        for remark in warnings([*first.remarks, *second.remarks])
    ]
    if warned:
        return f"as they are written they are, but with a warning: {'; '.join(warned)}"
    return None


def says_otherwise(ours: ir.Program, theirs: ir.Program) -> str | None:
    """What keeps two programs from being equal case by case; None where nothing does."""
    for part in ("inputs", "state", "outputs"):
        if getattr(ours, part) != getattr(theirs, part):
            return f"they have other {part}"
    if {*ours.start} != {*theirs.start}:
        return "they have other start"
    lets, becomes = ({let.name: let for let in some} for some in (theirs.lets, theirs.becomes))
    if {let.name for let in ours.lets} != lets.keys():
        return "they see things of other names"
    known = columns(ours)
    for let in ours.lets:
        if not says_the_same(let, lets[let.name], known):
            if let.name == ir.GOES_ON:
                return "their rules differ on a pattern of concepts"
            return f"'{let.name}' could not be shown to be the same in every case"
    for let in ours.becomes:
        if let.name not in becomes or not says_the_same(let, becomes[let.name], known):
            return f"'{let.name}' could not be shown to become the same"
    return None


# ---- a graph on which two programs differ

# where two runs differ in one thing: the table, bools of its elements, and how one does in words
Difference = tuple[At, np.ndarray, Callable[[int], str]]


def find_difference(first: Program, second: Program, until: float) -> tuple[ShownGraph, str] | None:
    """The smallest graph found on which two programs differ, and how; None where none was found.

    until: CPU deadline, as ``time.process_time()`` counts.
    """
    # graphs that both can be given, with inputs that either takes
    given = second if first.graphs == "any" else first
    for taker in [first, second] if first.checks != second.checks else [given]:
        for graphs, inputs in small_graphs(replace(taker, graphs=given.graphs).algorithm):
            difference = _first_difference(first, second, graphs, inputs)
            if difference is not None or time.process_time() > until:
                return difference
    return None


def _first_difference(
    first: Program, second: Program, graphs: Graph, inputs: Values
) -> tuple[ShownGraph, str] | None:
    """The first of some graphs on which two programs differ, and how."""
    fields, runs = first.declaration.inputs, list[Run]()
    try:
        for program in (first, second):
            if first.checks != second.checks:
                program.algorithm.check(graphs, inputs)
            run = run_algorithm(program.algorithm, graphs, inputs, check=False)
            runs.append(run.to(NUMPY))
    except AlgoLensError as problem:  # one of them takes these graphs
        if graphs.num_graphs == 1:
            refused = f"one refuses the run ({str(problem).rstrip('.')})"
            return ShownGraph.of(graphs, inputs, fields), refused
        for some in np.array_split(np.arange(graphs.num_graphs), 2):
            half = graphs.take(some)
            given = {name: each[half.index(fields[name].at)] for name, each in inputs.items()}
            difference = _first_difference(first, second, half.graph, given)
            if difference is not None:
                return difference
        return None
    graph = runs[0].graph
    wrong = [graph.any_per_graph(where, at) for at, where, _ in _differences(*runs)]
    places = np.flatnonzero(np.any(wrong, 0))
    if not len(places):
        return None
    ours, theirs = (run.take(places[:1]) for run in runs)
    _, where, words = next(one for one in _differences(ours, theirs) if one[1].any())
    return ShownGraph.of(ours.graph, ours.inputs, fields), words(int(np.argmax(where)))


def _differences(ours: Run, theirs: Run) -> Iterator[Difference]:
    """All that two runs on the same graphs are compared in: outputs, numbers of steps, outcomes.

    What else they see and carry on the way is their own, whatever it is called.
    """
    declaration, graph = ours.algorithm.declaration, ours.graph
    for step in (*range(min(ours.num_steps, theirs.num_steps)), None):
        for name in declaration.outputs:
            if step is not None or (name in ours.start and name in theirs.start):
                when = "in the end " if step is None else f"at step {step + 1} "
                told = [_output(run, name, step) for run in (ours, theirs)]
                yield _of_field(f"{when}{name}", declaration.predicted[name], graph, *told)
    one, other = ours.lengths, theirs.lengths
    yield (
        "graph",
        one != other,
        lambda place: f"the first takes {one[place]} steps, the second {other[place]}",
    )
    shown = np.ones(graph.num_graphs, bool)
    for name in ours.outcomes.keys() & theirs.outcomes.keys():
        told = [(run.outcomes[name], shown) for run in (ours, theirs)]
        yield _of_field(name, Field("graph", "mask"), graph, *told)
    differ = ours.stopped != theirs.stopped
    yield "graph", differ, lambda _: "they stop for other reasons"


def _output(run: Run, name: str, step: int | None) -> tuple[np.ndarray, np.ndarray]:
    """An output after a step, or in the end, and where it is shown."""

    def of(name: str) -> np.ndarray:
        return np.asarray(run.final(name) if step is None else run[name][step])

    declaration, values = run.algorithm.declaration, of(name)
    shown = np.ones(len(values), bool)
    if name in declaration.only_where:
        shown = of(declaration.only_where[name]).astype(bool)
    if name in declaration.endless:
        shown = shown.copy()
        shown[run.graph.first_node + run.inputs[declaration.endless[name]]] = False
    return values, shown


def _of_field(
    what: str,
    field: Field,
    graph: Graph,
    *told: tuple[np.ndarray, np.ndarray],
) -> Difference:
    """Where values differ, or whether they are shown."""
    values, shown = zip(*told, strict=True)

    def words(place: int) -> str:
        of = "" if field.at == "graph" else f" of {field.at} {place}"
        said = ["shown" if one[place] else "not shown" for one in shown]
        if shown[0][place] == shown[1][place]:
            said = [field.shown(one, graph)[place] for one in values]
        return f"{what}{of} is {said[0]} by the first, {said[1]} by the second"

    return field.at, (values[0] != values[1]) | (shown[0] != shown[1]), words
