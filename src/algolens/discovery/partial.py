"""What a search has settled so far, as a file: to read, and to go on from.

It is written after every decision that is settled, so that a search that was stopped in any way
goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from algolens.discovery.decisions import Script, SettledDecision
from algolens.discovery.schema import Schema
from algolens.disk import write_json
from algolens.errors import AlgoLensError, ReadingError
from algolens.fields import Location
from algolens.looks import parse_look
from algolens.looks.language import statement_text
from algolens.reading import Text, Word, optional_record


@dataclass(frozen=True)
class SeenRecord:
    """An observation."""

    at: Location
    text: Text


@dataclass(frozen=True)
class SettledRecord:
    """What settles a decision."""

    at: Location
    observations: list[Text]
    cost: float
    is_least: bool
    up_to_price: int


@dataclass(frozen=True)
class PartialRecord:
    """What the file holds."""

    fields: Word  # a fingerprint of the fields and the seed
    unsettled: list[Word]
    settled: dict[str, SettledRecord]
    seen: dict[str, SeenRecord]
    decided: list[Word]  # of what is seen, what a step decides


class PartialFile:
    """A file of what was settled.

    Parameters
    ----------
    path : Path
        The file.
    schema : Schema
        The fields: what was settled of others is not gone on from.
    seed : int
        Of the runs.
    """

    def __init__(self, path: Path, schema: Schema, seed: int) -> None:
        self.path, self.fields = path, _fingerprint(schema, seed)

    def read(self) -> Script:
        """What an earlier search settled; nothing where there is no file of these fields."""
        script = Script()
        record = optional_record(self.path, PartialRecord)
        if record is None or record.fields != self.fields:
            return script
        try:
            for name, seen in record.seen.items():
                script.look[name] = (seen.at, parse_look(seen.text, seen.at))
            for name, settled in record.settled.items():
                script.decisions[name] = SettledDecision(
                    name,
                    settled.at,
                    tuple(parse_look(text, settled.at) for text in settled.observations),
                    (),
                    (),
                    np.zeros(0, np.uint64),
                    np.zeros(0, np.int64),
                    settled.cost,
                    settled.is_least,
                    settled.up_to_price,
                )
        except AlgoLensError as problem:
            raise ReadingError(f"{self.path}: {problem} Delete it to begin anew.") from problem
        script.decided.update(record.decided)
        return script

    def write(self, script: Script, unsettled: Sequence[str]) -> None:
        """Writes what is settled, and names what is not."""
        settled = {
            name: SettledRecord(
                some.location,
                [statement_text(formula) for formula in some.formulas],
                float(some.cost),
                some.proven,
                some.bound,
            )
            for name, some in script.decisions.items()
        }
        seen = {
            name: SeenRecord(at, statement_text(formula))
            for name, (at, formula) in script.look.items()
        }
        decided = sorted(script.decided)
        record = PartialRecord(self.fields, list(unsettled), settled, seen, decided)
        write_json(self.path, asdict(record, dict_factory=_plain))

    def remove(self) -> None:
        """Takes the file away: all is settled."""
        self.path.unlink(missing_ok=True)


def _plain(values: list[tuple[str, Any]]) -> dict[str, Any]:
    """A record as JSON has it: a location by its word."""
    return {name: value.value if isinstance(value, Location) else value for name, value in values}


def _fingerprint(schema: Schema, seed: int) -> str:
    fields = {**schema.inputs, **schema.decided}
    said = (schema.name, sorted((name, repr(field)) for name, field in fields.items()), seed)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]
