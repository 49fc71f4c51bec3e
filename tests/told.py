"""What the page's own code says of a run, as Python has it: sentences, and lines of pseudo-code."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from algolens.engines import Run, Stopped
from algolens.graphs import At
from algolens.text.declared import code_lines
from algolens.text.sentences import Sentences, Told


def told_json(told: Told) -> dict[str, Any]:
    """A sentence as the page has it."""
    said = {**asdict(told), "at": told.at}
    flags = {"isAgainst": said.pop("is_against"), "isSilent": said.pop("is_silent")}
    return {**said, **flags}


@dataclass(frozen=True)
class FiredLine:
    """A line that a step carried out, and at which elements; none where it is the whole step."""

    line: str
    at: At | None = None
    elements: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Itself as the page has it."""
        at = None if self.at is None else self.at
        return {"id": self.line, "at": at, "elements": list(self.elements)}


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
            found.append(FiredLine(line.key, line.at, tuple(elements)))
    is_last = step == run.num_steps - 1 and Stopped(int(run.stopped[0])) is not Stopped.BY_LIMIT
    return [*found, FiredLine("until")] if is_last else found
