"""Layouts in which nodes are places, with edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from algolens.layouts.layout import Fields, Layout


@final
@dataclass(frozen=True)
class ByEdges(Layout):
    """Nodes near their neighbours; paths, trees and grids as such."""

    form = "edges"

    def check(self, fields: Fields) -> None:
        """It reads no field."""
