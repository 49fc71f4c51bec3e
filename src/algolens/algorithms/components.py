"""Connected components: every node finds the lowest node that it is connected to."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words
from algolens.fields import Location, Pointer, at_link, at_node

WORDS = Words(
    phrases={
        "component": "{me} takes over {new} from {its sender}: a lower node of its component",
        "has_better_neighbour": (
            "a neighbour points to a lower node than {component}",
            "no neighbour points to a lower node than {component}",
        ),
    },
    lines={
        "start": "every node points to itself",
        "has_better_neighbour": (
            "every node takes over the pointer of a neighbour that points to a lower node, the "
            "lowest first"
        ),
        "until": "no pointer changes",
    },
    states={
        "component": "in the component of",
    },
)


class Components(Algorithm):
    """Every node points to the lowest node it has heard of, itself at first, and takes over a
    neighbour's pointer if that is lower.
    """

    name = "components"
    title = "Connected components"
    group = "parts"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            state=("component",),
            start={"component": "me"},
            look={
                "is_better": at_link("sender's component's number < receiver's component's number"),
                "is_best": at_link(
                    "is_better & no rival (is_better & (its sender's component's number, its "
                    "number) < (my sender's component's number, my number))"
                ),
                "has_better_neighbour": at_node("some incoming link (is_best)"),
            },
            moves={"component": "the incoming link's sender's component (is_best)"},
            concepts=("has_better_neighbour",),
            outputs={"component": Pointer(Location.NODE)},
            rules={},
            continues="has_better_neighbour",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {
            "component": {
                node: min(part) for part in nx.connected_components(graph) for node in part
            }
        }
