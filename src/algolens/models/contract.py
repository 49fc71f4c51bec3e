"""What a perceiver reads of an algorithm: asked before a network is built, so before anything is
drawn or trained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from torch import nn

from algolens.algorithms import Algorithm, Declaration
from algolens.fields import Field, Kind, Location
from algolens.models.architecture import Architecture

GOES_ON = "goes_on"  # the name of an exact network's stage that finds whether to go on


class Contract(ABC):
    """What an algorithm must declare, and what it may, for a perceiver to learn it."""

    location: Location | None  # of concepts and outputs; None: anywhere

    @abstractmethod
    def objection(self, algorithm: Algorithm, architecture: Architecture) -> str | None:
        """What keeps the perceiver from learning an algorithm, in words that follow on its name;
        None where nothing does.
        """


@final
@dataclass(frozen=True)
class DeclaredLook(Contract):
    """Any algorithm whose look is declared."""

    location: Location | None = None

    def objection(self, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        if declaration.seen is None:
            return (
                "learns what is declared as a look, and this algorithm sees in Python, of which "
                "nothing can be proven"
            )
        if not architecture.bottleneck:
            return "has a bottleneck, and this is to be one without"
        if declaration.terminates and GOES_ON in declaration.predicted:
            return f"calls whether to go on '{GOES_ON}', and this algorithm calls something else so"
        return reserved([*declaration.look, *declaration.outputs])


@dataclass(frozen=True)
class Slot:
    """A field that a perceiver can read or give: where it sits, and of which kinds it may be."""

    location: Location
    kinds: tuple[type[Kind], ...]
    to: Location | None = None  # where a pointer leads

    def takes(self, offered: Field) -> bool:
        """Whether a declared field is such a one."""
        return (
            offered.location is self.location
            and isinstance(offered.kind, self.kinds)
            and offered.kind.points_to is self.to
        )

    def __str__(self) -> str:
        any_of = " or ".join(f"a {kind.__name__}" for kind in self.kinds)
        return f"{any_of}{f' to {places(self.to)}' if self.to else ''} at {places(self.location)}"


def misplaced(
    fields: Mapping[str, Field], slots: Sequence[Slot], verb: str, part: str
) -> str | None:
    """The first of some fields that fits no slot, as an objection. verb, part: as in 'reads as
    input'.
    """
    for name, each in fields.items():
        if not any(slot.takes(each) for slot in slots):
            known = ", ".join(map(str, slots)) or "none"
            return f"{verb} as {part}: {known}; and '{name}' is {field_in_words(each)}"
    return None


def field_in_words(field: Field) -> str:
    """A declared field in words."""
    return str(
        Slot(
            field.location,
            (type(field.kind),),
            field.kind.points_to,
        )
    )


def elsewhere(declaration: Declaration, location: Location) -> str | None:
    """That concepts sit at another location than they must, as an objection."""
    if declaration.location is location:
        return None
    return f"learns concepts at {places(location)}, and these sit at {places(declaration.location)}"


def reserved(names: Iterable[str]) -> str | None:
    """The first name that no part of a module can have, as an objection."""
    kept = [name for name in names if hasattr(nn.ModuleDict(), name)]
    return (
        f"is a module of PyTorch's, which keeps the name '{kept[0]}' for itself" if kept else None
    )


def network_inputs(declaration: Declaration) -> dict[str, Field]:
    """The inputs that a network sees: those that not only the start reads."""
    return {name: field for name, field in declaration.inputs.items() if not field.start_only}


def places(location: Location) -> str:
    """A location in words, in the plural."""
    return f"{location.value}s"
