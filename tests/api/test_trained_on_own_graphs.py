"""Networks trained, and algorithms checked, on graphs of a user: folders, lists, families."""

from __future__ import annotations

import json
import shutil
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm
from algolens.api.own_data import Reader, family_again, with_own_graphs
from algolens.data import OwnSets
from algolens.data.datasets import split_places
from algolens.data.graph_sets import read_family
from algolens.errors import AlgoLensError
from algolens.experiment.config import make_experiment, preset
from algolens.reproduction.accuracies import (
    accuracies,
    accuracy_table,
    tables_json,
)
from algolens.reproduction.gathering import gather_models
from algolens.reproduction.headline import headline
from tests.cli.conftest import run, small_sets
from tests.two_way import TwoWay

__all__ = ["run", "small_sets"]

FAMILY = """
import networkx as nx

def my_family(num_nodes, rng):
    return nx.gnp_random_graph(num_nodes, 0.3, seed=int(rng.integers(2**31)))
"""
FAR = """
from algolens.algorithms.bfs import Bfs

class Far(Bfs):
    name = "far"

    def reference(self, graph, inputs):
        return {"visited": {}} if len(graph) > 30 else super().reference(graph, inputs)
"""
BFS = preset("paper", algorithm("bfs"))

pytestmark = pytest.mark.usefixtures("plain_curves")


def graphs_with_sources(count: int, first: int = 0) -> list[nx.Graph]:
    """Different graphs, each with a source."""
    graphs = [nx.gnm_random_graph(5 + i % 4, 8, seed=i) for i in range(first, first + count)]
    for place, graph in enumerate(graphs):
        graph.graph["source"] = place % len(graph)
    return graphs


def reached(graph: nx.Graph, source: int) -> list[set[int]]:
    """By a queue of one's own: the nodes that are visited after each step, until none is new."""
    visited, steps, queue = {source}, [], deque([{source}])
    while queue:
        new = {v for u in queue.popleft() for v in graph[u]} - visited
        visited |= new
        steps.append(set(visited))
        if new:
            queue.append(new)
    return steps


def write_folder(folder: Path, graphs: list[nx.Graph]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for place, graph in enumerate(graphs):
        document = nx.node_link_data(graph, edges="edges")
        (folder / f"{place:03}.json").write_text(json.dumps(document))


def test_sets_hold_every_graph_once_with_its_own_true_trace():
    graphs = graphs_with_sources(30)
    experiment = with_own_graphs(BFS, [*graphs, graphs[3], graphs[4]])
    assert experiment.graphs is not None
    assert experiment.graphs["repeated"] == 2
    assert experiment.graphs["sets"] == {"train": 26, "validation": 2, "given": 2}
    assert (experiment.graphs["drawn"], experiment.graphs["from"]) == ({}, "a list")
    places = split_places(30, 0)
    sets = experiment.data()
    traces = {"train": sets.train, "validation": sets.validation, **sets.tests}
    assert sorted(place for chosen in places.values() for place in chosen) == list(range(30))
    for name, chosen in places.items():
        for number, place in enumerate(chosen):
            alone, graph = traces[name].take([number]), graphs[place]
            steps = reached(graph, graph.graph["source"])
            assert alone.graph.edges.T.tolist() == sorted(map(list, map(sorted, graph.edges)))
            seen = [set(row.nonzero().flatten().tolist()) for row in alone["visited"].dense()]
            assert seen[: len(steps)] == steps[: len(seen)]
            assert seen[-1] == steps[-1]


def test_the_split_and_what_is_drawn_follow_from_the_data_seed_alone():
    graphs = [nx.path_graph(n) for n in range(3, 20)]
    made = {}
    for seed in (0, 1):
        experiment = replace(BFS, data_seed=seed)
        one, other = with_own_graphs(experiment, graphs), with_own_graphs(experiment, graphs)
        assert one.to_json() == other.to_json()
        assert one.graphs is not None
        assert one.graphs["drawn"] == {"source": 17}
        made[seed] = one.graphs["sha256"]
    assert made[0] != made[1]


def test_what_is_kept_is_what_was_read():
    one = with_own_graphs(BFS, graphs_with_sources(5)).own_sets
    other = with_own_graphs(BFS, graphs_with_sources(5, first=1)).own_sets
    assert one is not None
    assert other is not None
    again = OwnSets.from_bytes(one.to_bytes())
    assert (again.sha256, again.counts) == (one.sha256, one.counts)
    assert again.traces(algorithm("bfs")).train.equals(one.traces(algorithm("bfs")).train)
    assert one.sha256 != other.sha256


def test_links_of_many_graphs_keep_their_values():
    rng, graphs = np.random.default_rng(0), []
    for place in range(6):
        graph = nx.gnm_random_graph(6, 8, seed=place)
        graph.graph["source"] = 0
        for _, _, costs in graph.edges(data=True):
            costs["cost"], costs["cost_back"] = (int(n) for n in rng.integers(0, 99, 2))
        graphs.append(graph)
    reader = Reader(TwoWay(), 0)
    read = reader.read(graphs)
    assert not any(drawn for _, drawn in read)
    checked = al.check(TwoWay, graphs=graphs)
    assert checked
    assert checked.reviews[0].given == 6
    part = reader.joined(read)
    for place, graph in enumerate(graphs):
        taken = part.graph.take([place])
        costs = part.inputs["cost"][taken.index(TwoWay().declaration.inputs["cost"].at)]
        ends = zip(*taken.graph.links.tolist(), strict=True)
        for (u, v), cost in zip(ends, costs.tolist(), strict=True):
            assert cost == graph[u][v]["cost" if u < v else "cost_back"]


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("name", ["paper", "exact"])
def test_a_folder_trains_by_the_command_as_a_list_from_python(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    graphs = [nx.gnm_random_graph(6, 8, seed=seed) for seed in range(14)]
    write_folder(tmp_path / "town", graphs)
    words = ("train", "bfs", "--preset", name, "--epochs", "2", "--data-seed", "5")
    status, out, _ = run(*words, "--graphs", "town", "--out", "model", "--json", "--no-picture")
    assert status == 0
    said = json.loads(out)
    model = al.train("bfs", preset=name, epochs=2, data_seed=5, graphs=graphs, progress=False)
    loaded = al.load("model")
    assert (said["trained_on"], loaded.graphs) == (
        loaded.graphs,
        {**(model.graphs or {}), "from": "town"},
    )
    assert said["trained_on"]["sets"] == {"train": 12, "validation": 1, "given": 1}
    for key, value in model.network.state_dict().items():
        assert np.array_equal(loaded.network.state_dict()[key], value.cpu())
    begin = "Trained on 12 graphs of town" if name == "paper" else "Taught by cases, by no graph"
    assert begin in str(loaded)
    # the folder is gone, the model knows what it was trained on
    shutil.rmtree(tmp_path / "town")
    again = al.load("model")
    experiment = again.experiment
    assert experiment.data().train.equals(loaded.experiment.data().train)
    if name == "exact":  # of the other it takes seconds
        assert len(al.explain(again).extractions) == 1
    learnt = 13 if name == "paper" else 1
    scores = again.evaluate(graphs=graphs, data_seed=5)
    assert scores.scores["test_graphs"]["learnt"] == learnt
    assert "among those that it was trained or selected on" in str(scores)
    fresh = again.evaluate(graphs=graphs_with_sources(3, first=50))
    assert fresh.scores["test_graphs"]["learnt"] == 0
    if name == "exact":  # as above
        check_report()


def check_report() -> None:
    """What a report shows of the model that was trained on the town."""
    material = gather_models(["model"])
    (shown,), tables = material.runs, tables_json(material)
    assert set(tables["bfs"]["exact"]["graphs_right"]) == {"given"}
    assert tables["departures"]["model"][0]["ours"] == "of their user (town)"
    assert not any("test graphs" in entry["what"] for entry in tables["departures"]["model"])
    assert "of graphs of town, selected on 1" in shown.remarks
    assert "none stands beside its own" in shown.remarks
    assert "tested on graphs of sizes as given" in headline(material).run
    figures = accuracies([shown])
    assert not any(each.compared for each in figures)
    (column,) = accuracy_table("bfs", figures).columns[2:]
    assert column == "sizes as given (1 graphs)"


def test_graphs_that_are_not_those_it_was_trained_on_are_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    graphs = graphs_with_sources(4)
    al.train("bfs", epochs=1, graphs=graphs, out=tmp_path / "one", progress=False)
    al.train("bfs", epochs=1, graphs=graphs[1:], out=tmp_path / "two", progress=False)
    shutil.copy(tmp_path / "two" / "graphs.safetensors", tmp_path / "one")
    model = al.load(tmp_path / "one")
    assert "holds other graphs than it was trained on" in model.notes[0]
    with pytest.raises(AlgoLensError, match="does not hold any more: train it again"):
        model.experiment.data()
    (tmp_path / "two" / "graphs.safetensors").unlink()
    assert "cannot be read" in al.load(tmp_path / "two").notes[0]


def test_a_training_on_other_graphs_is_not_taken_up(tmp_path):
    class StopAfterOne(Exception):
        pass

    def stop(epoch: Any) -> None:
        if epoch.epoch == 2:
            raise StopAfterOne

    graphs, out = graphs_with_sources(6), tmp_path / "model"
    settings = {"preset": "paper", "epochs": 3, "out": out, "progress": False, "validate_every": 1}
    import algolens.training.checkpoint as checkpoint

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "EVERY", 0.0)
        with pytest.raises(StopAfterOne):
            al.train("bfs", graphs=graphs, watch=stop, **settings)
        with pytest.raises(AlgoLensError, match=r"unfinished training of another kind: .*graphs"):
            al.train("bfs", graphs=graphs[1:], **settings)
    resumed = al.train("bfs", graphs=graphs, **settings)
    whole = al.train("bfs", graphs=graphs, **{**settings, "out": None})
    for key, value in whole.network.state_dict().items():
        assert np.array_equal(resumed.network.state_dict()[key], value)


def test_a_split_of_the_users_own_is_kept(tmp_path):
    by_split = {
        "train": graphs_with_sources(5),
        "validation": graphs_with_sources(2, first=20),
        "test": [*graphs_with_sources(3, first=30), graphs_with_sources(1)[0]],
    }
    experiment = with_own_graphs(BFS, by_split)
    assert experiment.graphs is not None
    assert experiment.graphs["sets"] == {"train": 5, "validation": 2, "given": 3}
    assert (experiment.graphs["repeated"], experiment.graphs["split"]) == (1, "given")
    for name, graphs in by_split.items():
        write_folder(tmp_path / name, graphs)
    told = with_own_graphs(BFS, tmp_path).graphs
    assert told is not None
    assert {**told["sets"], "given": 3} == experiment.graphs["sets"]


def test_a_family_gives_different_graphs_to_every_set(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    Path("my_file.py").write_text(FAMILY)
    asked = []

    def my_family(num_nodes: int, rng: np.random.Generator) -> nx.Graph:
        asked.append(num_nodes)
        return nx.gnp_random_graph(num_nodes, 0.3, seed=int(rng.integers(2**31)))

    few = replace(BFS, held_out=1, families=("tree",))
    sets = {}
    for family in (my_family, "my_file.py:my_family"):
        made = with_own_graphs(few, family=family, sizes=(6, 30))
        assert made.own_sets is not None
        assert made.graphs is not None
        assert made.graphs["sets"] == {"train": 100, "validation": 1, "6": 1, "30": 1}
        sets[made.graphs["from"]] = made
    assert sets["my_family"].own_sets.sha256 == sets["my_file.py:my_family"].own_sets.sha256
    assert len(sets["my_file.py:my_family"].graphs["file_sha256"]) == 64  # type: ignore[index]
    assert (asked.count(20), asked.count(6), asked.count(30)) == (101, 1, 1)
    own = sets["my_family"].own_sets
    assert own is not None
    marks = [mark for part in own.sets.values() for mark in part.marks(algorithm("bfs")).tolist()]
    assert len(set(marks)) == len(marks) == 103
    scores = al.load("bfs").evaluate((6, 9), family=my_family, graphs=12)
    assert {size: values["graphs"] for size, values in scores.scores["sizes"].items()} == {
        "6": 12,
        "9": 12,
    }
    words = ("evaluate", "bfs", "--family", "my_file.py:my_family", "--graphs", "12")
    status, out, _ = run(*words, "--sizes", "6,9", "--json")
    assert status == 0
    assert json.loads(out)["sizes"] == scores.scores["sizes"]
    assert al.check("bfs", family=my_family).reviews[0].given == 20
    status, out, _ = run("check", "bfs", "--family", "my_file.py:my_family")
    assert (status, "random graphs and 20 of yours" in out) == (0, True)


@pytest.mark.usefixtures("small_sets")
def test_a_family_in_a_file_is_found_again_by_its_path_and_text(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    Path("my_file.py").write_text(FAMILY)
    name = "my_file.py:my_family"
    al.train("bfs", epochs=1, family=name, out="model", progress=False)
    given = al.load("model").evaluate((6,), graphs=12, family=name).scores
    status, out, err = run("evaluate", "model", "--sizes", "6", "--graphs", "12", "--json")
    assert (status, f"my_file.py was run, the file of the family '{name}'" in err) == (0, True)
    assert json.loads(out) == given
    assert given["test_graphs"]["family"] == name
    Path("my_file.py").write_text(f"{FAMILY}\n# another text")
    status, _, err = run("evaluate", "model")
    assert (status, err.count("\n"), "my_file.py is not as it was" in err) == (2, 1, True)
    al.load("model").execute(nx.path_graph(3))  # which needs no family
    in_file = with_own_graphs(BFS, family=name)
    with pytest.raises(AlgoLensError, match="is in the model's own folder"):
        family_again(in_file, tmp_path)
    in_no_file = with_own_graphs(BFS, family=read_family(name).draw)
    with pytest.raises(AlgoLensError, match="'my_family', a function that stands in no file: give"):
        family_again(in_no_file, None)


def test_check_finds_what_only_a_graph_of_the_user_shows(run, tmp_path):
    (tmp_path / "far.py").write_text(FAR)
    write_folder(tmp_path / "town", [nx.path_graph(31)])
    assert run("check", str(tmp_path / "far.py"))[0] == 0
    status, out, _ = run("check", str(tmp_path / "far.py"), "--graphs", str(tmp_path / "town"))
    assert (status, "it differs from its reference" in out) == (1, True)


def _path(num_nodes: int, _: np.random.Generator) -> nx.Graph:
    return nx.path_graph(num_nodes)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"graphs": []}, "graphs= is empty"),
        ({"graphs": graphs_with_sources(2)}, "2 different graphs cannot be split"),
        ({"graphs": [graphs_with_sources(1)[0]] * 9}, "1 different graphs cannot be split"),
        ({"graphs": [nx.path_graph(2), nx.DiGraph([(0, 1)])]}, "graph 1: it is directed, and"),
        ({"graphs": {"train": []}}, "train, validation, test; train came"),
        ({"graphs": 7}, "a int came"),
        ({"graphs": "nowhere"}, "there is no such file"),
        ({"graphs": graphs_with_sources(3), "family": _path}, "give one of them"),
        ({"family": lambda *_: nx.path_graph(3)}, "it has 3 nodes: let the family give 20"),
        ({"family": lambda n: nx.path_graph(n)}, "failed .TypeError.*a random stream of NumPy"),
        ({"family": lambda *_: 7}, "a graph is a NetworkX graph"),
        ({"family": "tree"}, "should be a function of a number of nodes"),
        ({"family": "nowhere.py:mine"}, "which is not there"),
        ({"directed": True}, "directed= goes with graphs of yours or a family"),
        ({"graphs": graphs_with_sources(3), "data_seed": -1}, "data_seed is -1"),
    ],
)
def test_what_cannot_be_trained_on_gets_one_line(given, complaint):
    with pytest.raises(AlgoLensError, match=complaint) as refused:
        al.train("bfs", progress=False, **given)
    assert "\n" not in str(refused.value)


def test_a_family_of_too_few_graphs_is_told():
    few = replace(BFS, held_out=1, families=("tree",))
    with pytest.raises(AlgoLensError, match="_path gave 20 different graphs of 20 nodes, and 100"):
        with_own_graphs(few, family=_path)


def test_graphs_that_lead_one_way_are_read_as_the_user_says(tmp_path):
    for place in range(3):
        (tmp_path / f"{place}.csv").write_text(
            "source,target\n" + "a,b\nb,c\nc,d\n"[: 4 + 4 * place]
        )
    topological = make_experiment(algorithm("topological_sort"))
    with pytest.raises(AlgoLensError, match=r"0.csv: topological_sort runs on directed graphs"):
        with_own_graphs(topological, tmp_path)
    read = with_own_graphs(topological, tmp_path, directed=True).own_sets
    assert read is not None
    assert all(part.graph.directed for part in read.sets.values())
