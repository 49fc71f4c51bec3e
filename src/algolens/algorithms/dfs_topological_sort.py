"""Topological sort by depth-first search: an order in which every edge of a directed graph leads
forward (Tarjan 1976).
"""

from itertools import pairwise

import networkx as nx

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Limit,
    PlainValues,
    Words,
    _forms,
    _walk,
    _words,
)
from algolens.fields import Location, Mask, Pointer, at_graph, at_link, at_node
from algolens.graphs import Recipe
from algolens.layouts import Layered

WORDS = Words(
    phrases={
        **_walk.PHRASES,
        "finished": {
            "is_finished": "{me} is finished",
            "is_dead_end": (
                "{me} goes to the front of the order: everything that it leads to is there"
            ),
            "True": "{me} is not finished",
        },
        "follower": "",
        "is_first": {
            "is_dead_end": "",
            "stays_first": "{me} is the first of the order",
            "True": "",
        },
        **_walk.ENDING_PHRASES,
        "stays_first": (
            "it stays first",
            "it is not first, or no longer",
        ),
        **_words.CYCLE,
    },
    lines={
        **_walk.LINES,
        "leads_back": "an edge back to a node that is not finished shows a cycle",
        "is_dead_end": (
            "leave a node without unvisited successors for good, and put it at the front of the "
            "order"
        ),
    },
    states={
        "current": "where the search stands",
        "is_first": "first of the order so far",
        "finished": "in the order",
        "visited": "visited",
        "none": "not visited",
    },
    names={
        "follower": "follower in the order",
    },
)


class DfsTopologicalSort(Algorithm):
    """A node that the search leaves for good goes to the front of the order. On a cycle there is no
    such order.

    The order is a chain: ``is_first`` marks its first node, and ``follower`` points to the next
    one, at the end to itself. The search walks as dfs does, in time O(n + m).
    """

    name = "dfs_topological_sort"
    title = "Topological sort by depth-first search"
    group = "orders"
    recipe = Recipe(directed=True)
    graphs = "directed"
    layout = Layered()
    loops_matter = True

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            state=(*_walk.STATE, "finished", "is_first", "follower", "is_cyclic"),
            start={
                **_walk.START,
                "finished": "False",
                "is_first": "False",
                "follower": "me",
                "is_cyclic": "False",
            },
            look={
                **_walk.walk_look(),
                "is_finished": at_node("finished"),
                "leads_back": at_link(
                    "sender's current & receiver's visited & ~receiver's finished"
                ),
                "is_cyclic": at_graph("last is_cyclic | some link (leads_back)"),
                "has_dead_end": at_graph("some node (is_dead_end)"),
                "stays_first": at_node("is_first & ~graph's has_dead_end"),
            },
            moves={**_walk.MOVES, "follower": "the other node (is_first) where is_dead_end"},
            concepts=(*_walk.CONCEPTS, "is_dead_end", "is_finished", "stays_first"),
            outputs={
                **_walk.OUTPUTS,
                "finished": Mask(),
                "is_first": Mask(),
                "follower": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={
                **_walk.RULES,
                "finished": _forms.where_any("is_finished", "is_dead_end"),
                "is_first": _forms.where_any("is_dead_end", "stays_first"),
            },
            continues=_walk.CONTINUES,
            most_steps=Limit(_walk.STEPS_PER_NODE),
            outcomes=("is_cyclic",),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        if not nx.is_directed_acyclic_graph(graph):
            return {"is_cyclic": True}
        order = list(nx.dfs_postorder_nodes(graph))[::-1]
        return {
            "is_cyclic": False,
            "is_first": {node: node == order[0] for node in graph},
            "follower": dict(pairwise(order)),
        }
