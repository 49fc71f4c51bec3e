"""A graph of NetworkX given to AlgoLens, beside NetworkX's own function: CPU seconds, and ratios.

``python -m benchmarks.from_networkx [NODES EDGES]``, by default 100,000 and 500,000. Each algorithm
has a fresh process of one thread, as NetworkX has: NetworkX's function first, then
``al.load(NAME).execute(graph)`` with its results. Imports are in the last column alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

SIZE = (100_000, 500_000)
# each with the outputs that hold what NetworkX gives
ALGORITHMS = {
    "dijkstra": ("reached", "distance"),
    "prim": ("parent",),
    "kruskal": ("in_mst",),
    "components": ("component",),
}


def drawn(nodes: int, edges: int) -> Any:
    """A random graph; weights are whole numbers from 1 to 1,000,000, which all differ for prim."""
    import networkx as nx
    import numpy as np

    graph = nx.gnm_random_graph(nodes, edges, seed=0)
    weights = np.random.default_rng(0).permutation(edges) + 1
    for (_, _, data), weight in zip(graph.edges(data=True), weights.tolist(), strict=True):
        data["weight"] = weight
    return graph


def by_networkx(name: str, graph: Any) -> Any:
    """What NetworkX's own function gives."""
    import networkx as nx

    if name == "dijkstra":
        return nx.single_source_dijkstra_path_length(graph, 0)
    if name == "components":
        return set(map(frozenset, nx.connected_components(graph)))
    chosen = nx.minimum_spanning_edges(graph, algorithm=name, data=False)
    return {(u, v) if u < v else (v, u) for u, v in chosen}


def by_algolens(name: str, graph: Any) -> dict[str, dict[Any, Any]]:
    """The results by the network that ships."""
    import algolens as al

    source = 0 if name in ("dijkstra", "prim") else None
    run = al.load(name).execute(graph, source=source)
    return {output: dict(run.result[output]) for output in ALGORITHMS[name]}


def as_networkx(name: str, result: dict[str, dict[Any, Any]]) -> Any:
    """What was found, as NetworkX gives it; prim spans the component of its source."""
    if name == "dijkstra":
        return {node: far for node, far in result["distance"].items() if result["reached"][node]}
    if name == "components":
        parts: dict[int, set[int]] = {}
        for node, first in result["component"].items():
            parts.setdefault(first, set()).add(node)
        return set(map(frozenset, parts.values()))
    if name == "kruskal":
        return {edge for edge, is_in in result["in_mst"].items() if is_in}
    parents = ((node, parent) for node, parent in result["parent"].items() if parent is not None)
    return {(u, v) if u < v else (v, u) for u, v in parents}


def measured(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds of a piece of work, and what it gave."""
    start = time.process_time()
    given = work()
    return time.process_time() - start, given


def one(name: str, nodes: int, edges: int) -> dict[str, float]:
    """One algorithm, in this process."""
    graph = drawn(nodes, edges)
    theirs, expected = measured(lambda: by_networkx(name, graph))

    def imports() -> None:
        import algolens as al
        from algolens.api import executing
        from algolens.graphs import stream

        # what a first call imports: all algorithms, the loop, a network
        al.load(name).execute("grid:9", seed=int(stream(0).integers(9)))
        assert executing

    of_imports, _ = measured(imports)
    from algolens.graphs import read_graph

    converting, _ = measured(lambda: read_graph(graph))
    ours, found = measured(lambda: by_algolens(name, graph))
    if name == "prim":  # of the other components NetworkX gives the trees too
        import networkx as nx

        part = nx.node_connected_component(graph, 0)
        expected = {(u, v) for u, v in expected if u in part}
    assert as_networkx(name, found) == expected, name
    return {"theirs": theirs, "converting": converting, "ours": ours, "imports": of_imports}


def main(nodes: int, edges: int) -> None:
    """Prints a row for each algorithm, as Markdown."""
    print(
        "| algorithm | NetworkX, s | converting, s | AlgoLens, s | AlgoLens / NetworkX "
        "| with imports |\n|---|---|---|---|---|---|"
    )
    # threads that wait for each other spend CPU seconds on a busy machine
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    for name in ALGORITHMS:
        command = [sys.executable, "-m", "benchmarks.from_networkx", name, str(nodes), str(edges)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=alone)
        seconds = json.loads(done.stdout)
        theirs, ours = seconds["theirs"], seconds["ours"]
        print(
            f"| {name} | {theirs:.2f} | {seconds['converting']:.2f} | {ours:.2f} "
            f"| {ours / theirs:.2f} | {(ours + seconds['imports']) / theirs:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ALGORITHMS:
        print(json.dumps(one(sys.argv[1], *map(int, sys.argv[2:4]))))
    else:
        main(*(tuple(map(int, sys.argv[1:3])) or SIZE))
