"""Whole numbers in bits: which there are, how a user's numbers become such, and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from algolens import arrays
from algolens.arrays import NUMPY, Array
from algolens.errors import DefinitionError, GraphError
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import ExactNumber, exact_number
from algolens.graphs.random import MAX_ROUNDS, draw_distinct
from algolens.language.fields.kinds import Kind, Ranks, softened
from algolens.lazy import F, torch
from algolens.limits import BITS

if TYPE_CHECKING:
    from torch import Tensor

MOST_BITS = BITS.most
DRAWN_BITS = 32  # of a number that is drawn: sums of many have room
MOST_LISTED_BITS = 16  # of a number whose least and greatest value are named


@final
@dataclass(frozen=True)
class Number(Kind):
    """A whole number from ``low`` up, in bits.

    Scores are logits [..., bits]; the encoding is the bits, highest first. A user's numbers may be
    any: they are multiplied until they are whole, or ranked where only their order counts.
    """

    bits: int
    low: int = 0
    distinct: Literal["graph", "neighbours"] | None = None
    signed: bool = False  # below 0 as far as above: from -2**(bits - 1) on
    dtype = int
    is_number = True
    num_embedding_layers = 2

    def __post_init__(self) -> None:
        fits = 1 <= self.bits <= MOST_BITS and 0 <= self.low < 2**self.bits
        if not fits or (self.signed and self.low):
            raise DefinitionError(
                f"a number has 1 to {MOST_BITS} bits and begins inside them; {self.bits} bits from "
                f"{self.low} came."
            )

    @property
    def least(self) -> int:
        """The smallest that it can be."""
        return -(2 ** (self.bits - 1)) if self.signed else self.low

    @property
    def most(self) -> int:
        """The largest that it can be."""
        return 2 ** (self.bits - 1) - 1 if self.signed else 2**self.bits - 1

    @property
    def width(self) -> int:
        return self.bits

    @property
    def wanted(self) -> str:
        among = {"graph": ", no two alike", "neighbours": ", neighbours' different", None: ""}
        return f"whole numbers from {self.least} to {self.most}{among[self.distinct]}"

    @property
    def described(self) -> str:
        if self.bits <= MOST_LISTED_BITS:
            return f"a number from {self.least} to {self.most}"
        return f"a number of {self.bits} bits"

    def wanted_of_user(self, *, in_any_unit: bool, can_grow: bool) -> str:
        if not in_any_unit and not can_grow:
            return self.wanted
        any_sign = in_any_unit or self.signed
        return f"a finite number{'' if any_sign else ' above 0' if self.low else ' from 0 on'}"

    def parse(self, graph: Graph, given: Any) -> ExactNumber | None:
        """Any finite number, exactly: whether it has room is seen among the others."""
        return exact_number(given)

    def outside(self, graph: Graph, location: Location, values: Array) -> Array:
        return (values < self.least) | (values > self.most)

    def clash(self, graph: Graph, location: Location, values: Array) -> tuple[int, int] | None:
        if self.distinct is None:
            return None
        if self.distinct == "neighbours":
            first, second = graph.edges
            equal = values[first] == values[second]
        else:
            owner, by_value = graph.owner(location), arrays.argsort(values)
            order = by_value[arrays.argsort(owner[by_value])]
            first, second = order[:-1], order[1:]
            equal = (values[first] == values[second]) & (owner[first] == owner[second])
        places = arrays.flatnonzero(equal)
        return None if len(places) == 0 else (int(first[places[0]]), int(second[places[0]]))

    def encode(self, values: Tensor) -> Tensor:
        return (values[..., None] - self.least + self.low >> self._shifts(values) & 1).float()

    def predict(self, scores: Tensor) -> Tensor:
        return ((scores > 0).long() << self._shifts(scores)).sum(-1) + self.least - self.low

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        losses = F.binary_cross_entropy_with_logits(
            scores, softened(self.encode(truth), smoothing), reduction="none"
        )
        return (losses if weight is None else losses * weight).mean(-1)

    @property
    def drawn(self) -> Number:
        """The numbers that are drawn: of so few bits that sums have room."""
        return replace(self, bits=min(self.bits, max(DRAWN_BITS, self.low.bit_length() + 1)))

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> np.ndarray:
        if self.bits > self.drawn.bits:
            return self.drawn.draw(graph, location, rng)
        values = self._draw(graph.count(location), rng)
        if self.distinct == "neighbours":
            return self.settle(graph, values, rng)
        if self.distinct is None:
            return values
        self._check_room(graph, location, max(graph.counts(location).tolist(), default=0))
        return draw_distinct(
            graph.to(NUMPY).owner(location),
            lambda repeats: self._draw(len(repeats), rng),
            span=2**self.bits,
            first=values,
        )

    def _draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(self.least, self.most + 1, count)

    def settle(self, graph: Graph, values: Array, rng: np.random.Generator) -> Array:
        """Values [N] that differ between neighbours: one end of each equal pair is drawn again."""
        device, values = arrays.device_of(values), arrays.to(values, NUMPY).copy()
        first, second = graph.to(NUMPY).edges
        for _ in range(MAX_ROUNDS):
            again = np.unique(second[values[first] == values[second]])
            if len(again) == 0:
                return arrays.to(values, device)
            values[again] = self._draw(len(again), rng)
        raise GraphError(
            f"no {self.bits}-bit numbers that differ between neighbours were found: allow more "
            "bits."
        )

    def num_values(self, counts: Mapping[Location, int]) -> int:
        return self.most - self.least + 1

    def fit(
        self, graph: Graph, location: Location, parsed: Sequence[ExactNumber]
    ) -> tuple[np.ndarray, Ranks | None]:
        """A user's numbers, of which only the order counts, exactly.

        They stay where they are whole, in range and distinct as they must be; else they are ranked.
        Equals have one rank, unless they must differ.
        """
        if all(self.holds(number) for number in parsed):
            whole = np.array([int(number) for number in parsed], dtype=np.int64)
            if self.clash(graph, location, whole) is None:
                return whole, None
        ranked = rank_numbers(graph, location, parsed, with_ties=self.distinct is None)
        different = (
            ranked.ranks.max() + 1 if self.distinct is None else graph.counts(location).max()
        )
        self._check_room(graph, location, int(different))
        return ranked.ranks + self.least, ranked

    def holds(self, number: ExactNumber) -> bool:
        """Whether it has room for a number as it is."""
        return self.least <= number <= self.most and number == int(number)

    def bits_for(self, number: int) -> int:
        """How many bits it takes to hold a whole number, if it holds numbers of this sign."""
        return max(number, ~number).bit_length() + 1 if self.signed else max(number, 0).bit_length()

    def _check_room(self, graph: Graph, location: Location, different: int) -> None:
        """Refuses a graph that needs more different numbers than there are."""
        if different > self.most - self.least + 1:
            needed = (different + self.low - 1).bit_length()
            raise GraphError(
                f"a graph with {different} {location}s needs {different} different numbers, "
                f"and {self.bits} bits have only {self.most - self.least + 1}: declare {needed} "
                "bits."
            )

    def _shifts(self, like: Tensor) -> Tensor:
        return torch.arange(self.bits - 1, -1, -1, device=like.device)


def rank_numbers(
    graph: Graph, location: Location, numbers: Sequence[ExactNumber], *, with_ties: bool
) -> Ranks:
    """The rank of each number in its graph; numbers are compared exactly.

    with_ties: equals share a rank, and the next rank follows it; else the first in the graph comes
    first.
    """
    owner = graph.to(NUMPY).owner(location).tolist()
    if len(set(map(type, numbers))) > 1:  # beside other numbers, a float is what Python prints
        numbers = [Decimal(repr(n)) if isinstance(n, float) else n for n in numbers]
    order = sorted(range(len(numbers)), key=lambda place: (owner[place], numbers[place]))
    ranks, equals = np.zeros(len(order), dtype=np.int64), []
    for before, place in pairwise(order):
        if owner[before] == owner[place]:
            is_equal = numbers[before] == numbers[place]
            ranks[place] = ranks[before] + (0 if is_equal and with_ties else 1)
            equals += [(before, place)] if is_equal else []
    return Ranks(ranks, len(equals), min(equals, default=None))
