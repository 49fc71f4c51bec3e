"""Data sets: true traces on random graphs, fixed as in the paper or drawn as training goes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import torch

from algolens.algorithms import Algorithm, Values
from algolens.data.cache import content_key, kept
from algolens.errors import GraphError
from algolens.execution import Run, run_algorithm
from algolens.graphs import Graph, Location, Recipe, sample, stream
from algolens.graphs.family_sizes import check_drawing

MAX_REDRAWS = 100
MOST_KEPT_NODES = 500  # of a graph whose trace is kept on disk
MOST_KEPT_IN_ALL = 40_000  # nodes of all graphs of a set that is kept
# nodes times steps, about as many as nodes, of graphs that are traced together where they are not
PORTION = 5_000_000


@dataclass(frozen=True, eq=False)
class DataSets:
    """The fixed sets of one algorithm, each a true trace of many graphs."""

    train: Run
    validation: Run
    tests: Mapping[Any, Run]  # by the number of nodes, or a name


def fixed(algorithm: Algorithm, seed: int = 0, recipe: Recipe | None = None) -> DataSets:
    """The paper's sets: a function of the seed alone, kept on disk once made.

    Nodes are numbered at random, and no graph with the same inputs stands in two sets (or twice in
    one).

    >>> from algolens.algorithms import algorithm
    >>> sets = fixed(algorithm("bfs"))
    >>> sets.train.graph.num_graphs, sets.validation.graph.num_graphs, sorted(sets.tests)
    (700, 70, [20, 50, 100])
    """
    recipe = recipe or algorithm.recipe
    sets = _Lazily(algorithm, seed, recipe)
    return DataSets(
        train=sets.trace("train", recipe.size),
        validation=sets.trace("validation", recipe.size),
        tests={size: sets.trace("test", size) for size in recipe.test_sizes},
    )


def held_out(
    algorithm: Algorithm,
    sizes: Sequence[int],
    seed: int = 0,
    recipe: Recipe | None = None,
    *,
    apart_from: tuple[int, Recipe] | None = None,
) -> dict[int, Sequence[Run] | Portions]:
    """Test sets at any sizes: those of ``fixed``, or, where they are large, in portions.

    Parameters
    ----------
    algorithm, seed, recipe
        As of ``fixed``.
    sizes
        Numbers of nodes.
    apart_from
        The seed and the recipe of sets of which no graph is to be among these.
    """
    recipe = replace(recipe or algorithm.recipe, test_sizes=tuple(sizes))
    for size in sizes:
        check_drawing(recipe.counts("test"), size)
    sets = _Lazily(algorithm, seed, recipe, apart_from)
    return {
        size: (sets.trace("test", size),) if sets.is_small(size) else Portions(sets, size)
        for size in sizes
    }


@dataclass(frozen=True)
class Portions:
    """A large test set: true traces of some graphs at a time, as all would fill the memory."""

    sets: _Lazily
    size: int

    def __iter__(self) -> Iterator[Run]:
        algorithm = self.sets.algorithm
        graph, inputs = self.sets.inputs("test", self.size)
        where = {name: field.location for name, field in algorithm.declaration.inputs.items()}
        for chosen in torch.arange(graph.num_graphs).split(max(1, PORTION // self.size**2)):
            part = graph.take(chosen)
            yield run_algorithm(
                algorithm,
                part.graph,
                {name: inputs[name][part.index(at)] for name, at in where.items()},
                check=False,
            )


def fresh(
    algorithm: Algorithm,
    count: int,
    seed: int = 0,
    *,
    sizes: Sequence[int] | None = None,
    recipe: Recipe | None = None,
    first: int = 0,
) -> Iterator[Run]:
    """Traces of ``count`` new graphs each time, without end: the recipe drawn anew.

    Parameters
    ----------
    algorithm, seed, recipe
        As of ``fixed``.
    count
        Graphs of each batch.
    sizes
        Numbers of nodes to mix.
    first
        Index of the first batch.
    """
    recipe = recipe or algorithm.recipe
    sizes = sizes or (recipe.size,)
    number = first
    while True:
        rng = stream(seed, "fresh", algorithm.data_name, number)
        shares = np.bincount(
            rng.integers(0, len(recipe.families), count), minlength=len(recipe.families)
        )
        graph = Graph.join(
            [
                sample(family, int(rng.choice(sizes)), int(share), rng, directed=recipe.directed)
                for family, share in zip(recipe.families, shares, strict=True)
            ]
        )
        yield run_algorithm(algorithm, graph, algorithm.sample(graph, rng), check=False)
        number += 1


@dataclass
class _Lazily:
    """Draws the sets in their order, each apart from those before, and only when asked for."""

    algorithm: Algorithm
    seed: int
    recipe: Recipe
    # the seed and the recipe of sets that are drawn before all of these
    apart_from: tuple[int, Recipe] | None = None
    drawn: dict[tuple[str, int], tuple[Graph, Values]] = field(default_factory=dict)

    def trace(self, split: str, size: int) -> Run:
        """The true trace of a set, kept on disk; tests of other sizes do not change its key."""
        recipe = replace(self.recipe, test_sizes=(size,) if split == "test" else ())
        apart_from = self.apart_from and (self.apart_from[0], asdict(self.apart_from[1]))
        key = content_key(self.algorithm, recipe, seed=self.seed, apart_from=apart_from)
        name = f"{self.algorithm.name}-{split}-{size}"
        return kept(
            name,
            key,
            self.algorithm,
            lambda: run_algorithm(self.algorithm, *self.inputs(split, size), check=False),
        )

    def is_small(self, size: int) -> bool:
        """Whether all of a test can be traced together, and kept."""
        in_all = size * sum(self.recipe.counts("test").values())
        return size <= MOST_KEPT_NODES and in_all <= MOST_KEPT_IN_ALL

    def inputs(self, split: str, size: int) -> tuple[Graph, Values]:
        """The graphs of a set, and their inputs."""
        # only sets of graphs of one size can share a graph
        for name in [name for name, nodes in _order(self.recipe) if nodes == size]:
            if (name, size) not in self.drawn:
                before = [
                    *self._others(size),
                    *(drawn for (_, nodes), drawn in self.drawn.items() if nodes == size),
                ]
                taken = [signatures(self.algorithm, *drawn) for drawn in before]
                self.drawn[name, size] = self._draw(
                    name, size, np.concatenate([np.empty(0, np.uint64), *taken])
                )
            if name == split:
                break
        return self.drawn[split, size]

    def _others(self, size: int) -> list[tuple[Graph, Values]]:
        if self.apart_from is None:
            return []
        others = _Lazily(self.algorithm, *self.apart_from)
        return [others.inputs(name, size) for name, nodes in _order(others.recipe) if nodes == size]

    def _draw(self, split: str, size: int, taken: np.ndarray) -> tuple[Graph, Values]:
        counts = self.recipe.counts(split)
        rng = stream(self.seed, self.algorithm.data_name, split, size)
        graph = Graph.join(
            [
                sample(family, size, count, rng, directed=self.recipe.directed)
                for family, count in counts.items()
            ]
        ).relabelled(rng)
        inputs: Values = self.algorithm.sample(graph, rng)
        for _ in range(MAX_REDRAWS):
            marks = signatures(self.algorithm, graph, inputs)
            again = np.ones(len(marks), dtype=bool)
            again[np.unique(marks, return_index=True)[1]] = False
            again |= np.isin(marks, taken)
            if not again.any():
                return graph, inputs
            graph, inputs = self._redrawn(graph, inputs, torch.from_numpy(again), rng)
        raise GraphError(
            f"there are too few different graphs of {size} nodes for the sets of "
            f"{self.algorithm.name}: take larger or fewer graphs in the recipe."
        )

    def _redrawn(
        self, graph: Graph, inputs: Values, again: torch.Tensor, rng: np.random.Generator
    ) -> tuple[Graph, Values]:
        """The same graphs, of which the marked ones are numbered anew and get new inputs."""
        stay, change = (
            graph.take((~again).nonzero().flatten()),
            graph.take(again.nonzero().flatten()),
        )
        renumbered = change.graph.relabelled(rng)
        new = self.algorithm.sample(renumbered, rng)
        # joined with the changed ones last, then put back into the old order
        back = Graph.join([stay.graph, renumbered]).take(
            torch.cat([stay.graphs, change.graphs]).argsort()
        )
        where = {name: self.algorithm.declaration.inputs[name].location for name in inputs}
        joined = {
            name: torch.cat([inputs[name][stay.index(at)], new[name]])[back.index(at)]
            for name, at in where.items()
        }
        return back.graph, joined


def _order(recipe: Recipe) -> list[tuple[str, int]]:
    """The sets, each by its name and the number of nodes, in the order in which they are drawn."""
    return [
        ("train", recipe.size),
        ("validation", recipe.size),
        *(("test", size) for size in recipe.test_sizes),
    ]


def signatures(algorithm: Algorithm, graph: Graph, inputs: Values) -> np.ndarray:
    """[G] 64-bit numbers: equal for equal graphs and inputs; for others by a chance of 2**-64."""
    total = _mixed(graph.node_counts.numpy().astype(np.uint64))
    ends = (graph.edges - graph.first_node[graph.edge_owner]).numpy().astype(np.uint64)
    total = total + _per_graph(graph, Location.EDGE, _mixed(_mixed(ends[0]) + ends[1]))
    for name, values in inputs.items():
        location = algorithm.declaration.inputs[name].location
        place = _mixed(
            graph.place(location).numpy().astype(np.uint64) + np.uint64(zlib.crc32(name.encode()))
        )
        numbers = values.numpy().astype(np.int64).view(np.uint64)
        total = total + _per_graph(graph, location, _mixed(place + numbers))
    return total


def _per_graph(graph: Graph, location: Location, hashes: np.ndarray) -> np.ndarray:
    # a sum does not depend on the order, and cumulative sums wrap around and come back exactly
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    first = graph.first(location).numpy()
    return sums[first + graph.counts(location).numpy()] - sums[first]


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """splitmix64 (Steele, Lea and Flood 2014): every bit depends on every bit of the number."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
