"""What an algorithm declares, checked for contradictions when it is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from algolens.algorithms._checks import check_declaration, check_shapes
from algolens.algorithms._limit import Limit
from algolens.algorithms._program import to_program
from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Field, Kind, Location, Mask, Observed
from algolens.language.finite import Statement, statements
from algolens.language.ir import GOES_ON, Program
from algolens.language.units import Unit, units
from algolens.language.words import Speech, Words
from algolens.logic import Formula, GoOn, parse
from algolens.logic.rule_set import RuleSet
from algolens.looks import Look
from algolens.looks.scope import carried
from algolens.looks.start import Start


@dataclass(frozen=True)
class Declaration:
    """The fields of an algorithm and its true rules.

    Concepts and outputs sit at one location, and outputs follow from the concepts of the same node
    or edge. The state is carried from step to step: each of its fields is predicted, under its own
    name, as an output, a concept or a hint. The rules make the ground truth and grade what was
    extracted; a network never sees them.

    What is seen in a state is declared as statements (``look``, in order; those that are no
    concepts are hints), and so is how pointers and numbers move (``moves``), and how all begins
    (``start``). Where statements cannot say it, ``look`` is left out, and the algorithm has a
    ``start`` and a ``perceive`` in Python; nothing can then be proven of a network for it.
    """

    location: Location  # where concepts and outputs sit
    concepts: tuple[str, ...]
    outputs: Mapping[str, Kind]
    state: tuple[str, ...]  # which predicted fields are fed back
    rules: Mapping[str, Mapping[str, str | Formula]]  # for each output a rule per class
    # go on while some element is so after the step, or every, or none; None: fixed steps
    continues: str | GoOn | None = None
    inputs: Mapping[str, Field] = field(default_factory=dict)
    # extra supervision, of what a network does on the way
    hints: Mapping[str, Field] = field(default_factory=dict)
    # what is seen, in order: each may name those before it
    look: Mapping[str, Observed] = field(default_factory=dict)
    # what state pointers and numbers become
    moves: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    sums: Mapping[str, Observed] = field(default_factory=dict)  # numbers that follow from others
    start: Mapping[str, Start] = field(default_factory=dict)  # the first state
    # outputs that say something only where another, a mask, holds
    only_where: Mapping[str, str] = field(default_factory=dict)
    # outputs at nodes that have no bound at one node: the input of the graph that points to it
    endless: Mapping[str, str] = field(default_factory=dict)
    # what is observed at the graph and is a result: as it is seen when all is done
    outcomes: tuple[str, ...] = ()
    # that it may take; without a rule for going on, it takes as many
    most_steps: Limit = field(default_factory=Limit)
    # what people say of it: phrases and pseudo-code; nothing is computed from them
    words: Words = field(default_factory=Words, compare=False)

    def __post_init__(self) -> None:
        check_shapes(self)
        seen = {
            name: Field(observed.location, Mask())
            for name, observed in self.look.items()
            if name not in self.concepts
        }
        object.__setattr__(self, "hints", {**seen, **self.hints})
        check_declaration(self)

    @cached_property
    def seen(self) -> Look | None:
        """What is seen in a state, its words resolved; None where the algorithm sees in Python."""
        if not self.look:
            return None
        inputs = {name: field for name, field in self.inputs.items() if not field.start_only}
        state = {name: self.predicted[name] for name in self.state}
        carried_over = {
            carried(name) if name in self.look else name: field for name, field in state.items()
        }
        return Look(
            self.look,
            {**inputs, **carried_over},
            self.inputs,
            state,
            self.start,
            self.moves,
            self.sums,
        )

    @cached_property
    def program(self) -> Program:
        """What is computed, as HIR; refused of an algorithm that sees in Python."""
        return to_program("", self)

    @property
    def in_python(self) -> bool:
        """Whether it sees in Python, so that there is no program."""
        return not self.look

    @property
    def moved(self) -> tuple[str, ...]:
        """What a step changes and no rule decides."""
        return tuple(self.moves)

    @cached_property
    def statements(self) -> dict[str, Statement]:
        """Its features in order, by name, in their finite form."""
        return {name: one for name, one in statements(self.program).items() if name != GOES_ON}

    @cached_property
    def speech(self) -> Speech | None:
        """What is said of it, its words resolved; None where the algorithm sees in Python."""
        if self.seen is None:
            return None
        return Speech(self.program, self.words)

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Which numbers are counted alike, by name; none are known of an algorithm that sees in
        Python.
        """
        return {} if self.seen is None else units(self.program)

    @cached_property
    def rule_set(self) -> RuleSet:
        """The true rules."""
        rules = {
            output: {
                label: rule if isinstance(rule, Formula) else parse(rule)
                for label, rule in classes.items()
            }
            for output, classes in self.rules.items()
        }
        try:
            going_on = (
                GoOn.parse(self.continues) if isinstance(self.continues, str) else self.continues
            )
            return RuleSet(self.concepts, rules, going_on)
        except FormulaError as problem:
            raise DefinitionError(str(problem)) from problem

    @cached_property
    def predicted(self) -> dict[str, Field]:
        """Every field that a step predicts: concepts, outputs and hints."""
        concepts = {name: Field(self.location, Mask()) for name in self.concepts}
        outputs = {name: Field(self.location, kind) for name, kind in self.outputs.items()}
        return {**concepts, **outputs, **self.hints}

    @cached_property
    def decided(self) -> dict[str, Kind]:
        """The outputs that rules decide; all others move."""
        return {name: kind for name, kind in self.outputs.items() if name not in self.moves}

    @cached_property
    def perceived(self) -> tuple[str, ...]:
        """Every field that a step predicts and that no rule decides."""
        return tuple(name for name in self.predicted if name not in self.decided)

    @property
    def terminates(self) -> bool:
        """Whether a rule says when to stop; otherwise the number of steps is fixed."""
        return self.continues is not None
