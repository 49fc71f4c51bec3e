"""A whole program in forms for readers: text, Markdown, LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from algolens.language.given import CHECKS
from algolens.language.ir import Field
from algolens.language.latex import start_to_latex, steps_to_latex
from algolens.language.words import listing
from algolens.logic import factored
from algolens.logic.exports import remarks_of, rule_set_to_latex
from algolens.logic.printing import in_cell, in_code, in_latex, latex_name

if TYPE_CHECKING:
    from algolens.engines.program import Program


def to_text(program: Program) -> str:
    """A listing that a person can carry out on paper."""
    wide = max(len(left) for _, rows in _parts(program) for left, _ in rows)
    lines = [f"{program.name}, on {_graphs(program)}"]
    for title, rows in _parts(program):
        lines += [title, *(f"  {left:<{wide}}  {right}" for left, right in rows)]
    return "\n".join(lines)


def not_learnt(program: Program) -> str:
    """A listing of what every network for it has as declared: start, sums and moves."""
    titles = {"begins": "begins", "add": "adds", "move": "moves"}
    rows = [(title, *row) for title, part in titles.items() for row in _rows(program, part)]
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
    hir = program.program
    inputs = ", ".join(f"${latex_name(name)}$" for name in hir.inputs)
    parts = [
        rf"\paragraph{{{in_latex(program.name)}}} On {in_latex(_graphs(program))}.",
        f"Each input is given: {inputs}." if inputs else "",
        *(f"Refuse of {in_latex(of)}: {in_latex(wrong)}" for of, wrong in _refused(program)),
        r"The state begins as follows.",
        start_to_latex(hir),
        r"Then repeat. See, of every element $x$:",
        steps_to_latex(hir, program.rules.rules),
        rf"Decide, of every {program.at} $n$:",
        rule_set_to_latex(program.rules).rstrip(),
        rf"Take at most {in_latex(str(program.limit))}.",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _parts(program: Program) -> list[tuple[str, list[tuple[str, str]]]]:
    """What is done, in order: a title, and rows of what and how."""
    rules = program.rules
    decided = [
        (f"{output} = {label}", str(factored(rule)))
        for output, classes in rules.rules.items()
        for label, rule in classes.items()
    ]
    if rules.continues is None:
        stop = (f"Stop after {program.limit}.", [("", "")])
    else:
        stop = (f"Go on, for at most {program.limit}, while:", [("go on", str(rules.continues))])
    outcomes = [(name, "as it is seen when all is done") for name in program.program.outcomes]
    inputs = program.program.inputs
    titled = [
        ("Given:", [(name, in_words(field)) for name, field in inputs.items()]),
        ("Refuse:", _refused(program)),
        ("The state begins:", _rows(program, "begins")),
        ("Then, in every step, add:", _rows(program, "adds")),
        ("In every step, see:", _rows(program, "sees")),
        (f"Decide of every {program.at}:", decided),
        ("Move:", _rows(program, "moves")),
        stop,
        ("Then tell:", outcomes),
    ]
    return [part for part in titled if part[1]]


def _rows(program: Program, part: str) -> list[tuple[str, str]]:
    """Names of one part of a listing, and what is said of each."""
    listed = listing(program.program, program.rules.rules)[part]
    of_every = "of every {}: " if part in ("adds", "sees") else ""
    return [(name, of_every.format(at) + said) for name, at, said in listed]


def in_words(field: Field) -> str:
    """What a field is: its kind, what that is made of, and where it sits."""
    details = ", ".join(
        f"{name} {value}"
        for name, value in asdict(field).items()
        if name not in ("at", "kind") and value
    )
    return f"a {field.kind} at the {field.at}" + (f" ({details})" if details else "")


def _graphs(program: Program) -> str:
    cells = {
        None: "",
        "pairs": "the cells of all pairs of nodes of ",
        "intervals": "the cells of all intervals of the nodes of ",
    }[program.table]
    return cells + ("any graph" if program.graphs == "any" else f"{program.graphs} graphs")


def _refused(program: Program) -> list[tuple[str, str]]:
    """What is refused of inputs: of which, and what."""
    return [
        (", ".join(map(str, of)), str(CHECKS[str(name)][0].__doc__).splitlines()[0])
        for name, *of in program.checks
    ]
