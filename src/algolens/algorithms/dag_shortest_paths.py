"""Shortest paths in a directed acyclic graph: shortest paths from a source, node by node in
topological order (Lawler 1976).
"""

from algolens.algorithms import (
    Bits,
    Edge,
    Graph,
    Link,
    Node,
    mask,
    number,
    per,
    pointer,
    pointer_or_none,
)
from algolens.algorithms._walk import Walk
from algolens.algorithms.dfs_topological_sort import DfsTopologicalSort
from algolens.lazy import nx


class DagShortestPaths(Walk):
    """A depth-first search puts all nodes that the source reaches in topological order. Then each
    node of the order relaxes its edges.

    Weights may be negative. Where a cycle is reached, there is no such order. ``is_head`` marks the
    first node of what is left of the order, and ``follower`` points to the next one.
    """

    title, group, graphs = "Shortest paths in a directed acyclic graph", "paths", "directed"
    example = "A->B:5 A->C:3 B->C:2 B->D:6 C->D:7 C->E:4 C->F:2 D->E:-1 E->F:-2 D->F:1"
    recipe, layout, loops_matter = DfsTopologicalSort.recipe, DfsTopologicalSort.layout, True
    bits = Bits(10)  # of a weight

    weight = Edge.input(number(bits, signed=True))
    source = Graph.input(pointer(Node))

    # the search has one root, and ends with it
    is_next_root = None
    is_entered = Walk.is_entered.but(
        line="enter the lowest unvisited successor of the current node"
    )
    is_dead_end = Walk.is_dead_end.but(
        line="if there is none: leave the node, put it at the front of the order"
    )
    is_returned_to = Walk.is_returned_to.but(
        text="some node whose entered_from is me (is_dead_end & it != me)", line="and go back"
    )
    visited = Walk.visited.but(
        start="me = graph's source",
        becomes="visited | is_entered",
        tells={
            "is_entered": "",
            "visited": "{me} has been visited",
            "True": "{me} has not been visited",
        },
    )
    entered_from = Walk.parent
    current = Walk.current.but(
        start="me = graph's source",
        becomes="is_entered | is_returned_to",
        says=None,
        tells={"is_entered": "", "is_returned_to": "The search goes back to {me}", "True": ""},
    )
    leads_back = DfsTopologicalSort.leads_back.but(line=None)
    is_cyclic = DfsTopologicalSort.is_cyclic

    finished = DfsTopologicalSort.finished.but(
        tells={
            "finished": "{me} is finished",
            "is_dead_end": "{me} is left for good and goes to the front of the order",
            "True": "{me} is not finished",
        }
    )
    follower = DfsTopologicalSort.follower.but(
        becomes="the other node (is_head) where is_dead_end", title=None
    )
    has_dead_end = DfsTopologicalSort.has_dead_end
    is_followed = Node.derived(
        "is_head & graph's is_idle & follower != me",
        line="after the search: take the first node of the order",
    )
    advances = Graph.derived("some node (is_followed)")
    is_next_head = Node.derived(
        "some node whose follower is me (is_followed)",
        yes="it comes next in the order",
        no="it does not come next in the order",
    )
    stays_head = Node.derived(
        "is_head & ~graph's has_dead_end & ~graph's advances",
        yes="it stays first in the order",
        no="it is not first in the order, or no longer",
    )
    is_head = Node.output(
        mask,
        becomes="is_dead_end | is_next_head | stays_head",
        tells={
            "is_dead_end": "",
            "is_next_head": "{me} comes next in topological order",
            "stays_head": "{me} is the first of what is left of the order",
            "is_followed": "{me} relaxes its edges: it is first in topological order",
            "True": "",
        },
    )

    offer = Link.derived("sender's distance + edge's weight")
    improves = Link.derived(
        "sender's is_followed & (~receiver's reached | offer < receiver's distance)",
        line="and relax its edges",
    )
    distance = Node.output(
        number(62, signed=True),
        becomes="the incoming link's offer (improves)",
        only_where="reached",
        tells="{me}: distance {new} = {its sender's distance} at {its sender} + edge {its edge's "
        "weight}",
    )
    parent = Node.output(
        pointer_or_none(Node), becomes="the incoming link's sender (improves)", tells=""
    )
    is_improved = Node.derived("some incoming link (improves)")
    becomes_reached = Node.derived(
        "is_improved | is_dead_end & entered_from = me",  # the search leaves the source last
        yes="a path to it is found",
        no="no path to it is found",
    )
    reached = Node.output(
        mask,
        becomes="reached | becomes_reached",
        tells={
            "reached": "{me} has been reached",
            "is_improved": "",
            "becomes_reached": "{me} is the source, at distance 0",
            "True": "{me} is not reached",
        },
        says="it has [not] been reached",
    )

    goes_on = "some node (is_entered | is_dead_end | is_next_head)"
    most_steps = 3 * per(Node)
    outcomes = ("is_cyclic",)
    examines = "is_dead_end | is_followed"
    legend = {
        "current": "where the search stands",
        "is_head": "next in topological order",
        "reached": "reached",
        "finished": "in the order",
        "visited": "visited",
        "True": "not visited",
    }
    starts_with, ends_when = "the search is at the source", "every node of the order is done"

    def reference(self, graph, inputs):
        source = inputs["source"]
        reached = [source, *nx.descendants(graph, source)]
        if not nx.is_directed_acyclic_graph(graph.subgraph(reached)):
            return {"is_cyclic": True}
        return {
            "is_cyclic": False,
            "reached": set(reached),
            "distance": dict(nx.single_source_bellman_ford_path_length(graph, source)),
        }
