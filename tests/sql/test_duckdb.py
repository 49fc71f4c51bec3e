"""Programs on DuckDB: what they find is what the library finds, in memory and in Parquet."""

from __future__ import annotations

from dataclasses import replace
from time import process_time
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import algolens as al
from algolens.algorithms import algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.engines.sql import find_engine, on_steps, run_in_tables
from algolens.engines.sql.at_once import at_once
from algolens.engines.sql_source import sql_parts
from algolens.errors import AlgoLensError, AlgoLensWarning, GraphError
from algolens.graphs import Graph
from tests.programs.test_program import Doubling
from tests.sql.parquet_graphs import as_result, read_results, write_graph

pytest.importorskip("duckdb", reason="the engine is DuckDB")
pytest.importorskip("pyarrow", reason="tables go to DuckDB by PyArrow")

FEW_STEPS = {
    "bellman_ford",
    "bfs",
    "bfs_tree",
    "bipartite",
    "boruvka",
    "coloring",
    "components",
    "floyd_warshall",
    "independent_set",
    "k_core",
    "matching",
    "optimal_bst",
}
# the same laws on Parquet: numbers and texts as names, directions, numbers that are given and drawn
IN_PARQUET = ["bfs", "bfs_tree", "bellman_ford", "boruvka", "components", "independent_set"]
IN_PARQUET += ["k_core", "matching", "topological_sort", "widest_path"]


@pytest.mark.parametrize("name", ["bellman_ford", "boruvka", "coloring", "matching"])
def test_a_run_in_tables_ends_as_the_librarys_does(name):
    chosen = algorithm(name)
    directed = chosen.graphs == "directed"
    graph = Graph.pack([9], nx.gnp_random_graph(9, 0.3, seed=4).edges, directed=directed)
    inputs = chosen.sample(graph, np.random.default_rng(1))
    run = run_in_tables(find_engine("duckdb"), Program.of(chosen), chosen, graph, inputs)
    true = run_algorithm(chosen, graph, inputs)
    assert (run.num_steps, run.stopped.tolist()) == (true.num_steps, true.stopped.tolist())
    for output in chosen.declaration.outputs:
        assert run.final(output).tolist() == true.final(output).tolist()
    assert {key: value.tolist() for key, value in run.outcomes.items()} == {
        key: value.tolist() for key, value in true.outcomes.items()
    }


LOCAL = {
    "bellman_ford",
    "bfs",
    "bfs_tree",
    "bipartite",
    "coloring",
    "components",
    "independent_set",
    "k_core",
}


def test_algorithms_whose_steps_are_local_take_them_by_one_query():
    programs = {
        name: Program.of(cls())
        for name, cls in algorithms().items()
        if not cls().declaration.in_python
    }
    found = {name for name, each in programs.items() if at_once(sql_parts(each, sees=False), 9)}
    assert found == LOCAL


@pytest.mark.parametrize("name", sorted(LOCAL))
def test_all_steps_at_once_end_as_step_by_step(name, monkeypatch):
    monkeypatch.setattr("algolens.engines.sql.engine.ONE_BY_ONE", 0)
    chosen = algorithm(name)
    for seed in range(4):
        size = 3 + 4 * seed
        graph = Graph.pack([size], nx.gnp_random_graph(size, 0.25, seed=seed).edges)
        run = _in_tables(chosen, graph, chosen.sample(graph, np.random.default_rng(seed)))
        assert run[0] == run[1]


def _in_tables(chosen, graph, inputs):
    """How a run ends, on DuckDB and by the library."""
    found: list[object] = []
    for execute in (
        lambda: run_in_tables(find_engine("duckdb"), Program.of(chosen), chosen, graph, inputs),
        lambda: run_algorithm(chosen, graph, inputs, check=False),
    ):
        try:
            run = execute()
        except GraphError:
            found.append("refused")
            continue
        outputs = {name: run.final(name).tolist() for name in chosen.declaration.outputs}
        outcomes = {name: value.tolist() for name, value in run.outcomes.items()}
        found.append((run.num_steps, run.stopped.tolist(), outputs, outcomes))
    return found


def test_an_execution_has_the_users_names():
    roads = nx.Graph()
    roads.add_weighted_edges_from([("Mill", "Well", 1.5), ("Well", "Inn", 2), ("Mill", "Inn", 9)])
    ways = al.execute("bellman_ford", roads, source="Mill", engine="duckdb")
    true = al.execute("bellman_ford", roads, source="Mill")
    assert ways.result == true.result
    assert ways.result["distance"]["Inn"] == 3.5
    assert (ways.steps, ways.outcomes) == (true.steps, {"has_negative_cycle": False})
    assert ways.to_networkx().nodes["Inn"]["parent"] == "Well"
    with pytest.raises(AlgoLensError, match="kept only its last step"):
        ways.explain("Inn")


def test_rules_of_a_network_run_from_the_file_they_are_saved_in(tmp_path):
    al.explain("bfs").program.save(tmp_path / "rules.json")
    found = al.execute(tmp_path / "rules.json", nx.path_graph(5), source=0, engine="duckdb")
    assert found.steps == 4
    assert all(found.result["visited"].values())


@pytest.mark.filterwarnings("ignore:topological_sort picks")
@pytest.mark.parametrize(
    ("name", "as_text"),
    [*((name, False) for name in IN_PARQUET), ("bfs_tree", True), ("boruvka", True)],
)
def test_parquet_in_and_out_says_what_the_library_says(name, as_text, tmp_path):
    chosen = algorithm(name)
    graph, given = write_graph(tmp_path, chosen, as_text=as_text, seed=len(name))
    run = al.execute_parquet(
        name,
        tmp_path / "edges.parquet",
        tmp_path / "out",
        nodes=tmp_path / "nodes.parquet",
        directed=graph.is_directed(),
        **given,
    )
    true = al.execute(name, graph, **given)
    assert (run.steps, run.outcomes) == (true.steps, true.outcomes)
    assert (run.num_nodes, run.num_edges) == (len(graph), graph.number_of_edges())
    assert read_results(tmp_path / "out", chosen) == as_result(true)


def test_what_a_table_does_not_say_is_spread_so_that_neighbours_differ(tmp_path):
    write_graph(tmp_path, algorithm("bfs"), as_text=False, seed=3)
    edges, out = tmp_path / "edges.parquet", tmp_path / "out"
    run = al.execute_parquet("independent_set", edges, out, directed=False, seed=5)
    assert "the priority of each node is spread" in " ".join(run.notes)
    status = read_results(out, algorithm("independent_set"))["status"]
    assert set(status.values()) == {"chosen", "out"}


def test_a_graph_that_is_larger_than_the_memory_it_is_given(tmp_path):
    """Of links alone, sender, receiver and id are 24 MB."""
    import pyarrow as pa
    from pyarrow import parquet

    rng, nodes, edges = np.random.default_rng(0), 50_000, 500_000
    ends = rng.integers(0, nodes, (2, edges))
    parquet.write_table(
        pa.table({"source": ends[0], "target": ends[1]}), tmp_path / "edges.parquet"
    )
    run = al.execute_parquet(
        "bfs",
        tmp_path / "edges.parquet",
        tmp_path / "out",
        engine=al.DuckDB(memory="16MB", threads=1),
        source=int(ends[0, 0]),
    )
    assert 8 * 3 * 2 * run.num_edges > 16_000_000
    links = sparse.coo_array((np.ones(edges), ends), (nodes, nodes))
    labels = sparse.csgraph.connected_components(links, directed=False)[1]
    visited = parquet.read_table(tmp_path / "out")["visited"].to_numpy()
    assert visited.sum() == (labels == labels[ends[0, 0]]).sum()


def test_components_that_merge_cost_no_more_than_their_edges(tmp_path):
    """When most nodes share a component, a step still goes over links, and not over pairs."""
    import pyarrow as pa
    from pyarrow import parquet

    edges, nodes = tmp_path / "edges.parquet", 12_000
    ends = np.random.default_rng(0).integers(0, nodes, (2, 30_000))
    parquet.write_table(pa.table({"source": ends[0], "target": ends[1]}), edges)
    seconds = {}
    nothing: dict[str, Any] = {}
    source: dict[str, Any] = {"source": int(ends[0, 0])}
    for out in ("load", "bfs", "components"):  # the first run loads what all of them need
        name, given = (out, nothing) if out == "components" else ("bfs", source)
        began = process_time()
        al.execute_parquet(name, edges, tmp_path / out, **given)
        seconds[out] = process_time() - began
    assert seconds["components"] < 10 * seconds["bfs"]
    rows = parquet.read_table(tmp_path / "components").to_pydict()
    links = sparse.coo_array((np.ones(30_000), ends), (nodes, nodes))
    named = np.unique(ends)
    labels = sparse.csgraph.connected_components(links, directed=False)[1][named]
    first = {label: node for node, label in zip(named[::-1], labels[::-1], strict=True)}
    lowest = dict(zip(rows["node"], rows["component"], strict=True))
    assert lowest == {node: first[label] for node, label in zip(named, labels, strict=True)}


@pytest.mark.parametrize("one_by_one", [0, 8])
@pytest.mark.parametrize("first", [16, -17, 127, 15])
def test_a_number_that_leaves_its_bits_is_refused_as_by_the_library(first, one_by_one, monkeypatch):
    monkeypatch.setattr("algolens.engines.sql.engine.ONE_BY_ONE", one_by_one)
    chosen, graph = Doubling(), Graph.pack([3], [])
    inputs = {"first": np.full(3, first)}
    said = []
    for execute in (
        lambda: run_algorithm(chosen, graph, inputs),
        lambda: run_in_tables(find_engine("duckdb"), Program.of(chosen), chosen, graph, inputs),
    ):
        try:
            execute()
            said.append("nothing")
        except AlgoLensError as problem:
            said.append(str(problem).replace("'0'", "0"))
    assert said[0] == said[1]


def test_a_limit_of_steps_cuts_a_run_short():
    with pytest.warns(AlgoLensWarning, match="cut short after 2 steps"):
        run = al.execute("bfs", nx.path_graph(9), source=0, engine=al.DuckDB(max_steps=2))
    assert run.is_cut_short
    assert sum(run.result["visited"].values()) == 3


def test_a_step_a_node_is_told_before_the_run_with_what_to_take_instead():
    declared = {
        name: cls() for name, cls in algorithms().items() if not cls().declaration.in_python
    }
    told = {name: on_steps(Program.of(chosen)) for name, chosen in declared.items()}
    assert {name for name, words in told.items() if words is None} == FEW_STEPS
    assert "about a step a node" in (told["dijkstra"] or "")
    assert (told["dijkstra"] or "").endswith("take bellman_ford.")
    assert (told["kruskal"] or "").endswith("take boruvka.")
    # those that are not told need no more steps on a larger star
    for name in FEW_STEPS:
        for size in (6, 30):
            leaves, directed = range(1, size), declared[name].graphs == "directed"
            star = Graph.pack([size], [(0, leaf) for leaf in leaves], directed=directed)
            inputs = declared[name].sample(star, np.random.default_rng(size))
            signed = {key: value for key, value in inputs.items() if value.dtype != bool}
            inputs |= {key: abs(value) for key, value in signed.items()}  # no negative cycle
            assert run_algorithm(declared[name], star, inputs).num_steps <= 6
    with pytest.warns(AlgoLensWarning, match="take boruvka"):
        al.execute("prim", nx.Graph([(0, 1, {"weight": 2})]), source=0, engine="duckdb")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"engine": "duck"}, "no engine is called 'duck'; there are: duckdb, spark"),
        ({"engine": "duckdb", "by": "network"}, "by network: engine duckdb runs only programs"),
        ({"engine": "duckdb", "set": {"has_been_visited": True}}, "does not do: leave --set"),
        ({"engine": al.DuckDB(memory="much")}, "option memory of engine duckdb is 'much'"),
    ],
)
def test_what_an_engine_does_not_have_is_refused_in_one_line(changed, said):
    with pytest.raises(AlgoLensError, match=said) as problem:
        al.execute("bfs", nx.path_graph(3), **changed)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("edges", "name", "given", "said"),
    [
        ({"a": [1], "target": [2]}, "bfs", {}, "has no column 'source'; it has a, target"),
        ({"source": [1.5], "target": [2.5]}, "bfs", {}, "are of type double: give all nodes as"),
        ({"source": [-1], "target": [2]}, "bfs", {}, "node -1 is no number from 0 to"),
        ({"source": [1], "target": [2]}, "bfs", {"source": 7}, "no node is called '7'"),
        ({"source": [1], "target": [2]}, "bfs", {"sauce": 1}, "no input of bfs is called 'sauce'"),
        ({"source": [1], "target": [2]}, "boruvka", {}, "has no column 'weight', and boruvka"),
        (
            {"source": [1, 2], "target": [2, 1], "weight": [3, 4]},
            "boruvka",
            {},
            r"edge \(1, 2\) has two values of 'weight'",
        ),
        (
            {"source": [1], "target": [2], "weight": [0.5]},
            "boruvka",
            {},
            "'weight' is of type double, and boruvka reads whole numbers",
        ),
        ({"source": [1], "target": [2], "weight": [None]}, "boruvka", {}, "type|has no 'weight'"),
        ({"source": [1], "target": [2], "weight": [0]}, "boruvka", {}, "has a 'weight' below 1"),
        (
            {"source": [1], "target": [1], "weight": [3]},
            "bellman_ford",
            {},
            r"edge \(1, 1\) is a self-loop, which changes what bellman_ford finds",
        ),
        ({"source": [1], "target": [2]}, "coloring", {}, "coloring checks its inputs in Python"),
        ({"source": [1], "target": [2]}, "topological_sort", {}, "runs on directed graphs"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_in_one_line(edges, name, given, said, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table(edges), tmp_path / "edges.parquet")
    with pytest.raises(AlgoLensError, match=said) as problem:
        al.execute_parquet(name, tmp_path / "edges.parquet", tmp_path / "out", **given)
    assert "\n" not in str(problem.value)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_not_written_over(tmp_path):
    (tmp_path / "edges.parquet").write_bytes(b"")
    with pytest.raises(AlgoLensError, match="is there already, and not empty"):
        al.execute_parquet("bfs", tmp_path / "edges.parquet", tmp_path)


def test_an_engine_with_an_option_that_it_does_not_have_is_refused():
    assert find_engine("duckdb", {"max_steps": "3", "memory": "1GB"}) == replace(
        al.DuckDB(), max_steps=3, memory="1GB"
    )
    with pytest.raises(AlgoLensError, match="no option of engine spark is called 'memory'"):
        find_engine("spark", {"memory": "1GB"})
    with pytest.raises(AlgoLensError, match="option max_steps of engine duckdb is 0"):
        find_engine("duckdb", {"max_steps": "0"})


@pytest.mark.parametrize("name", ["duckdb", "spark"])
def test_a_folder_that_is_not_there_is_refused(name, tmp_path):
    pytest.importorskip("duckdb" if name == "duckdb" else "pyspark")
    engine = find_engine(name, {"folder": str(tmp_path / "none")})
    with pytest.raises(AlgoLensError, match=f"option folder of engine {name} is '.*none': there "):
        al.execute("bfs", nx.path_graph(2), source=0, engine=engine)


def test_spark_on_a_cluster_needs_a_folder_that_all_workers_see():
    pytest.importorskip("pyspark")
    with pytest.raises(AlgoLensError, match="Spark on spark://host:7077 needs a folder that all"):
        al.execute("bfs", nx.path_graph(2), source=0, engine=al.Spark(master="spark://host:7077"))
