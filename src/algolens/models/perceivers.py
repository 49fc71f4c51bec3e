"""Perceivers by name."""

from __future__ import annotations

from algolens.algorithms import Declaration
from algolens.models.architecture import EXACT, Architecture
from algolens.models.disjoint_sets import DisjointSets
from algolens.models.exact import Exact
from algolens.models.perceiver import Perceiver
from algolens.models.recurrent import Recurrent

# those that bring a name of their own; any other name is a processor of the recurrent one
PERCEIVERS: dict[str, type[Perceiver]] = {"nee+pgn": DisjointSets, EXACT: Exact}


def perceiver(declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]) -> Perceiver:
    """The perceiver that an architecture names as its processor."""
    return PERCEIVERS.get(architecture.processor, Recurrent)(declaration, architecture, seeds)
