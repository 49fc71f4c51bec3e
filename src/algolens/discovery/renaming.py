"""Other names for what a declaration speaks of: its fields and its observations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from algolens.algorithms import Algorithm, Declaration
from algolens.discovery.schema import Schema
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.fields import Field, Observed, Pointer

Value = TypeVar("Value")
# a word of a statement, unless it is the class of a category ("color is red")
WORD = re.compile(r"(\bis (?:not )?)?\b([A-Za-z_]\w*)")


def renamed(declaration: Declaration, names: Mapping[str, str]) -> Declaration:
    """The same declaration, fields and observations renamed."""
    fields = [*declaration.inputs, *declaration.state, *declaration.outputs]
    known = dict.fromkeys([*declaration.look, *fields])
    for name, other in names.items():
        if name not in known:
            raise UnknownNameError("observation or field", name, known)
        if other in fields and other not in names:
            raise AlgoLensError(f"'{name}' cannot be called '{other}': another field is.")
    taken = {*known, *declaration.sums}
    # an observation gives way to a field that is called as it was
    free = {
        name: _free(f"saw_{name}", taken)
        for name in (*declaration.look, *declaration.sums)
        if name in names.values() and name not in names and name not in fields
    }
    new = {**free, **names}

    def said(text: str) -> str:
        return WORD.sub(lambda word: (word[1] or "") + _new(word, new), text)

    def called(values: Mapping[str, Value]) -> dict[str, Value]:
        return {new.get(name, name): value for name, value in values.items()}

    def observed(entries: Mapping[str, Observed]) -> dict[str, Observed]:
        return called({n: Observed(at.location, said(at.text)) for n, at in entries.items()})

    def all_called(words: Iterable[str]) -> tuple[str, ...]:
        return tuple(new.get(word, word) for word in words)

    own = {name: field for name, field in declaration.hints.items() if name not in declaration.look}
    return replace(
        declaration,
        inputs=called(declaration.inputs),
        state=all_called(declaration.state),
        start=called(
            {
                name: {label: said(text) for label, text in start.items()}
                if isinstance(start, Mapping)
                else said(start)
                if isinstance(start, str)
                else start
                for name, start in declaration.start.items()
            }
        ),
        sums=observed(declaration.sums),
        look=observed(declaration.look),
        concepts=all_called(declaration.concepts),
        outputs=called(declaration.outputs),
        hints=called(own),
        moves=called(
            {
                name: said(texts) if isinstance(texts, str) else [said(text) for text in texts]
                for name, texts in declaration.moves.items()
            }
        ),
        rules=called(
            {
                output: {label: said(str(rule)) for label, rule in classes.items()}
                for output, classes in declaration.rules.items()
            }
        ),
        continues=None if declaration.continues is None else said(str(declaration.continues)),
        only_where={new.get(a, a): new.get(b, b) for a, b in declaration.only_where.items()},
        endless={new.get(a, a): new.get(b, b) for a, b in declaration.endless.items()},
        outcomes=all_called(declaration.outcomes),
    )


def _new(word: re.Match[str], names: Mapping[str, str]) -> str:
    return word[2] if word[1] else names.get(word[2], word[2])


def _free(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


def fields_as_in(schema: Schema, known: Algorithm, given: Mapping[str, str]) -> dict[str, str]:
    """How each field of a black box is called in a declared algorithm: as is given, by its name, or
    by what it is for, its location and its kind, where one alone is so.

    Raises
    ------
    AlgoLensError
        Where several could be meant, or none.
    """
    declared, predicted = known.declaration, known.declaration.predicted
    state = {name: predicted[name] for name in declared.state}
    outputs = {name: predicted[name] for name in declared.outputs}
    theirs = _by_role(_roles(declared.inputs, state, outputs, declared.outcomes))
    roles = _roles(schema.inputs, schema.state, schema.outputs, schema.outcomes)
    ours = _by_role({given.get(name, name): role for name, role in roles.items()})
    names = dict(given)
    for role in dict.fromkeys([*ours, *theirs]):
        mine, its = ours.get(role, []), theirs.get(role, [])
        left = [name for name in mine if name not in its]
        free = [name for name in its if name not in mine]
        if len(left) != len(free):
            raise AlgoLensError(
                f"the black box has {_listed(mine)} as {role}, {known.name} {_listed(its)}: "
                "declare the same fields."
            )
        if len(left) > 1:
            raise AlgoLensError(
                f"which of {_listed(free)} in {known.name} is '{left[0]}' is not clear: call the "
                f"fields as {known.name} does, or, in Python, prove({known.name!r}, fields="
                f"{{{left[0]!r}: {free[0]!r}, ...}})."
            )
        names.update(zip(left, free, strict=True))
    return names


def _roles(
    inputs: Mapping[str, Field],
    state: Mapping[str, Field],
    outputs: Mapping[str, Field],
    outcomes: Sequence[str],
) -> dict[str, str]:
    """What each field is for, where it sits and of which kind it is, in words."""
    made = {name: f"input {_where(field)}" for name, field in inputs.items()}
    for name, field in state.items():
        made[name] = f"{'output and state' if name in outputs else 'state'} {_where(field)}"
    for name, field in outputs.items():
        made.setdefault(name, f"output {_where(field)}")
    for name in outcomes:
        made.setdefault(name, "outcome")
    return made


def _by_role(roles: Mapping[str, str]) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for name, role in roles.items():
        made.setdefault(role, []).append(name)
    return made


def _where(field: Field) -> str:
    kind = field.kind
    said = f"pointer to a {kind.to.value}" if isinstance(kind, Pointer) else repr(kind)
    return f"at the {field.location.value} ({said})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"
