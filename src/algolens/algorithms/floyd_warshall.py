"""Floyd-Warshall algorithm: shortest paths between all pairs of nodes (1962)."""

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms, _tables
from algolens.fields import Location, Mask, Number, Pointer, at_node
from algolens.graphs import Graph
from algolens.layouts import Grid

MOST_BITS = 58  # of a weight

WORDS = Words(
    # the cell (k, k), of the node that paths go through in this step
    examined="first = me & second = me",
    phrases={
        "distance": (
            "{me}: distance {new} = {first's distance} for {first} + {second's distance} for "
            "{second}: the shortest path so far"
        ),
        "last_edge": "",
        "reached": {
            "first = me & second = me & some other node (is_shorter)": (
                "{me} is in the middle: of {how many other nodes (is_joined & first != it & "
                "second != it)} paths through it, "
                "{how many other nodes (is_shorter)} are the shortest so far"
            ),
            "first = me & second = me": (
                "{me} is in the middle: of {how many other nodes (is_joined & first != it & "
                "second != it)} paths through it, "
                "none is shorter than the path that is known"
            ),
            "was_reached": "{me} has a path",
            # the sentence on its distance says it
            "is_joined": "",
            "True": "{me} has no path so far",
        },
        "is_unfinished": ("nodes are left to go through", "paths went through every node"),
        "was_reached": (
            "it is connected",
            "it is not connected",
        ),
        "is_joined": (
            "{first} and {second} are connected",
            "{first} and {second} are not both connected",
        ),
    },
    lines={
        "start": "the distance of two adjacent nodes is the weight of their edge",
        "repeat": "for each node k:",
        "is_shorter": (
            "every pair (i, j) takes the path from i to k and on to j, if it is shorter"
        ),
        "until": "every node k is done",
    },
    states={
        "reached": "a path is known",
        "none": "no path is known",
    },
)


class FloydWarshall(Algorithm):
    """In step k, every pair of nodes takes the path through node k where that is shorter.

    A pair (i, j) is a cell of a table. ``first`` points to the cell (i, k), and ``second`` to
    (k, j); both go on by a cell in every step. ``last_edge`` is the pair of the last two nodes on
    the path.
    """

    name = "floyd_warshall"
    title = "Floyd-Warshall algorithm"
    group = "paths"
    graphs = "any"
    table = "pairs"
    layout = Grid(of="distance")
    recipe = _tables.PAIR_TABLES

    bits: int = 10  # of a weight

    def declare(self) -> Declaration:
        _tables.check_bits(self.bits, MOST_BITS)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "weight": at_node(Number(self.bits), start_only=True),
                "adjacent": at_node(Mask(), start_only=True),
                **_tables.pointers("leftmost", "topmost", start_only=True),
                **_tables.pointers("right", "down"),
            },
            state=("reached", "distance", "last_edge", "first", "second", "is_over"),
            start={
                "reached": "adjacent",
                "distance": "weight",
                "last_edge": "me",
                "first": "leftmost",
                "second": "topmost",
                "is_over": "False",
            },
            sums={"through": at_node("first's distance + second's distance")},
            look={
                "was_reached": at_node("reached"),
                "is_joined": at_node("first's reached & second's reached"),
                "is_shorter": at_node("is_joined & (~reached | through < distance)"),
                "is_over": at_node("first's right = first"),
                "is_unfinished": at_node("~last is_over"),
            },
            moves={
                "distance": "through where is_shorter",
                "last_edge": "second's last_edge where is_shorter",
                "first": "first's right where is_unfinished",
                "second": "second's down where is_unfinished",
            },
            hints={
                "first": at_node(Pointer(Location.NODE)),
                "second": at_node(Pointer(Location.NODE)),
            },
            concepts=("was_reached", "is_joined", "is_unfinished"),
            outputs={
                "reached": Mask(),
                "distance": Number(61),
                "last_edge": Pointer(Location.NODE),
            },
            rules={"reached": _forms.where_any("was_reached", "is_joined")},
            continues="is_unfinished",
            only_where={"distance": "reached", "last_edge": "reached"},
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        drawn = {**super().sample(graph, rng), **_tables.draw_distances(graph, rng)}
        return {name: drawn[name] for name in self.declaration.inputs}

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        at = _tables.pairs_of(graph)
        if not at:
            return {}
        edges = nx.DiGraph()
        edges.add_weighted_edges_from(
            (*pair, graph.nodes[node]["weight"])
            for pair, node in at.items()
            if graph.nodes[node]["adjacent"]
        )
        paths = dict(nx.all_pairs_dijkstra_path_length(edges))
        # from a node to itself, over an edge at least
        cycles = {
            j: min(
                paths[j][i] + weight
                for i, _, weight in edges.in_edges(j, "weight")
                if i in paths[j]
            )
            for j in edges
        }
        distances = {
            node: cycles[i] if i == j else paths[i][j]
            for (i, j), node in at.items()
            if j in paths[i]
        }
        return {"distance": distances, "reached": dict.fromkeys(distances, True)}
