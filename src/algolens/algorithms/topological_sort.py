"""Topological sort (Kahn): an order in which every edge of a directed graph leads forward (Kahn
1962).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.graphs import Recipe
from algolens.layouts import Layered

WORDS = Words(
    examined="is_next",
    phrases={
        "placed": {
            "is_placed": "{me} is placed",
            "is_next": ("{me} is placed at position {graph's count}: every predecessor is placed"),
            "is_ready": "{me} is ready, and waits: {other nodes (is_next)} has a lower number",
            "True": "{me} waits for {predecessors (~placed)}",
        },
        "position": "",
        "is_placed": (
            "it is placed",
            "it is not placed",
        ),
        "is_ready": {
            "is_ready": "every predecessor is placed",
            "is_placed": "it is placed",
            "True": "predecessors are not placed: {predecessors (~placed)}",
        },
        "is_next": {
            "is_next": "it is the lowest node that is ready",
            "is_ready": "{other nodes (is_next)} is ready and has a lower number",
            "True": "it is not ready",
        },
        "is_acyclic": (
            "every node is placed: there is no cycle",
            "{nodes (~is_placed & ~is_next)} cannot be placed: there is a cycle",
        ),
    },
    lines={
        "start": "no node is placed",
        "is_ready": "a node is ready if all its predecessors are placed",
        "is_next": "place the lowest node that is ready at the next position",
        "until": "no node is ready",
    },
    states={
        "placed": "placed",
        "none": "waiting",
    },
)


class TopologicalSort(Algorithm):
    """Place the lowest node all of whose predecessors are placed. On a cycle, no node can be
    placed.
    """

    name = "topological_sort"
    title = "Topological sort (Kahn)"
    group = "orders"
    recipe = Recipe(directed=True)
    graphs = "directed"
    layout = Layered()
    loops_matter = True

    bits: int = 31  # of a position

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            state=("placed", "position", "count"),
            start={"placed": "False", "position": 0, "count": 0},
            sums={"count_after": at_graph("count + 1")},
            look={
                "is_placed": at_node("placed"),
                "is_ready": at_node("~placed & every predecessor (placed)"),
                "is_next": at_node("is_ready & no other node (is_ready & its number < my number)"),
                "places_one": at_graph("some node (is_next)"),
                "is_acyclic": at_graph("every node (is_placed | is_next)"),
            },
            moves={
                "position": "graph's count where is_next",
                "count": "count_after where places_one",
            },
            hints={"count": at_graph(Number(self.bits))},
            concepts=("is_placed", "is_ready", "is_next"),
            outputs={"placed": Mask(), "position": Number(self.bits)},
            rules={"placed": _forms.where_any("is_placed", "is_next")},
            continues="is_next",
            only_where={"position": "placed"},
            outcomes=("is_acyclic",),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        if not nx.is_directed_acyclic_graph(graph):
            return {"is_acyclic": False}
        order = list(nx.lexicographical_topological_sort(graph))
        return {"is_acyclic": True, "position": {node: place for place, node in enumerate(order)}}
