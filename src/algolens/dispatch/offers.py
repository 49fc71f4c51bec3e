"""Which functions of NetworkX there are, by which algorithm, and for which arguments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

UNIQUE = "Where two paths are equally short, the call is left to NetworkX, whose heap decides."
LEAST_NODES = 2_000  # of a graph, from which on most functions are faster here
NUMBERS = "Weights are whole numbers or floats."


@dataclass(frozen=True)
class Offer:
    """A function of NetworkX that an algorithm here carries out."""

    algorithm: str
    graphs: Literal["undirected", "directed", "any"] = "any"
    takes: tuple[str, ...] = ()  # arguments besides the graph; all others keep their defaults
    limits: str = "Equal to NetworkX's own."
    # an argument with which NetworkX stops as soon as it knows, and AlgoLens runs to the end
    stops_by: str | None = None


SOURCE = ("source",)
TREE = Offer("kruskal", "undirected", ("weight", "data"), f"{NUMBERS} By kruskal alone.")
NO_LOOPS = "Self-loops are left to NetworkX."
# by the name of a function, with its algorithm's in it: what it takes, and gives of ties
SHORTEST_PATHS = {
    "{}_path_length": (("source", "target", "weight"), ""),
    "{}_path": (("source", "target", "weight"), UNIQUE),
    "single_source_{}_path_length": (("source", "weight"), ""),
    "single_source_{}_path": (("source", "weight"), UNIQUE),
    "single_source_{}": (("source", "target", "weight"), UNIQUE),
}
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
    **{
        form.format(name): Offer(
            name,
            takes=takes,
            limits=f"{limits} {ties}".strip(),
            stops_by=stop if stop in takes else None,
        )
        for name, limits, stop in (
            ("dijkstra", f"{NUMBERS} A negative one is left to NetworkX.", "target"),
            ("bellman_ford", NUMBERS, None),
        )
        for form, (takes, ties) in SHORTEST_PATHS.items()
    },
    "minimum_spanning_edges": TREE,
    "maximum_spanning_edges": TREE,
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


def refusal(name: str, given: Mapping[str, Any], signature: inspect.Signature) -> str | None:
    """Why a call is none of those offered; None where it is. given: its arguments by name."""
    offer, graph = OFFERS[name], given["G"]
    why = graph_refusal(graph)
    if why is not None:
        return why
    if offer.graphs != "any" and graph.is_directed() != (offer.graphs == "directed"):
        return f"{name} takes {offer.graphs} graphs"
    for argument in given.keys() - {"G", *offer.takes}:
        value, default = given[argument], signature.parameters[argument].default
        if value is not default and value != default:
            return f"{argument} other than {default!r} is left to NetworkX"
    if callable(given.get("weight")):
        return "weights that a function gives are left to NetworkX"
    return None


def does_not_pay(name: str, given: Mapping[str, Any]) -> str | None:
    """Why only a call that names the backend is carried out here; None where any is."""
    if len(given["G"]) < LEAST_NODES:
        return f"NetworkX is faster on a graph of fewer than {LEAST_NODES:,} nodes"
    stops = given.get(str(OFFERS[name].stops_by)) is not None
    return "NetworkX stops as soon as it knows" if stops else None
