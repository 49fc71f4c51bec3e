"""Graphs with their inputs, and random ones: of families by name, and of a user's own."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values, check_inputs, find_own_file, import_file
from algolens.arrays import NUMPY, all_to
from algolens.errors import AlgoLensError, GraphError, UnknownNameError
from algolens.graphs import At, Graph, read_graph, sample
from algolens.graphs.random import Family, family_name, is_own
from algolens.language.fields import Field
from algolens.language.scales import carried_columns

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class GraphSet:
    """Graphs with their inputs."""

    graph: Graph
    inputs: Values

    def __post_init__(self) -> None:
        if self.graph.device == NUMPY:  # what is learnt from are tensors
            object.__setattr__(self, "graph", self.graph.to("cpu"))
        object.__setattr__(self, "inputs", all_to(self.inputs, self.graph.device))

    @classmethod
    def joined(cls, algorithm: Algorithm, parts: Sequence[GraphSet]) -> GraphSet:
        """All of them side by side; links of undirected graphs stand first one way, then back."""
        graph = Graph.join([part.graph for part in parts])
        inputs = {}
        for name, field in algorithm.declaration.inputs.items():
            values = [part.inputs[name] for part in parts]
            if field.at == "link" and not graph.directed:
                inputs[name] = torch.cat([value.view(2, -1) for value in values], 1).flatten()
            else:
                inputs[name] = torch.cat(values)
        return cls(graph, inputs)

    def marks(self, algorithm: Algorithm) -> np.ndarray:
        """[G] numbers that are equal for equal graphs with equal inputs."""
        return signatures(algorithm.declaration.inputs, self.graph, self.inputs)

    def tensors(self) -> dict[str, Tensor]:
        """Every tensor by name."""
        return {
            "node_counts": self.graph.node_counts,
            "edge_counts": self.graph.edge_counts,
            "edges": self.graph.edges,
            "directed": torch.tensor(self.graph.directed),
            **{f"inputs.{name}": value for name, value in self.inputs.items()},
        }

    @classmethod
    def from_tensors(cls, named: Mapping[str, Tensor]) -> GraphSet:
        """The set whose ``tensors`` these are."""
        inputs = {
            name.removeprefix("inputs."): value
            for name, value in named.items()
            if name.startswith("inputs.")
        }
        graph = Graph(
            named["node_counts"],
            named["edge_counts"],
            named["edges"],
            directed=bool(named["directed"]),
        )
        return cls(graph, inputs)

    def take(self, algorithm: Algorithm, places: Tensor) -> GraphSet:
        """Those at some places, in their order."""
        part, fields = self.graph.take(places), algorithm.declaration.inputs
        inputs = {name: value[part.index(fields[name].at)] for name, value in self.inputs.items()}
        return GraphSet(part.graph, inputs)


def read_set(
    algorithm: Algorithm, graph: Graph, rng: np.random.Generator
) -> tuple[GraphSet, list[str]]:
    """A user's graph with its inputs, and which of them it does not carry, so that they are drawn.

    Raises
    ------
    GraphError
        Where the algorithm cannot run on it.
    """
    graph = algorithm.on_cells(graph.to(NUMPY))
    if algorithm.with_room_for(graph) != algorithm:
        bits = algorithm.with_room_for(graph).options["bits"]
        raise GraphError(f"it needs numbers of {bits} bits: train with the option bits={bits}.")
    drawn = algorithm.sample(graph, rng)
    inputs, _ = algorithm.read(graph, rng, draw_all=True)
    there = carried_columns(algorithm, graph)
    missing = [name for name in algorithm.declaration.inputs if name not in there]
    read = {**inputs, **{name: drawn[name] for name in missing}}
    plain = Graph(graph.node_counts, graph.edge_counts, graph.edges, directed=graph.directed)
    return GraphSet(plain, read), missing


# ---- random graphs


class AllRefusedError(GraphError):
    """An algorithm refuses every graph that was drawn for it."""


@dataclass(frozen=True, eq=False)
class DrawnGraphs:
    """Random graphs that an algorithm takes, and what is known of those that it refuses."""

    taken: GraphSet
    families: Tensor  # [G] the place of each graph's family in the recipe
    refused: int
    reason: str  # for which the first was refused

    @property
    def left_out(self) -> str:
        """How many were refused, and why, in words; empty where none was."""
        count = self.refused + self.taken.graph.num_graphs
        because = (
            f"{self.refused:,} of {count:,} random graphs are refused and left out: {self.reason}"
        )
        return because if self.refused else ""


def draw_graphs(
    algorithm: Algorithm,
    wanted: Iterable[tuple[Family, int, int]],
    rng: np.random.Generator,
    *,
    directed: bool,
    renumbered: bool = False,
    check: bool = True,
) -> DrawnGraphs:
    """Draw graphs of families, with inputs; leave out what the algorithm refuses.

    Parameters
    ----------
    algorithm
        Its own ``sample`` draws the inputs that a graph does not carry.
    wanted
        Families, each with a number of nodes and how many graphs.
    rng
        Where all draws come from.
    directed
        Whether edges get directions. A user's family gives graphs as the recipe says, or none.
    renumbered
        Whether nodes are numbered at random; those of a user's family keep their numbers.
    check
        Whether what is refused is left out of the named families, too.

    Raises
    ------
    AllRefusedError
        Where no graph is left.
    """
    named: list[Graph] = []
    sets: list[GraphSet] = []
    own: list[int] = []
    places: list[int] = []
    reasons: list[str] = []
    for place, (family, size, count) in enumerate(wanted):
        if not is_own(family):
            named.append(sample(str(family), size, count, rng, directed=directed))
            places += [place] * count
        elif directed == algorithm.recipe.directed:
            function = read_family(family)
            for _ in range(count):
                graph = _own_graph(function, size, rng, directed=directed)
                try:
                    sets.append(read_set(algorithm, graph, rng)[0])
                    own.append(place)
                except AlgoLensError as problem:
                    reasons.append(str(problem))
    refused = len(reasons)
    if places:
        graph = Graph.join(named)
        graph = graph.relabelled(rng) if renumbered else graph
        part = GraphSet(graph, algorithm.sample(graph, rng))
        kept, left_out, reason = accepted(algorithm, part)
        if check and len(left_out):
            refused += len(left_out)
            reasons.append(reason)
            places = [places[one] for one in kept.tolist()]
            part = part.take(algorithm, kept)
        sets[:0] = [part] if places else []
    if not sets:
        raise AllRefusedError(
            f"all {refused:,} random graphs of the recipe are refused "
            f"({(reasons or ['it has none of this direction'])[0].rstrip('.')}): name families "
            f"that {algorithm.name} takes, as in recipe = Recipe(families=(my_family,))."
        )
    return DrawnGraphs(
        GraphSet.joined(algorithm, sets),
        torch.tensor([*places, *own]),
        refused,
        (reasons or [""])[0],
    )


def accepted(algorithm: Algorithm, drawn: GraphSet) -> tuple[Tensor, Tensor, str]:
    """The places of the graphs that an algorithm takes, of those that it refuses, and why."""
    every, none = torch.arange(drawn.graph.num_graphs), torch.zeros(0, dtype=torch.long)
    if type(algorithm).check is Algorithm.check and not algorithm.checks:
        return every, none, ""

    def check(some: Tensor) -> None:
        part = drawn.take(algorithm, some)
        check_inputs(algorithm, part.graph, part.inputs)

    taken, refused = bisected(every, check)
    reason = ""
    if refused:
        try:
            check(refused[0])
        except AlgoLensError as problem:
            reason = str(problem)
    return torch.cat([none, *(some for some, _ in taken)]), torch.cat([none, *refused]), reason


def bisected(
    places: Tensor, attempt: Callable[[Tensor], Result]
) -> tuple[list[tuple[Tensor, Result]], list[Tensor]]:
    """What an attempt gives for parts that it takes, in order, and the places that it refuses.

    An error is about one graph, and the others may be taken.
    """
    waiting, done, refused = [places] if len(places) else [], [], []
    while waiting:
        part = waiting.pop()
        try:
            done.append((part, attempt(part)))
        except AlgoLensError:
            middle = len(part) // 2
            if middle:
                waiting += [part[middle:], part[:middle]]
            else:
                refused.append(part)
    return done, refused


# ---- families


@dataclass(frozen=True)
class OwnFamily:
    """A user's function of a number of nodes and a random stream, which gives a graph."""

    name: str
    draw: Callable[[int, np.random.Generator], Any]
    sha256: str | None = None  # of the text of its file, where it was named by that


def read_family(given: Any, sha256: str | None = None) -> OwnFamily:
    """A family as a user gives it: a function, or where it stands, as ``my_file.py:my_family``.

    sha256: what the text of its file should have, where that is known.
    """
    if callable(given) and not isinstance(given, type):
        return OwnFamily(family_name(given), given)
    own = find_own_file(given, "family", "my_family", sha256) if isinstance(given, str) else None
    if own is None:
        raise AlgoLensError(
            f"family {given!r} should be a function of a number of nodes and a random stream, or "
            "name one in a file, as in my_file.py:my_family."
        )
    functions = {
        key: value for key, value in vars(import_file(own.path)).items() if callable(value)
    }
    if own.name not in functions:
        raise UnknownNameError(f"function in {own.path}", own.name, functions)
    return OwnFamily(given, functions[own.name], own.sha256)


def call_family(family: OwnFamily, num_nodes: int, rng: np.random.Generator) -> Any:
    try:
        return family.draw(num_nodes, rng)
    except Exception as problem:  # it is the user's own function: any error in it is told
        said = (str(problem).splitlines() or [""])[0]
        raise AlgoLensError(
            f"{family.name}({num_nodes}, rng) failed ({type(problem).__name__}: {said}): it is "
            "called with a number of nodes and a random stream of NumPy, and gives a graph."
        ) from problem


def _own_graph(
    family: OwnFamily, num_nodes: int, rng: np.random.Generator, *, directed: bool
) -> Graph:
    """A graph of a user's family, checked."""
    given, call = call_family(family, num_nodes, rng), f"{family.name}({num_nodes}, rng)"
    try:  # of the kinds of graphs, PyG's alone does not say whether it has directions
        graph = read_graph(given, directed=directed if hasattr(given, "edge_index") else None).graph
    except GraphError as problem:
        raise GraphError(f"{call}: {problem}") from problem
    if graph.num_nodes != num_nodes:
        raise GraphError(
            f"{call} gives {graph.num_nodes} nodes: let it give one graph of {num_nodes}."
        )
    if graph.directed != directed:
        kinds = ("directed", "undirected") if graph.directed else ("undirected", "directed")
        raise GraphError(
            f"{call} gives a graph that is {kinds[0]}, and the recipe's are {kinds[1]}: write "
            f"Recipe(directed={graph.directed}), or give others."
        )
    return graph


# ---- equal graphs


def signatures(fields: Mapping[str, Field], graph: Graph, values: Values) -> np.ndarray:
    """[G] 64-bit numbers: equal for equal graphs and values; for others by a chance of 2**-64."""
    total = _mixed(np.asarray(graph.node_counts, np.uint64))
    ends = np.asarray(graph.edges - graph.first_node[graph.edge_owner], np.uint64)
    total = total + _per_graph(graph, "edge", _mixed(_mixed(ends[0]) + ends[1]))
    for name, given in values.items():
        location = fields[name].at
        place = _mixed(
            np.asarray(graph.place(location), np.uint64) + np.uint64(zlib.crc32(name.encode()))
        )
        numbers = np.asarray(given, np.int64).view(np.uint64)
        total = total + _per_graph(graph, location, _mixed(place + numbers))
    return total


def _per_graph(graph: Graph, location: At, hashes: np.ndarray) -> np.ndarray:
    # a sum does not depend on the order, and cumulative sums wrap around and come back exactly
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    first = np.asarray(graph.first(location))
    return sums[first + np.asarray(graph.counts(location))] - sums[first]


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """splitmix64 (Steele, Lea and Flood 2014): every bit depends on every bit of the number."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
