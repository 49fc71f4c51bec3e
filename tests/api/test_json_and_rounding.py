"""Runs as JSON from Python, and numbers at links that are rounded; played too."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import networkx as nx
import pytest

import algolens as al
from algolens.algorithms import add_file
from algolens.algorithms._discovery import ADDED, algorithms
from algolens.api import executing
from algolens.errors import AlgoLensError
from tests.cli.conftest import file, run
from tests.two_way import TwoWay

__all__ = ["file", "run"]
TABLE = "source,target,cost,cost_back\na,b,1.26,3.04\nb,c,0.149,2.5\na,c,9.99,1.04\n"


def ways() -> nx.Graph:
    graph = nx.Graph()
    for line in TABLE.splitlines()[1:]:
        u, v, cost, back = line.split(",")
        graph.add_edge(u, v, cost=float(cost), cost_back=float(back))
    return graph


def shortest(source: str, places: int) -> dict[str, float]:
    """By NetworkX, on decimals that are rounded one by one."""
    both = nx.DiGraph()
    for u, v, costs in ways().edges(data=True):
        for start, end, cost in ((u, v, costs["cost"]), (v, u, costs["cost_back"])):
            both.add_edge(start, end, cost=round(Decimal(str(cost)), places))
    lengths = nx.single_source_dijkstra_path_length(both, source, weight="cost")
    return {node: float(length) for node, length in lengths.items()}


@pytest.fixture
def two_way_file():
    """The algorithm as a file of the user's, known by its name."""
    path = Path(__file__).parents[1] / "two_way.py"
    add_file(path)
    yield
    del ADDED[path.resolve()]
    algorithms.cache_clear()


@pytest.mark.parametrize("places", [0, 1, 2])
@pytest.mark.parametrize("source", ["a", "b", "c"])
def test_numbers_at_links_are_rounded_each_way(source, places):
    rounded = al.execute(TwoWay, ways(), source=source, round=places)
    assert dict(rounded.result["distance"]) == shortest(source, places)
    changes = {0: 6, 1: 5, 2: 1}[places]
    assert f"{changes} of 6 change" in rounded.notes[0]


def test_one_number_for_both_ways_is_rounded_for_both():
    graph = ways()
    for *_, costs in graph.edges(data=True):
        del costs["cost_back"]
    rounded = al.execute(TwoWay, graph, source="c", round=0)
    assert dict(rounded.result["distance"]) == {"a": 1, "b": 0, "c": 0}


def test_a_way_back_that_an_edge_repeats_is_rounded_with_it():
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=0.26, weight_back=0.26)
    assert al.execute("dijkstra", graph, source="a", round=1).result["distance"]["b"] == 0.3


@pytest.mark.usefixtures("two_way_file")
def test_the_command_rounds_at_links_as_python_does(run, file):
    words = ("execute", "two_way", file(TABLE), "--source", "b", "--round", "1", "--json")
    status, out, _ = run(*words)
    assert status == 0
    assert json.loads(out)["outputs"]["distance"] == shortest("b", 1)


def test_play_takes_what_execute_takes(monkeypatch):
    played: list[str] = []

    def kept(page: str, _: str) -> tuple[str, bool]:
        played.append(page)
        return "", True

    monkeypatch.setattr(executing, "open_page", kept)
    al.play(TwoWay, ways(), source="a", round=1)
    al.play(al.execute(TwoWay, ways(), source="a", round=1))
    assert played[0] == played[1]
    with pytest.raises(AlgoLensError, match="round= came with runs that are done"):
        al.play(al.execute("bfs", nx.path_graph(2)), round=1)
    with pytest.raises(AlgoLensError, match="one or more results"):
        al.play(al.execute("bfs"), 3)
    al.play("lcs_length", "AB", "BA")
    assert "AB and BA" in played[2]


@pytest.mark.parametrize("name", ["kruskal", "dijkstra", "bipartite"])
def test_to_json_is_what_the_command_prints(run, file, name):
    path = file("source,target,weight\na,b,1.5\nb,c,2\na,c,0.125\n")
    for trace in ((), ("--trace",)):
        status, out, _ = run("execute", name, path, "--json", *trace)
        assert status == 0
        given = al.execute(name, path).to_json(trace=bool(trace))
        assert json.loads(json.dumps(given)) == json.loads(out)


def test_results_at_edges_are_json_by_their_ends():
    graph = nx.Graph([("a", "b"), ("b", "c"), ("a", "c")])
    nx.set_edge_attributes(graph, {("a", "b"): 3, ("b", "c"): 1, ("a", "c"): 2}, "weight")
    execution = al.execute("kruskal", graph)
    written = json.loads(json.dumps(execution.to_json()))["outputs"]["in_mst"]
    by_ends = {(entry["source"], entry["target"]): entry["value"] for entry in written}
    assert by_ends == dict(execution.result["in_mst"])
    set_by_hand = al.execute("bfs", graph, source="a", set={"has_been_visited@b#1": True})
    (intervention,) = set_by_hand.to_json()["interventions"]
    assert (intervention["concept"], intervention["nodes"]) == ("has_been_visited", ["b"])
