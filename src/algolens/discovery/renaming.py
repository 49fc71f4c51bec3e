"""Fields of a black box, matched with those of a declared algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from algolens.algorithms import Algorithm
from algolens.discovery.schema import Schema
from algolens.errors import AlgoLensError
from algolens.language.fields import Field, Pointer


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
