"""The declared fields that the perceiver works with, found by what they are, not by their names."""

from __future__ import annotations

from dataclasses import dataclass

from algolens.algorithms import Algorithm, Declaration
from algolens.language.fields import Category, Field, Location, Mask, Number, Pointer
from algolens.models.architecture import (
    Slot,
    elsewhere,
    misplaced,
    network_inputs,
    reserved,
    taught_directed,
)

EDGE_MASK = Slot(Location.EDGE, (Mask,))
TO_NODE = Slot(Location.NODE, (Pointer,), to=Location.NODE)
# by part of a declaration, the one field that plays each role; state fields are distinguished by
# what predicts them
INPUTS = {"weight": Slot(Location.EDGE, (Number,)), "priority": Slot(Location.NODE, (Number,))}
STATE_OUTPUTS, STATE_CONCEPTS, STATE_HINTS = (
    {"in_tree": EDGE_MASK},
    {"visited": EDGE_MASK},
    {"parent": TO_NODE},
)
HINTS = {
    "next_edge": Slot(Location.GRAPH, (Pointer,), to=Location.EDGE),
    "same_set": Slot(Location.GRAPH, (Mask,)),
    "keeps_parent": Slot(Location.NODE, (Mask,)),
}


@dataclass(frozen=True)
class Roles:
    """The name of the field that plays each role."""

    weight: str  # input of edges: the lightest edge comes next
    priority: str  # input of nodes: of two roots, the one with the higher priority wins
    in_tree: str  # state of edges, an output
    visited: str  # state of edges, a concept
    parent: str  # state of nodes, a hint: the pointers that sets are kept by
    next_edge: str  # hint of a graph: the edge that comes next
    same_set: str  # hint of a graph: whether the ends of that edge are in one set
    keeps_parent: str  # hint of nodes: whether a pointer stays as it is

    @classmethod
    def of(cls, declaration: Declaration) -> Roles:
        """Those of a declaration to which there is no objection."""
        return cls(
            **{
                role: name
                for slots, fields in _parts(declaration)
                for role, name in _players(slots, fields).items()
            }
        )


def objection(algorithm: Algorithm) -> str | None:
    """Why an algorithm does not take edges by weight and keep sets of nodes by pointers."""
    declaration = algorithm.declaration
    outputs = {name: declaration.predicted[name] for name in declaration.outputs}
    state = {name: declaration.predicted[name] for name in declaration.state}
    objection = (
        elsewhere(declaration, Location.EDGE)
        or misplaced(network_inputs(declaration), list(INPUTS.values()), "reads", "input")
        or misplaced(state, [EDGE_MASK, TO_NODE], "carries over", "state")
        or misplaced(outputs, [Slot(Location.EDGE, (Mask, Category))], "decides", "output")
        or misplaced(declaration.hints, [*HINTS.values(), *STATE_HINTS.values()], "gives", "hint")
        or reserved(outputs)
    )
    words = (
        "an input",
        "an output that is state",
        "a concept that is state",
        "a hint that is state",
        "a hint",
    )
    for word, (slots, fields) in zip(words, _parts(declaration), strict=True):
        objection = objection or _miscast(slots, fields, word)
    if objection is None and declaration.terminates:
        return "takes a fixed number of steps, and this algorithm has a rule for going on"
    return objection or taught_directed(algorithm)


def _parts(declaration: Declaration) -> list[tuple[dict[str, Slot], dict[str, Field]]]:
    """The roles of each part of a declaration, and its fields."""
    predicted, state = declaration.predicted, declaration.state

    def carried(names: tuple[str, ...]) -> dict[str, Field]:
        return {name: predicted[name] for name in names if name in state}

    return [
        (INPUTS, network_inputs(declaration)),
        (STATE_OUTPUTS, carried(tuple(declaration.outputs))),
        (STATE_CONCEPTS, carried(declaration.concepts)),
        (STATE_HINTS, carried(tuple(declaration.hints))),
        (HINTS, {name: field for name, field in declaration.hints.items() if name not in state}),
    ]


def _players(slots: dict[str, Slot], fields: dict[str, Field]) -> dict[str, str]:
    return {
        role: name
        for role, slot in slots.items()
        for name, field in fields.items()
        if slot.takes(field)
    }


def _miscast(slots: dict[str, Slot], fields: dict[str, Field], word: str) -> str | None:
    """The first role without its one field, or field without a role, as an objection."""
    for slot in slots.values():
        names = [name for name, field in fields.items() if slot.takes(field)]
        if not names:
            return f"needs {word} that is {slot}, and none is declared"
        if len(names) > 1:
            return (
                f"needs one field as {word} that is {slot}, and '{names[0]}' and '{names[1]}' are "
                "declared so"
            )
    return misplaced(fields, list(slots.values()), "has", word)
