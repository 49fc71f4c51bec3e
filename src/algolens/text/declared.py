"""What an algorithm declares, in lines, as JSON and as pseudo-code."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from algolens.algorithms import Algorithm, Declaration
from algolens.graphs.attributes import column
from algolens.language.fields import Field
from algolens.language.ir import At
from algolens.language.scales import find_scales
from algolens.language.words import CodeLine, listing
from algolens.logic import Quantifier


def algorithm_facts(algorithm: Algorithm) -> str:
    """What its author says of it, in short."""
    return _first_paragraph(inspect.getdoc(algorithm) or "")


def purpose(algorithm: Algorithm) -> str:
    """What it is, as the first paragraph of its file says; else what its author says in short."""
    module = inspect.getmodule(type(algorithm))
    return _first_paragraph((module and module.__doc__) or "") or algorithm_facts(algorithm)


def purpose_alone(algorithm: Algorithm) -> str:
    """The same without its title before it, which stands elsewhere."""
    said = purpose(algorithm).removeprefix(f"{algorithm.title}: ")
    return said[:1].upper() + said[1:]


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())


def declared_lines(algorithm: Algorithm) -> Iterator[str]:
    """Its fields, what it sees and how that moves, its rules, and how many steps it takes."""
    declaration = algorithm.declaration
    for name, value in algorithm.options.items():
        may_be = "true or false" if isinstance(value, bool) else algorithm.range_of(name)
        yield f"option {name} = {value}: {may_be}"
    for name, field in declaration.inputs.items():
        only = ", which the start alone reads" if field.start_only else ""
        yield f"input {name}: {field_described(field)}{only}{_of_users(algorithm, name, field)}"
    for name in declaration.state:
        yield f"state {name}: {field_described(declaration.predicted[name])}"
    yield f"concepts: {', '.join(declaration.concepts)}, at each {declaration.location}"
    for name, kind in declaration.outputs.items():
        only = f", where {declaration.only_where[name]}" if name in declaration.only_where else ""
        if name in declaration.endless:
            only += f", without a bound at {declaration.endless[name]}"
        yield f"output {name}: {kind.described}{only}"
    if declaration.outcomes:
        yield f"outcome: {', '.join(declaration.outcomes)}"
    yield ""
    if declaration.speech is None:
        yield "It sees in Python (perceive): nothing can be proven of a network for it."
    for title, rows in _listing(declaration).items():
        wide = max((len(name) for name, _, _ in rows), default=0)
        yield from [title] if rows else []
        yield from (f"  {at:<5} {name:<{wide}}  {said}" for name, at, said in rows)
    yield ""
    if declaration.rule_set.rules:
        yield "rules: exactly one holds on every pattern of concepts"
        for output, classes in declaration.rule_set.rules.items():
            yield from (f"  {output} = {label}: {rule}" for label, rule in classes.items())
    if declaration.rule_set.continues is None:
        yield "It takes a fixed number of steps."
    else:
        rule = declaration.rule_set.continues
        how_many = {Quantifier.EXISTS: "some", Quantifier.EVERY: "every", Quantifier.NO: "no"}[
            rule.quantifier
        ]
        yield f"It goes on while {how_many} {declaration.location} is so: {rule.formula}"


def _of_users(algorithm: Algorithm, name: str, field: Field) -> str:
    """Which numbers a user's graph may carry, where the declared bits are not their bound."""
    if field.at == "graph" or field.kind != "number":
        return ""
    in_any_unit = find_scales(algorithm, {name: column([1])})[name] is None
    wanted = field.wanted_of_user(in_any_unit=in_any_unit, can_grow="bits" in algorithm.options)
    return "" if wanted == field.wanted else f" (of your graph, {wanted})"


def declared_json(algorithm: Algorithm) -> dict[str, Any]:
    """The same for machines; statements as text."""
    declaration, rule_set = algorithm.declaration, algorithm.declaration.rule_set
    parts = _listing(declaration) if declaration.speech else None
    return {
        "about": algorithm_facts(algorithm),
        "options": algorithm.options,
        "location": declaration.location,
        "inputs": {name: field.to_json() for name, field in declaration.inputs.items()},
        "state": {name: declaration.predicted[name].to_json() for name in declaration.state},
        "concepts": list(declaration.concepts),
        "outputs": {name: one.kind_json for name, one in declaration.outputs.items()},
        "only_where": dict(declaration.only_where),
        "endless": dict(declaration.endless),
        "outcomes": list(declaration.outcomes),
        "start": parts and {name: said for name, _, said in parts["begins"]},
        "sums": [
            {"name": name, "at": at, "sum": said}
            for name, at, said in (parts["adds"] if parts else ())
        ],
        "look": parts
        and [{"name": name, "at": at, "statement": said} for name, at, said in parts["sees"]],
        "moves": [
            {"name": name, "move": said} for name, _, said in (parts["moves"] if parts else ())
        ],
        "rules": {
            output: {label: str(rule) for label, rule in classes.items()}
            for output, classes in rule_set.rules.items()
        },
        "continues": None if rule_set.continues is None else rule_set.continues.as_typed,
    }


def _listing(declaration: Declaration) -> dict[str, list[tuple[str, At, str]]]:
    return listing(declaration.program, declaration.decided) if declaration.speech else {}


def field_described(field: Field) -> str:
    """A field in words."""
    at = "the graph" if field.at == "graph" else f"each {field.at}"
    return f"{field.described} at {at}"


INDENT = "    "


def code_lines(algorithm: Algorithm) -> tuple[CodeLine, ...]:
    """An algorithm's lines: those that were declared, and made ones where there are none."""
    speech = algorithm.declaration.speech
    return (
        (CodeLine("start", "start: as its Python code says"),) if speech is None else speech.lines
    )


def pseudocode_text(algorithm: Algorithm) -> str:
    """The lines as text."""
    return "\n".join(f"{INDENT * line.depth}{line.text}" for line in code_lines(algorithm))
