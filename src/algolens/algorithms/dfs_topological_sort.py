"""Topological sort by depth-first search: an order in which every edge of a directed graph leads
forward (Tarjan 1976).
"""

from itertools import pairwise

from algolens.algorithms import Graph, Link, Node, mask, pointer_or_none
from algolens.algorithms._walk import Walk
from algolens.graphs import Recipe
from algolens.language.layouts import Layered
from algolens.lazy import nx


class DfsTopologicalSort(Walk):
    """A node that the search leaves for good goes to the front of the order. On a cycle there is no
    such order.

    The order is a chain: ``is_first`` marks its first node, and ``follower`` points to the next
    one, at the end to itself. The search walks as dfs does, in time O(n + m).
    """

    title, group, graphs = "Topological sort by depth-first search", "orders", "directed"
    example = "A->B C->B C->D B->E D->E D->F E->G F->G"
    recipe, layout, loops_matter = Recipe(directed=True), Layered(), True

    is_dead_end = Walk.is_dead_end.but(
        line="leave a node without unvisited successors for good, and put it at the front of the "
        "order"
    )
    is_returned_to = Walk.is_returned_to
    leads_back = Link.derived(
        "sender's current & receiver's visited & ~receiver's finished",
        line="an edge back to a node that is not finished shows a cycle",
    )
    is_cyclic = Graph.state(
        mask,
        becomes="is_cyclic | some link (leads_back)",
        tells={
            "is_cyclic | some link (leads_back)": "an edge leads back to a node that the search "
            "has not left: there is a cycle",
            "True": "no edge leads back: there is no cycle",
        },
    )

    finished = Node.output(
        mask,
        becomes="finished | is_dead_end",
        tells={
            "finished": "{me} is finished",
            "is_dead_end": "{me} goes to the front of the order: everything that it leads to is "
            "there",
            "True": "{me} is not finished",
        },
        says="it is [not] finished",
    )
    follower = Node.output(
        pointer_or_none(Node),
        becomes="the other node (is_first) where is_dead_end",
        tells="",
        title="follower in the order",
    )
    has_dead_end = Graph.derived("some node (is_dead_end)")
    stays_first = Node.derived(
        "is_first & ~graph's has_dead_end", yes="it stays first", no="it is not first, or no longer"
    )
    is_first = Node.output(
        mask,
        becomes="is_dead_end | stays_first",
        tells={"is_dead_end": "", "stays_first": "{me} is the first of the order", "True": ""},
    )

    outcomes = ("is_cyclic",)
    legend = {
        "is_first": "first of the order so far",
        "finished": "in the order",
        "current": "where the search stands",
        "visited": "visited",
        "True": "not visited",
    }

    def reference(self, graph, inputs):
        if not nx.is_directed_acyclic_graph(graph):
            return {"is_cyclic": True}
        order = list(nx.dfs_postorder_nodes(graph))[::-1]
        return {
            "is_cyclic": False,
            "is_first": {node: node == order[0] for node in graph},
            "follower": dict(pairwise(order)),
        }
