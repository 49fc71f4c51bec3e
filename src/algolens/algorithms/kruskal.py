"""Kruskal's algorithm: the minimum spanning tree, or forest."""

from typing import Any, Literal

import networkx as nx
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Values, without_look
from algolens.errors import DefinitionError
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_node
from algolens.graphs import Graph, Recipe


class Kruskal(Algorithm):
    """The lightest edge not yet looked at joins the tree if its ends lie in different sets, which
    it then unites.

    Sets are kept by pointers: every node points to its root, and of two sets that are united, the
    one whose root has the lower priority changes over to the other root. With ``union_find`` they
    are kept as the paper keeps them, as a forest in which each node points to a parent: looking up
    a node makes every node on the way point to the root. That follows pointers to their end, which
    no look of one step does, so it is written in Python; the tree is the same.
    """

    name = "kruskal"
    group = "trees"
    recipe = Recipe(
        ("ladder", "grid", "erdos_renyi", "barabasi_albert"),
        size=8,
        train=500,
        held_out=50,
        test_sizes=(8, 20, 50, 100),
    )

    bits: int = 10  # of a weight, and of a priority
    # sets as a forest with path compression, as the paper's networks learn them
    union_find: bool = False

    def declare(self) -> Declaration:
        if self.union_find not in (False, True):
            raise DefinitionError(
                "union_find is 0 (every node points to its root) or 1 (the paper's forest); "
                f"{self.union_find} came."
            )
        # without it, a number breaks ties
        distinct: Literal["graph"] | None = "graph" if self.union_find else None
        return Declaration(
            location=Location.EDGE,
            inputs={
                "weight": at_edge(Number(self.bits, low=1, distinct=distinct)),
                "priority": at_node(Number(self.bits, distinct=distinct), drawn=True),
            },
            state=("in_mst", "lighter_edges_visited", "parent"),
            concepts=("lighter_edges_visited", "nodes_in_same_set", "edge_in_mst"),
            outputs={"in_mst": Mask()},
            rules={
                "in_mst": {
                    "true": "edge_in_mst | (lighter_edges_visited & ~nodes_in_same_set)",
                    "false": "~edge_in_mst & (nodes_in_same_set | ~lighter_edges_visited)",
                }
            },
            most_steps=Limit(per=Location.EDGE),
            **(self._forest() if self.union_find else self._flat()),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_mst": dict.fromkeys(nx.minimum_spanning_edges(graph, data=False), True)}

    def _flat(self) -> dict[str, Any]:
        """Every node points to its root."""
        return {
            "start": {"in_mst": "False", "lighter_edges_visited": "False", "parent": "me"},
            "look": {
                "lighter_edges_visited": at_edge(
                    "last lighter_edges_visited | no other edge (~last lighter_edges_visited & "
                    "(its weight, its number) < (my weight, my number))"
                ),
                "nodes_in_same_set": at_edge("one_end's parent = other_end's parent"),
                "edge_in_mst": at_edge("in_mst"),
                "joins": at_edge(
                    "~last lighter_edges_visited & lighter_edges_visited & ~nodes_in_same_set"
                ),
                "has_joining_edge": at_node("some incident edge (joins)"),
                "united": at_node("some node whose parent is me (has_joining_edge)"),
                "wins": at_node(
                    "united & no other node (united & (its priority, its number) > (my priority, "
                    "my number))"
                ),
                "changes_set": at_node("parent's united & ~parent's wins"),
            },
            "moves": {"parent": "the other node (wins) where changes_set"},
            "hints": {"parent": at_node(Pointer(Location.NODE))},
        }

    def _forest(self) -> dict[str, Any]:
        """The paper's union-find."""
        return {
            "hints": {
                "next_edge": at_graph(Pointer(Location.EDGE)),  # the min-finder's answer
                # the pointer network's query, for the next edge
                "ends_in_same_set": at_graph(Mask()),
                "keeps_parent": at_node(Mask()),
                "parent": at_node(Pointer(Location.NODE)),
            }
        }

    @without_look
    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        no_edge = torch.zeros(graph.num_edges, dtype=torch.bool, device=graph.device)
        return {
            "in_mst": no_edge,
            "lighter_edges_visited": no_edge,
            "parent": graph.place(Location.NODE),
        }

    @without_look
    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        visited = state["lighter_edges_visited"]
        next_edge, there_is_one = graph.argmin_per_graph(
            inputs["weight"], Location.EDGE, where=~visited
        )
        edge = (graph.first_edge + next_edge)[there_is_one]  # [G'] in the graphs that have one
        shift = graph.first_node.index_select(0, graph.node_owner)
        parent = state["parent"] + shift
        root = _roots(parent)
        same_set = root.index_select(0, graph.edges[0]) == root.index_select(0, graph.edges[1])
        after = _united(parent, root, graph.edges[:, edge], inputs["priority"])
        ends_in_same_set = torch.zeros(graph.num_graphs, dtype=torch.bool, device=graph.device)
        ends_in_same_set[there_is_one] = same_set[edge]
        return {
            "lighter_edges_visited": visited.scatter(0, edge, True),
            "nodes_in_same_set": same_set,
            "edge_in_mst": state["in_mst"],
            "next_edge": next_edge,
            "ends_in_same_set": ends_in_same_set,
            "keeps_parent": after == parent,
            "parent": after - shift,
        }


def _roots(parent: Tensor) -> Tensor:
    """[N] the root of each node, by doubling: a pointer's pointer's pointer ... stands still at a
    root.

    A network's pointers may go in a circle, where nothing stands still: there, the first node of
    the circle is the root.
    """
    root = parent
    for _ in range(len(parent).bit_length()):
        if torch.equal(parent.index_select(0, root), root):
            return root
        root = root.index_select(0, root)
    first, ahead = torch.arange(len(parent), device=parent.device), parent
    for _ in range(len(parent).bit_length()):
        # of twice as many nodes in a row
        first = torch.minimum(first, first.index_select(0, ahead))
        ahead = ahead.index_select(0, ahead)
    return torch.where(parent.index_select(0, root) == root, root, first.index_select(0, root))


def _united(parent: Tensor, root: Tensor, ends: Tensor, priority: Tensor) -> Tensor:
    """[N] the parents after looking up both ends of an edge of each graph, and uniting their
    sets.
    """
    result = parent.clone()
    cursor = ends.flatten()
    roots = root.index_select(0, cursor)
    while not torch.equal(cursor, roots):
        result.scatter_(0, cursor, roots)
        cursor = torch.where(cursor == roots, cursor, parent.index_select(0, cursor))
    result.scatter_(0, roots, roots)  # as they do, but in a circle
    winner, loser = _ranked(roots.view(2, -1), priority)
    return result.scatter_(0, loser, winner)


def _ranked(pairs: Tensor, priority: Tensor) -> tuple[Tensor, Tensor]:
    """Of pairs of nodes [2, G], the one with the higher priority, and the other."""
    first, second = pairs
    wins = priority.index_select(0, first) > priority.index_select(0, second)
    return torch.where(wins, first, second), torch.where(wins, second, first)
