"""Floyd-Warshall algorithm: shortest paths between all pairs of nodes (1962)."""

from __future__ import annotations

import numpy as np

from algolens.algorithms import Algorithm, Node, Option, mask, number, pointer
from algolens.algorithms._tables import PairTable, cells_of
from algolens.language.layouts import Grid
from algolens.lazy import nx


class FloydWarshall(PairTable):
    """In step k, every pair of nodes takes the path through node k where that is shorter.

    A pair (i, j) is a cell of a table. ``first`` points to the cell (i, k), and ``second`` to
    (k, j); both go on by a cell in every step. ``last_edge`` is the pair of the last two nodes on
    the path.
    """

    title, group, graphs = "Floyd-Warshall algorithm", "paths", "any"
    example = "A->B:3 A->C:8 B->D:1 C->B:4 D->A:2 D->C:5"
    layout = Grid(of="distance")
    bits = Option(10, 1, 58)  # of a weight

    weight, adjacent = Node.input(number(bits)), Node.input(mask)
    leftmost, topmost = Node.input(pointer(Node)), Node.input(pointer(Node))
    right, down = Node.input(pointer(Node)), Node.input(pointer(Node))

    first = Node.state(pointer(Node), start="leftmost", becomes="first's right where is_unfinished")
    second = Node.state(pointer(Node), start="topmost", becomes="second's down where is_unfinished")
    is_over = Node.state(mask, becomes="first's right = first")

    reached = Node.output(
        mask,
        start="adjacent",
        becomes="reached | is_joined",
        tells={
            "first = me & second = me & some other node (is_shorter)": "{me} is in the middle: of "
            "{how many other nodes (is_joined & first != it & second != it)} paths through it, "
            "{how many other nodes (is_shorter)} are the shortest so far",
            "first = me & second = me": "{me} is in the middle: of {how many other nodes "
            "(is_joined & first != it & second != it)} paths through it, none is shorter than the "
            "path that is known",
            "reached": "{me} has a path",
            "is_joined": "",  # the sentence on its distance says it
            "True": "{me} has no path so far",
        },
        says="it is [not] connected",
    )
    distance = Node.output(
        number(61),
        start="weight",
        becomes="through where is_shorter",
        only_where="reached",
        tells="{me}: distance {new} = {first's distance} for {first} + {second's distance} for "
        "{second}: the shortest path so far",
    )
    last_edge = Node.output(
        pointer(Node), becomes="second's last_edge where is_shorter", tells="", only_where="reached"
    )

    through = Node.derived("first's distance + second's distance")
    is_joined = Node.derived(
        "first's reached & second's reached",
        yes="{first} and {second} are connected",
        no="{first} and {second} are not both connected",
    )
    is_shorter = Node.derived(
        "is_joined & (~reached | through < distance)",
        line="every pair (i, j) takes the path from i to k and on to j, if it is shorter",
    )
    is_unfinished = Node.derived(
        "~is_over", yes="nodes are left to go through", no="paths went through every node"
    )

    goes_on = "some node (is_unfinished)"
    examines = "first = me & second = me"  # the cell (k, k), that paths go through in this step
    legend = {"reached": "a path is known", "True": "no path is known"}
    starts_with = "the distance of two adjacent nodes is the weight of their edge"
    repeats, ends_when = "for each node k:", "every node k is done"

    def draw(self, graph, tables, rng):
        weight = Algorithm.sample(self, graph, rng)["weight"]
        loops = np.concatenate([table.row == table.column for table in tables])
        return {"weight": [weight], "adjacent": [loops | (rng.random(len(loops)) < 0.3)]}

    def reference(self, graph, inputs):
        at = cells_of(graph, "pairs")
        if not at:
            return {}
        edges = nx.DiGraph()
        edges.add_weighted_edges_from(
            (*pair, graph.nodes[node]["weight"])
            for pair, node in at.items()
            if graph.nodes[node]["adjacent"]
        )
        distances: dict[int, int] = {}
        paths = dict(nx.all_pairs_dijkstra_path_length(edges))
        for (i, j), node in at.items():
            # from a node to itself, over an edge at least
            ends = [(u, w) for u, _, w in edges.in_edges(j, "weight")] if i == j else [(j, 0)]
            lengths = [paths[i][u] + weight for u, weight in ends if u in paths[i]]
            if lengths:
                distances[node] = min(lengths)
        return {"distance": distances, "reached": set(distances)}
