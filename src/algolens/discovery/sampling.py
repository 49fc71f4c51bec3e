"""Runs of a black box on random graphs: sparse, dense, crowded and large ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch

from algolens.data.small_graphs import DEGREES, DIRECTIONS, RandomRuns, random_graph
from algolens.discovery.oracle import Episodes, Oracle, Schema
from algolens.errors import AlgoLensError, DefinitionError

LARGE, LARGE_SIZES, LARGE_DEGREES = 12, (40, 60), (8.0, 24.0)  # every other one is dense
LARGE_SECONDS = 1.0  # after which no further one is run
DENSE = (0.3, 0.6)  # the share of pairs of nodes that are joined
CROWDED_SIZES, CROWDED = (4, 5), (0.5, 1.0)  # rare cases come up in such graphs
MOST_ELEMENTS = 10_000  # in all states of the runs that a search with exceptions begins with


def random_runs(
    oracle: Oracle,
    count: int,
    sizes: tuple[int, int],
    rng: np.random.Generator,
    joined: tuple[float, float] | None = None,
) -> Iterator[Episodes]:
    """Runs on random graphs of mixed sizes and densities, numbers with ties among their inputs.

    joined: the share of pairs of nodes that are joined; by default, a node has few edges.
    """
    return runs_of(oracle, rng).many(count, sizes, joined)


def runs_of(oracle: Oracle, rng: np.random.Generator) -> RandomRuns[Episodes]:
    """Runs of a black box on graphs and inputs that are drawn."""
    schema = oracle.schema
    directed = DIRECTIONS[schema.graphs]
    return RandomRuns(schema.inputs, directed, oracle.sample, oracle.run, rng)


def large_runs(oracle: Oracle, rng: np.random.Generator) -> Iterator[Episodes]:
    """Runs on single graphs that are larger than others, sparse and dense ones in turn.

    A graph that the black box does not take is left out: claims name the graphs that it took.
    """
    until = time.process_time() + LARGE_SECONDS
    directed = DIRECTIONS[oracle.schema.graphs]
    for number in range(LARGE):
        degrees = LARGE_DEGREES if number % 2 else DEGREES
        graph = random_graph(LARGE_SIZES, directed[number // 2 % len(directed)], rng, degrees)
        try:
            run = runs_of(oracle, rng).on(graph)
        except DefinitionError:  # numbers of too few bits, or too many steps
            continue
        finally:
            is_late = time.process_time() > until
        if run is not None:
            yield run
        if is_late:
            return


def mixed_runs(
    oracle: Oracle, count: int, sizes: tuple[int, int], rng: np.random.Generator
) -> list[Episodes]:
    """Runs on random graphs: sparse ones, dense ones of up to 8 nodes, and small crowded ones."""
    dense = (min(sizes[0], 8), min(sizes[1], 8))
    return [
        *random_runs(oracle, count // 3, sizes, rng),
        *random_runs(oracle, count // 3, dense, rng, DENSE),
        *random_runs(oracle, count // 3, CROWDED_SIZES, rng, CROWDED),
    ]


def fewer(schema: Schema, episodes: Sequence[Episodes]) -> list[Episodes]:
    """The first runs of each batch, as many as give enough states to look at."""
    kept = []
    for some in episodes:
        elements = some.graph.counts(schema.location)
        sizes = ((some.lengths + 1) * elements).cumsum(0)
        count = max(int((sizes <= MOST_ELEMENTS / len(episodes)).sum()), 1)
        kept.append(some.only(schema, torch.arange(min(count, some.graph.num_graphs))))
    return kept


def asked_for(oracle: Oracle, runs: Iterable[Episodes]) -> list[Episodes]:
    """The runs that a search begins with; refused where there are none."""
    episodes = list(runs)
    if not episodes:
        raise AlgoLensError(
            f"{oracle.schema.name} takes none of the random graphs that were tried: record runs "
            "on graphs that it takes, and give these."
        )
    return episodes
