"""Shortest paths in a directed acyclic graph: shortest paths from a source, node by node in
topological order (Lawler 1976).
"""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _walk, _words
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node
from algolens.graphs import Recipe
from algolens.layouts import Layered

WORDS = Words(
    examined="is_dead_end | is_followed",
    phrases={
        "visited": {
            "is_entered": "",
            "has_been_visited": "{me} has been visited",
            "True": "{me} has not been visited",
        },
        "entered_from": "{me} is entered from {new}",
        "finished": {
            "is_finished": "{me} is finished",
            "is_dead_end": "{me} is left for good and goes to the front of the order",
            "True": "{me} is not finished",
        },
        "current": {
            "is_entered": "",
            "is_returned_to": "the search goes back to {me}",
            "is_dead_end": "",
            "True": "",
        },
        "is_head": {
            "is_dead_end": "",
            "is_next_head": "{me} comes next in topological order",
            "stays_head": "{me} is the first of what is left of the order",
            "is_followed": "{me} relaxes its edges: it is first in topological order",
            "True": "",
        },
        "distance": (
            "{me}: distance {new} = {its sender's distance} at {its sender} + edge "
            "{its edge's weight}"
        ),
        "reached": {
            "has_been_reached": "{me} has been reached",
            "is_improved": "",
            "becomes_reached": "{me} is the source, at distance 0",
            "True": "{me} is not reached",
        },
        "parent": "",
        "follower": "",
        **_walk.CONCEPT_PHRASES,
        **_walk.ENDING_PHRASES,
        "is_next_head": ("it comes next in the order", "it does not come next in the order"),
        "stays_head": ("it stays first in the order", "it is not first in the order, or no longer"),
        "has_been_reached": ("it has been reached", "it has not been reached"),
        "becomes_reached": ("a path to it is found", "no path to it is found"),
        **_words.CYCLE,
    },
    lines={
        "start": "the search is at the source",
        "is_entered": "enter the lowest unvisited successor of the current node",
        "is_dead_end": "if there is none: leave the node, put it at the front of the order",
        "is_returned_to": "and go back",
        "is_followed": "after the search: take the first node of the order",
        "improves": "and relax its edges",
        "until": "every node of the order is done",
    },
    states={
        "current": "where the search stands",
        "is_head": "next in topological order",
        "reached": "reached",
        "finished": "in the order",
        "visited": "visited",
        "none": "not visited",
    },
)


class DagShortestPaths(Algorithm):
    """A depth-first search puts all nodes that the source reaches in topological order. Then each
    node of the order relaxes its edges.

    Weights may be negative. Where a cycle is reached, there is no such order. ``is_head`` marks the
    first node of what is left of the order, and ``follower`` points to the next one.
    """

    name = "dag_shortest_paths"
    title = "Shortest paths in a directed acyclic graph"
    group = "paths"
    recipe = Recipe(directed=True)
    graphs = "directed"
    layout = Layered()
    loops_matter = True

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        walk = _walk.walk_look(parent="entered_from")
        del walk["is_next_root"], walk["is_left"]  # the search has one root, and ends with it
        node = Pointer(Location.NODE, itself_is_none=True)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "weight": at_edge(Number(self.bits, signed=True)),
                "source": at_graph(Pointer(Location.NODE), start_only=True),
            },
            state=(
                *("visited", "current", "entered_from", "finished", "is_head", "follower"),
                *("reached", "distance", "parent", "is_cyclic"),
            ),
            start={
                "visited": "me = graph's source",
                "current": "me = graph's source",
                "entered_from": "me",
                "finished": "False",
                "is_head": "False",
                "follower": "me",
                "reached": "False",
                "distance": 0,
                "parent": "me",
                "is_cyclic": "False",
            },
            sums={"offer": at_link("sender's distance + edge's weight")},
            look={
                **walk,
                "is_finished": at_node("finished"),
                "leads_back": at_link(
                    "sender's current & receiver's visited & ~receiver's finished"
                ),
                "is_cyclic": at_graph("last is_cyclic | some link (leads_back)"),
                "has_dead_end": at_graph("some node (is_dead_end)"),
                "is_followed": at_node("is_head & graph's is_idle & follower != me"),
                "advances": at_graph("some node (is_followed)"),
                "is_next_head": at_node("some node whose follower is me (is_followed)"),
                "stays_head": at_node("is_head & ~graph's has_dead_end & ~graph's advances"),
                "improves": at_link(
                    "sender's is_followed & (~receiver's reached | offer < receiver's distance)"
                ),
                "is_improved": at_node("some incoming link (improves)"),
                "has_been_reached": at_node("reached"),
                # the search leaves the source last
                "becomes_reached": at_node("is_improved | is_dead_end & entered_from = me"),
            },
            moves={
                "entered_from": _walk.MOVES["parent"],
                "follower": "the other node (is_head) where is_dead_end",
                "distance": "the incoming link's offer (improves)",
                "parent": "the incoming link's sender (improves)",
            },
            concepts=(
                *("has_been_visited", "is_entered", "is_returned_to", "is_dead_end"),
                *("is_finished", "is_next_head", "stays_head"),
                *("has_been_reached", "becomes_reached"),
            ),
            outputs={
                "visited": Mask(),
                "current": Mask(),
                "entered_from": node,
                "finished": Mask(),
                "is_head": Mask(),
                "follower": node,
                "reached": Mask(),
                "distance": Number(62, signed=True),
                "parent": node,
            },
            rules={
                name: {
                    "true": " | ".join(concepts),
                    "false": " & ".join(f"~{concept}" for concept in concepts),
                }
                for name, concepts in {
                    "visited": ("has_been_visited", "is_entered"),
                    "current": ("is_entered", "is_returned_to"),
                    "finished": ("is_finished", "is_dead_end"),
                    "is_head": ("is_dead_end", "is_next_head", "stays_head"),
                    "reached": ("has_been_reached", "becomes_reached"),
                }.items()
            },
            continues="is_entered | is_dead_end | is_next_head",
            only_where={"distance": "reached"},
            outcomes=("is_cyclic",),
            most_steps=Limit(_walk.STEPS_PER_NODE + 1),
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        source = inputs["source"]
        reached = [source, *nx.descendants(graph, source)]
        if not nx.is_directed_acyclic_graph(graph.subgraph(reached)):
            return {"is_cyclic": True}
        return {
            "is_cyclic": False,
            "reached": dict.fromkeys(reached, True),
            "distance": dict(nx.single_source_bellman_ford_path_length(graph, source)),
        }
