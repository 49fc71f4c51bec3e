"""Bridges: edges without which a component falls apart (Tarjan 1974)."""

from __future__ import annotations

from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, _walk
from algolens.algorithms._low_points import LowPoints
from algolens.fields import Location, Mask, Pointer, at_edge, at_node
from algolens.graphs import Graph


class Bridges(Algorithm):
    """An edge of the search tree is one if nothing below it gets above it otherwise. In time O(n + m), as dfs."""

    name = "bridges"

    bits: int = 31  # of a time

    def declare(self) -> Declaration:
        low = LowPoints(self.bits)
        walk = _walk.look("last ")
        return Declaration(
            location=Location.EDGE,
            state=("is_bridge", *_walk.STATE, *low.state),
            start={"is_bridge": "False", **_walk.START, **low.start},
            sums=low.sums,
            look={
                **walk,
                **low.look("last "),
                "visited": at_node(_walk.RULES["visited"]["true"]),
                "current": at_node(_walk.RULES["current"]["true"]),
                "is_cut_off": at_node("is_dead_end & parent != me & low > parent's entered"),
                "is_open": at_edge("some end (~has_been_visited | is_left)"),
                "is_found": at_edge(
                    "one_end's is_cut_off & one_end's parent = other_end"
                    " | other_end's is_cut_off & other_end's parent = one_end"
                ),
                "has_been_found": at_edge("is_bridge"),
            },
            moves={**_walk.MOVES, **low.moves},
            hints={"parent": at_node(Pointer(Location.NODE)), **low.hints},
            concepts=("is_open", "is_found", "has_been_found"),
            outputs={"is_bridge": Mask()},
            rules={"is_bridge": {"true": "is_found | has_been_found", "false": "~is_found & ~has_been_found"}},
            continues="is_open",
        )

    def max_steps(self, graph: Graph) -> Tensor:
        return _walk.STEPS_PER_NODE * graph.node_counts
