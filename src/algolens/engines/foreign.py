"""What is refused of a program from a file, besides what is refused of every declaration.

Nobody has declared it: its nodes may be any at all.
"""

from __future__ import annotations

from algolens.errors import DefinitionError, naming
from algolens.language.check import check_name
from algolens.language.fields import MOST_BITS
from algolens.language.finite import statements
from algolens.language.ir import (
    AGGREGATES,
    GOES_ON,
    TRUE,
    Const,
    Expr,
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

ENGINES = (*AGGREGATES, Known, Within)  # nodes that stand in LIR alone


def refuse_strange(program: Program) -> None:
    """Refuse fields, names and numbers that nobody can declare, and what is nested too deep."""
    carried = program.state | program.outputs
    if {**carried, **program.state} != carried or program.inputs.keys() & carried.keys():
        raise DefinitionError("a name stands for two fields: give one another name.")
    for name, field in (program.inputs | carried).items():
        is_input = name in program.inputs
        check_name(name, field.at if is_input else None)
        with naming(f"'{name}'"):
            field.check()
        if not is_input and (field.drawn or field.start_only):
            raise DefinitionError(f"'{name}' is drawn or read by the start, and is no input.")
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
