"""Values of fields as they enter: read from what a user's graph says, or checked where they come as
tensors.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algolens.errors import InputError
from algolens.fields.field import Field
from algolens.fields.kinds import Kind, Number, Pointer
from algolens.fields.scale import Ranks, in_whole_numbers
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import Attribute

MOST_SHOWN = 60  # characters of a user's value
MOST_BITS = 62  # of a number
RANKING = (
    " Of other numbers, read(graph, rng) of the algorithm takes the ranks, where the graph "
    "carries them."
)


def as_written(column: Attribute) -> list[Any]:
    """The values of an attribute; of short floats, the number that they are written as (0.1, not
    0.10000000149011612).
    """
    if isinstance(column, Tensor) and column.dtype in (torch.float16, torch.float32):
        return [float(str(value)) for value in column.reshape(-1).numpy()]
    flat = column.reshape(-1) if column.ndim == 2 and column.shape[1] == 1 else column
    return flat.tolist()


def read_values(
    name: str,
    field: Field,
    column: Attribute,
    graph: Graph,
    scale: int | None = None,
    *,
    can_grow: bool = False,
) -> tuple[Tensor, list[str]]:
    """A field's values from an attribute of a user's graph, and what the user should know of it.

    scale: what numbers are multiplied by; None: only their order counts, so that they may be
    ranked.
    can_grow: whether the user can allow more bits.
    """
    kind, where = field.kind, field.location
    if len(column) != graph.count(where):
        raise InputError(
            f"'{name}' has {len(column)} values, and the graph has {graph.count(where)} "
            f"{where.value}s: give each one."
        )
    given = as_written(column)
    parsed = [None if each is None else kind.parse(graph, each) for each in given]
    if None in parsed:
        place = parsed.index(None)
        # a graph's one number has its bits
        needed = _needed(kind, scale, can_grow=can_grow and where is not Location.GRAPH)
        raise InputError(
            _complaint(name, field, graph.describe(where, place), given[place], needed)
        )
    if isinstance(kind, Number) and scale is not None:
        remarks = [] if scale == 1 else [_scale_remark(name, field, scale)]
        return _multiplied(name, field, parsed, given, graph, scale, can_grow=can_grow), remarks
    values, ranks = kind.fit(graph, where, parsed)
    return values, [] if ranks is None else _rank_remarks(name, field, ranks, given, graph)


def _multiplied(
    name: str,
    field: Field,
    parsed: list[Any],
    given: list[Any],
    graph: Graph,
    scale: int,
    *,
    can_grow: bool,
) -> Tensor:
    """Numbers that are counted with, multiplied by ``scale``; refused where one has no room."""
    kind = field.kind
    assert isinstance(kind, Number)
    numbers = [in_whole_numbers(number, scale) for number in parsed]
    for place, number in enumerate(numbers):
        if number is None or not kind.holds(number):
            came = (
                f"'{name}' of {graph.describe(field.location, place)} is '{_shown(given[place])}'"
            )
            if scale > 1 and number is not None:
                came += (
                    f", which is {_shown(number)} when all are multiplied by {_shown(scale)} to be "
                    "whole"
                )
            needed = MOST_BITS + 1 if number is None else kind.bits_for(number)
            room = (
                f", or allow {needed} bits" if can_grow and kind.bits < needed <= MOST_BITS else ""
            )
            raise InputError(f"{came}: give {kind.wanted}{room}.")
    return torch.tensor(numbers, dtype=kind.dtype)


def _scale_remark(name: str, field: Field, scale: int) -> str:
    each = "the graph" if field.location is Location.GRAPH else f"each {field.location.value}"
    return (
        f"the {name} of {each} is multiplied by {scale}, so that all are whole; results are in "
        "your own numbers."
    )


def _rank_remarks(
    name: str, field: Field, ranks: Ranks, given: list[Any], graph: Graph
) -> list[str]:
    kind, where = field.kind, field.location
    notes = [f"the {name} of each {where.value} is replaced by its rank: needed are {kind.wanted}."]
    if ranks.first_equal is not None and isinstance(kind, Number) and kind.distinct:
        first, second = (graph.describe(where, place) for place in ranks.first_equal)
        counted = "is 1 equal" if ranks.num_equal == 1 else f"are {ranks.num_equal} equals"
        notes.append(
            f"there {counted} in {name} ({first} and {second}, say, are both "
            f"{_shown(given[ranks.first_equal[0]])}): of equals, the {where.value} that stands "
            "first in the graph goes first."
        )
    return notes


def _needed(kind: Kind, scale: int | None, *, can_grow: bool) -> str:
    """What a user may give: any finite number where numbers are ranked; where bits are allowed as
    needed, one of its sign.
    """
    if not isinstance(kind, Number) or (scale is not None and not can_grow):
        return kind.wanted
    sign = "" if scale is None or kind.signed else " above 0" if kind.low else " from 0 on"
    return f"a finite number{sign}"


def _complaint(name: str, field: Field, whose: str, given: Any, needed: str) -> str:
    if given is None or given == "":
        return (
            f"{whose} has no '{name}': give {needed} for every {field.location.value}, or for none."
        )
    if isinstance(field.kind, Pointer) and field.kind.to is not Location.NODE:
        return (
            f"'{name}' points at edges, which have no names to be read: give it in Python, as a "
            "tensor of places."
        )
    return f"'{name}' of {whose} is '{_shown(given)}': give {needed}."


def _shown(given: Any) -> str:
    try:
        text = str(given)
    except ValueError:  # a whole number with more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def check_values(name: str, field: Field, values: Any, graph: Graph) -> None:
    """Refuses a tensor that does not hold a value of the field's kind at every place; the message
    names the first.
    """
    kind, where, count = field.kind, field.location, graph.count(field.location)
    hint = RANKING if isinstance(kind, Number) and kind.distinct else ""
    if not isinstance(values, Tensor) or values.shape != (count,) or values.dtype != kind.dtype:
        came = (
            f"a tensor {list(values.shape)} of {values.dtype}"
            if isinstance(values, Tensor)
            else f"a {type(values).__name__}"
        )
        raise InputError(
            f"'{name}' came as {came}: give a tensor [{count}] of {kind.dtype}, a value for every "
            f"{where.value}.{hint}"
        )
    if values.device != graph.device:
        raise InputError(
            f"'{name}' is on {values.device} and the graph on {graph.device}: move one of them, "
            "with .to(...)."
        )
    outside = kind.outside(graph, where, values).nonzero()
    if len(outside):
        place = int(outside[0])
        whose = graph.describe(where, place)
        raise InputError(
            f"'{name}' of {whose} is {int(values[place])}: give "
            f"{kind.wanted}{_room(kind, place, graph, where)}.{hint}"
        )
    if (equal := kind.clash(graph, where, values)) is not None:
        first, second = (graph.describe(where, place) for place in equal)
        raise InputError(
            f"'{name}' of {first} and of {second} are both {int(values[equal[0]])}: give "
            f"{kind.wanted}.{hint}"
        )


def _room(kind: Kind, place: int, graph: Graph, where: Location) -> str:
    if not isinstance(kind, Pointer):
        return ""
    return f", numbered 0 to {int(graph.counts(kind.to)[graph.owner(where)[place]]) - 1}"


def tensor_in_words(value: Any) -> str:
    """What came in the place of a tensor."""
    return (
        f"a tensor {list(value.shape)} of {value.dtype}"
        if isinstance(value, Tensor)
        else f"a {type(value).__name__}"
    )
