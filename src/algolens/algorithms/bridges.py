"""Bridges: edges whose removal splits a component (Tarjan 1974)."""

from algolens.algorithms import Edge, Node, mask
from algolens.algorithms._low_points import LowPoints
from algolens.lazy import nx


class Bridges(LowPoints):
    """An edge of the search tree is a bridge if nothing below it gets above it any other way."""

    group, parallel_edges_matter = "parts", True

    # the results are edges; the walk over nodes only leads there
    example = "A-B B-C C-A C-D D-E E-F F-D E-G"
    visited = LowPoints.visited.but(role="state", says=None)
    parent = LowPoints.parent.but(role="state")
    current = LowPoints.current.but(role="state", says=None)
    low = LowPoints.low  # told after where the search stands

    is_open = Edge.derived(
        "some end (~visited | current)",
        yes="the search has not left both ends",
        no="the search has left both ends",
    )
    is_cut_off = Node.derived("is_dead_end & parent != me & low > parent's entered")
    is_found = Edge.derived(
        "one_end's is_cut_off & one_end's parent = other_end | other_end's is_cut_off & "
        "other_end's parent = one_end",
        yes="nothing below it gets above it any other way",
        no="it is not found to be a bridge now",
        line="the edge to the parent is a bridge if the low point is not above the node",
    )
    is_bridge = Edge.output(
        mask,
        becomes="is_found | is_bridge",
        tells={
            "is_found": "{me} is a bridge: nothing below it gets above it any other way",
            "is_bridge": "{me} is a bridge",
            "is_open": "{me} is not decided yet",
            "True": "{me} is no bridge: another way leads around it",
        },
        says="it is [not] known as a bridge",
    )

    goes_on = "some edge (is_open)"
    legend = {
        "is_bridge": "bridge",
        "current": "where the search stands",
        "visited": "visited",
        "True": "not known as a bridge",
    }
    examines = "is_found"

    def reference(self, graph, inputs):
        return {"is_bridge": set(nx.bridges(graph))}
