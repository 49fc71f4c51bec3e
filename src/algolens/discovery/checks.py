"""What was found, held against the black box."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.data.every_input import EveryInput
from algolens.data.small_graphs import DRAWS, MOST_NODES, numbered_graphs
from algolens.discovery.differences import first_errors
from algolens.discovery.sampling import FRESH_SIZES, large_runs, random_runs, runs_of
from algolens.discovery.schema import DIRECTIONS, Episodes, GraphSizes, RunTeacher, values_on
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import Graph

CHECKED = 60  # random runs that what was found is held against
CHUNK = 400  # graphs that are run together
MOST_EVERY = 6_000  # runs on graphs of one size with every order of inputs; else they are drawn
MOST_REFUSED = 40  # batches that the black box refuses, before inputs are drawn


class BlackBoxCheck:
    """What was found, held against the black box.

    Parameters
    ----------
    teacher : RunTeacher
        The black box.
    algorithm : Algorithm
        What was found.
    until : float
        A time of the process, when it ends.
    nodes : int
        All graphs of up to so many are tried.
    """

    def __init__(self, teacher: RunTeacher, algorithm: Algorithm, until: float, nodes: int) -> None:
        self.teacher, self.algorithm, self.until = teacher, algorithm, until
        self.nodes = nodes
        self.is_known = False  # the run was among those that it was settled on
        self.sampled: list[GraphSizes] = []
        self.exhaustive: list[tuple[int, bool, bool]] = []
        self.refused = 0  # batches, of one size of graphs

    def counterexample(
        self, episodes: Sequence[Episodes], rng: np.random.Generator
    ) -> Episodes | None:
        """A run on which the two differ; None where none was found."""
        if (wrong := self._first_wrong(episodes)) is not None:
            self.is_known = True
            return wrong
        if not self.teacher.can_run:
            return None
        if (wrong := self._on_all_small(rng)) is not None:
            return wrong
        # also where the time is spent: nothing is given that was held against no other run
        (own,) = rng.spawn(1)
        for runs in (
            random_runs(self.teacher, CHECKED, FRESH_SIZES, rng),
            large_runs(self.teacher, own),
        ):
            tried: list[Episodes] = []
            for some in runs:
                if (wrong := self._first_wrong([some])) is not None:
                    return wrong
                tried.append(some)
            if tried:
                self.sampled.append(GraphSizes.of(tried))
        return None

    def _on_all_small(self, rng: np.random.Generator) -> Episodes | None:
        """A run on a small graph on which the two differ, as far as there is time."""
        for nodes in range(1, self.nodes + 1):
            for directed in DIRECTIONS[self.teacher.schema.graphs]:
                if nodes > MOST_NODES[directed]:
                    continue
                for is_full in (True, False):
                    self.refused = 0
                    for runs in self._on_all(nodes, directed, rng, is_full):
                        wrong = self._first_wrong(runs)
                        if wrong is not None or time.process_time() > self.until:
                            return wrong
                    if self.refused <= MOST_REFUSED:
                        self.exhaustive.append((nodes, directed, is_full))
                        break
        return None

    def _on_all(
        self, nodes: int, directed: bool, rng: np.random.Generator, is_full: bool
    ) -> Iterator[list[Episodes]]:
        """Runs on all graphs of so many nodes, a chunk at a time: with every order of inputs, or
        with inputs drawn. Too many to try are refused.
        """
        graph = numbered_graphs(nodes, directed=directed)
        which = torch.arange(graph.num_graphs).repeat_interleave(DRAWS)
        if is_full:
            every = EveryInput(self.algorithm, nodes)
            count = every.count(graph)
            if count is None or count > MOST_EVERY:
                self.refused = MOST_REFUSED + 1
                return
            which, inputs = every.of(graph)
        batch = graph.take(which).graph
        for part in torch.arange(batch.num_graphs).chunk(max(1, batch.num_graphs // CHUNK)):
            if is_full and self.refused <= MOST_REFUSED:
                yield list(self._asked(batch, inputs, part))
            elif not is_full:
                run = runs_of(self.teacher, rng).on(batch.take(part).graph)
                yield [] if run is None else [run]

    def _asked(
        self, batch: Graph, inputs: Mapping[str, Tensor], places: Tensor
    ) -> Iterator[Episodes]:
        """The black box on the graphs that it takes, until it has refused too many."""
        part = batch.take(places)
        try:
            yield self.teacher.run(part.graph, values_on(self.teacher.schema.inputs, inputs, part))
        except DefinitionError:
            raise
        except AlgoLensError:
            self.refused += 1
            if len(places) > 1 and self.refused <= MOST_REFUSED:
                for some in places.chunk(2):
                    yield from self._asked(batch, inputs, some)

    def _first_wrong(self, runs: Sequence[Episodes]) -> Episodes | None:
        """The first run on which the two differ, alone."""
        schema = self.teacher.schema
        for some in runs:
            wrong = (first_errors(schema, some, self.algorithm) >= 0).nonzero()
            if len(wrong):
                return some.only(schema, wrong[0])
        return None
