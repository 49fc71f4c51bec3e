"""Runs to settle on, and what was found held against the black box."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.data.every_input import EveryInput
from algolens.data.random_runs import DEGREES, RandomRuns, random_graph
from algolens.data.small_graphs import DRAWS, MOST_NODES, numbered_graphs
from algolens.discovery.schema import DIRECTIONS, Episodes, GraphSizes, RunTeacher, Schema
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import Graph
from algolens.language.fields import Field

CHECKED = 60  # random runs that what was found is held against
CHECKED_SIZES = (4, 20)
LARGE, LARGE_SIZES = 12, (40, 60)  # larger graphs, one of these after the other,
LARGE_DEGREES = (8.0, 24.0)  # edges at a node, in turn with few
LARGE_SECONDS = 1.0  # after which no further one is run
CHUNK = 400  # graphs that are run together
MOST_EVERY = 6_000  # runs on graphs of one size with every order of inputs; else they are drawn
MOST_REFUSED = 40  # batches that the black box refuses, before inputs are drawn


def random_runs(
    teacher: RunTeacher, count: int, sizes: tuple[int, int], rng: np.random.Generator
) -> Iterator[Episodes]:
    """Runs on random graphs of mixed sizes and densities, numbers with ties among their inputs."""
    return _runs_of(teacher, rng).many(count, sizes)


def _runs_of(teacher: RunTeacher, rng: np.random.Generator) -> RandomRuns[Episodes]:
    schema = teacher.schema
    directed = DIRECTIONS[schema.graphs]
    return RandomRuns(schema.inputs, directed, teacher.sample, teacher.run, rng)


def large_runs(teacher: RunTeacher, rng: np.random.Generator) -> Iterator[Episodes]:
    """Runs on single graphs that are larger than others, sparse and dense ones in turn.

    A graph that the black box does not take is left out: claims name the graphs that it took.
    """
    until = time.process_time() + LARGE_SECONDS
    directed = DIRECTIONS[teacher.schema.graphs]
    for number in range(LARGE):
        degrees = LARGE_DEGREES if number % 2 else DEGREES
        graph = random_graph(LARGE_SIZES, directed[number // 2 % len(directed)], rng, degrees)
        try:
            run = _runs_of(teacher, rng).on(graph)
        except DefinitionError:  # numbers of too few bits, or too many steps
            continue
        finally:
            is_late = time.process_time() > until
        if run is not None:
            yield run
        if is_late:
            return


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
        self.refused = 0  # batches, of one size of graphs
        self.exhaustive: list[tuple[int, bool, bool]] = []

    def counterexample(
        self, episodes: Sequence[Episodes], rng: np.random.Generator
    ) -> Episodes | None:
        """A run on which the two differ; None where none was found."""
        for some in episodes:
            if (wrong := self._first_wrong(some)) is not None:
                self.is_known = True
                return wrong
        if not self.teacher.can_run:
            return None
        if (wrong := self._on_all_small(rng)) is not None:
            return wrong
        # also where the time is spent: nothing is given that was held against no other run
        (own,) = rng.spawn(1)
        for runs in (
            random_runs(self.teacher, CHECKED, CHECKED_SIZES, rng),
            large_runs(self.teacher, own),
        ):
            tried = []
            for some in runs:
                if (wrong := self._first_wrong(some)) is not None:
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
                wrong, is_full = self._on_all(nodes, directed, rng)
                if wrong is not None or is_full is None:  # None: the time is spent
                    return wrong
                self.exhaustive.append((nodes, directed, is_full))
        return None

    def _on_all(
        self, nodes: int, directed: bool, rng: np.random.Generator
    ) -> tuple[Episodes | None, bool | None]:
        """A run on graphs of so many nodes on which the two differ; and whether all of them were
        tried with every order of inputs, None where the time did not suffice.
        """
        graph = numbered_graphs(nodes, directed=directed)
        every = EveryInput(self.algorithm, nodes)
        count = every.count(graph)
        is_full = count is not None and count <= MOST_EVERY
        if is_full:
            which, inputs = every.of(graph)
            batch = graph.take(which).graph
            self.refused = 0
            wrong = self._on_batch(batch, inputs)
            if wrong is not None or time.process_time() > self.until:
                return wrong, None
            if self.refused <= MOST_REFUSED:
                return None, True
        batch = graph.take(torch.arange(graph.num_graphs).repeat_interleave(DRAWS)).graph
        self.refused = 0
        for part in torch.arange(batch.num_graphs).chunk(max(1, batch.num_graphs // CHUNK)):
            some = batch.take(part).graph
            episodes = _runs_of(self.teacher, rng).on(some)
            wrong = None if episodes is None else self._first_wrong(episodes)
            if wrong is not None or time.process_time() > self.until:
                return wrong, None
        return None, False

    def _on_batch(self, batch: Graph, inputs: Mapping[str, Tensor]) -> Episodes | None:
        """A run of a batch on which the two differ, as far as there is time."""
        fields = self.teacher.schema.inputs
        for part in torch.arange(batch.num_graphs).chunk(max(1, batch.num_graphs // CHUNK)):
            for some in self._asked(*_taken(fields, batch, inputs, part)):
                if (wrong := self._first_wrong(some)) is not None:
                    return wrong
            if time.process_time() > self.until or self.refused > MOST_REFUSED:
                break
        return None

    def _asked(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Iterator[Episodes]:
        """The black box on the graphs that it takes, until it has refused too many."""
        try:
            yield self.teacher.run(graph, inputs)
        except DefinitionError:
            raise
        except AlgoLensError:
            self.refused += 1
            if graph.num_graphs > 1 and self.refused <= MOST_REFUSED:
                for some in torch.arange(graph.num_graphs).chunk(2):
                    yield from self._asked(*_taken(self.teacher.schema.inputs, graph, inputs, some))

    def _first_wrong(self, episodes: Episodes) -> Episodes | None:
        """The first run on which the two differ, alone."""
        graph = episodes.graph
        try:
            ours = Episodes.of(
                run_algorithm(self.algorithm, graph, episodes.inputs, check=False, kernel="tensor")
            )
        except AlgoLensError:
            if graph.num_graphs == 1:
                return episodes
            for some in torch.arange(graph.num_graphs).chunk(2):
                part = _only(self.teacher.schema, episodes, some)
                if (wrong := self._first_wrong(part)) is not None:
                    return wrong
            return None
        differ = steps_differ(self.teacher.schema, episodes, ours)
        if not bool(differ.any()):
            return None
        return _only(self.teacher.schema, episodes, differ.nonzero()[0])


def steps_differ(schema: Schema, theirs: Episodes, ours: Episodes) -> Tensor:
    """[G] bools: whether a step, their number or an outcome differs."""
    graph = theirs.graph
    wrong = theirs.lengths != ours.lengths
    for step in range(min(len(theirs.frames), len(ours.frames))):
        for name, declared in schema.decided.items():
            if name in theirs.frames[step]:
                apart = theirs.frames[step][name] != ours.frames[step][name]
                wrong = wrong | graph.any_per_graph(apart, declared.location)
    for name, value in theirs.outcomes.items():
        wrong = wrong | (value != ours.outcomes[name])
    return wrong


def _taken(
    fields: Mapping[str, Field], graph: Graph, inputs: Mapping[str, Tensor], some: Tensor
) -> tuple[Graph, dict[str, Tensor]]:
    part = graph.take(some)
    return part.graph, {
        name: value[part.index(fields[name].location)] for name, value in inputs.items()
    }


def _only(schema: Schema, episodes: Episodes, some: Tensor) -> Episodes:
    """Some of the runs."""
    part = episodes.graph.take(some)
    last = int(episodes.lengths[some].max()) + 1
    return Episodes(
        part.graph,
        {
            name: value[part.index(schema.inputs[name].location)]
            for name, value in episodes.inputs.items()
        },
        [
            {
                name: value[part.index(schema.decided[name].location)]
                for name, value in frame.items()
            }
            for frame in episodes.frames[:last]
        ],
        episodes.lengths[some],
        episodes.asked[: last - 1, some],
        {name: value[some] for name, value in episodes.outcomes.items()},
    )
