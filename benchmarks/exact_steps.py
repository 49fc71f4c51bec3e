"""Exact networks: a step of theirs beside one pass over the edges, and minimum spanning trees by network."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Annotated

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from algolens.execution import Run, execute_trusted
from algolens.graphs import Graph, sample, stream
from algolens.models import Network, NetworkParts
from benchmarks.exact import train

KRUSKAL_EDGES = (85, 3_025)
BORUVKA_NODES, BORUVKA_EDGES = 20_000, 100_000


def main(console: Console, nodes: int = 100_000, edges: int = 500_000) -> None:
    """Prints two tables."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    _steps(console, nodes, edges)
    _trees(console)
    torch.set_num_threads(threads)


def _steps(console: Console, nodes: int, edges: int) -> None:
    """BFS and coloring on a large random graph."""
    table = _table(
        f"A step on one random graph, {nodes:,} nodes, one core",
        "algorithm",
        "edges",
        "steps",
        "network, ms",
        "network / pass",
        "algorithm / pass",
    )
    for name, most_edges in (("bfs", edges), ("coloring", nodes)):  # of a sparse graph, for which five colors suffice
        network = _trained(name)
        pairs = np.random.default_rng(0).integers(0, nodes, (most_edges, 2))
        graph = Graph.pack([nodes], pairs)
        inputs = network.algorithm.sample(graph, stream(0))
        single = _best(partial(_one_pass, graph))
        truth = execute_trusted(network.algorithm, graph, inputs)
        ours = _best(partial(_run, network, graph, inputs)) / truth.num_steps
        plain = _best(partial(execute_trusted, network.algorithm, graph, inputs, trace=False)) / truth.num_steps
        table.add_row(
            name,
            f"{graph.num_edges:,}",
            str(truth.num_steps),
            f"{1e3 * ours:.2f}",
            f"{ours / single:.1f}",
            f"{plain / single:.1f}",
        )
    console.print(table)
    console.print(
        "A pass: a byte of every node is gathered along all links, and its maximum taken at their ends.\n", style="dim"
    )


def _trees(console: Console) -> None:
    """Kruskal's algorithm on small graphs, where a step's overhead counts, and Borůvka's on a large one."""
    table = _table(
        "Minimum spanning trees by network, one core", "algorithm", "edges", "steps", "seconds", "a step, ms", "tree as SciPy's"
    )
    for edges in KRUSKAL_EDGES:
        network = _trained("kruskal")
        graph = sample("barabasi_albert", _nodes_for(edges), 1, stream(0))
        _add_tree(table, network, graph)
    network = _trained("boruvka")
    pairs = np.random.default_rng(0).integers(0, BORUVKA_NODES, (BORUVKA_EDGES, 2))
    _add_tree(table, network, Graph.pack([BORUVKA_NODES], pairs))
    console.print(table)
    console.print()


def _add_tree(table: Table, network: Network, graph: Graph) -> None:
    inputs = network.algorithm.sample(graph, stream(0))
    seconds = _best(lambda: _run(network, graph, inputs))
    run = _run(network, graph, inputs)
    ours = int(inputs["weight"][run.final("in_mst")].sum())
    same = ours == _tree_weight(graph, inputs["weight"].numpy())
    step = f"{1e3 * seconds / run.num_steps:.2f}"
    table.add_row(
        network.algorithm.name, f"{graph.num_edges:,}", str(run.num_steps), f"{seconds:.2f}", step, "yes" if same else "no"
    )


def _tree_weight(graph: Graph, weight: np.ndarray) -> int:
    first, second = graph.edges.numpy()
    square = coo_array((weight.astype(float), (first, second)), shape=(graph.num_nodes, graph.num_nodes))
    return int(minimum_spanning_tree(square.tocsr()).sum())


def _nodes_for(edges: int) -> int:
    """Nodes of a Barabási-Albert graph with about so many edges, five a node."""
    return edges // 5 + 5


def _run(network: Network, graph: Graph, inputs: object) -> Run:
    sockets = NetworkParts(network).sockets
    return execute_trusted(network.algorithm, graph, inputs, **sockets, trace=False)  # type: ignore[arg-type]


def _one_pass(graph: Graph) -> torch.Tensor:
    senders, receivers = graph.links
    marks = torch.zeros(graph.num_nodes, dtype=torch.uint8)
    return torch.zeros_like(marks).scatter_reduce_(0, receivers, marks.index_select(0, senders), "amax")


@cache
def _trained(name: str) -> Network:
    return train(name)[0]


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column == "algorithm" else "right")
    return table


def _command(
    nodes: Annotated[int, typer.Option(help="Of the large graph.")] = 100_000,
    edges: Annotated[int, typer.Option(help="Of the large graph of BFS.")] = 500_000,
) -> None:
    main(Console(width=140), nodes, edges)


if __name__ == "__main__":
    typer.run(_command)
