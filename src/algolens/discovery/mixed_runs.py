"""Runs on random graphs of several densities, and those of them that tell of a missing rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from scipy.stats import poisson

from algolens.algorithms import Algorithm
from algolens.discovery.checks import random_runs
from algolens.discovery.fidelity import judged
from algolens.discovery.schema import DIRECTIONS, Episodes, RunTeacher
from algolens.discovery.stepwise import values_on
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import Graph

DENSE = (0.3, 0.6)  # the share of pairs of nodes that are joined
CROWDED_SIZES, CROWDED = (4, 5), (0.5, 1.0)  # rare cases come up in such graphs
MOST_ELEMENTS = 10_000  # in all states of the runs that a search begins with, about
POOL = 600  # small runs, of which those are added where a case errs more often than others
MOST_ODD = 60
BY_CHANCE = 0.01  # how often one of all cases errs as often without a reason


def mixed_runs(
    teacher: RunTeacher, count: int, sizes: tuple[int, int], rng: np.random.Generator
) -> list[Episodes]:
    """Runs on random graphs: sparse ones, dense ones of up to 8 nodes, and small crowded ones."""
    dense = (min(sizes[0], 8), min(sizes[1], 8))
    return [
        *random_runs(teacher, count // 3, sizes, rng),
        *_runs(teacher, count // 3, dense, DENSE, rng),
        *_runs(teacher, count // 3, CROWDED_SIZES, CROWDED, rng),
    ]


def fewer(teacher: RunTeacher, episodes: Sequence[Episodes]) -> list[Episodes]:
    """The first runs of each batch, as many as give enough states to look at."""
    location, kept = teacher.schema.location, []
    for some in episodes:
        elements = torch.bincount(some.graph.owner(location), minlength=some.graph.num_graphs)
        sizes = (some.lengths + 1) * elements
        count = int((sizes.cumsum(0) <= MOST_ELEMENTS / len(episodes)).sum())
        if count < some.graph.num_graphs:
            some = _again(teacher, some, np.arange(max(count, 1)))
        kept.append(some)
    return kept


def telling_runs(
    teacher: RunTeacher, algorithm: Algorithm, usual: float, rng: np.random.Generator
) -> list[Episodes]:
    """Of many small graphs, those where a case errs more often than the rest, run once more: there,
    a rule may be missing.

    Parameters
    ----------
    teacher : RunTeacher
        The black box.
    algorithm : Algorithm
        What was discovered so far. A case is a pattern of its concepts.
    usual : float
        The share of exceptions in all.
    rng : numpy.random.Generator
        Of the graphs.
    """
    made = []
    for some in _runs(teacher, POOL, CROWDED_SIZES, CROWDED, rng):
        run, cases, wrong = judged(algorithm, teacher.schema, some)
        _, case, count = np.unique(cases, axis=0, return_inverse=True, return_counts=True)
        case = case.reshape(-1)
        expected, errors = usual * count, np.bincount(case, wrong, minlength=len(count))
        is_odd = poisson.sf(errors - 1, expected) * len(count) < BY_CHANCE
        runs = np.unique(run[wrong & is_odd[case]])[:MOST_ODD]
        if len(runs):
            made.append(_again(teacher, some, runs))
    return made


def _again(teacher: RunTeacher, episodes: Episodes, runs: np.ndarray) -> Episodes:
    """New runs on some of the graphs."""
    part = episodes.graph.take(torch.from_numpy(runs))
    return teacher.run(part.graph, values_on(teacher.schema.inputs, episodes.inputs, part))


def _runs(
    teacher: RunTeacher,
    count: int,
    sizes: tuple[int, int],
    joined: tuple[float, float],
    rng: np.random.Generator,
) -> Iterator[Episodes]:
    """Runs on random graphs with a share of their pairs joined, without those that it refuses."""
    directed = DIRECTIONS[teacher.schema.graphs]
    for way in directed:
        graphs = [_graph(sizes, joined, way, rng) for _ in range(-(-count // len(directed)))]
        yield from _taken(teacher, graphs, rng)


def _taken(
    teacher: RunTeacher, graphs: Sequence[Graph], rng: np.random.Generator
) -> Iterator[Episodes]:
    together = Graph.join(list(graphs))
    try:
        yield teacher.run(together, teacher.sample(together, rng))
    except DefinitionError:
        raise
    except AlgoLensError:
        half = len(graphs) // 2
        if half:
            yield from _taken(teacher, graphs[:half], rng)
            yield from _taken(teacher, graphs[half:], rng)


def _graph(
    sizes: tuple[int, int], joined: tuple[float, float], directed: bool, rng: np.random.Generator
) -> Graph:
    nodes = int(rng.integers(sizes[0], sizes[1] + 1))
    pairs = np.argwhere(np.tri(nodes, k=-1, dtype=bool))
    kept = pairs[rng.random(len(pairs)) < rng.uniform(*joined)]
    turned = (rng.random(len(kept)) < 0.5)[:, None] & directed
    return Graph.pack([nodes], np.where(turned, kept[:, ::-1], kept), directed=directed)
