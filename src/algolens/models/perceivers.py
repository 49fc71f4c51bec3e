"""Perceivers by name."""

from __future__ import annotations

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, ContractError, UnknownNameError
from algolens.graphs import Location
from algolens.models.architecture import EXACT, LITERAL_SETS, SETS, Architecture
from algolens.models.disjoint_sets import DisjointSets
from algolens.models.exact import Exact
from algolens.models.perceiver import Perceiver
from algolens.models.recurrent import Recurrent

# those that bring a name of their own; any other name is a processor of the recurrent one
PERCEIVERS: dict[str, type[Perceiver]] = {
    SETS: DisjointSets,
    LITERAL_SETS: DisjointSets,
    EXACT: Exact,
}


def perceiver(
    algorithm: Algorithm, architecture: Architecture, seeds: tuple[int, ...]
) -> Perceiver:
    """The perceiver that an architecture names as its processor; an error where that cannot learn
    an algorithm.
    """
    check_architecture(algorithm, architecture)
    return _named(architecture)(algorithm.declaration, architecture, seeds)


def check_architecture(algorithm: Algorithm, architecture: Architecture) -> None:
    """Raises an error where a network of an architecture cannot learn an algorithm; none is built
    to know.
    """
    wrong = _objection(algorithm, architecture)
    if wrong is not None:
        raise ContractError(f"the network '{architecture.processor}' {wrong}.")
    _check_given(algorithm, architecture)


def fits(algorithm: Algorithm, architecture: Architecture) -> bool:
    """Whether the perceiver that an architecture names can learn an algorithm."""
    return _objection(algorithm, architecture) is None


def reads_at(architecture: Architecture) -> Location | None:
    """Where the perceiver that an architecture names has its concepts; None: anywhere."""
    return _named(architecture).contract.location


def _objection(algorithm: Algorithm, architecture: Architecture) -> str | None:
    return _named(architecture).contract.objection(algorithm, architecture)


def is_exact(architecture: Architecture) -> bool:
    """Whether an architecture names the exact network, of which there is a proof to try."""
    return issubclass(_named(architecture), Exact)


def _named(architecture: Architecture) -> type[Perceiver]:
    return PERCEIVERS.get(architecture.processor, Recurrent)


def _check_given(algorithm: Algorithm, architecture: Architecture) -> None:
    """Whether the concepts that are to be given exist, and can be."""
    concepts, state = algorithm.declaration.concepts, algorithm.declaration.state
    for name in architecture.given:
        if name not in concepts:
            raise UnknownNameError(f"concept of {algorithm.name}", name, concepts)
        if not architecture.bottleneck:
            raise ContractError(
                f"'{name}' cannot be given to a network without a bottleneck, which has no "
                "concepts."
            )
        if not _named(architecture).remembers:
            raise ContractError(
                f"'{name}' cannot be given to a network without memory, which is proven right in "
                "what it sees itself."
            )
        if name in state:
            raise AlgoLensError(
                f"'{name}' cannot be given: it is state of {algorithm.name}, so the algorithm "
                "would take the steps in the network's place. Give one of "
                f"{', '.join(each for each in concepts if each not in state)}."
            )
