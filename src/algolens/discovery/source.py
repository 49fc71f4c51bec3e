"""A discovered algorithm as a file of Python, which all commands take as one of the user's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill

from algolens.discovery.oracle import Schema
from algolens.language.ir import (
    GOES_ON,
    At,
    Case,
    Const,
    Expr,
    Field,
    Let,
    Program,
)
from algolens.language.text import Text

HEADER = '''"""{name}, discovered from runs of a black box.

{known}

A concept is renamed here, in one place, by replacing its name throughout this file.
"""

from algolens.algorithms import (
{imports})
from algolens.graphs import Recipe


class {class_name}(Algorithm):
    """Discovered from runs: its concepts are named by what they say."""

    name = "{name}"
    graphs = "{graphs}"
    recipe = Recipe(directed={directed})
    loops_matter = {loops}
    parallel_edges_matter = {parallel}

{body}'''
LINE = 97  # characters, beyond which an attribute takes several lines
WORDS = (
    "Algorithm",
    "Edge",
    "Graph",
    "Link",
    "Node",
    "category",
    "mask",
    "number",
    "per",
    "pointer",
    "pointer_or_none",
)


def source_of(schema: Schema, program: Program, name: str, known: str) -> str:
    """The text of the file.

    Parameters
    ----------
    schema, program
        What was discovered.
    name : str
        What it is called.
    known : str
        What is known of it, in sentences.
    """
    names = {*program.inputs, *program.state, *program.outputs, *(let.name for let in program.lets)}
    words = {word: f"{word}_" if word in names else word for word in WORDS}
    imports = (word if said == word else f"{word} as {said}" for word, said in words.items())
    return HEADER.format(
        name=name,
        known=fill(known, 100),
        imports="".join(f"    {one},\n" for one in imports),
        class_name="".join(word[:1].upper() + word[1:] for word in name.split("_")),
        graphs=schema.graphs,
        directed=schema.graphs == "directed",
        loops=schema.loops_matter,
        parallel=schema.parallel_edges_matter,
        body="".join(f"    {line}\n" for line in _lines(program, words)),
    )


def _lines(program: Program, words: Mapping[str, str]) -> Iterator[str]:
    """The attributes of the class, one for each name."""
    say, start = Text.of(program), {let.name: let.value for let in program.start}

    def attribute(name: str, at: At, role: str, *parts: str, **said: object) -> str:
        given = [f"{key}={_written(value)}" for key, value in said.items() if value is not None]
        begin, inside = f"{name} = {words[at.capitalize()]}.{role}(", [*parts, *given]
        line = f"{begin}{', '.join(inside)})"
        if len(line) < LINE:
            return line
        return "".join([f"{begin}\n", *(f"        {part},\n" for part in inside), "    )"])

    for name, field in program.inputs.items():
        kind = _kind(field, words)
        yield attribute(name, field.at, "input", kind, drawn=field.drawn or None)
    for let in program.becomes:
        field = (program.outputs | program.state)[let.name]
        begins = start.get(let.name)
        yield attribute(
            let.name,
            let.at,
            "output" if let.name in program.outputs else "state",
            _kind(field, words),
            start=None if begins is None else _start(begins, field, say),
            becomes=_becomes(let, field, say),
            only_where=program.only_where.get(let.name),
            endless_at=program.endless.get(let.name),
        )
    for let in program.lets:
        role = "concept" if let.name in program.concepts else "derived"
        if let.name == GOES_ON:
            yield f"goes_on = {_written(say(let.value))}"
        else:
            yield attribute(let.name, let.at, role, _written(say(let.value)))
    places = ("Node", "Node") if program.per == "pair" else (program.per.capitalize(),)
    times = "" if program.times == 1 else f"{program.times} * "
    yield f"most_steps = {times}{words['per']}({', '.join(words[one] for one in places)})"
    if program.outcomes:
        yield f"outcomes = ({''.join(f'{_written(name)}, ' for name in program.outcomes)})"


def _written(value: object) -> str:
    """A value in Python, in double quotes."""
    return repr(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def _becomes(let: Let, field: Field, say: Text) -> object:
    """What a step makes of a field, as an author writes it."""
    match let.value:
        case Case(cases, Const(last)):  # of a category: the first that holds
            return _classes(cases, field, say) | {field.labels[last]: "True"}
        case Case(cases):
            return [say.case(let, *each) for each in cases]
    return say(let.value)


def _start(value: Expr, field: Field, say: Text) -> object:
    """How a field begins, as an author writes it."""
    match value:
        case Const(number):
            return field.labels[number] if field.labels else number
        case Case(cases):  # the first class, where none holds
            return _classes(cases, field, say)
    return say(value)


def _classes(cases: Sequence[tuple[Expr, Expr]], field: Field, say: Text) -> dict[str, str]:
    return {
        field.labels[place.value]: say(rule) for rule, place in cases if isinstance(place, Const)
    }


def _kind(field: Field, words: Mapping[str, str]) -> str:
    """``number(8, signed=True)``."""
    flags: dict[str, object] = {}
    kind = "pointer_or_none" if field.itself_is_none else field.kind
    match field.kind:
        case "mask":
            return words["mask"]
        case "category":
            said = [*map(_written, field.labels)]
        case "number":
            said = [str(field.bits)]
            flags = {"low": field.low, "signed": field.signed, "distinct": field.distinct}
        case _:
            said = [words[str(field.to).capitalize()]]
    said += [f"{key}={_written(one)}" for key, one in flags.items() if one]
    return f"{words[kind]}({', '.join(said)})"
