"""Perceivers by name."""

from __future__ import annotations

from algolens.algorithms import Declaration
from algolens.errors import ContractError
from algolens.graphs import Location
from algolens.models.architecture import EXACT, Architecture
from algolens.models.disjoint_sets import DisjointSets
from algolens.models.exact import Exact
from algolens.models.perceiver import Perceiver
from algolens.models.recurrent import Recurrent

# those that bring a name of their own; any other name is a processor of the recurrent one
PERCEIVERS: dict[str, type[Perceiver]] = {"nee+pgn": DisjointSets, EXACT: Exact}


def perceiver(declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]) -> Perceiver:
    """The perceiver that an architecture names as its processor."""
    check_contract(declaration, architecture)
    return _named(architecture)(declaration, architecture, seeds)


def check_contract(declaration: Declaration, architecture: Architecture) -> None:
    """Raises an error where the perceiver that an architecture names cannot learn an algorithm."""
    wrong = _objection(declaration, architecture)
    if wrong is not None:
        raise ContractError(f"the network '{architecture.processor}' {wrong}.")


def fits(declaration: Declaration, architecture: Architecture) -> bool:
    """Whether it can."""
    return _objection(declaration, architecture) is None


def reads_at(architecture: Architecture) -> Location | None:
    """Where the perceiver that an architecture names has its concepts; None: anywhere."""
    return _named(architecture).contract.location


def _objection(declaration: Declaration, architecture: Architecture) -> str | None:
    return _named(architecture).contract.objection(declaration, bottleneck=architecture.bottleneck)


def _named(architecture: Architecture) -> type[Perceiver]:
    return PERCEIVERS.get(architecture.processor, Recurrent)
