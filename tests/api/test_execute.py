"""What a run gives from Python is what NetworkX says, and what the command prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm, algorithms
from algolens.api import executing as task
from algolens.cli import main
from algolens.engines.program import Program

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


@pytest.fixture
def command(monkeypatch, capsys):
    """What the command prints as JSON."""

    def call(*words: str):
        monkeypatch.setattr(sys, "argv", ["algolens", "execute", *words, "--json", "--trace"])
        with pytest.raises(SystemExit) as left:
            main()
        assert not left.value.code
        return json.loads(capsys.readouterr().out)

    return call


@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_gives_what_the_command_prints(command, name):
    printed, found = command(name, "erdos_renyi:5"), al.execute(name, "erdos_renyi:5")
    declaration = algorithm(name).declaration
    at_nodes = declaration.location == "node"
    for output, values in found.result.items():
        # which is a node, as all nodes: here a number
        if declaration.outputs[output].to:
            assert all(value is None or value in found.nodes for value in values.values())
            values = {node: None if value is None else str(value) for node, value in values.items()}
        mine: Any
        if at_nodes:
            mine = {str(node): value for node, value in values.items()}
        else:
            mine = [
                {"source": str(u), "target": str(v), "value": value}
                for (u, v), value in values.items()
            ]
        assert json.loads(json.dumps(mine, default=str)) == json.loads(
            json.dumps(printed["outputs"][output])
        )
    assert found.steps == printed["steps"]
    assert found.outcomes == printed.get("outcome", {})
    assert found.agrees is printed["agrees"] is True
    table = found.to_pandas()
    assert len(table) == found.steps * len(found.elements)
    for step, told in enumerate(printed["trace"], 1):
        rows = table[table["step"] == step]
        for output, because in told["because"].items():
            reasons = because.values() if at_nodes else [each["value"] for each in because]
            assert list(rows[f"because_{output}"]) == list(reasons)
        for concept, values in told["concepts"].items():
            assert list(rows[concept]) == (
                list(values.values()) if at_nodes else [each["value"] for each in values]
            )


@pytest.mark.parametrize("by", ["algorithm", "network", "rules"])
def test_every_way_gives_what_the_command_prints(command, by):
    printed, found = (
        command("bfs", VILLAGE, "--source", "Mill", "--by", by),
        al.execute("bfs", VILLAGE, source="Mill", by=by),
    )
    assert (found.result["visited"], found.by) == (printed["outputs"]["visited"], printed["by"])
    assert found.agrees
    assert found.first_difference is None


def test_results_are_what_networkx_says():
    graph = nx.connected_watts_strogatz_graph(20, 4, 0.3, seed=1)
    for number, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["weight"] = 1 + number * 7 % 23
    assert al.execute("dijkstra", graph, source=3).result[
        "distance"
    ] == nx.single_source_dijkstra_path_length(graph, 3)
    tree = al.execute("kruskal", graph).to_networkx()
    weight = sum(data["weight"] for *_, data in tree.edges(data=True) if data["in_mst"])
    assert weight == nx.minimum_spanning_tree(graph).size("weight")
    assert al.execute("bipartite", graph).outcomes["is_bipartite"] is nx.is_bipartite(graph)


def test_numbers_are_the_users_own():
    graph = nx.Graph([(0, 1, {"weight": 0.1}), (1, 2, {"weight": 0.25})])
    found = al.execute("dijkstra", graph, source=0)
    assert {node: float(value) for node, value in found.result["distance"].items()} == {
        0: 0.0,
        1: 0.1,
        2: 0.35,
    }
    assert "0.25" in {text.get_text() for text in found.plot().texts}


def test_networkx_comes_back_with_what_was_given_and_what_was_found():
    graph = nx.Graph(
        [("a", "b", {"weight": 2, "road": "A1"}), ("b", "c", {"weight": 3, "road": "A2"})]
    )
    back = al.execute("kruskal", graph).to_networkx()
    assert {(u, v): data["road"] for u, v, data in back.edges(data=True)} == {
        ("a", "b"): "A1",
        ("b", "c"): "A2",
    }
    again = al.execute("kruskal", back)
    assert again.run.equals(al.execute("kruskal", graph).run)


def test_an_algorithm_may_be_named_in_many_ways(tmp_path):
    bfs = algorithm("bfs")
    Program.of(bfs).save(tmp_path / "bfs.json")
    expected = al.execute("bfs", VILLAGE, source="Mill")
    for way in (
        bfs,
        type(bfs),
        Program.of(bfs),
        tmp_path / "bfs.json",
        str(tmp_path / "bfs.json"),
        al.load("bfs"),
    ):
        assert al.execute(way, VILLAGE, source="Mill").result == expected.result
    assert al.execute(al.load("bfs"), VILLAGE).by == "network"


def test_concepts_are_set_by_name(command):
    words = ("bfs", VILLAGE, "--source", "Mill", "--set")
    for key, value, word in (
        ("has_visited_neighbours@Bridge", False, "has_visited_neighbours=false@Bridge"),
        ("has_visited_neighbours#2", False, "has_visited_neighbours=false#2"),
        (
            "has_visited_neighbours#2",
            {"Market": False, "Well": False},
            "has_visited_neighbours=false@Market#2",
        ),
    ):
        found = al.execute("bfs", VILLAGE, source="Mill", set={key: value})
        printed = command(*words, word)
        assert found.result["visited"] == printed["outputs"]["visited"]
        assert found.agrees is printed["agrees"]
    one = al.execute("bfs", VILLAGE, source="Mill", set={"has_visited_neighbours@Bridge": False})
    assert not one.agrees
    assert "first differs from the algorithm at step" in str(one.first_difference)
    assert one.truth.agrees
    assert one.truth.run.equals(al.execute("bfs", VILLAGE, source="Mill").run)
    late = al.execute("bfs", VILLAGE, source="Mill", set={"has_been_visited@Mill#99": True})
    assert "changed nothing: there is no step 99" in late.notes[-1]


def test_an_edge_goes_by_its_ends():
    found = al.execute("kruskal", VILLAGE)
    texts = {
        found.explain(edge, step=2)
        for edge in (("Mill", "Well"), ("Well", "Mill"), "Mill - Well", "Well - Mill")
    }
    assert len(texts) == 1
    assert "Mill - Well, step 2 of 9" in texts.pop()
    in_tree = found.result["in_mst"]
    assert in_tree["Well", "Bridge"] is in_tree["Bridge", "Well"] is True
    # which NetworkX's own file calls '3'
    assert al.execute("bfs", "nx:petersen").result["visited"][3] is True
    ran = al.execute(
        "kruskal", nx.Graph([("a-b", "c", {"weight": 1})]), set={"edge_in_mst@a-b - c#1": True}
    )
    assert ran.result["in_mst"] == {("a-b", "c"): True}


def test_an_edge_goes_by_its_ends_whatever_they_are_called():
    names = [" ", "x - y", "z\n", ("a", 1), "$\\frac", 'say "so"', "a, b"]
    graph = nx.relabel_nodes(nx.cycle_graph(len(names)), dict(enumerate(names)))
    nx.set_edge_attributes(graph, {edge: place for place, edge in enumerate(graph.edges)}, "weight")
    found = al.execute("kruskal", graph)
    for place, edge in enumerate(found.elements):
        assert (
            found.explain(edge)
            == found.explain(edge[::-1])
            != found.explain(found.elements[place - 1])
        )
        assert "\n" not in found.explain(edge).splitlines()[0]
    assert found.explain(("x - y", "z\n")).startswith('"x - y" - "z\\n", step')
    found.plot().figure.canvas.draw()  # names are no formulas of LaTeX


def test_numbers_of_numpy_are_numbers():
    one: Any = np.int64(1)
    found = al.execute("coloring", nx.path_graph(3), seed=one, options={"colors": 4 * one})
    assert found.run.equals(
        al.execute("coloring", nx.path_graph(3), seed=1, options={"colors": 4}).run
    )
    assert found.explain(0, step=one) == found.explain(0, step=1)
    assert not al.execute(
        "bfs", nx.path_graph(3), source=0, set={"has_visited_neighbours": np.bool_(False)}
    ).agrees


def test_what_was_drawn_is_noted_and_depends_on_the_seed():
    one, same, other = (
        al.execute("coloring", nx.petersen_graph(), seed=seed) for seed in (1, 1, 2)
    )
    assert one.run.equals(same.run)
    assert not np.array_equal(one.run.inputs["priority"], other.run.inputs["priority"])
    assert "drawn at random" in one.notes[0]
    assert one.notes[0] in str(one)


def test_without_a_trace_the_end_is_kept_and_the_rest_refused():
    found = al.execute("bfs", VILLAGE, source="Mill", trace=False)
    assert found.result == al.execute("bfs", VILLAGE, source="Mill").result
    for ask in (found.to_pandas, found.plot, lambda: found.explain("Mill")):
        with pytest.raises(al.AlgoLensError, match="trace=True"):
            ask()


def test_a_network_is_compared_with_the_algorithm_when_that_is_asked_for(monkeypatch):
    ran, run_algorithm = [], task.run_algorithm  # type: ignore[attr-defined]

    def counted(*args, **kwargs):
        ran.append(args)
        return run_algorithm(*args, **kwargs)

    monkeypatch.setattr(task, "run_algorithm", counted)
    model = al.load("bfs")
    found = model.execute(nx.path_graph(4), source=0)
    assert found.result["visited"][3]
    assert len(ran) == 1
    assert found.agrees
    assert len(ran) == 2
    model.execute(nx.path_graph(4), source=0, check=True)
    assert len(ran) == 4
