"""A whole program for readers: text, Markdown, LaTeX. What is to be done, in the order in which it
is done.
"""

from __future__ import annotations

from algolens.fields import Field
from algolens.logic import factored
from algolens.logic.exports import in_cell, in_code, remarks_of, rule_set_to_latex
from algolens.logic.printing import in_latex, latex_name
from algolens.looks.exports.readable import (
    look_to_latex,
    moved,
    start_to_latex,
    started,
    sums,
    writings,
)
from algolens.programs.whole import Program


def to_text(program: Program) -> str:
    """A listing that a person can carry out on paper."""
    wide = max(len(left) for _, rows in _parts(program) for left, _ in rows)
    lines = [f"{program.name}, on {_graphs(program)}"]
    for title, rows in _parts(program):
        lines += [title, *(f"  {left:<{wide}}  {right}" for left, right in rows)]
    return "\n".join(lines)


def not_learnt(program: Program) -> str:
    """A listing of what is as declared in every network for it: how it begins, what is added, and
    how things move.
    """
    look = program.look
    rows = [("begins", *row) for row in started(look)]
    rows += [("add", name, f"of every {at}: {said}") for name, at, said in sums(look)]
    rows += [("move", *row) for row in moved(look)]
    wide = max(len(name) for _, name, _ in rows)
    return "\n".join(f"  {what:<6}  {name:<{wide}}  {said}" for what, name, said in rows)


def to_markdown(program: Program) -> str:
    """A list of what is to be done, and a table for each part."""
    lines = [f"# {in_cell(program.name)}", "", f"On {_graphs(program)}.", ""]
    for number, (title, rows) in enumerate(_parts(program), 1):
        lines += [f"{number}. {title}", "", "   | | |", "   |---|---|"]
        lines += [f"   | {in_cell(left)} | {in_code(right)} |" for left, right in rows]
        lines.append("")
    lines += [f"- {in_cell(remark)}" for remark in remarks_of(program.rules)]
    return "\n".join(lines) + "\n"


def to_latex(program: Program) -> str:
    """Paragraphs of aligned mathematics, in the order in which they are carried out."""
    look = program.look
    parts = [
        rf"\paragraph{{{in_latex(program.name)}}} On {in_latex(_graphs(program))}.",
        r"Each input is given: "
        + ", ".join(f"${latex_name(name)}$" for name in look.starting)
        + "."
        if look.starting
        else "",
        r"The state begins as follows.",
        start_to_latex(look),
        r"Then repeat. See, of every element $x$:",
        look_to_latex(look).rstrip(),
        rf"Decide, of every {program.declaration.location.value} $n$:",
        rule_set_to_latex(program.rules).rstrip(),
        rf"Take at most {in_latex(str(program.limit))}.",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _parts(program: Program) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is done, in order: a title, and rows of what and how."""
    look, rules = program.look, program.rules
    decided = [
        (f"{output} = {label}", str(factored(rule)))
        for output, classes in rules.rules.items()
        for label, rule in classes.items()
    ]
    going_on = [] if rules.continues is None else [("go on", str(rules.continues))]
    outcomes = [(name, "as it is seen when all is done") for name in program.declaration.outcomes]
    parts = [
        ("Given:", [(name, in_words(field)) for name, field in look.starting.items()]),
        ("The state begins:", started(look)),
        (
            "Then, in every step, add:",
            [(name, f"of every {at}: {said}") for name, at, said in sums(look)],
        ),
        (
            "In every step, see:",
            [(name, f"of every {at}: {said}") for name, at, said in writings(look)],
        ),
        (f"Decide of every {program.declaration.location.value}:", decided),
        ("Move:", moved(look)),
        (f"Go on, for at most {program.limit}, while:", going_on),
        ("Then tell:", outcomes),
    ]
    if not going_on:
        parts[6] = (f"Stop after {program.limit}.", [("", "")])
    return [part for part in parts if part[1]]


def in_words(field: Field) -> str:
    """What a field is: its kind, what that is made of, and where it sits."""
    made = field.kind.to_json()
    kind = made.pop("kind")
    details = ", ".join(
        f"{name} {value}" for name, value in made.items() if value not in (None, False)
    )
    return f"a {kind} at the {field.location.value}" + (f" ({details})" if details else "")


def _graphs(program: Program) -> str:
    return "any graph" if program.graphs == "any" else f"{program.graphs} graphs"
