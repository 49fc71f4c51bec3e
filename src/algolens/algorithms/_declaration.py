"""What an algorithm declares, checked for contradictions when it is declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from algolens.algorithms._limit import Limit
from algolens.algorithms._shapes import check_shapes
from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Field, Kind, Location, Mask, Number, Observed
from algolens.logic import Formula, GoOn, not_exactly_one, parse
from algolens.logic.names import name_objection
from algolens.logic.rule_set import RuleSet
from algolens.looks import Look, Unit, units
from algolens.looks.look import Start
from algolens.looks.scope import carried


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
    # what is observed at the graph and is a result: as it is seen when all is done
    outcomes: tuple[str, ...] = ()
    # that it may take; without a rule for going on, it takes as many
    most_steps: Limit = field(default_factory=Limit)

    def __post_init__(self) -> None:
        check_shapes(self)
        seen = {
            name: Field(each.location, Mask())
            for name, each in self.look.items()
            if name not in self.concepts
        }
        object.__setattr__(self, "hints", {**seen, **self.hints})
        _check_names(self)
        _check_state(self)
        _check_look(self)
        _check_rules(self)
        _check_shown(self)

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
    def units(self) -> dict[str, Unit]:
        """Which numbers are counted alike, by name; none are known of an algorithm that sees in
        Python.
        """
        return {} if self.seen is None else units(self.seen)

    @cached_property
    def rule_set(self) -> RuleSet:
        """The true rules."""
        rules = {
            output: {label: _formula(rule) for label, rule in classes.items()}
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

    @property
    def terminates(self) -> bool:
        """Whether a rule says when to stop; otherwise the number of steps is fixed."""
        return self.continues is not None


def _formula(rule: str | Formula) -> Formula:
    return rule if isinstance(rule, Formula) else parse(rule)


def _all_names(declaration: Declaration) -> Iterator[tuple[str, str]]:
    parts = {
        "a concept": declaration.concepts,
        "an output": declaration.outputs,
        "an input": declaration.inputs,
        "a hint": declaration.hints,
        "a sum": declaration.sums,
    }
    for part, names in parts.items():
        yield from ((name, part) for name in names)


def _check_names(declaration: Declaration) -> None:
    if not declaration.concepts or not declaration.outputs:
        raise DefinitionError(
            "an algorithm needs at least one concept and one output: name them in concepts and "
            "outputs."
        )
    if declaration.location is Location.GRAPH:
        raise DefinitionError(
            "concepts and outputs sit at nodes or at edges: set location to Location.NODE or "
            "Location.EDGE."
        )
    seen: dict[str, str] = {}
    for name, part in _all_names(declaration):
        wrong = name_objection(name)
        if wrong is not None:
            raise DefinitionError(f"{name!r} cannot name {part}: {wrong}")
        if name in seen:
            raise DefinitionError(
                f"'{name}' is declared as {seen[name]} and as {part}: give one of them another "
                "name."
            )
        seen[name] = part


def _check_state(declaration: Declaration) -> None:
    if not declaration.state:
        raise DefinitionError(
            "nothing is carried from step to step: name in state the outputs, concepts or hints "
            "to feed back."
        )
    predicted = {**dict.fromkeys(declaration.concepts), **declaration.outputs, **declaration.hints}
    for name in declaration.state:
        if name not in predicted:
            raise DefinitionError(
                f"state '{name}' is predicted by nothing: declare an output, a concept or a hint "
                f"of that name, or take it out of state (declared are: {', '.join(predicted)})."
            )
    for name, kind in [
        *declaration.outputs.items(),
        *((name, each.kind) for name, each in declaration.hints.items()),
    ]:
        if isinstance(kind, Number) and kind.distinct:
            raise DefinitionError(
                f"'{name}' is predicted, and distinct='{kind.distinct}' is checked of inputs "
                "alone: leave it out."
            )


def _check_look(declaration: Declaration) -> None:
    if not declaration.look:
        for part in ("moves", "sums", "start"):
            if getattr(declaration, part):
                raise DefinitionError(
                    f"there are {part} without a look: declare what is seen in look, or leave them "
                    "out."
                )
        return
    for name in declaration.concepts:
        if name not in declaration.look:
            raise DefinitionError(
                f"concept '{name}' is not seen: add look['{name}'], a statement that says when it "
                "holds."
            )
        if declaration.look[name].location is not declaration.location:
            raise DefinitionError(
                f"concept '{name}' sits at the {declaration.look[name].location.value}, and "
                f"concepts sit at the {declaration.location.value}: look there, or make it a hint "
                "by leaving it out of concepts."
            )
    for name in declaration.state:
        kind = declaration.predicted[name].kind
        if not kind.labels and name not in declaration.moves:
            raise DefinitionError(
                f"state '{name}' is a {type(kind).__name__} and nothing moves it: add "
                f"moves['{name}']."
            )
    try:
        _ = declaration.seen
    except FormulaError as problem:
        raise DefinitionError(str(problem)) from problem


def _check_rules(declaration: Declaration) -> None:
    for output, kind in declaration.outputs.items():
        if output in declaration.moves:
            continue
        if not kind.labels:
            raise DefinitionError(
                f"output '{output}' is a {type(kind).__name__}; rules need classes: make it a Mask "
                "or a Category, or say how it moves."
            )
        if output not in declaration.rules:
            raise DefinitionError(
                f"output '{output}' has no rules: add rules['{output}'] with a rule for each of "
                f"{', '.join(kind.labels)}."
            )
        missing = [label for label in kind.labels if label not in declaration.rules[output]]
        extra = [label for label in declaration.rules[output] if label not in kind.labels]
        if missing:
            raise DefinitionError(
                f"the rules of output '{output}' do not cover class '{missing[0]}': add a rule for "
                "it."
            )
        if extra:
            raise DefinitionError(
                f"output '{output}' has a rule for class '{extra[0]}', which it has not: it has "
                f"{', '.join(kind.labels)}."
            )
        if list(declaration.rules[output]) != list(kind.labels) and not isinstance(kind, Mask):
            raise DefinitionError(
                f"the rules of output '{output}' stand in another order than its classes: "
                f"{', '.join(kind.labels)}."
            )
    for output in declaration.rules:
        if output not in declaration.outputs:
            raise DefinitionError(
                f"there are rules for '{output}', which is no output: declare it in outputs, or "
                "take them out."
            )
    # which reads every rule and checks its names
    for output, classes in declaration.rule_set.rules.items():
        _check_classes(output, classes, is_mask=isinstance(declaration.outputs[output], Mask))


def _check_shown(declaration: Declaration) -> None:
    for name, where in declaration.only_where.items():
        if name not in declaration.outputs or not isinstance(declaration.outputs.get(where), Mask):
            raise DefinitionError(
                f"only_where['{name}'] is '{where}': it names an output, and an output that is a "
                "mask."
            )
    for name in declaration.outcomes:
        if name not in declaration.hints or declaration.hints[name].location is not Location.GRAPH:
            raise DefinitionError(
                f"outcome '{name}' is not observed at the graph: add look['{name}'] = "
                "at_graph(...)."
            )


def _check_classes(output: str, classes: Mapping[str, Formula], *, is_mask: bool) -> None:
    """Whether exactly one rule holds on every pattern, so that each says by itself when its class
    is taken.
    """
    found = not_exactly_one(classes)
    if found is None:
        return
    pattern, holding = found
    how_many = "both rules hold" if holding else "neither rule holds"
    if is_mask:
        raise DefinitionError(
            f"the rule of output '{output}' for false is not the opposite of that for true: on the "
            f"pattern '{pattern}' {how_many}. Write for false: {~classes['true']}."
        )
    if holding:
        raise DefinitionError(
            f"the rules of output '{output}' for the classes '{holding[0]}' and '{holding[1]}' "
            f"both hold on the pattern '{pattern}': let only one of them hold there."
        )
    raise DefinitionError(
        f"no rule of output '{output}' holds on the pattern '{pattern}': let that of one class "
        "hold there."
    )
