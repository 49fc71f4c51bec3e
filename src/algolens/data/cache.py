"""Data on disk under a key of its content: what it was made from, and the code that made it."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import algolens
from algolens.algorithms import Algorithm
from algolens.execution import Run
from algolens.graphs import Recipe

MAKERS = ("logic", "graphs", "fields", "algorithms", "execution", "data")  # the layers whose code decides what data is


def cache_folder() -> Path:
    """Where data is kept: $ALGOLENS_CACHE, or algolens in the user's cache folder."""
    if folder := os.environ.get("ALGOLENS_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "algolens"


def content_key(algorithm: Algorithm, recipe: Recipe, **details: Any) -> str:
    """A short key that changes with the algorithm, its options, the recipe, the details, and the code."""
    source = Path(inspect.getfile(type(algorithm)))
    content = json.dumps([algorithm.name, algorithm.options, asdict(recipe), details], sort_keys=True)
    digest = hashlib.sha256(content.encode() + _code() + source.read_bytes())
    return digest.hexdigest()[:16]


def kept(name: str, algorithm: Algorithm, make: Callable[[], Run]) -> Run:
    """The run kept on disk under a name, or made and then kept. A disk that cannot be written only costs time."""
    path = cache_folder() / f"{name}.safetensors"
    try:
        return Run.from_tensors(algorithm, load_file(path))
    except (OSError, SafetensorError, KeyError, TypeError):
        run = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            # written beside and moved: nobody ever finds half a file
            save_file({key: tensor.contiguous().clone() for key, tensor in run.tensors().items()}, Path(folder) / path.name)
            os.replace(Path(folder) / path.name, path)
    except OSError:
        pass
    return run


@cache
def _code() -> bytes:
    root = Path(inspect.getfile(algolens)).parent
    files = sorted(path for layer in MAKERS for path in (root / layer).glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).digest()
