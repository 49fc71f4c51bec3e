"""What was found, held against the black box: on all small graphs, on random ones, and on runs that
tell answers of one price apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from algolens.algorithms import Algorithm
from algolens.data.small_graphs import DRAWS, MOST_NODES, EveryInput, numbered_graphs
from algolens.discovery.decisions import Explanation
from algolens.discovery.differences import first_errors
from algolens.discovery.sampling import FRESH_SIZES, large_runs, random_runs, runs_of
from algolens.discovery.search import Search
from algolens.discovery.state import SearchState
from algolens.discovery.teachers import DIRECTIONS, Episodes, GraphSizes, RunTeacher, values_on
from algolens.errors import AlgoLensError, DefinitionError
from algolens.language.fields import Location

CHECKED = 60  # random runs that what was found is held against
CHUNK = 400  # graphs that are run together
MOST_EVERY = 6_000  # runs on graphs of one size with every order of inputs; else they are drawn
MOST_REFUSED = 40  # batches that the black box refuses, before inputs are drawn


@dataclass
class BlackBoxCheck:
    """What was found, held against the black box.

    Parameters
    ----------
    teacher : RunTeacher
        The black box.
    algorithm : Algorithm
        What was found.
    until : float
        CPU deadline, as ``time.process_time()`` counts.
    nodes : int
        All graphs of up to so many are tried.
    """

    teacher: RunTeacher
    algorithm: Algorithm
    until: float
    nodes: int
    sampled: list[GraphSizes] = field(default_factory=list)
    exhaustive: list[tuple[int, bool, bool]] = field(default_factory=list)

    def counterexample(self, rng: np.random.Generator) -> Episodes | None:
        """A run on which the two differ; None where none was found."""
        if (wrong := self._on_all_small(rng)) is not None:
            return wrong
        # also where the time is spent: nothing is given that was held against no other run
        (own,) = rng.spawn(1)
        for runs in (
            random_runs(self.teacher, CHECKED, FRESH_SIZES, rng),
            large_runs(self.teacher, own),
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
        schema = self.teacher.schema
        for some in runs:
            wrong = (first_errors(schema, some, self.algorithm) >= 0).nonzero()
            if len(wrong):
                return some.only(schema, wrong[0])
        return None

    def _on_all_small(self, rng: np.random.Generator) -> Episodes | None:
        """A run on a small graph on which the two differ, as far as there is time."""
        for nodes in range(1, self.nodes + 1):
            for directed in DIRECTIONS[self.teacher.schema.graphs]:
                for is_full in (True, False) if nodes <= MOST_NODES[directed] else ():
                    for runs in self._on_all(nodes, directed, rng, is_full):
                        if runs is None:
                            break  # too many, or it refuses too many
                        wrong = self.first_wrong(runs)
                        if wrong is not None or time.process_time() > self.until:
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
            if count is None or count > MOST_EVERY:
                yield None
                return
            which, inputs = every.of(graph)
        batch, refused = graph.take(which).graph, 0
        for chunk in torch.arange(batch.num_graphs).chunk(max(1, batch.num_graphs // CHUNK)):
            if not is_full:
                run = runs_of(self.teacher, rng).on(batch.take(chunk).graph)
                yield [] if run is None else [run]
                continue
            waiting = [chunk]
            while waiting:
                places = waiting.pop()
                part = batch.take(places)
                given = values_on(self.teacher.schema.inputs, inputs, part)
                try:
                    yield [self.teacher.run(part.graph, given)]
                except DefinitionError:  # what is wrong with the black box itself
                    raise
                except AlgoLensError:
                    refused += 1
                    waiting += reversed(places.chunk(2)) if len(places) > 1 else []
                    if refused > MOST_REFUSED:
                        yield None
                        return


@dataclass(frozen=True)
class Undecided:
    """Two answers of the same price that no run told apart."""

    decision: str
    taken: list[str]
    other: list[str]

    def __str__(self) -> str:
        return f"'{self.decision}' by {' and '.join(self.other)}"


class Alternatives:
    """The sets of observations that cost as much as those that a search took, held against runs.

    Parameters
    ----------
    search : Search
        One that explained every decision.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.script = search, search.state.script
        self.left = [other for made in self.script.decisions.values() for other in made.others]

    def hold_against(self, episodes: Sequence[Episodes]) -> None:
        """Drops those that decide otherwise than the black box did, in some state of these runs."""
        if self.left:
            state = SearchState(self.search.schema, episodes)
            for let in self.search.sums.values():
                state.add_sum(let, state.examples.value(let.value, let.at))
            for name, (location, said) in self.script.look.items():
                state.observe(name, location, said)
            self.left = [other for other in self.left if _decides_alike(other, state)]

    def undecided(self) -> tuple[Undecided, ...]:
        """Those that no run told apart from what was taken."""
        say = self.search.state.text
        return tuple(
            Undecided(other.name, list(map(say, taken.said)), list(map(say, other.said)))
            for other in self.left
            for taken in [self.script.decisions[other.name]]
        )


def _decides_alike(other: Explanation, state: SearchState) -> bool:
    """Whether a set of observations decides as the black box did."""
    examples, location = state.examples, Location(other.location)
    try:
        columns = tuple(examples.own(said, location.value) for said in other.said)
    except DefinitionError:  # an observation of an earlier round
        return False
    steps = examples.has_step(location)
    after = examples.after(other.name)[steps]
    there = replace(other, columns=columns)
    return all(
        (there.column(label, len(steps))[steps] == (after == label)).all()
        for label in np.unique([*other.decided, *after]).tolist()
    )
