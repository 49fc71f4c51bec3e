"""Data sets: true traces on random graphs. Fixed ones as in the paper, and fresh ones as training goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from algolens.algorithms import Algorithm, Values
from algolens.data.cache import content_key, kept
from algolens.data.signatures import signatures
from algolens.errors import GraphError
from algolens.execution import Run, execute_trusted
from algolens.graphs import Graph, Recipe, sample, stream

MAX_REDRAWS = 100
MOST_KEPT_NODES = 500  # of a graph whose trace is kept on disk
PORTION_NODES = 10_000  # of graphs that are traced together where they are larger


@dataclass(frozen=True, eq=False)
class DataSets:
    """The fixed sets of one algorithm: what to train on, to select by, and to report, each a trace of many graphs."""

    train: Run
    validation: Run
    tests: Mapping[int, Run]  # by the number of nodes


def fixed(algorithm: Algorithm, seed: int = 0, recipe: Recipe | None = None) -> DataSets:
    """The paper's sets: a function of the seed alone, kept on disk once made.

    Nodes are numbered at random, and no graph with the same inputs stands in two sets (or twice in one).

    >>> from algolens.algorithms import algorithm
    >>> sets = fixed(algorithm("bfs"))
    >>> sets.train.graph.num_graphs, sets.validation.graph.num_graphs, sorted(sets.tests)
    (700, 70, [20, 50, 100])
    """
    recipe = recipe or algorithm.recipe
    key = content_key(algorithm, recipe, seed=seed)
    sets = _Lazily(algorithm, seed, recipe)

    def ready(split: str, size: int) -> Run:
        return kept(f"{algorithm.name}-{split}-{size}-{key}", algorithm, lambda: _trace(algorithm, *sets.inputs(split, size)))

    return DataSets(
        train=ready("train", recipe.size),
        validation=ready("validation", recipe.size),
        tests={size: ready("test", size) for size in recipe.test_sizes},
    )


def held_out(
    algorithm: Algorithm, sizes: Sequence[int], seed: int = 0, recipe: Recipe | None = None
) -> dict[int, Sequence[Run] | Portions]:
    """Test sets at any sizes: those of ``fixed`` up to 500 nodes, and larger ones in portions, traced as they are asked for."""
    recipe = replace(recipe or algorithm.recipe, test_sizes=tuple(size for size in sizes if size <= MOST_KEPT_NODES))
    small = fixed(algorithm, seed, recipe).tests if recipe.test_sizes else {}
    return {
        size: (small[size],) if size in small else Portions(algorithm, size, seed, replace(recipe, test_sizes=(size,)))
        for size in sizes
    }


@dataclass(frozen=True)
class Portions:
    """A test set of large graphs: true traces of some of them at a time, since all together would fill the memory."""

    algorithm: Algorithm
    size: int
    seed: int
    recipe: Recipe

    def __iter__(self) -> Iterator[Run]:
        graph, inputs = _Lazily(self.algorithm, self.seed, self.recipe).inputs("test", self.size)
        where = {name: field.location for name, field in self.algorithm.declaration.inputs.items()}
        for chosen in torch.arange(graph.num_graphs).split(max(1, PORTION_NODES // self.size)):
            part = graph.take(chosen)
            yield _trace(self.algorithm, part.graph, {name: inputs[name][part.index(at)] for name, at in where.items()})


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

    sizes: numbers of nodes to mix. first: the how-manieth, from 0 on, to begin with.
    """
    recipe = recipe or algorithm.recipe
    sizes = sizes or (recipe.size,)
    number = first
    while True:
        rng = stream(seed, "fresh", algorithm.name, number)
        shares = np.bincount(rng.integers(0, len(recipe.families), count), minlength=len(recipe.families))
        graph = Graph.join(
            [
                sample(family, int(rng.choice(sizes)), int(share), rng)
                for family, share in zip(recipe.families, shares, strict=True)
            ]
        )
        yield _trace(algorithm, graph, algorithm.sample(graph, rng))
        number += 1


def _trace(algorithm: Algorithm, graph: Graph, inputs: Values) -> Run:
    return execute_trusted(algorithm, graph, inputs)


@dataclass
class _Lazily:
    """Draws the sets in their order, each apart from those before; what is never asked for is never drawn."""

    algorithm: Algorithm
    seed: int
    recipe: Recipe
    drawn: dict[tuple[str, int], tuple[Graph, Values]] = field(default_factory=dict)

    def inputs(self, split: str, size: int) -> tuple[Graph, Values]:
        order = [
            ("train", self.recipe.size),
            ("validation", self.recipe.size),
            *(("test", each) for each in self.recipe.test_sizes),
        ]
        # only sets of graphs of one size can share a graph
        for name, each in [(name, each) for name, each in order if each == size]:
            if (name, each) not in self.drawn:
                taken = [signatures(self.algorithm, *other) for (_, n), other in self.drawn.items() if n == size]
                self.drawn[name, each] = self._draw(name, each, np.concatenate([np.empty(0, np.uint64), *taken]))
            if (name, each) == (split, size):
                break
        return self.drawn[split, size]

    def _draw(self, split: str, size: int, taken: np.ndarray) -> tuple[Graph, Values]:
        count = self.recipe.train if split == "train" else self.recipe.held_out
        rng = stream(self.seed, self.algorithm.name, split, size)
        graph = Graph.join([sample(family, size, count, rng) for family in self.recipe.families]).relabelled(rng)
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
            f"there are too few different graphs of {size} nodes for the sets of {self.algorithm.name}: "
            "take larger or fewer graphs in the recipe."
        )

    def _redrawn(self, graph: Graph, inputs: Values, again: torch.Tensor, rng: np.random.Generator) -> tuple[Graph, Values]:
        """The same graphs, of which the marked ones are numbered anew and get new inputs."""
        stay, change = graph.take((~again).nonzero().flatten()), graph.take(again.nonzero().flatten())
        renumbered = change.graph.relabelled(rng)
        new = self.algorithm.sample(renumbered, rng)
        # joined with the changed ones last, then put back into the old order
        back = Graph.join([stay.graph, renumbered]).take(torch.cat([stay.graphs, change.graphs]).argsort())
        where = {name: self.algorithm.declaration.inputs[name].location for name in inputs}
        joined = {name: torch.cat([inputs[name][stay.index(at)], new[name]])[back.index(at)] for name, at in where.items()}
        return back.graph, joined
