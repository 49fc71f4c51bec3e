"""Fields and their kinds as records of JSON."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Literal

from msgspec import Meta, Struct

from algolens.graphs import Location
from algolens.language.fields.kinds import Category, Kind, Mask, Pointer
from algolens.language.fields.number import MOST_BITS, Number

ClassLabel = Annotated[str, Meta(pattern=r"^(?:[^\W\d]\w*|\d+)$", max_length=200)]


class KindRecord(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    """A kind of values."""

    @abstractmethod
    def kind(self) -> Kind:
        """The kind that it is."""


class MaskRecord(KindRecord, frozen=True, kw_only=True, tag="mask"):
    """True or false."""

    def kind(self) -> Kind:
        return Mask()


class CategoryRecord(KindRecord, frozen=True, kw_only=True, tag="category"):
    """One of several classes."""

    labels: Annotated[list[ClassLabel], Meta(min_length=2, max_length=10_000)]

    def kind(self) -> Kind:
        return Category(*self.labels)


class NumberRecord(KindRecord, frozen=True, kw_only=True, tag="number"):
    """A whole number."""

    bits: Annotated[int, Meta(ge=1, le=MOST_BITS)]
    low: Annotated[int, Meta(ge=0, le=2**MOST_BITS)] = 0
    distinct: Literal["graph", "neighbours"] | None = None
    signed: bool = False

    def kind(self) -> Kind:
        return Number(self.bits, self.low, self.distinct, self.signed)


class PointerRecord(KindRecord, frozen=True, kw_only=True, tag="pointer"):
    """An element of the same graph."""

    to: Literal["node", "edge", "graph"]
    itself_is_none: bool = False

    def kind(self) -> Kind:
        return Pointer(Location(self.to), self.itself_is_none)


class MaskField(MaskRecord, frozen=True, kw_only=True, tag="mask"):
    """True or false, at a place."""

    at: Location
    start_only: bool = False
    drawn: bool = False


class CategoryField(CategoryRecord, frozen=True, kw_only=True, tag="category"):
    """One of several classes, at a place."""

    at: Location
    start_only: bool = False
    drawn: bool = False


class NumberField(NumberRecord, frozen=True, kw_only=True, tag="number"):
    """A whole number, at a place."""

    at: Location
    start_only: bool = False
    drawn: bool = False


class PointerField(PointerRecord, frozen=True, kw_only=True, tag="pointer"):
    """An element of the same graph, at a place."""

    at: Location
    start_only: bool = False
    drawn: bool = False


AnyKind = MaskRecord | CategoryRecord | NumberRecord | PointerRecord
AnyField = MaskField | CategoryField | NumberField | PointerField
