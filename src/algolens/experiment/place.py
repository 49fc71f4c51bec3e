"""The folder of a model: who may write there, what may be replaced, what is kept."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algolens.disk import is_aside, lock, put_together, write_inside
from algolens.errors import AlgoLensError, ReadingError, WritingError
from algolens.reading import read_record
from algolens.records import MANIFEST

CURVES = "curves.png"  # how a run was learnt, as a picture
# all that we write into a model's folder; any other file there is somebody else's
FILES = (
    "experiment.json",
    "weights.safetensors",
    "rule_sets.json",
    "history.csv",
    "scores.json",
    "scores-fresh.json",
    "study.json",
    "certificate.json",
    "distilled.json",
    "declaration.json",
    "graphs.safetensors",
    MANIFEST,
    CURVES,
)
# what experiment.json of any version says
TELLING = {"algorithm", "preset", "architecture", "schedule", "seeds"}


@dataclass(frozen=True)
class Place:
    """A folder that is claimed: this process alone may write a run there."""

    folder: Path
    overwrite: bool  # may a run that is there be replaced?

    def install(self, files: Mapping[str, str | bytes]) -> None:
        """Makes these files the folder; a run that was there is moved aside, then deleted."""
        real = _real(self.folder)
        try:
            put_together(real).mkdir()
            for name, content in files.items():
                write_inside(put_together(real), name, content)
            _check_free(self.folder, self.overwrite)  # hours may have passed since it was claimed
            if real.exists():
                os.rename(real, _set_aside(real))
            # killed before this, the next who holds the lock puts the old one back
            os.rename(put_together(real), real)
        except OSError as problem:
            raise WritingError(
                f"{self.folder} cannot be written ({problem.strerror}): give another place."
            ) from problem
        finally:
            _settle(real)


@contextmanager
def claim(folder: Path, *, overwrite: bool = False) -> Iterator[Place]:
    """Claims a folder for a run: for this process alone, until it lets go or dies.

    Refused is a folder that another process has claimed; one that is there, unless overwrite; and,
    whatever the user says, one that is no model of ours.
    """
    folder = Path(folder)
    if folder.name in ("", ".."):
        raise AlgoLensError(
            f"'{folder}' does not name a folder for a run: give one by its name with --out."
        )
    with unchanged(folder):
        _settle(_real(folder))
        _check_free(folder, overwrite)
        yield Place(folder, overwrite)


def recover(folder: Path) -> None:
    """Puts a model back that was being replaced when its process was killed."""
    real = _real(folder)
    if not real.exists() and _set_aside(real).is_dir():
        # where it is claimed, another process is putting it in place now
        with suppress(AlgoLensError), unchanged(folder):
            _settle(real)


def is_model(folder: Path) -> bool:
    """Whether a folder is a run of ours, of whatever version."""
    try:
        return read_record(folder / "experiment.json", dict[str, Any]).keys() >= TELLING
    except ReadingError:
        return False


def unchanged(folder: Path) -> AbstractContextManager[None]:
    """Locks a folder for this process: no other replaces the model there meanwhile."""
    real = _real(folder)
    busy = (
        f"{folder} is being written by {{who}}: wait until that has ended, or give another folder "
        "with --out."
    )
    return lock(real.with_name(f".{real.name}.lock"), busy)


def _real(folder: Path) -> Path:
    if "\0" in str(folder):
        raise AlgoLensError(f"{str(folder)!r} names no folder: no name has a null character.")
    return Path(os.path.realpath(folder))  # a link stays, and what it leads to is replaced


def _check_free(folder: Path, overwrite: bool) -> None:
    if not folder.exists():
        return
    if not overwrite:
        raise AlgoLensError(
            f"{folder} is there already: give another folder with --out, or --overwrite (in "
            "Python, overwrite=True)."
        )
    if not is_model(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise AlgoLensError(
            f"{folder} is there and is no model of ours (no experiment.json that describes one), "
            "so --overwrite does not touch it: give another folder with --out."
        )
    others = [path.name for path in folder.iterdir() if not _is_ours(path)]
    if others:
        raise AlgoLensError(
            f"{folder} holds more than a model's files ({', '.join(sorted(others))}), which would "
            "be lost: move that to another place, or give another folder with --out."
        )
    if os.path.ismount(folder):
        raise AlgoLensError(
            f"{folder} is the root of a disk, which cannot be replaced: give a folder in it with "
            "--out."
        )


def _settle(real: Path) -> None:
    """Ends what this process or a killed one began: one folder has the name, none is beside it."""
    old, new = _set_aside(real), put_together(real)
    for left in (old, new):
        if left.is_symlink() or (left.exists() and not left.is_dir()):
            raise WritingError(
                f"{left} is no folder of ours, and stands where one is put together: remove it."
            )
    try:
        if old.exists() and not real.exists():
            os.rename(old, real)
        for left in (old, new):
            if left.exists():
                for path in filter(_is_ours, left.iterdir()):
                    path.unlink()
                left.rmdir()
    except OSError as problem:
        raise WritingError(
            f"{real}: what was left of replacing it cannot be put away ({problem.strerror}): look "
            f"into {old.name} and {new.name} beside it."
        ) from problem


def _set_aside(real: Path) -> Path:
    """Where the old folder is, while neither stands under the name."""
    return real.with_name(f".{real.name}.old")


def _is_ours(path: Path) -> bool:
    is_named = path.name in FILES or is_aside(path.name, "|".join(map(re.escape, FILES)))
    return is_named and path.is_file() and not path.is_symlink()
