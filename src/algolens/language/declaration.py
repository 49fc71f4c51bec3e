"""What an algorithm declares: a program, what is said of it, and what follows from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from algolens.errors import DefinitionError
from algolens.graphs import At
from algolens.language import ir
from algolens.language.check import check, location_of
from algolens.language.declare import Limit
from algolens.language.fields import Field
from algolens.language.finite import Statement, statements
from algolens.language.ir import GOES_ON, Program
from algolens.language.rules import rule_set
from algolens.language.units import Unit, units
from algolens.language.words import Speech, Words
from algolens.logic.rule_set import RuleSet


@dataclass(frozen=True)
class Declaration:
    """A program and its words, checked, as networks, proofs and displays ask for it.

    Concepts and outputs sit at one location, and decided outputs follow from the concepts of the
    same node or edge. The state is carried from step to step. The rules make the ground truth and
    grade what was extracted; a network never sees them.

    Parameters
    ----------
    program : Program
        HIR. Where it has ``perceived``, methods in Python give the start and what is perceived;
        nothing can then be proven of a network for it.
    words : Words
        What people say of it: nothing is computed from them.

    Raises
    ------
    DefinitionError
        Where it contradicts itself.
    """

    program: Program
    words: Words = field(default_factory=Words, compare=False)

    def __post_init__(self) -> None:
        program = self.program
        if not program.concepts:
            raise DefinitionError(
                "outputs are decided by concepts, and there are none: let what an output becomes "
                "read something."
            )
        if self.in_python:
            self._check_python()
        else:
            check(program, frozenset(program.concepts))
        _ = self.location, self.rule_set
        self._check_shown()
        if self.speech is None and self.words != Words():
            raise DefinitionError(
                "there are sentences, and what it sees is written in Python, of which none can "
                "speak: leave them out."
            )

    def _check_python(self) -> None:
        """Refuse what methods in Python give and the class says too, or neither does."""
        for let in self.program.start:
            raise DefinitionError(
                f"'{let.name}' has a start, and start() in Python gives it: leave one out."
            )
        for name in self.moved:
            raise DefinitionError(
                f"'{name}' has a becomes, and perceive() in Python gives it: leave one out."
            )
        for name in self.decided.keys() - {let.name for let in self.program.becomes}:
            raise DefinitionError(f"'{name}' has no becomes: add becomes=..., by concepts.")

    def _check_shown(self) -> None:
        program = self.program
        for name, where in program.only_where.items():
            outputs = program.outputs
            if not {name, where} <= outputs.keys() or outputs[where].kind != "mask":
                raise DefinitionError(
                    f"'{name}' is told only where '{where}' holds: name an output that is a mask."
                )
        for name, pointer in program.endless.items():
            given, number = program.inputs.get(pointer), self.predicted.get(name)
            points = given is not None and (given.at, given.to) == ("graph", "node")
            if number is None or number.kind != "number" or not points:
                raise DefinitionError(
                    f"'{name}' is endless at '{pointer}': name a number at the nodes, and an input "
                    "of the graph that points to a node."
                )
        for name in program.outcomes:
            found = self.hints.get(name)
            if found is None or found.at != "graph":
                raise DefinitionError(
                    f"outcome '{name}' is no feature of the graph: declare one, as in "
                    f"{name} = Graph.derived(...)."
                )

    # ---- fields

    @cached_property
    def location(self) -> At:
        """Where concepts and outputs sit."""
        outputs = [each.at for each in self.program.outputs.values()]
        lets = [let.at for let in self.program.lets if let.name in self.program.concepts]
        return location_of(outputs and [*outputs, *lets])

    @property
    def concepts(self) -> tuple[str, ...]:
        """By what outputs, and whether a run goes on, are decided."""
        return self.program.concepts

    @cached_property
    def inputs(self) -> dict[str, Field]:
        """What is given, by name."""
        read = {
            name
            for let in (*self.program.lets, *self.program.becomes)
            for _, name in ir.columns_of(let.value)
        }
        return {
            name: one
            if self.in_python or name in read
            else msgspec.structs.replace(one, start_only=True)
            for name, one in self.program.inputs.items()
        }

    @property
    def outputs(self) -> dict[str, Field]:
        """The results, by name."""
        return self.program.outputs

    @property
    def state(self) -> tuple[str, ...]:
        """What is carried from step to step."""
        return tuple(self.program.state)

    @cached_property
    def hints(self) -> dict[str, Field]:
        """What a step predicts besides concepts and outputs: supervision on the way."""
        state, known = self.program.state, {*self.concepts, *self.program.outputs}
        seen = self.program.perceived | {
            name: Field(one.at, "mask") for name, one in self.statements.items()
        }
        fields = {name: one for name, one in seen.items() if name not in state} | state
        return {name: one for name, one in fields.items() if name not in known}

    @cached_property
    def predicted(self) -> dict[str, Field]:
        """Every field that a step predicts: concepts, outputs and hints."""
        concepts = dict.fromkeys(self.concepts, Field(self.location, "mask"))
        return {**concepts, **self.outputs, **self.hints}

    @cached_property
    def fields(self) -> dict[str, Field]:
        """All that a run has values of: what is given, and what a step predicts."""
        return {**self.inputs, **self.predicted}

    @cached_property
    def decided(self) -> dict[str, Field]:
        """The outputs that rules decide: all that have classes."""
        return {name: one for name, one in self.outputs.items() if one.is_decided}

    @cached_property
    def moved(self) -> tuple[str, ...]:
        """What a step changes and no rule decides."""
        return tuple(let.name for let in self.program.becomes if let.name not in self.decided)

    @cached_property
    def perceived(self) -> tuple[str, ...]:
        """Every field that a step predicts and that no rule decides."""
        return tuple(name for name in self.predicted if name not in self.decided)

    # ---- what it says

    @property
    def in_python(self) -> bool:
        """Whether it sees in Python, so that there are no statements."""
        return bool(self.program.perceived)

    @cached_property
    def statements(self) -> dict[str, Statement]:
        """Its features in order, by name, in their finite form; none where it sees in Python."""
        if self.in_python:
            return {}
        return {name: one for name, one in statements(self.program).items() if name != GOES_ON}

    @cached_property
    def rule_set(self) -> RuleSet:
        """The true rules."""
        return rule_set(self.program, self.concepts)

    @property
    def terminates(self) -> bool:
        """Whether a rule says when to stop; otherwise the number of steps is fixed."""
        return self.rule_set.continues is not None

    @cached_property
    def most_steps(self) -> Limit:
        """The most steps that it may take; without a rule for going on, it takes as many."""
        return Limit(self.program.times, self.program.per)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What is seen at the graph and is a result, as it is in the end."""
        return self.program.outcomes

    @property
    def only_where(self) -> Mapping[str, str]:
        """Outputs that say something only where another, a mask, holds."""
        return self.program.only_where

    @property
    def endless(self) -> Mapping[str, str]:
        """Numbers without a bound at one node, and the input that points to it."""
        return self.program.endless

    @cached_property
    def speech(self) -> Speech | None:
        """What is said of it, its words resolved; None where it sees in Python."""
        return None if self.in_python else Speech(self.program, self.words)

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Which numbers are counted alike, by name; none are known where it sees in Python."""
        return {} if self.in_python else units(self.program)
