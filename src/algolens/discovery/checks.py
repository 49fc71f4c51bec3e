"""What was found, held against the black box: on all small graphs, on random ones, and on runs that
tell answers of one price apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import torch

from algolens.algorithms import Algorithm
from algolens.data.small_graphs import DIRECTIONS, DRAWS, MOST_NODES, EveryInput, numbered_graphs
from algolens.discovery.decisions import Explanation
from algolens.discovery.differences import first_errors
from algolens.discovery.examples import Examples
from algolens.discovery.limits import Limits
from algolens.discovery.oracle import Episodes, GraphSizes, Oracle, values_on
from algolens.discovery.sampling import large_runs, random_runs, runs_of
from algolens.discovery.search import Search
from algolens.errors import AlgoLensError, DefinitionError

CHUNK = 400  # graphs that are run together


@dataclass
class BlackBoxCheck:
    """What was found, held against the black box.

    Parameters
    ----------
    oracle : Oracle
        The black box.
    algorithm : Algorithm
        What was found.
    limits : Limits
        Of runs, and of the sizes of graphs.
    """

    oracle: Oracle
    algorithm: Algorithm
    limits: Limits
    sampled: list[GraphSizes] = field(default_factory=list)
    exhaustive: list[tuple[int, bool, bool]] = field(default_factory=list)

    def counterexample(self, rng: np.random.Generator) -> Episodes | None:
        """A run on which the two differ; None where none was found."""
        if (wrong := self._on_all_small(rng)) is not None:
            return wrong
        # also where the time is spent: nothing is given that was held against no other run
        (own,) = rng.spawn(1)
        for runs in (
            random_runs(self.oracle, self.limits.checked, self.limits.fresh_sizes, rng),
            large_runs(self.oracle, own),
        ):
            tried = []
            for some in runs:
                if (wrong := self.first_wrong([some])) is not None:
                    return wrong
                tried.append(some)
            if tried:
                self.sampled.append(GraphSizes.of(tried))
        return None

    def first_wrong(self, runs: Sequence[Episodes]) -> Episodes | None:
        """The first run on which the two differ, alone."""
        schema = self.oracle.schema
        for some in runs:
            wrong = (first_errors(schema, some, self.algorithm) >= 0).nonzero()
            if len(wrong):
                return some.only(schema, wrong[0])
        return None

    def _on_all_small(self, rng: np.random.Generator) -> Episodes | None:
        """A run on a small graph on which the two differ, as far as there is time."""
        for nodes in range(1, self.limits.nodes + 1):
            for directed in DIRECTIONS[self.oracle.schema.graphs]:
                for is_full in (True, False) if nodes <= MOST_NODES[directed] else ():
                    for runs in self._on_all(nodes, directed, rng, is_full):
                        if runs is None:
                            break  # too many, or it refuses too many
                        wrong = self.first_wrong(runs)
                        if wrong is not None or self.limits.is_late:
                            return wrong
                    else:
                        self.exhaustive.append((nodes, directed, is_full))
                        break
        return None

    def _on_all(
        self, nodes: int, directed: bool, rng: np.random.Generator, is_full: bool
    ) -> Iterator[list[Episodes] | None]:
        """Runs on all graphs of so many nodes, a chunk at a time: with every order of inputs, or
        with inputs drawn. None where there are too many, or too many are refused.
        """
        graph = numbered_graphs(nodes, directed=directed)
        which = torch.arange(graph.num_graphs).repeat_interleave(DRAWS)
        if is_full:
            every = EveryInput(self.algorithm, nodes)
            count = every.count(graph)
            if count is None or count > self.limits.every_input:
                yield None
                return
            which, inputs = every.of(graph)
        batch, refused = graph.take(which).graph, 0
        for chunk in torch.arange(batch.num_graphs).chunk(max(1, batch.num_graphs // CHUNK)):
            if not is_full:
                run = runs_of(self.oracle, rng).on(batch.take(chunk).graph)
                yield [] if run is None else [run]
                continue
            waiting = [chunk]
            while waiting:
                places = waiting.pop()
                part = batch.take(places)
                given = values_on(self.oracle.schema.inputs, inputs, part)
                try:
                    yield [self.oracle.run(part.graph, given)]
                except DefinitionError:  # what is wrong with the black box itself
                    raise
                except AlgoLensError:
                    refused += 1
                    waiting += reversed(places.chunk(2)) if len(places) > 1 else []
                    if refused > self.limits.refused:
                        yield None
                        return


def still_tied(
    search: Search, others: Sequence[Explanation], episodes: Sequence[Episodes]
) -> list[Explanation]:
    """The sets of observations, of the same price as those that a search took, that decide as the
    black box did in every state of some runs.
    """
    if not others:
        return []
    there = Search(search.schema, episodes, search.limits)
    for let in search.sums.values():
        there.add_sum(let)
    for name, (location, said) in search.script.look.items():
        there.observe(name, location, said)
    return [other for other in others if _decides_alike(other, there.examples)]


def _decides_alike(other: Explanation, examples: Examples) -> bool:
    steps, own = examples.has_step(other.location), partial(examples.own, at=other.location)
    after = examples.after(other.name)[steps]
    chosen = tuple(replace(one, holds=partial(own, one.said)) for one in other.chosen)
    there = replace(other, chosen=chosen)
    try:
        return all(
            (there.column(label, len(steps))[steps] == (after == label)).all()
            for label in np.unique([*other.decided, *after]).tolist()
        )
    except KeyError:  # an observation of an earlier round
        return False
