"""A run of one graph, step by step, for a terminal of any width.

Where there is room, a step is a table with a column for each concept, by its name; where there is
less, by a code that a legend explains, or without the concepts that never change; where there is
little, what is true of an element is a list of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby, zip_longest

import torch
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text
from torch import Tensor

from algolens.execution import Run, Stopped
from algolens.logic.formula import TEXT, Notation
from algolens.logic.rule_set import RuleSet
from algolens.terminal.names import broken_name, element_name, short_names, value_in_words
from algolens.terminal.outcome import count_in_words, outcome_summary
from algolens.terminal.reasons import because

FEW = 12  # so many rows are all shown; of more, those that change
MANY = 20  # of those that change, at most so many
MOST_STEPS = 100  # of more, the first half of so many and the last are shown
GAP = 2  # between columns
# of an element, in columns that room is kept for; a longer one takes more than one line
WIDEST_NAME = 24
WIDEST_REASON = 30  # that room is kept for
MEASURED = 10_000  # elements by whose names and values the width of columns is chosen
SAMPLED = 12  # elements whose reasons are measured

WHY_STOPPED = {
    Stopped.BY_RULE: "nothing asks for another",
    Stopped.BY_COUNT: "these are all there are",
    Stopped.BY_LIMIT: "these are the most it may take, though it asks for more",
}


def steps(
    run: Run, *, rule_set: RuleSet | None = None, everything: bool = False
) -> Iterator[RenderableType]:
    """A legend, a table for each step (concepts, outputs, and why), and the end.

    Of a network without a bottleneck there are no concepts to show, and nothing to say why. Steps
    in a row that change nothing are one line. rule_set: whose rules say why; unless given, the
    algorithm's own. everything: every step, every row of it, and lists that are not cut.
    """
    tables = _StepTables(run, rule_set or run.algorithm.declaration.rule_set, everything)
    yield _Fitted(tables.legend)
    shown = range(run.num_steps)
    left_out = range(0)
    if run.num_steps > MOST_STEPS and not everything:
        left_out = shown[MOST_STEPS // 2 : -(MOST_STEPS // 2)]
    yield from _in_tables(tables, shown[: left_out.start or None])
    if left_out:
        named = f"steps {left_out.start + 1:,} to {left_out.stop:,} are left out"
        yield Text(f"{named}: --trace shows them, and --why NODE --step K one of them.\n")
        yield from _in_tables(tables, shown[left_out.stop :])
    how = "Cut short" if run.is_cut_short[0] else "Done"
    yield Text(
        f"{how} after {count_in_words(run.num_steps, 'step')}: "
        f"{WHY_STOPPED[Stopped(int(run.stopped[0]))]}."
    )
    yield from outcome_summary(run, everything=everything)
    if not everything and run.graph.count(run.algorithm.declaration.location) > FEW:
        yield Text(
            "Only what changes is shown, and long lists are cut: --trace shows all of it.",
            style="dim",
        )


def _in_tables(tables: _StepTables, numbers: range) -> Iterator[RenderableType]:
    """Steps as tables; in a row that change nothing, as one line."""

    def nothing_changes(step: int) -> bool:
        return not tables.everything and _is_idle(tables.run, step)

    for is_idle, group in groupby(numbers, nothing_changes):
        some = list(group)
        if is_idle:
            first, last = some[0], some[-1]
            named = f"step {first + 1}" if first == last else f"steps {first + 1} to {last + 1}"
            yield Text(f"{named}: nothing changes.\n", style="dim")
        else:
            yield from (_Fitted(partial(tables.step, step)) for step in some)


@dataclass(frozen=True)
class _Fitted:
    """What is laid out once the width is known."""

    lay_out: Callable[[ConsoleOptions], Iterator[RenderableType]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.lay_out(options)


@dataclass(frozen=True)
class _Layout:
    """Which concepts have columns (None: they are lists of words), and what they are called."""

    columns: tuple[str, ...] | None
    called: dict[str, str]

    @property
    def notation(self) -> Notation:
        return replace(TEXT, name=self.called.__getitem__)


@dataclass(frozen=True, eq=False)
class _StepTables:
    """The steps of a run as tables."""

    run: Run
    rule_set: RuleSet
    everything: bool
    layouts: dict[int, _Layout] = field(default_factory=dict)  # by width, once computed

    @property
    def count(self) -> int:
        """How many elements there are."""
        return self.run.graph.count(self.run.algorithm.declaration.location)

    def name(self, i: int) -> str:
        """What an element is called."""
        return element_name(self.run.graph, self.run.algorithm.declaration.location, i)

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        return tuple(self.run.algorithm.declaration.concepts) if self.run.has_concepts else ()

    @cached_property
    def constant(self) -> dict[str, bool]:
        """Concepts that are the same of every element in every step, and what they are."""
        if not self.concepts or not self.run.num_steps or not self.count:
            return {}
        return {
            name: bool(over_time.first[0])
            for name, over_time in self.run.concepts.items()
            if not len(over_time.values) and bool((over_time.first == over_time.first[0]).all())
        }

    @property
    def explained(self) -> list[str]:
        """The outputs that a rule decides; what moves as declared is decided by none."""
        return [name for name in self.run.outputs if self.concepts and name in self.rule_set.rules]

    def layout(self, width: int) -> _Layout:
        """The first layout that there is room for."""
        if width not in self.layouts:
            self.layouts[width] = self._layout(width)
        return self.layouts[width]

    def _layout(self, width: int) -> _Layout:
        names = {name: name for name in self.rule_set.concepts}
        codes = names | short_names(self.concepts)
        changing = tuple(name for name in self.concepts if name not in self.constant)
        location = self.run.algorithm.declaration.location
        measured = range(min(self.count, MEASURED))
        widths = [min(WIDEST_NAME, max(map(cell_len, [location.value, *map(self.name, measured)])))]
        for name in self.run.outputs:
            # at the end: values on the way are seldom wider, and take more than one line where
            # they are
            values = [value_in_words(value) for value in self.run.shown(name)[:MEASURED]]
            widest = max((cell_len(value) for value in values), default=0)
            widths.append(max(cell_len(name), min(WIDEST_NAME, widest)) + 2)
        for called in (names, codes):
            reasons = self._widest_reasons(_Layout(None, called))
            for columns in (self.concepts, changing):
                heads = [
                    max(map(cell_len, broken_name(called[name]).split("\n"))) for name in columns
                ]
                wanted = [*widths, *heads, *reasons]
                if sum(wanted) + GAP * (len(wanted) - 1) <= width:
                    return _Layout(columns, called)
        return _Layout(None, names)

    def _widest_reasons(self, layout: _Layout) -> list[int]:
        """The room that reasons want: as wide as the widest of some, unless that is very wide."""
        literal = max((cell_len(name) for name in layout.called.values()), default=0) + len("~ &")
        some = [
            (step, i)
            for step in sorted({0, self.run.num_steps - 1})
            for i in range(min(SAMPLED, self.count))
            if self.run.num_steps
        ]
        widest = []
        for output in self.explained:
            reasons = [self._because(step, i, output, layout) for step, i in some]
            lengths = [min(WIDEST_REASON, cell_len(reason)) for reason in reasons]
            widest.append(max([literal, *lengths]))
        return widest

    def _because(self, step: int, i: int, output: str, layout: _Layout) -> str:
        return because(self.run, step, i, output, self.rule_set, layout.notation)

    def legend(self, options: ConsoleOptions) -> Iterator[Text]:
        """What the tables' columns stand for, and what they leave out."""
        layout = self.layout(options.max_width)
        called, lines = layout.called, []
        if layout.columns is not None:
            codes = {name: called[name] for name in layout.columns if called[name] != name}
            widest = max(map(cell_len, codes.values()), default=0)
            lines = [f"{code:>{widest + 2}}  {name}" for name, code in codes.items()]
            for of_all, words in (
                (True, "True of all, in every step"),
                (False, "True of none, in any step"),
            ):
                # with codes: reasons may speak of them
                left_out = [
                    name if called[name] == name else f"{name} ({called[name]})"
                    for name, value in self.constant.items()
                    if value is of_all and name not in layout.columns
                ]
                if left_out:
                    lines.append(f"{words}: {', '.join(left_out)}.")
        yield Text("\n".join([*lines, "A star marks what a step changes.", ""]), style="dim")

    def step(self, step: int, options: ConsoleOptions) -> Iterator[RenderableType]:
        """A step as a table: a star marks what is new."""
        layout, run = self.layout(options.max_width), self.run
        count, changed = self.count, _changed(run, step)
        is_new = torch.zeros(count, dtype=torch.bool)
        for changes in changed.values():
            is_new |= changes
        shows_all = self.everything or (count <= FEW and layout.columns is not None)
        shown = is_new if count > FEW else is_new | _sees_anew(run, step)
        rows = list(range(count)) if shows_all else shown.nonzero().flatten().tolist()
        cut = rows if shows_all else rows[:MANY]
        if layout.columns is None:
            columns, cells = self._as_lists(step, cut, changed, layout, options.max_width)
        else:
            marks = ".x" if options.ascii_only else "·●"
            columns, cells = self._as_columns(step, cut, changed, layout, marks)
        table = Table(
            *columns,
            title=f"step {step + 1}",
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, GAP - 1, 0, 0),
            pad_edge=False,
        )
        for i, row in cells:
            table.add_row(*map(Text, row), style="bold green" if is_new[i] else None)
        yield table
        if not shows_all:
            location, num_new = run.algorithm.declaration.location, int(is_new.sum())
            verb = "changes" if num_new == 1 else "change"
            more = f"; {len(cut)} are shown" if len(cut) < len(rows) else ""
            elements = count_in_words(count, location.value)
            yield Text(f"{num_new:,} of {elements} {verb}{more}.", style="dim")
        yield Text()

    def _as_columns(
        self, step: int, rows: list[int], changed: dict[str, Tensor], layout: _Layout, marks: str
    ) -> _Cells:
        """A column for each concept, and for each output with its reason."""
        run, names = self.run, layout.columns or ()
        columns = [Column(run.algorithm.declaration.location.value, overflow="fold")]
        columns += [
            Column(broken_name(layout.called[name]), justify="center", no_wrap=True)
            for name in names
        ]
        for output in run.outputs:
            columns.append(Column(output, overflow="fold"))
            if output in self.explained:
                columns.append(Column("because", overflow="fold"))
        seen = [run.concepts[name][step] for name in names]
        values = {output: run.shown(output, step) for output in run.outputs}
        filled = []
        for i in rows:
            cells = [self.name(i), *(marks[int(of_all[i])] for of_all in seen)]
            for output, of_all in values.items():
                cells.append(value_in_words(of_all[i]) + " *" * bool(changed[output][i]))
                if output in self.explained:
                    cells.append(self._because(step, i, output, layout))
            filled.append((i, cells))
        return columns, filled

    def _as_lists(
        self, step: int, rows: list[int], changed: dict[str, Tensor], layout: _Layout, width: int
    ) -> _Cells:
        """What is true of an element as a list of words, and a line for each output that is new."""
        run, widest = self.run, max(map(cell_len, self.concepts), default=0)
        location, third = run.algorithm.declaration.location, width // 3
        columns = [
            Column(location.value, overflow="fold", max_width=WIDEST_NAME),
            Column("sees", overflow="fold", min_width=min(widest, third), max_width=widest),
            Column("gives", overflow="fold", max_width=WIDEST_NAME + 8),
            Column("because", overflow="fold", min_width=min(widest + 1, third)),
        ]
        values = {output: run.shown(output, step) for output in run.outputs}
        filled = []
        for i in rows:
            seen = [name for name in self.concepts if run.concepts[name][step][i]]
            sees = [broken_name(name) if widest > third else name for name in seen]
            gives, reasons = [], []
            for output in run.outputs:
                if self.everything or bool(changed[output][i]):
                    star = " *" * bool(changed[output][i])
                    gives.append(f"{output}: {value_in_words(values[output][i])}{star}")
                    is_explained = output in self.explained
                    reasons.append(self._because(step, i, output, layout) if is_explained else "")
            lines = zip_longest([self.name(i)], sees or ["-"], gives, reasons, fillvalue="")
            filled += [(i, list(line)) for line in lines]
        return columns, filled


# the columns of a table, and the cells of each row with the element that it is of
_Cells = tuple[list[Column], list[tuple[int, list[str]]]]


def _changed(run: Run, step: int) -> dict[str, Tensor]:
    """[N] bools for each output: does it change with this step?"""
    return {
        name: over_time.is_new(step, run.start.get(name)) for name, over_time in run.outputs.items()
    }


def _sees_anew(run: Run, step: int) -> Tensor:
    """[N] bools: is another concept true of it than the step before, or at first, any?"""
    return torch.stack([over_time.is_new(step) for over_time in run.concepts.values()]).any(0)


def _is_idle(run: Run, step: int) -> bool:
    """Whether nothing that would be shown of a step is new."""
    if any(bool(changes.any()) for changes in _changed(run, step).values()):
        return False
    if run.graph.count(run.algorithm.declaration.location) > FEW:
        return True
    return step > 0 and not bool(_sees_anew(run, step).any())
