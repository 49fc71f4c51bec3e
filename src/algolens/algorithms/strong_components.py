"""Strongly connected components: which nodes of a directed graph reach one another (Kosaraju; Aho,
Hopcroft and Ullman 1983).
"""

from algolens.algorithms import Bits, Graph, Node, mask, number, per, pointer
from algolens.algorithms._walk import Walk
from algolens.graphs import Recipe
from algolens.lazy import nx


class StrongComponents(Walk):
    """After a depth-first search, the node that it left last begins a component, which all
    unassigned nodes that lead there join; so on.

    The nodes of a component all point to the one that began it. In time O(n + m).
    """

    title, group, graphs = "Strongly connected components", "parts", "directed"
    example = "A->B B->C C->A C->D D->E E->F F->D G->F G->H"
    recipe = Recipe(directed=True)
    bits = Bits(31)  # of a time

    clock = Graph.state(number(bits), becomes="clock + 1")
    left_at = Node.state(
        number(bits), becomes="graph's clock + 1 where is_dead_end", title="time left"
    )
    is_walked = Graph.sees("no node (~visited | current)")

    is_joining = Node.sees(
        "graph's is_walked & ~assigned & some successor (assigned)",
        yes="it leads to an assigned node",
        no="it does not join a component",
    )
    is_settled = Graph.sees("is_walked & no node (is_joining)")
    begins_component = Node.sees(
        "graph's is_settled & greatest node (~assigned) by left_at, number",
        line={
            "begins_component": "after the search: the unassigned node that was left last begins a "
            "component",
            "is_joining": "all unassigned nodes that lead to an assigned one join its component",
        },
        yes="of the unassigned nodes, the search left it last",
        no="it does not begin a component",
    )
    assigned = Node.output(
        mask,
        becomes="assigned | is_joining | begins_component",
        called=("assigned to a component",),
        tells={
            "assigned": "{me} is assigned to a component",
            "begins_component": "{me} begins a component: of the unassigned nodes, the search left "
            "it last",
            "is_joining": "",
            "True": "{me} is not assigned yet",
        },
        says="it is [not] assigned",
    )
    component = Node.output(
        pointer(Node),
        becomes="the successor's component (assigned) where is_joining",
        called="in the component of",
        tells="{me} joins the component of {new}: it leads to {it}",
    )

    goes_on = "some node (~visited | current | ~assigned)"
    most_steps = 3 * per(Node)  # the second part assigns a node or more in every step
    ends_when = "every node is assigned"

    def reference(self, graph, inputs):
        last = {node: place for place, node in enumerate(nx.dfs_postorder_nodes(graph))}
        begun = {
            node: max(part, key=last.__getitem__)
            for part in nx.strongly_connected_components(graph)
            for node in part
        }
        return {"component": begun}
