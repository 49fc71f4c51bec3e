"""Where a run first goes wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from algolens.evaluation.rightness import GOING_ON, first_difference, right_graphs
from algolens.execution import Run
from algolens.graphs import Location


@dataclass(frozen=True)
class Mistake:
    """The first mistake of a run on one graph: of its first wrong step, the first wrong field,
    concepts before outputs.
    """

    graph: int  # which one of the batch
    nodes: int  # of that graph
    step: int  # from 1 on
    field: str  # a concept, an output, a hint, or 'going on'
    at: str  # where that field lies: 'node', 'edge' or 'graph'
    # the node's or edge's place in its graph; None where the whole graph is meant
    element: int | None
    wrong: int  # how many elements are wrong in that field at that step
    found: str  # a class by its label, a pointer by the name of what it points to
    true: str

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)


def first_mistakes(run: Run, truth: Run, most: int = 10) -> tuple[int, list[Mistake]]:
    """How many graphs are not right (``right_graphs``), and the first mistakes of some."""
    graphs = (~right_graphs(run, truth)).nonzero().flatten().tolist()
    return len(graphs), [
        _first(run.take([number]), truth.take([number]), number) for number in graphs[:most]
    ]


def _first(run: Run, truth: Run, number: int) -> Mistake:
    """run, truth: of one graph alone."""
    found = first_difference(run, truth)
    # whichever stops first says so at a step that both took: runs of other lengths differ in going
    # on
    assert found is not None
    step, name, location, places = found
    place = int(places[0])
    values = [_value_in_words(each, name, step, place) for each in (run, truth)]
    element = None if location is Location.GRAPH else place
    return Mistake(
        number, run.graph.num_nodes, step + 1, name, location.value, element, len(places), *values
    )


def _value_in_words(run: Run, field: str, step: int, place: int) -> str:
    if field == GOING_ON:
        return str(bool(run.goes_on[step, place]))
    known = run.algorithm.declaration.predicted[field]
    values = run[field][step]
    if known.kind.labels:
        return known.kind.labels[int(values[place])]
    value = known.kind.shown(values, run.graph, known.location)[place]
    return "none" if value is None else str(value)
