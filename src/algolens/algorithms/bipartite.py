"""Two-coloring (bipartite test): put the nodes on two sides so that every edge leads across."""

from algolens.algorithms import Algorithm, Graph, Link, Node, category, pointer
from algolens.lazy import nx


class Bipartite(Algorithm):
    """Sides spread from the lowest node of each component: a node takes the other side than the
    neighbour it follows.

    Once nothing changes, two neighbours on one side lie on an odd cycle, and the graph is not
    bipartite.
    """

    title, group, loops_matter = "Two-coloring (bipartite test)", "choices", True

    example = "A-B B-C C-D D-E E-F F-A B-E"
    is_better = Link.derived("sender's component's number < receiver's component's number")
    is_best = Link.derived("me = least rival (is_better) by sender's component's number, number")
    has_better_neighbour = Node.derived(
        "some incoming link (is_best)",
        yes="a neighbour points to a lower node",
        no="no neighbour points to a lower node",
        line="every node follows the neighbour that points to the lowest node, and takes the other "
        "side than it",
    )
    component = Node.state(
        pointer(Node),
        becomes="the incoming link's sender's component (is_best)",
        tells="{me} follows {its sender}, takes the other side and points to {new}",
    )

    is_on_second_side = Node.derived(
        "side is second", yes="it is on the second side", no="it is on the first side"
    )
    it_is_on_second_side = Node.derived(
        "some incoming link (is_best & sender's side is second)",
        yes="the neighbour it follows is on the second side",
        no="the neighbour it follows, if any, is on the first side",
    )
    shares_side_with_neighbour = Node.derived(
        "some neighbour (component = my component & (side is first & my side is first | side is "
        "second & my side is second))",
        yes="a neighbour is on its side",
        no="no neighbour is on its side",
        line="two neighbours on one side show that the graph is not bipartite",
    )
    side = Node.output(
        category("first", "second"),
        start="first",
        becomes={
            "first": "has_better_neighbour & it_is_on_second_side | ~has_better_neighbour & "
            "~is_on_second_side",
            "second": "True",
        },
        tells={
            "has_better_neighbour": "",
            "shares_side_with_neighbour": "{me} stays on the {new} side, with a neighbour on the "
            "same side",
            "True": "{me} stays on the {new} side",
        },
    )
    is_bipartite = Graph.derived(
        "no node (shares_side_with_neighbour)",
        yes="no two neighbours are on one side: the graph is bipartite",
        no="{nodes (shares_side_with_neighbour)} have neighbours on their own side: the graph is "
        "not bipartite",
    )

    goes_on = "some node (has_better_neighbour)"
    outcomes = ("is_bipartite",)
    legend = {"first": "on the first side", "second": "on the second side"}
    starts_with = "every node is on the first side and points to itself"
    ends_when = "no node follows another any more"

    def reference(self, graph, inputs):
        return {"is_bipartite": nx.is_bipartite(graph)}
