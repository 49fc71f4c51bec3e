"""What is refused, and records of runs of which little is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algolens.errors import MOST_SAID, AlgoLensError
from algolens.reading import as_record
from algolens.records import ExperimentRecord


def experiment_record(algorithm: str, preset: str) -> Any:
    """An experiment with the settings that all have."""
    known = {"algorithm": algorithm, "preset": preset, "architecture": {}, "schedule": {}}
    made = {**known, "seeds": [0], "data_seed": 0, "options": {}}
    return as_record(made, ExperimentRecord, "the experiment")


def complaint(call: Callable[[], Any]) -> str | None:
    """What a call is refused with, which is one line, printable and short; None: it is not."""
    try:
        call()
    except AlgoLensError as problem:
        said = str(problem)
    else:
        return None
    assert said.isprintable(), said
    assert len(said) <= MOST_SAID, said
    return said
