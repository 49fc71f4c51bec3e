"""Files and folders that are whole or not there, and locks."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from algolens.errors import AlgoLensError, AlgoLensWarning, WritingError, visible

AnyPath = str | os.PathLike[str]
ADVICE = "make room, or give another place"


def path_of(given: object, what: str) -> Path:
    """The path of a file or folder. what: how a message calls it."""
    if not isinstance(given, str | os.PathLike):
        raise AlgoLensError(
            f"{what} takes a path, and a {type(given).__name__} came: give one, as text or as a "
            "Path."
        )
    return Path(given)


Content = str | bytes | Callable[[BinaryIO], None]


def write_file(
    path: Path,
    content: Content,
    advice: str = ADVICE,
    *,
    replace: bool = True,
    place: Path | None = None,
) -> None:
    """Writes a file that a user named: beside its place, and then it is moved there.

    So nobody finds half of it. Several may write one file at once: each writes aside under a name
    of its own, and the last one moved stays. A link stays, and what it leads to is written.

    Parameters
    ----------
    path
        Where.
    content
        What it holds, or what writes it.
    advice
        What to do where it cannot be written.
    replace
        Whether a file that is there may be replaced.
    place
        What is replaced: by default, what ``path`` leads to.
    """
    place, aside = place or Path(os.path.realpath(path)), None
    try:
        if place.exists() and not place.is_file() and not place.is_symlink():
            # a device, too, could be moved over
            raise OSError(errno.EEXIST, "something is there that is no file")
        place.parent.mkdir(parents=True, exist_ok=True)
        _clear_asides(place)
        aside, opened = _begun_aside(place)
        with opened as file:
            if callable(content):
                content(file)
            else:
                file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # else a loss of power could leave the name without its content
            if os.name == "nt":
                file.close()  # Windows moves no file that is open
            if replace:
                os.replace(aside, place)
            else:
                os.link(aside, place)  # which fails where a file is there
    except OSError as problem:
        wrong = f"cannot be written ({problem.strerror})"
        if isinstance(problem, FileExistsError) and not replace:
            wrong = "is there already"
        raise WritingError(f"{path} {wrong}: {advice}.") from problem
    finally:
        if aside is not None:
            with suppress(OSError):
                aside.unlink()


def write_inside(folder: Path, name: str, content: Content, advice: str = ADVICE) -> None:
    """Writes a file inside one of our folders without following links there."""
    parts = Path(name).parts
    if ".." in parts or Path(name).is_absolute():
        raise WritingError(f"{name} is not inside {folder}: give a name in it.")
    for end in range(1, len(parts)):
        inner = folder.joinpath(*parts[:end])
        if inner.is_symlink():
            raise WritingError(f"{inner} is a link, and nothing is written through it: remove it.")
    write_file(folder / name, content, advice, place=Path(os.path.realpath(folder)) / name)


def _begun_aside(place: Path) -> tuple[Path, BinaryIO]:
    """A new file beside a place, held by this process."""
    while True:
        aside = place.with_name(f".{place.name}-{secrets.token_hex(4)}")
        file = aside.open("xb")
        with suppress(OSError):  # a disk without such locks
            _hold(file.fileno(), wait=True)
        if os.fstat(file.fileno()).st_nlink:  # else it was taken for one that was left behind
            return aside, file
        file.close()


def _clear_asides(place: Path) -> None:
    """Deletes what killed processes left of writing this file; the living hold theirs."""
    for path in place.parent.iterdir():
        if is_aside(path.name, re.escape(place.name)) and path.is_file():
            with suppress(OSError):  # held, or put in its place this moment
                number = os.open(path, os.O_RDONLY | NOT_ANYTHING)
                with os.fdopen(number) as file:
                    if _hold(file.fileno(), wait=False):
                        path.unlink()


def _hold(number: int, *, wait: bool) -> bool:
    """Takes an open file for this process alone, until it is closed; False: there are no locks."""
    if sys.platform == "win32":
        return False
    import fcntl

    fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    return True


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON."""
    write_file(path, as_json(value))


def as_json(value: Any) -> str:
    """A value as a file of JSON, for people to read as well."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def json_number(value: Any) -> float | str:
    """A decimal as a number where a float is written just so, else as text: nothing is rounded."""
    if isinstance(value, Decimal) and Decimal(repr(float(value))) == value:
        return float(value)
    if isinstance(value, Decimal | Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def check_writable(path: Path) -> None:
    """Refuses a place where no file or folder can be made, before hours of work go there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # a folder made to try it would be left behind by a kill
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no permission to write")
    except OSError as problem:
        raise WritingError(
            f"{path} cannot be written ({problem.strerror}): give another place."
        ) from problem


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raises an error where a file is there that may not be replaced."""
    if path.exists() and not overwrite:
        raise AlgoLensError(
            f"{path} is there already: give another place, or --overwrite (in Python, "
            "overwrite=True)."
        )


def has_mark(page: Path, marks: Sequence[str]) -> bool:
    """Whether a page has one of these marks near its beginning."""
    try:
        with page.open(encoding="utf-8") as text:
            begin = text.read(1000)
    except (OSError, ValueError):
        return False
    return any(mark in begin for mark in marks)


def is_aside(name: str, of: str) -> bool:
    """Whether a killed process left this of writing a file; of: its name, as a pattern."""
    return re.fullmatch(rf"\.(?:{of})-[0-9a-f]{{8}}", name) is not None


# a link is not followed, a pipe not waited for
NOT_ANYTHING = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def put_together(folder: Path) -> Path:
    """Where the new folder is put together."""
    return folder.with_name(f".{folder.name}.new")


OF_ENGINES = re.compile(r"\.?(tmp_)?part-.*|_temporary|\.?_SUCCESS.*")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Where an engine writes its files: beside the folder that they become, whole or not at all."""
    new = put_together(folder)

    def is_ours(path: Path) -> bool:
        return OF_ENGINES.fullmatch(path.name) is not None

    with lock_beside(folder, folder):
        remove_folder(new, is_ours)  # which a killed process left
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise WritingError(
                f"{folder} is there already, and not empty: give a new folder to write to."
            )
        try:
            yield new
            os.rename(new, folder)  # in the place of none, or of an empty one
        except OSError as problem:
            raise WritingError(
                f"{folder} cannot be written ({problem.strerror}): {ADVICE}."
            ) from problem
        finally:
            remove_folder(new, is_ours)


def remove_folder(folder: Path, is_ours: Callable[[Path], bool]) -> None:
    """Deletes a folder that a killed process left; refused where it holds what is not ours."""
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir() or not all(map(is_ours, folder.iterdir())):
        raise WritingError(
            f"{folder} is not ours, and stands where one is put together: remove it."
        )
    shutil.rmtree(folder, ignore_errors=True)


def lock_beside(real: Path, folder: Path, what: str = "") -> AbstractContextManager[None]:
    """Locks the place of a folder for this process. what: how its user can give another."""
    instead = f"wait until that has ended, or give another{what}."
    busy = f"{folder} is being written by {{who}}: {instead}"
    return lock(real.with_name(f".{real.name}.lock"), busy)


@contextmanager
def lock(path: Path, busy: str) -> Iterator[None]:
    """Holds a lock, in a file that is there meanwhile.

    busy: the message where another process holds it, with ``{who}`` in it. On a disk without locks
    (some network disks) the user is warned, and work goes on.
    """
    held, who = FileLock(path), "another process"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # a link would be written through, and a pipe waited for
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | NOT_ANYTHING, 0o644))
        if not path.is_file():
            raise OSError(errno.EEXIST, "something is there that is no file")
    except OSError as problem:
        raise WritingError(
            f"{path.parent} cannot be written ({problem.strerror}): give another place."
        ) from problem
    try:
        # a moment to wait: the process that holds it may be deleting the file just now
        held.acquire(timeout=0.05, poll_interval=0.005)
    except Timeout as problem:
        with suppress(OSError, UnicodeDecodeError):
            who = visible(path.read_text()[:200]) or who
        raise AlgoLensError(busy.replace("{who}", who)) from problem
    except (OSError, NotImplementedError) as problem:
        remark = (
            f"{path.parent} is on a disk without locks ({problem}): see to it that nothing else "
            "writes there."
        )
        warnings.warn(remark, AlgoLensWarning, stacklevel=3)
    try:
        with suppress(OSError):  # Windows lets nobody write what is locked
            path.write_text(f"process {os.getpid()} on {socket.gethostname()}")
        yield
    finally:
        with suppress(OSError):
            # before it is let go: nobody else can hold this file, and a later one is a new file
            path.unlink()
        held.release()
