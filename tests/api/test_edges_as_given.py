"""Edges come out as they went in: in the user's order and direction, whatever the way in and out.

A random list of edges, in random order and directions, some of them repeated and some self-loops,
is joined with what comes out on (source, target): nothing is lost, and the sum of what is chosen is
NetworkX's.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

import algolens as al
from algolens.algorithms import Algorithm, Edge, Node, mask, number
from algolens.cli import main
from algolens.graphs import from_networkx, from_pandas, to_networkx
from algolens.player.data import page_data
from tests.player.in_node import in_node, needs_node

Row = tuple[str, str, int]  # source, target, weight


def random_rows(seed: int) -> list[Row]:
    """Edges in any order and direction; some stand again, turned round or not; some are loops."""
    rng = random.Random(seed)
    count = rng.randint(2, 9)
    names = [f"n{i}" for i in range(count)]
    pairs = [(u, v) for i, u in enumerate(names) for v in names[i + 1 :]]
    chosen = rng.sample(pairs, rng.randint(1, len(pairs)))
    rows: list[tuple[str, str, int]] = []
    for pair in chosen:
        u, v = rng.sample(pair, 2)
        rows.append((u, v, rng.randint(1, 9)))
    for one, other, weight in rng.sample(rows, min(2, len(rows))):
        u, v = rng.sample((one, other), 2)
        rows.insert(rng.randint(0, len(rows)), (u, v, weight))
    rows.insert(rng.randint(0, len(rows)), (names[0], names[0], 1))
    return rows


def kept(rows: list[Row]) -> list[Row]:
    """What the documentation says is left: no loops, and of repeated edges the first."""
    firsts: dict[frozenset[str], Row] = {}
    for row in rows:
        if row[0] != row[1]:
            firsts.setdefault(frozenset(row[:2]), row)
    return list(firsts.values())


# ---- ways in


def as_csv(rows: list[Row], folder: Path) -> Any:
    path = folder / "in.csv"
    path.write_text("source,target,weight\n" + "".join(f"{u},{v},{w}\n" for u, v, w in rows))
    return path


def as_frame(rows: list[Row], _: Path) -> Any:
    return pd.DataFrame(rows, columns=["source", "target", "weight"])


def as_parquet(rows: list[Row], folder: Path) -> Any:
    parquet.write_table(pa.Table.from_pandas(as_frame(rows, folder)), folder / "in.parquet")
    return folder / "in.parquet"


def as_json(rows: list[Row], folder: Path) -> Any:
    nodes = [{"id": name} for name in sorted({end for row in rows for end in row[:2]})]
    edges = [{"source": u, "target": v, "weight": w} for u, v, w in rows]
    path = folder / "in.json"
    path.write_text(json.dumps({"directed": False, "nodes": nodes, "edges": edges}))
    return path


def as_graphml(rows: list[Row], folder: Path) -> Any:
    nodes = "".join(f'<node id="{n}"/>' for n in sorted({end for row in rows for end in row[:2]}))
    edges = "".join(
        f'<edge source="{u}" target="{v}"><data key="w">{w}</data></edge>' for u, v, w in rows
    )
    path = folder / "in.graphml"
    path.write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" '
        f'attr.name="weight" attr.type="int"/><graph edgedefault="undirected">{nodes}{edges}'
        "</graph></graphml>"
    )
    return path


READERS = {form.__name__: form for form in (as_csv, as_frame, as_parquet, as_json, as_graphml)}


# ---- ways out: the edges that are named, in order, each with whether it is in the tree


def from_result(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    return ((u, v, chosen) for (u, v), chosen in run.result["in_mst"].items())


def from_lookups(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    in_tree = run.result["in_mst"]
    for u, v in in_tree:
        assert (u, v) in in_tree
        assert (v, u) in in_tree
        assert in_tree[u, v] is in_tree.get((v, u)) is in_tree.get((u, v)) is in_tree[v, u]
        yield u, v, bool(in_tree.get((v, u)))
    assert in_tree.get(("n0", "n0")) is None
    assert in_tree.get(("n0", "nowhere"), 7) == 7
    assert ("n0", "nowhere") not in in_tree


def from_table(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    last = run.to_pandas().query("step == step.max()")
    return zip(last["source"], last["target"], last["in_mst"], strict=True)


def from_arrow(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    return ((row["source"], row["target"], row["in_mst"]) for row in run.to_arrow().to_pylist())


def from_written_csv(run: al.Execution, folder: Path) -> Iterator[tuple[Any, Any, bool]]:
    with run.save_result(folder / "out.csv").open() as file:
        for row in csv.DictReader(file):
            yield row["source"], row["target"], row["in_mst"] == "true"


def from_outputs(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    rows = run.to_json()["outputs"]["in_mst"]
    return ((row["source"], row["target"], row["value"]) for row in rows)


def from_trace(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    rows = run.to_json(trace=True)["trace"][-1]["outputs"]["in_mst"]
    return ((row["source"], row["target"], row["value"]) for row in rows)


def from_networkx_result(run: al.Execution, _: Path) -> Iterator[tuple[Any, Any, bool]]:
    graph = run.to_networkx()  # NetworkX keeps no direction of an edge
    return ((u, v, graph.edges[u, v]["in_mst"]) for u, v in run.elements)


WRITERS = {
    form.__name__: form
    for form in (
        *(from_result, from_lookups, from_table, from_arrow, from_written_csv, from_outputs),
        *(from_trace, from_networkx_result),
    )
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("writer", WRITERS)
def test_what_comes_out_joins_with_what_went_in(reader, writer, tmp_path):
    for seed in range(6):
        rows = random_rows(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        run = al.execute("kruskal", READERS[reader](rows, folder))
        found = list(WRITERS[writer](run, folder))
        assert [(u, v) for u, v, _ in found] == [(u, v) for u, v, _ in kept(rows)]
        weights = {(u, v): weight for u, v, weight in rows}
        tree = nx.minimum_spanning_tree(_networkx(rows))
        assert sum(weights[u, v] for u, v, chosen in found if chosen) == tree.size("weight")


def _networkx(rows: list[Row]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_weighted_edges_from(row for row in rows if row[0] != row[1])
    return graph


@pytest.mark.filterwarnings("ignore:kruskal picks one edge")
@pytest.mark.parametrize("options", [{}, {"by": "network"}, {"engine": "duckdb"}])
def test_whoever_carries_it_out(options, tmp_path):
    if "engine" in options:
        pytest.importorskip("duckdb")
    rows = random_rows(11)
    run = al.execute("kruskal", as_csv(rows, tmp_path), **options)
    expected = [(u, v) for u, v, _ in kept(rows)]
    assert list(run.result["in_mst"]) == list(run.elements) == expected


@pytest.mark.filterwarnings("ignore:kruskal picks one edge")
@pytest.mark.parametrize("seed", range(3))
def test_a_database_that_writes_itself(seed, tmp_path):
    pytest.importorskip("duckdb")
    rows = random_rows(seed)
    al.execute_parquet("kruskal", as_parquet(rows, tmp_path), tmp_path / "out")
    found = parquet.read_table(tmp_path / "out").to_pylist()
    assert [(row["source"], row["target"]) for row in found] == [row[:2] for row in kept(rows)]
    weights = {(u, v): weight for u, v, weight in rows}
    total = sum(weights[row["source"], row["target"]] for row in found if row["in_mst"])
    assert total == nx.minimum_spanning_tree(_networkx(rows)).size("weight")


def test_networkx_pytorch_geometric_and_scipy():
    graph = nx.Graph([("c", "b"), ("a", "c"), ("b", "d")])
    nx.set_edge_attributes(graph, 1, "weight")
    run = al.execute("kruskal", graph)
    assert list(run.result["in_mst"]) == list(graph.edges)
    assert list(to_networkx(from_networkx(graph)).edges) == list(graph.edges)

    torch, data = pytest.importorskip("torch"), pytest.importorskip("torch_geometric.data")
    ends = torch.tensor([[2, 1, 3, 0, 1, 2], [0, 2, 1, 2, 3, 1]])  # the first three, then all back
    given = data.Data(edge_index=ends, num_nodes=4, edge_weight=torch.tensor([5, 6, 7, 5, 7, 6]))
    assert list(al.execute("kruskal", given).result["in_mst"]) == [(2, 0), (1, 2), (3, 1)]
    assert al.graphs.to_pyg(al.graphs.from_pyg(given)).edge_index[:, :3].tolist() == [
        [2, 1, 3],
        [0, 2, 1],
    ]

    triplets = sparse.coo_array(([5, 6], ([2, 1], [0, 0])), shape=(3, 3))
    run = al.execute("kruskal", triplets, directed=False)
    assert list(run.result["in_mst"]) == [(2, 0), (1, 0)]


class Uphill(Algorithm):
    """An edge that leads to a higher node leads uphill."""

    graphs = "directed"

    height = Node.input(number(8))
    uphill = Edge.output(mask, start="False", becomes="rises")
    rises = Edge.derived("one_end's height < other_end's height")
    goes_on = "some edge (rises & ~uphill)"


def test_directed_edges_are_looked_up_as_they_lead_alone():
    graph = nx.DiGraph([("c", "a"), ("a", "b"), ("b", "a"), ("c", "b")])
    nx.set_node_attributes(graph, {"a": 1, "b": 2, "c": 3}, "height")
    uphill = al.execute(Uphill, graph).result["uphill"]
    assert dict(uphill) == {edge: edge == ("a", "b") for edge in graph.edges}
    assert list(uphill) == list(graph.edges)
    assert ("a", "c") not in uphill
    assert uphill.get(("a", "c")) is None
    with pytest.raises(al.AlgoLensError):
        uphill["a", "c"]


def test_values_each_way_stay_with_their_direction():
    rows = [("c", "b", 7, 8), ("a", "b", 1, 2), ("b", "d", 3, 4)]
    frame = pd.DataFrame(rows, columns=["source", "target", "cost", "cost_back"])
    nodes = pd.DataFrame({"node": list("abcd")})
    document = al.execute("bridges", frame, nodes=nodes).to_json()["graph"]
    assert [tuple(edge[key] for key in frame.columns) for edge in document["edges"]] == rows
    graph = to_networkx(from_pandas(frame, nodes))
    assert {edge["cost"] + edge["cost_back"] for *_, edge in graph.edges(data=True)} == {15, 3, 7}


def test_the_numbers_of_a_file_find_edges_by_text_in_either_direction(tmp_path):
    run = al.execute("kruskal", as_csv([("2", "1", 1), ("3", "2", 2)], tmp_path))
    in_tree = run.result["in_mst"]
    assert in_tree[1, 2] is in_tree.get((2, 1)) is in_tree[2, 3] is True
    assert (1, 3) not in in_tree


def test_the_command_names_edges_as_the_file_does(tmp_path, monkeypatch, capsys):
    rows = [("c", "b", 3), ("a", "c", 1), ("b", "a", 2)]
    source = str(as_csv(rows, tmp_path))

    def printed(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["algolens", "execute", "kruskal", source, *words])
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code
        return capsys.readouterr().out

    everything = printed()
    assert "a - c (1), b - a (2)" in everything
    assert "a - c (1) is accepted" in everything
    assert printed("--why", "b - c").startswith("c - b, step 3")
    assert printed("--why", "c - b").startswith("c - b, step 3")
    document = json.loads(printed("--json", "--trace"))
    for edges in (document["graph"]["edges"], document["trace"][0]["outputs"]["in_mst"]):
        assert [(edge["source"], edge["target"]) for edge in edges] == [row[:2] for row in rows]
    again = tmp_path / "again.json"
    again.write_text(json.dumps(document["graph"]))
    assert list(al.execute("kruskal", again).result["in_mst"]) == [row[:2] for row in rows]
    printed("--out", str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open() as file:
        assert [(r["source"], r["target"]) for r in csv.DictReader(file)] == [r[:2] for r in rows]


def test_the_networkx_backend_gives_the_edges_of_the_graph():
    rng = np.random.default_rng(3)
    for _ in range(5):
        pairs = [tuple(map(int, rng.choice(9, 2, replace=False))) for _ in range(14)]
        graph = nx.Graph(pairs)
        nx.set_edge_attributes(graph, {e: int(rng.integers(1, 50)) for e in graph.edges}, "weight")
        assert list(nx.bridges(graph, backend="algolens")) == list(nx.bridges(graph))
        tree = set(nx.minimum_spanning_edges(graph, data=False, backend="algolens"))
        assert tree <= set(graph.edges)
        assert sum(graph.edges[edge]["weight"] for edge in tree) == nx.minimum_spanning_tree(
            graph
        ).size("weight")


PAGE = """
function answer({ page }) {
  const names = (each, edges) => {
    const { nodes, edges: ends, directed } = each.graph;
    const words = new Words(each, new Graph(nodes.length, ends, directed), {});
    return edges.map((edge) => words.name("edge", edge));
  };
  const own = OwnGraph.ofPages([page]);
  const again = pageOn(page, OwnGraph.read(own.edgesCsv, "", [page], own), {});
  return [names(page, page.graph.order), own.edgesCsv, names(again, [...again.graph.edges.keys()])];
}
"""


@needs_node
@pytest.mark.parametrize("seed", range(4))
def test_the_page_names_edges_as_they_were_given(seed, tmp_path):
    rows = random_rows(seed)
    run = al.execute("kruskal", as_csv(rows, tmp_path))
    ((names, written, again),) = in_node(PAGE, [{"page": page_data([run], "roads")}])
    assert names == [f"{u} - {v}" for u, v, _ in kept(rows)]
    # a graph that is changed in the page is named as the file that the page gives for the command
    header, *lines = [line.split(",") for line in written.splitlines()]
    assert header == ["source", "target", "weight"]
    assert sorted(lines) == sorted([u, v, str(w)] for u, v, w in kept(rows))
    assert sorted(again) == sorted(names)
