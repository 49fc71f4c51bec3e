"""Inputs that a user brings to ``algolens execute``."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

from algolens.algorithms import algorithms


@pytest.fixture
def maze(monkeypatch, tmp_path):
    """Makes the maze known to the command, and gives the names of a file of edges and one of
    nodes.
    """
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", str(Path(__file__).parents[1] / "maze.py"))
    algorithms.cache_clear()
    (tmp_path / "g.csv").write_text("source,target,open\na,b,true\nb,c,true\na,d,1\nd,c,FALSE\n")
    (tmp_path / "n.csv").write_text("node,wall,terrain\na,false,0\nb,true,1\nc,false,2\nd,0,1\n")
    yield str(tmp_path / "g.csv"), str(tmp_path / "n.csv")
    algorithms.cache_clear()


def test_a_file_of_nodes_and_inputs_by_name(run, maze):
    edges, nodes = maze
    words = ("execute", "maze", edges, "--nodes", nodes, "--input", "lives=3", "--json")
    status, out, err = run(*words, "--source", "a")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found["outputs"]["reached"] == {"a": True, "b": False, "c": False, "d": True}
    assert found["inputs"]["wall"] == {"a": False, "b": True, "c": False, "d": False}
    assert found["inputs"]["lives"] == 3
    assert json.loads(run(*words, "--input", "source=a")[1]) == found


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            (),
            (
                "maze needs a 'lives' for the graph (whole numbers from 0 to 15): give it, as in "
                "--input lives=VALUE"
            ),
        ),
        (("--input", "lives"), "--input 'lives' should be a name and a value"),
        (("--input", "lives=1", "--input", "lives=2"), "--input lives: it is given twice"),
        (("--input", "live=1"), "no input of maze is called 'live'"),
        (("--input", "lives=99"), "'lives' of the graph is '99': give whole numbers from 0 to 15."),
        (("--input", "source=z"), "no node is called 'z'"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(run, maze, words, complaint):
    status, out, err = run("execute", "maze", maze[0], "--nodes", maze[1], *words)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_a_class_that_does_not_exist_is_named_with_its_node(run, maze):
    Path(maze[1]).write_text("node,wall,terrain\na,false,0\nb,true,lava\nc,false,2\nd,0,1\n")
    status, out, err = run("execute", "maze", maze[0], "--nodes", maze[1], "--input", "lives=1")
    assert (status, out) == (2, "")
    assert err == "error: 'terrain' of node 'b' is 'lava': give one of the classes 0, 1, 2.\n"


def test_help_and_a_column_that_nothing_reads(run, maze):
    assert "node,wall,priority" in " ".join(run("execute", "--help")[1].replace("│", " ").split())
    assert run("execute", "bfs", maze[0], "--nodes", maze[1])[0] == 0


def test_weights_just_under_the_most_that_bits_hold(run, tmp_path):
    graph = nx.gnm_random_graph(300, 700, seed=1)
    lines = [f"n{u},n{v},{2**52 - 1 - i}" for i, (u, v) in enumerate(graph.edges)]
    (tmp_path / "g.csv").write_text("\n".join(lines))
    found = json.loads(
        run("execute", "kruskal", str(tmp_path / "g.csv"), "--option", "bits=52", "--json")[1]
    )
    edges = found["outputs"]["in_mst"]
    components = nx.number_connected_components(
        nx.Graph((each["source"], each["target"]) for each in edges)
    )
    assert sum(each["value"] for each in edges) == len(found["inputs"]["priority"]) - components


@pytest.mark.parametrize(
    ("light", "heavy"),
    [
        ("9007199254740993", "9007199254740993.5"),
        ("100000000000000000000", "100000000000000000001"),
        ("1e-400", "2e-400"),
    ],
)
def test_the_lighter_edge_of_a_circle_stays_however_near_and_the_total_is_exact(
    run, tmp_path, light, heavy
):
    for first, second in ((light, heavy), (heavy, light)):
        (tmp_path / "g.csv").write_text(f"a,b,{first}\nb,c,{second}\na,c,-0.5\n")
        _, out, err = run("execute", "kruskal", str(tmp_path / "g.csv"))
        words = " ".join(out.split())
        assert f"({light})" in words.replace("E-", "e-")
        tree = words.split("in the tree: ")[1].split("total weight")[0]
        assert f"({heavy})" not in tree.replace("E-", "e-")
        assert "of equals" not in err


def test_equal_weights_are_told_where_they_must_differ(run, tmp_path):
    (tmp_path / "g.csv").write_text("a,b,0.10\nb,c,0.1\na,c,3\n")
    file = str(tmp_path / "g.csv")
    _, out, err = run("execute", "kruskal_union_find", file)
    said = " ".join(err.split())
    assert "there is 1 equal in weight (edge (a, b) and edge (b, c), say, are both 0.10)" in said
    assert "of equals, the edge that stands first in the graph goes first" in said
    assert "total weight: 0.2" in out
    _, out, err = run("execute", "kruskal", file)  # here a formula breaks ties
    assert "equal" not in err
    assert "total weight: 0.2" in out
