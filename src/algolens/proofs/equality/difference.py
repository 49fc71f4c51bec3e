"""A graph on which two programs differ: the search on small graphs, and the difference in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from msgspec.structs import replace

from algolens.algorithms import Values
from algolens.arrays import NUMPY
from algolens.data.small_graphs import ShownGraph, small_graphs
from algolens.engines import Run, run_algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.graphs import At, Graph
from algolens.language.fields import Field

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
