"""Functions of NetworkX that give shortest paths along weights: Dijkstra's and Bellman-Ford's."""

from __future__ import annotations

import inspect
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
from algolens.engines import Run
from algolens.graphs import stream
from algolens.graphs.attributes import column

Path = list[Hashable]
MOST_WHOLE = 2**53  # up to it every whole number is a float


@dataclass(frozen=True, eq=False)
class Lengths:
    """The weights of a graph's edges, read for an algorithm."""

    algorithm: Algorithm  # with room for them
    read: Tensor  # [E] whole numbers
    given: np.ndarray  # [E] as the user has them
    given_whole: np.ndarray  # [E] which of them are of Python's int

    @property
    def is_whole(self) -> bool:
        """Whether all of them are."""
        return bool(self.given_whole.all())


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
    def _links(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sender, receiver and edge of every link that leads from a node that is reached."""
        graph = self.run.graph
        senders, receivers = graph.links.numpy()
        edges = np.tile(np.arange(graph.num_edges), 1 if graph.directed else 2)
        is_left = self._is_reached[senders]
        return senders[is_left], receivers[is_left], edges[is_left]

    @cached_property
    def _lengths(self) -> np.ndarray:
        """[N] the length of the shortest path to every node, added up as NetworkX does.

        Sums of floats are rounded at every step. They are the least of all sums where no link leads
        to a lower one; where one does, rounding has made another path the shortest.
        """
        if self.weights.is_whole:
            return self._distance
        senders, receivers, edges = self._links
        length = self.run.inputs["weight"].numpy()[edges]
        exact = np.flatnonzero(self._distance[senders] + length == self._distance[receivers])
        added = self.weights.given[edges]
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

    @cached_property
    def _tight(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The links that some shortest path leads along."""
        senders, receivers, edges = self._links
        lengths = self._lengths
        is_tight = lengths[senders] + self.weights.given[edges] == lengths[receivers]
        return senders[is_tight], receivers[is_tight], edges[is_tight]

    @cached_property
    def _values(self) -> list[int | float]:
        """The lengths as Python's numbers: a sum of whole numbers alone is whole."""
        lengths = self._lengths
        if self.weights.is_whole:
            return lengths.tolist()
        senders, receivers, edges = self._tight
        adds_float = ~self.weights.given_whole[edges]
        # what sums along shortest paths may be: whole, and floats
        may_be = np.zeros((2, len(lengths)), dtype=bool)
        may_be[0, self.source] = True
        for _ in range(len(lengths) + 1):
            before = may_be.copy()
            np.logical_or.at(may_be[0], receivers, may_be[0, senders] & ~adds_float)
            np.logical_or.at(may_be[1], receivers, may_be[1, senders] | adds_float)
            if (may_be == before).all():
                break
        may_be[1, self.source] = False
        if may_be.all(0).any():
            raise NotImplementedError(
                "two shortest paths are equally long, by whole numbers and by floats: which number "
                "is given is left to NetworkX"
            )
        return [
            int(length) if is_whole else length
            for length, is_whole in zip(lengths.tolist(), may_be[0].tolist(), strict=True)
        ]

    @cached_property
    def lengths(self) -> dict[Hashable, Any]:
        """The length of the shortest path to every node that can be reached."""
        nodes = map(self.G.nodes.__getitem__, self.reached)
        return dict(zip(nodes, map(self._values.__getitem__, self.reached), strict=True))

    def length_to(self, target: Hashable) -> Any:
        """The length of the shortest path to a node."""
        return self._values[self.G.number[target]]

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
        senders, receivers, _ = self._tight
        parents = np.zeros(len(self.G), dtype=np.int64)
        parents[receivers] = senders
        return parents.tolist()

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
    is_whole = np.array([type(value) is int for value in at_edges], dtype=bool)
    if not is_whole.all() and sum(abs(v) for v in at_edges if type(v) is int) > MOST_WHOLE:
        raise NotImplementedError(
            f"whole weights of more than {MOST_WHOLE:,} together beside floats: they would be "
            "rounded, the call is left to NetworkX"
        )
    graph = replace(G.graph, edge_attributes={"weight": column(at_edges)})
    roomy = algorithm(name).with_room_for(graph)
    inputs, _ = roomy.read(graph, stream(0, "inputs", name), source=0)
    given = np.array(at_edges, dtype=np.int64 if is_whole.all() else np.float64)
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


def _offered(function: Any, answer: Callable[[ShortestPaths, Hashable], Any]) -> Any:
    """A function of NetworkX, with its own signature, that gives an answer from the run."""
    signature = inspect.signature(function.orig_func)

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        ends = given["source"], given.get("target")
        return _answer(function, answer, given["G"], *ends, given["weight"])

    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


# by its name, what a function gives of the shortest paths from a source: to one node, or to all
ANSWERS = {
    "{}_path_length": _length,
    "{}_path": _path,
    "single_source_{}_path_length": _length,
    "single_source_{}_path": _path,
    "single_source_{}": _length_and_path,
}
FUNCTIONS = {
    form.format(of): _offered(getattr(nx, form.format(of)), answer)
    for of in ("dijkstra", "bellman_ford")
    for form, answer in ANSWERS.items()
}
