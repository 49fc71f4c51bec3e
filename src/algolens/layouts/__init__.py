"""Layouts: a word for how a run is drawn, with the fields that it is drawn from."""

from algolens.layouts.boxes import Bars, Intervals, Tape
from algolens.layouts.layout import Box, BoxLayout, Layout, Moment
from algolens.layouts.places import ByEdges

__all__ = ["Bars", "Box", "BoxLayout", "ByEdges", "Intervals", "Layout", "Moment", "Tape"]
