"""What a perceiver reads of an algorithm, as data: asked before a network is built, so before anything is drawn or trained."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import final

from torch import nn

from algolens.algorithms import Declaration
from algolens.fields import Category, Field, Kind, Location, Mask, Pointer

VERBS = {"input": "reads", "state": "carries over", "hint": "gives"}
CLASSES = (Mask, Category)  # kinds whose values are classes


@dataclass(frozen=True)
class Slot:
    """A field that a perceiver can read or give: where it sits, and of which kinds it may be."""

    location: Location
    kinds: tuple[type[Kind], ...]
    to: Location | None = None  # where a pointer leads

    def takes(self, offered: Field) -> bool:
        """Whether a declared field is such a one."""
        leads = offered.kind.to if isinstance(offered.kind, Pointer) else None
        return offered.location is self.location and isinstance(offered.kind, self.kinds) and leads is self.to

    def __str__(self) -> str:
        return _described(self.kinds, self.to, self.location)


EDGE_MASK = Slot(Location.EDGE, (Mask,))
TO_NODE = Slot(Location.NODE, (Pointer,), to=Location.NODE)


class Contract(ABC):
    """What an algorithm must declare, and what it may, for a perceiver to learn it."""

    location: Location | None  # of concepts and outputs; None: anywhere

    @abstractmethod
    def objection(self, declaration: Declaration, *, bottleneck: bool) -> str | None:
        """What keeps the perceiver from learning an algorithm, in words that follow on its name; None where nothing does."""


@final
@dataclass(frozen=True)
class DeclaredLook(Contract):
    """Any algorithm whose look is declared."""

    location: Location | None = None

    def objection(self, declaration: Declaration, *, bottleneck: bool) -> str | None:
        if declaration.seen is None:
            return "learns what is declared as a look, and this algorithm sees in Python, of which nothing can be proven"
        return None if bottleneck else "has a bottleneck, and this is to be one without"


@final
@dataclass(frozen=True)
class Fields(Contract):
    """An algorithm with certain fields."""

    location: Location  # of concepts and outputs
    inputs: Slot | Mapping[str, Slot]  # one slot for any of them, or a slot for each name that is read
    state: Slot | Mapping[str, Slot]
    hints: Mapping[str, Slot] = field(default_factory=dict)
    concepts: tuple[str, ...] = ()  # that must be among the algorithm's
    outputs: tuple[str, ...] = ()  # likewise
    concepts_as_state: bool = True  # whether a concept may be state
    most_classes: int | None = None  # the most combinations of classes that an element's inputs and state may have
    fixed_steps: bool = False  # a rule for going on is not learnt
    bottleneck: bool = False  # only with one

    def objection(self, declaration: Declaration, *, bottleneck: bool) -> str | None:
        if declaration.location is not self.location:
            return f"learns concepts at {_places(self.location)}, and these sit at {_places(declaration.location)}"
        inputs = {name: each for name, each in declaration.inputs.items() if not each.start_only}
        state = {name: declaration.predicted[name] for name in declaration.state}
        return (
            _mismatch("input", self.inputs, inputs)
            or _mismatch("state", self.state, state)
            or _mismatch("hint", self.hints, declaration.hints)
            or self._other_objection(declaration, {**inputs, **state}, bottleneck)
        )

    def _other_objection(self, declaration: Declaration, read: Mapping[str, Field], bottleneck: bool) -> str | None:
        for part, needed, there in (
            ("concept", self.concepts, declaration.concepts),
            ("output", self.outputs, declaration.outputs),
        ):
            missing = [name for name in needed if name not in there]
            if missing:
                return f"needs the {part} '{missing[0]}', which is not declared as one"
        carried = [name for name in declaration.state if name in declaration.concepts]
        if carried and not self.concepts_as_state:
            return f"carries over outputs only, and state '{carried[0]}' is a concept"
        classes = prod(len(each.kind.labels) for each in read.values() if each.kind.labels)
        if self.most_classes is not None and classes > self.most_classes:
            where = declaration.location.value
            return f"takes up to {self.most_classes} combinations of classes at a {where}, and this algorithm has {classes}"
        if self.fixed_steps and declaration.terminates:
            return "takes a fixed number of steps, and this algorithm has a rule for going on"
        if self.bottleneck and not bottleneck:
            return "has a bottleneck, and this is to be one without"
        kept = [name for name in (*read, *declaration.outputs) if hasattr(nn.ModuleDict(), name)]
        return f"is a module of PyTorch's, which keeps the name '{kept[0]}' for itself" if kept else None


def _mismatch(part: str, wanted: Slot | Mapping[str, Slot], declared: Mapping[str, Field]) -> str | None:
    """What of the declared fields is not as wanted."""
    for name, each in declared.items():
        slot = wanted if isinstance(wanted, Slot) else wanted.get(name)
        if slot is None or not slot.takes(each):
            known = str(slot) if slot is not None else ", ".join(wanted) if isinstance(wanted, Mapping) and wanted else "none"
            came = _described([type(each.kind)], getattr(each.kind, "to", None), each.location)
            return f"{VERBS[part]} as {part}: {known}; and '{name}' is {came}"
    missing = [] if isinstance(wanted, Slot) else [name for name in wanted if name not in declared]
    return f"needs the {part} '{missing[0]}', which is not declared as one" if missing else None


def _described(kinds: Sequence[type[Kind]], to: Location | None, location: Location) -> str:
    any_of = " or ".join(f"a {kind.__name__}" for kind in kinds)
    return f"{any_of}{f' to {_places(to)}' if to else ''} at {_places(location)}"


def _places(location: Location) -> str:
    return f"{location.value}s"
