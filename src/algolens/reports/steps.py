"""A run of one graph, step by step, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from algolens.execution import Run, Stopped
from algolens.graphs import Graph, Location
from algolens.logic import reason
from algolens.logic.printing import TEXT, write

FEW = 12  # so many rows are all shown; of more, those that change
MANY = 20  # of those that change, at most so many

WHY_STOPPED = {
    Stopped.BY_RULE: "nothing asks for another",
    Stopped.BY_COUNT: "these are all there are",
    Stopped.BY_LIMIT: "these are the most it may take, though it asks for more",
}


def steps(run: Run) -> Iterator[RenderableType]:
    """A legend, a table for each step (the concepts seen, the output, the part of the rule that gave it), and the end."""
    short = short_names(run.algorithm.declaration.concepts)
    yield Text("\n".join(f"{abbreviation:>5}  {name}" for name, abbreviation in short.items()), style="dim")
    for step in range(run.num_steps):
        yield _step(run, step, short)
    plural = "" if run.num_steps == 1 else "s"
    yield Text(f"Done after {run.num_steps} step{plural}: {WHY_STOPPED[Stopped(int(run.stopped[0]))]}.")
    for name in run.outputs:
        yield Text(_summary(run, name))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Concepts abbreviated as in the paper, or whole where two would be alike.

    >>> short_names(["has_been_visited", "color_1_seen"])
    {'has_been_visited': 'hBV', 'color_1_seen': 'c1S'}
    """
    initials = {name: "".join(word[:1].upper() for word in name.split("_")) for name in names}
    short = {name: letters[:1].lower() + letters[1:] for name, letters in initials.items()}
    return short if len(set(short.values())) == len(short) else {name: name for name in names}


def element_name(graph: Graph, location: Location, i: int) -> str:
    """What a user calls a node or an edge."""
    if location is Location.NODE:
        return graph.name_of(i)
    return " - ".join(graph.name_of(int(node)) for node in graph.edges[:, i])


def _step(run: Run, step: int, short: dict[str, str]) -> RenderableType:
    declaration = run.algorithm.declaration
    count = run.graph.count(declaration.location)
    changed = torch.zeros(count, dtype=torch.bool)
    for name, values in run.outputs.items():
        before = values[step - 1] if step else run.start.get(name, torch.zeros_like(values[0]))
        changed |= values[step] != before
    rows = list(range(count)) if count <= FEW else changed.nonzero().flatten().tolist()
    table = Table(title=f"step {step + 1}", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column(declaration.location.value)
    for abbreviation in short.values():
        table.add_column(abbreviation, justify="center")
    for output in declaration.outputs:
        table.add_column(output)
        table.add_column("because", overflow="fold")
    for i in rows[:MANY]:
        table.add_row(*map(Text, _row(run, step, i, short)), style="bold green" if bool(changed[i]) else None)
    if count <= FEW:
        return table
    shown = f"; {MANY} are shown" if len(rows) > MANY else ""
    return Group(table, Text(f"{len(rows)} of {count} {declaration.location.value}s change{shown}.\n", style="dim"))


def _row(run: Run, step: int, i: int, short: dict[str, str]) -> list[str]:
    declaration = run.algorithm.declaration
    seen = dict(zip(declaration.concepts, run.concepts[step, i].tolist(), strict=True))
    cells = [element_name(run.graph, declaration.location, i)]
    cells += ["●" if value else "·" for value in seen.values()]
    for output, kind in declaration.outputs.items():
        value = run.outputs[output][step, i].item()
        rule = declaration.program.rules[output][kind.labels[int(value)]]
        shown = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        cells += [shown, write(reason(rule, seen), replace(TEXT, name=short.__getitem__))]
    return cells


def _summary(run: Run, name: str) -> str:
    """The nodes or edges of each class at the end, masks only where true."""
    declaration = run.algorithm.declaration
    kind, final = declaration.outputs[name], run.final(name).long()
    lines = []
    for label in kind.labels if kind.dtype is not torch.bool else kind.labels[1:]:
        members = (final == kind.labels.index(label)).nonzero().flatten().tolist()
        if members:
            names = ", ".join(element_name(run.graph, declaration.location, i) for i in members[:MANY])
            more = f", ... ({len(members)} in all)" if len(members) > MANY else ""
            lines.append(f"{name} {label if kind.dtype is not torch.bool else ''}".rstrip() + f": {names}{more}")
    return "\n".join(lines)
