"""Bellman-Ford algorithm: shortest paths from a source, with weights that may be negative."""

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


class BellmanFord(Algorithm):
    """In each step, every node takes the best offer of its neighbours, their distance plus the
    edge's weight, if it is better than its own distance.

    An offer that is still better after as many steps as there are nodes comes from a cycle of
    negative weight.
    """

    title, group, graphs, loops_matter = "Bellman-Ford algorithm", "paths", "any", True
    example = "A->B:6 A->C:7 B->D:5 B->C:8 B->E:-4 C->D:-3 C->E:9 D->B:-2 E->D:7 E->A:2"
    bits = Bits(10)  # of a weight

    weight = Edge.input(number(bits, signed=True))
    source = Graph.input(pointer(Node))

    reached = Node.output(
        mask,
        start="me = graph's source",
        becomes="reached | is_improved",
        tells={
            "is_improved & ~reached": "",
            "reached": "{me} has been reached",
            "True": "{me} is not reached: no neighbour is",
        },
        says="it has [not] been reached",
    )
    distance = Node.output(
        number(62, signed=True),
        becomes="the incoming link's offer (is_best)",
        only_where="reached",
        tells="{me}: distance {new} = {its sender's distance} at {its sender} + edge {its edge's "
        "weight}, the best offer",
    )
    parent = Node.output(
        pointer_or_none(Node), becomes="the incoming link's sender (is_best)", tells=""
    )

    offer = Link.derived("sender's distance + edge's weight")
    improves = Link.derived(
        "sender's reached & (~receiver's reached | offer < receiver's distance)"
    )
    is_best = Link.derived(
        "me = least rival (improves) by offer, sender's number",
        line="every node takes the best offer, a neighbour's distance plus the edge's weight, if "
        "it is better",
    )
    is_improved = Node.derived(
        "some incoming link (is_best)",
        yes="a neighbour offers a shorter path",
        no="no neighbour offers a shorter path",
    )
    has_negative_cycle = Graph.derived(
        "some node (is_improved)",
        yes="{nodes (is_improved)} can still be improved: the source reaches a cycle of negative "
        "weight",
        no="no distance can be improved any more: the source reaches no cycle of negative weight",
    )

    goes_on = "some node (is_improved)"
    outcomes = ("has_negative_cycle",)
    legend = {"reached": "reached", "True": "not reached"}
    starts_with = "the source is reached, at distance 0"
    ends_when = "no node is improved"

    def reference(self, graph, inputs):
        source = inputs["source"]
        reached = {source, *nx.descendants(graph, source)}
        try:
            distances = nx.single_source_bellman_ford_path_length(graph, source)
        except nx.NetworkXUnbounded:
            return {"has_negative_cycle": True}
        return {"has_negative_cycle": False, "reached": reached, "distance": dict(distances)}
