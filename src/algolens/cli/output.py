"""Where output goes: results to standard output, everything else to standard error.

Nothing that a user named is obeyed: brackets are no markup, and control characters are escaped.
"""

from __future__ import annotations

import errno
import io
import json as json_module
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from textwrap import wrap
from typing import Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

import algolens as al
from algolens.disk import json_number
from algolens.errors import AlgoLensError, AlgoLensWarning, visible
from algolens.lazy import Library

progress = Library("algolens.api.progress")

READER_GONE = 141  # 128 and the number of SIGPIPE


class PlainConsole(Console):
    """A console on which only our own styles have an effect, not the characters of a text."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Its segments, with control characters escaped."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment("\n".join(map(visible, segment.text.split("\n"))), segment.style)


results = PlainConsole()
remarks = PlainConsole(stderr=True)


def say(text: str) -> None:
    """A line of results, of any length."""
    results.print(Text(text), soft_wrap=True)


def note(text: str) -> None:
    """A line beside the results, of any length."""
    remarks.print(Text(text, "dim"), soft_wrap=True)


def noted(texts: Iterable[str]) -> None:
    """What a user should know of a result, each once."""
    for text in dict.fromkeys(texts):
        note(f"note: {text}")


def load_noted(name: str) -> al.Model:
    """A model by its folder or by an algorithm's name; its notes are told."""
    model = al.load(name)
    noted(model.notes)
    return model


def board() -> Any:
    """Where progress is shown."""
    return progress.Board(remarks)


def command_line() -> str:
    """What a model says that it was made by."""
    return f"algolens {' '.join(sys.argv[1:])}"


def print_result(result: Any, *, json: bool) -> None:
    """What a function of ``algolens`` gave, for machines or for people."""
    if json:
        print_json(result.to_json())
    else:
        print_parts(result.parts())


def print_parts(parts: Iterable[RenderableType]) -> None:
    """What is shown, from top to bottom."""
    for part in parts:
        if isinstance(part, str):
            say(_fitted(part) if results.is_terminal else part)
        else:
            results.print(part)


def _fitted(text: str) -> str:
    """Lines that are wider than the terminal go on in further lines, and further in."""
    lines: list[str] = []
    for line in text.split("\n"):
        further = " " * (len(line) - len(line.lstrip()) + 4)
        parts = wrap(
            line,
            max(results.width, 2 * len(further)),
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += parts or [line]
    return "\n".join(lines)


def print_error(problem: object) -> None:
    """One line on standard error; where that cannot be written, the status alone says it."""
    with suppress(OSError, ValueError):
        print(visible(f"error: {problem}"), file=sys.stderr, flush=True)


class _Closed(io.TextIOBase):
    """Standard output that was closed before the command began."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "it is closed")


@contextmanager
def checked_output() -> Iterator[None]:
    """Ends the command in one line where standard output is full or closed.

    A reader that went away (`| head`) is no mistake: it ends the command without a word, with the
    status that shells give to those that a closed pipe ends.
    """
    try:
        yield
    except SystemExit as ended:
        _flush()
        if isinstance(ended.__context__, BrokenPipeError):  # Typer has caught it
            _drop_output()
            sys.exit(READER_GONE)
        raise
    except OSError as problem:
        if problem.filename is not None:  # no output, but a file
            raise AlgoLensError(
                f"{problem.filename} cannot be read or written ({problem.strerror})."
            ) from problem
        raise _unwritten(problem) from problem
    _flush()


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        sys.exit(READER_GONE)
    except OSError as problem:
        raise _unwritten(problem) from problem


def _unwritten(problem: OSError) -> AlgoLensError:
    _drop_output()
    return AlgoLensError(
        f"the output cannot be written ({problem.strerror}): make room, or send it elsewhere."
    )


def _drop_output() -> None:
    """What is not written yet goes nowhere: at its end, Python would try again and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def use_any_encoding() -> None:
    """Lets every character be printed: one that a terminal has no code for is escaped."""
    sys.stdout = sys.stdout or _Closed()
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def choose_output(*, quiet: bool, color: bool) -> None:
    """What commands print besides their results, and whether in color."""
    remarks.quiet = quiet
    if quiet:
        warnings.simplefilter("ignore", AlgoLensWarning)
    for console in (results, remarks):
        console.no_color = console.no_color or not color


def print_json(value: Any) -> None:
    """One JSON document on standard output; what a terminal cannot print is escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    is_utf = encoding.lower().startswith("utf")
    text = json_module.dumps(value, indent=2, ensure_ascii=not is_utf, default=json_number)
    typer.echo(text if text.isascii() else re.sub(r"[^\x00-\x7e]", _escaped, text))


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character if visible(character) == character else json_module.dumps(character)[1:-1]
