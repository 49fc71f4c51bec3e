"""Exact networks: a step of theirs beside one pass over the edges, and minimum spanning trees by
network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Annotated

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from algolens.algorithms import algorithm
from algolens.arrays import all_to, equal
from algolens.engines import Run, run_algorithm
from algolens.graphs import Graph, sample, stream
from algolens.models import Network, NetworkParts
from benchmarks.exact import train

KRUSKAL_EDGES = (85, 3_025)
BORUVKA_NODES, BORUVKA_EDGES = 20_000, 100_000


def main(console: Console) -> None:
    """Prints two tables, of one core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    steps(console, [(100_000, 500_000)])
    _trees(console)
    torch.set_num_threads(threads)


def steps(console: Console, sizes: Sequence[tuple[int, int]], device: str = "cpu") -> None:
    """BFS on large random graphs of so many nodes and edges each, and coloring on sparse ones of as
    many nodes and edges.
    """
    what = (
        f"{torch.get_num_threads()} threads"
        if device == "cpu"
        else torch.cuda.get_device_name(device)
    )
    table = _table(
        f"A step on one random graph, {what}",
        "algorithm",
        "nodes",
        "edges",
        "steps",
        "network, ms",
        "network / pass",
        "layers / pass",
        "algorithm / pass",
    )
    for name, nodes, edges in [("bfs", *each) for each in sizes] + [
        ("coloring", each, each) for each in {n for n, _ in sizes}
    ]:
        network = _trained(name).to(device)
        pairs = np.random.default_rng(0).integers(0, nodes, (edges, 2))
        drawn = Graph.pack([nodes], pairs)
        inputs = all_to(network.algorithm.sample(drawn, stream(0)), device)
        graph = drawn.to(device)
        single = _best(partial(_one_pass, graph), device)
        truth = run_algorithm(network.algorithm, graph, inputs, trace=False, check=False)
        for by_layers in (False, True):
            found = _run(network, graph, inputs, by_layers=by_layers)
            assert all(
                equal(found.final(each), truth.final(each))
                for each in network.algorithm.declaration.outputs
            )
        ours = _best(partial(_run, network, graph, inputs), device) / truth.num_steps
        layers = (
            _best(partial(_run, network, graph, inputs, by_layers=True), device) / truth.num_steps
        )
        plain = (
            _best(partial(run_algorithm, network.algorithm, graph, inputs, trace=False), device)
            / truth.num_steps
        )
        table.add_row(
            name,
            f"{nodes:,}",
            f"{graph.num_edges:,}",
            str(truth.num_steps),
            f"{1e3 * ours:.2f}",
            f"{ours / single:.1f}",
            f"{layers / single:.1f}",
            f"{plain / single:.1f}",
        )
    console.print(table)
    console.print(
        "A pass: a byte of every node is gathered along all links, and its maximum taken at "
        "their ends. The network runs by tables; by layers, a message is computed along every "
        "link.\n",
        style="dim",
    )


def _trees(console: Console) -> None:
    """Kruskal's algorithm on small graphs, where a step's overhead counts, and Borůvka's on a large
    one.
    """
    table = _table(
        "Minimum spanning trees by network, one core",
        "algorithm",
        "edges",
        "steps",
        "seconds",
        "a step, ms",
        "tree as SciPy's",
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
    same = ours == _tree_weight(graph, inputs["weight"])
    step = f"{1e3 * seconds / run.num_steps:.2f}"
    table.add_row(
        network.algorithm.name,
        f"{graph.num_edges:,}",
        str(run.num_steps),
        f"{seconds:.2f}",
        step,
        "yes" if same else "no",
    )


def _tree_weight(graph: Graph, weight: np.ndarray) -> int:
    first, second = graph.edges
    square = coo_array(
        (weight.astype(float), (first, second)), shape=(graph.num_nodes, graph.num_nodes)
    )
    return int(minimum_spanning_tree(square.tocsr()).sum())


def _nodes_for(edges: int) -> int:
    """Nodes of a Barabási-Albert graph with about so many edges, five a node."""
    return edges // 5 + 5


def _run(network: Network, graph: Graph, inputs: object, *, by_layers: bool = False) -> Run:
    sockets = NetworkParts(network, by_layers=by_layers).sockets
    return run_algorithm(network.algorithm, graph, inputs, **sockets, trace=False, check=False)  # type: ignore[arg-type]


def _one_pass(graph: Graph) -> torch.Tensor:
    senders, receivers = graph.links
    marks = torch.zeros(graph.num_nodes, dtype=torch.uint8, device=graph.device)
    return torch.zeros_like(marks).scatter_reduce_(
        0, receivers, marks.index_select(0, senders), "amax"
    )


@cache
def _trained(name: str) -> Network:
    return train(algorithm(name))[0]


def _best(work: Callable[[], object], device: str = "cpu") -> float:
    """Seconds, the best of three: of the processor on one thread, else by the clock."""
    clock = (
        time.process_time if device == "cpu" and torch.get_num_threads() == 1 else time.perf_counter
    )
    times = []
    for _ in range(3):
        started = clock()
        work()
        if device != "cpu":
            torch.cuda.synchronize()
        times.append(clock() - started)
    return min(times)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, justify="left" if column == "algorithm" else "right")
    return table


def _command(
    large: Annotated[
        list[str] | None,
        typer.Option(
            help="Only a step on a large graph, of so many nodes and edges: 1000000,10000000."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Of the processor, for a large graph.")] = 1,
    device: Annotated[str, typer.Option(help="Where a large graph is: cpu, or cuda.")] = "cpu",
) -> None:
    console = Console(width=140)
    if not large:
        main(console)
        return
    sizes = [(int(nodes), int(edges)) for nodes, edges in (each.split(",") for each in large)]
    torch.set_num_threads(threads)
    steps(console, sizes, device)


if __name__ == "__main__":
    typer.run(_command)
