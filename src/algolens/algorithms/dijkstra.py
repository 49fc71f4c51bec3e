"""Dijkstra's algorithm: shortest paths from a source, with weights that are not negative."""

from algolens.algorithms import (
    Algorithm,
    Bits,
    Edge,
    Graph,
    Link,
    Node,
    mask,
    number,
    pointer,
    pointer_or_none,
)
from algolens.lazy import nx


class Dijkstra(Algorithm):
    """Settle the nearest unsettled node that is reached, then relax its edges."""

    title, group, graphs = "Dijkstra's algorithm", "paths", "any"
    example = "A-B:7 A-C:3 B-C:1 B-D:2 C-D:8 C-E:4 D-E:5 D-F:6 E-F:12"
    bits = Bits(10)  # of a weight

    weight = Edge.input(number(bits))
    source = Graph.input(pointer(Node))

    reached = Node.output(
        mask,
        start="me = graph's source",
        becomes="reached | is_improved",
        tells={
            "is_improved & ~reached": "",
            "reached": "{me} has been reached",
            "True": "{me} is not reached: no settled node leads to it",
        },
        says="it has [not] been reached",
    )
    done = Node.output(
        mask,
        becomes="done | is_next",
        tells={
            "is_next & some successor (is_waiting & ~is_improved)": "{me} is settled at distance "
            "{distance}: no waiting node is nearer. The way through it is no shorter for "
            "{successors (is_waiting & ~is_improved)}",
            "is_next": "{me} is settled at distance {distance}: no waiting node is nearer",
            "done": "{me} is settled at distance {distance}",
            "is_waiting": "{me} waits at distance {distance}: {other nodes (is_next)} is nearer, "
            "or comes first in a tie",
            "True": "{me} is not reached yet",
        },
        says="it is [not] settled",
    )
    distance = Node.output(
        number(62, signed=True),
        becomes="the incoming link's offer (improves)",
        only_where="reached",
        tells="{me}: distance {new} = {its sender's distance} at {its sender} + edge "
        "{its edge's weight}",
    )
    parent = Node.output(
        pointer_or_none(Node), becomes="the incoming link's sender (improves)", tells=""
    )

    offer = Link.derived("sender's distance + edge's weight")
    is_waiting = Node.derived("reached & ~done")
    is_next = Node.derived(
        "me = least node (is_waiting) by distance, number",
        line="settle the nearest waiting node",
        yes="it is the nearest waiting node, at distance {distance}",
        no={
            "is_waiting": "{other nodes (is_next)} is nearer, or comes first in a tie",
            "True": "it does not wait",
        },
    )
    improves = Link.derived(
        "sender's is_next & (~receiver's reached | offer < receiver's distance)",
        line={
            "sender's is_next": "relax its edges: a neighbour takes the path through it if that is "
            "shorter"
        },
    )
    is_improved = Node.derived(
        "some incoming link (improves)",
        yes="a shorter path leads through {other nodes (is_next)}",
        no="no shorter path is found",
    )

    goes_on = "some node (is_next)"
    examines = "is_next"
    legend = {"done": "settled", "reached": "waiting", "True": "not reached"}
    starts_with = "the source is reached, at distance 0; no node is settled"
    ends_when = "no node waits"

    def reference(self, graph, inputs):
        distance = nx.single_source_dijkstra_path_length(graph, inputs["source"])
        return {"reached": set(distance), "distance": distance}
