"""Functions of NetworkX that give shortest paths along weights: Dijkstra's and Bellman-Ford's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from algolens.algorithms import algorithm
from algolens.dispatch.dispatch_graph import DispatchGraph
from algolens.engines import Run
from algolens.graphs import stream
from algolens.graphs.attributes import column

Path = list[Hashable]
MOST_WHOLE = 2**53  # up to it every whole number is a float


@dataclass(frozen=True, eq=False)
class Lengths:
    """The weights of a graph's edges, read for an algorithm."""

    options: Mapping[str, Any]  # with which the algorithm has room for them
    read: np.ndarray  # [E] whole numbers
    given: np.ndarray  # [E] as the user has them; whole ones beside floats as floats
    are_mixed: bool  # whether there are both


@dataclass(frozen=True, eq=False)
class ShortestPaths:
    """A run from a source, as NetworkX counts and names."""

    G: DispatchGraph
    run: Run
    source: int
    weight: str | None
    lengths: Lengths

    @cached_property
    def is_reached(self) -> np.ndarray:
        """[N] bools: can a node be reached?"""
        return np.asarray(self.run.final("reached"))

    @cached_property
    def _distance(self) -> np.ndarray:
        return np.asarray(self.run.final("distance"))

    @cached_property
    def _near_first(self) -> list[int]:
        """The nodes that can be reached, the nearest first."""
        numbers = self.is_reached.nonzero()[0]
        return numbers[np.argsort(self._distance[numbers], kind="stable")].tolist()

    @cached_property
    def _links(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sender, receiver and edge of every link that leads from a node that is reached."""
        graph = self.run.graph
        senders, receivers = np.asarray(graph.links)
        edges = np.tile(np.arange(graph.num_edges), 1 if graph.directed else 2)
        is_left = self.is_reached[senders]
        return senders[is_left], receivers[is_left], edges[is_left]

    @cached_property
    def _lengths(self) -> np.ndarray:
        """[N] the length of the shortest path to every node, added up as NetworkX does.

        Sums of floats are rounded at every step. They are the least of all sums where no link leads
        to a lower one; where one does, rounding has made another path the shortest.
        """
        if self.lengths.given.dtype != np.float64:
            return self._distance
        senders, receivers, edges = self._links
        length = np.asarray(self.run.inputs["weight"])[edges]
        exact = np.flatnonzero(self._distance[senders] + length == self._distance[receivers])
        added = self.lengths.given[edges]
        lengths = np.full(len(self.G), np.inf)
        lengths[self.source] = 0
        for _ in range(len(self.G) + 1):
            before = lengths.copy()
            np.minimum.at(lengths, receivers[exact], lengths[senders[exact]] + added[exact])
            if (lengths == before).all():
                break
        if (lengths[senders] + added < lengths[receivers]).any():
            raise NotImplementedError(
                "rounded sums of floats make another path the shortest: it is left to NetworkX"
            )
        return lengths

    def length(self, target: Hashable) -> Any:
        """The length of the shortest path to a node; without one, to all that can be reached."""
        if self.lengths.are_mixed:  # a sum of whole numbers alone is whole: paths are added up
            paths = self.path(target)
            if target is not None:
                return self._length_of(paths)
            return {node: self._length_of(path) for node, path in paths.items()}
        values = self._lengths.tolist()
        values[self.source] = 0  # no float: nothing was added
        if target is not None:
            return values[self.G.number(target)]
        return {self.G.nodes[number]: values[number] for number in self._near_first}

    def _length_of(self, path: Path) -> Any:
        data = (self.G.source[u][v] for u, v in pairwise(path))
        return reduce(add, (edge.get(self.weight, 1) for edge in data), 0)

    @cached_property
    def _parents(self) -> tuple[list[int], list[int]]:
        """[N] the node before each on a shortest path, and from how many nodes one comes."""
        senders, receivers, edges = self._links
        lengths = self._lengths
        is_tight = lengths[senders] + self.lengths.given[edges] == lengths[receivers]
        parents = np.zeros(len(self.G), dtype=np.int64)
        parents[receivers[is_tight]] = senders[is_tight]
        return parents.tolist(), np.bincount(receivers[is_tight], minlength=len(parents)).tolist()

    def _path_to(self, number: int, known: Mapping[Hashable, Path]) -> Path:
        """The shortest path to a node; where two are equally short, NetworkX's heap decides.

        known: paths to other nodes.
        """
        nodes, (parents, ways_in) = self.G.nodes, self._parents
        way: Path = []
        while nodes[number] not in known:
            way.append(nodes[number])
            if number == self.source:
                return way[::-1]
            if ways_in[number] > 1:
                raise NotImplementedError(
                    f"two shortest paths to {nodes[number]!r} are equally short: which one is "
                    "given is left to NetworkX"
                )
            number = parents[number]
        return [*known[nodes[number]], *way[::-1]]

    def path(self, target: Hashable) -> Any:
        """The shortest path to a node; without one, to all that can be reached."""
        if target is not None:
            return self._path_to(self.G.number(target), {})
        known: dict[Hashable, Path] = {}
        for number in self._near_first:
            known[self.G.nodes[number]] = self._path_to(number, known)
        return known


def _read_lengths(name: str, G: DispatchGraph, weight: str | None) -> Lengths:
    """The weights. What was read is kept with the graph."""
    if (name, weight) in G.lengths:
        return G.lengths[name, weight]
    values = G.weights(weight)
    loops = (G.ends[0] == G.ends[1]).nonzero()[0]
    G.ask_networkx_where(any(values[place] < 0 for place in loops))  # a negative cycle
    at_edges = [values[place] for place in G.place_of_edge.tolist()]
    are_mixed = len(set(map(type, at_edges))) > 1
    if are_mixed and sum(abs(value) for value in at_edges if type(value) is int) > MOST_WHOLE:
        raise NotImplementedError(
            f"whole weights of more than {MOST_WHOLE:,} together beside floats: they would be "
            "rounded, the call is left to NetworkX"
        )
    graph = replace(G.graph, edge_attributes={"weight": column(at_edges)})
    roomy = algorithm(name).with_room_for(graph)
    inputs, _ = roomy.read(graph, stream(0, "inputs", name), source=0)
    read = np.asarray(inputs["weight"])
    lengths = Lengths(roomy.options, read, np.array(at_edges), are_mixed)
    if weight in G.values:  # else the user can write into what edges carry
        G.lengths[name, weight] = lengths
    return lengths


def _shortest(
    name: str,
    answers: tuple[Callable[[ShortestPaths, Hashable], Any], ...],
    G: DispatchGraph,
    source: Hashable,
    *ends_and_weight: Any,
) -> Any:
    """Lengths, paths, or both, from a source to a target, or to all nodes."""
    *target, weight = ends_and_weight
    end = target[0] if target else None
    start, lengths = G.number(source), _read_lengths(name, G, weight)
    run = G.run(name, {"weight": lengths.read, "source": [start]}, **lengths.options)
    shortest = ShortestPaths(G, run, start, weight, lengths)
    G.ask_networkx_where(bool(run.outcomes.get("has_negative_cycle", [False])[0]))
    G.ask_networkx_where(end is not None and not shortest.is_reached[G.number(end)])
    given = [answer(shortest, end) for answer in answers]
    return tuple(given) if len(given) > 1 else given[0]


# what a function gives, by its name
ANSWERS = {
    "{}_path_length": (ShortestPaths.length,),
    "{}_path": (ShortestPaths.path,),
    "single_source_{}_path_length": (ShortestPaths.length,),
    "single_source_{}_path": (ShortestPaths.path,),
    "single_source_{}": (ShortestPaths.length, ShortestPaths.path),
}
FUNCTIONS = {
    form.format(name): partial(_shortest, name, answers)
    for name in ("dijkstra", "bellman_ford")
    for form, answers in ANSWERS.items()
}
