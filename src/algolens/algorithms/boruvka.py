"""Borůvka's algorithm: the minimum spanning tree, or forest, with many unions at once."""

from algolens.algorithms import Algorithm, Bits, Edge, Graph, Link, Node, mask, number, pointer
from algolens.lazy import nx


class Boruvka(Algorithm):
    """Every set of nodes takes the lightest edge that leaves it; sets that are joined so become
    one.

    Sets are kept by pointers to their roots. When every node points to its root, each set's
    lightest link leads it to another root; of two sets that choose each other, the one of the lower
    root stays. Then pointers are followed until all are roots'.
    """

    title, group = "Borůvka's algorithm", "trees"
    example = "A-B:4 B-C:8 C-D:7 D-E:9 A-F:3 B-F:11 C-G:2 F-G:6 G-E:10 F-H:1"
    bits = Bits(10)  # of a weight

    weight = Edge.input(number(bits, low=1))

    in_mst = Edge.output(
        mask,
        becomes="in_mst | is_chosen",
        tells={
            "in_mst": "{me} ({weight}) is in the tree",
            "is_chosen": "{me} ({weight}) is accepted: it is the lightest edge that leaves a set",
            "sets_settle": "{me} ({weight}) waits: sets are being united",
            "True": "{me} ({weight}) is not the lightest edge of a set",
        },
        says="it is [not] in the tree",
    )
    root = Node.state(
        pointer(Node),
        becomes=[
            "the link into my set by root's sender's root (takes_over)",
            "root's root where is_followed",
        ],
        tells=["{me} joins the set of {new}", "{me} follows its pointer to {new}"],
    )

    is_flat = Graph.derived("every node (root's root = root)")
    leaves_set = Link.derived("graph's is_flat & sender's root != receiver's root")
    is_lightest = Link.derived("me = least rival by root (leaves_set) by edge's weight, number")
    is_chosen = Edge.derived(
        "some direction (is_lightest)",
        line="every set accepts the lightest edge that leaves it",
        yes="it is the lightest edge that leaves a set",
        no="no set has it as its lightest edge",
    )
    takes_over = Link.derived(
        "is_lightest & ~(reverse's is_lightest & receiver's root's number < sender's root's "
        "number)",
        line="sets that an edge joins become one",
    )
    sets_settle = Edge.derived(
        "~graph's is_flat", yes="sets are being united", no="all sets are united"
    )
    is_followed = Node.derived(
        "~graph's is_flat",
        line="every node follows its pointer until it points to the root of its set",
    )

    goes_on = "some edge (is_chosen | sets_settle)"
    examines = "is_chosen"
    legend = {"root": "in the set of", "in_mst": "in the tree", "True": "not in the tree"}
    starts_with = "every node is a set of its own; the tree is empty"
    ends_when = "no edge leaves a set"

    def reference(self, graph, inputs):
        return {"in_mst": set(nx.minimum_spanning_edges(graph, data=False))}
