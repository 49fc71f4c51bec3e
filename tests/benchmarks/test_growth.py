"""What growth is measured beside finds the same results; rows become one picture."""

from __future__ import annotations

import json

import networkx as nx
import pytest
import torch
from benchmarks.growth_beside import GRAPHBLAS, ON_DUCKDB, by_duckdb, by_graphblas
from rich.console import Console

from algolens.algorithms import algorithm
from algolens.execution import run_algorithm
from benchmarks import growth, growth_plot


@pytest.mark.parametrize("name", sorted(GRAPHBLAS))
def test_graphblas_finds_the_same(name):
    pytest.importorskip("graphblas", reason="it is measured beside, and no dependency")
    chosen = algorithm(name)
    graph, inputs = growth.drawn(chosen, 300)
    run = run_algorithm(chosen, graph, inputs)
    call = by_graphblas(chosen, graph, inputs)
    assert call is not None
    given = torch.from_numpy(call())
    own = nx.Graph([tuple(edge) for edge in graph.edges.T.tolist()])
    own.add_nodes_from(range(graph.num_nodes))
    if name == "bfs":
        assert torch.equal(given >= 0, run.final("visited"))
    elif name == "bfs_tree":
        assert torch.equal(given >= 0, run.final("visited"))
        parent = torch.where(given < 0, torch.arange(graph.num_nodes), given)
        assert torch.equal(parent, run.final("parent"))
    elif name == "dijkstra":
        weights = inputs["weight"].tolist()
        for (u, v), weight in zip(graph.edges.T.tolist(), weights, strict=True):
            own[u][v]["weight"] = weight
        true = nx.single_source_dijkstra_path_length(own, int(inputs["source"][0]))
        assert dict(enumerate(given.tolist())) == {**dict.fromkeys(own, -1), **true}
    elif name == "components":
        true = {node: min(part) for part in nx.connected_components(own) for node in part}
        assert given.tolist() == [true[node] for node in range(graph.num_nodes)]
    else:
        assert torch.equal(given, run.final(next(iter(run.outputs))))


@pytest.mark.parametrize("name", ON_DUCKDB)
def test_duckdb_finds_the_same(name):
    pytest.importorskip("duckdb", reason="it is measured beside")
    chosen = algorithm(name)
    graph, inputs = growth.drawn(chosen, 200)
    run, call = run_algorithm(chosen, graph, inputs), by_duckdb(chosen, graph, inputs)
    assert call is not None
    given = call()
    for output in run.outputs:
        assert torch.equal(given.final(output), run.final(output))


def test_rows_become_one_picture_and_slopes(tmp_path):
    rows = [
        {"algorithm": name, "library": library, "edges": edges, "seconds": 1e-6 * edges**slope}
        for name in ("bfs", "dfs")
        for library, slope in (("AlgoLens", 1.0), ("NetworkX", 1.25))
        for edges in (1_000, 100_000)
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    console = Console(record=True, width=100)
    growth_plot.main(console, rows, tmp_path / "growth.svg")
    told = console.export_text()
    assert "1.00" in told
    assert "1.25" in told
    assert (tmp_path / "growth.svg").read_text().startswith("<?xml")
