"""How a user's numbers become whole: by which scale, and by which rounding where none fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from algolens.graphs import At, Graph
from algolens.graphs.attributes import (
    BACK,
    Attribute,
    as_written,
    at_both_links,
    column,
    exact_number,
    exact_numbers,
)
from algolens.graphs.scales import Scale, as_fraction, most_places, rounded, scale_of, type_of
from algolens.language.fields import MOST_BITS, Field
from algolens.language.lower import MOST
from algolens.language.units import Unit
from algolens.language.values import decimals, each

ROOM = (MOST + 1) // 2  # of all numbers together: a path may take each once, and look at one again

if TYPE_CHECKING:
    from algolens.language.algorithm import Algorithm


def find_scales(algorithm: Algorithm, columns: Mapping[str, Attribute]) -> dict[str, Scale | None]:
    """How each number of a user becomes whole; None where only its order counts.

    Numbers that are counted together (a weight, and the length of a path) are multiplied by one
    number. Of an algorithm in Python it is not known how it counts: it gets numbers as they are,
    and the ranks of those that must differ.
    """
    scales: dict[str, Scale | None] = {}
    inputs = algorithm.declaration.inputs
    for name in columns:
        field, unit = inputs[name], algorithm.declaration.units.get(name)
        if field.kind != "number":
            continue
        if field.distinct if unit is None else unit.only_order_counts and not unit.is_whole:
            scales[name] = None
            continue
        alike = columns_alike(algorithm, columns, name)
        if unit is None or unit.is_whole:
            scales[name] = Scale(type=type_of(alike))
        else:
            most = ROOM if "bits" in algorithm.options else field.bounds[1] + 1
            scales[name] = scale_of(alike, min(_room(unit), most))
    return scales


def _room(unit: Unit) -> int:
    """What the numbers of a unit may add up to, so that products of them have room too."""
    return int(2 ** ((ROOM.bit_length() - 1) // unit.degree))


def columns_alike(
    algorithm: Algorithm, columns: Mapping[str, Attribute], name: str
) -> list[Attribute]:
    """A user's values of an input, and of those that are counted together with it."""
    unit = algorithm.declaration.units.get(name)
    members = {name} if unit is None else unit.members
    return [columns[other] for other in columns if other in members]


def attributes_at(graph: Graph, location: At) -> Mapping[str, Attribute]:
    """What a graph carries at a location."""
    match location:
        case "node":
            return graph.node_attributes
        case "edge":
            return graph.edge_attributes
        case "link":
            at_edges = graph.edge_attributes
            return at_edges if graph.directed else at_both_links(at_edges)
    return graph.graph_attributes


def carried_columns(algorithm: Algorithm, graph: Graph) -> dict[str, Attribute]:
    """What a graph carries of an algorithm's inputs."""
    given = {
        name: attributes_at(graph, field.at) for name, field in algorithm.declaration.inputs.items()
    }
    return {name: there[name] for name, there in given.items() if name in there}


# ---- rounding


def places_that_fit(
    algorithm: Algorithm, columns: Mapping[str, Attribute], name: str, *, can_grow: bool
) -> int | None:
    """The most decimals to which an input is rounded so that it fits; None where none does."""
    field, unit = algorithm.declaration.inputs[name], algorithm.declaration.units.get(name)
    alike = columns_alike(algorithm, columns, name)
    numbers = [
        number for column in map(exact_numbers, alike) for number in column if number is not None
    ]
    grown = msgspec.structs.replace(field, bits=MOST_BITS) if can_grow else field
    places = most_places(numbers, grown.bounds[1])
    if places is None or unit is None or unit.is_whole:
        return None if places is None else 0
    fractions = map(as_fraction, numbers)
    total = sum(abs(fraction) for fraction in fractions if fraction is not None)
    # so that sums have room too, where they can have it, however numbers are rounded
    with_room = most_places([total], _room(unit) - len(numbers))
    return places if with_room is None else min(places, with_room)


def places_in_bits(algorithm: Algorithm, graph: Graph) -> int | None:
    """The most decimals to which a graph's numbers are rounded so that the declared bits hold them.

    None where no rounding helps.
    """
    columns = carried_columns(algorithm, graph)
    counted = [name for name, scale in find_scales(algorithm, columns).items() if scale is not None]
    fitting = [places_that_fit(algorithm, columns, name, can_grow=False) for name in counted]
    places = [number for number in fitting if number is not None]
    return min(places) if places and len(places) == len(fitting) else None


def round_inputs(
    algorithm: Algorithm, graph: Graph, arguments: Mapping[str, Any], places: int
) -> tuple[Graph, dict[str, Any], list[str]]:
    """A user's graph and arguments with the numbers of inputs rounded; and what to tell of it."""
    there: dict[str, dict[str, Attribute]] = {
        "node": dict(graph.node_attributes),
        "edge": dict(graph.edge_attributes),
        "graph": dict(graph.graph_attributes),
    }
    changed, notes = dict(arguments), []
    for name, field in algorithm.declaration.inputs.items():
        carried = attributes_at(graph, field.at)
        if field.kind != "number" or not (name in arguments or name in carried):
            continue
        given = column([arguments[name]]) if name in arguments else carried[name]
        before, after = as_written(given), [_rounded(value, places) for value in as_written(given)]
        # links are in no file: their edges have the values, for the way back too
        same = there["edge" if field.at == "link" else field.at]
        if name in arguments:
            changed[name] = after[0]
        else:
            for key in {name, name + BACK} & same.keys():
                same[key] = column([_rounded(value, places) for value in as_written(same[key])])
        is_ordered = find_scales(algorithm, {name: given}).get(name) is None
        notes += _remarks(name, field, graph, before, after, places, is_ordered=is_ordered)
    attributes = {f"{at}_attributes": values for at, values in there.items()}
    return replace(graph, **attributes), changed, notes  # type: ignore[arg-type]


def _rounded(value: Any, places: int) -> Any:
    """A value rounded where it is a number; what is none is refused where it is read."""
    number = exact_number(value)
    return value if number is None else rounded(number, places)


def _remarks(
    name: str,
    field: Field,
    graph: Graph,
    before: list[Any],
    after: list[Any],
    places: int,
    *,
    is_ordered: bool,
) -> list[str]:
    """What rounding changed, and which numbers it made equal where only their order counts."""
    numbers = [exact_number(value) for value in before]
    changes = sum(
        number is not None and number != new for number, new in zip(numbers, after, strict=True)
    )
    where = field.at
    notes = [
        f"the {name} of {each(where)} is rounded to {decimals(places)}: {changes} of {len(after)} "
        "change."
    ]
    first_with: dict[Any, int] = {}
    merged = [
        (first_with[new], place)
        for place, new in enumerate(after)
        if new is not None and numbers[first_with.setdefault(new, place)] != numbers[place]
    ]
    if is_ordered and merged:
        first, second = (graph.describe(where, place) for place in merged[0])
        counted = "1 tie" if len(merged) == 1 else f"{len(merged)} ties"
        notes.append(
            f"rounding makes {counted} in {name} ({first} and {second}, say, are now both "
            f"{after[merged[0][0]]})."
        )
    return notes
