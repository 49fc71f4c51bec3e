"""Depth-first search of a whole graph: every node, and the node that it was entered from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration
from algolens.fields import Location, Mask, Pointer, at_graph, at_link, at_node
from algolens.graphs import Graph


class Dfs(Algorithm):
    """From where it stands, the search enters the unvisited neighbour of the lowest number, or goes back to the parent.

    Where it has gone back to a root, the unvisited node of the lowest number is the next root.
    """

    name = "dfs"
    graphs = "any"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            state=("visited", "current", "parent"),
            start={"visited": "False", "current": "False", "parent": "me"},
            look={
                "is_idle": at_graph("no node (current)"),
                "can_be_taken": at_link("sender's current & ~receiver's visited"),
                "is_taken": at_link("can_be_taken & no sibling (can_be_taken & its receiver's number < my receiver's number)"),
                "has_been_visited": at_node("visited"),
                "is_entered": at_node("some incoming link (is_taken)"),
                "is_dead_end": at_node("current & no outgoing link (can_be_taken)"),
                "is_returned_to": at_node("some node whose parent is me (is_dead_end & it != me)"),
                "is_next_root": at_node("graph's is_idle & ~visited & no other node (~visited & its number < my number)"),
                "is_left": at_node("current"),
            },
            moves={"parent": "the incoming link's sender (is_taken)"},
            concepts=("has_been_visited", "is_entered", "is_returned_to", "is_next_root", "is_left"),
            outputs={"visited": Mask(), "current": Mask(), "parent": Pointer(Location.NODE, itself_is_none=True)},
            rules={
                "visited": {
                    "true": "has_been_visited | is_entered | is_next_root",
                    "false": "~has_been_visited & ~is_entered & ~is_next_root",
                },
                "current": {
                    "true": "is_entered | is_returned_to | is_next_root",
                    "false": "~is_entered & ~is_returned_to & ~is_next_root",
                },
            },
            continues="~has_been_visited | is_left",
        )

    def reference(self, graph: nx.Graph, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"visited": dict.fromkeys(graph, True), "parent": {v: u for u, v in nx.dfs_edges(graph)}}

    def max_steps(self, graph: Graph) -> Tensor:
        return 3 * graph.node_counts
