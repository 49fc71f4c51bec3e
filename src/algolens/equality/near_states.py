"""States near those that runs reach, and what a step makes of them.

A clause that a real step breaks, from a state where all candidates hold, belongs to no invariant
among them. Whether it does is seen by taking the step, for less than Z3 asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
import torch

from algolens.engines import Run
from algolens.engines.tensors import Running, Tensors
from algolens.equality.candidates import CandidateClause, SampledStates, random_values
from algolens.equality.solver import in_time
from algolens.errors import AlgoLensError
from algolens.graphs import Graph, Location

COPIES = 400  # of every graph, each in another state
CHANGED = (0.05, 0.15, 0.4)  # the share of elements that have another value than in a run


class NearStates:
    """Pairs of a state and what a step makes of it.

    Parameters
    ----------
    states : SampledStates
        Those of runs of the trusted algorithm.
    """

    def __init__(self, states: SampledStates, rng: np.random.Generator) -> None:
        self.states, self.pairs = states, list[tuple[Tensors, Tensors, np.ndarray]]()
        self._excludes: dict[CandidateClause, np.ndarray] = {}  # by clause, [states] bools
        self.until = states.proof.until
        for run in in_time(states.proof.runs, self.until):
            pair = self._pair(run, rng)
            if pair is not None:
                self.pairs.append(pair)

    def _pair(
        self, run: Run, rng: np.random.Generator
    ) -> tuple[Tensors, Tensors, np.ndarray] | None:
        """Many states of the graphs of a run, those after a step, and where one is taken."""
        graph = Graph.join([run.graph] * COPIES)
        inputs = {name: torch.cat([value] * COPIES) for name, value in run.inputs.items()}
        steps = rng.integers(0, run.num_steps + 1, COPIES)
        values = {}
        for name, field in self.states.proof.fields.items():
            over_time = run.state(name)
            there = torch.cat([over_time[step] for step in steps])
            at_other = rng.integers(0, run.num_steps + 1, COPIES)
            other = torch.cat([over_time[step] for step in at_other])
            is_drawn = torch.from_numpy(rng.random(len(there)) < 0.5)
            other = torch.where(is_drawn, random_values(field, graph, rng).to(there.dtype), other)
            share = rng.choice(CHANGED, graph.num_graphs)[graph.owner(Location(field.at)).numpy()]
            values[name] = torch.where(
                torch.from_numpy(rng.random(len(there)) < share), other, there
            )
        begun = torch.from_numpy(np.repeat(steps > 0, run.graph.num_graphs))
        proof = self.states.proof
        running = Running(proof.known, graph)
        try:
            running.look(inputs, values)
        except AlgoLensError:  # a number may leave its bits in a state that no run reaches
            return None
        before = self.states.state(graph, inputs, values, begun)
        then = {name: running.becomes(name) for name in values}
        after = self.states.state(graph, inputs, then, torch.ones_like(begun))
        taken = ~begun | running.goes_on() if proof.terminates else torch.ones_like(begun)
        return before, after, taken.numpy()

    def kept(self, candidates: Sequence[CandidateClause]) -> list[CandidateClause]:
        """Candidates that no step tried breaks, from a state where all of these hold."""
        if not self.pairs:
            self._excludes = dict.fromkeys(candidates, np.zeros(0, bool))
            return list(candidates)
        before, after, taken = (
            np.concatenate(some, -1)
            for some in zip(
                *[
                    (self._broken(candidates, here), self._broken(candidates, there), is_taken)
                    for here, there, is_taken in self.pairs
                ],
                strict=True,
            )
        )
        alive = np.ones(len(candidates), bool)
        for _ in in_time(count(), self.until):
            possible = taken & ~before[alive].any(0)
            wrong = alive & after[:, possible].any(1)
            if not wrong.any():
                break
            alive &= ~wrong
        self._excludes = dict(zip(candidates, np.concatenate([before, after], 1), strict=True))
        return [clause for clause, is_kept in zip(candidates, alive, strict=True) if is_kept]

    def telling(self, clauses: Sequence[CandidateClause]) -> list[CandidateClause]:
        """Of clauses, those that exclude a state that the ones before them do not."""
        made, excluded = [], None
        for clause in in_time(clauses, self.until):
            its = self._excludes[clause]
            if excluded is None or (its & ~excluded).any() or not its.any():
                made.append(clause)
                excluded = its if excluded is None else excluded | its
        return made

    def _broken(self, candidates: Sequence[CandidateClause], state: Tensors) -> np.ndarray:
        """[clauses, graphs] bools: where a clause does not hold of some row."""
        made = []
        for clause in in_time(candidates, self.until):
            holds = torch.stack([state.value(clause.at, it) for it in clause.literals]).any(0)
            made.append(state.graph.any_per_graph(~holds, Location(clause.at)))
        return torch.stack(made).numpy() if made else np.zeros((0, state.graph.num_graphs), bool)
