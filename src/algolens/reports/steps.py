"""A run of one graph, step by step, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import torch
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from torch import Tensor

from algolens.execution import Run, Stopped
from algolens.extraction.why import why_output
from algolens.logic import Program
from algolens.logic.printing import TEXT, Notation, write
from algolens.reports.summary import counted, summary, value_in_words

FEW = 12  # so many rows are all shown; of more, those that change
MANY = 20  # of those that change, at most so many
MOST_LETTERS = 4  # of a concept's last word in its abbreviation

WHY_STOPPED = {
    Stopped.BY_RULE: "nothing asks for another",
    Stopped.BY_COUNT: "these are all there are",
    Stopped.BY_LIMIT: "these are the most it may take, though it asks for more",
}


def steps(run: Run, *, program: Program | None = None, everything: bool = False) -> Iterator[RenderableType]:
    """A legend, a table for each step (the concepts seen, the output, the part of the rule that gave it), and the end.

    Of a network without a bottleneck there are no concepts to show, and nothing to say why. Steps in a row that change nothing
    are one line. program: whose rules say why; unless given, the algorithm's own. everything: every step, and every row of it.
    """
    program = program or run.algorithm.declaration.program
    short = short_names(run.algorithm.declaration.concepts) if run.has_concepts else {}
    if any(name != abbreviation for name, abbreviation in short.items()):
        yield Text("\n".join(f"{abbreviation:>5}  {name}" for name, abbreviation in short.items()), style="dim")
    for is_idle, group in groupby(range(run.num_steps), lambda step: not everything and _is_idle(run, step)):
        numbers = list(group)
        if is_idle:
            yield Text(f"{_numbered(numbers)}: nothing changes.\n", style="dim")
        else:
            yield from (_step(run, step, short, program, everything=everything) for step in numbers)
    yield Text(f"Done after {counted(run.num_steps, 'step')}: {WHY_STOPPED[Stopped(int(run.stopped[0]))]}.")
    yield from summary(run)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Concepts abbreviated as in the paper; by more letters of their last words, or whole, where two would be alike.

    >>> short_names(["has_been_visited", "color_1_seen"])
    {'has_been_visited': 'hBV', 'color_1_seen': 'c1S'}
    >>> short_names(["is_alive", "has_two", "has_three"])
    {'is_alive': 'iAl', 'has_two': 'hTw', 'has_three': 'hTh'}
    """
    for letters in range(1, MOST_LETTERS + 1):
        short = {name: _initials(name.split("_"), letters) for name in names}
        if len(set(short.values())) == len(short):
            return short
    return {name: name for name in names}


def _initials(words: Sequence[str], letters: int) -> str:
    """The first letter of each word, and so many of the last."""
    joined = "".join(word[:1].upper() for word in words[:-1]) + words[-1][:1].upper() + words[-1][1:letters]
    return joined[:1].lower() + joined[1:]


def because(run: Run, step: int, i: int, output: str, program: Program, notation: Notation = TEXT) -> str:
    """The part of a program's rule that gave an output at a step; where the rule fails, what stood against it."""
    found = why_output(run, step, i, output, program)
    return ("" if found.holds else "although ") + write(found.reason, notation)


def _step(run: Run, step: int, short: dict[str, str], program: Program, *, everything: bool) -> RenderableType:
    declaration = run.algorithm.declaration
    count, changed = run.graph.count(declaration.location), _changed(run, step)
    shows_all = everything or count <= FEW
    rows = list(range(count)) if shows_all else changed.nonzero().flatten().tolist()
    table = Table(title=f"step {step + 1}", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column(declaration.location.value)
    for abbreviation in short.values():
        table.add_column(abbreviation, justify="center")
    for output in declaration.outputs:
        table.add_column(output)
        if short and output in program.rules:  # what moves as declared is decided by no rule
            table.add_column("because", overflow="fold")
    shown = {output: run.shown(output, step) for output in declaration.outputs}
    for i in rows if shows_all else rows[:MANY]:
        table.add_row(*map(Text, _row(run, step, i, short, program, shown)), style="bold green" if bool(changed[i]) else None)
    if shows_all:
        return table
    cut = f"; {MANY} are shown" if len(rows) > MANY else ""
    verb = "changes" if len(rows) == 1 else "change"
    return Group(table, Text(f"{len(rows)} of {counted(count, declaration.location.value)} {verb}{cut}.\n", style="dim"))


def _changed(run: Run, step: int) -> Tensor:
    """[N] bools: does an output change with this step?"""
    changed = torch.zeros(run.graph.count(run.algorithm.declaration.location), dtype=torch.bool)
    for name, values in run.outputs.items():
        before = values[step - 1] if step else run.start.get(name, torch.zeros_like(values[0]))
        changed |= values[step] != before
    return changed


def _is_idle(run: Run, step: int) -> bool:
    """Whether nothing that would be shown of a step is new: the outputs, and where all rows are shown, the concepts."""
    if bool(_changed(run, step).any()):
        return False
    if run.graph.count(run.algorithm.declaration.location) > FEW:
        return True
    return step > 0 and bool((run.concepts[step] == run.concepts[step - 1]).all())


def _numbered(steps: Sequence[int]) -> str:
    first, last = steps[0] + 1, steps[-1] + 1
    return f"step {first}" if first == last else f"steps {first} to {last}"


def _row(run: Run, step: int, i: int, short: dict[str, str], program: Program, shown: Mapping[str, Sequence[Any]]) -> list[str]:
    declaration = run.algorithm.declaration
    cells = [run.graph.name_at(declaration.location, i)]
    if short:
        cells += ["●" if value else "·" for value in run.concepts[step, i].tolist()]
    for output, values in shown.items():
        cells.append(value_in_words(values[i]))
        if short and output in program.rules:
            cells.append(because(run, step, i, output, program, replace(TEXT, name=short.__getitem__)))
    return cells
