"""Random graphs written as Parquet, and results of engines read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from algolens.algorithms import Algorithm


def write_graph(
    folder: Path, chosen: Algorithm, *, as_text: bool, seed: int, nodes: int = 12, edges: int = 20
) -> tuple[nx.Graph, dict[str, Any]]:
    """Writes edges.parquet and nodes.parquet: the graph, with nodes in the order of their names,
    and what the whole graph has one of.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(seed)
    drawn = nx.gnm_random_graph(nodes, edges, seed=seed, directed=chosen.graphs == "directed")
    if chosen.graphs == "any" and seed % 2:
        drawn = nx.DiGraph([(min(e), max(e)) if rng.random() < 0.5 else e for e in drawn.edges])
    names = {node: f"n{node:02}" if as_text else 3 * node for node in drawn}
    graph = type(drawn)()
    graph.add_nodes_from(sorted(names.values()))
    graph.add_edges_from(sorted((names[u], names[v]) for u, v in drawn.edges))
    columns: dict[str, dict[str, Any]] = {
        "edges": {"source": [u for u, _ in graph.edges], "target": [v for _, v in graph.edges]},
        "nodes": {"node": list(graph)},
    }
    for name, field in chosen.declaration.inputs.items():
        if field.kind != "number" or field.at == "graph":
            continue
        is_node = field.at == "node"
        count = len(graph) if is_node else graph.number_of_edges()
        values = (rng.permutation(count) + field.low).tolist()
        columns["nodes" if is_node else "edges"][name] = values
        put = nx.set_node_attributes if is_node else nx.set_edge_attributes
        put(graph, dict(zip(graph if is_node else graph.edges, values, strict=True)), name)
    for table, given in columns.items():
        order = rng.permutation(len(next(iter(given.values()))))
        parquet.write_table(
            pa.table({name: [values[i] for i in order] for name, values in given.items()}),
            folder / f"{table}.parquet",
        )
    has_source = "source" in chosen.declaration.inputs
    return graph, {"source": names[0]} if has_source else {}


def read_results(folder: Path, chosen: Algorithm) -> dict[str, dict[Any, Any]]:
    """What an engine wrote: for each output, its value at each node (or edge)."""
    from pyarrow import parquet

    rows = parquet.read_table(folder).to_pylist()
    is_node = chosen.declaration.location == "node"
    return {
        name: {
            row["node"] if is_node else frozenset((row["source"], row["target"])): row[name]
            for row in rows
        }
        for name in chosen.declaration.outputs
    }


def as_result(execution: Any) -> dict[str, dict[Any, Any]]:
    """The same of an execution."""
    is_node = execution.run.algorithm.declaration.location == "node"
    return {
        name: {key if is_node else frozenset(key): value for key, value in values.items()}
        for name, values in execution.result.items()
    }
