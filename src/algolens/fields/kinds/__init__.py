"""Kinds of values, a file each. A kind owns all that differs between kinds: a new kind is one
class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algolens.errors import DefinitionError
from algolens.fields.kinds._kind import Kind
from algolens.fields.kinds.category import Category
from algolens.fields.kinds.mask import Mask
from algolens.fields.kinds.number import Number
from algolens.fields.kinds.pointer import Pointer
from algolens.graphs import Location

__all__ = ["Category", "Kind", "Mask", "Number", "Pointer", "kind_from_json"]


def kind_from_json(value: Mapping[str, Any]) -> Kind:
    """The kind that ``to_json`` wrote."""
    match dict(value):
        case {"kind": "mask"}:
            return Mask()
        case {"kind": "category", "labels": [*labels]}:
            return Category(*labels)
        case {"kind": "number", **made}:
            return Number(**made)
        case {"kind": "pointer", "to": to, **made}:
            return Pointer(Location(to), **made)
    raise DefinitionError(
        f"there is no kind {value.get('kind')!r}: write mask, category, number or pointer, and "
        "what it is made of."
    )
