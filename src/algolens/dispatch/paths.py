"""Functions of NetworkX that give shortest paths along weights: Dijkstra's and Bellman-Ford's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, algorithm
from algolens.dispatch.carry_out import final_numbers, run_on
from algolens.dispatch.dispatch_graph import DispatchGraph
from algolens.execution import Run
from algolens.graphs import stream
from algolens.graphs.attributes import column

Path = list[Hashable]


@dataclass(frozen=True, eq=False)
class Lengths:
    """The weights of a graph's edges, read for an algorithm."""

    algorithm: Algorithm  # with room for them
    read: Tensor  # [E] whole numbers
    given: np.ndarray  # [E] as the user has them
    is_whole: bool  # all of them are of Python's int


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """A run from a source, as NetworkX counts and names."""

    G: DispatchGraph
    run: Run
    source: int
    weights: Lengths

    def reaches(self, target: Hashable) -> bool:
        """Whether a path leads to a node of the graph."""
        return target in self.G.number and bool(self._is_reached[self.G.number[target]])

    @cached_property
    def reached(self) -> list[int]:
        """The nodes that can be reached, the nearest first."""
        numbers = self._is_reached.nonzero()[0]
        return numbers[np.argsort(self._distance[numbers], kind="stable")].tolist()

    @cached_property
    def _is_reached(self) -> np.ndarray:
        return final_numbers(self.run, "reached")

    @cached_property
    def _distance(self) -> np.ndarray:
        return final_numbers(self.run, "distance")

    @cached_property
    def _tight(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sender, receiver and edge of every link that some shortest path leads along."""
        graph = self.run.graph
        senders, receivers = graph.links.numpy()
        edges = (
            np.arange(graph.num_edges) if graph.directed else np.tile(np.arange(graph.num_edges), 2)
        )
        length = self.run.inputs["weight"].numpy()[edges]
        is_tight = self._is_reached[senders] & (
            self._distance[senders] + length == self._distance[receivers]
        )
        return senders[is_tight], receivers[is_tight], edges[is_tight]

    @cached_property
    def _lengths(self) -> np.ndarray:
        """[N] the length of the shortest path to every node, added up as NetworkX does.

        Sums of floats are rounded at every step, and the least of them counts.
        """
        if self.weights.is_whole:
            return self._distance
        senders, receivers, edges = self._tight
        lengths = np.full(len(self.G), np.inf)
        lengths[self.source] = 0
        for _ in range(len(self.G) + 1):
            before = lengths.copy()
            np.minimum.at(lengths, receivers, lengths[senders] + self.weights.given[edges])
            if (lengths == before).all():
                return lengths
        raise NotImplementedError(
            "a cycle of length 0 is below it when its floats are rounded: it is left to NetworkX"
        )

    @cached_property
    def lengths(self) -> dict[Hashable, Any]:
        """The length of the shortest path to every node that can be reached."""
        nodes = map(self.G.nodes.__getitem__, self.reached)
        return dict(zip(nodes, self._lengths[self.reached].tolist(), strict=True))

    def length_to(self, target: Hashable) -> Any:
        """The length of the shortest path to a node."""
        return self._lengths[self.G.number[target]].item()

    def path_to(self, target: Hashable, known: Mapping[Hashable, Path] | None = None) -> Path:
        """The shortest path to a node; where two are equally short, NetworkX's heap decides.

        known: paths to other nodes.
        """
        nodes, node, way = self.G.nodes, target, []
        while known is None or node not in known:
            way.append(node)
            number = self.G.number[node]
            if number == self.source:
                return way[::-1]
            if self._ways_in[number] > 1:
                raise NotImplementedError(
                    f"two shortest paths to {node!r} are equally short: which one is given is left "
                    "to NetworkX"
                )
            node = nodes[self._parents[number]]
        return [*known[node], *way[::-1]]

    @cached_property
    def _parents(self) -> list[int]:
        return final_numbers(self.run, "parent").tolist()

    @cached_property
    def _ways_in(self) -> list[int]:
        return np.bincount(self._tight[1], minlength=len(self.G)).tolist()

    @cached_property
    def paths(self) -> dict[Hashable, Path]:
        """The shortest path to every node."""
        known: dict[Hashable, Path] = {}
        for number in self.reached:
            known[self.G.nodes[number]] = self.path_to(self.G.nodes[number], known)
        return known


def _from_source(
    name: str, G: DispatchGraph, source: Hashable, target: Hashable, weight: str | None
) -> ShortestPaths | None:
    """The run from a source; None where NetworkX has an error for it."""
    if source not in G.number:
        return None
    weights = _read_lengths(name, G, weight)
    if weights is None:
        return None
    place = G.number[source]
    inputs = {"weight": weights.read, "source": torch.tensor([place])}
    run = run_on(weights.algorithm, G, inputs)
    if run.outcomes.get("has_negative_cycle", np.zeros(1))[0]:
        return None
    shortest = ShortestPaths(G, run, place, weights)
    return None if target is not None and not shortest.reaches(target) else shortest


def _read_lengths(name: str, G: DispatchGraph, weight: str | None) -> Lengths | None:
    """The weights; None where a self-loop's is negative. What was read is kept with the graph."""
    if (name, weight) in G.lengths:
        return G.lengths[name, weight]
    values = G.weights(weight)
    at_edges = [values[place] for place in G.place_of_edge.tolist()]
    if any(values[place] < 0 for place in (G.ends[0] == G.ends[1]).nonzero()[0]):
        return None
    graph = replace(G.graph, edge_attributes={"weight": column(at_edges)})
    roomy = algorithm(name).with_room_for(graph)
    inputs, _ = roomy.read(graph, stream(0, "inputs", name), source=0)
    is_whole = all(type(value) is int for value in at_edges)
    given = np.array(at_edges, dtype=np.int64 if is_whole else np.float64)
    lengths = Lengths(roomy, inputs["weight"], given, is_whole)
    if G.edge_data is None:  # else the user can write into what edges carry
        G.lengths[name, weight] = lengths
    return lengths


def _answer(
    function: Callable[..., Any],
    answer: Callable[[ShortestPaths, Hashable], Any],
    G: DispatchGraph,
    source: Hashable,
    target: Hashable,
    weight: str | None,
) -> Any:
    """An answer from the run; the errors are NetworkX's own."""
    name = "dijkstra" if "dijkstra" in function.__name__ else "bellman_ford"
    shortest = _from_source(name, G, source, target, weight)
    if shortest is not None:
        return answer(shortest, target)
    ends = (source,) if target is None else (source, target)
    return G.by_networkx(function, *ends, weight=weight)


def _length(shortest: ShortestPaths, target: Hashable) -> Any:
    return shortest.lengths if target is None else shortest.length_to(target)


def _path(shortest: ShortestPaths, target: Hashable) -> Any:
    return shortest.paths if target is None else shortest.path_to(target)


def _length_and_path(shortest: ShortestPaths, target: Hashable) -> Any:
    return _length(shortest, target), _path(shortest, target)


# ---- Dijkstra


def single_source_dijkstra_path_length(
    G: DispatchGraph, source: Hashable, cutoff: None = None, weight: str | None = "weight"
) -> dict[Hashable, Any]:
    """The length of the shortest path from a node to every other, by Dijkstra."""
    return _answer(nx.single_source_dijkstra_path_length, _length, G, source, None, weight)


def dijkstra_path_length(
    G: DispatchGraph, source: Hashable, target: Hashable, weight: str | None = "weight"
) -> Any:
    """The length of the shortest path between two nodes, by Dijkstra."""
    return _answer(nx.dijkstra_path_length, _length, G, source, target, weight)


def single_source_dijkstra_path(
    G: DispatchGraph, source: Hashable, cutoff: None = None, weight: str | None = "weight"
) -> dict[Hashable, Path]:
    """The shortest path from a node to every other, by Dijkstra."""
    return _answer(nx.single_source_dijkstra_path, _path, G, source, None, weight)


def dijkstra_path(
    G: DispatchGraph, source: Hashable, target: Hashable, weight: str | None = "weight"
) -> Path:
    """The shortest path between two nodes, by Dijkstra."""
    return _answer(nx.dijkstra_path, _path, G, source, target, weight)


def single_source_dijkstra(
    G: DispatchGraph,
    source: Hashable,
    target: Hashable = None,
    cutoff: None = None,
    weight: str | None = "weight",
) -> tuple[Any, Any]:
    """Length and path, from a node to another or to all, by Dijkstra."""
    return _answer(nx.single_source_dijkstra, _length_and_path, G, source, target, weight)


# ---- Bellman-Ford


def single_source_bellman_ford_path_length(
    G: DispatchGraph, source: Hashable, weight: str | None = "weight"
) -> dict[Hashable, Any]:
    """The length of the shortest path from a node to every other, by Bellman-Ford."""
    return _answer(nx.single_source_bellman_ford_path_length, _length, G, source, None, weight)


def bellman_ford_path_length(
    G: DispatchGraph, source: Hashable, target: Hashable, weight: str | None = "weight"
) -> Any:
    """The length of the shortest path between two nodes, by Bellman-Ford."""
    return _answer(nx.bellman_ford_path_length, _length, G, source, target, weight)


def single_source_bellman_ford_path(
    G: DispatchGraph, source: Hashable, weight: str | None = "weight"
) -> dict[Hashable, Path]:
    """The shortest path from a node to every other, by Bellman-Ford."""
    return _answer(nx.single_source_bellman_ford_path, _path, G, source, None, weight)


def bellman_ford_path(
    G: DispatchGraph, source: Hashable, target: Hashable, weight: str | None = "weight"
) -> Path:
    """The shortest path between two nodes, by Bellman-Ford."""
    return _answer(nx.bellman_ford_path, _path, G, source, target, weight)


def single_source_bellman_ford(
    G: DispatchGraph, source: Hashable, target: Hashable = None, weight: str | None = "weight"
) -> tuple[Any, Any]:
    """Length and path, from a node to another or to all, by Bellman-Ford."""
    return _answer(nx.single_source_bellman_ford, _length_and_path, G, source, target, weight)
