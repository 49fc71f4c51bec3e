"""A run of one graph, step by step, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from itertools import groupby
from typing import Any

import torch
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from torch import Tensor

from algolens.execution import Run, Stopped
from algolens.fields import Number
from algolens.graphs import Location
from algolens.graphs.attributes import ExactNumber, exact_number
from algolens.logic import Program, reason
from algolens.logic.printing import TEXT, Notation, write

FEW = 12  # so many rows are all shown; of more, those that change
MANY = 20  # of those that change, at most so many
MOST_DIGITS = 50  # of a sum of decimals

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
    if short:
        yield Text("\n".join(f"{abbreviation:>5}  {name}" for name, abbreviation in short.items()), style="dim")
    for is_idle, group in groupby(range(run.num_steps), lambda step: not everything and _is_idle(run, step)):
        numbers = list(group)
        if is_idle:
            yield Text(f"{_numbered(numbers)}: nothing changes.\n", style="dim")
        else:
            yield from (_step(run, step, short, program, everything=everything) for step in numbers)
    yield Text(f"Done after {counted(run.num_steps, 'step')}: {WHY_STOPPED[Stopped(int(run.stopped[0]))]}.")
    yield from map(Text, results(run))


def results(run: Run) -> Iterator[str]:
    """The outcome; the nodes or edges of each class when all is done, masks only where true; what each pointer and number is.

    Of edges with numbers, also their sum.
    """
    declaration, numbers = run.algorithm.declaration, _numbers(run)
    yield from (f"{name}: {_in_words(bool(value[0]))}" for name, value in run.outcomes.items())
    for name, kind in declaration.outputs.items():
        if not kind.labels:
            told = enumerate(map(_in_words, run.shown(name)))
            sign = "=" if isinstance(kind, Number) else "→"
            yield f"{name}: " + ", ".join(f"{run.graph.name_at(declaration.location, i)} {sign} {value}" for i, value in told)
        final, is_mask = run.final(name).long(), kind.dtype is torch.bool
        for label in kind.labels[1:] if is_mask else kind.labels:
            members = (final == kind.labels.index(label)).nonzero().flatten().tolist()
            if members or is_mask:
                named = ", ".join(_with_numbers(run, i, numbers) for i in members) or "none"
                yield f"{name if is_mask else f'{name} {label}'}: {named}"
            if is_mask:
                yield from (f"total {number}: {_sum(values, members)}" for number, values in numbers.items())


def counted(number: int, what: str) -> str:
    """So many of something.

    >>> counted(1, "node"), counted(2, "edge")
    ('1 node', '2 edges')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Concepts abbreviated as in the paper, or whole where two would be alike.

    >>> short_names(["has_been_visited", "color_1_seen"])
    {'has_been_visited': 'hBV', 'color_1_seen': 'c1S'}
    """
    initials = {name: "".join(word[:1].upper() for word in name.split("_")) for name in names}
    short = {name: letters[:1].lower() + letters[1:] for name, letters in initials.items()}
    return short if len(set(short.values())) == len(short) else {name: name for name in names}


def because(run: Run, step: int, i: int, output: str, program: Program, notation: Notation = TEXT) -> str:
    """The part of a program's rule that gave an output at a step; where the rule fails, what stood against it."""
    declaration = run.algorithm.declaration
    seen = dict(zip(declaration.concepts, run.concepts[step, i].tolist(), strict=True))
    rule = program.rules[output][declaration.outputs[output].labels[int(run.outputs[output][step, i])]]
    return ("" if rule.evaluate(seen) else "although ") + write(reason(rule, seen), notation)


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
    values = {output: run.shown(output, step) for output in declaration.outputs}
    for i in rows if shows_all else rows[:MANY]:
        table.add_row(*map(Text, _row(run, step, i, short, program, values)), style="bold green" if bool(changed[i]) else None)
    if shows_all:
        return table
    shown = f"; {MANY} are shown" if len(rows) > MANY else ""
    verb = "changes" if len(rows) == 1 else "change"
    return Group(table, Text(f"{len(rows)} of {counted(count, declaration.location.value)} {verb}{shown}.\n", style="dim"))


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


def _in_words(value: Any) -> str:
    """A value of an output in a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _row(run: Run, step: int, i: int, short: dict[str, str], program: Program, shown: Mapping[str, Sequence[Any]]) -> list[str]:
    declaration = run.algorithm.declaration
    cells = [run.graph.name_at(declaration.location, i)]
    if short:
        cells += ["●" if value else "·" for value in run.concepts[step, i].tolist()]
    for output, values in shown.items():
        cells.append(_in_words(values[i]))
        if short and output in program.rules:
            cells.append(because(run, step, i, output, program, replace(TEXT, name=short.__getitem__)))
    return cells


def _with_numbers(run: Run, i: int, numbers: Mapping[str, Sequence[ExactNumber]]) -> str:
    written = ", ".join(_written(values[i]) for values in numbers.values())
    return run.graph.name_at(run.algorithm.declaration.location, i) + (f" ({written})" if written else "")


def _numbers(run: Run) -> dict[str, list[ExactNumber]]:
    """The numbers of edges that were read, as the user gave them where they did; of an algorithm on nodes, none."""
    declaration = run.algorithm.declaration
    return {
        name: _given(run, name)
        for name, field in declaration.inputs.items()
        if field.location is declaration.location is Location.EDGE and isinstance(field.kind, Number)
    }


def _given(run: Run, name: str) -> list[ExactNumber]:
    used: list[ExactNumber] = run.inputs[name].tolist()
    given = [exact_number(value) for value in run.graph.edge_attributes.get(name, run.inputs[name]).tolist()]
    return [number if number is not None else own for number, own in zip(given, used, strict=True)]


def _sum(values: Sequence[ExactNumber], members: Sequence[int]) -> str:
    """As in decimals written on paper: exactly, or so called where it has too many digits."""
    chosen = [values[i] for i in members]
    if all(isinstance(value, int) for value in chosen):
        return _written(sum(chosen))
    with localcontext(Context(prec=MOST_DIGITS, traps=[])) as context:
        total = sum(map(_decimal, chosen), Decimal(0)).normalize()
        written = str(int(total)) if total == total.to_integral_value() and total.adjusted() < MOST_DIGITS else str(total)
        return f"about {written}" if context.flags[Inexact] else written


def _decimal(value: ExactNumber) -> Decimal:
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / value.denominator
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _written(value: ExactNumber) -> str:
    return (
        repr(value).removesuffix(".0") if isinstance(value, float) else str(Decimal(value) if isinstance(value, int) else value)
    )
