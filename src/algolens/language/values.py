"""Values of fields as they enter: read from a user's graph, or checked where they are arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from algolens import arrays
from algolens.errors import InputError
from algolens.graphs import At, Graph
from algolens.graphs.attributes import Attribute, ExactNumber, as_written
from algolens.graphs.scales import Scale, whole_numbers
from algolens.language.fields import MOST_BITS, Field

MOST_SHOWN = 60  # characters of a user's value
RANKING = (
    " Of other numbers, read(graph, rng) of the algorithm takes the ranks, where the graph "
    "carries them."
)


@dataclass(frozen=True, eq=False)
class Ranks:
    """The rank of each number among those of its graph, from 0 up."""

    ranks: np.ndarray
    num_equal: int  # how many have an equal before them
    first_equal: tuple[int, int] | None  # where the first two equals stand


def fit(field: Field, graph: Graph, parsed: Sequence[Any]) -> tuple[np.ndarray, Ranks | None]:
    """Parsed values as an array; and their ranks, where it holds only their order.

    Numbers stay where they are whole, in range and distinct as they must be; else they are ranked,
    exactly. Equals have one rank, unless they must differ.
    """
    if field.kind != "number":
        return np.array(parsed, dtype=field.dtype), None
    if all(map(field.holds, parsed)):
        whole = np.array([int(number) for number in parsed], dtype=np.int64)
        if field.clash(graph, whole) is None:
            return whole, None
    ranked = rank_numbers(graph, field.at, parsed, with_ties=field.distinct is None)
    different = ranked.ranks.max() + 1 if field.distinct is None else graph.counts(field.at).max()
    field.check_room(int(different))
    return ranked.ranks + field.bounds[0], ranked


def rank_numbers(graph: Graph, at: At, numbers: Sequence[ExactNumber], *, with_ties: bool) -> Ranks:
    """The rank of each number in its graph; numbers are compared exactly.

    with_ties: equals share a rank, and the next rank follows it; else the first in the graph comes
    first.
    """
    owner = graph.to(arrays.NUMPY).owner(at).tolist()
    if len(set(map(type, numbers))) > 1:  # beside other numbers, a float is what Python prints
        numbers = [Decimal(repr(n)) if isinstance(n, float) else n for n in numbers]
    order = sorted(range(len(numbers)), key=lambda place: (owner[place], numbers[place]))
    ranks, equals = np.zeros(len(order), dtype=np.int64), []
    for before, place in pairwise(order):
        if owner[before] == owner[place]:
            is_equal = numbers[before] == numbers[place]
            ranks[place] = ranks[before] + (0 if is_equal and with_ties else 1)
            equals += [(before, place)] if is_equal else []
    return Ranks(ranks, len(equals), min(equals, default=None))


def read_values(
    name: str,
    field: Field,
    column: Attribute,
    graph: Graph,
    scale: Scale | None = None,
    *,
    can_grow: bool = False,
    find_places: Callable[[], int | None] = lambda: None,
) -> tuple[np.ndarray, list[str]]:
    """A field's values from an attribute of a user's graph, and what to tell the user.

    Parameters
    ----------
    name, field
        Of the input.
    column
        What the graph carries under that name.
    graph
        The user's graph.
    scale
        How numbers become whole; None: only their order counts, so that they may be ranked.
    can_grow
        Whether the user can allow more bits.
    find_places
        Gives the decimals to which numbers are rounded so that they fit; None where none do.

    Raises
    ------
    InputError
        Where a value is missing, or is none of the field's kind.
    """
    where = field.at
    if len(column) != graph.count(where):
        raise InputError(
            f"'{name}' has {len(column)} values, and the graph has {graph.count(where)} "
            f"{where}s: give each one."
        )
    if field.kind == "number" and (read := _read_together(field, column, graph, scale)) is not None:
        return read, [] if scale is None else _scale_remarks(name, field, scale)
    given = as_written(column)
    parsed = [None if value is None else field.parse(graph, value) for value in given]
    if None in parsed:
        place = parsed.index(None)
        needed = field.wanted_of_user(
            in_any_unit=scale is None,
            can_grow=can_grow and where != "graph",  # a graph's one number has its bits
        )
        raise InputError(
            _complaint(name, field, graph.describe(where, place), given[place], needed)
        )
    if field.kind == "number" and scale is not None:
        whole = [scale.whole(number) for number in parsed if number is not None]
        for place, number in enumerate(whole):
            if number is None or not field.holds(number):
                came = f"'{name}' of {graph.describe(where, place)} is '{_shortened(given[place])}'"
                places = None if where == "graph" else find_places()
                rounding = "" if places is None else f"{rounding_offered(places)}, or "
                without = _without_room(field, number, scale, rounding, can_grow=can_grow)
                raise InputError(came + without)
        return np.array(whole, dtype=field.dtype), _scale_remarks(name, field, scale)
    values, ranks = fit(field, graph, parsed)
    return values, [] if ranks is None else _rank_remarks(name, field, ranks, given, graph)


def _read_together(
    field: Field, column: Attribute, graph: Graph, scale: Scale | None
) -> np.ndarray | None:
    """Numbers that are all held as they are, or multiplied; None where one may need a word."""
    graph = graph.to(arrays.NUMPY)
    values = whole_numbers(column, scale or Scale())
    if values is None or bool(field.outside(graph, values).any()):
        return None
    return values if scale is not None or field.clash(graph, values) is None else None


def each(where: At) -> str:
    """Of whom a field has values."""
    return "the graph" if where == "graph" else f"each {where}"


def decimals(places: int) -> str:
    """So many decimals."""
    return "1 decimal" if places == 1 else f"{places} decimals"


def rounding_offered(places: int) -> str:
    """The rounding that makes numbers fit, as a user asks for it."""
    return f"round to {decimals(places)} (--round {places}; in Python, round={places})"


def _without_room(
    field: Field, number: int | None, scale: Scale, rounding: str, *, can_grow: bool
) -> str:
    """Why a number that was multiplied is refused; None: it is not whole."""
    multiplied = ""
    if scale.factor > 1 and number is not None:
        by = f"when all are multiplied by {_shortened(scale.words)} to be whole"
        multiplied = f", which is {_shortened(number)} {by}"
    needed = MOST_BITS + 1 if number is None else field.bits_for(number)
    room = f", or allow {needed} bits" if can_grow and field.bits < needed <= MOST_BITS else ""
    return f"{multiplied}: {rounding}give {field.wanted}{room}."


def _scale_remarks(name: str, field: Field, scale: Scale) -> list[str]:
    if scale.factor == 1:
        return []
    return [
        f"the {name} of {each(field.at)} is multiplied by {scale.words}, so that all are "
        "whole; results are in your own numbers."
    ]


def _rank_remarks(
    name: str, field: Field, ranks: Ranks, given: Sequence[ExactNumber], graph: Graph
) -> list[str]:
    where = field.at
    notes = [
        f"the {name} of each {where} is replaced by its rank, because only the order counts "
        f"and not all are {field.wanted}."
    ]
    if ranks.first_equal is not None and field.distinct:
        first, second = (graph.describe(where, place) for place in ranks.first_equal)
        counted = "is 1 equal" if ranks.num_equal == 1 else f"are {ranks.num_equal} equals"
        notes.append(
            f"there {counted} in {name} ({first} and {second}, say, are both "
            f"{_shortened(given[ranks.first_equal[0]])}): of equals, the {where} that stands "
            "first in the graph goes first."
        )
    return notes


def _complaint(name: str, field: Field, whose: str, given: Any, needed: str) -> str:
    if given is None or given == "":
        return f"{whose} has no '{name}': give {needed} for every {field.at}, or for none."
    if field.to not in (None, "node"):
        return (
            f"'{name}' points at edges, which have no names to be read: give it in Python, as an "
            "array of places."
        )
    return f"'{name}' of {whose} is '{_shortened(given)}': give {needed}."


def _shortened(given: Any) -> str:
    try:
        text = str(given)
    except ValueError:  # a whole number with more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def check_values(name: str, field: Field, values: Any, graph: Graph) -> None:
    """Refuses an array that does not hold a value of the field's kind at every place.

    Raises
    ------
    InputError
        Which names the first wrong value.
    """
    where, count = field.at, graph.count(field.at)
    hint = RANKING if field.distinct else ""
    is_right = arrays.is_array(values) and values.shape == (count,)
    if not is_right or not arrays.is_of(values, field.dtype):
        raise InputError(
            f"'{name}' came as {array_in_words(values)}: give an array [{count}] of "
            f"{field.dtype.__name__}, "
            f"a value for every {where}.{hint}"
        )
    if arrays.device_of(values) != graph.device:
        raise InputError(
            f"'{name}' is on {arrays.device_of(values)} and the graph on {graph.device}: "
            "move one of them, with .to(...)."
        )
    outside = arrays.flatnonzero(field.outside(graph, values))
    if len(outside):
        place = int(outside[0])
        raise InputError(
            f"'{name}' of {graph.describe(where, place)} is {int(values[place])}: give "
            f"{_wanted_at(field, graph, place)}.{hint}"
        )
    if (equal := field.clash(graph, values)) is not None:
        first, second = (graph.describe(where, place) for place in equal)
        raise InputError(
            f"'{name}' of {first} and of {second} are both {int(values[equal[0]])}: give "
            f"{field.wanted}.{hint}"
        )


def array_in_words(value: Any) -> str:
    """What came in the place of an array."""
    if arrays.is_array(value):
        return f"an array {list(value.shape)} of {str(value.dtype).removeprefix('torch.')}"
    return f"a {type(value).__name__}"


def _wanted_at(field: Field, graph: Graph, place: int) -> str:
    """What may stand in an array at one place."""
    if field.to is None:
        return field.wanted
    last = int(graph.counts(field.to)[graph.owner(field.at)[place]]) - 1
    return f"{field.wanted}, numbered 0 to {last}"
