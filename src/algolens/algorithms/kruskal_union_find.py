"""Kruskal's algorithm with the paper's union-find: sets as a forest with path compression."""

from __future__ import annotations

from algolens import arrays
from algolens.algorithms import (
    Algorithm,
    Bits,
    Edge,
    Graph,
    Node,
    Values,
    mask,
    number,
    per,
    pointer,
)
from algolens.algorithms.kruskal import Kruskal
from algolens.arrays import Array, take
from algolens.graphs import Graph as GraphBatch


class KruskalUnionFind(Algorithm):
    """Kruskal's algorithm in which each node points to a parent, as the paper's networks learn it.

    Looking up a node makes every node on the way point to the root. That follows pointers to their
    end, which no statement of one step does, so it is written in Python; the tree is the same.
    """

    title, group, variant_of = "Kruskal's algorithm with union-find", "trees", "kruskal"
    example = "A-B:4 B-C:8 C-D:7 D-E:9 A-F:3 B-F:11 C-G:2 F-G:6 G-E:10 F-H:1"
    recipe, reference, most_steps = Kruskal.recipe, Kruskal.reference, per(Edge)
    bits = Bits(10)  # of a weight, and of a priority

    weight = Edge.input(number(bits, low=1, distinct="graph"))
    priority = Node.input(number(bits, distinct="graph"), drawn=True)

    lighter_edges_visited, nodes_in_same_set = Edge.concept(), Edge.concept()
    edge_in_mst = Edge.concept()
    in_mst = Edge.output(mask, becomes="edge_in_mst | lighter_edges_visited & ~nodes_in_same_set")
    parent = Node.state(pointer(Node))
    carried = ("lighter_edges_visited",)

    next_edge = Graph.derived(kind=pointer(Edge))  # the min-finder's answer
    ends_in_same_set = Graph.derived()  # the pointer network's query, for the next edge
    keeps_parent = Node.derived()

    def start(self, graph: GraphBatch, inputs: Values) -> dict[str, Array]:
        no_edge = arrays.zeros(graph.num_edges, bool, graph.device)
        return {"in_mst": no_edge, "lighter_edges_visited": no_edge, "parent": graph.place("node")}

    def perceive(self, graph: GraphBatch, inputs: Values, state: Values) -> dict[str, Array]:
        visited = state["lighter_edges_visited"]
        next_edge, there_is_one = graph.argmin_per_graph(inputs["weight"], "edge", where=~visited)
        edge = (graph.first_edge + next_edge)[there_is_one]  # [G'] in the graphs that have one
        shift = take(graph.first_node, graph.node_owner)
        parent = state["parent"] + shift
        root = _roots(parent)
        same_set = take(root, graph.edges[0]) == take(root, graph.edges[1])
        after = _united(parent, root, graph.edges[:, edge], inputs["priority"])
        ends_in_same_set = arrays.zeros(graph.num_graphs, bool, graph.device)
        ends_in_same_set[there_is_one] = same_set[edge]
        now_visited = arrays.clone(visited)
        now_visited[edge] = True
        return {
            "lighter_edges_visited": now_visited,
            "nodes_in_same_set": same_set,
            "edge_in_mst": state["in_mst"],
            "next_edge": next_edge,
            "ends_in_same_set": ends_in_same_set,
            "keeps_parent": after == parent,
            "parent": after - shift,
        }


def _roots(parent: Array) -> Array:
    """[N] the root of each node, by doubling: a pointer's pointer ... stands still at a root.

    A network's pointers may go in a circle, where nothing stands still: there, the first node of
    the circle is the root.
    """
    root = parent
    for _ in range(len(parent).bit_length()):
        if arrays.equal(take(parent, root), root):
            return root
        root = take(root, root)
    first, ahead = arrays.arange(len(parent), arrays.device_of(parent)), parent
    for _ in range(len(parent).bit_length()):
        # of twice as many nodes in a row
        other = take(first, ahead)
        first = arrays.where(other < first, other, first)
        ahead = take(ahead, ahead)
    return arrays.where(take(parent, root) == root, root, take(first, root))


def _united(parent: Array, root: Array, ends: Array, priority: Array) -> Array:
    """[N] the parents after both ends of an edge of each graph are looked up and united."""
    result = arrays.clone(parent)
    cursor = ends.reshape(-1)
    roots = take(root, cursor)
    while not arrays.equal(cursor, roots):
        result[cursor] = roots
        cursor = arrays.where(cursor == roots, cursor, take(parent, cursor))
    result[roots] = roots  # as they do, but in a circle
    first, second = roots.reshape(2, -1)
    wins = take(priority, first) > take(priority, second)
    result[arrays.where(wins, second, first)] = arrays.where(wins, first, second)
    return result
