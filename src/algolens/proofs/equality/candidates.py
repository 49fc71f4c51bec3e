"""What may always be true of a run: clauses that hold in every state of the runs that were tried.

They are candidates only. Of those that hold in any state whatever nothing would be learnt: they are
left out.

A clause that a real step breaks, from a state near those of runs where all candidates hold,
belongs to no invariant among them. Whether it does is seen by taking the step, which costs less
than asking Z3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from algolens.algorithms import Values
from algolens.engines import Run
from algolens.engines.tensors import Running, Tensors
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.ir import At, Expr, Field, Not, Quantified
from algolens.language.text import Text
from algolens.proofs.equality.ghosts import BEGUN
from algolens.proofs.theory import WIDE, in_time

if TYPE_CHECKING:
    from algolens.proofs.equality.proof import Proof

MOST_STATES = 400  # of runs, that candidates are held against
RANDOM = 12  # states that none may reach, on the graph of each run


@dataclass(frozen=True)
class CandidateClause:
    """One of several literals holds, of every row of a table."""

    at: At
    literals: tuple[Expr, ...]

    @property
    def formula(self) -> Expr:
        """Itself as a statement."""
        return ir.Or(self.literals) if len(self.literals) > 1 else self.literals[0]

    def words(self, say: Text) -> str:
        """Itself as it is written."""
        said = say(self.formula)
        said = said.replace(f"graph's {BEGUN}", BEGUN).replace(BEGUN, "begun").replace(WIDE, "_")
        return f"{self.at}: {said}"


class SampledStates:
    """States that runs reach, and states that none may reach.

    Parameters
    ----------
    proof : Proof
        Runs, and what is known of them.
    fields : mapping of str to Field
        All that may be spoken of.
    """

    def __init__(self, proof: Proof, fields: Mapping[str, Field]) -> None:
        self.proof, self.fields = proof, fields
        self.reached: list[Tensors] = []
        self.random: list[Tensors] = []
        rng = np.random.default_rng(1)
        drawn = proof.fields | proof.history.fields
        for run in proof.runs:
            for step, past in in_time(enumerate(proof.history.along(run)), proof.until):
                if len(self.reached) == MOST_STATES:
                    break
                values = {name: run.state(name)[step] for name in proof.fields} | past
                self.reached.append(self.state(run.graph, run.inputs, values, step > 0))
            for _ in range(RANDOM):
                values = {name: random_values(one, run.graph, rng) for name, one in drawn.items()}
                self.random.append(self.state(run.graph, run.inputs, values, rng.random() < 0.7))

    def state(self, graph: Graph, inputs: Values, values: Values, begun: object) -> Tensors:
        """A state of a batch of graphs."""
        made, proof = Tensors(graph, self.fields), self.proof
        ghosts = proof.counts.of(graph, values) | proof.parts.of(graph)
        begun = np.broadcast_to(np.array(begun), graph.num_graphs)
        made.give({**inputs, **values, BEGUN: begun, **ghosts})
        return made

    def table(self, at: At, literals: Sequence[Expr], reached: bool) -> np.ndarray:
        """[rows, literals] bools: where each holds, different rows alone."""
        states = in_time(self.reached if reached else self.random, self.proof.until)
        found = [np.stack([state.value(at, one) for one in literals], 1) for state in states]
        return np.unique(np.concatenate(found), axis=0)


def random_values(field: Field, graph: Graph, rng: np.random.Generator) -> np.ndarray:
    """Any values of a kind."""
    at = field.at
    size = graph.count(at)
    if field.kind == "mask":
        return rng.random(size) < rng.random()
    if field.kind == "category":
        return rng.integers(0, len(field.labels), size)
    if field.to is not None:
        sizes = graph.counts(field.to)[graph.owner(at)]
        return (rng.random(size) * sizes).astype(np.int64)
    low = max(field.bounds[0], -4)
    return rng.integers(low, low + 8, size)


def clauses(
    states: SampledStates, at: At, formulas: Sequence[Expr], size: int
) -> list[CandidateClause]:
    """Clauses of up to so many literals that all reached states satisfy, and others do not.

    A clause that contains one of fewer literals is left out.
    """
    if not formulas:
        return []
    # rows where each literal is false
    false_here, false_there = (
        np.concatenate([~table, table], 1).astype(np.float32)
        for table in (states.table(at, formulas, reached) for reached in (True, False))
    )
    _, first = np.unique(np.concatenate([false_here, false_there]), axis=1, return_index=True)
    kept = np.sort(first)  # of literals that never differ, one
    every = [*formulas, *map(opposite_literal, formulas)]
    false_here, false_there = false_here[:, kept], false_there[:, kept]
    always = ~false_here.any(0)
    rest = np.flatnonzero(~always)
    here, there = false_here[:, rest], false_there[:, rest]
    both_here, both_there = here.T @ here, there.T @ there
    alone = np.flatnonzero(always & false_there.any(0))
    pairs = np.argwhere(np.triu((both_here == 0) & (both_there > 0), 1))
    chosen = [*map(tuple, alone[:, None]), *map(tuple, rest[pairs])]
    if size > 2:
        holds = both_here == 0
        for i, j in in_time(np.argwhere(np.triu(~holds, 1)), states.proof.until):
            third = ((here[:, i] * here[:, j]) @ here == 0) & ~holds[i] & ~holds[j]
            third[: j + 1] = False
            chosen += [
                tuple(rest[[i, j, k]])
                for k in np.flatnonzero(third)
                if (there[:, i] * there[:, j] * there[:, k]).any()
            ]
    return [
        CandidateClause(at, tuple(every[kept[place]] for place in places))
        for places in in_time(chosen, states.proof.until)
    ]


# ---- the simplest first


def price(clause: CandidateClause) -> tuple[int, int]:
    """By which simple ones come first: what speaks of one row alone; then of others in view, of
    none of them before some.
    """
    looks = sum(
        (2 - isinstance(literal, Not)) * bool(ir.parts_of(literal, Quantified))
        for literal in clause.literals
    )
    return looks, sum(map(num_parts, clause.literals))


def num_parts(node: Expr) -> int:
    """Of how many parts an expression is made."""
    return 1 + sum(map(num_parts, ir.children(node)))


def opposite_literal(literal: Expr) -> Expr:
    """The literal that holds where one does not."""
    return literal.term if isinstance(literal, Not) else Not(literal)


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
        self.states, self.until = states, states.proof.until
        made = (self._pair(run, rng) for run in in_time(states.proof.runs, self.until))
        self.pairs = [pair for pair in made if pair is not None]
        self._excludes: dict[CandidateClause, np.ndarray] = {}  # by clause, [states] bools

    def _pair(
        self, run: Run, rng: np.random.Generator
    ) -> tuple[Tensors, Tensors, np.ndarray] | None:
        """Many states of the graphs of a run, those after a step, and where one is taken."""
        graph = Graph.join([run.graph] * COPIES)
        inputs = {name: np.tile(value, COPIES) for name, value in run.inputs.items()}
        steps = rng.integers(0, run.num_steps + 1, COPIES)
        values, proof = {}, self.states.proof
        for name, field in proof.fields.items():
            over_time = run.state(name)
            there = np.concatenate([over_time[step] for step in steps])
            at_other = rng.integers(0, run.num_steps + 1, COPIES)
            other = np.concatenate([over_time[step] for step in at_other])
            is_drawn = rng.random(len(there)) < 0.5
            other = np.where(is_drawn, random_values(field, graph, rng), other)
            share = rng.choice(CHANGED, graph.num_graphs)[graph.owner(field.at)]
            is_changed = rng.random(len(there)) < share
            values[name] = np.where(is_changed, other, there).astype(there.dtype)
        begun = np.repeat(steps > 0, run.graph.num_graphs)
        running = Running(proof.known, graph)
        try:
            running.look(inputs, values)
        except AlgoLensError:  # a number may leave its bits in a state that no run reaches
            return None
        before = self.states.state(graph, inputs, values, begun)
        then = {name: running.becomes(name) for name in values}
        after = self.states.state(graph, inputs, then, True)
        return before, after, ~begun | (running.goes_on() if proof.terminates else True)

    def kept(self, candidates: Sequence[CandidateClause]) -> list[CandidateClause]:
        """Candidates that no step tried breaks, from a state where all of these hold."""
        if not self.pairs:
            self._excludes = dict.fromkeys(candidates, np.zeros(0, bool))
            return list(candidates)
        broken = [
            (self._broken(candidates, here), self._broken(candidates, there), is_taken)
            for here, there, is_taken in self.pairs
        ]
        before, after, taken = (np.concatenate(some, -1) for some in zip(*broken, strict=True))
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
        made = np.zeros((len(candidates), state.graph.num_graphs), bool)
        for row, clause in zip(made, in_time(candidates, self.until), strict=True):
            holds = np.any([state.value(clause.at, it) for it in clause.literals], 0)
            row[:] = state.graph.any_per_graph(~holds, clause.at)
        return made
