"""Borůvka's algorithm: the minimum spanning tree, or forest, with many unions at once."""

import networkx as nx

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node

WORDS = Words(
    examined="is_chosen",
    phrases={
        "in_mst": {
            "edge_in_mst": "{me} ({weight}) is in the tree",
            "is_chosen": ("{me} ({weight}) is accepted: it is the lightest edge that leaves a set"),
            "sets_settle": "{me} ({weight}) waits: sets are being united",
            "True": "{me} ({weight}) is not the lightest edge of a set",
        },
        "root": (
            "{me} joins the set of {new}",
            "{me} follows its pointer to {new}",
        ),
        "edge_in_mst": (
            "it is in the tree",
            "it is not in the tree",
        ),
        "is_chosen": (
            "it is the lightest edge that leaves a set",
            "no set has it as its lightest edge",
        ),
        "sets_settle": (
            "sets are being united",
            "all sets are united",
        ),
    },
    lines={
        "start": "every node is a set of its own; the tree is empty",
        "is_chosen": "every set accepts the lightest edge that leaves it",
        "takes_over": "sets that an edge joins become one",
        "is_followed": "every node follows its pointer until it points to the root of its set",
        "until": "no edge leaves a set",
    },
    states={
        "in_mst": "in the tree",
        "none": "not in the tree",
        "root": "in the set of",
    },
)


class Boruvka(Algorithm):
    """Every set of nodes takes the lightest edge that leaves it; sets that are joined so become
    one.

    Sets are kept by pointers to their roots. When every node points to its root, each set's
    lightest link leads it to another root; of two sets that choose each other, the one of the lower
    root stays. Then pointers are followed until all are roots'.
    """

    name = "boruvka"
    title = "Borůvka's algorithm"
    group = "trees"

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        lighter = "(its edge's weight, its number) < (my edge's weight, my number)"
        return Declaration(
            location=Location.EDGE,
            words=WORDS,
            inputs={"weight": at_edge(Number(self.bits, low=1))},
            state=("in_mst", "root"),
            start={"in_mst": "False", "root": "me"},
            look={
                "is_flat": at_graph("every node (root's root = root)"),
                "leaves_set": at_link("graph's is_flat & sender's root != receiver's root"),
                "is_lightest": at_link(f"leaves_set & no rival by root (leaves_set & {lighter})"),
                "takes_over": at_link(
                    "is_lightest & ~(reverse's is_lightest & receiver's root's number < sender's "
                    "root's number)"
                ),
                "edge_in_mst": at_edge("in_mst"),
                "is_chosen": at_edge("some direction (is_lightest)"),
                "sets_settle": at_edge("~graph's is_flat"),
                "is_followed": at_node("~graph's is_flat"),
            },
            moves={
                "root": (
                    "the link into my set by root's sender's root (takes_over)",
                    "root's root where is_followed",
                )
            },
            hints={"root": at_node(Pointer(Location.NODE))},
            concepts=("edge_in_mst", "is_chosen", "sets_settle"),
            outputs={"in_mst": Mask()},
            rules={"in_mst": _forms.where_any("edge_in_mst", "is_chosen")},
            continues="is_chosen | sets_settle",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return {"in_mst": dict.fromkeys(nx.minimum_spanning_edges(graph, data=False), True)}
