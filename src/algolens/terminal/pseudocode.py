"""A declared algorithm as pseudo-code, and which of its lines a step carries out.

The player's ``pseudocode.js`` says the same of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from algolens.algorithms import Algorithm, Declaration
from algolens.execution import Run, Stopped
from algolens.graphs import Location
from algolens.logic.going_on import Quantifier
from algolens.looks.english import in_english
from algolens.looks.exports.readable import started
from algolens.looks.speech import AROUND, CodeLine
from algolens.terminal.sentences import Sentences

INDENT = "    "


@dataclass(frozen=True)
class FiredLine:
    """A line that a step carried out, and at which elements; none where it is the whole step."""

    line: str
    at: Location | None = None
    elements: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Itself as the page has it."""
        at = None if self.at is None else self.at.value
        return {"id": self.line, "at": at, "elements": list(self.elements)}


def code_lines(algorithm: Algorithm) -> tuple[CodeLine, ...]:
    """An algorithm's lines: those that were declared, and made ones where there are none."""
    declaration = algorithm.declaration
    declared = () if declaration.speech is None else declaration.speech.lines
    by_key = {line.key: line for line in declared}
    between = [line for line in declared if line.key not in AROUND] or _made(declaration)
    start = by_key.get("start") or CodeLine("start", _start(declaration))
    repeat = by_key.get("repeat") or CodeLine("repeat", "")
    until = by_key.get("until") or CodeLine("until", _until(declaration))
    return (
        CodeLine(start.key, f"start: {start.text}"),
        CodeLine(repeat.key, f"repeat {repeat.text}".strip()),
        *between,
        CodeLine(until.key, f"until {until.text}"),
    )


def pseudocode_text(algorithm: Algorithm) -> str:
    """The lines as text."""
    return "\n".join(f"{INDENT * line.depth}{line.text}" for line in code_lines(algorithm))


def _start(declaration: Declaration) -> str:
    if declaration.seen is None:
        return "as its Python code says"
    begins = [f"{_plain(name)} is {said}" for name, said in started(declaration.seen)]
    return "; ".join(begins)


def _until(declaration: Declaration) -> str:
    """What ends the run, from the rule for going on."""
    rule, one = declaration.rule_set.continues, declaration.location.value
    if rule is None:
        limit = declaration.most_steps
        steps = "a step" if limit.times == 1 else f"{limit.times} steps"
        return f"{steps} for every {limit.counted} {'is' if limit.times == 1 else 'are'} done"
    said = in_english(rule.formula)
    ends = {Quantifier.EXISTS: "of no", Quantifier.EVERY: "not of every", Quantifier.NO: "of some"}
    return f"this holds {ends[rule.quantifier]} {one}: {said}"


def _made(declaration: Declaration) -> list[CodeLine]:
    """A line for each value that rules give, and for each field that moves."""
    lines: list[CodeLine] = []
    one = "an edge" if declaration.location is Location.EDGE else "a node"
    for output, classes in declaration.rule_set.rules.items():
        for label, rule in classes.items():
            text = f"{_plain(output)} of {one} becomes {_answer(label)} if {in_english(rule)}"
            lines.append(CodeLine(str(len(lines)), text, field=(output, label)))
    movers = () if declaration.seen is None else declaration.seen.movers
    for name in dict.fromkeys(mover.name for mover in movers):
        moves = [str(mover.move) for mover in movers if mover.name == name]
        text = f"{_plain(name)} becomes {', or else '.join(moves)}"
        lines.append(CodeLine(str(len(lines)), text, field=(name, None)))
    return lines


def _answer(label: str) -> str:
    return {"true": "yes", "false": "no"}.get(label, label)


def _plain(name: str) -> str:
    return name.replace("_", " ")


def fired(run: Run, step: int, sentences: Sentences | None = None) -> list[FiredLine]:
    """The lines that a step of a run carries out, in order. step: from 0 on."""
    told = sentences or Sentences(run)
    seen, declaration = told.seen(step), run.algorithm.declaration
    found = [FiredLine("repeat")]
    for line in code_lines(run.algorithm):
        at, elements = None, []
        if line.when is not None and seen is not None:
            at = line.when.location
            elements = [i for i, is_so in enumerate(seen.of_all(line.when)) if is_so]
        elif line.field is not None:
            name, label = line.field
            at, kind = declaration.predicted[name].location, declaration.predicted[name].kind
            elements = [
                i
                for i in told.changed(step, name)
                if label is None or kind.labels[int(run[name][step][i])] == label
            ]
        if elements:
            found.append(FiredLine(line.key, at, tuple(elements)))
    is_last = step == run.num_steps - 1 and Stopped(int(run.stopped[0])) is not Stopped.BY_LIMIT
    return [*found, FiredLine("until")] if is_last else found
