"""A user's numbers as whole ones: times their common denominator, or replaced by their ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import lcm

import torch
from torch import Tensor

from algolens.graphs import Graph, Location
from algolens.graphs.attributes import ExactNumber

MOST_DIGITS = 1000  # of a number that is multiplied; those beyond it have no room in any case


def common_denominator(numbers: Iterable[ExactNumber]) -> int:
    """The least whole number that makes all of them whole; those of too many digits have no say.

    >>> common_denominator([3, Decimal("0.25"), Decimal("1.50"), 0.1])
    20
    """
    fractions = map(as_fraction, numbers)
    return lcm(*(each.denominator for each in fractions if each is not None))


def as_fraction(number: ExactNumber) -> Fraction | None:
    """A number as it is written, a float as Python writes it (0.1 is a tenth); None where it has
    too many digits.
    """
    if isinstance(number, float):
        number = Decimal(repr(number))
    if isinstance(number, Decimal):
        exponent = number.as_tuple().exponent
        if number and (
            not isinstance(exponent, int) or max(-exponent, number.adjusted()) > MOST_DIGITS
        ):
            return None
    return Fraction(number)


def in_whole_numbers(number: ExactNumber, scale: int) -> int | None:
    """A number multiplied by ``scale``; None where that is not whole."""
    fraction = as_fraction(number)
    return (
        None if fraction is None or (fraction * scale).denominator != 1 else int(fraction * scale)
    )


def divided(number: int, scale: int) -> int | Decimal | Fraction:
    """A whole number of the ``scale``-th part of a user's unit, in the user's own: whole, as a
    decimal where one is exact.

    >>> divided(1275, 100), divided(1200, 100), divided(1, 3)
    (Decimal('12.75'), 12, Fraction(1, 3))
    """
    fraction = Fraction(number, scale)
    rest, places = fraction.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    if rest != 1:
        return fraction
    if not places:
        return int(fraction)
    # the digits of an int64 are fewer than a Decimal rounds to
    return Decimal(int(fraction * 10**places)).scaleb(-places)


@dataclass(frozen=True, eq=False)
class Ranks:
    """The place of each number among those of its graph, from 0 up; equals share one, or the first
    in the graph goes first.
    """

    places: Tensor
    num_equal: int  # how many have an equal before them
    first_equal: tuple[int, int] | None  # where the first two equals stand


def ranked(
    graph: Graph, location: Location, numbers: Sequence[ExactNumber], *, with_ties: bool
) -> Ranks:
    """Whole numbers, floats, decimals and fractions are compared as they are: nothing is rounded on
    the way.

    with_ties: equals share a place, and the next one follows it.
    """
    owner = graph.owner(location).tolist()
    order = sorted(range(len(numbers)), key=lambda i: (owner[i], numbers[i]))
    equals = [
        (i, j) for i, j in pairwise(order) if owner[i] == owner[j] and numbers[i] == numbers[j]
    ]
    places = torch.empty(len(order), dtype=torch.int64)
    by_rank = graph.place(location).cpu()
    if with_ties:
        before = {j for _, j in equals}
        repeats = torch.tensor([i in before for i in order], dtype=torch.int64).cumsum(0)
        first = graph.first(location).cpu().index_select(0, graph.owner(location).cpu())
        by_rank = (
            by_rank - repeats + torch.cat([repeats.new_zeros(1), repeats]).index_select(0, first)
        )
    places[torch.tensor(order, dtype=torch.int64)] = by_rank
    return Ranks(places, len(equals), min(equals, default=None))


def clash(graph: Graph, location: Location, values: Tensor) -> tuple[int, int] | None:
    """The places of two equal values of one graph; None where all differ."""
    owner, by_value = graph.owner(location), values.argsort(stable=True)
    order = by_value[owner[by_value].argsort(stable=True)]
    first, second = order[:-1], order[1:]
    equal = ((values[first] == values[second]) & (owner[first] == owner[second])).nonzero()
    return None if len(equal) == 0 else (int(first[equal[0]]), int(second[equal[0]]))
