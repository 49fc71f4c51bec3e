"""Errors that a user can correct, each a ValueError with one clear line; and notices."""

from __future__ import annotations

import difflib
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

MOST_SAID = 2_000  # characters of a message


class AlgoLensError(ValueError):
    """A mistake that the user can correct; the message says how, in one line of bounded length."""

    def __init__(self, message: str = "") -> None:
        said = visible(message)
        super().__init__(said if len(said) <= MOST_SAID else _shortened(said))


def _shortened(message: str) -> str:
    """Its beginning and its end, which says what to do."""
    return f"{message[: MOST_SAID - 600]} ... {message[-500:]}"


class WritingError(AlgoLensError):
    """A file or folder that cannot be written."""


class ReadingError(AlgoLensError):
    """A file that cannot be read, or is not what it should be."""


class FormulaError(AlgoLensError):
    """A formula that cannot be read or evaluated."""


class ExtractionError(AlgoLensError):
    """Samples that no rule can be read from."""


class GraphError(AlgoLensError):
    """A graph that an algorithm cannot run on."""


class GraphFileError(GraphError):
    """A graph file that cannot be read."""


class InputError(GraphError):
    """A value of a user's graph, or an input of an algorithm, that is not of its kind."""


class DefinitionError(AlgoLensError):
    """An algorithm whose declaration contradicts itself."""


@contextmanager
def naming(what: str, kind: type[AlgoLensError] = DefinitionError) -> Iterator[None]:
    """Say of what an error is."""
    try:
        yield
    except AlgoLensError as problem:
        raise kind(f"{what}: {problem}") from problem


class ContractError(AlgoLensError):
    """An algorithm that a network cannot learn."""


class UnknownNameError(AlgoLensError):
    """A name that is not among those that exist."""

    def __init__(self, what: str, name: object, known: Iterable[object], hint: str = "") -> None:
        names, given = sorted(visible(str(one)) for one in known), visible(str(name))
        in_other_case = [one for one in names if one.lower() == given.lower()]
        close = in_other_case or difflib.get_close_matches(given, names, n=1)
        guess = f" Did you mean '{close[0]}'?" if close else ""
        shown = ", ".join(names[:12]) + (f", ... ({len(names)} in all)" if len(names) > 12 else "")
        there = f"there are: {shown}" if names else "there is none"
        super().__init__(f"no {what} is called '{given}'; {there}.{guess}{hint}")


def visible(text: str) -> str:
    r"""A text with control characters escaped, and those that reverse the direction.

    >>> print(visible("red\x1b[31m, two\nlines, Zürich"))
    red\x1b[31m, two\nlines, Zürich
    """
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or unicodedata.category(character) == "Zs"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


MOST_SHOWN = 400  # characters of what others wrote, in a message of ours


def brief(said: object) -> str:
    r"""What came from elsewhere, for a message of ours: one line, visible, of bounded length.

    >>> brief("two\nlines and a bell\a")
    'two lines and a bell\\x07'
    """
    text = str(said)
    shown = visible(" ".join(text[: 4 * MOST_SHOWN].split())) or type(said).__name__
    shown = shown.rstrip(":. ")
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}..."


class AlgoLensWarning(UserWarning):
    """A notice that does not stop the command; one clear line."""


def plain_warnings() -> None:
    """Shows warnings of ours as one line on standard error; others as ever."""
    others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, AlgoLensWarning):
            print(visible(f"note: {message}"), file=sys.stderr)
        else:
            others(message, category, filename, lineno, file, line)

    warnings.showwarning = show
    warnings.simplefilter("always", AlgoLensWarning)
