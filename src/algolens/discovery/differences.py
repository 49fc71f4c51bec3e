"""Where two runs differ, and how often an algorithm decides as a black box does in its states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy.stats import poisson
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.data.graph_sets import bisected, signatures
from algolens.data.small_graphs import (
    DIRECTIONS,
    DRAWS,
    MOST_NODES,
    EveryInput,
    ShownGraph,
    numbered_graphs,
)
from algolens.discovery.decisions import Explanation
from algolens.discovery.examples import Block, Examples, unrolled
from algolens.discovery.limits import Limits
from algolens.discovery.oracle import Episodes, GraphSizes, Oracle, Schema, values_on
from algolens.discovery.sampling import CROWDED, CROWDED_SIZES, large_runs, random_runs, runs_of
from algolens.discovery.search import Search
from algolens.engines import Percept, decides_by, goes_on_by, perceive_truly, run_algorithm
from algolens.engines.record import frame_of
from algolens.errors import AlgoLensError, DefinitionError

GOES_ON = "goes_on"
RESULT = "result"  # what is wrong where every single decision is as recorded
MOST_SHOWN = 5  # exceptions that are shown as graphs
LARGEST_SHOWN = 20  # nodes of a graph that a sentence shows
POOL = 600  # small runs, of which those are added where a case errs more often than others
MOST_ODD = 60
BY_CHANCE = 0.01  # how often one of all cases errs as often without a reason


def first_difference(schema: Schema, theirs: Episodes, ours: Episodes) -> Tensor:
    """[G] of each run, the first step from 0 that is another; -1 where both are the same."""
    graph = theirs.graph
    first = torch.full((graph.num_graphs,), -1)
    # a run that ends otherwise differs in the step after which it was asked
    ends = theirs.lengths != ours.lengths
    for name, value in theirs.outcomes.items():
        ends = ends | (value != ours.outcomes[name])
    shorter = torch.minimum(theirs.lengths, ours.lengths)
    first[ends] = (shorter[ends] - 1).clamp(min=0)
    for step in reversed(range(min(len(theirs.frames), len(ours.frames)))):
        for name, declared in schema.decided.items():
            if name in theirs.frames[step]:
                apart = theirs.frames[step][name] != ours.frames[step][name]
                wrong = graph.any_per_graph(apart, declared.at) & (step <= shorter)
                first[wrong] = max(step - 1, 0)
    return first


def first_errors(schema: Schema, theirs: Episodes, algorithm: Algorithm) -> Tensor:
    """[G] of each run, the first step from 0 that an algorithm takes otherwise; -1: none."""

    def attempt(runs: Tensor) -> Tensor:
        some = theirs.only(schema, runs)
        made = run_algorithm(algorithm, some.graph, some.inputs, check=False, kernel="tensor")
        return first_difference(schema, some, Episodes.of(made))

    first = torch.zeros(theirs.graph.num_graphs, dtype=torch.long)  # where it refuses the graph
    for runs, here in bisected(torch.arange(len(first)), attempt)[0]:
        first[runs] = here
    return first


@dataclass(frozen=True)
class Deviation:
    """A state in which the black box decides otherwise."""

    field: str
    element: int  # its number in the graph
    decided: Any  # by the black box
    expected: Any  # by the discovered algorithm
    graph: ShownGraph  # with the state before the step

    def __str__(self) -> str:
        return f"{self._what()} on {self.graph}"

    def in_short(self) -> str:
        """The same without a large graph's edges and values."""
        nodes, edges = self.graph.nodes, len(self.graph.edges)
        if nodes <= LARGEST_SHOWN:
            return str(self)
        return f"{self._what()} on a graph of {nodes} nodes and {edges} edges (--json has them)"

    def what_errs(self) -> str:
        """The same, with what is wrong before it, as the rest of a sentence."""
        what = {GOES_ON: "going on", RESULT: "the result"}.get(self.field, self.field)
        return f"errs in {what}: {self.in_short()}."

    def _what(self) -> str:
        if self.field == RESULT:
            return "a run ends otherwise"
        if self.field == GOES_ON:
            return f"the black box takes {'another' if self.decided else 'no further'} step"
        return f"{self.field} of {self.element} becomes {self.decided}, not {self.expected},"


@dataclass(frozen=True)
class Fidelity:
    """Decisions of a black box, and how many of them a discovered algorithm makes alike."""

    graphs: GraphSizes
    decisions: Mapping[str, int]  # by field, and of going on
    exceptions: Mapping[str, int]
    shown: tuple[Deviation, ...] = ()  # the smallest

    @property
    def share(self) -> float:
        """The share of decisions that are exceptions."""
        return sum(self.exceptions.values()) / max(sum(self.decisions.values()), 1)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "runs": self.graphs.runs,
            "decisions": dict(self.decisions),
            "exceptions": dict(self.exceptions),
            "shown": [asdict(one) for one in self.shown],
        }


def fidelity(
    algorithm: Algorithm, schema: Schema, episodes: Sequence[Episodes], shown: int = MOST_SHOWN
) -> Fidelity:
    """How often an algorithm decides as recorded, a step at a time.

    From every state of the runs, the algorithm takes one step, and its decisions are compared with
    those recorded. An error is counted once, whatever it leads to.

    Parameters
    ----------
    algorithm : Algorithm
        A declared algorithm with the fields of the schema.
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    shown : int
        As many exceptions are shown, on the smallest graphs.
    """
    rules, location = algorithm.declaration.rule_set, algorithm.declaration.location
    decisions: Counter[str] = Counter(dict.fromkeys(schema.decided, 0))
    exceptions: Counter[str] = Counter(decisions)
    found: list[Deviation] = []
    for some in episodes:
        block = unrolled(schema, some)
        graph = block.graph
        percept, frame = stepped(algorithm, schema, block)
        compared = [
            (name, one.at, frame[name], block.after[name], block.has_step)
            for name, one in schema.decided.items()
        ]
        if rules.continues is not None:
            goes_on = goes_on_by(rules, location)(graph, percept)
            compared += [(GOES_ON, "graph", goes_on, block.asked > 0, block.asked >= 0)]
        for name, at, ours, theirs, is_asked in compared:
            owner = graph.owner(at)
            counts = is_asked[owner]
            wrong = counts & (ours != theirs)
            decisions[name] += int(counts.sum())
            exceptions[name] += int(wrong.sum())
            places = wrong.nonzero().flatten().tolist()
            for place in sorted(places, key=lambda e: int(graph.node_counts[owner[e]]))[:shown]:
                part = graph.take(owner[place : place + 1])
                given = {one: block.values[one] for one in schema.before}
                found.append(
                    Deviation(
                        name,
                        place - int(graph.first(at)[owner[place]]),
                        _plain(schema, name, theirs[place]),
                        _plain(schema, name, ours[place]),
                        ShownGraph.of(
                            part.graph, values_on(schema.before, given, part), schema.before
                        ),
                    )
                )
    found.sort(key=lambda one: one.graph.nodes)
    return Fidelity(GraphSizes.of(episodes), decisions, exceptions, tuple(found[:shown]))


def first_deviation(algorithm: Algorithm, schema: Schema, wrong: Episodes) -> Deviation:
    """What an algorithm decides otherwise in one run on which it errs."""
    try:
        shown = fidelity(algorithm, schema, [wrong], 1).shown
    except AlgoLensError:  # it refuses what the black box takes
        shown = ()
    graph = ShownGraph.of(wrong.graph, wrong.inputs, schema.inputs)
    return shown[0] if shown else Deviation(RESULT, 0, None, None, graph)


def telling_runs(
    oracle: Oracle, algorithm: Algorithm, usual: float, rng: np.random.Generator
) -> list[Episodes]:
    """Of many small graphs, those where a case errs more often than the rest, run once more: there,
    a rule may be missing.

    Parameters
    ----------
    oracle : Oracle
        The black box.
    algorithm : Algorithm
        What was discovered so far. A case is a pattern of its concepts.
    usual : float
        The share of exceptions in all.
    rng : numpy.random.Generator
        Of the graphs.
    """
    schema, made = oracle.schema, []
    for some in random_runs(oracle, POOL, CROWDED_SIZES, rng, CROWDED):
        block = unrolled(schema, some)
        percept, frame = stepped(algorithm, schema, block)
        owner = block.graph.owner(schema.location)
        counts = block.has_step[owner]
        wrong = torch.zeros(len(owner), dtype=torch.bool)
        for name in schema.outputs:
            wrong |= frame[name] != block.after[name]
        odd = wrong[counts].numpy()
        _, case, count = np.unique(
            percept.concepts[counts].numpy(), axis=0, return_inverse=True, return_counts=True
        )
        case = case.reshape(-1)
        errors = np.bincount(case, odd, minlength=len(count))
        is_odd = poisson.sf(errors - 1, usual * count) * len(count) < BY_CHANCE
        runs = block.run[owner][counts][torch.from_numpy(odd & is_odd[case])].unique()[:MOST_ODD]
        if len(runs):
            part = some.graph.take(runs)
            inputs = values_on(schema.inputs, some.inputs, part)
            made.append(oracle.run(part.graph, inputs))
    return made


def stepped(algorithm: Algorithm, schema: Schema, block: Block) -> tuple[Percept, Values]:
    """What an algorithm sees in every state, and what its step gives."""
    declaration = algorithm.declaration
    state = {name: block.values[name] for name in schema.state}
    inputs = {name: block.values[name] for name in schema.inputs if name in block.values}
    percept = perceive_truly(algorithm)(block.graph, inputs, state, None)
    decided = decides_by(declaration.rule_set)(percept.concepts)
    return percept, frame_of(percept, decided, declaration)


def _plain(schema: Schema, name: str, value: Tensor) -> Any:
    if name == GOES_ON or value.dtype == torch.bool:
        return bool(value)
    field = schema.decided[name]
    return field.labels[int(value)] if field.labels else int(value)


def contradictions(schema: Schema, episodes: Sequence[Episodes]) -> int:
    """States of one graph that came up before, and were followed by another one then."""
    found: list[np.ndarray] = []  # [2, G] numbers for states, and for what followed
    for some in episodes:
        block = unrolled(schema, some)
        graph, directed = block.graph, np.uint64(block.graph.directed)
        before = signatures(schema.before, graph, block.values) + directed
        after = signatures(schema.decided, graph, block.after)
        found.append(np.stack([before, after])[:, block.has_step.numpy()])
    steps = np.concatenate(found, 1)
    _, first, state = np.unique(steps[0], return_index=True, return_inverse=True)
    return int((steps[1] != steps[1][first][state]).sum())


# ---- what was found, held against the black box


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
