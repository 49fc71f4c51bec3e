"""A run of one graph, step by step, for a terminal of any width.

Where there is room, a step is a table with a column for each concept, by its name; where there is
less, by a code that a legend explains, or without the concepts that never change; where there is
little, what is true of an element is a list of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, zip_longest

import torch
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text
from torch import Tensor

from algolens.execution import Run, Stopped
from algolens.extraction.why import why_output
from algolens.logic.printing import TEXT, Notation, formula_text
from algolens.logic.rule_set import RuleSet
from algolens.terminal.names import element_name, value_in_words
from algolens.terminal.outcome import count_in_words, outcome_summary

FEW = 12  # so many rows are all shown; of more, those that change
MANY = 20  # of those that change, at most so many
MOST_LETTERS = 4  # of a concept's last word in its code
GAP = 2  # between columns
# of an element, in columns that room is kept for; a longer one takes more than one line
WIDEST_NAME = 24
WIDEST_REASON = 30  # that room is kept for
SAMPLED = 12  # elements whose reasons are measured

WHY_STOPPED = {
    Stopped.BY_RULE: "nothing asks for another",
    Stopped.BY_COUNT: "these are all there are",
    Stopped.BY_LIMIT: "these are the most it may take, though it asks for more",
}


def steps(
    run: Run, *, rule_set: RuleSet | None = None, everything: bool = False
) -> Iterator[RenderableType]:
    """A legend, a table for each step (the concepts seen, the output, the part of the rule that
    gave it), and the end.

    Of a network without a bottleneck there are no concepts to show, and nothing to say why. Steps
    in a row that change nothing are one line. rule_set: whose rules say why; unless given, the
    algorithm's own. everything: every step, every row of it, and lists that are not cut.
    """
    told = _Told(run, rule_set or run.algorithm.declaration.rule_set, everything)
    yield _Legend(told)
    for is_idle, group in groupby(
        range(run.num_steps), lambda step: not everything and _is_idle(run, step)
    ):
        numbers = list(group)
        if is_idle:
            yield Text(f"{_numbered(numbers)}: nothing changes.\n", style="dim")
        else:
            yield from (_Step(told, step) for step in numbers)
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


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Codes of concepts, as in the paper; by more letters of their last words, or whole, where two
    would be alike.

    >>> short_names(["has_been_visited", "color_1_seen", "color_12_seen"])
    {'has_been_visited': 'hBV', 'color_1_seen': 'c1S', 'color_12_seen': 'c12S'}
    >>> short_names(["is_alive", "has_two", "has_three"])
    {'is_alive': 'iA', 'has_two': 'hTw', 'has_three': 'hTh'}
    """
    codes = {
        name: [*(_initials(name, letters) for letters in range(1, MOST_LETTERS + 1)), name]
        for name in names
    }
    while True:
        alike = Counter(found[0] for found in codes.values())
        longer = [found for found in codes.values() if alike[found[0]] > 1 and len(found) > 1]
        if not longer:
            return {name: found[0] for name, found in codes.items()}
        for found in longer:
            del found[0]


def _initials(name: str, letters: int) -> str:
    """The first letter of each word, so many of the last, and numbers whole."""
    *words, last = [word for word in name.split("_") if word] or [name]
    initials = [word if word.isdecimal() else word[:1].upper() for word in words]
    joined = "".join(initials) + (last if last.isdecimal() else last[:1].upper() + last[1:letters])
    return joined[:1].lower() + joined[1:]


def because(
    run: Run, step: int, i: int, output: str, rule_set: RuleSet, notation: Notation = TEXT
) -> str:
    """The part of a rule set's rule that gave an output at a step; where the rule fails, what stood
    against it.
    """
    found = why_output(run, step, i, output, rule_set)
    return ("" if found.holds else "although ") + formula_text(found.reason, notation)


# ---- how a run is laid out


@dataclass(frozen=True)
class _Layout:
    """Which concepts have columns, and what they are called. Without columns, what is true is a
    list of words.
    """

    columns: tuple[str, ...] | None
    called: dict[str, str]

    @property
    def notation(self) -> Notation:
        return replace(TEXT, name=self.called.__getitem__)

    def both(self, name: str) -> str:
        """A concept's name, with its code where it has one: reasons may speak of it."""
        return name if self.called[name] == name else f"{name} ({self.called[name]})"


@dataclass(frozen=True, eq=False)
class _Told:
    """A run, and how much of it is told."""

    run: Run
    rule_set: RuleSet
    everything: bool
    layouts: dict[int, _Layout] = field(default_factory=dict)  # by width, once found

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        return tuple(self.run.algorithm.declaration.concepts) if self.run.has_concepts else ()

    @cached_property
    def constant(self) -> dict[str, bool]:
        """Concepts that are the same of every element in every step, and what they are."""
        if not self.concepts or not self.run.concepts.numel():
            return {}
        every, some = (
            self.run.concepts.flatten(0, 1).all(0).tolist(),
            self.run.concepts.flatten(0, 1).any(0).tolist(),
        )
        return {name: every[i] for i, name in enumerate(self.concepts) if every[i] == some[i]}

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
        for called in (names, codes):
            reasons = self._widest_reasons(_Layout(None, called))
            for columns in (self.concepts, changing):
                heads = [max(map(cell_len, _broken(called[name]).split("\n"))) for name in columns]
                widths = [
                    min(WIDEST_NAME, self._widest_element),
                    *heads,
                    *self._widest_values.values(),
                    *reasons,
                ]
                if sum(widths) + GAP * (len(widths) - 1) <= width:
                    return _Layout(columns, called)
        return _Layout(None, names)

    def _widest_reasons(self, layout: _Layout) -> list[int]:
        """The room that reasons want: as wide as the widest of some, unless that is very wide."""
        literal = max((cell_len(name) for name in layout.called.values()), default=0) + len("~ &")
        places = range(min(SAMPLED, self.run.graph.count(self.run.algorithm.declaration.location)))
        steps = sorted({0, self.run.num_steps - 1}) if self.run.num_steps else []
        return [
            max(
                [
                    literal,
                    *(
                        min(
                            WIDEST_REASON,
                            cell_len(
                                because(self.run, step, i, name, self.rule_set, layout.notation)
                            ),
                        )
                        for step in steps
                        for i in places
                    ),
                ]
            )
            for name in self.explained
        ]

    @cached_property
    def _widest_element(self) -> int:
        location = self.run.algorithm.declaration.location
        count = self.run.graph.count(location)
        return max(
            [
                len(location.value),
                *(cell_len(element_name(self.run.graph, location, i)) for i in range(count)),
            ]
        )

    @cached_property
    def _widest_values(self) -> dict[str, int]:
        """Of each output, at the end: those on the way are seldom wider, and take more than one
        line where they are.
        """
        return {
            name: max(
                [
                    cell_len(name),
                    *(
                        min(WIDEST_NAME, cell_len(value_in_words(each)))
                        for each in self.run.shown(name)
                    ),
                ]
            )
            + 2
            for name in self.run.outputs
        }


def _broken(name: str) -> str:
    """A name on several lines, broken after underscores, for the head of a narrow column."""
    words = name.split("_")
    widest, lines = max(8, max(map(len, words)) + 1), [""]
    for place, word in enumerate(words):
        piece = word if place == len(words) - 1 else word + "_"
        if lines[-1] and len(lines[-1]) + len(piece) > widest:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


@dataclass(frozen=True)
class _Legend:
    """What the tables' columns stand for, and what they leave out."""

    told: _Told

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        layout = self.told.layout(options.max_width)
        columns = layout.columns or ()
        codes = {name: layout.called[name] for name in columns if layout.called[name] != name}
        widest = max(map(cell_len, codes.values()), default=0)
        lines = [f"{code:>{widest + 2}}  {name}" for name, code in codes.items()]
        left_out = {
            name: is_so
            for name, is_so in self.told.constant.items()
            if layout.columns is not None and name not in columns
        }
        for is_so, words in (
            (True, "True of all, in every step"),
            (False, "True of none, in any step"),
        ):
            if is_so in left_out.values():
                names = (layout.both(name) for name, each in left_out.items() if each is is_so)
                lines.append(f"{words}: {', '.join(names)}.")
        yield Text("\n".join([*lines, "A star marks what a step changes.", ""]), style="dim")


@dataclass(frozen=True)
class _Step:
    """A step as a table: a star marks what is new."""

    told: _Told
    step: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        layout, run = self.told.layout(options.max_width), self.told.run
        location = run.algorithm.declaration.location
        count, changed = run.graph.count(location), _changed(run, self.step)
        is_new = (
            torch.stack([*changed.values()]).any(0)
            if changed
            else torch.zeros(count, dtype=torch.bool)
        )
        shows_all = self.told.everything or (count <= FEW and layout.columns is not None)
        shown = is_new if count > FEW else is_new | _sees_anew(run, self.step)
        rows = list(range(count)) if shows_all else shown.nonzero().flatten().tolist()
        cut = rows if shows_all else rows[:MANY]
        mark = Marks("x", ".") if options.ascii_only else Marks()
        fill = self._as_lists if layout.columns is None else self._as_columns
        table = Table(
            title=f"step {self.step + 1}",
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            show_edge=False,
            padding=(0, GAP - 1, 0, 0),
            pad_edge=False,
        )
        fill(table, cut, changed, layout, mark, options.max_width)
        yield table
        if not shows_all:
            verb = "changes" if int(is_new.sum()) == 1 else "change"
            more = f"; {len(cut)} are shown" if len(cut) < len(rows) else ""
            yield Text(
                f"{int(is_new.sum()):,} of {count_in_words(count, location.value)} {verb}{more}.",
                style="dim",
            )
        yield Text()

    def _as_columns(
        self,
        table: Table,
        rows: list[int],
        changed: dict[str, Tensor],
        layout: _Layout,
        mark: Marks,
        width: int,
    ) -> None:
        """A column for each concept, and for each output with its reason."""
        told, run, columns = self.told, self.told.run, layout.columns or ()
        location = run.algorithm.declaration.location
        table.add_column(location.value, overflow="fold")
        for name in columns:
            table.add_column(_broken(layout.called[name]), justify="center", no_wrap=True)
        for output in run.outputs:
            table.add_column(output, overflow="fold")
            if output in told.explained:
                table.add_column("because", overflow="fold")
        places = [told.concepts.index(name) for name in columns]
        values = {output: run.shown(output, self.step) for output in run.outputs}
        for i in rows:
            cells = [element_name(run.graph, location, i)]
            cells += [
                mark.true if run.concepts[self.step, i, place] else mark.false for place in places
            ]
            is_new = False
            for output, of_all in values.items():
                is_new |= bool(changed[output][i])
                cells.append(value_in_words(of_all[i]) + (" *" if changed[output][i] else ""))
                if output in told.explained:
                    cells.append(because(run, self.step, i, output, told.rule_set, layout.notation))
            table.add_row(*map(Text, cells), style="bold green" if is_new else None)

    def _as_lists(
        self,
        table: Table,
        rows: list[int],
        changed: dict[str, Tensor],
        layout: _Layout,
        mark: Marks,
        width: int,
    ) -> None:
        """What is true of an element as a list of words, and beside it a line for each output that
        is new.
        """
        told, run = self.told, self.told.run
        location = run.algorithm.declaration.location
        table.add_column(location.value, overflow="fold", max_width=WIDEST_NAME)
        widest = max(map(cell_len, told.concepts), default=0)
        table.add_column(
            "sees", overflow="fold", min_width=min(widest, width // 3), max_width=widest
        )
        table.add_column("gives", overflow="fold", max_width=WIDEST_NAME + 8)
        table.add_column("because", overflow="fold", min_width=min(widest + 1, width // 3))
        values = {output: run.shown(output, self.step) for output in run.outputs}
        for i in rows:
            sees = [
                name
                for name, is_so in zip(
                    told.concepts, run.concepts[self.step, i].tolist(), strict=True
                )
                if is_so
            ]
            gives = [
                output for output in run.outputs if told.everything or bool(changed[output][i])
            ]
            name = element_name(run.graph, location, i)
            for concept, output in zip_longest(sees or ["-"], gives, fillvalue=None):
                cells = [
                    name,
                    _broken(concept or "") if widest > width // 3 else concept or "",
                    "",
                    "",
                ]
                if output is not None:
                    star = " *" if changed[output][i] else ""
                    cells[2] = f"{output}: {value_in_words(values[output][i])}{star}"
                if output in told.explained:
                    cells[3] = because(run, self.step, i, output, told.rule_set, layout.notation)
                table.add_row(*map(Text, cells), style="bold green" if gives else None)
                name = ""


@dataclass(frozen=True)
class Marks:
    """What stands for true and for false in a column."""

    true: str = "●"
    false: str = "·"


def _changed(run: Run, step: int) -> dict[str, Tensor]:
    """[N] bools for each output: does it change with this step?"""
    changed = {}
    for name, values in run.outputs.items():
        before = values[step - 1] if step else run.start.get(name, torch.zeros_like(values[0]))
        changed[name] = values[step] != before
    return changed


def _sees_anew(run: Run, step: int) -> Tensor:
    """[N] bools: is another concept true of it than the step before, or at first, any?"""
    before = run.concepts[step - 1] if step else torch.zeros_like(run.concepts[0])
    return (run.concepts[step] != before).any(1)


def _is_idle(run: Run, step: int) -> bool:
    """Whether nothing that would be shown of a step is new: the outputs, and where all rows are
    shown, the concepts.
    """
    if any(bool(each.any()) for each in _changed(run, step).values()):
        return False
    if run.graph.count(run.algorithm.declaration.location) > FEW:
        return True
    return step > 0 and not bool(_sees_anew(run, step).any())


def _numbered(steps: Sequence[int]) -> str:
    first, last = steps[0] + 1, steps[-1] + 1
    return f"step {first}" if first == last else f"steps {first} to {last}"
