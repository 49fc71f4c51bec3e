"""Modules as users write them, for the laws of networks of their own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.graphs import Graph
from algolens.models.architecture import network_inputs
from algolens.models.own import TRIED_ON

MINE = """
import torch
from torch import nn
from torch_geometric.nn import GINConv, global_max_pool


class Mine(nn.Module):
    def __init__(self, in_channels, concepts, width):
        super().__init__()
        layers = nn.Sequential(nn.Linear(in_channels, width), nn.ReLU(), nn.Linear(width, width))
        self.convolutions = nn.ModuleList([GINConv(layers)])
        self.heads = nn.ModuleDict({name: nn.Linear(width, 1) for name in concepts})
        self.ask = nn.Linear(width, 1)

    def forward(self, data):
        data.x = self.convolutions[0](data.x, data.edge_index).relu()
        scores = {name: head(data.x) for name, head in self.heads.items()}
        return {**scores, "goes_on": self.ask(global_max_pool(data.x, data.batch))}
"""


class Convolved(nn.Module):
    """A module with random weights: a sum over neighbours, then two layers."""

    def __init__(self, in_channels: int, concepts: dict[str, int], width: int) -> None:
        super().__init__()
        self.first = nn.Linear(2 * in_channels, width)
        self.last = nn.Linear(width, len(concepts) + 1)
        self.names = tuple(concepts)

    def forward(self, data):
        senders, receivers = data.edge_index
        near = torch.zeros_like(data.x).index_add(0, receivers, data.x[senders])
        scores = 3 * self.last(self.first(torch.cat([data.x, near], 1)).relu())
        first = data.x.new_full((data.num_graphs,), -9.0)
        asks = first.index_reduce(0, data.batch, scores[:, -1], "amax")
        return {**dict(zip(self.names, scores.unbind(1), strict=False)), "goes_on": asks}


class BfsByHand(nn.Module):
    """Breadth-first search, as it is."""

    def forward(self, data):
        visited, near = self.seen(data)
        asks = visited.new_zeros(data.num_graphs)
        asks = asks.index_reduce(0, data.batch, near * (1 - visited), "amax")
        concepts = {"has_been_visited": sure(visited), "has_visited_neighbours": sure(near)}
        return {**concepts, "goes_on": sure(asks)}

    def seen(self, data) -> tuple[Tensor, Tensor]:
        """Whether a node is visited, and whether it or one that sends to it is."""
        visited = data.x[:, 1]
        senders, receivers = data.edge_index
        return visited, visited.index_reduce(0, receivers, visited[senders], "amax")

    def decide(self, concepts):
        return {"visited": sure(concepts[:, 1])}


class WithoutConcepts(BfsByHand):
    """The same straight to the output."""

    decide = None  # type: ignore[assignment]

    def forward(self, data):
        return {"visited": sure(self.seen(data)[1]), "goes_on": super().forward(data)["goes_on"]}


class NeverVisits(WithoutConcepts):
    """It leaves everything as it is."""

    def forward(self, data):
        return {"visited": sure(self.seen(data)[0]), "goes_on": super().forward(data)["goes_on"]}


def sure(bits: Tensor) -> Tensor:
    """Logits of zeros and ones."""
    return 20 * bits - 10


def seeing_truly(algorithm: Algorithm) -> type[nn.Module]:
    """A module that reads graph, inputs and state from what it is given, as the page describes it,
    and asks the algorithm itself what is seen there.
    """
    declaration = algorithm.declaration
    state = {name: declaration.predicted[name] for name in declaration.state}
    fields = {**network_inputs(declaration), **state}

    class SeeingTruly(nn.Module):
        def forward(self, data):
            directed = algorithm.recipe.directed and data.edge_index.shape[1] != TRIED_ON.num_links
            half = data.edge_index.shape[1] // (1 if directed else 2)
            edges = data.edge_index[:, :half]
            graph = Graph.pack(data.ptr.diff(), edges.T, directed=directed).to("cpu")
            values = self.values(data, graph)
            seen = algorithm.perceive(graph, values, {name: values[name] for name in state})
            return {
                name: scored(field, seen[name], graph)
                for name, field in declaration.predicted.items()
                if name in seen and name not in declaration.moved
            }

        def values(self, data, graph) -> dict[str, Tensor]:
            values, columns = {}, {"x": 0, "edge_attr": 0}
            for location in ("node", "graph", "edge", "link"):
                where = "x" if location in ("node", "graph") else "edge_attr"
                for name, field in fields.items():
                    if field.at != location:
                        continue
                    if field.to is not None:
                        first = graph.first(field.to)[graph.owner(location)]
                        values[name] = data.pointers[name][1] - first
                        continue
                    begin = columns[where]
                    columns[where] += field.width
                    rows = data[where][:, begin : columns[where]]
                    if location == "graph":
                        rows = rows[graph.first_node]
                    values[name] = decoded(field, rows[: graph.count(location)])
            return values

        def decide(self, concepts):
            decided = declaration.rule_set.decide(concepts > 0.5)
            return {name: scored(kind, decided[name]) for name, kind in declaration.decided.items()}

    return SeeingTruly


def scored(kind, values: Tensor, graph: Graph | None = None) -> Tensor:
    """Scores that are sure of values."""
    if kind.kind == "mask":
        return sure(values.float())
    if kind.to is None:
        return sure(kind.encode(values))
    assert graph is not None
    most = int(graph.counts(kind.to).max())
    return sure(nn.functional.one_hot(values, most).float())


def decoded(kind, rows: Tensor) -> Tensor:
    """The values that a kind encoded so."""
    if kind.is_decided:
        values = rows.argmax(1)
        return values.bool() if kind.kind == "mask" else values
    return kind.predict(rows - 0.5)
