"""Topological sort (Kahn): an order in which every edge leads forward (1962)."""

from algolens.algorithms import Algorithm, Bits, Graph, Node, mask, number
from algolens.graphs import Recipe
from algolens.language.layouts import Layered
from algolens.lazy import nx


class TopologicalSort(Algorithm):
    """Place the lowest node all of whose predecessors are placed. On a cycle, no node can be
    placed.
    """

    title, group, graphs = "Topological sort (Kahn)", "orders", "directed"
    example = "A->B C->B C->D B->E D->E D->F E->G F->G"
    loops_matter, recipe, layout = True, Recipe(directed=True), Layered()
    bits = Bits(31)  # of a position

    placed = Node.output(
        mask,
        becomes="is_placed | is_next",
        tells={
            "is_placed": "{me} is placed",
            "is_next": "{me} is placed at position {graph's count}: every predecessor is placed",
            "is_ready": "{me} is ready, and waits: {other nodes (is_next)} has a lower number",
            "True": "{me} waits for {predecessors (~placed)}",
        },
    )
    position = Node.output(
        number(bits), becomes="graph's count where is_next", only_where="placed", tells=""
    )
    count = Graph.state(number(bits), becomes="count + 1 where places_one")

    is_placed = Node.concept("placed", says="it is [not] placed")
    is_ready = Node.concept(
        "~placed & every predecessor (placed)",
        line="a node is ready if all its predecessors are placed",
        yes="every predecessor is placed",
        no={
            "is_placed": "it is placed",
            "True": "predecessors are not placed: {predecessors (~placed)}",
        },
    )
    is_next = Node.concept(
        "me = least node (is_ready) by number",
        line="place the lowest node that is ready at the next position",
        yes="it is the lowest node that is ready",
        no={
            "is_ready": "{other nodes (is_next)} is ready and has a lower number",
            "True": "it is not ready",
        },
    )
    places_one = Graph.derived("some node (is_next)")
    is_acyclic = Graph.derived(
        "every node (is_placed | is_next)",
        yes="every node is placed: there is no cycle",
        no="{nodes (~is_placed & ~is_next)} cannot be placed: there is a cycle",
    )

    goes_on = "some node (is_next)"
    outcomes, examines = ("is_acyclic",), "is_next"
    legend = {"placed": "placed", "True": "waiting"}
    starts_with, ends_when = "no node is placed", "no node is ready"

    def reference(self, graph, inputs):
        if not nx.is_directed_acyclic_graph(graph):
            return {"is_acyclic": False}
        order = list(nx.lexicographical_topological_sort(graph))
        return {"is_acyclic": True, "position": {node: place for place, node in enumerate(order)}}
