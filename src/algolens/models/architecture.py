"""What varies between networks, as data; and which algorithms each kind of network can learn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from torch import nn

from algolens.algorithms import Algorithm, Declaration
from algolens.graphs import At
from algolens.language.fields import Field, Kind
from algolens.limits import BITS, WIDTH

PAPERS = "mpnn"  # the processor after the paper's, for algorithms on nodes
# the network after the paper's, for algorithms that take edges by weight and keep sets
SETS = "nee+pgn"
# the same in every detail of the authors' code
LITERAL, LITERAL_SETS = "mpnn-literal", "nee+pgn-literal"
EXACT = "exact"  # the perceiver of declared looks, which remembers nothing, and can be proven right
GOES_ON = "goes_on"  # the name of an exact network's stage that finds whether to go on


@dataclass(frozen=True)
class Architecture:
    """What a network is made of.

    Parameters
    ----------
    width
        Of latent states and hidden layers.
    processor
        ``mpnn``, another perceiver's name, a convolution of PyTorch Geometric, as ``GATv2Conv``, or
        a class in a file, as ``my_file.py:Mine``, once ``add_processor`` has read it.
    bottleneck
        Outputs come from concepts alone; without it, straight from the latent states.
    message_bits
        Of a message that is hardened to bits.
    given
        Concepts that the algorithm gives in whatever state (an oracle); all others are learnt.
    self_loops
        A node sends messages to itself as well, as in the paper's graphs; for algorithms on nodes.

    Raises
    ------
    AlgoLensError
        ``width`` or ``message_bits`` is no whole number in its range.
    """

    width: int = 32
    processor: str = PAPERS
    bottleneck: bool = True
    message_bits: int = 8
    given: tuple[str, ...] = ()
    self_loops: bool = True

    def __post_init__(self) -> None:
        WIDTH.check(self.width, "'width' of a network")
        BITS.check(self.message_bits, "'message_bits' of a network")


@dataclass(frozen=True)
class Slot:
    """A field that a perceiver can read or give: where it sits, and of which kinds it may be."""

    location: At
    kinds: tuple[Kind, ...]
    to: At | None = None  # where a pointer leads

    def takes(self, offered: Field) -> bool:
        """Whether a declared field is such a one."""
        return offered.at == self.location and offered.kind in self.kinds and offered.to == self.to

    def __str__(self) -> str:
        any_of = " or ".join(f"a {kind}" for kind in self.kinds)
        return f"{any_of}{f' to {places(self.to)}' if self.to else ''} at {places(self.location)}"


def misplaced(
    fields: Mapping[str, Field], slots: Sequence[Slot], verb: str, part: str
) -> str | None:
    """The first field that fits no slot, as an objection. verb, part: as in 'reads as input'."""
    for name, field in fields.items():
        if not any(slot.takes(field) for slot in slots):
            known = ", ".join(map(str, slots)) or "none"
            own = Slot(field.at, (field.kind,), field.to)
            return f"{verb} as {part}: {known}; and '{name}' is {own}"
    return None


def mismatch(
    algorithm: Algorithm,
    location: At,
    *,
    inputs: Sequence[Slot],
    state: Sequence[Slot],
    outputs: Sequence[Slot],
    hints: Sequence[Slot],
) -> str | None:
    """What an algorithm has that a network with a memory cannot learn, as an objection."""
    declaration = algorithm.declaration
    if declaration.location != location:
        here = places(declaration.location)
        return f"learns concepts at {places(location)}, and these sit at {here}"
    known = declaration.predicted
    parts = (
        (network_inputs(declaration), inputs, "reads", "input"),
        ({name: known[name] for name in declaration.state}, state, "carries over", "state"),
        ({name: known[name] for name in declaration.outputs}, outputs, "decides", "output"),
        (declaration.hints, hints, "gives", "hint"),
    )
    named = (*network_inputs(declaration), *declaration.state, *declaration.outputs)
    objections = [*(misplaced(*part) for part in parts), reserved(named)]
    if algorithm.recipe.directed:
        objections.append(
            "learns on graphs without directions, and this algorithm is taught by directed ones"
        )
    return next(filter(None, objections), None)


def reserved(names: Iterable[str]) -> str | None:
    """The first name that no part of a module can have, as an objection."""
    for name in names:
        if hasattr(nn.ModuleDict(), name):
            return f"is a module of PyTorch's, which keeps the name '{name}' for itself"
    return None


def network_inputs(declaration: Declaration) -> dict[str, Field]:
    """The inputs that a network sees: those that not only the start reads."""
    return {name: field for name, field in declaration.inputs.items() if not field.start_only}


def places(location: At) -> str:
    """A location in words, in the plural."""
    return f"{location}s"
