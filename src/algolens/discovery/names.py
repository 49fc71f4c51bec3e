"""Names for concepts that nobody named, and fields of a black box by the names that a declared
algorithm has for them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from algolens.algorithms import Algorithm
from algolens.discovery.oracle import Schema
from algolens.errors import AlgoLensError
from algolens.language.fields import Field
from algolens.language.ir import And, Compare, Expr, Get, Not, Quantified, columns_of, speaks_of
from algolens.language.text import Text, several

COUNTS = {2: "two", 3: "three", 4: "four"}
ORDERS = {
    "<": "lower",
    ">": "higher",
    "=": "equal",
    "!=": "other",
    "<=": "no_higher",
    ">=": "no_lower",
}
LONGEST = 60


def concept_name(said: Expr, text: Text) -> str:
    """A short name for a statement. text: knows the classes of categories.

    >>> from algolens.language.ir import Field
    >>> from algolens.language.parse import Parser, parse
    >>> color, mask = Field("node", "category", ("0", "1")), Field("node", "mask")
    >>> fields = {"color": color, "rank": Field("node", "number", bits=8), "visited": mask}
    >>> def named(said):
    ...     read = parse(Parser.statement, said, "node", fields)
    ...     return concept_name(read, Text({("node", "color"): color.labels}))
    >>> named("some neighbour (color is 0 & its rank > my rank)")
    'has_color_0_neighbour_of_higher_rank'
    >>> named("at least 3 neighbours (visited)")
    'has_three_visited_neighbours'
    >>> named("visited")
    'is_visited'
    """
    return re.sub(r"\W+", "_", _words(said, text)).strip("_")[:LONGEST].strip("_")


def _words(said: Expr, text: Text) -> str:
    match said:
        case Not(term):
            return f"not_{_words(term, text)}"
        case Quantified(quantity, view, body, count):
            parts = body.terms if isinstance(body, And) else (body,)
            alone = [_adjective(part, text) for part in parts if not _crosses(part)]
            than = [_than(part) for part in parts if isinstance(part, Compare) and _crosses(part)]
            many = f"{COUNTS.get(count, count)}_" if quantity == "at least" else ""
            whom = several(view.words) if count > 1 else view.words
            words = "_".join(filter(None, [*alone, whom.replace(" ", "_")]))
            return f"has_{many}{words}" + "".join(f"_{part}" for part in than)
        case And(terms):
            return "_and_".join(_words(term, text) for term in terms)
        case Get():
            bare = _path(said)
            return bare if bare.startswith(("is_", "was_", "has_")) else f"is_{bare}"
        case Compare(left):
            label = text.label(said)
            return _compared(said) if label is None else f"{_path(left[0])}_is_{label}"
    return "holds"


def _adjective(said: Expr, text: Text) -> str:
    match said:
        case Not(term):
            return f"not_{_adjective(term, text)}"
        case Get():
            return _path(said)
        case Compare(left):
            label = text.label(said)
            if label is None:
                return _compared(said)
            return label if not label.isdecimal() else f"{_path(left[0])}_{label}"
    return ""


def _compared(said: Compare) -> str:
    return f"{_path(said.left[0])}_{ORDERS[said.op]}_{_path(said.right[0])}"


def _path(said: Expr) -> str:
    """``sender_distance``; what leads nowhere is the element itself."""
    steps: list[str] = []
    while isinstance(said, Get):
        steps.append(said.column)
        said = said.of
    return "_".join(reversed(steps)) or "itself"


def _crosses(said: Expr) -> bool:
    return isinstance(said, Compare) and len(speaks_of(said)) > 1


def _than(said: Compare) -> str:
    return f"of_{ORDERS[said.op]}_{_path(said.left[0])}"


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The same with a number after it, where it is taken."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def words_of(said: Expr) -> frozenset[str]:
    """All names in a statement."""
    return frozenset(name for _, name in columns_of(said))


def fields_as_in(schema: Schema, known: Algorithm, given: Mapping[str, str]) -> dict[str, str]:
    """How each field of a black box is called in a declared algorithm: as is given, by its name, or
    by what it is for, its location and its kind, where one alone is so.

    Raises
    ------
    AlgoLensError
        Where several could be meant, or none.
    """
    declared, predicted = known.declaration, known.declaration.predicted
    state, outputs = (
        {name: predicted[name] for name in names} for names in (declared.state, declared.outputs)
    )
    theirs = _roles(declared.inputs, state, outputs, declared.outcomes)
    roles = _roles(schema.inputs, schema.state, schema.outputs, schema.outcomes)
    ours = {given.get(name, name): role for name, role in roles.items()}
    names = dict(given)
    for role in dict.fromkeys([*ours.values(), *theirs.values()]):
        mine, its = ([name for name in all_ if all_[name] == role] for all_ in (ours, theirs))
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
    made = dict.fromkeys(outcomes, "outcome")
    for what, fields in (("output", outputs), ("state", state), ("input", inputs)):
        for name, field in fields.items():
            role = "output and state" if what == "state" and name in outputs else what
            made[name] = f"{role} at the {field.at} ({field.kind}: {field.described})"
    return made


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"
