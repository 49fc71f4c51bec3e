"""A run of one graph, step by step, for a terminal of any width.

A step is told in sentences: what it changes, and what it examines and leaves as it is. With
everything, a table follows with a row for every element: the concepts that hold, a line for each
output, and the rule that decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby, zip_longest

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

from algolens.engines import Run
from algolens.logic.rule_set import RuleSet
from algolens.terminal.names import broken_name, element_name, value_in_words
from algolens.terminal.outcome import outcome_summary
from algolens.terminal.reasons import because
from algolens.terminal.sentences import Sentences

MANY = 20  # sentences of a step on one field
MOST_STEPS = 100  # of more, the first half of so many and the last are shown
INDENT = 2
GAP = 2  # between columns
WIDEST_NAME = 24  # of an element, in columns; a longer one takes more than one line


def steps(
    run: Run, *, rule_set: RuleSet | None = None, everything: bool = False
) -> Iterator[RenderableType]:
    """Every step in sentences, and the end.

    Steps in a row that change nothing are one line. rule_set: whose rules say why; unless given,
    the algorithm's own. everything: every step, with a table of every element, its concepts, and
    the rule that decided; and lists that are not cut.
    """
    rules = rule_set or run.algorithm.declaration.rule_set
    sentences = Sentences(run, rules)
    shown = range(run.num_steps)
    left_out = range(0)
    if run.num_steps > MOST_STEPS and not everything:
        left_out = shown[MOST_STEPS // 2 : -(MOST_STEPS // 2)]
    tables = _StepTables(run, rules) if everything else None
    yield from _in_order(sentences, shown[: left_out.start or None], tables)
    if left_out:
        named = f"steps {left_out.start + 1:,} to {left_out.stop:,} are left out"
        yield Text(f"{named}: --trace shows them, and --why NODE --step K one of them.\n")
        yield from _in_order(sentences, shown[left_out.stop :], tables)
    yield Text(sentences.ending())
    yield from outcome_summary(run, everything=everything)


def _in_order(
    sentences: Sentences, numbers: range, tables: _StepTables | None
) -> Iterator[RenderableType]:
    """Steps in sentences; in a row that say nothing, as one line."""
    if tables is not None:
        for step in numbers:
            yield _told(sentences, step, None)
            yield _Fitted(partial(tables.step, step))
        return
    for is_idle, group in groupby(numbers, lambda step: not any(sentences.told(step, 1))):
        some = list(group)
        if is_idle:
            first, last = some[0], some[-1]
            named = f"step {first + 1}" if first == last else f"steps {first + 1} to {last + 1}"
            yield Text(f"{named}: nothing changes.\n", style="dim")
        else:
            yield from (_told(sentences, step, MANY) for step in some)


def _told(sentences: Sentences, step: int, most: int | None) -> RenderableType:
    """The sentences of a step under its number. most: of one field."""
    lines = [
        _Indented(Text(told.sentence, "bold red" if told.is_against else ""))
        for told in sentences.told(step, most)
    ]
    more = [
        f"and {len(changed) - most:,} more, of which {name.replace('_', ' ')} changes"
        for name in sentences.names
        for changed in [sentences.changed(step, name)]
        if most is not None and len(changed) > most
    ]
    rest = [_Indented(Text(text, "dim")) for text in more]
    return Group(Text(f"step {step + 1}", "bold"), *lines, *rest, Text())


@dataclass(frozen=True)
class _Indented:
    """A sentence under the number of its step; further lines of it stand further in."""

    sentence: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, options.max_width - 2 * INDENT)
        for place, line in enumerate(self.sentence.wrap(console, width, overflow="fold")):
            line.rstrip()
            yield Text(" " * INDENT * (1 if place == 0 else 2)) + line


@dataclass(frozen=True)
class _Fitted:
    """What is laid out once the width is known."""

    lay_out: Callable[[ConsoleOptions], Iterator[RenderableType]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.lay_out(options)


@dataclass(frozen=True, eq=False)
class _StepTables:
    """The steps of a run as tables."""

    run: Run
    rule_set: RuleSet

    def name(self, i: int) -> str:
        """What an element is called."""
        return element_name(self.run.graph, self.run.algorithm.declaration.location, i)

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        return tuple(self.run.algorithm.declaration.concepts) if self.run.has_concepts else ()

    @property
    def explained(self) -> list[str]:
        """The outputs that a rule decides; what moves as declared is decided by none."""
        return [name for name in self.run.outputs if self.concepts and name in self.rule_set.rules]

    def step(self, step: int, options: ConsoleOptions) -> Iterator[RenderableType]:
        """A step as a table: a star marks what is new."""
        run = self.run
        changed = {
            name: over_time.is_new(step, run.start.get(name)).tolist()
            for name, over_time in run.outputs.items()
        }
        columns, cells = self._cells(step, changed, options.max_width)
        table = Table(
            *columns,
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, GAP - 1, 0, 0),
            pad_edge=False,
        )
        for i, row in cells:
            is_new = any(news[i] for news in changed.values())
            table.add_row(*map(Text, row), style="bold green" if is_new else None)
        yield table
        yield Text()

    def _cells(self, step: int, changed: dict[str, list[bool]], width: int) -> _Cells:
        """What is true of an element as a list of words, and a line for each output."""
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
        for i in run.graph.named_order(location).tolist():
            seen = [name for name in self.concepts if run.concepts[name][step][i]]
            sees = [broken_name(name) if widest > third else name for name in seen]
            gives = [
                f"{output}: {value_in_words(of_all[i])}{' *' * changed[output][i]}"
                for output, of_all in values.items()
            ]
            reasons = [
                because(run, step, i, output, self.rule_set) if output in self.explained else ""
                for output in run.outputs
            ]
            lines = zip_longest([self.name(i)], sees or ["-"], gives, reasons, fillvalue="")
            filled += [(i, list(line)) for line in lines]
        return columns, filled


# the columns of a table, and the cells of each row with the element that it is of
_Cells = tuple[list[Column], list[tuple[int, list[str]]]]
