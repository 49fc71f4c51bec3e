"""Data on disk under a key of its content: what it was made from, and the code that made it.

An entry is a digest, and then the tensors (safetensors) that it is the digest of: one whose bits
have changed is not read.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from safetensors.torch import load, save

from algolens.algorithms import Algorithm
from algolens.disk import write_file
from algolens.engines import Run
from algolens.errors import AlgoLensWarning, WritingError
from algolens.graphs import Recipe
from algolens.layers import layer_files
from algolens.memory import memory_there

MOST_KEPT = 2**28  # bytes of all frames of a run; a longer one is made anew each time
COPIES = 4  # of these, while it is written


def cache_folder() -> Path:
    """Where data is kept: $ALGOLENS_CACHE, or algolens in the user's cache folder."""
    if folder := os.environ.get("ALGOLENS_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "algolens"


def content_key(algorithm: Algorithm, recipe: Recipe, **details: Any) -> str | None:
    """A short key that changes with the algorithm, its options, the recipe, the details, and the
    code.

    None of a class that stands in no file: one of the same name may be defined anew at any time.
    """
    try:
        inspect.getsource(type(algorithm))  # which looks for the class in the file
        source = Path(inspect.getfile(type(algorithm)))
    except (OSError, TypeError):
        return None
    content = json.dumps(
        [algorithm.name, algorithm.options, asdict(recipe), details], sort_keys=True
    )
    digest = hashlib.sha256(content.encode() + _code() + source.read_bytes())
    return digest.hexdigest()[:16]


def kept(name: str, key: str | None, algorithm: Algorithm, make: Callable[[], Run]) -> Run:
    """The run kept on disk under a name and a key, or made and then kept; without a key, it is
    made.

    A disk that cannot be read or written only costs time.
    """
    if key is None:
        return make()
    path = cache_folder() / f"{name}-{key}.kept"
    content = _read(path)
    if content is not None:
        return Run.from_tensors(algorithm, load(content))
    run = make()
    size = run.num_bytes
    if size > MOST_KEPT or COPIES * size > memory_there()[0]:
        return run
    content = save({key: tensor.contiguous().clone() for key, tensor in run.tensors().items()})
    with suppress(WritingError):
        write_file(path, hashlib.sha256(content).digest() + content)
    return run


def _read(path: Path) -> bytes | None:
    """What was kept there; None where nothing was. Where it is not what was written, also None, and
    the user is warned.
    """
    try:
        with path.open("rb") as file:
            digest, content = file.read(hashlib.sha256().digest_size), file.read()
    except OSError:
        return None
    if hashlib.sha256(content).digest() == digest:
        return content
    warning = f"{path} is not as it was written (a disk may be failing): what it held is made anew."
    warnings.warn(warning, AlgoLensWarning, stacklevel=3)
    return None


@cache
def _code() -> bytes:
    return hashlib.sha256(b"".join(path.read_bytes() for path in layer_files("data"))).digest()
