"""Topological sort of a directed graph (Kahn 1962): an order in which every edge leads forward."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, _forms
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.graphs import Recipe
from algolens.layouts import Layered


class TopologicalSort(Algorithm):
    """Of the nodes all of whose predecessors are placed, that of the lowest number is placed next;
    on a cycle none can be.
    """

    name = "topological_sort"
    group = "orders"
    recipe = Recipe(directed=True)
    graphs = "directed"
    layout = Layered()
    loops_matter = True

    bits: int = 31  # of a position

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
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
