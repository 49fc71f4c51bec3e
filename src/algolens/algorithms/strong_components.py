"""Strongly connected components: which nodes of a directed graph reach one another (Kosaraju; Aho,
Hopcroft and Ullman 1983).
"""

from algolens.algorithms import Bits, Graph, Node, mask, number, per, pointer
from algolens.algorithms._walk import Walk
from algolens.graphs import Recipe
from algolens.lazy import nx


class StrongComponents(Walk):
    """Run a depth-first search. Then take the node that it finished last of those without a
    component: it begins one, which every node without one that leads there joins. Repeat.

    The nodes of a component all point to the one that began it. In time O(n + m).
    """

    title, group, graphs = "Strongly connected components", "parts", "directed"
    example = "A->B B->C C->A C->D D->E E->F F->D G->F G->H"
    recipe = Recipe(directed=True)
    bits = Bits(31)  # of a time

    clock = Graph.state(number(bits), becomes="clock + 1")
    left_at = Node.state(
        number(bits), becomes="graph's clock + 1 where is_dead_end", title="finished at time"
    )
    is_walked = Graph.derived("no node (~visited | current)")

    is_joining = Node.derived(
        "graph's is_walked & ~assigned & some successor (assigned)",
        yes="it leads to a node of the component",
        no="it does not join a component",
    )
    is_settled = Graph.derived("is_walked & no node (is_joining)")
    begins_component = Node.derived(
        "graph's is_settled & me = greatest node (~assigned) by left_at, number",
        line={
            "begins_component": "after the search: of the nodes without a component, the one that "
            "was finished last begins one",
            "is_joining": "every node without a component that leads to a node of it joins it",
        },
        yes="of the nodes without a component, the search finished it last",
        no="it does not begin a component",
    )
    assigned = Node.output(
        mask,
        becomes="assigned | is_joining | begins_component",
        tells={
            "assigned": "{me} is in a component",
            "begins_component": "{me} begins a component: of the nodes without one, the search "
            "finished it last, so it reaches each of them that leads to it",
            "is_joining": "",
            "True": "{me} joins no component in this step",
        },
        says="it is [not] in a component",
    )
    component = Node.output(
        pointer(Node),
        becomes="the successor's component (assigned) where is_joining",
        tells="{me} joins the component of {new}: it leads to {it}, and {new} reaches it",
    )

    goes_on = "some node (~visited | current | ~assigned)"
    most_steps = 3 * per(Node)  # the second part assigns a node or more in every step
    legend = {
        "component": "in the component of",
        "assigned": "in a component",
        "current": "where the search stands",
        "visited": "visited",
        "True": "in no component yet",
    }
    ends_when = "every node is in a component"

    def reference(self, graph, inputs):
        last = {node: place for place, node in enumerate(nx.dfs_postorder_nodes(graph))}
        begun = {
            node: max(part, key=last.__getitem__)
            for part in nx.strongly_connected_components(graph)
            for node in part
        }
        return {"component": begun}
