"""Articulation points: nodes whose removal splits a component (Hopcroft and Tarjan 1973)."""

import networkx as nx

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Limit,
    PlainValues,
    Words,
    _forms,
    _low_points,
    _walk,
)
from algolens.fields import Location, Mask, at_node

WORDS = Words(
    phrases={
        **_walk.PHRASES,
        **_low_points.PHRASES,
        "is_cut": {
            "has_child_below": (
                "{me} is an articulation point: {nodes whose parent is me (stays_below)} cannot "
                "get above it any other way"
            ),
            "is_forked_root": (
                "{me} is an articulation point: it is a root of the search with two children"
            ),
            "has_been_cut": "{me} is an articulation point",
            "True": "{me} is not known as an articulation point",
        },
        "has_been_cut": (
            "it is known as an articulation point",
            "it is not known as an articulation point",
        ),
        "has_child_below": (
            "a child cannot get above it any other way",
            "no child that is left now is cut off",
        ),
        "is_forked_root": (
            "it is a root with two children",
            "it is no root with two children",
        ),
    },
    lines={
        **_walk.LINES,
        **_low_points.LINES,
        "has_child_below | is_forked_root": (
            "a node is an articulation point if a child cannot get above it, or a root with two "
            "children"
        ),
    },
    states={
        "current": "where the search stands",
        "is_cut": "articulation point",
        "visited": "visited",
        "none": "not visited",
    },
    names=_low_points.NAMES,
)


class ArticulationPoints(Algorithm):
    """A node is an articulation point if a child of it in the search tree cannot get above it any
    other way; a root, if it has two children.

    In time O(n + m), as dfs.
    """

    name = "articulation_points"
    title = "Articulation points"
    group = "parts"

    bits: int = 31  # of a time

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            state=(*_walk.STATE, *_low_points.STATE, "is_cut"),
            start={**_walk.START, **_low_points.START, "is_cut": "False"},
            sums=_low_points.SUMS,
            look={
                **_walk.walk_look(),
                **_low_points.low_point_look(),
                "stays_below": at_node("is_dead_end & parent != me & low >= parent's entered"),
                "has_child_below": at_node(
                    "parent != me & some node whose parent is me (stays_below)"
                ),
                "is_forked_root": at_node(
                    "parent = me & at least 2 nodes whose parent is me (it != me)"
                ),
                "has_been_cut": at_node("is_cut"),
            },
            moves={**_walk.MOVES, **_low_points.MOVES},
            hints=_low_points.hints(self.bits),
            concepts=(*_walk.CONCEPTS, "has_been_cut", "has_child_below", "is_forked_root"),
            outputs={**_walk.OUTPUTS, "is_cut": Mask()},
            rules={
                **_walk.RULES,
                "is_cut": _forms.where_any("has_been_cut", "has_child_below", "is_forked_root"),
            },
            continues=_walk.CONTINUES,
            most_steps=Limit(_walk.STEPS_PER_NODE),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        cut = set(nx.articulation_points(graph))
        return {"is_cut": {node: node in cut for node in graph}}
