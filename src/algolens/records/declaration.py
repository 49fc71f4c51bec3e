"""What declaration.json holds."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from algolens.language.ir import Program
from algolens.reading import Name, Word


class DeclarationRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """All that an algorithm declares: what a certificate says that the network does."""

    algorithm: Word
    options: dict[Name, int | bool]
    graphs: Literal["undirected", "directed", "any"]
    loops_matter: bool
    parallel_edges_matter: bool
    program: Program
