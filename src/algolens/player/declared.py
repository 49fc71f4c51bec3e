"""What a page knows of an algorithm: its fields, its program and words, and how to run it anew.

A node of a program is an array: its number among ``SHAPES``, then its fields in order; null stands
for what a field is unless given, and is left out at the end. The page makes objects of these
(``unpacked`` in engine.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from algolens.algorithms import Algorithm, python_methods
from algolens.engines.needs import most_bits
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.fields import Field
from algolens.language.rules import as_expr, with_rules
from algolens.language.words import UNTIL, CodeLine, New, Speech, Those, Words
from algolens.logic.rule_set import RuleSet
from algolens.player.problems import PROBLEMS
from algolens.text.declared import code_lines, declared_json

NODES: tuple[type[ir.Node], ...] = (*ir.EXPRESSIONS, ir.View, ir.Let, ir.Field)
SHAPES = [[each.__name__, *each.__struct_fields__] for each in NODES]
NUMBERS = {each: number for number, each in enumerate(NODES)}
MOST_EXACT = 2**53  # JavaScript's numbers are exact below; larger ones are written as text


def look_data(algorithm: Algorithm) -> dict[str, Any]:
    """What is seen and how it moves, and each statement as text; nothing of one in Python."""
    speech = algorithm.declaration.speech
    if speech is None:
        return {"program": None, "texts": {}}
    program = _parts(algorithm, None)[0]
    shown = ("inputs", "state", "start", "lets", "becomes")
    say = speech.say
    moves = {let.name: let.cases or ((ir.TRUE, let.value),) for let in program.becomes}
    becomes = {
        let.name: [say.case(let, *case) for case in moves[let.name]] for let in program.becomes
    }
    return {
        "program": {name: short(getattr(program, name)) for name in shown},
        "texts": {**becomes, **{let.name: [say(let.value)] for let in program.lets}},
    }


def rules_data(algorithm: Algorithm, rule_set: RuleSet) -> dict[str, Any]:
    """What rules decide, and whether they go on: as formulas, and as a program."""
    declaration, continues = algorithm.declaration, rule_set.continues
    at: ir.At = declaration.location
    own = rule_set == declaration.rule_set
    return {
        "rules": {
            name: {label: short(as_expr(rule, at)) for label, rule in classes.items()}
            for name, classes in rule_set.rules.items()
        },
        "texts": {
            name: {label: str(rule) for label, rule in classes.items()}
            for name, classes in rule_set.rules.items()
        },
        "continues": None
        if continues is None
        else f"{continues.quantifier.value} {at}: {continues.formula}",
        "program": None
        if declaration.speech is None
        else _decided(_parts(algorithm, None if own else rule_set)[1]),
    }


def _parts(algorithm: Algorithm, rule_set: RuleSet | None) -> tuple[ir.Program, ir.Program]:
    """What is seen and how it moves; what rules make of that, which may be set by hand before."""
    declaration = algorithm.declaration
    whole, decided = declaration.program, declaration.decided
    if rule_set is not None:
        whole = with_rules(whole, rule_set, declaration.location)
    look, rules = (
        replace(
            whole,
            lets=tuple(let for let in whole.lets if (let.name == ir.GOES_ON) is decides),
            becomes=tuple(let for let in whole.becomes if (let.name in decided) is decides),
        )
        for decides in (False, True)
    )
    return look, replace(rules, start=())


def _decided(program: ir.Program) -> dict[str, Any]:
    return {name: short(getattr(program, name)) for name in ("lets", "becomes")}


def short(value: Any) -> Any:
    """Nodes, and what holds them, as short JSON; large numbers as text."""
    match value:
        case ir.Node():
            values = [getattr(value, name) for name in value.__struct_fields__]
            usual = [msgspec.NODEFAULT] * len(values)
            defaults = value.__struct_defaults__
            usual[len(usual) - len(defaults) :] = defaults
            parts = [
                None if part == default else short(part)
                for part, default in zip(values, usual, strict=True)
            ]
            while parts and parts[-1] is None:
                parts.pop()
            return [NUMBERS[type(value)], *parts]
        case dict():
            return {name: short(part) for name, part in value.items()}
        case list() | tuple():
            return [short(part) for part in value]
        case New():
            return ["new"]
        case Those(view, body, counts):
            return ["how" if counts else "those", short(view), short(body)]
        case int() if abs(value) >= MOST_EXACT:
            return str(value)
    return value


def line_data(line: CodeLine) -> dict[str, Any]:
    """A line of pseudo-code."""
    return {
        "id": line.key,
        "text": line.text,
        "depth": line.depth,
        "at": line.at,
        "when": short(line.when),
        "changed": line.changed,
    }


def words_data(words: Words, speech: Speech | None) -> dict[str, Any]:
    """All that is said, for the page, which has no parser: sentences as parts."""
    return {
        "order": list(words.phrases),
        "states": dict(words.states),
        "names": dict(words.names),
        "until": words.lines.get("until", UNTIL),
        "examined": speech and short(speech.examined),
        "cases": short(speech.cases) if speech else {},
        "moves": short(speech.moves) if speech else {},
    }


def algorithm_data(algorithm: Algorithm, graph: Graph) -> dict[str, Any]:
    """An algorithm as JSON. graph: on which it runs."""
    declaration, predicted = algorithm.declaration, algorithm.declaration.predicted
    declared = declared_json(algorithm)
    problem, question = PROBLEMS.get(algorithm.name, ("", ""))
    same = ("about", "options", "location", "concepts", "inputs", "only_where", "endless")
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "items": "cells" if algorithm.table else next(iter(algorithm.items), ""),
        "problem": problem,
        "question": question,
        **{key: declared[key] for key in (*same, "outcomes")},
        "outputs": {name: predicted[name].to_json() for name in declaration.outputs},
        "hints": {name: field.to_json() for name, field in declaration.hints.items()},
        "state": list(declaration.state),
        "layout": algorithm.layout.to_json(declaration.fields),
        "most_steps": int(algorithm.max_steps(graph)[0]),
        "python": python_methods(algorithm),
        "checks": algorithm.known_checks,
        "on_other_graphs": _on_other_graphs(algorithm),
        **look_data(algorithm),
        "decides": rules_data(algorithm, declaration.rule_set),
        "words": words_data(declaration.words, declaration.speech),
        "pseudocode": [line_data(line) for line in code_lines(algorithm)],
    }


def _on_other_graphs(algorithm: Algorithm) -> dict[str, Any] | None:
    """What a page has to know to run it on another graph; None where only Python can do that."""
    declaration = algorithm.declaration
    fields = declaration.inputs.values()
    is_given = all(field.kind in ("mask", "number", "pointer") for field in fields) and all(
        field.at == "graph" for field in fields if field.kind == "pointer"
    )
    if declaration.speech is None or python_methods(algorithm) or not is_given or algorithm.table:
        return None
    limit = declaration.most_steps
    bits = most_bits(algorithm) if "bits" in algorithm.options else None
    widest = declaration if bits is None else algorithm.but(bits=bits).declaration
    return {
        "limit": [limit.times, limit.per],
        "bounds": _bounds(widest.inputs),
    }


def _bounds(fields: Mapping[str, Field]) -> dict[str, list[str]]:
    """The least and the greatest that each number can be, as text, for they may be large."""
    return {
        name: [*map(str, field.bounds)] for name, field in fields.items() if field.kind == "number"
    }
