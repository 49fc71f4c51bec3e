"""Many graphs of a user at once: a folder, a list, or a family; their inputs given or drawn."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm
from algolens.data.graph_sets import GraphSet, OwnFamily, call_family, read_set
from algolens.data.own_sets import GIVEN, TEST
from algolens.errors import AlgoLensError, GraphError
from algolens.graphs import Graph, read_graph, stream
from algolens.lazy import is_instance

SUFFIXES = (".csv", ".tsv", ".graphml", ".json")
MOST_ROUNDS = 30  # in which a family draws graphs that differ from those before


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
        rng = stream(self.seed, *self.purpose, algorithm.name, len(self.parts))
        return read_set(algorithm, graph, rng)

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
    if (
        isinstance(graphs, Graph)
        or is_instance(graphs, "networkx", "Graph")
        or not isinstance(graphs, Iterable)
    ):
        raise GraphError(
            f"graphs= takes a number, a folder of files, or a list of graphs; a "
            f"{type(graphs).__name__} came."
        )
    listed = [(f"graph {place}", given) for place, given in enumerate(graphs)]
    if not listed:
        raise GraphError("graphs= is empty: give at least one graph.")
    return listed


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
            drawn.add(name, call_family(family, num_nodes, rng), num_nodes)
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
