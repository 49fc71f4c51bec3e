"""The most steps that an algorithm may take, as data."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from algolens.errors import DefinitionError
from algolens.graphs import Graph, Location

MOST_TIMES = 1_000_000
PAIR = "pair"  # of nodes, a node with itself too


@dataclass(frozen=True)
class Limit:
    """The most steps that may be taken on a graph: so many for each of its nodes, or edges, or for
    the graph; or for each pair of nodes, where ``squared``.

    >>> str(Limit(2)), str(Limit(per=Location.EDGE)), str(Limit(8, Location.GRAPH))
    ('2 times as many steps as there are nodes', 'as many steps as there are edges', '8 steps')
    >>> str(Limit(squared=True))
    'as many steps as there are pairs of nodes'
    """

    times: int = 1
    per: Location = Location.NODE
    squared: bool = False

    def __post_init__(self) -> None:
        if (
            not isinstance(self.times, int)
            or isinstance(self.times, bool)
            or not 1 <= self.times <= MOST_TIMES
        ):
            raise DefinitionError(
                f"the most steps are counted from 1 to {MOST_TIMES:,}; {self.times!r} came."
            )
        if not isinstance(self.per, Location) or self.per is Location.LINK:
            raise DefinitionError(
                f"the most steps are counted by nodes, edges or graphs, not by {self.per!r}."
            )

        if self.squared and self.per is not Location.NODE:
            raise DefinitionError(
                f"the most steps are counted by pairs of nodes, not of {self.per.value}s."
            )

    @property
    def counted(self) -> str:
        """What is counted, as files say it: node, edge, graph or pair."""
        return PAIR if self.squared else self.per.value

    @classmethod
    def by(cls, times: int, counted: str) -> Limit:
        """As files say it."""
        return cls(times, squared=True) if counted == PAIR else cls(times, Location(counted))

    def on(self, graph: Graph) -> Tensor:
        """[G] the most steps on each graph."""
        counts = graph.counts(self.per)
        return self.times * (counts**2 if self.squared else counts)

    def __str__(self) -> str:
        if self.per is Location.GRAPH:
            return "1 step" if self.times == 1 else f"{self.times:,} steps"
        times = (
            "as many steps as there are"
            if self.times == 1
            else f"{self.times} times as many steps as there are"
        )
        return f"{times} {'pairs of nodes' if self.squared else f'{self.per.value}s'}"
