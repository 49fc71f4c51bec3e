"""What a page carries out and explains: a program's nodes as JSON, its words with such nodes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from algolens.algorithms import Algorithm, Declaration
from algolens.graphs import Location
from algolens.language import ir
from algolens.language.from_declaration import Reader, to_program
from algolens.language.lower import lower
from algolens.logic.rule_set import RuleSet
from algolens.looks.phrases import Case, New, Template, Those
from algolens.looks.speech import UNTIL, CodeLine, Speech
from algolens.looks.statement import Statement
from algolens.looks.terms import Term

MOST_EXACT = 2**53  # JavaScript's numbers are exact below; larger ones are written as text


def look_data(algorithm: Algorithm) -> dict[str, Any]:
    """What is seen and how it moves: as it is written, and lowered; nothing of one in Python."""
    look = algorithm.declaration.seen
    if look is None:
        return {"program": None, "lowered": None}
    whole = to_program(algorithm.name, algorithm.declaration)
    moved = {mover.name for mover in look.movers}
    program = replace(
        whole,
        lets=tuple(let for let in whole.lets if let.name != ir.GOES_ON),
        becomes=tuple(let for let in whole.becomes if let.name in moved),
    )
    shown = {
        name: to_json(getattr(program, name)) for name in ("inputs", "state", "lets", "becomes")
    }
    return {"program": shown, "lowered": _lowered(program)}


def rules_data(algorithm: Algorithm, rule_set: RuleSet) -> dict[str, Any]:
    """What rules decide, and whether they go on: as they are written, and lowered."""
    declaration = algorithm.declaration
    rules = Written(declaration).rules(rule_set)
    look = declaration.seen
    if look is None:
        return {**rules, "lowered": None}
    own = rule_set == declaration.rule_set
    whole = to_program(algorithm.name, declaration, None if own else rule_set)
    moved = {mover.name for mover in look.movers}
    program = replace(
        whole,
        start=(),
        lets=tuple(let for let in whole.lets if let.name == ir.GOES_ON),
        becomes=tuple(let for let in whole.becomes if let.name not in moved),
    )
    return {**rules, "lowered": _lowered(program)}


def _lowered(program: ir.Program) -> dict[str, Any]:
    lowered = lower(program)
    return {name: to_json(getattr(lowered, name)) for name in ("start", "lets", "becomes")}


def to_json(value: Any) -> Any:
    """Nodes as JSON."""
    return exact_json(msgspec.to_builtins(value))


def exact_json(value: Any) -> Any:
    """The same JSON, large numbers as text."""
    if isinstance(value, dict):
        return {name: exact_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [exact_json(part) for part in value]
    return str(value) if isinstance(value, int) and abs(value) >= MOST_EXACT else value


class Written:
    """Writes formulas, terms and phrases of a declaration with nodes."""

    def __init__(self, declaration: Declaration) -> None:
        look = declaration.seen
        self.fields = {} if look is None else look.scope.fields
        self.location = declaration.location

    def rules(self, rule_set: RuleSet) -> dict[str, Any]:
        """Rules by output and class, and the one for going on, with its quantifier."""
        reader, continues = Reader({}, self.location), rule_set.continues
        return {
            "rules": {
                name: {label: to_json(reader.formula(rule)) for label, rule in classes.items()}
                for name, classes in rule_set.rules.items()
            },
            "continues": None
            if continues is None
            else [continues.quantifier.value, to_json(reader.formula(continues.formula))],
        }

    def line(self, line: CodeLine) -> dict[str, Any]:
        """A line of pseudo-code."""
        return {
            "id": line.key,
            "text": line.text,
            "depth": line.depth,
            "at": None if line.when is None else line.when.location.value,
            "when": self._statement(line.when),
            "field": None if line.field is None else list(line.field),
        }

    def speech(self, speech: Speech) -> dict[str, Any]:
        """All that is said, for the page, which has no parser: phrases as parts."""
        at = {statement.name: statement.location for statement in speech.look.statements}
        return {
            "order": list(speech.words.phrases),
            "states": dict(speech.words.states),
            "names": dict(speech.words.names),
            "until": speech.words.lines.get("until", UNTIL),
            "examined": self._statement(speech.examined),
            "cases": {
                name: [self._case(case) for case in cases] for name, cases in speech.cases.items()
            },
            "moves": {
                name: [
                    self._template(
                        said,
                        mover.field.location,
                        None if mover.move.relation is None else mover.move.relation.others,
                    )
                    for said, mover in zip(
                        texts,
                        (mover for mover in speech.look.movers if mover.name == name),
                        strict=True,
                    )
                ]
                for name, texts in speech.moves.items()
            },
            "made": {
                name: [
                    [
                        to_json(Reader(self.fields, at[name]).formula(atom)),
                        *(self._template(said, at[name]) for said in both),
                    ]
                    for atom, both in of.items()
                ]
                for name, of in speech.made.items()
            },
        }

    def _template(self, said: Template, at: Location, others: Location | None = None) -> list[Any]:
        """Texts, and what stands between them: a new value, those in view, or a value."""
        reader, parts = Reader(self.fields, at, others or at), list[Any]()
        for part in said:
            match part:
                case str():
                    parts.append(part)
                case New():
                    parts.append(["new"])
                case Those(relation, body, counts):
                    inner = Reader(self.fields, at, relation.others)
                    of = [reader.view(relation), inner.formula(body)]
                    parts.append(["how" if counts else "those", *map(to_json, of)])
                case Term():
                    parts.append(["value", to_json(reader.term(part))])
        return parts

    def _statement(self, statement: Statement | None) -> Any:
        if statement is None:
            return None
        return to_json(Reader(self.fields, statement.location).formula(statement.formula))

    def _case(self, case: Case) -> list[Any]:
        return [self._statement(case.when), self._template(case.said, case.when.location)]
