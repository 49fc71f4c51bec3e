"""A declared algorithm as pseudo-code, and which of its lines a step carries out.

The player's ``pseudocode.js`` says the same of a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from algolens.algorithms import Algorithm
from algolens.engines import Run, Stopped
from algolens.graphs import Location
from algolens.language.words import CodeLine
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
    speech = algorithm.declaration.speech
    return (
        (CodeLine("start", "start: as its Python code says"),) if speech is None else speech.lines
    )


def pseudocode_text(algorithm: Algorithm) -> str:
    """The lines as text."""
    return "\n".join(f"{INDENT * line.depth}{line.text}" for line in code_lines(algorithm))


def fired(run: Run, step: int, sentences: Sentences | None = None) -> list[FiredLine]:
    """The lines that a step of a run carries out, in order. step: from 0 on."""
    told = sentences or Sentences(run)
    seen = told.seen(step)
    found = [FiredLine("repeat")]
    for line in code_lines(run.algorithm):
        elements: list[int] = []
        if line.changed is not None:
            elements = told.changed(step, line.changed)
        elif line.when is not None and line.at is not None and seen is not None:
            elements = seen.all(line.when, line.at).nonzero()[0].tolist()
        if elements and line.at is not None:
            found.append(FiredLine(line.key, Location(line.at), tuple(elements)))
    is_last = step == run.num_steps - 1 and Stopped(int(run.stopped[0])) is not Stopped.BY_LIMIT
    return [*found, FiredLine("until")] if is_last else found
