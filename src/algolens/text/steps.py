"""A run of one graph, step by step, for a terminal of any width.

A step is told in sentences: what it changes, and what it examines and leaves as it is. With
everything, a table follows with a row for every element: the concepts that hold, a line for each
output, and the rule that decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

from algolens.engines import Run
from algolens.language.text import plain
from algolens.logic.rule_set import RuleSet
from algolens.text.names import element_name, value_in_words
from algolens.text.outcome import outcome_summary
from algolens.text.sentences import Sentences, reasons_at

MANY = 20  # sentences of a step on one field
MOST_STEPS = 100  # of more, the first half of so many and the last are shown
INDENT = 2


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
    if everything:
        for step in shown:
            yield _told(sentences, step, None)
            yield _table(run, rules, step)
            yield Text()
    else:
        yield from _in_order(sentences, shown[: left_out.start or None])
    if left_out:
        named = f"steps {left_out.start + 1:,} to {left_out.stop:,} are left out"
        yield Text(f"{named}: --trace shows them, and --why NODE --step K one of them.\n")
        yield from _in_order(sentences, shown[left_out.stop :])
    yield Text(sentences.ending())
    yield from outcome_summary(run, everything=everything)


def _in_order(sentences: Sentences, numbers: range) -> Iterator[RenderableType]:
    """Steps in sentences; in a row that say nothing, as one line."""
    for is_idle, group in groupby(numbers, lambda step: not any(sentences.told(step, MANY))):
        some = list(group)
        if is_idle:
            first, last = some[0], some[-1]
            named = f"step {first + 1}" if first == last else f"steps {first + 1} to {last + 1}"
            yield Text(f"{named}: nothing changes.\n", "dim")
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


def _table(run: Run, rule_set: RuleSet, step: int) -> Table:
    """A step as a table of every element: a star marks what is new."""
    location = run.algorithm.declaration.location
    concepts = list(run.algorithm.declaration.concepts) if run.has_concepts else []
    headings = (location, "sees", "gives", "because")
    columns = [Column(heading, overflow="fold") for heading in headings]
    table = Table(*columns, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    outputs = {
        name: (run.shown(name, step), over_time.is_new(step, run.start.get(name)).tolist())
        for name, over_time in run.outputs.items()
    }
    because = {
        # what moves as declared is decided by no rule
        name: reasons_at(run, step, name, rule_set) if concepts and name in rule_set.rules else ()
        for name in outputs
    }
    for i in run.graph.named_order(location).tolist():
        # words, which may stand on several lines
        sees = [plain(name) for name in concepts if run.concepts[name][step][i]] or ["-"]
        gives = [
            f"{name}: {value_in_words(values[i])}{' *' * is_new[i]}"
            for name, (values, is_new) in outputs.items()
        ]
        reasons = [why[i] if why else "" for why in because.values()]
        parts = map("\n".join, (sees, gives, reasons))
        row = (element_name(run.graph, location, i), *parts)
        is_news = any(is_new[i] for _, is_new in outputs.values())
        table.add_row(*map(Text, row), style="bold green" if is_news else None)
    return table
