"""A batch of graphs in a state, as a batch of PyTorch Geometric: how a user's own network sees it.

``x`` has a row for every node: the inputs at nodes, the state there, then the fields of its graph.
``edge_attr`` has a row for every link: the fields of its edge, then its own. Each field is encoded
by its kind, and inputs come before state, in the order in which they are declared. A pointer is no
feature: ``pointers`` has, by its name, [2, K] the elements and what they point to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.algorithms import Declaration, Values
from algolens.errors import AlgoLensError
from algolens.graphs import Graph, Location
from algolens.language.fields import Field
from algolens.models.architecture import network_inputs

if TYPE_CHECKING:
    from torch_geometric.data import Batch

# of the rows of x and of edge_attr: the locations whose fields stand in them, in this order
IN_X = (Location.NODE, Location.GRAPH)
IN_EDGE_ATTR = (Location.EDGE, Location.LINK)


class Encoding:
    """How the inputs and the state of an algorithm are encoded."""

    def __init__(self, declaration: Declaration) -> None:
        state = {name: declaration.predicted[name] for name in declaration.state}
        self.fields: Mapping[str, Field] = {**network_inputs(declaration), **state}
        self.in_channels, self.edge_dim = self._width(IN_X), self._width(IN_EDGE_ATTR)

    def _width(self, locations: tuple[Location, ...]) -> int:
        fields = self.fields.values()
        return sum(field.kind.width for field in fields if field.location in locations)

    def __call__(self, graph: Graph, values: Values) -> Batch:
        """The graphs with the values of all fields."""
        try:
            from torch_geometric.data import Batch
        except ImportError as missing:
            raise AlgoLensError(
                "a network of your own reads graphs of PyTorch Geometric, which is not installed: "
                "pip install 'algolens[pyg]'."
            ) from missing
        return Batch(
            x=self._features(graph, values, IN_X),
            edge_index=graph.links,
            edge_attr=self._features(graph, values, IN_EDGE_ATTR),
            batch=graph.node_owner,
            ptr=torch.cat([graph.first_node, graph.first_node.new_tensor([graph.num_nodes])]),
            pointers=self._pointers(graph, values),
        )

    def _features(self, graph: Graph, values: Values, locations: tuple[Location, ...]) -> Tensor:
        """[N, in_channels] or [L, edge_dim]."""
        rows = graph.num_nodes if Location.NODE in locations else graph.num_links
        parts = [torch.zeros(rows, 0, device=graph.device)]
        for location in locations:
            for name, field in self.fields.items():
                if field.location is location and field.kind.width:
                    encoded = field.kind.encode(values[name])
                    if location is Location.GRAPH:
                        encoded = encoded.index_select(0, graph.node_owner)
                    parts.append(graph.at_links(encoded) if location is Location.EDGE else encoded)
        return torch.cat(parts, 1)

    def _pointers(self, graph: Graph, values: Values) -> dict[str, Tensor]:
        pointers = {}
        for name, field in self.fields.items():
            to = field.kind.points_to
            if to is not None:
                elements = torch.arange(graph.count(field.location), device=graph.device)
                first = graph.first(to).index_select(0, graph.owner(field.location))
                pointers[name] = torch.stack([elements, first + values[name]])
        return pointers
