"""Fields: a location (node, edge, graph) and a kind (mask, category, number, pointer)."""

from algolens.fields.field import Field, Observed, at_edge, at_graph, at_link, at_node
from algolens.fields.kinds import Category, Kind, Mask, Number, Pointer
from algolens.fields.scale import common_denominator, divided, in_whole_numbers
from algolens.fields.values import as_written, check_values, read_values
from algolens.graphs import Location

__all__ = [
    "Category",
    "Field",
    "Kind",
    "Location",
    "Mask",
    "Number",
    "Observed",
    "Pointer",
    "as_written",
    "at_edge",
    "at_graph",
    "at_link",
    "at_node",
    "check_values",
    "common_denominator",
    "divided",
    "in_whole_numbers",
    "read_values",
]
