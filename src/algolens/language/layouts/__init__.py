"""Layouts: a word for how a run is drawn, with the fields that it is drawn from."""

from algolens.language.layouts.boxes import Bars, Grid, Heap, Intervals, Tape
from algolens.language.layouts.layout import Box, BoxLayout, Layout, Moment
from algolens.language.layouts.places import ByEdges, Layered, Plane

__all__ = [
    "Bars",
    "Box",
    "BoxLayout",
    "ByEdges",
    "Grid",
    "Heap",
    "Intervals",
    "Layered",
    "Layout",
    "Moment",
    "Plane",
    "Tape",
]
