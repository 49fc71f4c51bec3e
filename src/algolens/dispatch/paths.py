"""Functions of NetworkX that give shortest paths along weights: Dijkstra's and Bellman-Ford's."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np

from algolens.algorithms import algorithm
from algolens.dispatch.carry_out import final_numbers
from algolens.dispatch.dispatch_graph import DispatchGraph
from algolens.execution import Run, run_algorithm
from algolens.graphs import stream
from algolens.graphs.attributes import column

Path = list[Hashable]


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """A run from a source, as NetworkX counts and names."""

    G: DispatchGraph
    run: Run
    source: int
    weights: np.ndarray  # [E] of the graph's edges, as the user has them
    is_whole: bool  # all weights are of Python's int

    @cached_property
    def reached(self) -> list[int]:
        """The nodes that can be reached, the nearest first."""
        numbers, distance = final_numbers(self.run, "reached").nonzero()[0], self._distance
        return numbers[np.argsort(distance[numbers], kind="stable")].tolist()

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
        is_tight = final_numbers(self.run, "reached")[senders] & (
            self._distance[senders] + length == self._distance[receivers]
        )
        return senders[is_tight], receivers[is_tight], edges[is_tight]

    @cached_property
    def lengths(self) -> dict[Hashable, Any]:
        """The length of the shortest path to every node, added up as NetworkX does.

        Sums of floats are rounded at every step, and the least of them counts.
        """
        lengths = self._distance
        if not self.is_whole:
            senders, receivers, edges = self._tight
            lengths = np.full(len(self.G), np.inf)
            lengths[self.source] = 0
            for _ in range(len(self.G) + 1):
                before = lengths.copy()
                np.minimum.at(lengths, receivers, lengths[senders] + self.weights[edges])
                if (lengths == before).all():
                    break
            else:
                raise NotImplementedError(
                    "a cycle of length 0 is below it when its floats are rounded: it is left to "
                    "NetworkX"
                )
        return {self.G.nodes[number]: lengths[number].item() for number in self.reached}

    def path_to(self, target: Hashable) -> Path:
        """The shortest path to a node; where two are equally short, NetworkX's heap decides."""
        parents, number = final_numbers(self.run, "parent"), self.G.number[target]
        path = [number]
        while number != self.source:
            if self._ways_in[number] > 1:
                raise NotImplementedError(
                    f"two shortest paths to {self.G.nodes[number]!r} are equally short: which one "
                    "is given is left to NetworkX"
                )
            number = int(parents[number])
            path.append(number)
        return [self.G.nodes[number] for number in path[::-1]]

    @cached_property
    def _ways_in(self) -> np.ndarray:
        return np.bincount(self._tight[1], minlength=len(self.G))

    @cached_property
    def paths(self) -> dict[Hashable, Path]:
        """The shortest path to every node."""
        return {self.G.nodes[number]: self.path_to(self.G.nodes[number]) for number in self.reached}


def _from_source(
    name: str, G: DispatchGraph, source: Hashable, target: Hashable, weight: str | None
) -> ShortestPaths | None:
    """The run from a source; None where NetworkX has an error for it."""
    if source not in G.number:
        return None
    values = G.weights(weight)
    at_edges = [values[place] for place in G.place_of_edge]
    if any(values[place] < 0 for place in (G.ends[0] == G.ends[1]).nonzero()[0]):
        return None
    graph = replace(G.graph, edge_attributes={"weight": column(at_edges)})
    roomy = algorithm(name).with_room_for(graph)
    place = G.number[source]
    inputs, _ = roomy.read(graph, stream(0, "inputs", name), source=place)
    run = run_algorithm(roomy, graph, inputs, trace=False, check=False)
    if run.outcomes.get("has_negative_cycle", np.zeros(1))[0]:
        return None
    is_whole = all(type(value) is int for value in at_edges)
    weights = np.array(at_edges, dtype=np.int64 if is_whole else np.float64)
    shortest = ShortestPaths(G, run, place, weights, is_whole)
    return None if target is not None and target not in shortest.lengths else shortest


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
    return shortest.lengths if target is None else shortest.lengths[target]


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
