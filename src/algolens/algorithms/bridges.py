"""Bridges: edges whose removal splits a component (Tarjan 1974)."""

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
from algolens.fields import Location, Mask, Pointer, at_edge, at_node

WORDS = Words(
    examined="is_found",
    phrases={
        **_walk.PHRASES,
        **_low_points.PHRASES,
        "is_bridge": {
            "is_found": "{me} is a bridge: nothing below it gets above it any other way",
            "has_been_found": "{me} is a bridge",
            "is_open": "{me} is not decided yet",
            "True": "{me} is no bridge: another way leads around it",
        },
        "is_open": (
            "the search has not left both ends",
            "the search has left both ends",
        ),
        "is_found": (
            "nothing below it gets above it any other way",
            "it is not found to be a bridge now",
        ),
        "has_been_found": (
            "it is known as a bridge",
            "it is not known as a bridge",
        ),
    },
    lines={
        **_walk.LINES,
        **_low_points.LINES,
        "is_found": "the edge to the parent is a bridge if the low point is not above the node",
    },
    states={
        "is_bridge": "bridge",
        "current": "where the search stands",
        "visited": "visited",
        "none": "not known as a bridge",
    },
    names=_low_points.NAMES,
)


class Bridges(Algorithm):
    """An edge of the search tree is a bridge if nothing below it gets above it any other way."""

    name = "bridges"
    title = "Bridges"
    group = "parts"
    parallel_edges_matter = True

    bits: int = 31  # of a time

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.EDGE,
            words=WORDS,
            state=("is_bridge", *_walk.STATE, *_low_points.STATE),
            start={"is_bridge": "False", **_walk.START, **_low_points.START},
            sums=_low_points.SUMS,
            look={
                **_walk.walk_look("last "),
                **_low_points.low_point_look("last "),
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
            moves={**_walk.MOVES, **_low_points.MOVES},
            hints={"parent": at_node(Pointer(Location.NODE)), **_low_points.hints(self.bits)},
            concepts=("is_open", "is_found", "has_been_found"),
            outputs={"is_bridge": Mask()},
            rules={"is_bridge": _forms.where_any("is_found", "has_been_found")},
            continues="is_open",
            most_steps=Limit(_walk.STEPS_PER_NODE),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        bridges = {frozenset(edge) for edge in nx.bridges(graph)}
        return {"is_bridge": {edge: frozenset(edge) in bridges for edge in graph.edges}}
