"""Perceivers by name."""

from __future__ import annotations

from algolens.algorithms import Algorithm
from algolens.errors import ContractError
from algolens.graphs import Location
from algolens.models.architecture import EXACT, Architecture
from algolens.models.disjoint_sets import DisjointSets
from algolens.models.exact import Exact
from algolens.models.perceiver import Perceiver
from algolens.models.recurrent import Recurrent

# those that bring a name of their own; any other name is a processor of the recurrent one
PERCEIVERS: dict[str, type[Perceiver]] = {"nee+pgn": DisjointSets, EXACT: Exact}


def perceiver(algorithm: Algorithm, architecture: Architecture, seeds: tuple[int, ...]) -> Perceiver:
    """The perceiver that an architecture names as its processor; an error where that cannot learn an algorithm."""
    wrong = _objection(algorithm, architecture)
    if wrong is not None:
        raise ContractError(f"the network '{architecture.processor}' {wrong}.")
    return _named(architecture)(algorithm.declaration, architecture, seeds)


def fits(algorithm: Algorithm, architecture: Architecture) -> bool:
    """Whether the perceiver that an architecture names can learn an algorithm."""
    return _objection(algorithm, architecture) is None


def reads_at(architecture: Architecture) -> Location | None:
    """Where the perceiver that an architecture names has its concepts; None: anywhere."""
    return _named(architecture).contract.location


def _objection(algorithm: Algorithm, architecture: Architecture) -> str | None:
    return _named(architecture).contract.objection(algorithm, architecture)


def _named(architecture: Architecture) -> type[Perceiver]:
    return PERCEIVERS.get(architecture.processor, Recurrent)
