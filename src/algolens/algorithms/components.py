"""Connected components: every node finds the lowest node that it is connected to."""

from algolens.algorithms import Algorithm, Link, Node, pointer
from algolens.lazy import nx


class Components(Algorithm):
    """Every node points to the lowest node it has heard of, itself at first, and takes over a
    neighbour's pointer if that is lower.
    """

    title, group = "Connected components", "parts"

    example = "A-B B-C C-D E-F F-G H-I D-A"
    component = Node.output(
        pointer(Node),
        becomes="the incoming link's sender's component (is_best)",
        tells="{me} takes over {new} from {its sender}: a lower node of its component",
    )

    is_better = Link.derived("sender's component's number < receiver's component's number")
    is_best = Link.derived("me = least rival (is_better) by sender's component's number, number")
    has_better_neighbour = Node.derived(
        "some incoming link (is_best)",
        yes="a neighbour points to a lower node than {component}",
        no="no neighbour points to a lower node than {component}",
        line="every node takes over the pointer of a neighbour that points to a lower node, the "
        "lowest first",
    )

    goes_on = "some node (has_better_neighbour)"
    legend = {"component": "in the component of"}
    starts_with, ends_when = "every node points to itself", "no pointer changes"

    def reference(self, graph, inputs):
        parts = nx.connected_components(graph)
        return {"component": {node: min(part) for part in parts for node in part}}
