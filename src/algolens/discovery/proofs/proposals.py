"""Candidates for an invariant, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from algolens.discovery.proofs.candidates import CandidateClause, SampledStates, clauses
from algolens.discovery.proofs.ghosts import BEGUN, Counts, History, Parts
from algolens.discovery.proofs.stacks import Stacks
from algolens.discovery.proofs.vocabulary import Vocabulary
from algolens.discovery.schema import Episodes
from algolens.language.ir import At, Expr, Field, Program
from algolens.language.text import Text


class Proposals:
    """Clauses that hold in all states of some runs.

    Parameters
    ----------
    inputs, state : mapping of str to Field
        Of the runs.
    programs : sequence of Program
        Whose statements candidates are made of.
    units : mapping of str
        What numbers are counted in.
    ghosts : tuple of History, Counts and Parts
        What may be spoken of besides.
    runs : sequence of Episodes
        That candidates are held against.
    until : float
        CPU deadline, as ``time.process_time()`` counts.
    """

    def __init__(
        self,
        inputs: Mapping[str, Field],
        state: Mapping[str, Field],
        programs: Sequence[Program],
        units: Mapping[str, object],
        ghosts: tuple[History, Counts, Parts],
        runs: Sequence[Episodes],
        until: float,
    ) -> None:
        self.history, counts, parts = ghosts
        fields = {**inputs, **state, BEGUN: Field("graph", "mask")}
        for ghost in ghosts:
            fields |= ghost.fields
        labels = {(one.at, name): one.labels for name, one in fields.items() if one.labels}
        self.text = Text(labels)
        rng = np.random.default_rng(1)
        self.states = SampledStates(fields, state, *ghosts, runs, rng, until)
        names = tuple(inputs), tuple(state)
        self.words = Vocabulary(fields, *names, programs, units, [*counts.fields], parts.pointers)
        at_edges = any(one.at == "edge" for one in state.values())
        self.near: tuple[At, ...] = ("node", "graph", *(("edge",) if at_edges else ()))  # type: ignore[assignment]

    def stacks(self) -> Iterator[list[CandidateClause]]:
        """Groups that are likely to be kept as a whole."""
        return Stacks(self.states, self.words, self.history).groups()

    def rounds(self) -> Iterator[list[CandidateClause]]:
        """Candidates, the simplest first."""
        words = self.words

        def simple(at: At) -> list[Expr]:
            return [*words.tests(at), *words.views(at, compared=False)]

        def larger(at: At) -> list[Expr]:
            return [
                *words.tests(at, far=True),
                *words.meetings(at),
                *words.comparisons(at),
                *words.views(at, compared=True),
            ]

        def few(at: At) -> list[Expr]:
            return [*words.tests(at), *words.meetings(at)]

        tables: tuple[At, ...] = (*self.near, "link")
        for places, literals, size in (
            (self.near, simple, 2),
            (tables, larger, 2),
            (self.near, few, 3),
        ):
            yield [c for at in places for c in clauses(self.states, at, literals(at), size)]
