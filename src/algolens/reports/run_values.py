"""What a picture of a run reads: values at a moment, the classes of elements, texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.execution import Run
from algolens.execution.numbers import given_numbers
from algolens.fields import Mask, Pointer
from algolens.graphs import Location
from algolens.layouts import BoxLayout, Moment
from algolens.reports.figures import ANSWERS
from algolens.terminal.names import written


def value_at(run: Run, name: str, moment: int) -> list[Any]:
    """An output after a step; before the first, its start, or 0 where it is no state."""
    if moment:
        return run[name][moment - 1].tolist()
    if name in run.start:
        return run.start[name].tolist()
    return [0] * run.graph.count(run.algorithm.declaration.location)


def classes_of(run: Run, values: Mapping[str, list[Any]]) -> list[int]:
    """A class for each element: its category; else its group; else the last of its masks."""
    outputs = run.algorithm.declaration.outputs
    for name, kind in outputs.items():
        if kind.labels and not kind.is_truth_value:
            # of two classes, none is that of nothing done
            offset = 1 if len(kind.labels) == 2 else 0
            return [value + offset for value in values[name]]
    group = group_of(run)
    if group is not None and not isinstance(run.algorithm.layout, BoxLayout):
        return [1 + value % (len(ANSWERS) - 1) for value in values[group]]
    masks = [values[name] for name, kind in outputs.items() if isinstance(kind, Mask)]
    return [
        max((number for number, mask in enumerate(masks, 1) if mask[element]), default=0)
        for element in range(run.graph.count(run.algorithm.declaration.location))
    ]


def group_of(run: Run) -> str | None:
    """The output that says which group a node belongs to, by a pointer to one of them."""
    for name, kind in run.algorithm.declaration.outputs.items():
        if isinstance(kind, Pointer) and not kind.itself_is_none:
            return name
    return None


def given_texts(run: Run, name: str) -> list[str]:
    """An input's numbers as the user wrote them."""
    return [written(number) for number in given_numbers(run.algorithm, run.graph, run.inputs, name)]


def known_texts(run: Run, name: str, values: Mapping[str, list[Any]]) -> list[str]:
    """An output's numbers, where they say something already."""
    where = run.algorithm.declaration.only_where.get(name)
    numbers = run.in_own_units(name, values[name])
    holds = [True] * len(numbers) if where is None else values[where]
    return [written(number) if known else "" for number, known in zip(numbers, holds, strict=True)]


def layout_moment(run: Run, moment: int) -> Moment:
    """A run after so many steps, as a layout reads it."""
    declaration = run.algorithm.declaration
    fields = {**declaration.inputs, **declaration.predicted}

    def at(name: str) -> Sequence[int]:
        if name in declaration.inputs:
            return [int(value) for value in run.inputs[name]]
        if name in declaration.state or name in declaration.outputs:
            return [int(value) for value in value_at(run, name, moment)]
        # what is only observed, as the next step sees it
        return run[name][min(moment, run.num_steps - 1)].long().tolist() if run.num_steps else []

    def ever(name: str) -> tuple[int, int]:
        values = [
            *([run.inputs[name]] if name in declaration.inputs else []),
            *([run.start[name]] if name in run.start else []),
            *(
                [run[name].first, run[name].values]
                if name in declaration.predicted and run.num_steps
                else []
            ),
        ]
        known = [int(end) for value in values if len(value) for end in value.long().aminmax()]
        return (min(known), max(known)) if known else (0, 0)

    layout = run.algorithm.layout
    location = layout.location(fields) if isinstance(layout, BoxLayout) else Location.NODE
    return Moment(fields, run.graph.count(location), at, ever)
