"""What a layout is: a word for how a run is drawn, and the fields that it is drawn from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, final

from algolens.errors import DefinitionError
from algolens.language.fields import Field, Location, Mask, Number, Pointer

Box = tuple[float, float, float, float]  # left, right, low, high
Fields = Mapping[str, Field]


@final
@dataclass(frozen=True)
class Moment:
    """The fields of a run at one moment, as a layout reads them."""

    fields: Fields
    count: int  # of the elements
    at: Callable[[str], Sequence[int]]  # a field's values; none where they are not known
    ever: Callable[[str], tuple[int, int]]  # the least and the greatest value in the whole run


class Layout(ABC):
    """How the elements of a run are placed in a drawing."""

    form: ClassVar[str]

    @abstractmethod
    def check(self, fields: Fields) -> None:
        """Raises a DefinitionError where a field is not there, or is of another kind."""

    def to_json(self, fields: Fields) -> dict[str, Any]:
        """Itself as JSON, as the page of a run reads it."""
        return {"form": self.form, **asdict(self)}  # type: ignore[call-overload]

    def field(self, fields: Fields, part: str, name: object) -> Field:
        """The field that a part of the layout names."""
        if not isinstance(name, str) or name not in fields:
            raise DefinitionError(
                f"{type(self).__name__} has {part}={name!r}, which is no field: name one of "
                f"{', '.join(fields)}."
            )
        return fields[name]

    def refuse(self, part: str, name: str, wanted: str) -> DefinitionError:
        """An error that says what a part of the layout has to name."""
        return DefinitionError(f"{type(self).__name__} has {part}={name!r}: name {wanted}.")


class BoxLayout(Layout):
    """Every element is a box: on each axis from one number, or cell, to another.

    ``marks`` name elements: a mask where they are, a number of the graph that is a place in the
    order, or a pointer of the graph. ``lines`` are numbers of the graph on the axis of numbers.
    """

    across: ClassVar[bool]  # whether the axis from left to right is one of numbers, not of cells
    upwards: ClassVar[bool]  # whether the other axis is one of numbers
    first: ClassVar[str] = "of"  # the part that names the field whose elements are drawn
    numbers: ClassVar[tuple[str, ...]] = ()  # parts that name numbers of these elements
    masks: ClassVar[tuple[str, ...]] = ()  # parts that name masks of them
    marks: tuple[str, ...]
    lines: tuple[str, ...]
    order: str | None
    largest_first: bool = False

    @property
    def main(self) -> str:
        """The field whose elements are drawn."""
        return str(getattr(self, self.first))

    @abstractmethod
    def boxes(self, moment: Moment) -> list[Box]:
        """The box of every element."""

    @abstractmethod
    def extent(self, moment: Moment) -> Box:
        """What the drawing shows at every moment of a run."""

    def location(self, fields: Fields) -> Location:
        """Where the elements that are drawn are."""
        return fields[self.main].location

    def to_json(self, fields: Fields) -> dict[str, Any]:
        return {**super().to_json(fields), "at": self.location(fields).value}

    def check(self, fields: Fields) -> None:
        at = self.field(fields, "its first field", self.main).location
        if at not in (Location.NODE, Location.EDGE):
            raise self.refuse("its first field", self.main, "a field at nodes or at edges")
        for part in ("marks", "lines"):
            given = getattr(self, part)
            if not isinstance(given, tuple):
                raise self.refuse(part, given, "fields in a tuple, as in ('low', 'high')")
        for name in self.marks:
            self.check_mark(fields, "marks", name)
        for name in self.lines:
            field = self.field(fields, "lines", name)
            if not isinstance(field.kind, Number) or field.location is not Location.GRAPH:
                raise self.refuse("lines", name, "a number of the graph")
        if self.order is not None:
            field = self.field(fields, "order", self.order)
            if not isinstance(field.kind, Number | Pointer) or field.location is not at:
                raise self.refuse("order", self.order, f"a number or a pointer at the {at.value}s")
        for parts, kind, wanted in ((self.numbers, Number, "number"), (self.masks, Mask, "mask")):
            for part in parts:
                if (name := getattr(self, part)) is not None:
                    field = self.field(fields, part, name)
                    if not isinstance(field.kind, kind) or field.location is not at:
                        raise self.refuse(part, name, f"a {wanted} at the {at.value}s")

    def check_mark(self, fields: Fields, part: str, name: str) -> None:
        """Refuses what names no elements."""
        field, at = self.field(fields, part, name), self.location(fields)
        of_graph = field.location is Location.GRAPH and (
            isinstance(field.kind, Number) or field.kind.points_to is at
        )
        if not of_graph and not (isinstance(field.kind, Mask) and field.location is at):
            wanted = f"a mask at the {at.value}s, or a number or a pointer of the graph"
            raise self.refuse(part, name, wanted)

    def named(self, moment: Moment, mark: str) -> list[int]:
        """The elements that a mark names."""
        field, values = moment.fields[mark], moment.at(mark)
        if field.location is not Location.GRAPH:
            return [element for element, holds in enumerate(values) if holds]
        if not len(values):
            return []
        places: Sequence[int] = range(moment.count)
        if isinstance(field.kind, Number) and self.order is not None:
            places = moment.at(self.order)
        return [element for element, place in enumerate(places) if place == values[0]]

    def ranks(self, moment: Moment) -> list[int]:
        """The place of every element in the order; of equals, the first comes first."""
        if self.order is None:
            return list(range(moment.count))
        values = moment.at(self.order)
        if isinstance(moment.fields[self.order].kind, Pointer):
            order = _along(values)
        else:
            sign = -1 if self.largest_first else 1
            order = sorted(range(moment.count), key=lambda element: sign * values[element])
        ranks = [0] * moment.count
        for rank, element in enumerate(order):
            ranks[element] = rank
        return ranks


def _along(pointers: Sequence[int]) -> list[int]:
    """Elements after those that they point to: the longest chain first, of equals the first."""
    after: dict[int, list[int]] = {}
    for element, target in enumerate(pointers):
        if target != element:
            after.setdefault(target, []).append(element)
    chains, is_met = [], [False] * len(pointers)
    heads = [element for element, target in enumerate(pointers) if target == element]
    # what points in a circle has no head, and begins anywhere
    for head in [*heads, *range(len(pointers))]:
        chain, waiting = [], [head]
        while waiting:
            element = waiting.pop()
            if not is_met[element]:
                is_met[element] = True
                chain.append(element)
                waiting += reversed(after.get(element, []))
        chains.append(chain)
    return [element for chain in sorted(chains, key=len, reverse=True) for element in chain]
