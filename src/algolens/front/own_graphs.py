"""Many graphs of a user at once: a folder, a list, or a family; their inputs given or drawn."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch

from algolens.algorithms import Algorithm, find_own_file, import_file
from algolens.algorithms._scales import carried_columns
from algolens.data import GraphSet
from algolens.data.own_sets import GIVEN, TEST
from algolens.errors import AlgoLensError, GraphError, UnknownNameError
from algolens.front.given_graph import read_graph
from algolens.graphs import Graph, Location, stream

SUFFIXES = (".csv", ".tsv", ".graphml", ".json")
MOST_ROUNDS = 30  # in which a family draws graphs that differ from those before


@dataclass(frozen=True)
class OwnFamily:
    """A user's function of a number of nodes and a random stream, which gives a graph."""

    name: str
    draw: Callable[[int, np.random.Generator], Any]
    sha256: str | None = None  # of the text of its file, where it was named by that


@dataclass
class GivenGraphs:
    """Graphs of a user as they are read, and what was drawn for them."""

    algorithm: Algorithm
    seed: int  # of what is drawn
    directed: bool | None = None  # None: as each graph says
    purpose: tuple[str | int, ...] = (GIVEN,)  # what tells its random streams from others
    parts: list[GraphSet] = field(default_factory=list)
    missing: list[list[str]] = field(default_factory=list)  # of each, the inputs that were drawn

    @property
    def drawn(self) -> dict[str, int]:
        """By input, for how many graphs it was drawn."""
        return dict(Counter(name for names in self.missing for name in names))

    def add(self, name: str, given: Any, num_nodes: int | None = None) -> None:
        """Reads one more. num_nodes: how many it should have, where that is known."""
        try:
            part, missing = self._read(given, num_nodes)
            if self.parts and part.graph.directed != self.parts[0].graph.directed:
                kinds = ("directed", "undirected")
                is_it, others = kinds if part.graph.directed else kinds[::-1]
                raise GraphError(
                    f"it is {is_it}, and those before are {others}: give graphs of one kind, or "
                    "read all alike with --directed or --undirected (in Python, directed=)."
                )
        except AlgoLensError as problem:
            raise GraphError(f"{name}: {str(problem).removeprefix(f'{name}: ')}") from problem
        self.parts.append(part)
        self.missing.append(missing)

    def _read(self, given: Any, num_nodes: int | None) -> tuple[GraphSet, list[str]]:
        """A graph with its inputs, and which of them were drawn."""
        algorithm = self.algorithm
        by_default = algorithm.recipe.directed
        graph = read_graph(given, directed=self.directed, by_default=by_default).graph
        if num_nodes not in (None, graph.num_nodes):
            raise GraphError(f"it has {graph.num_nodes} nodes: let the family give {num_nodes}.")
        graph = algorithm.on_cells(graph)
        if algorithm.with_room_for(graph) != algorithm:
            bits = algorithm.with_room_for(graph).options["bits"]
            raise GraphError(f"it needs numbers of {bits} bits: train with the option bits={bits}.")
        rng = stream(self.seed, *self.purpose, algorithm.name, len(self.parts))
        drawn = algorithm.sample(graph, rng)
        fields = algorithm.declaration.inputs
        whole = [name for name, given in fields.items() if given.location is Location.GRAPH]
        carried = given.graph if isinstance(given, nx.Graph) else {}
        if hasattr(given, "edge_index"):  # a graph of PyTorch Geometric
            carried = {name: given[name] for name in whole if name in given}
        arguments = {name: _plain(carried[name]) for name in whole if name in carried}
        inputs, _ = algorithm.read(graph, rng, draw_all=True, **arguments)
        there = {*arguments, *carried_columns(algorithm, graph)}
        missing = [name for name in fields if name not in there]
        read = {**inputs, **{name: drawn[name] for name in missing}}
        plain = replace(graph, names=None, node_attributes={}, edge_attributes={})
        return GraphSet(plain, read), missing

    def joined(self) -> GraphSet:
        """All of them as one batch."""
        return GraphSet.joined(self.algorithm, self.parts)

    def take(self, places: Iterable[int]) -> GivenGraphs:
        """Those at some places."""
        parts, missing = zip(*((self.parts[i], self.missing[i]) for i in places), strict=True)
        return replace(self, parts=list(parts), missing=list(missing))

    def different(self, taken: set[int]) -> list[int]:
        """Where graphs stand that differ, with their inputs, from all before; they are taken."""
        new = []
        for place, part in enumerate(self.parts):
            (mark,) = part.marks(self.algorithm).tolist()
            if mark not in taken:
                taken.add(mark)
                new.append(place)
        return new


def read_graphs(
    algorithm: Algorithm, graphs: Any, seed: int, directed: bool | None = None, *purpose: str
) -> GivenGraphs:
    """The graphs of a folder, a file or a list. seed: of the inputs that they do not carry."""
    read = GivenGraphs(algorithm, seed, directed, (GIVEN, *purpose))
    for name, given in _listed(graphs):
        read.add(name, given)
    return read


def _listed(graphs: Any) -> list[tuple[str, Any]]:
    """The graphs, each with what a message calls it."""
    if isinstance(graphs, str | os.PathLike) and Path(graphs).is_dir():
        files = sorted(path for path in Path(graphs).iterdir() if path.suffix.lower() in SUFFIXES)
        if not files:
            ends = "end in .csv, .tsv, .graphml or .json"
            raise GraphError(f"{graphs} holds no graph: put files into it that {ends}.")
        return [(str(path), path) for path in files]
    if isinstance(graphs, str | os.PathLike):
        return [(str(graphs), graphs)]
    if isinstance(graphs, nx.Graph | Graph) or not isinstance(graphs, Iterable):
        raise GraphError(
            f"graphs= takes a number, a folder of files, or a list of graphs; a "
            f"{type(graphs).__name__} came."
        )
    listed = [(f"graph {place}", given) for place, given in enumerate(graphs)]
    if not listed:
        raise GraphError("graphs= is empty: give at least one graph.")
    return listed


def _plain(value: Any) -> Any:
    """A tensor of one value as that value."""
    return value.item() if isinstance(value, torch.Tensor) and value.numel() == 1 else value


# ---- families


def read_family(given: Any) -> OwnFamily:
    """A family as a user gives it: a function, or where it stands, as ``my_file.py:my_family``."""
    if callable(given) and not isinstance(given, type):
        return OwnFamily(getattr(given, "__name__", "a function"), given)
    own = find_own_file(given, "family", "my_family") if isinstance(given, str) else None
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


def draw_family(
    algorithm: Algorithm,
    family: OwnFamily,
    num_nodes: int,
    count: int,
    seed: int,
    directed: bool | None = None,
    *,
    split: str = TEST,
    taken: set[int] | None = None,
) -> GivenGraphs:
    """So many graphs of a family. taken: marks of graphs that are not drawn once more, nor twice.

    Without taken, a graph may be there twice.
    """
    rng = stream(seed, "family", split, num_nodes)
    kept = GivenGraphs(algorithm, seed, directed)
    for number in range(MOST_ROUNDS):
        drawn = GivenGraphs(algorithm, seed, directed, ("family", split, num_nodes, number))
        for _ in range(count - len(kept.parts)):
            name = f"{family.name}({num_nodes}, rng)"
            drawn.add(name, _called(family, num_nodes, rng), num_nodes)
        new = range(len(drawn.parts)) if taken is None else drawn.different(taken)
        for place in new:
            kept.parts.append(drawn.parts[place])
            kept.missing.append(drawn.missing[place])
        if len(kept.parts) == count:
            return kept
        if not new:  # nor will another round give any
            break
    raise GraphError(
        f"{family.name} gave {len(kept.parts)} different graphs of {num_nodes} nodes, and {count} "
        f"are needed for the set '{split}': let it draw more by its random stream, the order of "
        "nodes too."
    )


def _called(family: OwnFamily, num_nodes: int, rng: np.random.Generator) -> Any:
    try:
        return family.draw(num_nodes, rng)
    except Exception as problem:  # it is the user's own function: any error in it is told
        said = (str(problem).splitlines() or [""])[0]
        raise AlgoLensError(
            f"{family.name}({num_nodes}, rng) failed ({type(problem).__name__}: {said}): it is "
            "called with a number of nodes and a random stream of NumPy, and gives a graph."
        ) from problem
