"""Every function that AlgoLens offers as a backend of NetworkX, timed beside NetworkX's own.

``python -m benchmarks.networkx_speed`` prints the table of results/pages/networkx-speed.md: CPU
seconds on one random graph, directed where a function needs it (then without a cycle). Every call
is made four times: the first converts the graph and loads what is needed, and of the others the
fastest counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from algolens.dispatch.offers import OFFERS

NODES, EDGES = 2_000, 10_000
# functions that need a direction of edges, or take one
DIRECTED = (
    "ancestors",
    "has_cycle",
    "is_directed_acyclic_graph",
    "is_strongly_connected",
    "is_weakly_connected",
    "lexicographical_topological_sort",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "strongly_connected_components",
    "weakly_connected_components",
)
TWO_SIDED = ("color",)  # they refuse a graph that is not bipartite
MORE: dict[str, dict[str, Any]] = {
    "descendants_at_distance": {"distance": 3},
    "greedy_color": {"strategy": "largest_first"},
}
MUCH_SLOWER = 3  # times NetworkX's time
TIMED = 3  # calls


def main(nodes: int, edges: int, functions: list[str]) -> None:
    """Prints a row for each function, as Markdown."""
    nx.config.warnings_to_ignore.add("cache")  # a graph that is converted already is meant
    graphs = {kind: drawn(kind, nodes, edges) for kind in ("plain", "directed", "two-sided")}
    print("| function | algorithm | AlgoLens, s | NetworkX, s | AlgoLens / NetworkX |")
    print("|---|---|---|---|---|")
    slower: list[str] = []
    faster: list[str] = []
    for name in functions or OFFERS:
        offer = OFFERS[name]
        kind = "directed" if name in DIRECTED else "two-sided" if name in TWO_SIDED else "plain"
        call = prepared(name, graphs[kind])
        try:
            ours, theirs = (timed(call, backend) for backend in ("algolens", "networkx"))
        except NotImplementedError as problem:
            print(f"| `{name}` | {offer.algorithm} | left to NetworkX: {problem} | | |", flush=True)
            continue
        ratio = ours / max(theirs, 1e-6)
        (slower if ratio > MUCH_SLOWER else faster).append(name)
        print(
            f"| `{name}` | {offer.algorithm} | {ours:.4f} | {theirs:.4f} | {ratio:,.1f} |",
            flush=True,
        )
    count = len(slower) + len(faster)
    print(f"\n{len(slower)} of {count} take more than {MUCH_SLOWER} times as long.")


def drawn(kind: str, nodes: int, edges: int) -> nx.Graph:
    """A random graph with different weights, whose nodes list their neighbours in order."""
    rng = np.random.default_rng(0)
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < edges:
        u, v = sorted(rng.integers(0, nodes, 2).tolist())
        if u != v and (kind != "two-sided" or (u < nodes // 2) != (v < nodes // 2)):
            pairs.add((u, v))
    graph: nx.Graph = nx.DiGraph() if kind == "directed" else nx.Graph()
    graph.add_nodes_from(range(nodes))
    weights = rng.permutation(len(pairs)) + 1
    graph.add_weighted_edges_from(
        (u, v, int(weight)) for (u, v), weight in zip(sorted(pairs), weights, strict=True)
    )
    return graph


def prepared(name: str, graph: nx.Graph) -> Callable[[str], Any]:
    """A call of a function, with what it asks for; all of what a generator gives."""
    module = nx.algorithms.bipartite if name == "color" else nx
    function = getattr(module, name, None) or getattr(nx.algorithms.dag, name)
    first, last = 0, graph.number_of_nodes() - 1
    asked = function.orig_func.__code__.co_varnames[: function.orig_func.__code__.co_argcount]
    required = {"source": first, "target": last, "n": first}
    given = {key: value for key, value in required.items() if key in asked[1:3]}
    if name == "ancestors":  # the first node of this graph has none
        given = {"source": last}

    def call(backend: str) -> Any:
        result = function(graph, **given, **MORE.get(name, {}), backend=backend)
        return list(result) if isinstance(result, Iterator) else result

    return call


def timed(call: Callable[[str], Any], backend: str) -> float:
    """CPU seconds of the fastest call after the first."""
    call(backend)
    seconds = []
    for _ in range(TIMED):
        started = time.process_time()
        call(backend)
        seconds.append(time.process_time() - started)
    return min(seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--edges", type=int, default=EDGES)
    parser.add_argument("functions", nargs="*", choices=[[], *OFFERS], help="by default all")
    given = parser.parse_args()
    main(given.nodes, given.edges, given.functions)
