"""What a picture of a run reads: values at a moment, the classes of elements, texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from algolens.execution import Run
from algolens.execution.numbers import given_numbers
from algolens.fields import Mask, Pointer
from algolens.graphs import Location
from algolens.language.words import ENDLESS, NONE
from algolens.layouts import BoxLayout, Moment
from algolens.reports.figures import ANSWERS
from algolens.terminal.names import written
from algolens.terminal.seen import is_endless


def value_at(run: Run, name: str, moment: int) -> list[Any]:
    """An output after a step; before the first, its start, or 0 where it is no state."""
    if moment:
        return run[name][moment - 1].tolist()
    if name in run.start:
        return run.start[name].tolist()
    return [0] * run.graph.count(run.algorithm.declaration.location)


def classes_of(run: Run, moment: int) -> list[int]:
    """A class for each element: its category; else its group; else its state, as the algorithm
    names them; else the last of its masks.
    """
    outputs = run.algorithm.declaration.outputs
    for name, kind in outputs.items():
        if kind.labels and not kind.is_truth_value:
            # of two classes, none is that of nothing done
            offset = 1 if len(kind.labels) == 2 else 0
            return [value + offset for value in value_at(run, name, moment)]
    group = group_of(run)
    if group is not None and not isinstance(run.algorithm.layout, BoxLayout):
        return _groups(run, group, moment)
    states = states_of(run)
    # of states, the first that holds counts; of other masks, the last
    names = list(states)[::-1] or [name for name, kind in outputs.items() if isinstance(kind, Mask)]
    masks = [value_at(run, name, moment) for name in names]
    numbers = range(len(names), 0, -1) if states else range(1, len(names) + 1)
    found = [0] * run.graph.count(run.algorithm.declaration.location)
    for number, mask in zip(numbers, masks, strict=True):
        found = [number if holds else old for holds, old in zip(mask, found, strict=True)]
    return found


def node_sets(run: Run, moment: int) -> list[int]:
    """A class for each set of nodes, where edges are decided by sets; none where they are not."""
    declaration = run.algorithm.declaration
    if declaration.location is not Location.EDGE:
        return []
    for name in declaration.state:
        kind, location = declaration.predicted[name].kind, declaration.predicted[name].location
        if isinstance(kind, Pointer) and not kind.itself_is_none and location is Location.NODE:
            return _groups(run, name, moment)
    return []


def _groups(run: Run, name: str, moment: int) -> list[int]:
    """A class for each set of elements that lead to one of them; an element alone has none."""
    pointers = value_at(run, name, moment)
    ends = [_end(pointers, element) for element in range(len(pointers))]
    sizes = Counter(ends)
    roots = sorted({*run[name].values.tolist()}) if run.num_steps else []
    numbers = {root: 1 + place % (len(ANSWERS) - 1) for place, root in enumerate(roots)}
    return [numbers.get(root, 1) if sizes[root] > 1 else 0 for root in ends]


def _end(pointers: Sequence[int], element: int) -> int:
    """Where pointers lead from an element; where they go round, one of those on the way."""
    for _ in pointers:
        if pointers[element] == element:
            break
        element = pointers[element]
    return element


def class_names(run: Run) -> list[str]:
    """What the classes are called in a legend; none where they are groups."""
    declaration = run.algorithm.declaration
    outputs = declaration.outputs
    for name, kind in outputs.items():
        if kind.labels and not kind.is_truth_value:
            said = {} if declaration.speech is None else declaration.words.states
            plain = name.replace("_", " ")
            names = [said.get(label, f"{plain} {label}") for label in kind.labels]
            return ["", *names] if len(names) == 2 else names
    if group_of(run) is not None and not isinstance(run.algorithm.layout, BoxLayout):
        return []
    if states := states_of(run):
        speech = run.algorithm.declaration.speech
        first = next(iter(states.values()))
        none = None if speech is None else speech.words.states.get(NONE)
        return [f"not {first}" if none is None else none, *states.values()]
    masks = [
        name.removeprefix("is_").replace("_", " ")
        for name, kind in outputs.items()
        if isinstance(kind, Mask)
    ]
    return [f"not {masks[0]}" if len(masks) == 1 else "untouched", *masks] if masks else []


def field_in_words(run: Run, name: str) -> str:
    """What a field is called for readers."""
    words = run.algorithm.declaration.words
    return words.names.get(name) or words.states.get(name) or name.replace("_", " ")


def states_of(run: Run) -> dict[str, str]:
    """The states that the algorithm names, as "settled", by the masks where they hold."""
    declaration = run.algorithm.declaration
    if declaration.speech is None:
        return {}
    masks = {*declaration.outputs, *declaration.state}
    return {
        name: said
        for name, said in declaration.speech.words.states.items()
        if name in masks
        and declaration.predicted[name].location is declaration.location
        and isinstance(declaration.predicted[name].kind, Mask)
    }


def group_of(run: Run) -> str | None:
    """The output that says which group a node belongs to, by a pointer to one of them."""
    for name, kind in run.algorithm.declaration.outputs.items():
        if isinstance(kind, Pointer) and not kind.itself_is_none:
            return name
    return None


def shown_pointer(run: Run) -> str | None:
    """The output that is drawn as arrows. Of several, the last: it is what the others lead to."""
    if group_of(run) is not None:
        return None
    outputs = run.algorithm.declaration.outputs.items()
    pointers = [name for name, kind in outputs if isinstance(kind, Pointer) and kind.itself_is_none]
    return pointers[-1] if pointers else None


def given_texts(run: Run, name: str) -> list[str]:
    """An input's numbers as the user wrote them."""
    return [written(number) for number in given_numbers(run.algorithm, run.graph, run.inputs, name)]


def known_texts(run: Run, name: str, values: Mapping[str, list[Any]]) -> list[str]:
    """An output's numbers, where they say something already."""
    where = run.algorithm.declaration.only_where.get(name)
    numbers = run.in_own_units(name, values[name])
    holds = [True] * len(numbers) if where is None else values[where]
    return [
        (ENDLESS if is_endless(run, name, place) else written(number)) if known else ""
        for place, (number, known) in enumerate(zip(numbers, holds, strict=True))
    ]


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
