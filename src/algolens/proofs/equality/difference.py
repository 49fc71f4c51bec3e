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
    declaration = ours.algorithm.declaration
    for step in range(min(ours.num_steps, theirs.num_steps)):
        for name in declaration.outputs:
            yield _of_output(ours, theirs, name, step)
    for name in declaration.outputs:  # of a graph that takes no step, how it starts
        if name in ours.start and name in theirs.start:
            yield _of_output(ours, theirs, name, None)
    one, other = ours.lengths, theirs.lengths
    yield _Difference(
        Location.GRAPH,
        one != other,
        lambda graph: f"the first takes {int(one[graph])} steps, the second {int(other[graph])}",
    )
    for name in ours.outcomes.keys() & theirs.outcomes.keys():
        values = ours.outcomes[name], theirs.outcomes[name]
        yield _of_field(name, "", Field(Location.GRAPH, Mask()), ours.graph, *values)
    yield _Difference(
        Location.GRAPH, ours.stopped != theirs.stopped, lambda _: "they stop for other reasons"
    )


def _of_output(ours: Run, theirs: Run, name: str, step: int | None) -> _Difference:
    """Where an output differs, or whether it is shown, after a step or in the end."""
    when = "in the end " if step is None else f"at step {step + 1} "
    field = ours.algorithm.declaration.predicted[name]

    def of(run: Run, name: str) -> Tensor:
        return run.final(name) if step is None else run[name][step]

    def is_shown(run: Run) -> Tensor:
        declaration = run.algorithm.declaration
        where = declaration.only_where.get(name)
        shown = torch.ones_like(of(run, name), dtype=torch.bool)
        shown = shown if where is None else of(run, where).bool()
        if name in declaration.endless:
            pointed = run.graph.first_node + run.inputs[declaration.endless[name]]
            shown = shown.index_fill(0, pointed, False)
        return shown

    one, other = is_shown(ours), is_shown(theirs)
    values = _of_field(name, when, field, ours.graph, of(ours, name), of(theirs, name))

    def words(place: int) -> str:
        if bool(one[place] == other[place]):
            return values.words(place)
        said = ("shown" if bool(visible[place]) else "not shown" for visible in (one, other))
        return f"{when}{_said(name, field, place, *said)}"

    return _Difference(field.location, values.at | (one != other), words)


def _of_field(
    name: str, when: str, field: Field, graph: Graph, ours: Tensor, theirs: Tensor
) -> _Difference:
    """Where a field differs."""

    def words(place: int) -> str:
        shown = (field.kind.shown(each, graph, field.location)[place] for each in (ours, theirs))
        return f"{when}{_said(name, field, place, *shown)}"

    return _Difference(field.location, ours != theirs, words)


def _said(name: str, field: Field, place: int, first: object, second: object) -> str:
    of = "" if field.location is Location.GRAPH else f" of {field.location.value} {place}"
    return f"{name}{of} is {first} by the first, {second} by the second"
