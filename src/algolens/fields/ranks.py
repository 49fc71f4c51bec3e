"""Numbers of which only the order counts: their ranks, exactly, and which of them are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from algolens.graphs import Graph, Location
from algolens.graphs.attributes import ExactNumber


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
