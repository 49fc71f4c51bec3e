"""What a user names by a file of Python and a name in it, as ``my_file.py:Mine``."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from algolens.errors import AlgoLensError
from algolens.reading import read_bytes

TRUST = "ALGOLENS_TRUST"  # the environment variable that lets models run files of Python
_named: set[str] = set()  # SHA-256 of files that the user has named in this process
OWN = re.compile(r"(?P<file>.+\.py)(?::(?P<name>\w+))?")


@dataclass(frozen=True)
class OwnFile:
    """A file of the user's own, which name in it is meant, and the SHA-256 of its text."""

    path: Path
    name: str
    sha256: str


def find_own_file(given: str, what: str, example: str, sha256: str | None = None) -> OwnFile | None:
    """The file that a user names, not run yet; None where what is given names no file.

    Parameters
    ----------
    given : str
        As in ``my_file.py:Mine``, from the current folder.
    what, example : str
        How messages call what is in the file, and a name that it may have.
    sha256 : str, optional
        The SHA-256 that the file's text should have; a file with another is refused.
    """
    own = OWN.fullmatch(given)
    if own is None:
        return None
    path, name = Path(own["file"]), own["name"]
    if name is None:
        kind = "class" if example[0].isupper() else "function"
        raise AlgoLensError(f"{what} '{given}' names no {kind}: give {given}:{example}, say.")
    if not path.is_file():
        raise AlgoLensError(
            f"the {what} '{given}' is in {path}, which is not there: work in the folder that it "
            f"is given from ({Path.cwd()} is the current one), or put the file there."
        )
    now = sha256_of(path)
    if sha256 is None:
        _named.add(now)
    if sha256 not in (None, now):
        raise AlgoLensError(
            f"{path} is not as it was when '{given}' was trained, and was not run: put its text of "
            "then there, or train again."
        )
    return OwnFile(path, name, now)


def check_own_file(given: str, what: str, sha256: str | None, folder: Path | None) -> None:
    """Refuses to run a file again for a model: in the model's own folder, or of unknown text."""
    own = OWN.fullmatch(given)
    assert own is not None
    if folder is not None and Path(own["file"]).resolve().is_relative_to(folder.resolve()):
        raise AlgoLensError(
            f"the {what} '{given}' is in the model's own folder, whose code is not run: move "
            "the file elsewhere, and train again with its path."
        )
    if sha256 is None:
        raise AlgoLensError(
            f"experiment.json does not say what {own['file']} held when '{given}' was trained, so "
            "it is not run: train again."
        )
    if sha256 not in _named and not os.environ.get(TRUST):
        raise AlgoLensError(
            f"the {what} '{given}' of this model is in {own['file']}, a program that can do all "
            f"that you can: read it, and if you trust it, give --trust (in Python, set {TRUST}=1)."
        )


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's text."""
    return hashlib.sha256(read_bytes(path)).hexdigest()
