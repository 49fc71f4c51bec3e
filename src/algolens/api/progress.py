"""Progress of long work: bars on a terminal, plain lines in a log and in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from statistics import fmean
from time import monotonic

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from algolens.errors import AlgoLensError, visible
from algolens.memory import shown
from algolens.training import Epoch

SECONDS_UNSEEN = 5.0  # of a phase: a longer one gets a line
SECONDS_BETWEEN_LINES = 30.0


class Board:
    """A progress display, with a bar for each piece of work."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self.in_lines = not console.is_terminal or console.is_jupyter
        self._end_training: Callable[[], None] | None = None  # once an epoch is done
        self._phase_ended = 0.0

    def __enter__(self) -> Board:
        self._before = shown.set(self.phase)
        if not self.in_lines:
            self.bars.start()
        return self

    def __exit__(self, *problem: object) -> None:
        shown.reset(self._before)
        if not self.in_lines:
            self.bars.stop()

    @contextmanager
    def phase(self, what: str) -> Iterator[None]:
        """Show work in which nothing is counted."""
        if self._end_training is not None:
            self._end_training()
        what, began = visible(what), monotonic()
        bar = self.bars.add_task(what, total=None)
        try:
            yield
        finally:
            self.bars.remove_task(bar)
            self._phase_ended = monotonic()
            if self._phase_ended - began > SECONDS_UNSEEN:
                self._line(f"{what}, {_clock(self._phase_ended - began)}", "")

    @contextmanager
    def counting(self, title: str, total: int, what: str) -> Iterator[Callable[..., None]]:
        """Shows how many of some things are done; yields what is to be called after each of them.

        It is given the details to show besides. what: such a thing, in one word.
        """
        title, details, done = visible(title), "", 0
        bar = self.bars.add_task(title, total=total)
        began, last_line = monotonic(), -SECONDS_BETWEEN_LINES

        def advance(more: str = "", *, is_news: bool = False) -> None:
            nonlocal began, details, done, last_line
            if not done:
                began = max(began, self._phase_ended)
            details, done = more, done + 1
            lines = "\n  ".join([title, *filter(None, details.split("; "))])
            self.bars.update(bar, advance=1, description=lines)
            elapsed = monotonic() - began
            if (is_news or elapsed - last_line >= SECONDS_BETWEEN_LINES) and done < total:
                last_line = elapsed
                left = _clock(elapsed / done * (total - done))
                # the first one also loads and compiles: its time says nothing of the others
                rest = f", at most about {left} left at this pace" if done > 1 else ""
                how_far = f"{what} {done} of {total}, {_clock(elapsed)}"
                self._line(f"{title}: {how_far}{rest}", details)

        def end(verb: str) -> None:
            early = f" (of at most {total})" if done < total else ""
            things = what if done == 1 else f"{what}s"
            took = _clock(monotonic() - began)
            self._line(f"{title}: {verb} after {done} {things}{early}, {took}", details)

        try:
            yield advance
        except AlgoLensError:
            self.bars.remove_task(bar)  # the error says it all
            raise
        except BaseException:
            self.bars.stop_task(bar)
            end("stopped")
            raise
        self.bars.update(bar, total=done, completed=done)  # full, though it may have ended early
        end("done")

    @contextmanager
    def training(self, title: str, epochs: int) -> Iterator[Callable[[Epoch], None]]:
        """Shows a training: what it yields is to be called after every epoch."""
        validation = proven = ""
        with ExitStack() as stack:
            advance = stack.enter_context(self.counting(title, epochs, "epoch"))

            def end() -> None:
                self._end_training = None
                stack.close()

            def watch(epoch: Epoch) -> None:
                nonlocal validation, proven
                before, self._end_training = proven, end
                if epoch.unproven is not None:
                    proven = "" if any(epoch.unproven) else "proven right on every graph"
                losses = (f"{name} {fmean(values):.2g}" for name, values in epoch.losses.items())
                if epoch.validation:
                    right = fmean(scores.graphs_right for scores in epoch.validation)
                    accuracy = fmean(scores.selection() for scores in epoch.validation)
                    validation = (
                        f"validation: {100 * accuracy:.2f} % right, {100 * right:.1f} % of graphs "
                        "entirely"
                    )
                loss = f"loss: {', '.join(losses)}" if epoch.losses else ""
                more = "; ".join(filter(None, [loss, validation, proven]))
                advance(more, is_news=proven > before)

            yield watch
            self._end_training = None

    def _line(self, line: str, details: str) -> None:
        if self.in_lines:
            text = "; ".join(filter(None, [line, details]))
            self.console.print(Text(text), soft_wrap=True)


def _clock(seconds: float) -> str:
    """Time as on a clock.

    >>> _clock(3725.4)
    '1:02:05'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
