"""Files that are whole or not there: the one way in which anything is written."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from algolens.errors import WritingError

ADVICE = "make room, or give another place"


def write_file(path: Path, content: str | bytes, advice: str = ADVICE) -> None:
    """Writes a file beside its place and then moves it there, so that nobody ever finds half of it.

    Several may write one file at once: each writes aside under a name of its own, and the last one
    moved stays. advice: what to do where it cannot be written.
    """
    place = Path(os.path.realpath(path))  # where a link leads: the link stays
    aside = place.with_name(f".{place.name}-{secrets.token_hex(4)}")
    try:
        if place.exists() and not place.is_file():
            # a device, too, could be moved over
            raise OSError(errno.EEXIST, "something is there that is no file")
        place.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # else a loss of power could leave the name without its content
        os.replace(aside, place)
    except OSError as problem:
        raise WritingError(f"{path} cannot be written ({problem.strerror}): {advice}.") from problem
    finally:
        with suppress(OSError):
            aside.unlink()


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON."""
    write_file(path, as_json(value))


def as_json(value: Any) -> str:
    """A value as a file of JSON, for people to read as well."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def check_writable(path: Path) -> None:
    """Raises an error where a file or folder cannot be made in this place: before hours of work
    that could not be kept.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryDirectory(dir=path.parent).cleanup()
    except OSError as problem:
        raise WritingError(
            f"{path} cannot be written ({problem.strerror}): give another place."
        ) from problem


def has_mark(page: Path, marks: Sequence[str]) -> bool:
    """Whether a page has one of these marks near its beginning."""
    try:
        with page.open(encoding="utf-8") as text:
            begin = text.read(1000)
    except (OSError, ValueError):
        return False
    return any(mark in begin for mark in marks)


def is_aside(name: str, of: str) -> bool:
    """Whether this is what a killed process left of writing a file; of: the file's name, as a
    regular expression.
    """
    return re.fullmatch(rf"\.(?:{of})-[0-9a-f]{{8}}", name) is not None
