"""Graphs and numbers of a user, from the command: directed ones, weights that are no whole numbers,
inputs by name.
"""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

from algolens.algorithms import algorithms

ROADS = "Utrecht,Amsterdam,40.5\nAmsterdam,Haarlem,20.25\nUtrecht,Haarlem,70\nIsland,Ferry,2\n"


def test_distances_and_paths_in_the_users_own_weights(run, file):
    words = ("execute", "dijkstra", file(ROADS), "--source", "Utrecht")
    _, out, err = run(*words)
    assert "60.75" in out
    assert "Utrecht - Amsterdam - Haarlem" in " ".join(out.split())
    assert "multiplied by 4" in err
    found = json.loads(run(*words, "--json")[1])
    assert found["outputs"]["distance"] == {
        "Utrecht": 0,
        "Amsterdam": 40.5,
        "Haarlem": 60.75,
        "Island": None,
        "Ferry": None,
    }
    assert found["outputs"]["parent"] == {
        "Utrecht": None,
        "Amsterdam": "Utrecht",
        "Haarlem": "Amsterdam",
        "Island": None,
        "Ferry": None,
    }
    assert {"source": "Utrecht", "target": "Amsterdam", "value": 40.5} in found["inputs"]["weight"]


def test_a_distance_of_many_digits_is_told_exactly(run, file):
    name = file("a,b,1234567890123456.125\nb,c,0.5\n")  # more digits than a float has
    found = json.loads(run("execute", "dijkstra", name, "--json")[1])["outputs"]["distance"]
    assert found == {"a": 0, "b": "1234567890123456.125", "c": "1234567890123456.625"}


@pytest.mark.parametrize(
    ("words", "text", "complaint"),
    [
        (
            ("dijkstra",),
            "A,B,-3\n",
            "dijkstra needs a weight that is not negative: edge (A, B) has -3; use bellman_ford",
        ),
        (
            ("dijkstra",),
            f"a,b,{2**60}\nb,c,{2**60}\n",
            "'offer' grows beyond 62 bits on this graph",
        ),
        (
            ("bellman_ford", "--directed"),
            f"a,b,-{2**60}\nb,c,-{2**60}\n",
            "'offer' grows beyond 62 bits on this graph",
        ),
        (("dijkstra",), f"a,b,{2**62}\n", "give whole numbers from 0 to 4611686018427387903."),
        (
            ("topological_sort",),
            "a,b\n",
            "topological_sort runs on directed graphs, and this one is undirected",
        ),
        (
            ("coloring", "--directed"),
            "a,b\n",
            "coloring runs on undirected graphs, and this one is directed: forget",
        ),
        (("topological_sort", "--directed"), "a,b\nb,b\n", "node 'b' has a self-loop"),
        (("bipartite",), "a,b\nb,b\n", "node 'b' has a self-loop"),
        (
            ("bfs", "--sauce", "a"),
            "a,b\n",
            "no input of bfs is called 'sauce'; there are: source. Did you mean 'source'?",
        ),
        (("bfs", "--target"), "a,b\n", "there is no option --target"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(run, file, words, text, complaint):
    status, out, err = run("execute", words[0], file(text), *words[1:])
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_directions_are_asked_for_or_forgotten(run, file, tmp_path):
    edges = "a,b\nb,c\nd,a\n"
    found = json.loads(run("execute", "topological_sort", file(edges), "--directed", "--json")[1])
    assert found["outputs"]["position"] == {"d": 0, "a": 1, "b": 2, "c": 3}
    assert found["outcome"] == {"is_acyclic": True}
    nx.write_graphml(nx.DiGraph([("a", "b"), ("c", "b")]), tmp_path / "g.graphml")
    words = ("execute", "bfs", str(tmp_path / "g.graphml"), "--source", "a", "--json")
    assert json.loads(run(*words)[1])["outputs"]["visited"] == {"a": True, "b": True, "c": False}
    assert json.loads(run(*words, "--undirected")[1])["outputs"]["visited"] == {
        "a": True,
        "b": True,
        "c": True,
    }
    # a family is as the algorithm needs it
    assert run("execute", "topological_sort", "grid:9", "--json")[0] == 0


def test_every_input_of_the_graph_is_an_option_of_its_own_name(run, file, monkeypatch):
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", str(Path(__file__).parents[1] / "maze.py"))
    algorithms.cache_clear()
    edges, nodes = (
        file("source,target,open\na,b,true\n"),
        file("node,wall,terrain\na,false,0\nb,true,1\n", "n.csv"),
    )
    words = ("execute", "maze", edges, "--nodes", nodes, "--json")
    plain = json.loads(run(*words, "--input", "lives=3", "--input", "source=b")[1])
    assert json.loads(run(*words, "--lives", "3", "--source", "b")[1]) == plain
    assert json.loads(run(*words, "--lives=3", "--source=b")[1]) == plain
    assert "--lives needs a value" in run(*words, "--lives")[2]
    algorithms.cache_clear()


def test_a_matching_is_a_list_of_edges(run, file):
    found = json.loads(run("execute", "matching", file("a,b\nb,c\nc,d\n"), "--json")[1])["outputs"][
        "in_matching"
    ]
    chosen = {(each["source"], each["target"]) for each in found if each["value"]}
    assert len(found) == 3
    assert nx.is_maximal_matching(nx.path_graph(["a", "b", "c", "d"]), chosen)
