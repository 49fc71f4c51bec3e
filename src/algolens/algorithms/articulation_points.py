"""Articulation points: nodes without which a component falls apart (Hopcroft and Tarjan 1973)."""

from __future__ import annotations

from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, _walk
from algolens.algorithms._low_points import LowPoints
from algolens.fields import Location, Mask, at_node
from algolens.graphs import Graph


class ArticulationPoints(Algorithm):
    """A node is one if a child of it in the search tree cannot get above it otherwise; a root, if it has two children.

    In time O(n + m), as dfs.
    """

    name = "articulation_points"

    bits: int = 31  # of a time

    def declare(self) -> Declaration:
        low = LowPoints(self.bits)
        return Declaration(
            location=Location.NODE,
            state=(*_walk.STATE, *low.state, "is_cut"),
            start={**_walk.START, **low.start, "is_cut": "False"},
            sums=low.sums,
            look={
                **_walk.look(),
                **low.look(),
                "stays_below": at_node("is_dead_end & parent != me & low >= parent's entered"),
                "has_child_below": at_node("parent != me & some node whose parent is me (stays_below)"),
                "is_forked_root": at_node("parent = me & at least 2 nodes whose parent is me (it != me)"),
                "has_been_cut": at_node("is_cut"),
            },
            moves={**_walk.MOVES, **low.moves},
            hints=low.hints,
            concepts=(*_walk.CONCEPTS, "has_been_cut", "has_child_below", "is_forked_root"),
            outputs={**_walk.OUTPUTS, "is_cut": Mask()},
            rules={
                **_walk.RULES,
                "is_cut": {
                    "true": "has_been_cut | has_child_below | is_forked_root",
                    "false": "~has_been_cut & ~has_child_below & ~is_forked_root",
                },
            },
            continues=_walk.CONTINUES,
        )

    def max_steps(self, graph: Graph) -> Tensor:
        return _walk.STEPS_PER_NODE * graph.node_counts
