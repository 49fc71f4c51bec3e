"""The most steps that an algorithm may take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from algolens.graphs import Graph
from algolens.language.ir import Per


@dataclass(frozen=True)
class Limit:
    """So many steps for each node, edge or graph, or for each pair of nodes: ``2 * per(Node)``.

    >>> str(Limit(2)), str(Limit(per="edge")), str(Limit(8, "graph"))
    ('2 times as many steps as there are nodes', 'as many steps as there are edges', '8 steps')
    >>> str(Limit(per="pair"))
    'as many steps as there are pairs of nodes'
    """

    times: Any = 1  # while it is declared, an option too
    per: Per = "node"

    def __rmul__(self, times: Any) -> Limit:
        return replace(self, times=times)

    def on(self, graph: Graph) -> Any:
        """[G] the most steps on each graph."""
        if self.per == "pair":
            return self.times * graph.counts("node") ** 2
        return self.times * graph.counts(self.per)

    def __str__(self) -> str:
        if self.per == "graph":
            return "1 step" if self.times == 1 else f"{self.times:,} steps"
        times = "" if self.times == 1 else f"{self.times} times "
        what = "pairs of nodes" if self.per == "pair" else f"{self.per}s"
        return f"{times}as many steps as there are {what}"
