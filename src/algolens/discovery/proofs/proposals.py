"""Candidates for an invariant, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from algolens.algorithms import Declaration
from algolens.discovery.proofs.candidates import CandidateClause, SampledStates, clauses
from algolens.discovery.proofs.counts import Counts
from algolens.discovery.proofs.history import History
from algolens.discovery.proofs.parts import Parts
from algolens.discovery.proofs.stacks import Stacks
from algolens.discovery.proofs.vocabulary import Vocabulary, over_fields
from algolens.discovery.schema import Episodes
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.looks import Look

NODE, EDGE, LINK, GRAPH = Location


class Proposals:
    """Clauses that hold in all states of some runs.

    Parameters
    ----------
    declaration : Declaration
        Of the runs.
    looks : iterable of Look
        Whose statements candidates are made of.
    history : History
        Of the runs.
    counts : Counts
        Of masks.
    parts : Parts
        Of graphs.
    runs : sequence of Episodes
        That candidates are held against.
    until : float
        CPU deadline, as ``time.process_time()`` counts.
    """

    def __init__(
        self,
        declaration: Declaration,
        looks: Iterable[Look],
        history: History,
        counts: Counts,
        parts: Parts,
        runs: Sequence[Episodes],
        until: float,
    ) -> None:
        state = {name: declaration.predicted[name] for name in declaration.state}
        fields = {**declaration.inputs, **state}
        self.history = history
        rng = np.random.default_rng(1)
        self.states = SampledStates(fields, list(state), history, counts, parts, runs, rng, until)
        declared = [
            (statement.location, atom)
            for look in looks
            for statement in look.statements
            for atom in over_fields(statement.formula, fields)
        ]
        units = {name: unit.members for name, unit in declaration.units.items()}
        self.words = Vocabulary(fields, list(state), declared, units, list(counts.fields), parts)
        at_edges = any(field.location is EDGE for field in state.values())
        self.near = (NODE, GRAPH, *((EDGE,) if at_edges else ()))

    def stacks(self) -> Iterator[list[CandidateClause]]:
        """Groups that are likely to be kept as a whole."""
        return Stacks(self.states, self.words, self.history).groups()

    def rounds(self) -> Iterator[list[CandidateClause]]:
        """Candidates, the simplest first."""
        words = self.words

        def simple(at: Location) -> list[Formula]:
            return [*words.tests(at), *words.views(at, compared=False)]

        def larger(at: Location) -> list[Formula]:
            return [
                *words.tests(at, far=True),
                *words.meetings(at),
                *words.comparisons(at),
                *words.views(at, compared=True),
            ]

        def few(at: Location) -> list[Formula]:
            return [*words.tests(at), *words.meetings(at)]

        for places, formulas, size in (
            (self.near, simple, 2),
            ((*self.near, LINK), larger, 2),
            (self.near, few, 3),
        ):
            yield [c for at in places for c in clauses(self.states, at, formulas(at), size)]
