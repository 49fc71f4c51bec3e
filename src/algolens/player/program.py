"""What a page carries out and explains: a program's nodes as JSON, its words with such nodes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from algolens.algorithms import Algorithm, Declaration
from algolens.algorithms._program import Reader, to_program
from algolens.graphs import Location
from algolens.language import ir
from algolens.language.lower import lower
from algolens.logic.rule_set import RuleSet
from algolens.looks.phrases import Case, New, Those
from algolens.looks.speech import UNTIL, CodeLine, Speech
from algolens.looks.statement import Statement
from algolens.looks.terms import Term

# of a column, of whom; of a view, who is meant
DEFAULTS = {"Get": ("of", {"type": "Me"}), "View": ("it", {"type": "It"})}
MOST_EXACT = 2**53  # JavaScript's numbers are exact below; larger ones are written as text


def look_data(algorithm: Algorithm) -> dict[str, Any]:
    """What is seen and how it moves: as it is written, and lowered; nothing of one in Python."""
    if algorithm.declaration.seen is None:
        return {"program": None, "lowered": None}
    program, _ = _parts(algorithm, None)
    shown = ("inputs", "state", "lets", "becomes")
    written = {name: to_json(getattr(program, name)) for name in shown}
    return {"program": written, "lowered": _lowered(program)}


def rules_data(algorithm: Algorithm, rule_set: RuleSet) -> dict[str, Any]:
    """What rules decide, and whether they go on: as they are written, and lowered."""
    declaration = algorithm.declaration
    rules = Written(declaration).rules(rule_set)
    if declaration.seen is None:
        return {**rules, "lowered": None}
    own = rule_set == declaration.rule_set
    return {**rules, "lowered": _lowered(_parts(algorithm, None if own else rule_set)[1])}


def _parts(algorithm: Algorithm, rule_set: RuleSet | None) -> tuple[ir.Program, ir.Program]:
    """What is seen and how it moves; what rules make of that, which may be set by hand before."""
    declaration = algorithm.declaration
    whole = to_program(algorithm.name, declaration, rule_set)
    assert declaration.seen is not None
    moved = {mover.name for mover in declaration.seen.movers}
    look, rules = (
        replace(
            whole,
            lets=tuple(let for let in whole.lets if (let.name == ir.GOES_ON) is decides),
            becomes=tuple(let for let in whole.becomes if (let.name not in moved) is decides),
        )
        for decides in (False, True)
    )
    return look, replace(rules, start=())


def _lowered(program: ir.Program) -> dict[str, Any]:
    lowered = lower(program)
    return {name: to_json(getattr(lowered, name)) for name in ("start", "lets", "becomes")}


def to_json(value: Any) -> Any:
    """Nodes as JSON."""
    return exact_json(msgspec.to_builtins(value))


def exact_json(value: Any) -> Any:
    """The same JSON, large numbers as text, without what the page takes for granted."""
    if isinstance(value, dict):
        default = DEFAULTS.get(str(value.get("type")))
        parts = (pair for pair in value.items() if pair != default)
        return {name: exact_json(part) for name, part in parts}
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
            "when": self._said(line.when),
            "field": line.field,
        }

    def speech(self, speech: Speech) -> dict[str, Any]:
        """All that is said, for the page, which has no parser: phrases as parts."""
        moves: dict[str, list[Any]] = {name: [] for name in speech.moves}
        for mover in speech.look.movers:
            if mover.name in moves:
                relation, said = mover.move.relation, moves[mover.name]
                others = None if relation is None else relation.others
                text = speech.moves[mover.name][len(said)]
                said.append(self._said(text, mover.field.location, others))
        made = {}
        for each in speech.look.statements:
            reader, of = Reader(self.fields, each.location), speech.made[each.name]
            made[each.name] = [
                [to_json(reader.formula(atom)), *(self._said(said, each.location) for said in both)]
                for atom, both in of.items()
            ]
        return {
            "order": list(speech.words.phrases),
            "states": dict(speech.words.states),
            "names": dict(speech.words.names),
            "until": speech.words.lines.get("until", UNTIL),
            "examined": self._said(speech.examined),
            "cases": {name: self._said(cases) for name, cases in speech.cases.items()},
            "moves": moves,
            "made": made,
        }

    def _said(self, said: Any, at: Location | None = None, others: Location | None = None) -> Any:
        """Statements and phrases; at, others: where those sit that phrases speak of."""
        reader = Reader(self.fields, at or self.location, others or at)
        match said:
            case Statement():
                return to_json(Reader(self.fields, said.location).formula(said.formula))
            case Case(when, text):
                return [self._said(when), self._said(text, when.location)]
            case New():
                return ["new"]
            case Those(relation, body, counts):
                inner = Reader(self.fields, reader.at, relation.others)
                of = (reader.view(relation), inner.formula(body))
                return ["how" if counts else "those", *map(to_json, of)]
            case Term():
                return ["value", to_json(reader.term(said))]
            case tuple():
                return [self._said(part, at, others) for part in said]
        return said
