"""All small graphs, with drawn inputs: the smallest that shows a difference is looked for among these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.fields import Field
from algolens.graphs import Graph, stream

MOST_NODES = 5
DRAWS = 30  # of inputs, for each graph
TRIED = f"all graphs of up to {MOST_NODES} nodes, with inputs drawn {DRAWS} times"


@dataclass(frozen=True)
class ShownGraph:
    """One graph, and values of fields on it, as a person reads them."""

    nodes: int
    edges: tuple[tuple[int, int], ...]
    directed: bool
    values: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, graph: Graph, values: Values, fields: Mapping[str, Field]) -> ShownGraph:
        """A graph alone, and values of fields at all its places."""
        told = {name: fields[name].kind.shown(value, graph, fields[name].location) for name, value in values.items()}
        return cls(graph.num_nodes, tuple((u, v) for u, v in graph.edges.T.tolist()), graph.directed, told)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        mark = " -> " if self.directed else "-"
        joined = ", ".join(f"{one}{mark}{other}" for one, other in self.edges) or "no edge"
        values = [f"{name} {_row(values)}" for name, values in self.values.items()]
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{nodes} ({joined})" + (f" with {', '.join(values)}" if values else "")


def small_graphs(algorithm: Algorithm) -> Iterator[tuple[Graph, Values]]:
    """All graphs of 1, 2, ... nodes, few edges first, each so many times with other inputs; one batch for each size."""
    rng = stream(0, "small graphs with inputs", algorithm.name)
    directed = algorithm.graphs == "directed"
    for size in range(1, MOST_NODES + 1):
        alike = [graph for graph in nx.graph_atlas_g() if len(graph) == size for _ in range(DRAWS)]
        edges = [(u + i * size, v + i * size) for i, graph in enumerate(alike) for u, v in graph.edges]
        if directed:  # each edge leads either way
            edges = [pair if rng.random() < 0.5 else pair[::-1] for pair in edges]
        graphs = Graph.pack([size] * len(alike), edges, directed=directed)
        yield graphs, drawn(algorithm.declaration.inputs, graphs, rng)


def drawn(fields: Mapping[str, Field], graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
    """Arbitrary values of fields."""
    return {name: field.kind.draw(graph, field.location, rng) for name, field in fields.items()}


def _row(values: Sequence[Any]) -> str:
    return "[" + ", ".join("-" if each is None else str(each) for each in values) + "]"
