"""What growth is measured beside finds the same results; rows become one picture."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from benchmarks.growth_beside import GRAPHBLAS, ON_DUCKDB, by_duckdb, by_graphblas

from algolens.algorithms import algorithm
from algolens.engines import delta, run_algorithm
from benchmarks import growth, growth_plot


@pytest.mark.parametrize("name", sorted(GRAPHBLAS))
def test_graphblas_finds_the_same(name):
    pytest.importorskip("graphblas", reason="it is measured beside, and no dependency")
    chosen = algorithm(name)
    graph, inputs = growth.drawn(chosen, 300)
    run = run_algorithm(chosen, graph, inputs)
    call = by_graphblas(chosen, graph, inputs)
    assert call is not None
    given = call()
    own = nx.Graph([tuple(edge) for edge in graph.edges.T.tolist()])
    own.add_nodes_from(range(graph.num_nodes))
    if name == "bfs":
        assert np.array_equal(given >= 0, run.final("visited"))
    elif name == "bfs_tree":
        assert np.array_equal(given >= 0, run.final("visited"))
        parent = np.where(given < 0, np.arange(graph.num_nodes), given)
        assert np.array_equal(parent, run.final("parent"))
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
        assert np.array_equal(given, run.final(next(iter(run.outputs))))


@pytest.mark.parametrize("name", ON_DUCKDB)
def test_duckdb_finds_the_same(name):
    pytest.importorskip("duckdb", reason="it is measured beside")
    chosen = algorithm(name)
    graph, inputs = growth.drawn(chosen, 200)
    run, call = run_algorithm(chosen, graph, inputs), by_duckdb(chosen, graph, inputs)
    assert call is not None
    given = call()
    for output in run.outputs:
        assert np.array_equal(given.final(output), run.final(output))


def test_rows_become_one_picture_and_tables(tmp_path, capsys):
    rows = [
        {
            "algorithm": name,
            "library": library,
            "size": edges,
            "edges": edges,
            "seconds": 1e-6 * edges**slope,
            "steps": 7,
        }
        for name in ("bfs", "dfs")
        for library, slope in (("AlgoLens", 1.0), ("NetworkX", 1.25))
        for edges in (10_000, 1_000_000)
    ]
    growth_plot.main(rows, tmp_path / "growth.svg")
    told = capsys.readouterr().out
    assert "| bfs | 0.010 | 1.000 | 7 | 1.00 |" in told
    assert "| dfs | 0.03 |" in told  # times NetworkX: 10^6 / 10^7.5
    assert "| dfs | 1.25 |" in told
    assert (tmp_path / "growth.svg").read_text().startswith("<?xml")


def test_a_measurement_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    """Nothing is measured twice, a slow library is left out, and so is what has no time left."""
    if delta.library() is None:
        pytest.skip("the incremental engine was not compiled")
    out, calls = tmp_path / "rows.jsonl", []

    def slow(_chosen, graph, _inputs):
        calls.append(graph.num_edges)
        return lambda: None

    monkeypatch.setattr(growth, "OTHERS", {"NetworkX": slow})
    growth.growth("bfs", (50, 100), out)
    assert len(calls) == 2
    out.write_text(out.read_text() + '\n{"algorithm": "bfs", "si')  # as where a process is ended
    rows = growth.read_rows(out)
    assert [(row["library"], row["size"]) for row in rows] == [
        (library, size) for size in (50, 100) for library in ("AlgoLens", "NetworkX")
    ]
    growth.growth("bfs", (50, 100), out)
    assert len(calls) == 2
    growth.growth("bfs", (50, 100, 200), out, limit=-1.0)
    assert len(calls) == 2
    assert len(growth.read_rows(out)) == 5
    growth.growth("bfs", (400,), out, end=0.0)
    assert len(growth.read_rows(out)) == 5
