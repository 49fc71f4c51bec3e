"""Fields: a location (node, edge, link, graph) and a kind (mask, category, number, pointer)."""

from algolens.graphs import Location
from algolens.language.fields.field import (
    Field,
    at_edge,
    at_graph,
    at_link,
    at_node,
    numbers_in,
    to_field,
)
from algolens.language.fields.kinds import Category, Kind, Mask, Pointer
from algolens.language.fields.number import Number
from algolens.language.fields.values import check_values, decimals, each, read_values

__all__ = [
    "Category",
    "Field",
    "Kind",
    "Location",
    "Mask",
    "Number",
    "Pointer",
    "at_edge",
    "at_graph",
    "at_link",
    "at_node",
    "check_values",
    "decimals",
    "each",
    "numbers_in",
    "read_values",
    "to_field",
]
