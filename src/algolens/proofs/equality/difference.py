"""A graph on which two programs differ: the search on small graphs, and the difference in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor

from algolens.algorithms import Values
from algolens.data.small_graphs import ShownGraph, small_graphs
from algolens.engines import Run, run_algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.language.fields import Field, Location, Mask


@torch.no_grad()
def find_difference(first: Program, second: Program, until: float) -> tuple[ShownGraph, str] | None:
    """The smallest graph found on which two programs differ, and how; None where none was found.

    until: CPU deadline, as ``time.process_time()`` counts.
    """
    # graphs that both can be given, with inputs that either takes
    given = second if first.graphs == "any" else first
    takers = [first, second] if first.checks != second.checks else [given]
    for taker in takers:
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
            runs.append(run_algorithm(program.algorithm, graphs, inputs, check=False))
    except AlgoLensError as problem:  # one of them takes these graphs
        if graphs.num_graphs == 1:
            refused = f"one refuses the run ({str(problem).rstrip('.')})"
            return ShownGraph.of(graphs, inputs, fields), refused
        for some in torch.arange(graphs.num_graphs).chunk(2):
            half = graphs.take(some)
            given = {name: each[half.index(fields[name].location)] for name, each in inputs.items()}
            difference = _first_difference(first, second, half.graph, given)
            if difference is not None:
                return difference
        return None
    wrong = torch.zeros(graphs.num_graphs, dtype=torch.bool)
    for part in _differences(*runs):
        wrong |= graphs.any_per_graph(part.at, part.location)
    if not bool(wrong.any()):
        return None
    ours, theirs = (run.take([int(wrong.nonzero()[0])]) for run in runs)
    shown = next(part for part in _differences(ours, theirs) if bool(part.at.any()))
    graph = ShownGraph.of(ours.graph, ours.inputs, fields)
    return graph, shown.words(int(shown.at.nonzero()[0]))


class _Difference(NamedTuple):
    """Where two runs differ in one thing, and how at an element."""

    location: Location
    at: Tensor  # bools, of every element
    words: Callable[[int], str]


def _differences(ours: Run, theirs: Run) -> Iterator[_Difference]:
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
    yield _Difference(
        Location.GRAPH,
        one != other,
        lambda graph: f"the first takes {int(one[graph])} steps, the second {int(other[graph])}",
    )
    for name in ours.outcomes.keys() & theirs.outcomes.keys():
        told = [(run.outcomes[name], torch.ones(graph.num_graphs)) for run in (ours, theirs)]
        yield _of_field(name, Field(Location.GRAPH, Mask()), graph, *told)
    yield _Difference(
        Location.GRAPH, ours.stopped != theirs.stopped, lambda _: "they stop for other reasons"
    )


def _output(run: Run, name: str, step: int | None) -> tuple[Tensor, Tensor]:
    """An output after a step, or in the end, and where it is shown."""

    def of(name: str) -> Tensor:
        return run.final(name) if step is None else run[name][step]

    declaration, values = run.algorithm.declaration, of(name)
    where = declaration.only_where.get(name)
    shown = torch.ones_like(values, dtype=torch.bool) if where is None else of(where).bool()
    if name in declaration.endless:
        pointed = run.graph.first_node + run.inputs[declaration.endless[name]]
        shown = shown.index_fill(0, pointed, False)
    return values, shown


def _of_field(
    what: str,
    field: Field,
    graph: Graph,
    ours: tuple[Tensor, Tensor],
    theirs: tuple[Tensor, Tensor],
) -> _Difference:
    """Where values differ, or whether they are shown."""

    def words(place: int) -> str:
        of = "" if field.location is Location.GRAPH else f" of {field.location.value} {place}"
        if bool(ours[1][place] == theirs[1][place]):
            first, second = (
                field.kind.shown(values, graph, field.location)[place]
                for values, _ in (ours, theirs)
            )
        else:
            first, second = (
                "shown" if shown[place] else "not shown" for _, shown in (ours, theirs)
            )
        return f"{what}{of} is {first} by the first, {second} by the second"

    differ = (ours[0] != theirs[0]) | (ours[1] != theirs[1])
    return _Difference(field.location, differ, words)
