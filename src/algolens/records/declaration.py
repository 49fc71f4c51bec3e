"""What declaration.json holds."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from algolens.fields.records import AnyKind
from algolens.logic.records import Names, RulesByClass
from algolens.looks.exports.json import LookRecord, ObservedRecord
from algolens.programs.record import MostSteps
from algolens.reading import Name, Word


class DeclarationRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """All that an algorithm declares: what a certificate says that the network does."""

    algorithm: Word
    options: dict[Name, int | bool]
    graphs: Literal["undirected", "directed", "any"]
    loops_matter: bool
    parallel_edges_matter: bool
    most_steps: MostSteps
    only_where: dict[Name, Name]
    outcomes: list[Name]
    location: Literal["node", "edge"]
    concepts: Annotated[Names, Meta(min_length=1)]
    outputs: Annotated[dict[Name, AnyKind], Meta(min_length=1)]
    look: LookRecord
    rules: RulesByClass
    goes_on: ObservedRecord | None
