"""The manifest of a run: the SHA-256 of every file, and of the weights that it was made with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, structs

from algolens.disk import as_json, write_inside
from algolens.errors import ReadingError
from algolens.reading import Sha256, Word, optional_record, read_bytes

MANIFEST, WEIGHTS = "manifest.json", "weights.safetensors"
MOST_BYTES = 8 * 2**30  # of any file of a run


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """What a manifest says of a file."""

    sha256: Sha256
    weights: Sha256 | None  # SHA-256 of the weights that were beside it when it was made


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """What manifest.json holds; its version is that of all files of the run."""

    format: Literal["algolens run"] = "algolens run"
    version: Literal[1] = 1
    files: dict[Word, Entry] = {}

    @classmethod
    def of(cls, files: Mapping[str, str | bytes]) -> Manifest:
        """The manifest of files that are written together."""
        sums = {name: content_sha256(content) for name, content in files.items()}
        made = {name: Entry(sha256, sums.get(WEIGHTS)) for name, sha256 in sums.items()}
        return cls(files=made)

    def to_text(self) -> str:
        """Itself as a file of JSON."""
        return as_json(msgspec.to_builtins(self))


def put_file(folder: Path, name: str, content: str | bytes) -> None:
    """Writes or replaces a file of a run, then its line in the manifest."""
    manifest = read_manifest(folder) or Manifest()
    write_inside(folder, name, content)
    entry = Entry(content_sha256(content), _sum_of(folder / WEIGHTS))
    files = {**manifest.files, name: entry}
    write_inside(folder, MANIFEST, structs.replace(manifest, files=files).to_text())


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a run; None where there is none."""
    return optional_record(folder / MANIFEST, Manifest)


def unfit(folder: Path, name: str) -> str | None:
    """Why a file of a run is not what was written with its weights, in words; None: it is."""
    try:
        manifest = read_manifest(folder)
    except ReadingError as problem:
        return str(problem).rstrip(".")
    if manifest is None:
        return f"no {MANIFEST} is in {folder}, which would say what {name} was measured of"
    entry, sha256 = manifest.files.get(name), _sum_of(folder / name)
    if entry is None or sha256 is None or sha256 != entry.sha256:
        return f"{folder / name} is not the file that {MANIFEST} names"
    weights = _sum_of(folder / WEIGHTS)
    if weights is not None and entry.weights != weights:
        return f"{folder / name} was made with other weights than {WEIGHTS} beside it"
    return None


def content_sha256(content: str | bytes) -> str:
    """SHA-256 of what a file holds."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def _sum_of(path: Path) -> str | None:
    return content_sha256(read_bytes(path, MOST_BYTES)) if path.exists() else None
