"""What is refused of a program from a file, besides what is refused of every declaration.

Nobody has declared it: its nodes may be any at all.
"""

from __future__ import annotations

from msgspec.structs import replace

from algolens.errors import DefinitionError
from algolens.language.check import MOST_BITS, check_name
from algolens.language.finite import statements
from algolens.language.ir import (
    AGGREGATES,
    GOES_ON,
    TRUE,
    Const,
    Expr,
    Field,
    Known,
    Let,
    Program,
    Quantified,
    The,
    Within,
    children,
    parts_of,
)
from algolens.language.lower import lower
from algolens.language.parse import MOST_COUNTED, Parser, parse
from algolens.logic.formula import MOST_DEEP

SAYS = {  # what there is to say of a field of each kind
    "mask": (),
    "category": ("labels",),
    "number": ("bits", "signed", "distinct", "low"),
    "pointer": ("to", "itself_is_none"),
}
ENGINES = (*AGGREGATES, Known, Within)  # nodes that stand in LIR alone


def refuse_strange(program: Program) -> None:
    """Refuse fields, names and numbers that nobody can declare, and what is nested too deep."""
    carried = program.state | program.outputs
    if {**carried, **program.state} != carried or program.inputs.keys() & carried.keys():
        raise DefinitionError("a name stands for two fields: give one another name.")
    for name, field in (program.inputs | carried).items():
        _check_field(name, field, is_input=name in program.inputs)
    for part in (program.start, program.lets, program.becomes):
        names = [let.name for let in part]
        for name in names:
            if names.count(name) > 1:
                raise DefinitionError(f"'{name}' is said twice: leave one out.")
            if name != GOES_ON:
                check_name(name)
        for let in part:
            _check_nodes(let)
    if len({*program.concepts}) < len(program.concepts):
        raise DefinitionError("a concept is named twice: leave one out.")


def _check_field(name: str, field: Field, *, is_input: bool) -> None:
    check_name(name, field.at if is_input else None)
    at, kind, labels, bits = field.at, field.kind, field.labels, field.bits
    plain = replace(field, drawn=False, start_only=False)
    few = {name: getattr(field, name) for name in SAYS[kind]}
    is_one = plain == Field(at, kind, **few) and (plain == field or is_input)
    match kind:
        case "category":
            is_one &= len({*labels}) == len(labels) > 1
            is_one &= all(label.isidentifier() or label.isdecimal() for label in labels)
        case "number":
            is_one = is_one and 1 <= bits <= MOST_BITS
            is_one = is_one and 0 <= field.low < 2**bits and not (field.low and field.signed)
        case "pointer":
            is_one &= field.to in ("node", "edge", "graph")
    if at == "side" or not is_one:
        raise DefinitionError(
            f"'{name}' is no field: it is a mask, a category of two classes or more, a number of 1 "
            f"to {MOST_BITS} bits, or a pointer to a node, an edge or the graph."
        )


def _check_nodes(let: Let) -> None:
    level: list[Expr] = [let.value]
    for _ in range(MOST_DEEP):
        for node in level:
            size = node.value if isinstance(node, Const) else 0
            count = node.count if isinstance(node, Quantified) else 1
            if isinstance(node, ENGINES) or let.at == "side":
                raise DefinitionError(f"'{let.name}' says what only engines say.")
            if size.bit_length() > MOST_BITS or not 1 <= count <= MOST_COUNTED:
                raise DefinitionError(
                    f"'{let.name}' names {size or count}, which is beyond bounds."
                )
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise DefinitionError(
        f"'{let.name}' is nested more than {MOST_DEEP} deep: declare a part as a feature of its "
        "own, and name that."
    )


def refuse_misleading(program: Program) -> None:
    """Refuse relations that are not what they are called, and what no engine or proof can read."""
    fields = program.inputs | program.state
    for let in (*program.lets, *program.becomes):
        looking = [*parts_of(let.value, Quantified), *parts_of(let.value, The)]
        for view in (part.view for part in looking):  # type: ignore[attr-defined]
            words = view.words
            meant = parse(Parser.statement, f"some {words}", let.at, fields)
            if meant != Quantified("some", view, TRUE):
                raise DefinitionError(f"'{let.name}': '{words}' is another relation.")
    statements(program)
    lower(program)
