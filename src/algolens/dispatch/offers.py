"""Which functions of NetworkX there are, by which algorithm, and for which arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

UNIQUE = "Where two paths are equally short, the call is left to NetworkX, whose heap decides."
LEAST_NODES = 2_000  # of a graph, from which on most functions are faster here
NUMBERS = "Weights are whole numbers or floats."
NO_NEGATIVES = f"{NUMBERS} A negative one is left to NetworkX."


@dataclass(frozen=True)
class Offer:
    """A function of NetworkX that an algorithm here carries out."""

    algorithm: str
    graphs: Literal["undirected", "directed", "any"] = "any"
    takes: tuple[str, ...] = ()  # arguments besides the graph; all others keep their defaults
    limits: str = "Equal to NetworkX's own."
    # an argument with which NetworkX stops as soon as it knows, and AlgoLens runs to the end
    stops_by: str | None = None


SOURCE, WEIGHTED, BOTH = ("source",), ("source", "weight"), ("source", "target", "weight")
EDGES = ("algorithm", "weight", "keys", "data")
ONE_TREE = (
    f"{NUMBERS} By kruskal, edges come in NetworkX's order; by prim and boruvka, lightest first, "
    "and a graph with several such trees is left to NetworkX."
)
NO_LOOPS = "Self-loops are left to NetworkX."
OFFERS: Mapping[str, Offer] = {
    "descendants": Offer("bfs", takes=SOURCE),
    "ancestors": Offer("bfs", takes=SOURCE),
    "has_path": Offer("bfs", takes=("source", "target"), stops_by="target"),
    "node_connected_component": Offer("bfs", "undirected", ("n",)),
    "single_source_shortest_path_length": Offer("bfs", takes=SOURCE),
    "single_target_shortest_path_length": Offer("bfs", takes=("target",)),
    "descendants_at_distance": Offer("bfs", takes=("source", "distance"), stops_by="distance"),
    "dfs_edges": Offer(
        "dfs",
        takes=SOURCE,
        limits="Of graphs that list the neighbours of every node in the order of their nodes.",
    ),
    "connected_components": Offer("components", "undirected"),
    "number_connected_components": Offer("components", "undirected"),
    "is_connected": Offer("components", "undirected"),
    "weakly_connected_components": Offer("components", "directed"),
    "number_weakly_connected_components": Offer("components", "directed"),
    "is_weakly_connected": Offer("components", "directed"),
    "strongly_connected_components": Offer(
        "strong_components",
        "directed",
        limits="Each comes after those that it leads to; NetworkX's order may be another such.",
    ),
    "number_strongly_connected_components": Offer("strong_components", "directed"),
    "is_strongly_connected": Offer("strong_components", "directed", stops_by="G"),
    "articulation_points": Offer(
        "articulation_points", "undirected", limits="They come in the order of the graph's nodes."
    ),
    "is_biconnected": Offer("articulation_points", "undirected"),
    "bridges": Offer("bridges", "undirected", ("root",)),
    "has_bridges": Offer("bridges", "undirected", ("root",)),
    "core_number": Offer("k_core", "undirected"),
    "k_core": Offer("k_core", "undirected", ("k",)),
    "lexicographical_topological_sort": Offer("topological_sort", "directed", ("key",)),
    "is_directed_acyclic_graph": Offer("topological_sort", "directed"),
    "has_cycle": Offer("topological_sort", "directed"),
    "dijkstra_path_length": Offer("dijkstra", takes=BOTH, limits=NO_NEGATIVES, stops_by="target"),
    "single_source_dijkstra_path_length": Offer("dijkstra", takes=WEIGHTED, limits=NO_NEGATIVES),
    "dijkstra_path": Offer(
        "dijkstra", takes=BOTH, limits=f"{NO_NEGATIVES} {UNIQUE}", stops_by="target"
    ),
    "single_source_dijkstra_path": Offer(
        "dijkstra", takes=WEIGHTED, limits=f"{NO_NEGATIVES} {UNIQUE}"
    ),
    "single_source_dijkstra": Offer(
        "dijkstra", takes=BOTH, limits=f"{NO_NEGATIVES} {UNIQUE}", stops_by="target"
    ),
    "bellman_ford_path_length": Offer("bellman_ford", takes=BOTH, limits=NUMBERS),
    "single_source_bellman_ford_path_length": Offer("bellman_ford", takes=WEIGHTED, limits=NUMBERS),
    "bellman_ford_path": Offer("bellman_ford", takes=BOTH, limits=f"{NUMBERS} {UNIQUE}"),
    "single_source_bellman_ford_path": Offer(
        "bellman_ford", takes=WEIGHTED, limits=f"{NUMBERS} {UNIQUE}"
    ),
    "single_source_bellman_ford": Offer("bellman_ford", takes=BOTH, limits=f"{NUMBERS} {UNIQUE}"),
    "minimum_spanning_edges": Offer("kruskal, prim or boruvka", "undirected", EDGES, ONE_TREE),
    "maximum_spanning_edges": Offer("kruskal, prim or boruvka", "undirected", EDGES, ONE_TREE),
    "is_bipartite": Offer("bipartite", limits=NO_LOOPS, stops_by="G"),
    "color": Offer("bipartite", "undirected", limits=NO_LOOPS),
    "greedy_color": Offer(
        "coloring", "undirected", limits=f"By the strategy largest_first alone. {NO_LOOPS}"
    ),
    "maximal_matching": Offer("matching", "undirected"),
}


def graph_refusal(graph: Any) -> str | None:
    """Why no function takes a graph."""
    import networkx as nx  # not above: NetworkX loads this module before it has any graphs

    if graph.is_multigraph():
        return "multigraphs are left to NetworkX"
    if isinstance(graph, nx.Graph) and type(graph).adjacency is not nx.Graph.adjacency:
        return (
            f"a {type(graph).__name__} says itself who its neighbours are: it is left to NetworkX"
        )
    return None if len(graph) else "a graph without nodes is left to NetworkX"


def refusal(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], signature: inspect.Signature
) -> str | None:
    """Why a call is none of those offered; None where it is."""
    offer = OFFERS[name]
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as problem:
        return str(problem)
    graph = bound.arguments.pop("G")
    why = graph_refusal(graph)
    if why is not None:
        return why
    if offer.graphs != "any" and graph.is_directed() != (offer.graphs == "directed"):
        return f"{name} takes {offer.graphs} graphs"
    for argument, value in bound.arguments.items():
        default = signature.parameters[argument].default
        if argument not in offer.takes and value is not default and value != default:
            return f"{argument} other than {default!r} is left to NetworkX"
    if callable(bound.arguments.get("weight")):
        return "weights that a function gives are left to NetworkX"
    return None


def should_run(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], signature: inspect.Signature
) -> bool | str:
    """Whether a call can be run here and pays; else why not: only ``backend=`` runs it here."""
    why = refusal(name, args, kwargs, signature)
    if why is not None:
        return why
    given = signature.bind(*args, **kwargs).arguments
    if len(given["G"]) < LEAST_NODES:
        return f"NetworkX is faster on a graph of fewer than {LEAST_NODES:,} nodes"
    argument = OFFERS[name].stops_by
    return "NetworkX stops as soon as it knows" if given.get(str(argument)) is not None else True
