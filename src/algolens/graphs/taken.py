"""Some graphs of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.errors import GraphError
from algolens.graphs.location import Location

if TYPE_CHECKING:
    from algolens.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class TakenGraphs:
    """Some graphs of a batch, and where their parts stood in it."""

    graph: Graph
    graphs: Tensor  # [G'] which graphs
    nodes: Tensor  # [N'] which nodes
    edges: Tensor  # [E'] which edges
    links: Tensor  # [L'] which links

    def index(self, location: Location) -> Tensor:
        """Where the values at a location stood in the whole batch."""
        match location:
            case Location.NODE:
                return self.nodes
            case Location.EDGE:
                return self.edges
            case Location.LINK:
                return self.links
        return self.graphs


def as_places(values: Tensor | Sequence[int], what: str, device: torch.device) -> Tensor:
    """Numbers of elements as a tensor. A mask in their place would be taken for the numbers 0 and
    1.
    """
    places = torch.as_tensor(values, device=device)
    if places.numel() and (places.dtype == torch.bool or places.is_floating_point()):
        raise GraphError(
            f"{what} are named by {places.dtype}: name them by number, as mask.nonzero().flatten() "
            "does for a mask."
        )
    return places.long()
