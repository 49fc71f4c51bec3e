"""Strongly connected components: which nodes of a directed graph reach one another (Kosaraju; Aho,
Hopcroft and Ullman 1983).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _forms, _walk
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_node
from algolens.graphs import Recipe

WORDS = Words(
    phrases={
        **_walk.PHRASES,
        "assigned": {
            "is_assigned": "{me} is assigned to a component",
            "begins_component": (
                "{me} begins a component: of the unassigned nodes, the search left it last"
            ),
            "is_joining": "",
            "True": "{me} is not assigned yet",
        },
        "component": "{me} joins the component of {new}: it leads to {it}",
        "is_assigned": (
            "it is assigned",
            "it is not assigned",
        ),
        "is_joining": (
            "it leads to an assigned node",
            "it does not join a component",
        ),
        "begins_component": (
            "of the unassigned nodes, the search left it last",
            "it does not begin a component",
        ),
    },
    lines={
        **_walk.LINES,
        "begins_component": (
            "after the search: the unassigned node that was left last begins a component"
        ),
        "is_joining": "all unassigned nodes that lead to an assigned one join its component",
        "until": "every node is assigned",
    },
    states={
        "current": "where the search stands",
        "assigned": "assigned to a component",
        "visited": "visited",
        "none": "not visited",
        "component": "in the component of",
    },
    names={
        "left_at": "time left",
    },
)


class StrongComponents(Algorithm):
    """After a depth-first search, the node that it left last begins a component, which all
    unassigned nodes that lead there join; so on.

    The nodes of a component all point to the one that began it. In time O(n + m).
    """

    name = "strong_components"
    title = "Strongly connected components"
    group = "parts"
    recipe = Recipe(directed=True)
    graphs = "directed"

    bits: int = 31  # of a time

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            state=(*_walk.STATE, "clock", "left_at", "assigned", "component"),
            start={**_walk.START, "clock": 0, "left_at": 0, "assigned": "False", "component": "me"},
            sums={"now": at_graph("clock + 1")},
            look={
                **_walk.walk_look(),
                "is_walked": at_graph("no node (~visited | current)"),
                "is_assigned": at_node("assigned"),
                "is_joining": at_node("graph's is_walked & ~assigned & some successor (assigned)"),
                "is_settled": at_graph("is_walked & no node (is_joining)"),
                "begins_component": at_node(
                    "graph's is_settled & ~assigned & no other node (~assigned & (its left_at, "
                    "its number) > (my left_at, my number))"
                ),
            },
            moves={
                **_walk.MOVES,
                "clock": "now",
                "left_at": "graph's now where is_dead_end",
                "component": "the successor's component (assigned) where is_joining",
            },
            hints={"clock": at_graph(Number(self.bits)), "left_at": at_node(Number(self.bits))},
            concepts=(*_walk.CONCEPTS, "is_assigned", "is_joining", "begins_component"),
            outputs={**_walk.OUTPUTS, "assigned": Mask(), "component": Pointer(Location.NODE)},
            rules={
                **_walk.RULES,
                "assigned": _forms.where_any("is_assigned", "is_joining", "begins_component"),
            },
            continues=f"{_walk.CONTINUES} | ~is_assigned",
            # the second part assigns a node or more in every step
            most_steps=Limit(_walk.STEPS_PER_NODE + 1),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        last = {node: place for place, node in enumerate(nx.dfs_postorder_nodes(graph))}
        begun = {
            node: max(part, key=last.__getitem__)
            for part in nx.strongly_connected_components(graph)
            for node in part
        }
        return {"component": begun}
