"""Refuses a declaration whose parts have wrong types, or that contradicts itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from algolens.algorithms._limit import Limit
from algolens.errors import DefinitionError, FormulaError
from algolens.fields import Field, Kind, Location, Mask, Number, Observed
from algolens.language.words import Words
from algolens.logic import Formula, GoOn, not_exactly_one
from algolens.logic.names import name_objection

if TYPE_CHECKING:
    from algolens.algorithms._declaration import Declaration

MOST_SHOWN = 60  # characters of a value
ID = "id"
# what columns and keys of files already mean, so that no input is read from them
FILE_COLUMNS = {Location.NODE: ("node",), Location.EDGE: ("source", "target", "key")}


def check_shapes(declaration: Declaration) -> None:
    """Refuses a part of a wrong type; what it says is checked after this."""
    for part, (is_right, wanted) in ALONE.items():
        value = getattr(declaration, part)
        if not is_right(value):
            raise DefinitionError(f"{part} is {_came(value)}: write {wanted}.")
    for part, (is_right, wanted) in BY_NAME.items():
        given = getattr(declaration, part)
        if not isinstance(given, Mapping):
            raise DefinitionError(
                f"{part} is {_came(given)}: write a dictionary that has for each name {wanted}."
            )
        for name, value in given.items():
            if not is_right(value):
                raise DefinitionError(f"{part}[{name!r}] is {_came(value)}: write {wanted}.")


def _came(value: object) -> str:
    """A value as it is written, on one line; a long one is cut."""
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}..."


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(name, str) for name in value)
    )


def _is_field(value: Any) -> bool:
    return isinstance(value, Field) and isinstance(value.kind, Kind)


def _is_rules(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(rule, str | Formula) for rule in value.values()
    )


Shape = tuple[Callable[[Any], bool], str]  # whether a value is so, and in words what to write
_NAMES = "a tuple of names, as in ('visited',)"
ALONE: Mapping[str, Shape] = {
    "location": (lambda value: isinstance(value, Location), "Location.NODE or Location.EDGE"),
    "concepts": (_is_names, _NAMES),
    "state": (_is_names, _NAMES),
    "outcomes": (_is_names, _NAMES),
    "continues": (
        lambda value: value is None or isinstance(value, str | GoOn),
        "a rule as text, or None for fixed steps",
    ),
    "most_steps": (
        lambda value: isinstance(value, Limit),
        "a Limit, as in Limit(2): twice as many as there are nodes",
    ),
    "words": (
        lambda value: isinstance(value, Words),
        "Words(phrases={...}), what people say of it",
    ),
}
_FIELD: Shape = (_is_field, "a field, as in at_node(Mask())")
_STATEMENT: Shape = (
    lambda value: isinstance(value, Observed),
    "a statement and where it is made, as in at_node('visited')",
)
BY_NAME: Mapping[str, Shape] = {
    "outputs": (lambda value: isinstance(value, Kind), "a kind, as in Mask()"),
    "rules": (_is_rules, "a rule for each class, as in {'true': 'seen', 'false': '~seen'}"),
    "inputs": _FIELD,
    "hints": _FIELD,
    "look": _STATEMENT,
    "moves": (
        lambda value: isinstance(value, str) or _is_names(value),
        "a move as text, or several",
    ),
    "sums": _STATEMENT,
    "start": (lambda _: True, "how it begins"),  # which is checked by its kind
    "only_where": (lambda value: isinstance(value, str), "the name of an output that is a mask"),
    "endless": (lambda value: isinstance(value, str), "an input that points to a node"),
}


def check_declaration(declaration: Declaration) -> None:
    """Refuses a declaration that contradicts itself."""
    _check_names(declaration)
    _check_state(declaration)
    _check_look(declaration)
    _check_rules(declaration)
    _check_shown(declaration)
    _check_words(declaration)


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
    parts = {
        "a concept": declaration.concepts,
        "an output": declaration.outputs,
        "an input": declaration.inputs,
        "a hint": declaration.hints,
        "a sum": declaration.sums,
    }
    seen: dict[str, str] = {}
    for name, part in [(name, part) for part, names in parts.items() for name in names]:
        wrong = name_objection(name) or _taken(name, declaration.inputs)
        if wrong is not None:
            raise DefinitionError(f"{name!r} cannot name {part}: {wrong}")
        if name in seen:
            raise DefinitionError(
                f"'{name}' is declared as {seen[name]} and as {part}: give one of them another "
                "name."
            )
        seen[name] = part


def _taken(name: str, inputs: Mapping[str, Field]) -> str | None:
    """What else is called so: ids, and what files of graphs say of every node and edge."""
    if name == ID:
        return f"every element has an id, in SQL and in files: write another, as my_{name}."
    if name in inputs and name in FILE_COLUMNS.get(inputs[name].location, ()):
        at = inputs[name].location.value
        return (
            f"files of graphs call so what every {at} has, and no input: write another, as "
            f"{at}_{name}."
        )
    return None


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
    hints = {name: field.kind for name, field in declaration.hints.items()}
    for name, kind in {**declaration.outputs, **hints}.items():
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
    for name, hint in declaration.hints.items():
        if name in declaration.look or (name in declaration.state and not hint.kind.labels):
            continue
        if isinstance(hint.kind, Mask):
            instead = (
                f"take it out of hints, and say in look['{name}'] when it holds; 'last {name}' is "
                "what it was before the step"
            )
        elif hint.kind.labels:
            instead = "make it an output with rules, or declare a mask in look for each class"
        else:
            instead = "name it in state, and say in moves what it becomes"
        raise DefinitionError(
            f"hint '{name}' is a {type(hint.kind).__name__}, and nothing says what it becomes: "
            f"{instead}."
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
        rules = declaration.rules[output]
        missing = [label for label in kind.labels if label not in rules]
        extra = [label for label in rules if label not in kind.labels]
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
        if list(rules) != list(kind.labels) and not isinstance(kind, Mask):
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
    for name, pointer in declaration.endless.items():
        found, output = declaration.inputs.get(pointer), declaration.predicted.get(name)
        if (
            output is None
            or not output.kind.is_number
            or output.location is not Location.NODE
            or found is None
            or found.kind.points_to is not Location.NODE
            or found.location is not Location.GRAPH
        ):
            raise DefinitionError(
                f"endless has '{name}' at '{pointer}': name a number at the nodes, and an input of "
                "the graph that points to a node."
            )
    for name in declaration.outcomes:
        if name not in declaration.hints or declaration.hints[name].location is not Location.GRAPH:
            raise DefinitionError(
                f"outcome '{name}' is not observed at the graph: add look['{name}'] = "
                "at_graph(...)."
            )


def _check_words(declaration: Declaration) -> None:
    if declaration.seen is None and declaration.words != Words():
        raise DefinitionError(
            "there are words without a look: declare what is seen in look, or leave them out."
        )
    for part in ("phrases", "lines", "states", "names"):
        if not isinstance(getattr(declaration.words, part), Mapping):
            raise DefinitionError(f"the {part} of words are no dictionary: write them by name.")
    _ = declaration.speech  # which reads every phrase and checks what it names


def _check_classes(output: str, classes: Mapping[str, Formula], *, is_mask: bool) -> None:
    """Refuses classes of which on some pattern not exactly one rule holds."""
    exception = not_exactly_one(classes)
    if exception is None:
        return
    pattern, holding = exception
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
