"""What experiment.json holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from msgspec import Meta, Struct

from algolens.models import Architecture
from algolens.reading import Count, Name, Sha256, Text, Word, strict
from algolens.training import Schedule

if TYPE_CHECKING:
    ArchitectureRecord = Architecture
    ScheduleRecord = Schedule
else:
    ArchitectureRecord, ScheduleRecord = strict(Architecture), strict(Schedule)

# at most so many networks side by side, in the order of their seeds
Seeds = Annotated[list[Count], Meta(min_length=1, max_length=10_000)]

OwnGraphs = TypedDict(
    "OwnGraphs",
    {
        "from": Text,
        "family": NotRequired[bool],
        "file_sha256": NotRequired[Sha256],
        "split": NotRequired[Word],
        "taught": bool,
        "sha256": Sha256,
        "sets": dict[Word, Count],
        "nodes": Annotated[list[Count], Meta(min_length=2, max_length=2)],
        "drawn": dict[Word, Count],
        "repeated": Count,
    },
)
OwnGraphs.__doc__ = """A user's own graphs: where they come from, and their sets."""


class About(TypedDict, total=False):
    """How a run was made."""

    command: Text
    device: Word
    training_seconds: Annotated[float, Meta(ge=0)]
    selected_epochs: list[Count]
    versions: dict[Word, Word]


class ExperimentRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What is trained, on what, and how; and how it was made."""

    algorithm: Word
    preset: Word
    architecture: ArchitectureRecord
    schedule: ScheduleRecord
    seeds: Seeds
    data_seed: Count
    options: dict[Name, int | bool]
    held_out: Count | None = None
    variant: Word | None = None
    program: Annotated[
        dict[str, Any] | None, Meta(description="As `program.schema.json` says.")
    ] = None
    families: list[Word] | None = None
    processor_sha256: Sha256 | None = None
    graphs: OwnGraphs | None = None
    about: About = {}
