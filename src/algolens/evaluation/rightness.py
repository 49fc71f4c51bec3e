"""When a run is right, and where it first goes wrong: the one definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from algolens import arrays
from algolens.arrays import NUMPY, Array
from algolens.engines import Run, Timeline
from algolens.graphs import At
from algolens.logic.rule_set import RuleSet

GOING_ON = "going on"


def compared_fields(run: Run) -> tuple[str, ...]:
    """The fields in which a run is compared with the truth; the last is whether it goes on.

    That is all that a run gives. A network without a bottleneck has no concepts to compare, but
    those that are state.
    """
    declaration = run.algorithm.declaration
    concepts = [
        name for name in declaration.concepts if run.has_concepts or name in declaration.state
    ]
    return (*concepts, *declaration.outputs, *declaration.hints, GOING_ON)


def right_graphs(run: Run, truth: Run) -> Array:
    """[G] bools: is a graph right in every compared field of every step, and in when it stops?"""
    truth = truth.to(run.graph.device)
    wrong = run.lengths < 0
    steps = min(run.num_steps, truth.num_steps)
    for _, location, first in differences(run, truth):
        # after a graph's end its values are held: where both took as many steps, the last step is
        # compared again
        wrong |= run.graph.any_per_graph(first < steps, location)
    # without a step there is nothing to compare, whatever others of the batch left in its rows
    wrong &= run.lengths > 0
    return ~wrong & (run.lengths == truth.lengths)


def differences(run: Run, truth: Run) -> Iterator[tuple[str, At, Array]]:
    """Each compared field, its location, and [N] the first step at which the two differ at an
    element; the number of steps that both took, where they do not.
    """
    steps = min(run.num_steps, truth.num_steps)
    fields = run.algorithm.declaration.predicted
    for name in compared_fields(run):
        if name == GOING_ON:
            asked = (Timeline.of_rows(side.goes_on) for side in (run, truth))
            yield name, "graph", next(asked).first_differences(next(asked), steps)
        else:
            yield name, fields[name].at, run[name].first_differences(truth[name], steps)


def first_difference(run: Run, truth: Run) -> tuple[int, str, At, Array] | None:
    """Of one graph: the first wrong step, its first wrong field and location, the elements."""
    never = min(run.num_steps, truth.num_steps)
    first_steps = [
        (*differs, int(differs[2].min())) for differs in differences(run, truth) if len(differs[2])
    ]
    name, location, first, step = min(first_steps, key=lambda differs: differs[3])
    return None if step == never else (step, name, location, arrays.flatnonzero(first == step))


@dataclass(frozen=True)
class Mistake:
    """The first mistake of a run on one graph: the first wrong field of its first wrong step."""

    graph: int  # which one of the batch
    nodes: int  # of that graph
    step: int  # from 1 on
    field: str  # a concept, an output, a hint, or 'going on'
    at: At  # where that field lies: 'node', 'edge' or 'graph'
    # the node's or edge's place in its graph; None where the whole graph is meant
    element: int | None
    wrong: int  # how many elements are wrong in that field at that step
    found: str  # a class by its label, a pointer by the name of what it points to
    true: str

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Side:
    """One of several runs on one graph with the same inputs, shown side by side."""

    by: str  # what carried it out
    run: Run
    rule_set: RuleSet  # whose rules say why
    # finds where it first differs from the algorithm, which takes the algorithm's run
    compare: Callable[[], Mistake | None] | None = None
    # how likely each concept was to a network, in percent; none: it is sure of all
    sureness: Mapping[str, Timeline] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "run", self.run.to(NUMPY))
        sureness = {name: over_time.to(NUMPY) for name, over_time in self.sureness.items()}
        object.__setattr__(self, "sureness", sureness)

    @cached_property
    def mistake(self) -> Mistake | None:
        """Where it first differs from the algorithm; compared when it is first asked for."""
        return None if self.compare is None else self.compare()


def first_mistakes(run: Run, truth: Run, most: int = 10) -> tuple[int, list[Mistake]]:
    """How many graphs are not right (``right_graphs``), and the first mistakes of some."""
    graphs = arrays.flatnonzero(~right_graphs(run, truth)).tolist()
    return len(graphs), [
        _first(run.take([number]), truth.take([number]), number) for number in graphs[:most]
    ]


def _first(run: Run, truth: Run, number: int) -> Mistake:
    """run, truth: of one graph alone."""
    difference = first_difference(run, truth)
    # whichever stops first says so at a step that both took: runs of other lengths differ in going
    # on
    assert difference is not None
    step, name, location, places = difference
    place = int(places[0])
    values = [_value_in_words(side, name, step, place) for side in (run, truth)]
    element = None if location == "graph" else place
    return Mistake(
        number, run.graph.num_nodes, step + 1, name, location, element, len(places), *values
    )


def _value_in_words(run: Run, field: str, step: int, place: int) -> str:
    if field == GOING_ON:
        return str(bool(run.goes_on[step, place]))
    known = run.algorithm.declaration.predicted[field]
    values = run[field][step]
    if known.classes:
        return known.classes[int(values[place])]
    shown = known.shown(values, run.graph)
    value = run.in_own_units(field, shown)[place]
    return "none" if value is None else str(value)
