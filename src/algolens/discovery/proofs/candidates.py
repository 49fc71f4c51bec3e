"""What may always be true of a run: clauses that hold in every state of the runs that were tried.

They are candidates only. Of those that hold in any state whatever nothing would be learnt: they are
left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from algolens.discovery.proofs.counts import Counts
from algolens.discovery.proofs.deadline import in_time
from algolens.discovery.proofs.history import History
from algolens.discovery.proofs.parts import Parts
from algolens.discovery.proofs.theory import WIDE
from algolens.discovery.proofs.vocabulary import BEGUN, GHOSTS, ZERO
from algolens.discovery.schema import Episodes
from algolens.errors import DefinitionError
from algolens.fields import Category, Field, Mask, Pointer
from algolens.graphs import Graph, Location
from algolens.logic.formula import Formula, Not, disjunction
from algolens.looks.language import statement_text
from algolens.looks.observer import Observer
from algolens.looks.scope import Scope
from algolens.looks.state import GraphState
from algolens.looks.statement import Statement

MOST_STATES = 400  # of runs, that candidates are held against


@dataclass(frozen=True)
class CandidateClause:
    """One of several literals holds, of every element at a location."""

    location: Location
    literals: tuple[Formula, ...]

    @property
    def formula(self) -> Formula:
        """Itself as a statement."""
        return disjunction(*self.literals)

    def __str__(self) -> str:
        said = statement_text(self.formula)
        said = said.replace(f"graph's {BEGUN}", BEGUN).replace(BEGUN, "begun").replace(WIDE, "_")
        return f"{self.location.value}: {said}"


class SampledStates:
    """States that runs reach, and states that none may reach.

    Parameters
    ----------
    fields : mapping of str to Field
        Inputs and state.
    state : sequence of str
        What changes.
    history : History
        Of runs.
    counts : Counts
        Of masks.
    parts : Parts
        Of graphs.
    runs : sequence of Episodes
        Runs of the algorithm that is trusted.
    until : float
        CPU deadline, as ``time.process_time()`` counts.
    """

    def __init__(
        self,
        fields: Mapping[str, Field],
        state: Sequence[str],
        history: History,
        counts: Counts,
        parts: Parts,
        runs: Sequence[Episodes],
        rng: np.random.Generator,
        until: float = np.inf,
    ) -> None:
        self.counts, self.parts, self.until = counts, parts, until
        self.scope = Scope({**fields, **GHOSTS, **history.fields, **counts.fields, **parts.fields})
        self.reached: list[GraphState] = []
        self.random: list[GraphState] = []
        for run in runs:
            for step, past in in_time(enumerate(history.along(run)), until):
                if len(self.reached) == MOST_STATES:
                    break
                values = {name: run.frames[step][name] for name in state}
                begun = torch.full((run.graph.num_graphs,), step > 0)
                values |= past
                self.reached.append(self.state(run.graph, run.inputs, values, begun))
            any_field = {**{name: fields[name] for name in state}, **history.fields}
            for _ in range(12):
                values = {
                    name: random_values(field, run.graph, rng) for name, field in any_field.items()
                }
                begun = torch.full((run.graph.num_graphs,), bool(rng.random() < 0.7))
                self.random.append(self.state(run.graph, run.inputs, values, begun))

    def state(
        self,
        graph: Graph,
        inputs: Mapping[str, Tensor],
        values: Mapping[str, Tensor],
        begun: Tensor,
    ) -> GraphState:
        """A state of a batch of graphs."""
        ghosts = {BEGUN: begun, ZERO: torch.zeros(graph.num_graphs, dtype=torch.int64)}
        made = {**self.counts.of(graph, values), **self.parts.of(graph)}
        return GraphState(graph, self.scope, {**inputs, **values, **ghosts, **made})

    def can_say(self, at: Location, formula: Formula) -> bool:
        """Whether a formula is a statement: numbers with and without a sign may have no room side
        by side.
        """
        try:
            Statement("said", at, formula, self.scope)
        except DefinitionError:
            return False
        return True

    def truth(self, at: Location, formula: Formula, state: GraphState) -> Tensor:
        """Of which elements a formula is true."""
        statement = Statement("said", at, formula, self.scope)
        return Observer([statement]).observe(statement, state)

    def table(self, at: Location, formulas: Sequence[Formula], reached: bool) -> np.ndarray:
        """[rows, formulas] bools: where each holds, different rows alone."""
        states = self.reached if reached else self.random
        columns = [
            np.concatenate([self.truth(at, formula, state).numpy() for state in states])
            for formula in in_time(formulas, self.until)
        ]
        return np.unique(np.stack(columns, 1), axis=0)


def random_values(field: Field, graph: Graph, rng: np.random.Generator) -> Tensor:
    """Any values of a kind."""
    kind, count = field.kind, graph.count(field.location)
    if isinstance(kind, Mask):
        return torch.from_numpy(rng.random(count) < rng.random())
    if isinstance(kind, Category):
        return torch.from_numpy(rng.integers(0, len(kind.labels), count))
    if isinstance(kind, Pointer):
        sizes = graph.counts(kind.to)[graph.owner(field.location)]
        return torch.from_numpy((rng.random(count) * sizes.numpy()).astype(np.int64))
    low = max(getattr(kind, "least", 0), -4)
    return torch.from_numpy(rng.integers(low, low + 8, count))


def clauses(
    states: SampledStates, at: Location, formulas: Sequence[Formula], size: int
) -> list[CandidateClause]:
    """Clauses of up to so many literals that all reached states satisfy, and others do not.

    A clause that contains one of fewer literals is left out.
    """
    formulas = [it for it in in_time(formulas, states.until) if states.can_say(at, it)]
    if not formulas:
        return []
    reached = states.table(at, formulas, True)
    anywhere = states.table(at, formulas, False)
    literals = [*formulas, *map(Not, formulas)]
    # rows where each literal is false
    false_here = np.concatenate([~reached, reached], 1).astype(np.float32)
    false_there = np.concatenate([~anywhere, anywhere], 1).astype(np.float32)
    _, first = np.unique(np.concatenate([false_here, false_there]), axis=1, return_index=True)
    kept = np.sort(first)  # of literals that never differ, one
    literals = [literals[place] for place in kept]
    false_here, false_there = false_here[:, kept], false_there[:, kept]
    always = ~false_here.any(0)
    made = [
        CandidateClause(at, (literals[place],))
        for place in np.flatnonzero(always & false_there.any(0))
    ]
    rest = np.flatnonzero(~always)
    here, there = false_here[:, rest], false_there[:, rest]
    both_here, both_there = here.T @ here, there.T @ there
    pairs = np.argwhere(np.triu((both_here == 0), 1))
    made += [
        CandidateClause(at, (literals[rest[i]], literals[rest[j]]))
        for i, j in in_time(pairs, states.until)
        if both_there[i, j] > 0
    ]
    if size > 2:
        open_pairs = np.argwhere(np.triu(both_here > 0, 1))
        holds = both_here == 0
        for i, j in in_time(open_pairs, states.until):
            with_both = (here[:, i] * here[:, j]) @ here
            third = (with_both == 0) & ~holds[i] & ~holds[j]
            third[: j + 1] = False
            for k in np.flatnonzero(third):
                if (there[:, i] * there[:, j] * there[:, k]).any():
                    made.append(CandidateClause(at, tuple(literals[rest[n]] for n in (i, j, k))))
    return made
