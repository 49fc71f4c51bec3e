"""Data sets: true traces on random graphs, fixed as in the paper or drawn as training goes; sets of
a user's own graphs.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.data.cache import content_key, kept
from algolens.data.graph_sets import (
    AllRefusedError,
    GraphSet,
    accepted,
    draw_graphs,
    signatures,
)
from algolens.engines import Run, run_algorithm
from algolens.errors import AlgoLensWarning, GraphError
from algolens.graphs import Graph, Recipe, stream
from algolens.graphs.family_sizes import check_drawing
from algolens.graphs.random import is_own
from algolens.memory import LESS, phase

TRAIN, VALIDATION, TEST = SPLITS = ("train", "validation", "test")
GIVEN = "given"  # the test set of graphs that were given: in the place of a number of nodes
IN_ALL = 12  # the paper's split, 10:1:1: so many graphs for each to validate and each to test on
FEWEST = len(SPLITS)  # graphs that can be split


@dataclass(frozen=True, eq=False)
class OwnSets:
    """A user's graphs in sets: ``train``, ``validation``, and the tests by their names."""

    sets: Mapping[str, GraphSet]

    @property
    def counts(self) -> dict[str, int]:
        """How many graphs each set holds."""
        return {name: part.graph.num_graphs for name, part in self.sets.items()}

    @property
    def directed(self) -> bool:
        """Whether its graphs are."""
        return next(iter(self.sets.values())).graph.directed

    @cached_property
    def sha256(self) -> str:
        """Of all graphs, their inputs, and in which set each is."""
        digest = hashlib.sha256()
        for name, value in self._tensors().items():
            digest.update(f"{name} {value.dtype} {list(value.shape)}\n".encode())
            digest.update(value.numpy().tobytes())
        return digest.hexdigest()

    def traces(self, algorithm: Algorithm, *, tests: bool = True) -> DataSets:
        """The true traces of every set; or of all but the tests."""
        kept = {name: part for name, part in self.sets.items() if tests or name in SPLITS[:2]}
        with phase(f"drawing true traces of {algorithm.name} on graphs of yours"):
            runs = {
                name: run_algorithm(algorithm, part.graph, part.inputs)
                for name, part in kept.items()
            }
        return DataSets(runs.pop(TRAIN), runs.pop(VALIDATION), runs)

    def marks(self, algorithm: Algorithm, names: Iterable[str]) -> set[int]:
        """The marks of all graphs of some sets."""
        return {mark for name in names for mark in self.sets[name].marks(algorithm).tolist()}

    def to_bytes(self) -> bytes:
        """Itself as safetensors."""
        return save(self._tensors())

    @classmethod
    def from_bytes(cls, content: bytes) -> OwnSets:
        """What ``to_bytes`` wrote."""
        by_set: dict[str, dict[str, Tensor]] = {}
        for key, value in sorted(load(content).items()):
            place, name, part = key.split("/", 2)
            by_set.setdefault(f"{place}/{name}", {})[part] = value
        return cls(
            {key.split("/")[1]: GraphSet.from_tensors(by_set[key]) for key in sorted(by_set)}
        )

    def _tensors(self) -> dict[str, Tensor]:
        """Every tensor, by the number and name of its set and its own name."""
        named = {
            f"{place:03}/{name}/{key}": value.contiguous().clone()
            for place, (name, part) in enumerate(self.sets.items())
            for key, value in part.tensors().items()
        }
        return dict(sorted(named.items()))


def split_places(count: int, seed: int) -> dict[str, list[int]]:
    """Which of so many graphs are in which set, by chance: 10:1:1, and at least one in each.

    >>> {name: len(places) for name, places in split_places(30, seed=0).items()}
    {'train': 26, 'validation': 2, 'given': 2}
    """
    if count < FEWEST:
        raise GraphError(
            f"{count} different graphs cannot be split into sets to train, to validate and to test "
            f"on: give at least {FEWEST}, or more."
        )
    held_out = max(1, count // IN_ALL)
    order = stream(seed, "split").permutation(count).tolist()
    return {
        TRAIN: sorted(order[2 * held_out :]),
        VALIDATION: sorted(order[:held_out]),
        GIVEN: sorted(order[held_out : 2 * held_out]),
    }


MAX_REDRAWS = 100
LESS_TO_LEARN = (
    "give the class a recipe of fewer or smaller graphs, as in Recipe(size=12, train=20), or allow "
    "more with --max-memory (in Python, ALGOLENS_MAX_MEMORY)"
)
MANY_STEPS = 16  # for each node
MOST_ALIKE = 20  # nodes of graphs that may well be alike
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


def check_different(
    algorithm: Algorithm, recipe: Recipe, seed: int = 0, most_nodes: int = MOST_ALIKE
) -> None:
    """Raises a GraphError where there are too few different graphs for the tests of a recipe.

    most_nodes: larger graphs are not drawn, as no two of them are alike by chance.
    """
    sets = _Lazily(algorithm, seed, recipe)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlgoLensWarning)  # said when they are drawn to be used
        for size in recipe.test_sizes:
            if size <= most_nodes:
                sets.inputs("test", size)


def takes_long(trace: Run, size: int) -> bool:
    """Whether a run takes so many steps on graphs of a size that larger ones are left out."""
    return bool((trace.lengths > MANY_STEPS * size).any())


@dataclass(frozen=True)
class Portions:
    """A large test set: true traces of some graphs at a time, as all would fill the memory."""

    sets: _Lazily
    size: int

    def __iter__(self) -> Iterator[Run]:
        algorithm = self.sets.algorithm
        graph, inputs = self.sets.inputs("test", self.size)
        where = {name: field.at for name, field in algorithm.declaration.inputs.items()}
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
        wanted = (
            (family, int(rng.choice(sizes)), int(share))
            for family, share in zip(recipe.families, shares, strict=True)
        )
        try:
            drawn = draw_graphs(algorithm, wanted, rng, directed=recipe.directed).taken
        except AllRefusedError:  # it was taught on graphs of a user, and never on its recipe's
            each = zip(recipe.families, shares.tolist(), strict=True)
            again = [(family, sizes[0], share) for family, share in each]
            drawn = draw_graphs(algorithm, again, rng, directed=recipe.directed, check=False).taken
        yield run_algorithm(algorithm, drawn.graph, drawn.inputs, check=False)
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
        # what a function draws is not known before; and what is refused is told each time
        is_known = not any(map(is_own, recipe.families))
        is_known &= type(self.algorithm).check is Algorithm.check
        key = (
            content_key(self.algorithm, recipe, seed=self.seed, apart_from=apart_from)
            if is_known
            else None
        )
        name, graphs = self.algorithm.name, sum(self.recipe.counts(split).values())
        what = f"drawing true traces of {name} on {graphs:,} graphs of {size:,} nodes"
        with phase(what, LESS if split == "test" else LESS_TO_LEARN):
            return kept(
                f"{name}-{split}-{size}",
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
                taken = [signatures(self.algorithm.declaration.inputs, *drawn) for drawn in before]
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
        algorithm, directed = self.algorithm, self.recipe.directed
        families = self.recipe.counts(split)
        rng = stream(self.seed, algorithm.data_name, split, size)
        wanted = [(family, size, count) for family, count in families.items()]
        drawn = draw_graphs(algorithm, wanted, rng, directed=directed, renumbered=True)
        if drawn.left_out:
            about = f"{split}, {size} nodes: {drawn.left_out}"
            warnings.warn(about, AlgoLensWarning, stacklevel=2)
        kept, of_family = drawn.taken, drawn.families
        refused = torch.zeros(0, dtype=torch.long)
        for _ in range(MAX_REDRAWS):
            marks = kept.marks(algorithm)
            again = np.ones(len(marks), dtype=bool)
            again[np.unique(marks, return_index=True)[1]] = False
            again |= np.isin(marks, taken)
            again[refused.numpy()] = True
            if not again.any():
                return kept.graph, kept.inputs
            stay, change = (torch.from_numpy((again == which).nonzero()[0]) for which in (0, 1))
            rest = kept.take(algorithm, stay)
            if any(map(is_own, families)):
                missing = of_family[change].bincount(minlength=len(families)).tolist()
                wanted = [(one, size, n) for one, n in zip(families, missing, strict=True)]
                try:
                    new = draw_graphs(algorithm, wanted, rng, directed=directed, renumbered=True)
                except AllRefusedError:
                    continue
                kept = GraphSet.joined(algorithm, [rest, new.taken])
                of_family = torch.cat([of_family[stay], new.families])
                continue
            # the same graphs, numbered anew and with new inputs, in their old order
            graph = kept.graph.take(change).graph.relabelled(rng)
            anew = GraphSet(graph, algorithm.sample(graph, rng))
            back = torch.cat([stay, change]).argsort()
            kept = GraphSet.joined(algorithm, [rest, anew]).take(algorithm, back)
            refused = accepted(algorithm, kept)[1]
        raise GraphError(
            f"there are too few different graphs of {size} nodes for the sets of "
            f"{algorithm.name}: take larger or fewer graphs in the recipe."
        )


def _order(recipe: Recipe) -> list[tuple[str, int]]:
    """The sets, each by its name and the number of nodes, in the order in which they are drawn."""
    return [
        ("train", recipe.size),
        ("validation", recipe.size),
        *(("test", size) for size in recipe.test_sizes),
    ]
