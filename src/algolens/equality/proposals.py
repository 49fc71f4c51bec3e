"""Candidates for an invariant, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from algolens.equality.candidates import CandidateClause, SampledStates, clauses
from algolens.equality.ghosts import BEGUN
from algolens.equality.stacks import Stacks
from algolens.equality.vocabulary import Vocabulary
from algolens.language.ir import At, Expr, Field
from algolens.language.text import Text

if TYPE_CHECKING:
    from algolens.equality.proof import Proof


class Proposals:
    """Clauses that hold in all states of some runs.

    Parameters
    ----------
    proof : Proof
        Two programs, and runs that candidates are held against.
    """

    def __init__(self, proof: Proof) -> None:
        fields = proof.known.inputs | proof.fields | {BEGUN: Field("graph", "mask")}
        for ghost in (proof.history, proof.counts, proof.parts):
            fields |= ghost.fields
        self.text = Text({(one.at, name): one.labels for name, one in fields.items() if one.labels})
        self.states, self.words = SampledStates(proof, fields), Vocabulary(proof, fields)
        self.near: list[At] = ["node", "graph"]
        if any(one.at == "edge" for one in proof.fields.values()):
            self.near.append("edge")

    def stacks(self) -> Iterator[list[CandidateClause]]:
        """Groups that are likely to be kept as a whole."""
        return Stacks(self.states, self.words).groups()

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

        for places, literals, size in (
            (self.near, simple, 2),
            ([*self.near, "link"], larger, 2),
            (self.near, few, 3),
        ):
            yield [c for at in places for c in clauses(self.states, at, literals(at), size)]
