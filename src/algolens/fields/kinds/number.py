"""Whole numbers, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.errors import DefinitionError, GraphError
from algolens.fields.kinds._kind import Kind, softened
from algolens.fields.scale import Ranks, clash, ranked
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import ExactNumber, exact_number
from algolens.graphs.random import MAX_ROUNDS, draw_distinct


@final
@dataclass(frozen=True)
class Number(Kind):
    """A whole number from ``low`` up, in bits. Scores are logits [..., bits]; the encoding is the
    bits, highest first.

    A user's numbers may be any: they are multiplied until they are whole, or ranked where only
    their order counts.
    """

    bits: int
    low: int = 0
    distinct: Literal["graph", "neighbours"] | None = None  # among which values no two are equal
    signed: bool = False  # below 0 as far as above: from -2**(bits - 1) on
    dtype = torch.int64
    embedding_layers = 2

    def __post_init__(self) -> None:
        if (
            not 1 <= self.bits <= 62
            or not 0 <= self.low < 2**self.bits
            or (self.signed and self.low)
        ):
            raise DefinitionError(
                f"a number has 1 to 62 bits and begins inside them; {self.bits} bits from "
                f"{self.low} came."
            )

    @property
    def width(self) -> int:
        return self.bits

    @property
    def num_scores(self) -> int:
        return self.bits

    @property
    def labels(self) -> tuple[str, ...]:
        return ()

    @property
    def wanted(self) -> str:
        among = {"graph": ", no two alike", "neighbours": ", neighbours' different", None: ""}[
            self.distinct
        ]
        return f"whole numbers from {self.least} to {self.most}{among}"

    def parse(self, graph: Graph, given: Any) -> ExactNumber | None:
        """Any finite number, exactly: whether it has room is seen among the others."""
        return exact_number(given)

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return (values < self.least) | (values > self.most)

    def clash(self, graph: Graph, location: Location, values: Tensor) -> tuple[int, int] | None:
        if self.distinct == "neighbours":
            equal = (values[graph.edges[0]] == values[graph.edges[1]]).nonzero()
            return (
                None
                if len(equal) == 0
                else (int(graph.edges[0, equal[0]]), int(graph.edges[1, equal[0]]))
            )
        return clash(graph, location, values) if self.distinct == "graph" else None

    def encode(self, values: Tensor) -> Tensor:
        return (values[..., None] - self.least + self.low >> self._shifts(values) & 1).float()

    @property
    def least(self) -> int:
        """The smallest that it can be."""
        return -(2 ** (self.bits - 1)) if self.signed else self.low

    @property
    def most(self) -> int:
        """The largest that it can be."""
        return 2 ** (self.bits - 1) - 1 if self.signed else 2**self.bits - 1

    def predict(self, scores: Tensor) -> Tensor:
        return ((scores > 0).long() << self._shifts(scores)).sum(-1) + self.least - self.low

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        losses = F.binary_cross_entropy_with_logits(
            scores, softened(self.encode(truth), smoothing), reduction="none"
        )
        return (losses if weight is None else losses * weight).mean(-1)

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        return self._apart(
            graph, location, rng.integers(self.least, self.most + 1, graph.count(location)), rng
        )

    def _apart(
        self, graph: Graph, location: Location, values: np.ndarray, rng: np.random.Generator
    ) -> Tensor:
        """The same values, but for those drawn again because they must differ from others."""
        if self.distinct == "graph":
            self.check_room(graph, location)
            owner = graph.owner(location).numpy()

            def again(needed: np.ndarray) -> np.ndarray:
                return rng.integers(self.least, self.most + 1, len(needed))

            return torch.from_numpy(draw_distinct(owner, again, span=2**self.bits, first=values))
        drawn = torch.from_numpy(values)
        return self.settle(graph, drawn, rng) if self.distinct == "neighbours" else drawn

    def settle(self, graph: Graph, values: Tensor, rng: np.random.Generator) -> Tensor:
        """Values [N] of which neighbours' differ: one end of each edge that joins equals is drawn
        again.
        """
        values = values.clone()
        for _ in range(MAX_ROUNDS):
            clashing = graph.edges[1][
                values.index_select(0, graph.edges[0]) == values.index_select(0, graph.edges[1])
            ]
            if len(clashing) == 0:
                return values
            again = clashing.unique()
            values[again] = torch.from_numpy(rng.integers(self.least, self.most + 1, len(again)))
        raise GraphError(
            f"no {self.bits}-bit numbers that differ between neighbours were found: allow more "
            "bits."
        )

    def fit(
        self, graph: Graph, location: Location, parsed: Sequence[ExactNumber]
    ) -> tuple[Tensor, Ranks | None]:
        """A user's numbers, of which only the order counts, exactly.

        They stay where they are whole, in range and distinct as they must be; else they are ranked.
        Equals have one rank, unless they must differ.
        """
        if all(self.holds(number) for number in parsed):
            whole = torch.tensor([int(number) for number in parsed], dtype=torch.int64)
            if self.clash(graph, location, whole) is None:
                return whole, None
        ranks = ranked(graph, location, parsed, with_ties=self.distinct is None)
        self.check_room(graph, location, None if self.distinct else int(ranks.places.max()) + 1)
        return ranks.places + self.least, ranks

    def holds(self, number: ExactNumber) -> bool:
        """Whether it has room for a number as it is."""
        return self.least <= number <= self.most and number == int(number)

    def bits_for(self, number: int) -> int:
        """How many bits it takes to hold a whole number, if it holds numbers of this sign."""
        return max(number, ~number).bit_length() + 1 if self.signed else max(number, 0).bit_length()

    def check_room(self, graph: Graph, location: Location, most: int | None = None) -> None:
        """Whether there are enough numbers for every value of a graph to have its own, or for so
        many of them.
        """
        if most is None:
            most = int(graph.counts(location).max()) if graph.num_graphs else 0
        if most > self.most - self.least + 1:
            needed = (most + self.low - 1).bit_length()
            raise GraphError(
                f"a graph with {most} {location.value}s needs {most} different numbers, and "
                f"{self.bits} bits have only {self.most - self.least + 1}: declare {needed} bits."
            )

    def _shifts(self, like: Tensor) -> Tensor:
        return torch.arange(self.bits - 1, -1, -1, device=like.device)
